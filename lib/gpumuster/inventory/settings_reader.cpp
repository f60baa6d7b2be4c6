#include "gpumuster/inventory/settings_reader.hpp"

#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpumuster/base/nearest.hpp"
#include "gpumuster/inventory/host_name.hpp"
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
        for (const YamlEntry& entry : map.entries) read_entry(entry);
        return std::move(settings_);
    }

private:
    using Read = void (SettingsReader::*)(const YamlEntry&);
    struct Key {
        std::string_view name;
        Read read;
    };
    static constexpr std::size_t key_count = 12;
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
        refuse_key(entry, names);
    }

    void refuse_key(const YamlEntry& entry, std::span<const std::string> names) {
        std::string hint = did_you_mean(entry.key->text, names);
        if (hint.empty()) hint = fmt::format("; accepted are {}", fmt::join(names, ", "));
        values_.problem(entry.key->place,
                        fmt::format("unknown key {}{}", quoted(entry.key->text), hint));
    }

    void read_address(const YamlEntry& entry) {
        const auto address = values_.text(*entry.value);
        if (!address) return;
        std::string example = *address;
        const std::size_t placeholder = example.find(name_placeholder);
        const bool is_template = placeholder != std::string::npos;
        if (is_template) example.replace(placeholder, name_placeholder.size(), "name");
        if (const auto fault = host_name_fault(example)) {
            values_.refuse_value(*entry.value, *fault + address_advice(*address));
            return;
        }
        const bool is_shared = owner_.kind != SettingsOwner::Kind::host;
        if (is_shared && !is_template) {
            values_.refuse_value(
                *entry.value,
                "would be one address for several hosts; write {name} where the name of "
                "each belongs, or give each host its own");
            return;
        }
        settings_.address = *address;
    }

    static std::string address_advice(std::string_view address) {
        if (is_name_with_number(address)) return "; the port has a key of its own: port";
        if (address.find('@') != std::string_view::npos) {
            return "; the user has a key of its own: user";
        }
        return "";
    }

    void read_port(const YamlEntry& entry) {
        if (const auto port = values_.number(*entry.value, 1, 65'535)) {
            settings_.port = static_cast<std::uint16_t>(*port);
        }
    }

    void read_user(const YamlEntry& entry) {
        const auto user = values_.text(*entry.value);
        if (!user) return;
        if (const auto fault = user_fault(*user)) {
            values_.refuse_value(*entry.value, *fault);
            return;
        }
        settings_.user = *user;
    }

    void read_identity(const YamlEntry& entry) {
        settings_.identities = values_.files(*entry.value);
    }
    void read_known_hosts(const YamlEntry& entry) {
        settings_.known_hosts = values_.files(*entry.value);
    }

    void refuse_jump(const YamlEntry& entry) {
        values_.problem(
            entry.key->place,
            "jump hosts are not supported yet, and leaving one out would inspect the wrong "
            "machine");
    }
    void refuse_container(const YamlEntry& entry) {
        values_.problem(
            entry.key->place,
            "containers are not supported yet, and leaving one out would inspect the wrong "
            "machine");
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
                refuse_key(expected, std::array<std::string, 2>{"gpus", "model"});
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
};

const std::array<SettingsReader::Key, SettingsReader::key_count> SettingsReader::keys{{
    {"address", &SettingsReader::read_address},
    {"port", &SettingsReader::read_port},
    {"user", &SettingsReader::read_user},
    {"identity", &SettingsReader::read_identity},
    {"known_hosts", &SettingsReader::read_known_hosts},
    {"jump", &SettingsReader::refuse_jump},
    {"container", &SettingsReader::refuse_container},
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
