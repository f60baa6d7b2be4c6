#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

const std::string& address_of(const Host& host) {
    return host.settings.address ? *host.settings.address : host.name;
}

}  // namespace gpumuster
