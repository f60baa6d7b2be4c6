#include "gpumuster/report/failure_phrase.hpp"

#include <set>

#include "gpumuster/report/display_width.hpp"
#include "support/catch.hpp"

namespace gpumuster {

TEST_CASE("a failure is a few words") {
    CHECK(failure_phrase(make_failure(FailureKind::hostkey_changed, {}, "long")) ==
          "host key changed");
    CHECK(failure_phrase(make_failure(FailureKind::connect_refused, {}, "long")) ==
          "connection refused");
    CHECK(failure_phrase(make_failure(FailureKind::run_out_of_time, {}, "long")) ==
          "not inspected: out of time");
}

TEST_CASE("a failure at a jump host names it") {
    const HopRef hop{.index = 1, .name = "bastion\x1b[2J"};
    CHECK(failure_phrase(make_failure(FailureKind::auth_denied, hop, "long")) ==
          "login denied at bastion\\x1b[2J");
}

TEST_CASE("every kind of failure has its own words, short enough for a cell") {
    std::set<std::string> phrases;
    for (std::size_t i = 0; i < failure_kind_count; ++i) {
        const auto phrase = failure_phrase(make_failure(static_cast<FailureKind>(i), {}, ""));
        CHECK(display_width(phrase) <= 34);
        CHECK(display_width(phrase) > 5);
        phrases.insert(phrase);
    }
    CHECK(phrases.size() == failure_kind_count);
}

}  // namespace gpumuster
