#include "gpumuster/inventory/written_inventory.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/nearest.hpp"
#include "gpumuster/inventory/host_name.hpp"
#include "gpumuster/inventory/host_range.hpp"
#include "gpumuster/inventory/settings_reader.hpp"
#include "gpumuster/inventory/words.hpp"
#include "gpumuster/inventory/yaml_text.hpp"

namespace gpumuster {
namespace {

using Kind = YamlNode::Kind;

// The sections of a file; one that is missing is a null pointer.
struct Sections {
    const YamlNode* defaults = nullptr;
    const YamlNode* hosts = nullptr;
    const YamlNode* groups = nullptr;
};

class InventoryReader {
public:
    explicit InventoryReader(Problems& problems) : problems_(problems) {}

    WrittenInventory read(const YamlDocument& document) {
        const Sections sections = read_sections(*document.root);
        if (sections.defaults != nullptr) {
            inventory_.defaults = read_settings(*sections.defaults, {}, problems_);
        }
        if (sections.hosts != nullptr) read_hosts(*sections.hosts);
        if (sections.groups != nullptr) read_groups(*sections.groups);
        return std::move(inventory_);
    }

private:
    Sections read_sections(const YamlNode& root) {
        Sections sections;
        if (root.kind == Kind::null || root.kind == Kind::refused) return sections;
        if (root.kind != Kind::map) {
            problems_.add(root.place, fmt::format("an inventory is a map with the keys defaults, "
                                                  "hosts and groups, not {}",
                                                  kind_name(root)));
            return sections;
        }
        static const std::vector<std::string> keys{"defaults", "hosts", "groups"};
        for (const YamlEntry& entry : root.entries) {
            const std::string& key = entry.key->text;
            if (key == "defaults") {
                sections.defaults = entry.value;
            } else if (key == "hosts") {
                sections.hosts = entry.value;
                inventory_.hosts_place = entry.key->place;
            } else if (key == "groups") {
                sections.groups = entry.value;
            } else {
                std::string hint = did_you_mean(key, keys);
                if (hint.empty()) hint = "; accepted are defaults, hosts, groups";
                problems_.add(entry.key->place, fmt::format("unknown key {}{}", quoted(key), hint));
            }
        }
        return sections;
    }

    void read_hosts(const YamlNode& hosts) {
        if (hosts.kind == Kind::null || hosts.kind == Kind::refused) return;
        if (hosts.kind != Kind::map) {
            inventory_.known_names = KnownNames::some;
            problems_.add(hosts.place,
                          fmt::format("hosts takes a map from names to settings, not {}; a host "
                                      "without settings is written \"name:\"",
                                      kind_name(hosts)));
            return;
        }
        for (const YamlEntry& entry : hosts.entries) read_host_entry(entry);
    }

    void read_host_entry(const YamlEntry& entry) {
        const std::string& written = entry.key->text;
        const auto names = host_names(*entry.key);
        if (names.empty()) inventory_.known_names = KnownNames::some;
        const SettingsOwner owner{
            names.size() > 1 ? SettingsOwner::Kind::range : SettingsOwner::Kind::host, written};
        // Read even when the name is bad, so that what is wrong below it is told as well.
        inventory_.entries.push_back(read_settings(*entry.value, owner, problems_));
        for (const std::string& name : names) {
            WrittenHost* host = find_or_add(name, entry.key->place);
            if (host == nullptr) return;
            if (has_range(written)) {
                host->ranges.push_back(&inventory_.entries.back());
            } else {
                host->own = &inventory_.entries.back();
            }
        }
    }

    // The names that the key of an entry stands for; none when it is refused.
    std::vector<std::string> host_names(const YamlNode& key) {
        if (const auto fault = yaml_text_fault(key)) {
            problems_.add(key.place, fmt::format("host name {} {}", quoted(key.text), *fault));
            return {};
        }
        if (key.text == "all") {
            problems_.add(key.place, "a host cannot be named \"all\", which means all hosts");
            return {};
        }
        auto names = expand_host_range(key.text);
        if (!names) {
            problems_.add(key.place, names.error());
            return {};
        }
        for (const std::string& name : *names) {
            const auto fault = host_name_fault(name);
            if (!fault) continue;
            problems_.add(key.place, name_message(name, *fault));
            return {};
        }
        return std::move(*names);
    }

