#include "gpumuster/transport/loop/resolve.hpp"

#include <atomic>
#include <future>

#include <asio/post.hpp>

#include "support/catch.hpp"
#include "support/run_on_loop.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

Deadline in(std::chrono::milliseconds duration) {
    return std::chrono::steady_clock::now() + duration;
}

ResolveOutcome one_address() {
    return lookup_by_getaddrinfo("127.0.0.9", 22);
}

// Resolves many names at once on one loop.
std::vector<ResolveOutcome> resolve_together(asio::io_context& context, Resolver& resolver,
                                             const std::vector<std::string>& names,
                                             Deadline deadline) {
    std::vector<ResolveOutcome> outcomes(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        asio::co_spawn(context,
                       resolver.resolve(names[i], 22, deadline,
                                        std::make_shared<Signal>(context.get_executor())),
                       [&outcomes, i](std::exception_ptr error, ResolveOutcome outcome) {
                           CHECK_FALSE(error);
                           outcomes[i] = std::move(outcome);
                       });
    }
    context.restart();
    context.run();
    return outcomes;
}

}  // namespace

TEST_CASE("a numeric address needs no look-up") {
    asio::io_context context;
    std::atomic<int> lookups{0};
    Resolver resolver([&](const std::string&, std::uint16_t) {
        ++lookups;
        return ResolveOutcome();
    });
    const auto outcomes =
        resolve_together(context, resolver, {"127.0.0.1", "::1", "203.0.113.7"}, in(60s));
    CHECK(numeric_address(outcomes[0].addresses.at(0)) == "127.0.0.1");
    CHECK(numeric_address(outcomes[1].addresses.at(0)) == "::1");
    CHECK(numeric_address(outcomes[2].addresses.at(0)) == "203.0.113.7");
    CHECK(lookups == 0);
}

TEST_CASE("a name that many hosts share is looked up once") {
    asio::io_context context;
    std::atomic<int> lookups{0};
    Resolver resolver([&](const std::string&, std::uint16_t) {
        ++lookups;
        return one_address();
    });
    const auto outcomes =
        resolve_together(context, resolver, std::vector<std::string>(50, "bastion"), in(60s));
    CHECK(lookups == 1);
    for (const ResolveOutcome& outcome : outcomes) {
        CHECK(outcome.status == ResolveStatus::resolved);
        CHECK(numeric_address(outcome.addresses.at(0)) == "127.0.0.9");
    }
}

TEST_CASE(
    "who waits for a silent name server leaves at the deadline, and the late answer is harmless") {
    auto release = std::make_shared<std::promise<void>>();
    std::shared_future<void> released = release->get_future().share();
    Resolver resolver([released](const std::string&, std::uint16_t) {
        released.wait();
        return one_address();
    });
    {
        asio::io_context context;
        const auto outcomes = resolve_together(context, resolver, {"silent", "silent"}, in(20ms));
        CHECK(outcomes[0].status == ResolveStatus::timed_out);
        CHECK(outcomes[1].status == ResolveStatus::timed_out);
    }
    release->set_value();
    // The same name again, on another loop: the answer that came late serves it.
    asio::io_context context;
    const auto outcomes = resolve_together(context, resolver, {"silent"}, in(60s));
    CHECK(outcomes[0].status == ResolveStatus::resolved);
}

TEST_CASE("a cancelled look-up ends at once") {
    auto release = std::make_shared<std::promise<void>>();
    std::shared_future<void> released = release->get_future().share();
    Resolver resolver([released](const std::string&, std::uint16_t) {
        released.wait();
        return one_address();
    });
    asio::io_context context;
    const auto leave = std::make_shared<Signal>(context.get_executor());
    asio::post(context, [&] { leave->cancel(); });
    const ResolveOutcome outcome =
        test::run_on(context, resolver.resolve("silent", 22, in(60s), leave));
    CHECK(outcome.status == ResolveStatus::cancelled);
    release->set_value();
}

TEST_CASE("a name that does not exist is told apart from a name server that fails") {
    const ResolveOutcome outcome = lookup_by_getaddrinfo("no-such-host.invalid", 22);
    // Without any name server the system cannot tell, and says so.
    const bool is_told =
        outcome.status == ResolveStatus::not_found || outcome.status == ResolveStatus::failed;
    CHECK(is_told);
    CHECK(outcome.addresses.empty());
    CHECK_FALSE(outcome.detail.empty());
}
