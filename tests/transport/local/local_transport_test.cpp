#include "gpumuster/transport/local/local_transport.hpp"

#include <asio/steady_timer.hpp>

#include "support/catch.hpp"
#include "support/descriptors.hpp"
#include "support/processes.hpp"
#include "support/run_on_loop.hpp"
#include "support/targets.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

struct Run {
    std::string script;
    std::chrono::milliseconds limit{30'000};
    std::size_t cap = 1 << 20;
    std::optional<std::chrono::milliseconds> cancel_after;
};

CommandOutput run(const Run& what) {
    Host host;
    host.name = "here";
    host.reach = Reach::local;
    const EffectiveSettings settings = effective_settings(host, LoginDefaults());
    const Budgets budgets;
    StageClock clock;
    std::stop_source stop;
    test::OpenLedger ledger;
    std::vector<Remark> remarks;
    const OpenRequest request{host, settings, budgets, stop.get_token(), clock, ledger, remarks};
    const std::unique_ptr<Transport> transport = make_local_transport(what.cap);

    asio::io_context context;
    auto connection = test::run_on(context, transport->open(request));
    REQUIRE(connection.has_value());
    asio::steady_timer timer(context);
    if (what.cancel_after) {
        timer.expires_after(*what.cancel_after);
        timer.async_wait([&](const std::error_code&) { stop.request_stop(); });
    }
    RemoteCommand command;
    command.text = what.script;
    command.limit = what.limit;
    auto output = test::run_on(context, (*connection)->run(command));
    REQUIRE(output.has_value());
    CHECK(clock.timings().of(Stage::command).has_value());
    return std::move(*output);
}

}  // namespace

TEST_CASE("a local command's streams and exit status come back apart") {
    const CommandOutput output = run({"echo out; echo err >&2; exit 7"});
    CHECK(output.out == "out\n");
    CHECK(output.err == "err\n");
    CHECK(output.ending == Ending::exited);
    CHECK(output.code == 7);
}

TEST_CASE("a local command has an empty standard input") {
    CHECK(run({"cat; echo done"}).out == "done\n");
}

TEST_CASE("a local command that is killed says by which signal") {
    const CommandOutput output = run({"kill -KILL $$"});
    CHECK(output.ending == Ending::signalled);
    CHECK_THAT(output.signal, ContainsSubstring("KILL"));
}

TEST_CASE("a local command past its deadline keeps what it had printed, and is gone") {
    const CommandOutput output = run({"sleep 600 & echo $!; sleep 600", 300ms});
    CHECK(output.ending == Ending::deadline);
    CHECK(test::has_gone(std::stoi(output.out)));
}

TEST_CASE("a child in the background does not keep a local command from ending") {
    const CommandOutput output = run({"sleep 600 & echo $!"});
    CHECK(output.ending == Ending::exited);
    CHECK(test::has_gone(std::stoi(output.out)));
}

TEST_CASE("a local command that floods is cut at the cap") {
    const CommandOutput output = run({"yes", 30s, 100'000});
    CHECK(output.ending == Ending::capped);
    CHECK(output.out.size() == 100'000);
}

TEST_CASE("much output on both streams does not stall a local command") {
    const CommandOutput output = run({"head -c 400000 /dev/zero >&2; head -c 400000 /dev/zero"});
    CHECK(output.ending == Ending::exited);
    CHECK(output.out.size() == 400'000);
    CHECK(output.err.size() == 400'000);
}

TEST_CASE("a cancelled local command ends at once") {
    Run what{"echo begun; sleep 600"};
    what.cancel_after = 50ms;
    CHECK(run(what).ending == Ending::cancelled);
}

TEST_CASE("local commands leave no descriptor behind") {
    run({"true"});
    const std::size_t before = test::open_descriptors();
    run({"echo x; exit 3"});
    run({"yes", 30s, 1'000});
    run({"sleep 600", 50ms});
    CHECK(test::open_descriptors() == before);
}
