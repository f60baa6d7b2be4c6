#include "gpumuster/fleet/run_ledger.hpp"

#include <chrono>
#include <thread>
#include <vector>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

using Place = std::unique_ptr<LoginLedger::Place>;

// What entered, in the order in which it did.
struct Door {
    explicit Door(std::chrono::milliseconds first_spacing = 0ms) : ledger(first_spacing) {}

    RunLedger ledger;
    asio::io_context context;
    std::stop_source stop;
    std::vector<Place> inside;
    int turned_away = 0;

    void queue(int count, const std::string& sshd = "bastion:22") {
        for (int i = 0; i < count; ++i) {
            asio::co_spawn(context, ledger.enter(sshd, stop.get_token()),
                           [this](std::exception_ptr, Place place) {
                               if (place) {
                                   inside.push_back(std::move(place));
                               } else {
                                   ++turned_away;
                               }
                           });
        }
        settle();
    }
    // Everything that can happen now has happened.
    void settle() {
        context.restart();
        while (context.poll() > 0) {
        }
    }
    void leave(bool is_dropped) {
        if (is_dropped) inside.back()->dropped();
        inside.pop_back();
        settle();
    }
};

}  // namespace

TEST_CASE("eight unauthenticated connections to one sshd are let in at a time") {
    Door door;
    door.queue(12);
    CHECK(door.inside.size() == 8);
    door.leave(false);
    CHECK(door.inside.size() == 8);
    door.queue(1, "other:22");
    CHECK(door.inside.size() == 9);
    door.stop.request_stop();
    door.settle();
    CHECK(door.turned_away == 3);
}

TEST_CASE("a drop halves the places, down to one, and clean logins win them back one by one") {
    Door door;
    door.queue(60);
    for (int drop = 0; drop < 4; ++drop) door.leave(true);
    // 8 → 4 → 2 → 1; those inside finish, nobody follows until one place is free.
    CHECK(door.inside.size() == 4);
    for (int i = 0; i < 3; ++i) door.leave(false);
    CHECK(door.inside.size() == 1);
    for (int i = 0; i < 5; ++i) door.leave(false);
    CHECK(door.inside.size() == 2);
    for (int i = 0; i < 8; ++i) door.leave(false);
    CHECK(door.inside.size() == 3);
    door.stop.request_stop();
    door.settle();
}

TEST_CASE("after a drop there is a pause before the next login, which an interruption ends") {
    Door door(1h);
    door.queue(1);
    door.leave(true);
    door.queue(1);
    CHECK(door.inside.empty());
    door.stop.request_stop();
    door.settle();
    CHECK(door.turned_away == 1);
}

TEST_CASE("who waits at one loop is let in when another loop leaves") {
    RunLedger ledger;
    asio::io_context here;
    std::vector<Place> taken;
    for (int i = 0; i < 8; ++i) {
        asio::co_spawn(here, ledger.enter("sshd", {}),
                       [&](std::exception_ptr, Place place) { taken.push_back(std::move(place)); });
    }
    here.run();
    REQUIRE(taken.size() == 8);

    asio::io_context there;
    Place late;
    asio::co_spawn(there, ledger.enter("sshd", {}),
                   [&](std::exception_ptr, Place place) { late = std::move(place); });
    std::thread other([&] { there.run(); });
    taken.pop_back();
    other.join();
    CHECK(late != nullptr);
}

TEST_CASE("a key that twenty hosts refused and none accepted is offered no more") {
    RunLedger ledger;
    for (int host = 0; host < 19; ++host) ledger.refused("anna", "SHA256:k");
    CHECK(ledger.may_offer("anna", "SHA256:k"));
    ledger.refused("anna", "SHA256:k");
    CHECK_FALSE(ledger.may_offer("anna", "SHA256:k"));
    CHECK(ledger.may_offer("root", "SHA256:k"));
    CHECK(ledger.may_offer("anna", "SHA256:other"));
}

TEST_CASE("a key that one host accepted is offered however many refuse it") {
    RunLedger ledger;
    ledger.accepted("anna", "SHA256:k");
    for (int host = 0; host < 40; ++host) ledger.refused("anna", "SHA256:k");
    CHECK(ledger.may_offer("anna", "SHA256:k"));
}
