#include "gpumuster/transport/openssh/ssh_failure.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/transport/openssh/host_key_failure.hpp"
#include "gpumuster/transport/openssh/login_failure.hpp"
#include "gpumuster/transport/openssh/ssh_place.hpp"
#include "gpumuster/transport/openssh/ssh_sentences.hpp"

namespace gpumuster {
namespace {

using Lines = std::vector<SshLine>;

// What the port says before the identification of an sshd; only as a debug line.
constexpr std::string_view before_identification = "kex_exchange_identification: banner line ";

bool says(const std::string& line, std::string_view part) {
    return line.find(part) != std::string::npos;
}

// Where the connection was made; before that, jump hosts speak as well.
enum class Ground { way, exchange, login, session };

Ground ground_of(SshProgress progress) {
    if (progress >= SshProgress::logged_in) return Ground::session;
    if (progress >= SshProgress::trusted) return Ground::login;
    if (progress >= SshProgress::greeted) return Ground::exchange;
    return Ground::way;
}

Lines lines_of(const SshTranscript& transcript, Ground ground) {
    Lines lines;
    for (const SshLine& line : transcript.lines) {
        if (ground_of(line.at) == ground) lines.push_back(line);
    }
    return lines;
}

std::string without_program(const std::string& line) {
    return quote_line(line.starts_with("ssh: ") ? line.substr(5) : line);
}

std::string sentence(FailureKind kind, const std::string& line) {
    if (kind == FailureKind::handshake_throttled) return "sshd answers \"Exceeded MaxStartups\"";
    if (kind == FailureKind::handshake_penalised) {
        return "sshd answers \"Not allowed at this time\"";
    }
    return without_program(line);
}

// "bind 10.9.8.7: Cannot assign requested address" stands before "connect to host …: failure".
std::string with_cause_before(std::string message, const Lines& lines, std::size_t index) {
    if (!message.ends_with(": failure") || index == 0 || lines[index - 1].is_debug) return message;
    return message + ", " + quote_line(lines[index - 1].text);
}

std::optional<Failure> plain_failure(const Lines& lines, std::size_t index,
                                     const EffectiveSettings& settings) {
    const SshLine& line = lines[index];
    const bool is_of_sshd = line.text.starts_with(before_identification);
    if (line.is_debug && !is_of_sshd) return std::nullopt;
    const std::optional<SentenceMeaning> meaning =
        line.is_debug ? meaning_before_identification(line.text) : meaning_of(line.text);
    if (!meaning) return std::nullopt;
    const WayIndex place = place_of_line(lines, index, meaning->has_closing_line, settings);
    return make_failure(meaning->kind, hop_at(settings, place),
                        with_cause_before(sentence(meaning->kind, line.text), lines, index));
}

// What a jump host says of the next sshd on the way: "connect failed: Connection refused". Where
// the hops are unknown (a ProxyCommand), the target's.
Failure unreached(const std::string& said, WayIndex hop_place, const std::string& who,
                  const EffectiveSettings& settings) {
    static constexpr std::string_view general = "connect failed: ";
    const std::string reason = said.starts_with(general) ? said.substr(general.size()) : said;
    const WayIndex next = settings.hops.empty() ? 0 : hop_place + 1;
    const Login& login = login_at(settings, next);
    Failure failure = make_failure(kind_of_connect_error(reason), hop_at(settings, next),
                                   fmt::format("{} port {} as seen from {}: {}", login.address,
                                               login.port, who, quote_line(reason)));
    if (settings.hops.empty()) return failure;
    failure.next_step =
        fmt::format("check it from there: ssh {} and then: ssh -p {} {}",
                    hop_at(settings, hop_place).ssh_arguments, login.port, login.address);
    return failure;
}

// "channel 0: open failed: …": a jump host has not got on to the next sshd.
std::optional<Failure> opening_failure(const Lines& lines, std::size_t index,
                                       const EffectiveSettings& settings) {
    static constexpr std::string_view mark = "open failed: ";
    const std::string& text = lines[index].text;
    if (lines[index].is_debug || !text.starts_with("channel ")) return std::nullopt;
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) return std::nullopt;

    const WayIndex last_hop = settings.hops.empty() ? 0 : settings.hops.size() - 1;
    const WayIndex place = std::min(place_by_count(lines, index, false, settings), last_hop);
    const HopRef hop = hop_at(settings, place);
    const std::string who = settings.hops.empty() ? "the jump host" : hop.name;
    const std::string reason = text.substr(at + mark.size());
    if (says(reason, "administratively prohibited")) {
        return make_failure(FailureKind::hop_forwarding_forbidden, hop,
                            fmt::format("{} forwards no connection there", who));
    }
    // What sshd says when it has no descriptor left; everything about the target has a reason.
    if (says(reason, "resource shortage") || says(reason, "open failed")) {
        return make_failure(FailureKind::hop_no_channel, hop,
                            fmt::format("{} opens no further connection", who));
    }
    return unreached(reason, place, who, settings);
}

const SshLine* first_with(const Lines& lines, std::string_view beginning) {
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const SshLine& line) {
        return line.text.starts_with(beginning);
    });
    return found == lines.end() ? nullptr : &*found;
}

