#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

const std::string& address_of(const Host& host) {
    return host.settings.address ? *host.settings.address : host.name;
}

std::string container_name(const ContainerEntry& container) {
    if (container.kind != ContainerEntry::Kind::exec) return container.name;
    return container.argv.empty() ? std::string() : container.argv.back();
}

}  // namespace gpumuster
