#include "apps/gpumuster/colour.hpp"

#include "fixtures.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using gpumuster::test::environment_of;

TEST_CASE("colour is for terminals") {
    const auto environment = environment_of({{"TERM", "xterm"}});
    CHECK(decide_colour(ColourWish::automatic, environment, true) == Colour::on);
    CHECK(decide_colour(ColourWish::automatic, environment, false) == Colour::off);
    CHECK(decide_colour(ColourWish::automatic, environment_of(), true) == Colour::on);
}

TEST_CASE("NO_COLOR and a dumb terminal turn colour off") {
    CHECK(decide_colour(ColourWish::automatic, environment_of({{"NO_COLOR", "1"}}), true) ==
          Colour::off);
    CHECK(decide_colour(ColourWish::automatic, environment_of({{"NO_COLOR", "0"}}), true) ==
          Colour::off);
    CHECK(decide_colour(ColourWish::automatic, environment_of({{"TERM", "dumb"}}), true) ==
          Colour::off);
    CHECK(decide_colour(ColourWish::automatic, environment_of({{"TERM", "dumber"}}), true) ==
          Colour::on);
}

TEST_CASE("what the user says of colour wins over everything") {
    const auto unwanted = environment_of({{"NO_COLOR", "1"}, {"TERM", "dumb"}});
    CHECK(decide_colour(ColourWish::always, unwanted, false) == Colour::on);
    CHECK(decide_colour(ColourWish::never, environment_of(), true) == Colour::off);
}