    static std::string name_message(const std::string& name, const std::string& fault) {
        if (is_name_with_number(name)) {
            const std::size_t colon = name.find(':');
            return fmt::format(
                "host name {} is ambiguous, as some files mean a port by it and others a number of "
                "slots; for a port write \"port: {}\" below the host {}",
                quoted(name), name.substr(colon + 1), quoted(name.substr(0, colon)));
        }
        const std::string advice =
            name.find('@') == std::string::npos ? "" : "; the user has a key of its own: user";
        return fmt::format("host name {} {}{}", quoted(name), fault, advice);
    }

    // Null when the inventory is full.
    WrittenHost* find_or_add(const std::string& name, Place place) {
        std::vector<WrittenHost>& hosts = inventory_.hosts;
        const auto [found, is_new] = inventory_.host_index.try_emplace(name, hosts.size());
        if (!is_new) return &hosts[found->second];
        if (hosts.size() == max_expanded_hosts) {
            inventory_.host_index.erase(found);
            inventory_.known_names = KnownNames::some;
            problems_.add(place, fmt::format("more than {} hosts are too many for one inventory",
                                             max_expanded_hosts));
            return nullptr;
        }
        return &hosts.emplace_back(WrittenHost{.name = name});
    }

    void read_groups(const YamlNode& groups) {
        if (groups.kind == Kind::null || groups.kind == Kind::refused) return;
        if (groups.kind != Kind::map) {
            problems_.add(groups.place, fmt::format("groups takes a map from names to members, "
                                                    "not {}",
                                                    kind_name(groups)));
            return;
        }
        for (const YamlEntry& entry : groups.entries) read_group(entry);
    }

    void read_group(const YamlEntry& entry) {
        const YamlNode& key = *entry.key;
        if (const auto fault = group_name_fault(key)) {
            inventory_.known_names = KnownNames::some;
            problems_.add(key.place, fmt::format("group name {} {}", quoted(key.text), *fault));
            return;
        }
        WrittenGroup group{.name = key.text};
        HostSettings settings;
        if (entry.value->kind == Kind::map) {
            const SettingsOwner owner{SettingsOwner::Kind::group, key.text};
            settings = read_settings(*entry.value, owner, problems_);
            for (const YamlEntry& setting : entry.value->entries) {
                if (setting.key->text == "hosts") read_members(*setting.value, group);
            }
        } else {
            read_members(*entry.value, group);
        }
        if (group.members.empty() && !group.has_refused_members) {
            problems_.add(key.place, fmt::format("group {} has no hosts", quoted(key.text)));
        }
        inventory_.groups.push_back(std::move(group));
        inventory_.group_settings.push_back(std::move(settings));
    }

    std::optional<std::string> group_name_fault(const YamlNode& key) {
        if (const auto fault = yaml_text_fault(key)) return fault;
        if (key.text == "all") return "is taken: it means all hosts";
        if (inventory_.host_index.count(key.text) != 0)
            return "is the name of a host too; choose another";
        if (has_range(key.text)) return "has a range; a group has one name";
        return host_name_fault(key.text);
    }

    // A list of words, or one word.
    void read_members(const YamlNode& node, WrittenGroup& group) {
        if (node.kind != Kind::sequence) {
            add_member(node, group);
            return;
        }
        for (const YamlNode* item : node.items) add_member(*item, group);
    }

    void add_member(const YamlNode& node, WrittenGroup& group) {
        if (node.kind == Kind::refused) {
            group.has_refused_members = true;
            return;
        }
        if (node.kind == Kind::null) return;
        const auto refuse = [&](const std::string& what) {
            problems_.add(node.place, fmt::format("group {}: {}", quoted(group.name), what));
            group.has_refused_members = true;
        };
        if (node.kind != Kind::scalar) {
            refuse(
                fmt::format("a member is the name of a host, a range or a group, not {}; a range "
                            "inside of [ ] needs quotes: \"node[1-4]\"",
                            kind_name(node)));
            return;
        }
        if (const auto fault = yaml_text_fault(node)) {
            refuse(fmt::format("{} {}", quoted(node.text), *fault));
            return;
        }
        for (std::string& word : split_host_list(node.text)) {
            group.members.push_back({std::move(word), node.place});
        }
    }

    Problems& problems_;
    WrittenInventory inventory_;
};

}  // namespace

WrittenInventory read_written_inventory(const YamlDocument& document, Problems& problems) {
    if (!document.is_whole || document.root == nullptr) return {};
    return InventoryReader(problems).read(document);
}

}  // namespace gpumuster
