#include "gpumuster/transport/budgets.hpp"

#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

TEST_CASE("without timeouts the budgets stay what they are") {
    const Budgets budgets = scaled(Budgets(), {}, {});
    CHECK(budgets.resolve == 5s);
    CHECK(budgets.connect == 10s);
    CHECK(budgets.handshake == 10s);
    CHECK(budgets.auth == 15s);
    CHECK(budgets.channel == 10s);
    CHECK(budgets.command == 60s);
}

TEST_CASE("a connect timeout scales resolve, connect and handshake in their proportion") {
    const Budgets budgets = scaled(Budgets(), 3s, {});
    CHECK(budgets.resolve == 1500ms);
    CHECK(budgets.connect == 3s);
    CHECK(budgets.handshake == 3s);
    CHECK(budgets.auth == 15s);
    CHECK(budgets.channel == 10s);
    CHECK(budgets.command == 60s);
    CHECK(scaled(Budgets(), 1h, {}).resolve == 30min);
}

TEST_CASE("a command timeout sets the command's budget alone") {
    const Budgets budgets = scaled(Budgets(), {}, 2s);
    CHECK(budgets.command == 2s);
    CHECK(budgets.connect == 10s);
    CHECK(budgets.resolve == 5s);
}

TEST_CASE("budgets that were set small are scaled from what they are") {
    Budgets base;
    base.resolve = 20ms;
    base.connect = 40ms;
    base.handshake = 80ms;
    const Budgets budgets = scaled(base, 100ms, 200ms);
    CHECK(budgets.resolve == 50ms);
    CHECK(budgets.connect == 100ms);
    CHECK(budgets.handshake == 200ms);
    CHECK(budgets.command == 200ms);
}

TEST_CASE("no stage is scaled down to no time at all") {
    CHECK(scaled(Budgets(), 1ms, {}).resolve == 1ms);
    Budgets base;
    base.connect = 0ms;
    CHECK(scaled(base, 10ms, {}).resolve > 0ms);
}
