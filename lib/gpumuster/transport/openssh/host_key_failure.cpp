#include "gpumuster/transport/openssh/host_key_failure.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/transport/openssh/ssh_place.hpp"

namespace gpumuster {
namespace {

// What ssh says of a key before it refuses it.
struct KeyTalk {
    std::string key;      // "ssh-ed25519 SHA256:…", "SHA256:…"; empty where ssh does not say
    std::string record;   // "/home/a/.ssh/known_hosts:7", of the key that it should have been
    std::string revoked;  // the sentence that says so
    std::string certificate_trouble;  // what is wrong with its certificate
    bool is_changed = false;
    std::size_t named_at = 0;  // the line that names the host, else the refusal itself
};

std::string after(const std::string& text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    return at == std::string::npos ? std::string() : text.substr(at + mark.size());
}

void listen(KeyTalk& talk, const std::vector<SshLine>& lines, std::size_t index) {
    const std::string& text = lines[index].text;
    const auto says = [&text](std::string_view part) {
        return text.find(part) != std::string::npos;
    };
    if (lines[index].is_debug) {
        // Our own ssh's, of the target. "ssh-ed25519-cert-v01@openssh.com SHA256:…, serial 0 ID …"
        const std::string key =
            after(text, "Server host key: ") + after(text, "Server host certificate: ");
        if (text.starts_with("Server host ")) talk.key = key.substr(0, key.find(','));
        return;
    }
    if (says("REMOTE HOST IDENTIFICATION HAS CHANGED")) talk.is_changed = true;
    if (text.starts_with("SHA256:")) talk.key = text.substr(0, text.find_last_not_of('.') + 1);
    if (says(" is marked as revoked") || says(" revoked by file ")) talk.revoked = text;
    if (text.starts_with("Offending ")) talk.record = after(text, " key in ");
    if (text.starts_with("Certificate ")) talk.certificate_trouble = text;
    if (says(" key is known for ") || says("Host key for ") || says(" host key for ")) {
        talk.named_at = index;
    }
}

std::string file_of(const std::string& record) {
    return record.substr(0, record.rfind(':'));
}

// Only a file that the settings name gets into a command, never one that was read.
Failure changed(const KeyTalk& talk, const HopRef& hop, const Login& login,
                const std::string& who) {
    const std::string key = talk.key.empty() ? std::string() : " (" + quote_line(talk.key) + ")";
    Failure failure = make_failure(
        FailureKind::hostkey_changed, hop,
        fmt::format("the key of {}{} is not the one in {}", who, key,
                    talk.record.empty() ? "known_hosts" : quote_line(talk.record, 300)));
    const std::vector<std::string>& files = login.known_hosts_files;
    const auto file = std::find(files.begin(), files.end(), file_of(talk.record));
    const std::string where = file == files.end() ? std::string() : fmt::format(" -f {}", *file);
    failure.next_step = fmt::format("if the host was reinstalled: ssh-keygen -R '{}'{} && ssh {}",
                                    who, where, hop.ssh_arguments);
    return failure;
}

Failure unknown(const KeyTalk& talk, const HopRef& hop, const std::string& who) {
    const std::string key = talk.key.empty() ? std::string() : " (" + quote_line(talk.key) + ")";
    std::string message = fmt::format("the key of {}{} is not in known_hosts", who, key);
    if (!talk.certificate_trouble.empty()) message += ": " + quote_line(talk.certificate_trouble);
    return make_failure(FailureKind::hostkey_unknown, hop, message);
}

}  // namespace

std::optional<Failure> host_key_failure(const std::vector<SshLine>& lines, std::size_t index,
                                        const EffectiveSettings& settings) {
    if (lines[index].is_debug || !lines[index].text.starts_with("Host key verification failed")) {
        return std::nullopt;
    }
    KeyTalk talk;
    talk.named_at = index;
    for (std::size_t before = 0; before < index; ++before) listen(talk, lines, before);
    WayIndex place = place_by_count(lines, index, false, settings);
    if (talk.named_at != index) place = place_of_line(lines, talk.named_at, false, settings);
    const HopRef hop = hop_at(settings, place);
    const Login& login = login_at(settings, place);
    const std::string who = known_hosts_name(login);
    if (!talk.revoked.empty()) {
        return make_failure(FailureKind::hostkey_revoked, hop, quote_line(talk.revoked));
    }
    if (talk.is_changed) return changed(talk, hop, login, who);
    return unknown(talk, hop, who);
}

}  // namespace gpumuster
