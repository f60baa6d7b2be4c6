#include "gpumuster/inventory/route_reader.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/inventory/container_words.hpp"
#include "gpumuster/inventory/hop_list.hpp"
#include "gpumuster/inventory/host_name.hpp"
#include "gpumuster/inventory/name_placeholder.hpp"
#include "gpumuster/inventory/words.hpp"

namespace gpumuster {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view container_syntax =
    "one of pct: NUMBER, docker: NAME, exec: [TOOL, ARGUMENT, …]";

class HopReader {
public:
    explicit HopReader(ValueReader& values) : values_(values) {}

    std::optional<Hop> read(const YamlNode& map) {
        for (const YamlEntry& entry : map.entries) read_entry(entry);
        if (!has_address_) values_.problem(map.place, "jump: a hop needs an address");
        if (hop_.address.empty()) return {};
        return std::move(hop_);
    }

private:
    void read_entry(const YamlEntry& entry) {
        const std::string& key = entry.key->text;
        values_.begin("jump." + key);
        if (key == "address") {
            read_address(*entry.value);
        } else if (key == "port") {
            if (const auto port = values_.number(*entry.value, 1, 65'535)) {
                hop_.port = static_cast<std::uint16_t>(*port);
            }
        } else if (key == "user") {
            hop_.user = values_.user(*entry.value);
        } else if (key == "identity") {
            hop_.identities = values_.files(*entry.value);
        } else if (key == "known_hosts") {
            hop_.known_hosts = values_.files(*entry.value);
        } else {
            values_.refuse_key(entry, std::array<std::string, 5>{"address", "port", "user",
                                                                 "identity", "known_hosts"});
        }
    }

    void read_address(const YamlNode& node) {
        has_address_ = true;
        const auto address = values_.text(node);
        if (!address) return;
        if (const auto fault = address_fault(*address)) {
            values_.refuse_value(node, *fault);
            return;
        }
        hop_.address = *address;
    }

    ValueReader& values_;
    Hop hop_;
    bool has_address_ = false;
};

// The hops of one text or map; false when they cannot be taken.
bool append_hops(const YamlNode& node, ValueReader& values, std::vector<Hop>& hops) {
    values.begin("jump");
    if (node.kind == Kind::map) {
        auto hop = HopReader(values).read(node);
        if (hop) hops.push_back(std::move(*hop));
        return hop.has_value();
    }
    const auto text = values.text(node);
    if (!text) return false;
    auto more = parse_hop_list(*text);
    if (!more) {
        values.problem(node.place,
                       fmt::format("jump: {}; accepted is {}", more.error(), hop_list_syntax));
        return false;
    }
    std::move(more->begin(), more->end(), std::back_inserter(hops));
    return true;
}

bool append_list(const YamlNode& list, ValueReader& values, std::vector<Hop>& hops) {
    bool all_are_taken = true;
    for (const YamlNode* item : list.items) {
        if (item->kind == Kind::scalar && means_no_hop(item->text)) {
            values.problem(item->place,
                           "jump: \"none\" means no hop at all, and stands alone: jump: none");
            all_are_taken = false;
        } else if (!append_hops(*item, values, hops)) {
            all_are_taken = false;
        }
    }
    return all_are_taken;
}

std::optional<std::string> docker_name(const YamlNode& node, ValueReader& values) {
    const auto name = values.text(node);
    if (!name) return {};
    if (const auto fault = docker_name_fault(with_name(*name, "name"))) {
        values.refuse_value(node, *fault);
        return {};
    }
    return name;
}

std::optional<std::string> entry_word(const YamlNode& node, ValueReader& values) {
    const auto word = values.text(node);
    if (!word) return {};
    if (const auto fault = entry_word_fault(*word)) {
        values.refuse_value(node, *fault);
        return {};
    }
    return word;
}

std::optional<std::vector<std::string>> entry_words(const YamlNode& node, ValueReader& values) {
    if (node.kind != Kind::sequence || node.items.empty()) {
        if (node.kind == Kind::refused) return {};
        const bool is_empty = node.kind == Kind::sequence;
        values.problem(node.place, fmt::format("container.exec takes a list such as "
                                               "[podman, exec, NAME], not {}",
                                               is_empty ? "an empty one" : kind_name(node)));
        return {};
    }
    std::vector<std::string> words;
    for (const YamlNode* item : node.items) {
        auto word = entry_word(*item, values);
        if (word) words.push_back(std::move(*word));
    }
    if (words.size() != node.items.size()) return {};
    return words;
}

std::optional<ContainerEntry> read_entry(const YamlEntry& entry, ValueReader& values) {
    const std::string& key = entry.key->text;
    values.begin("container." + key);
    ContainerEntry container;
    if (key == "pct") {
        const auto number = values.number(*entry.value, lowest_pct, highest_pct);
        if (!number) return {};
        container.kind = ContainerEntry::Kind::pct;
        container.name = std::to_string(*number);
    } else if (key == "docker") {
        const auto name = docker_name(*entry.value, values);
        if (!name) return {};
        container.kind = ContainerEntry::Kind::docker;
        container.name = *name;
    } else if (key == "exec") {
        const auto words = entry_words(*entry.value, values);
        if (!words) return {};
        container.kind = ContainerEntry::Kind::exec;
        container.argv = *words;
    } else {
        values.problem(entry.key->place, fmt::format("container: unknown key {}; accepted is {}",
                                                     quoted(key), container_syntax));
        return {};
    }
    return container;
}

}  // namespace

std::optional<std::vector<Hop>> read_jump(const YamlNode& node, ValueReader& values) {
    std::vector<Hop> hops;
    const bool is_list = node.kind == Kind::sequence;
    const bool is_taken =
        is_list ? append_list(node, values, hops) : append_hops(node, values, hops);
    if (!is_taken) return {};
    if (hops.size() > max_hops) {
        values.problem(node.place, fmt::format("jump: more than {} hops", max_hops));
        return {};
    }
    return hops;
}

std::optional<ContainerEntry> read_container(const YamlNode& node, ValueReader& values) {
    if (node.kind == Kind::refused) return {};
    if (node.kind != Kind::map) {
        values.problem(node.place, fmt::format("container takes a map with {}, not {}",
                                               container_syntax, kind_name(node)));
        return {};
    }
    if (node.entries.size() != 1) {
        values.problem(node.place, fmt::format("container has {} keys; accepted is {}",
                                               node.entries.size(), container_syntax));
        return {};
    }
    return read_entry(node.entries.front(), values);
}

}  // namespace gpumuster
