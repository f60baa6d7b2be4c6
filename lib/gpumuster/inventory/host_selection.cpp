#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/input_error.hpp"
#include "gpumuster/inventory/host_range.hpp"
#include "gpumuster/inventory/inventory.hpp"
#include "gpumuster/inventory/name_hints.hpp"
#include "gpumuster/inventory/words.hpp"

namespace gpumuster {
namespace {

using Chosen = std::vector<bool>;  // beside the hosts of the inventory

class Selector {
public:
    explicit Selector(const Inventory& inventory) : inventory_(inventory) {
        index_.reserve(inventory.hosts.size());
        for (std::size_t i = 0; i < inventory.hosts.size(); ++i) {
            index_.emplace(inventory.hosts[i].name, i);
        }
    }

    // The hosts that `lists` mean; a word that means none is added to lines().
    Chosen choose(std::span<const std::string> lists) {
        Chosen chosen(inventory_.hosts.size(), false);
        for (const std::string& list : lists) {
            for (const std::string& word : split_host_list(list)) choose_word(word, chosen);
        }
        return chosen;
    }

    std::vector<std::string>& lines() { return lines_; }

private:
    void choose_word(const std::string& word, Chosen& chosen) {
        if (word == "all") {
            chosen.assign(chosen.size(), true);
            return;
        }
        const auto group = inventory_.groups.find(word);
        if (group != inventory_.groups.end()) {
            for (const std::string& host : group->second) chosen[index_.at(host)] = true;
            return;
        }
        choose_hosts(word, chosen);
    }

    void choose_hosts(const std::string& word, Chosen& chosen) {
        if (word.empty()) {
            lines_.push_back("a name of a host or group is empty");
            return;
        }
        const auto names = expand_host_range(word);
        if (!names) {
            lines_.push_back(names.error());
            return;
        }
        for (const std::string& name : *names) {
            const auto host = index_.find(name);
            if (host == index_.end()) {
                refuse_unknown(word, name);
                return;
            }
            chosen[host->second] = true;
        }
    }

    void refuse_unknown(const std::string& word, const std::string& name) {
        if (!hints_) hints_.emplace(known_names());
        const std::string what = word == name
                                     ? fmt::format("no host or group {}", quoted(name))
                                     : fmt::format("{}: no host {}", quoted(word), quoted(name));
        lines_.push_back(fmt::format("{} in the inventory{}", what, hints_->for_word(name)));
    }

    std::vector<std::string> known_names() const {
        std::vector<std::string> names;
        for (const Host& host : inventory_.hosts) names.push_back(host.name);
        for (const auto& [group, members] : inventory_.groups) names.push_back(group);
        names.emplace_back("all");
        return names;
    }

    const Inventory& inventory_;
    std::unordered_map<std::string_view, std::size_t> index_;
    std::vector<std::string> lines_;
    std::optional<NameHints> hints_;
};

}  // namespace

std::vector<Host> select_hosts(const Inventory& inventory, std::span<const std::string> targets,
                               std::span<const std::string> excluded) {
    Selector selector(inventory);
    const std::vector<std::string> everything{"all"};
    const auto left_out = without_blank_lists(excluded);

    const Chosen wanted = selector.choose(targets.empty() ? everything : targets);
    const Chosen unwanted = selector.choose(left_out);
    if (!selector.lines().empty()) throw InputError(std::move(selector.lines()));

    std::vector<Host> hosts;
    for (std::size_t i = 0; i < inventory.hosts.size(); ++i) {
        if (wanted[i] && !unwanted[i]) hosts.push_back(inventory.hosts[i]);
    }
    if (hosts.empty()) throw InputError("no host is left to inspect: all of them are excluded");
    return hosts;
}

}  // namespace gpumuster
