#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "gpumuster-sim/scenario.hpp"
#include "gpumuster/base/input_error.hpp"
#include "gpumuster/base/nearest.hpp"
#include "gpumuster/base/units.hpp"
#include "gpumuster/inventory/host_range.hpp"

namespace gpumuster::sim {
namespace {

std::vector<std::string> state_names() {
    std::vector<std::string> names;
    for (const HostStateInfo& info : host_states()) names.emplace_back(info.name);
    return names;
}

// Reads one file; collects its errors, so that they are all told at once.
class Reader {
public:
    Reader(const std::string& file_name, std::chrono::milliseconds latency)
        : file_name_{file_name}, latency_{latency} {}

    Scenario read(std::string_view text) {
        const YAML::Node document = parse(text);
        if (require_map(document, "a scenario")) read_document(document);
        if (errors_.empty() && scenario_.hosts.empty()) refuse(document, "no hosts");
        if (!errors_.empty()) throw InputError(sorted_errors());
        return std::move(scenario_);
    }

private:
    using Keys = std::map<std::string, YAML::Node>;

    YAML::Node parse(std::string_view text) {
        try {
            return YAML::Load(std::string(text));
        } catch (const YAML::ParserException& error) {
            throw InputError(fmt::format("{}:{}: {}", file_name_, error.mark.line + 1, error.msg));
        }
    }

    // An empty document has no line of its own.
    void refuse(const YAML::Node& where, const std::string& message) {
        errors_.emplace(std::max(where.Mark().line, 0) + 1, message);
    }

    std::vector<std::string> sorted_errors() const {
        std::vector<std::string> lines;
        for (const auto& [line, message] : errors_) {
            lines.push_back(fmt::format("{}:{}: {}", file_name_, line, message));
        }
        return lines;
    }

    bool require_map(const YAML::Node& node, std::string_view what) {
        if (node.IsMap()) return true;
        refuse(node, fmt::format("{} is a map of keys and values", what));
        return false;
    }

    // The entries of a map. yaml-cpp keeps the first of two equal keys and says nothing.
    Keys keys_of(const YAML::Node& map, const std::vector<std::string>& known) {
        Keys keys;
        for (const auto& entry : map) {
            const std::string key = entry.first.Scalar();
            if (std::find(known.begin(), known.end(), key) == known.end()) {
                refuse(entry.first,
                       fmt::format("unknown key \"{}\"{}", key, did_you_mean(key, known)));
            } else if (!keys.emplace(key, entry.second).second) {
                refuse(entry.first, fmt::format("\"{}\" is written twice", key));
            }
        }
        return keys;
    }

    void read_document(const YAML::Node& document) {
        const Keys keys = keys_of(document, {"latency", "hosts"});
        if (const auto found = keys.find("latency"); found != keys.end()) {
            read_latency(found->second, latency_);
        }
        if (const auto found = keys.find("hosts"); found != keys.end()) {
            if (!require_map(found->second, "\"hosts\"")) return;
            for (const auto& entry : found->second) read_entry(entry.first, entry.second);
        }
    }

    void read_entry(const YAML::Node& expression, const YAML::Node& settings) {
        const std::string text = expression.Scalar();
        if (text.empty()) return refuse(expression, "a host has a name");
        const auto names = expand_host_range(text);
        if (!names) return refuse(expression, names.error());
        SimulatedHost host;
        host.latency = latency_;
        if (require_map(settings, fmt::format("host \"{}\"", text))) read_host(settings, host);
        for (const std::string& name : *names) {
            host.name = name;
            add(expression, host, has_range(text));
        }
    }

    // A host that is named alone wins over the range that holds it, whichever stands first.
    void add(const YAML::Node& where, const SimulatedHost& host, bool from_range) {
        const auto [found, is_new] = places_.emplace(host.name, scenario_.hosts.size());
        if (is_new) {
            scenario_.hosts.push_back(host);
            if (!from_range) alone_.insert(host.name);
            return;
        }
        const bool was_alone = alone_.count(host.name) > 0;
        if (was_alone != from_range) {
            return refuse(where, fmt::format("host \"{}\" is written twice", host.name));
        }
        if (from_range) return;
        scenario_.hosts[found->second] = host;
        alone_.insert(host.name);
    }

