#include "gpumuster/base/failure.hpp"

#include <set>

#include "support/catch.hpp"

using namespace gpumuster;

TEST_CASE("every failure kind has its own row in the table") {
    std::set<std::string_view> ids;
    for (std::size_t i = 0; i < failure_kind_count; ++i) {
        const auto kind = static_cast<FailureKind>(i);
        const FailureKindInfo& info = failure_info(kind);
        CHECK(info.kind == kind);
        CHECK_FALSE(info.next_step.empty());
        CHECK(info.id.find('.') != std::string_view::npos);
        ids.insert(info.id);
    }
    CHECK(ids.size() == failure_kind_count);
}

TEST_CASE("a failure takes stage and next step from its kind and names the host") {
    const Failure failure =
        make_failure(FailureKind::hostkey_changed, {0, "gpu-07"}, "the key has changed");
    CHECK(failure.stage == Stage::host_key);
    CHECK(stage_name(failure.stage) == "host-key");
    CHECK(failure.next_step == "if the host was reinstalled: ssh-keygen -R gpu-07 && ssh gpu-07");
    CHECK(failure.message == "the key has changed");
}
