#include "gpumuster/transport/loop/slots.hpp"

#include <vector>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

struct Room {
    explicit Room(std::size_t limit) : slots(limit) {}

    void queue(int count) {
        for (int i = 0; i < count; ++i) {
            asio::co_spawn(context, slots.enter(stop.get_token()),
                           [this](std::exception_ptr, Slots::Slot slot) {
                               if (slot.is_held()) {
                                   inside.push_back(std::move(slot));
                               } else {
                                   ++turned_away;
                               }
                           });
        }
        settle();
    }
    void settle() {
        context.restart();
        while (context.poll() > 0) {
        }
    }

    Slots slots;
    asio::io_context context;
    std::stop_source stop;
    std::vector<Slots::Slot> inside;
    int turned_away = 0;
};

}  // namespace

TEST_CASE("places are given out up to the limit, and again when one is left") {
    Room room(2);
    room.queue(3);
    CHECK(room.inside.size() == 2);
    room.inside.pop_back();
    room.settle();
    CHECK(room.inside.size() == 2);
    CHECK(room.slots.used() == 2);
}

TEST_CASE("a lowered limit holds for those that come later") {
    Room room(4);
    room.queue(6);
    CHECK(room.inside.size() == 4);
    room.slots.lower_to(1);
    room.inside.pop_back();
    room.settle();
    CHECK(room.inside.size() == 3);
    room.inside.clear();
    room.settle();
    CHECK(room.inside.size() == 1);
}

TEST_CASE("who waits for a place leaves when stop is requested") {
    Room room(1);
    room.queue(2);
    room.stop.request_stop();
    room.settle();
    CHECK(room.turned_away == 1);
    room.inside.clear();
    CHECK(room.slots.used() == 0);
}
