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

TEST_CASE("a failure takes stage and next step from its kind and names the hop") {
    HopRef hop;
    hop.name = "gpu-07";
    hop.address = "203.0.113.7";
    hop.ssh_arguments = "-p 10978 root@203.0.113.7";
    const Failure failure = make_failure(FailureKind::hostkey_changed, hop, "the key has changed");
    CHECK(failure.stage == Stage::host_key);
    CHECK(stage_name(failure.stage) == "host-key");
    CHECK(failure.next_step ==
          "if the host was reinstalled: ssh-keygen -R 203.0.113.7 && "
          "ssh -p 10978 root@203.0.113.7");
    CHECK(failure.message == "the key has changed");
    CHECK(failure.hop.name == "gpu-07");
}

TEST_CASE("the login by hand behind a jump host is written as each program takes it") {
    HopRef hop;
    hop.name = "gpu-07";
    hop.ssh_arguments = "-J ops@door:2222 -p 10978 root@203.0.113.7";
    CHECK(make_failure(FailureKind::auth_not_tried, hop, "").next_step ==
          "check the user and the key before more logins fail: "
          "ssh -J ops@door:2222 -p 10978 root@203.0.113.7");
    CHECK(make_failure(FailureKind::auth_denied, hop, "").next_step ==
          "check the user and the key: "
          "ssh-copy-id -o ProxyJump=ops@door:2222 -p 10978 root@203.0.113.7");
    hop.ssh_arguments = "-p 10978 root@203.0.113.7";
    CHECK(make_failure(FailureKind::auth_denied, hop, "").next_step ==
          "check the user and the key: ssh-copy-id -p 10978 root@203.0.113.7");
}

TEST_CASE("no next step is left with a placeholder") {
    for (std::size_t i = 0; i < failure_kind_count; ++i) {
        const HopRef hop{.index = 1, .name = "door"};
        const Failure failure = make_failure(static_cast<FailureKind>(i), hop, "");
        INFO(failure.next_step);
        CHECK(failure.next_step.find_first_of("{}") == std::string::npos);
    }
}

TEST_CASE("a hop that has only a name is called by it everywhere") {
    HopRef hop;
    hop.name = "gpu-07";
    const Failure failure = make_failure(FailureKind::connect_timeout, hop, "no answer in 10 s");
    CHECK_THAT(failure.next_step, ContainsSubstring("ping gpu-07"));
}
