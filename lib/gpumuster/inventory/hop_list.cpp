#include "gpumuster/inventory/hop_list.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/inventory/host_name.hpp"
#include "gpumuster/inventory/host_range.hpp"
#include "gpumuster/inventory/typed_host.hpp"
#include "gpumuster/inventory/words.hpp"

namespace gpumuster {
namespace {

tl::unexpected<std::string> refused(std::string phrase) {
    return tl::unexpected<std::string>(std::move(phrase));
}

tl::expected<Hop, std::string> parse_hop(const std::string& word) {
    if (word.empty()) return refused("a hop is empty");
    if (means_no_hop(word)) return refused("\"none\" means no hop at all, and stands alone");
    auto typed = take_apart(word);
    if (!typed) return refused(fmt::format("hop {}: {}", quoted(word), typed.error()));
    if (has_range(typed->host)) {
        return refused(fmt::format("hop {} is a range, and a hop is one machine", quoted(word)));
    }
    if (const auto fault = host_name_fault(typed->host)) {
        return refused(
            fmt::format("hop {}: host name {} {}", quoted(word), quoted(typed->host), *fault));
    }
    Hop hop;
    hop.address = std::move(typed->host);
    hop.port = typed->port;
    hop.user = std::move(typed->user);
    return hop;
}

}  // namespace

tl::expected<std::vector<Hop>, std::string> parse_hop_list(std::string_view list) {
    std::vector<Hop> hops;
    if (means_no_hop(list)) return hops;
    for (const std::string& word : split_host_list(list)) {
        auto hop = parse_hop(word);
        if (!hop) return refused(std::move(hop.error()));
        if (hops.size() == max_hops) return refused(fmt::format("more than {} hops", max_hops));
        hops.push_back(std::move(*hop));
    }
    return hops;
}

bool means_no_hop(std::string_view list) {
    constexpr std::string_view word = "none";
    const auto is_same = [](char given, char lower) {
        return given == lower || given == lower - 'a' + 'A';
    };
    return std::equal(list.begin(), list.end(), word.begin(), word.end(), is_same);
}

}  // namespace gpumuster