    void read_host(const YAML::Node& settings, SimulatedHost& host) {
        const Keys keys = keys_of(settings, {"state", "latency", "gpus", "expect_gpus",
                                             "missing_index", "user", "command"});
        for (const auto& [key, value] : keys) read_setting(key, value, host);
        check(settings, keys, host);
    }

    void read_setting(const std::string& key, const YAML::Node& value, SimulatedHost& host) {
        if (!value.IsScalar()) return refuse(value, fmt::format("\"{}\" is a single value", key));
        if (key == "state") return read_state(value, host.state);
        if (key == "latency") return read_latency(value, host.latency);
        if (key == "gpus") return read_number(key, value, max_gpus, host.gpus);
        if (key == "expect_gpus") return read_number(key, value, max_gpus, host.expected_gpus);
        if (key == "user") return void(host.user = value.Scalar());
        if (key == "command") return void(host.command = value.Scalar());
        read_number(key, value, max_gpus - 1, host.missing_index.emplace());
    }

    void read_state(const YAML::Node& value, HostState& state) {
        const std::string name = value.Scalar();
        if (const auto named = state_named(name)) return void(state = *named);
        const std::vector<std::string> known = state_names();
        refuse(value, fmt::format("unknown state \"{}\"{}; known are {}", name,
                                  did_you_mean(name, known), fmt::join(known, ", ")));
    }

    void read_latency(const YAML::Node& value, std::chrono::milliseconds& latency) {
        const auto read = value.IsScalar() ? parse_latency(value.Scalar()) : std::nullopt;
        if (read) return void(latency = *read);
        refuse(value, fmt::format("latency: expected {}, or 0ms", duration_syntax));
    }

    void read_number(const std::string& key, const YAML::Node& value, int highest, int& number) {
        const std::string& text = value.Scalar();
        const char* end = text.data() + text.size();
        int read = 0;
        const auto [stop, error] = std::from_chars(text.data(), end, read);
        // What does not print as it was written is no plain number: "08", "-0".
        if (error == std::errc{} && stop == end && read <= highest &&
            std::to_string(read) == text && read >= 0) {
            number = read;
            return;
        }
        refuse(value, fmt::format("{}: \"{}\" is not a number from 0 to {}", key, text, highest));
    }

    void check(const YAML::Node& settings, const Keys& keys, const SimulatedHost& host) {
        if (host.state == HostState::slow && host.latency.count() == 0) {
            refuse(settings, "a slow host needs a latency");
        }
        if (host.state != HostState::busy && (keys.count("user") || keys.count("command"))) {
            refuse(settings, "user and command belong to state busy");
        }
        if (!host.missing_index) return;
        if (host.state != HostState::missing_gpu) {
            refuse(settings, "missing_index belongs to state missing_gpu");
        } else if (*host.missing_index >= host.gpus) {
            refuse(settings, fmt::format("missing_index {} is not one of {} GPUs",
                                         *host.missing_index, host.gpus));
        }
    }

    const std::string& file_name_;
    std::chrono::milliseconds latency_;
    Scenario scenario_;
    std::map<std::string, std::size_t> places_;
    std::set<std::string> alone_;
    std::multimap<int, std::string> errors_;  // by line
};

}  // namespace

Scenario load_scenario(std::string_view text, const std::string& file_name,
                       std::chrono::milliseconds latency) {
    return Reader(file_name, latency).read(text);
}

Scenario load_scenario_file(const std::string& path, std::chrono::milliseconds latency) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError(path + ": cannot be read");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return load_scenario(text, path, latency);
}

}  // namespace gpumuster::sim
