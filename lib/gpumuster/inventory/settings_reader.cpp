#include "gpumuster/inventory/settings_reader.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/inventory/host_name.hpp"
#include "gpumuster/inventory/name_placeholder.hpp"
#include "gpumuster/inventory/route_reader.hpp"
#include "gpumuster/inventory/route_words.hpp"
#include "gpumuster/inventory/value_reader.hpp"
#include "gpumuster/inventory/words.hpp"

namespace gpumuster {
namespace {

using Kind = YamlNode::Kind;

class SettingsReader {
public:
    SettingsReader(const SettingsOwner& owner, Problems& problems)
        : owner_(owner), values_(owner_name(owner), problems) {}

    HostSettings read(const YamlNode& map) {
        const auto is_container = [](const YamlEntry& entry) {
            return entry.key->text == "container";
        };
        names_container_ = std::any_of(map.entries.begin(), map.entries.end(), is_container);
        for (const YamlEntry& entry : map.entries) read_entry(entry);
        return std::move(settings_);
    }

private:
    using Read = void (SettingsReader::*)(const YamlEntry&);
    struct Key {
        std::string_view name;
        Read read;
    };
    static constexpr std::size_t key_count = 14;
    static const std::array<Key, key_count> keys;

    void read_entry(const YamlEntry& entry) {
        const std::string& name = entry.key->text;
        const bool is_members = owner_.kind == SettingsOwner::Kind::group && name == "hosts";
        if (is_members) return;
        for (const Key& key : keys) {
            if (key.name != name) continue;
            values_.begin(name);
            (this->*key.read)(entry);
            return;
        }
        std::vector<std::string> names;
        for (const Key& key : keys) names.emplace_back(key.name);
        if (owner_.kind == SettingsOwner::Kind::group) names.emplace_back("hosts");
        values_.refuse_key(entry, names);
    }

    void read_address(const YamlEntry& entry) {
        const auto address = values_.text(*entry.value);
        if (!address) return;
        if (const auto fault = address_fault(with_name(*address, "name"))) {
            values_.refuse_value(*entry.value, *fault);
            return;
        }
        // Several containers of one machine are several hosts.
        const bool is_shared = owner_.kind != SettingsOwner::Kind::host && !names_container_;
        if (is_shared && !has_name_placeholder(*address)) {
            values_.refuse_value(
                *entry.value,
                "would be one address for several hosts; write {name} where the name of "
                "each belongs, or give each host its own");
            return;
        }
        settings_.address = *address;
    }

    void read_port(const YamlEntry& entry) {
        if (const auto port = values_.number(*entry.value, 1, 65'535)) {
            settings_.port = static_cast<std::uint16_t>(*port);
        }
    }

    void read_user(const YamlEntry& entry) { settings_.user = values_.user(*entry.value); }

    void read_identity(const YamlEntry& entry) {
        settings_.identities = values_.files(*entry.value);
    }
    void read_known_hosts(const YamlEntry& entry) {
        settings_.known_hosts = values_.files(*entry.value);
    }

    void read_host_keys(const YamlEntry& entry) {
        settings_.new_host_keys = read_choice(entry, host_keys_words);
    }

    void read_jump(const YamlEntry& entry) {
        settings_.jump = gpumuster::read_jump(*entry.value, values_);
    }
    void read_container(const YamlEntry& entry) {
        settings_.container = gpumuster::read_container(*entry.value, values_);
    }
    void read_transport(const YamlEntry& entry) {
        settings_.transport = read_choice(entry, transport_words);
    }

    template <class T, std::size_t Count>
    std::optional<T> read_choice(const YamlEntry& entry,
                                 const std::array<std::pair<const char*, T>, Count>& table) {
        std::vector<std::string> words;
        for (const auto& row : table) words.emplace_back(row.first);
        const auto position = values_.choice(*entry.value, words);
        if (!position) return {};
        return table[*position].second;
    }

    void read_connect_timeout(const YamlEntry& entry) {
        settings_.connect_timeout = values_.duration(*entry.value);
    }
    void read_command_timeout(const YamlEntry& entry) {
        settings_.command_timeout = values_.duration(*entry.value);
    }

    void read_idle_memory(const YamlEntry& entry) {
        settings_.idle_memory_mib = values_.memory_mib(*entry.value);
    }

    void read_expect(const YamlEntry& entry) {
        if (!values_.is_map(*entry.value)) return;
        for (const YamlEntry& expected : entry.value->entries) {
            if (expected.key->text == "gpus") {
                values_.begin("expect.gpus");
                constexpr int most_gpus = 64;
                settings_.expect.gpus = values_.number(*expected.value, 0, most_gpus);
            } else if (expected.key->text == "model") {
                values_.begin("expect.model");
                settings_.expect.model = values_.text(*expected.value);
            } else {
                values_.refuse_key(expected, std::array<std::string, 2>{"gpus", "model"});
            }
        }
    }

    void read_labels(const YamlEntry& entry) {
        if (!values_.is_map(*entry.value)) return;
        for (const YamlEntry& label : entry.value->entries) {
            values_.begin("label");
            const auto name = values_.text(*label.key);
            if (!name) continue;
            values_.begin(fmt::format("label {}", quoted(*name)));
            const bool is_empty_text =
                label.value->kind == Kind::scalar && label.value->text.empty();
            const auto value = is_empty_text ? std::string{} : values_.text(*label.value);
            if (value) settings_.labels[*name] = *value;
        }
    }

    const SettingsOwner& owner_;
    ValueReader values_;
    HostSettings settings_;
    bool names_container_ = false;
};

const std::array<SettingsReader::Key, SettingsReader::key_count> SettingsReader::keys{{
    {"address", &SettingsReader::read_address},
    {"port", &SettingsReader::read_port},
    {"user", &SettingsReader::read_user},
    {"identity", &SettingsReader::read_identity},
    {"known_hosts", &SettingsReader::read_known_hosts},
    {"host_keys", &SettingsReader::read_host_keys},
    {"jump", &SettingsReader::read_jump},
    {"container", &SettingsReader::read_container},
    {"transport", &SettingsReader::read_transport},
    {"connect_timeout", &SettingsReader::read_connect_timeout},
    {"command_timeout", &SettingsReader::read_command_timeout},
    {"idle_memory", &SettingsReader::read_idle_memory},
    {"expect", &SettingsReader::read_expect},
    {"labels", &SettingsReader::read_labels},
}};

}  // namespace

std::string owner_name(const SettingsOwner& owner) {
    switch (owner.kind) {
        case SettingsOwner::Kind::defaults:
            return "defaults";
        case SettingsOwner::Kind::group:
            return fmt::format("group {}", quoted(owner.name));
        case SettingsOwner::Kind::host:
            return fmt::format("host {}", quoted(owner.name));
        case SettingsOwner::Kind::range:
            return fmt::format("hosts {}", quoted(owner.name));
    }
    return {};
}

HostSettings read_settings(const YamlNode& node, const SettingsOwner& owner, Problems& problems) {
    if (node.kind == Kind::null || node.kind == Kind::refused) return {};
    if (node.kind != Kind::map) {
        problems.add(node.place, fmt::format("{}: takes a map of settings, not {}",
                                             owner_name(owner), kind_name(node)));
        return {};
    }
    return SettingsReader(owner, problems).read(node);
}

}  // namespace gpumuster
