#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/input_error.hpp"
#include "gpumuster/inventory/host_name.hpp"
#include "gpumuster/inventory/host_range.hpp"
#include "gpumuster/inventory/inventory.hpp"
#include "gpumuster/inventory/typed_host.hpp"
#include "gpumuster/inventory/words.hpp"

namespace gpumuster {
namespace {

template <class T>
using OrPhrase = tl::expected<T, std::string>;

tl::unexpected<std::string> refused(std::string phrase) {
    return tl::unexpected<std::string>(std::move(phrase));
}

OrPhrase<std::vector<std::string>> hosts_of(const TypedHost& typed) {
    auto names = expand_host_range(typed.host);
    if (!names) return names;
    for (const std::string& name : *names) {
        if (const auto fault = host_name_fault(name)) {
            return refused(fmt::format("host name {} {}", quoted(name), *fault));
        }
    }
    return names;
}

// The hosts of one word, each named as if it had been typed alone.
OrPhrase<std::vector<Host>> parse_word(std::string_view word) {
    const auto typed = take_apart(word);
    if (!typed) return refused(typed.error());
    const auto names = hosts_of(*typed);
    if (!names) return refused(names.error());

    const std::string before = typed->user ? *typed->user + "@" : "";
    const std::string after = typed->port ? fmt::format(":{}", *typed->port) : "";
    const bool is_in_brackets = typed->shown_host != typed->host;
    std::vector<Host> hosts;
    for (const std::string& name : *names) {
        Host host;
        host.settings.user = typed->user;
        host.settings.port = typed->port;
        host.name = before + (is_in_brackets ? typed->shown_host : name) + after;
        if (host.name != name) host.settings.address = name;
        hosts.push_back(std::move(host));
    }
    return hosts;
}

// The hosts that the lists mean, each once, in order; a word that cannot be taken adds a line.
std::vector<Host> parse_lists(std::span<const std::string> lists, std::vector<std::string>& lines) {
    std::vector<Host> hosts;
    std::unordered_set<std::string> names;
    for (const std::string& list : lists) {
        for (const std::string& word : split_host_list(list)) {
            auto parsed = parse_word(word);
            if (!parsed) {
                lines.push_back(fmt::format("target {}: {}", quoted(word), parsed.error()));
                continue;
            }
            for (Host& host : *parsed) {
                if (names.insert(host.name).second) hosts.push_back(std::move(host));
            }
        }
    }
    return hosts;
}

}  // namespace

std::vector<Host> hosts_from_arguments(std::span<const std::string> targets,
                                       std::span<const std::string> excluded) {
    const auto left_out = without_blank_lists(excluded);

    std::vector<std::string> lines;
    std::vector<Host> hosts = parse_lists(targets, lines);
    std::unordered_set<std::string> unwanted;
    for (const Host& host : parse_lists(left_out, lines)) unwanted.insert(host.name);
    if (!lines.empty()) throw InputError(std::move(lines));

    // "-x gpu3" also means the target "root@gpu3:2222".
    const auto is_unwanted = [&](const Host& host) {
        return unwanted.count(host.name) != 0 || unwanted.count(address_of(host)) != 0;
    };
    const bool had_hosts = !hosts.empty();
    hosts.erase(std::remove_if(hosts.begin(), hosts.end(), is_unwanted), hosts.end());
    if (had_hosts && hosts.empty()) {
        throw InputError("no host is left to inspect: all of them are excluded");
    }
    return hosts;
}

}  // namespace gpumuster
