#include "gpumuster/inventory/host.hpp"

#include <algorithm>

namespace gpumuster {

const std::string& address_of(const Host& host) {
    return host.settings.address ? *host.settings.address : host.name;
}

std::string_view container_kind_name(ContainerEntry::Kind kind) {
    switch (kind) {
        case ContainerEntry::Kind::pct:
            return "pct";
        case ContainerEntry::Kind::docker:
            return "docker";
        case ContainerEntry::Kind::exec:
            return "exec";
    }
    return {};
}

std::string container_name(const ContainerEntry& container) {
    if (container.kind != ContainerEntry::Kind::exec) return container.name;
    const auto is_name = [](const std::string& word) { return !word.starts_with('-'); };
    const auto last = std::find_if(container.argv.rbegin(), container.argv.rend(), is_name);
    return last == container.argv.rend() ? std::string() : *last;
}

}  // namespace gpumuster
