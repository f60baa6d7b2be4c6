#include "gpumuster/fleet/placement.hpp"

#include <algorithm>

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

using Indices = std::vector<std::size_t>;

std::vector<std::string> behind(const std::string& session, std::size_t hosts) {
    return std::vector<std::string>(hosts, session);
}

}  // namespace

TEST_CASE("hosts without a shared session go to whichever loop is free") {
    const std::vector<std::string> shared{"", "bastion", ""};
    const Placement placement = place(shared, 2);
    CHECK(placement.anywhere == Indices{0, 2});
    CHECK(placement.per_loop[0] == Indices{1});
    CHECK(placement.per_loop[1].empty());
}

TEST_CASE("a small fleet behind a bastion is one loop's, so that the bastion sees one login") {
    const Placement placement = place(behind("bastion", 256), 4);
    CHECK(placement.per_loop[0].size() == 256);
    CHECK(placement.per_loop[1].empty());
}

TEST_CASE("a large fleet behind a bastion goes to the loops in blocks") {
    const Placement placement = place(behind("bastion", 600), 2);
    CHECK(placement.per_loop[0].size() == 256 + 88);
    CHECK(placement.per_loop[1].size() == 256);
    CHECK(placement.per_loop[1].front() == 256);
}

TEST_CASE("sessions begin at different loops") {
    std::vector<std::string> shared = behind("b1", 3);
    const std::vector<std::string> more = behind("b2", 3);
    shared.insert(shared.end(), more.begin(), more.end());
    const Placement placement = place(shared, 2);
    CHECK(placement.per_loop[0] == Indices{0, 1, 2});
    CHECK(placement.per_loop[1] == Indices{3, 4, 5});
}

TEST_CASE("workers go where the hosts are") {
    const auto shares = [](std::size_t own, std::size_t others, std::size_t anywhere,
                           std::size_t workers) {
        Placement placement;
        placement.per_loop.resize(2);
        placement.per_loop[0].resize(own);
        placement.per_loop[1].resize(others);
        placement.anywhere.resize(anywhere);
        return share_workers(placement, workers);
    };
    CHECK(shares(0, 0, 0, 2) == Indices{0, 0});
    CHECK(shares(0, 0, 100, 8) == Indices{4, 4});
    CHECK(shares(20, 0, 0, 20) == Indices{20, 0});
    CHECK(shares(256, 1, 0, 8) == Indices{7, 1});
    CHECK(shares(1, 0, 3, 4) == Indices{3, 1});
    CHECK(shares(100, 100, 100, 32) == Indices{16, 16});
}
