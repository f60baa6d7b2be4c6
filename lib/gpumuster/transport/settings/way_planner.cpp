#include "gpumuster/transport/settings/way_planner.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/transport/settings/jump_list.hpp"
#include "gpumuster/transport/settings/transport_choice.hpp"

namespace gpumuster {
namespace {

struct PlannedHop {
    Hop hop;  // the inventory's, or what ProxyJump says
    ConfigQuestion question;
};

// In a list, the list up to a hop is the way to it; to the first one, ssh_config decides.
std::vector<PlannedHop> planned(const std::vector<Hop>& hops) {
    std::vector<PlannedHop> planned;
    std::vector<JumpWord> before;
    for (const Hop& hop : hops) {
        const ConfigQuestion question{hop.address, hop.user, hop.port, jump_text(before)};
        planned.push_back({hop, question});
        before.push_back({hop.address, hop.user, hop.port});
    }
    return planned;
}

Hop hop_of(const JumpWord& word) {
    Hop hop;
    hop.address = word.name;
    hop.user = word.user;
    hop.port = word.port;
    return hop;
}

// One host's way while it is found out.
class WayFinder {
public:
    WayFinder(const Host& host, const ConfigSource& source, const ConfigAnswers& answers,
              LoginLayers& layers)
        : host_(host), source_(source), answers_(answers), layers_(layers) {}

    Plan find() {
        const SshConfigAnswer* target = ask(target_, -1);
        if (host_.settings.jump) {
            way_ = planned(*host_.settings.jump);
        } else if (target != nullptr) {
            way_ = jump_hosts_of(target_, *target);
        }
        follow_first_hops();
        // Asked together, although the first hop may still lead elsewhere.
        for (std::size_t i = 0; i < way_.size(); ++i) ask(way_[i].question, static_cast<int>(i));
        if (!failure_ && missing_.empty()) settle();

        Plan plan;
        if (failure_) {
            plan.settings = failed(std::move(*failure_));
        } else {
            plan.missing = std::move(missing_);
        }
        if (settings_) plan.settings = std::move(settings_);
        return plan;
    }

private:
    // Prepends what leads to the first hop, as long as there is something.
    void follow_first_hops() {
        std::vector<ConfigQuestion> passed{target_};
        std::vector<std::string> chain{target_.name};
        while (!failure_ && !way_.empty()) {
            const ConfigQuestion first = way_.front().question;
            chain.push_back(first.name);
            if (std::find(passed.begin(), passed.end(), first) != passed.end()) {
                fail_to_follow("ProxyJump leads in a circle: ", chain);
                return;
            }
            if (way_.size() > most_jump_hosts) {
                fail_to_follow("ProxyJump leads over more than 8 jump hosts: ", chain);
                return;
            }
            const SshConfigAnswer* answer = ask(first, 0);
            if (answer == nullptr) return;
            std::vector<PlannedHop> before = jump_hosts_of(first, *answer);
            if (before.empty()) return;
            before.insert(before.end(), way_.begin(), way_.end());
            way_ = std::move(before);
            passed.push_back(first);
        }
    }

    // The hops that ssh_config has for a name.
    std::vector<PlannedHop> jump_hosts_of(const ConfigQuestion& question,
                                          const SshConfigAnswer& answer) {
        if (!question.jump.empty()) return {};
        const JumpTokens tokens{answer.address(), question.name, answer.port(), answer.user()};
        const auto words = parse_jump_list(answer.set_value("proxyjump"), tokens);
        if (!words) {
            fail(FailureKind::config_failed, target_ref(), "ProxyJump: " + words.error());
            return {};
        }
        std::vector<Hop> hops;
        for (const JumpWord& word : *words) hops.push_back(hop_of(word));
        return planned(hops);
    }

    // What ssh says, or nothing while it is not known; a trouble ends the search. `index` is the
    // place on the way so far, -1 for the target.
    const SshConfigAnswer* ask(const ConfigQuestion& question, int index) {
        const auto found = answers_.find(question);
        if (found == answers_.end()) {
            missing_.push_back(question);
            return nullptr;
        }
        if (found->second) return &*found->second;
        const ConfigTrouble& trouble = found->second.error();
        const bool is_of_target = index < 0 || trouble.kind == FailureKind::run_interrupted;
        fail(trouble.kind, is_of_target ? target_ref() : ref_of(question, index), trouble.message);
        return nullptr;
    }

    void settle() {
        EffectiveSettings settings;
        std::string need;
        std::string before;
        for (std::size_t i = 0; i < way_.size() && !failure_; ++i) {
            const auto& [hop, question] = way_[i];
            LayeredLogin one = lay(settings_of_hop(hop, host_.settings), question, before,
                                   ref_of(question, static_cast<int>(i)));
            one.login.name = hop.address;
            if (need.empty() && !one.need.empty()) {
                need = fmt::format("{} for the jump host {}", one.need, quote_line(hop.address));
            }
            before = hop.address;
            settings.hops.push_back(std::move(one.login));
        }
        LayeredLogin target = lay(host_.settings, target_, before, target_ref());
        if (failure_) return;
        target.login.name = host_.name;
        settings.target = std::move(target.login);
        settings_ = with_transport(std::move(settings), host_, source_,
                                   target.need.empty() ? need : target.need);
    }

    LayeredLogin lay(const HostSettings& said, const ConfigQuestion& question,
                     const std::string& jump_host, HopRef ref) {
        const SshConfigAnswer& answer = *answers_.at(question);
        auto login = layers_.lay(said, question, answer, jump_host);
        if (!login) {
            fail(FailureKind::config_failed, std::move(ref), "ssh_config: " + login.error());
            return {};
        }
        // What a user types: ssh_config fills in the rest.
        login->login.ssh_arguments = typed_arguments(source_, question);
        return std::move(*login);
    }

    HopRef target_ref() const {
        HopRef ref = ref_of(target_, -1);
        ref.name = host_.name;
        return ref;
    }
    HopRef ref_of(const ConfigQuestion& question, int index) const {
        HopRef ref;
        ref.index = index + 1;
        ref.name = question.name;
        ref.address = question.name;
        ref.ssh_arguments = typed_arguments(source_, question);
        return ref;
    }

    void fail_to_follow(const std::string& what, const std::vector<std::string>& chain) {
        const std::string names = fmt::format("{}", fmt::join(chain, " > "));
        fail(FailureKind::config_failed, target_ref(), what + quote_line(names, 240));
    }
    void fail(FailureKind kind, HopRef ref, std::string message) {
        if (!failure_) failure_ = make_failure(kind, std::move(ref), std::move(message));
    }

    const Host& host_;
    const ConfigSource& source_;
    const ConfigAnswers& answers_;
    LoginLayers& layers_;
    const ConfigQuestion target_ = question_for(host_);
    std::vector<PlannedHop> way_;
    std::vector<ConfigQuestion> missing_;
    std::optional<Failure> failure_;
    std::optional<Result<EffectiveSettings>> settings_;
};

}  // namespace

Plan WayPlanner::plan(const Host& host) {
    return WayFinder(host, source_, answers_, layers_).find();
}

}  // namespace gpumuster
