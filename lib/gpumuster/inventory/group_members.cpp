#include "gpumuster/inventory/group_members.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "gpumuster/inventory/host_range.hpp"
#include "gpumuster/inventory/name_hints.hpp"
#include "gpumuster/inventory/words.hpp"

namespace gpumuster {
namespace {

class GroupResolver {
public:
    GroupResolver(const std::vector<WrittenGroup>& groups, const HostIndex& hosts, KnownNames known,
                  Problems& problems)
        : groups_(groups),
          hosts_(hosts),
          known_(known),
          problems_(problems),
          resolved_(groups.size()) {
        for (std::size_t i = 0; i < groups.size(); ++i) index_.emplace(groups[i].name, i);
    }

    std::vector<std::vector<std::size_t>> resolve_all() {
        for (std::size_t i = 0; i < groups_.size(); ++i) resolve(i, 0);
        std::vector<std::vector<std::size_t>> members;
        for (Resolved& group : resolved_) members.push_back(std::move(group.hosts));
        return members;
    }

private:
    struct Resolved {
        enum class State { not_yet, in_progress, done };
        State state = State::not_yet;
        std::vector<std::size_t> hosts;
    };

    void resolve(std::size_t group, std::size_t nesting) {
        Resolved& resolved = resolved_[group];
        if (resolved.state != Resolved::State::not_yet) return;
        resolved.state = Resolved::State::in_progress;
        for (const WrittenGroup::Member& member : groups_[group].members) {
            add_member(group, member, nesting);
        }
        std::sort(resolved.hosts.begin(), resolved.hosts.end());
        const auto repeated = std::unique(resolved.hosts.begin(), resolved.hosts.end());
        resolved.hosts.erase(repeated, resolved.hosts.end());
        resolved.state = Resolved::State::done;
    }

    void add_member(std::size_t group, const WrittenGroup::Member& member, std::size_t nesting) {
        const auto inner = index_.find(member.word);
        if (inner == index_.end()) {
            add_hosts(group, member);
            return;
        }
        if (nesting == max_group_nesting) {
            problem(group, member,
                    fmt::format("groups are nested more than {} deep", max_group_nesting));
            return;
        }
        resolve(inner->second, nesting + 1);
        const Resolved& other = resolved_[inner->second];
        if (other.state == Resolved::State::in_progress) {
            problem(group, member, fmt::format("\"{}\" contains this group itself", member.word));
            return;
        }
        for (const std::size_t host : other.hosts) add_host(group, member, host);
    }

    void add_hosts(std::size_t group, const WrittenGroup::Member& member) {
        const auto names = expand_host_range(member.word);
        if (!names) {
            problem(group, member, names.error());
            return;
        }
        for (const std::string& name : *names) {
            const auto host = hosts_.find(name);
            if (host == hosts_.end()) {
                refuse_unknown(group, member, name);
                return;
            }
            add_host(group, member, host->second);
        }
    }

    void add_host(std::size_t group, const WrittenGroup::Member& member, std::size_t host) {
        if (memberships_ == max_memberships) {
            problem(group, member,
                    fmt::format("the groups have more than {} members in all", max_memberships));
            return;
        }
        ++memberships_;
        resolved_[group].hosts.push_back(host);
    }

    void refuse_unknown(std::size_t group, const WrittenGroup::Member& member,
                        const std::string& name) {
        if (known_ == KnownNames::some) return;
        if (!hints_) hints_.emplace(known_names());
        const std::string in_range =
            member.word == name ? "" : fmt::format(" of {}", quoted(member.word));
        problem(group, member,
                fmt::format("{}{} is neither a host nor a group of this file{}", quoted(name),
                            in_range, hints_->for_word(name)));
    }

    std::vector<std::string> known_names() const {
        std::vector<std::string> names;
        names.reserve(hosts_.size() + groups_.size());
        for (const auto& [name, position] : hosts_) names.push_back(name);
        // A hash map has no order of its own, and of two near names the same one must always win.
        std::sort(names.begin(), names.end());
        for (const WrittenGroup& group : groups_) names.push_back(group.name);
        return names;
    }

    void problem(std::size_t group, const WrittenGroup::Member& member, const std::string& what) {
        problems_.add(member.place, fmt::format("group \"{}\": {}", groups_[group].name, what));
    }

    const std::vector<WrittenGroup>& groups_;
    const HostIndex& hosts_;
    KnownNames known_;
    Problems& problems_;
    std::vector<Resolved> resolved_;
    std::unordered_map<std::string, std::size_t> index_;
    std::optional<NameHints> hints_;
    std::size_t memberships_ = 0;
};

}  // namespace

std::vector<std::vector<std::size_t>> resolve_groups(const std::vector<WrittenGroup>& groups,
                                                     const HostIndex& hosts, KnownNames known,
                                                     Problems& problems) {
    return GroupResolver(groups, hosts, known, problems).resolve_all();
}

}  // namespace gpumuster
