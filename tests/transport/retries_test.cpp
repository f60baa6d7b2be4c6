#include "gpumuster/transport/retries.hpp"

#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

Failure failure_of(FailureKind kind) {
    return make_failure(kind, HopRef(), "");
}

}  // namespace

TEST_CASE("a drop is tried again twice, after pauses that grow") {
    const Retries::Jitter longest = [] { return 1.0; };
    Retries retries(longest);
    const Failure drop = failure_of(FailureKind::handshake_throttled);
    CHECK(retries.pause_after(drop) == 400ms);
    CHECK(retries.pause_after(drop) == 800ms);
    CHECK_FALSE(retries.pause_after(drop));
}

TEST_CASE("what is no drop is never tried again") {
    const Retries::Jitter none;
    for (const FailureKind kind :
         {FailureKind::auth_denied, FailureKind::hostkey_changed, FailureKind::connect_refused,
          FailureKind::connect_timeout, FailureKind::handshake_penalised}) {
        Retries retries(none);
        CHECK_FALSE(retries.pause_after(failure_of(kind)));
    }
}

TEST_CASE("without jitter a pause is in the middle of its spread") {
    const Retries::Jitter none;
    Retries retries(none);
    CHECK(retries.pause_after(failure_of(FailureKind::handshake_closed)) == 300ms);
}
