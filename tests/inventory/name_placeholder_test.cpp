#include "gpumuster/inventory/name_placeholder.hpp"

#include "support/catch.hpp"

using namespace gpumuster;

TEST_CASE("every place of the name is filled in, and the name is not looked into") {
    CHECK(with_name("{name}.a", "n1") == "n1.a");
    CHECK(with_name("{name}-{name}", "n1") == "n1-n1");
    CHECK(with_name("x", "n1") == "x");
    CHECK(with_name("{name}", "{name}") == "{name}");
    CHECK(with_name("{nam}{Name}", "n1") == "{nam}{Name}");
}