bool is_end_of_connection(const std::string& text) {
    return is_closing_line(text) || text.starts_with("kex_exchange_identification: ") ||
           text.starts_with("ssh_exchange_identification: ") ||
           says(text, " closed by remote host") || says(text, "send disconnect: ") ||
           text.starts_with("Timeout, server ");
}

// What a program in between (ProxyCommand) said before its end.
std::string words_of_proxy(const Lines& lines, std::size_t end) {
    for (std::size_t index = end; index > 0; --index) {
        const SshLine& line = lines[index - 1];
        if (line.is_debug || line.at != SshProgress::reaching) continue;
        if (!line.text.empty()) return quote_line(line.text);
    }
    return {};
}

Failure closed_on_the_way(const Lines& lines, std::size_t index,
                          const EffectiveSettings& settings) {
    const bool has_own_closing = !is_closing_line(lines[index].text);
    const WayIndex place = place_of_line(lines, index, has_own_closing, settings);
    const HopRef hop = hop_at(settings, place);
    if (const SshLine* said = first_with(lines, before_identification)) {
        const std::size_t at = said->text.find(": ", said->text.find("banner line "));
        return make_failure(FailureKind::handshake_not_ssh, hop,
                            fmt::format("the port answers \"{}\", which is not SSH",
                                        quote_line(said->text.substr(at + 2))));
    }
    const bool is_proxied = first_with(lines, "Executing proxy command") != nullptr;
    const std::string said = settings.hops.empty() ? words_of_proxy(lines, index) : std::string();
    if (is_proxied && !said.empty()) {
        return make_failure(FailureKind::connect_failed, hop,
                            fmt::format("the ProxyCommand said \"{}\" and ended", said));
    }
    return make_failure(FailureKind::handshake_closed, hop,
                        "the connection was accepted and closed without a word");
}

std::optional<Failure> closed_connection(const Lines& lines, Ground ground,
                                         const EffectiveSettings& settings) {
    const auto end = std::find_if(lines.begin(), lines.end(), [](const SshLine& line) {
        return !line.is_debug && is_end_of_connection(line.text);
    });
    // "debug1: kex_exchange_identification: write: Connection reset by peer" is not enough by
    // itself; ssh says the rest without a mark.
    if (end == lines.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(end - lines.begin());
    const SshLine* farewell = first_with(lines, "Received disconnect from ");
    const std::string words = quote_line(farewell != nullptr ? farewell->text : end->text);
    const HopRef hop = target_hop(settings);
    if (ground == Ground::session) {
        return make_failure(FailureKind::channel_failed, hop, "logged in, but: " + words);
    }
    if (farewell != nullptr) {
        const WayIndex place = place_of_line(lines, index, false, settings);
        return make_failure(FailureKind::handshake_failed, hop_at(settings, place), words);
    }
    if (ground == Ground::way) return closed_on_the_way(lines, index, settings);
    return make_failure(FailureKind::handshake_closed, hop,
                        "the connection was closed during the key exchange");
}

std::optional<Failure> first_cause(const Lines& lines, const EffectiveSettings& settings) {
    for (std::size_t index = 0; index < lines.size(); ++index) {
        std::optional<Failure> failure = plain_failure(lines, index, settings);
        if (!failure) failure = opening_failure(lines, index, settings);
        if (!failure) failure = host_key_failure(lines, index, settings);
        if (!failure) failure = denied_login(lines, index, settings);
        if (failure) return failure;
    }
    return std::nullopt;
}

// Our own session was opened by nobody: "channel 0: open failed: connect failed: open failed".
std::optional<Failure> session_failure(const Lines& lines, const EffectiveSettings& settings) {
    const HopRef hop = target_hop(settings);
    for (const SshLine& line : lines) {
        if (line.is_debug || !says(line.text, "open failed: ")) continue;
        return make_failure(FailureKind::channel_refused, hop,
                            "logged in, but opening a session failed: " + quote_line(line.text));
    }
    return std::nullopt;
}

}  // namespace

std::optional<Failure> ssh_failure(const SshTranscript& transcript,
                                   const EffectiveSettings& settings) {
    const Ground ground = ground_of(transcript.progress);
    const Lines lines = lines_of(transcript, ground);
    if (ground == Ground::way) {
        std::optional<Failure> failure = first_cause(lines, settings);
        return failure ? failure : closed_connection(lines, ground, settings);
    }
    // From here on it is the target that is spoken of.
    EffectiveSettings straight = settings;
    straight.hops.clear();
    if (ground == Ground::login) return login_failure(lines, straight);
    std::optional<Failure> failure =
        ground == Ground::session ? session_failure(lines, straight) : first_cause(lines, straight);
    return failure ? failure : closed_connection(lines, ground, straight);
}

std::string last_words(const SshTranscript& transcript) {
    std::string last_of_any;
    for (auto line = transcript.lines.rbegin(); line != transcript.lines.rend(); ++line) {
        if (line->is_debug || line->text.empty()) continue;
        if (!is_end_of_connection(line->text)) return line->text;
        if (last_of_any.empty()) last_of_any = line->text;
    }
    return last_of_any;
}

}  // namespace gpumuster
