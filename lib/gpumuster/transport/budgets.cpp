#include "gpumuster/transport/budgets.hpp"

#include <algorithm>

namespace gpumuster {

Budgets scaled(const Budgets& base, std::optional<std::chrono::milliseconds> connect_timeout,
               std::optional<std::chrono::milliseconds> command_timeout) {
    Budgets budgets = base;
    if (connect_timeout) {
        const auto in_proportion = [&](std::chrono::milliseconds stage) {
            return std::max(
                std::chrono::milliseconds(1),
                *connect_timeout * stage.count() / std::max<long>(1, base.connect.count()));
        };
        budgets.resolve = in_proportion(base.resolve);
        budgets.connect = *connect_timeout;
        budgets.handshake = in_proportion(base.handshake);
    }
    if (command_timeout) budgets.command = *command_timeout;
    return budgets;
}

}  // namespace gpumuster
