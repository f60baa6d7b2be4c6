#include "gpumuster/fleet/fleet.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include "gpumuster/probe/frame.hpp"
#include "support/catch.hpp"
#include "support/targets.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

const std::string marker = "0123456789abcdef";

// A full answer with eight rows of the given memory.
std::string framed_rows(const std::vector<int>& memory_used_mib) {
    std::string rows;
    for (std::size_t i = 0; i < memory_used_mib.size(); ++i) {
        rows += std::to_string(i) + ", GPU-0000000" + std::to_string(i) +
                "-0000-0000-0000-000000000000, NVIDIA H100 80GB HBM3, 00000000:1" +
                std::to_string(i) + ":00.0, 81559 MiB, " + std::to_string(memory_used_mib[i]) +
                " MiB, 0 %, 30, P0, 570.86.15\n";
    }
    return section_begin(marker, "gpus") + rows + section_end(marker, "gpus", 0) +
           section_begin(marker, "processes") + section_end(marker, "processes", 0) +
           frame_done(marker);
}

// What a scripted host does when it is visited.
struct Act {
    std::optional<FailureKind> open_fails;
    bool leaves_a_remark = false;
    bool throws = false;
    bool never_opens = false;
    bool never_answers = false;
    CommandOutput answer;
};

CommandOutput exited(std::string out, int code = 0) {
    CommandOutput output;
    output.out = std::move(out);
    output.ending = Ending::exited;
    output.code = code;
    return output;
}

// Waits until the visit is cancelled.
asio::awaitable<void> until_cancelled(CancelToken cancel) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    asio::steady_timer timer(executor, std::chrono::steady_clock::time_point::max());
    const std::stop_callback on_cancel(cancel, [&] { timer.cancel(); });
    std::error_code ignored;
    if (!cancel.stop_requested()) {
        co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
}

class ScriptedTransport : public Transport {
public:
    explicit ScriptedTransport(std::map<std::string, Act> acts) : acts_(std::move(acts)) {}

    asio::awaitable<Result<std::unique_ptr<Connection>>> open(const OpenRequest& request) override {
        const Act& act = acts_.at(request.host.name);
        note_visit(request.host.name);
        request.clock.enter(Stage::connect);
        if (act.leaves_a_remark) {
            Remark remark;
            remark.kind = RemarkKind::host_key_added;
            remark.message = "the key was new";
            add_remark(request.remarks, remark);
        }
        if (act.never_opens) {
            co_await until_cancelled(request.cancel);
            --in_flight;
            HopRef hop;
            hop.name = request.host.name;
            co_return failed(make_failure(FailureKind::run_interrupted, hop, "interrupted"));
        }
        if (act.throws) {
            --in_flight;
            throw std::runtime_error("the scripted host throws");
        }
        if (act.open_fails) {
            --in_flight;
            HopRef hop;
            hop.name = request.host.name;
            co_return failed(make_failure(*act.open_fails, hop, "scripted"));
        }
        co_return std::make_unique<ScriptedConnection>(*this, act, request);
    }

    std::string shared_session(const Host& host, const EffectiveSettings&) const override {
        return host.settings.jump ? host.settings.jump->front().address : std::string();
    }
    asio::awaitable<void> leave_loop() override {
        ++loops_left;
        co_return;
    }

    std::atomic<int> loops_left{0};
    std::map<std::string, std::thread::id> thread_of;  // guarded by mutex
    std::atomic<std::size_t> in_flight{0};
    std::atomic<std::size_t> most_in_flight{0};
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::atomic<int> commands{0};

private:
    class ScriptedConnection : public Connection {
    public:
        ScriptedConnection(ScriptedTransport& transport, const Act& act, const OpenRequest& request)
            : transport_(transport), act_(act), request_(request) {}
        ~ScriptedConnection() override { --transport_.in_flight; }

        asio::awaitable<Result<CommandOutput>> run(RemoteCommand) override {
            ++transport_.commands;
            request_.clock.enter(Stage::command);
            if (act_.never_answers) {
                co_await until_cancelled(request_.cancel);
                CommandOutput output;
                output.ending = Ending::cancelled;
                co_return output;
            }
            co_return act_.answer;
        }
        std::string remote_address() const override { return "203.0.113.7"; }

    private:
        ScriptedTransport& transport_;
        const Act& act_;
        const OpenRequest& request_;
    };

    void note_visit(const std::string& host) {
        const std::size_t now = ++in_flight;
        std::size_t seen = most_in_flight;
        while (now > seen && !most_in_flight.compare_exchange_weak(seen, now)) {
        }
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        thread_of[host] = std::this_thread::get_id();
    }

    const std::map<std::string, Act> acts_;
};

struct CountingObserver : FleetObserver {
    void host_done(const HostReport& report, std::size_t done, std::size_t total) override {
        CHECK(std::this_thread::get_id() == caller);
        CHECK(done == names.size() + 1);
        last_total = total;
        names.push_back(report.host.name);
        if (on_done) on_done();
    }
    std::thread::id caller = std::this_thread::get_id();
    std::vector<std::string> names;
    std::size_t last_total = 0;
    std::function<void()> on_done;
};

std::vector<Host> hosts_named(const std::vector<std::string>& names) {
    std::vector<Host> hosts;
    for (const std::string& name : names) {
        Host host;
        host.name = name;
        hosts.push_back(host);
    }
    return hosts;
}

FleetOptions options_for_tests() {
    FleetOptions options;
    options.loops = 2;
    options.now = [] { return std::chrono::system_clock::time_point(1'700'000'000s); };
    options.next_marker = [] { return Marker{marker}; };
    return options;
}

FleetReport inspect_with(ScriptedTransport& transport, const std::vector<Host>& hosts,
                         const FleetOptions& options, CountingObserver& observer,
                         std::stop_token stop = {}) {
    LoginDefaults defaults;
    defaults.user = "tester";
    return inspect(test::targets_of(hosts, defaults), options,
                   Transports{transport, transport, transport}, observer, std::move(stop));
}

}  // namespace

TEST_CASE("every host is in the report, in the order of the inventory") {
    std::map<std::string, Act> acts;
    std::vector<std::string> names;
    for (int i = 0; i < 100; ++i) {
        names.push_back("node" + std::to_string(i));
        Act act;
        if (i % 3 == 0) act.open_fails = FailureKind::connect_refused;
        act.answer = exited(framed_rows(std::vector<int>(8, 2)));
        acts[names.back()] = act;
    }
    ScriptedTransport transport(acts);
    CountingObserver observer;
    const FleetReport report =
        inspect_with(transport, hosts_named(names), options_for_tests(), observer);
    REQUIRE(report.hosts.size() == 100);
    for (std::size_t i = 0; i < 100; ++i) {
        CHECK(report.hosts[i].host.name == names[i]);
        CHECK(report.hosts[i].verdict.verdict ==
              (i % 3 == 0 ? Verdict::unreachable : Verdict::clean));
    }
    CHECK(observer.names.size() == 100);
    CHECK(observer.last_total == 100);
    CHECK(transport.threads.size() == 2);
}

TEST_CASE("no more visits are in flight than allowed") {
    std::map<std::string, Act> acts;
    std::vector<std::string> names;
    for (int i = 0; i < 50; ++i) {
        names.push_back("node" + std::to_string(i));
        acts[names.back()].answer = exited(framed_rows({0}));
    }
    ScriptedTransport transport(acts);
    CountingObserver observer;
    FleetOptions options = options_for_tests();
    options.parallel = 4;
    inspect_with(transport, hosts_named(names), options, observer);
    CHECK(transport.most_in_flight <= 4);
    CHECK(transport.in_flight == 0);
}

TEST_CASE("a host whose visit throws is internal at once, and the others do not notice") {
    std::map<std::string, Act> acts;
    acts["bad"].throws = true;
    acts["good"].answer = exited(framed_rows({2, 2}));
    ScriptedTransport transport(acts);
    CountingObserver observer;
    const FleetReport report =
        inspect_with(transport, hosts_named({"bad", "good"}), options_for_tests(), observer);
    REQUIRE(report.hosts.size() == 2);
    REQUIRE(report.hosts[0].failure);
    CHECK(report.hosts[0].failure->kind == FailureKind::internal_error);
    CHECK(report.hosts[0].failure->message == "the scripted host throws");
    CHECK(report.hosts[0].verdict.verdict == Verdict::unreachable);
    CHECK(report.hosts[1].verdict.verdict == Verdict::clean);
}

TEST_CASE("a run that is out of time reports who was under way and who was not started") {
    std::map<std::string, Act> acts;
    acts["done"].answer = exited(framed_rows({2}));
    acts["stuck"].never_opens = true;
    acts["silent"].never_answers = true;
    acts["late"].answer = exited(framed_rows({2}));
    ScriptedTransport transport(acts);
    CountingObserver observer;
    FleetOptions options = options_for_tests();
    options.parallel = 2;
    options.timeout = 50ms;
    const FleetReport report = inspect_with(
        transport, hosts_named({"done", "stuck", "silent", "late"}), options, observer);
    REQUIRE(report.hosts.size() == 4);
    CHECK(report.out_of_time);
    CHECK_FALSE(report.interrupted);
    CHECK(report.hosts[0].verdict.verdict == Verdict::clean);
    REQUIRE(report.hosts[1].failure);
    CHECK(report.hosts[1].failure->kind == FailureKind::run_out_of_time);
    CHECK(report.hosts[1].failure->stage == Stage::connect);
    REQUIRE(report.hosts[2].failure);
    CHECK(report.hosts[2].failure->stage == Stage::command);
    REQUIRE(report.hosts[3].failure);
    CHECK(report.hosts[3].failure->kind == FailureKind::run_out_of_time);
    CHECK(report.hosts[3].failure->stage == Stage::not_started);
    CHECK(exit_status(report) == 2);
}

TEST_CASE("an interrupted run ends at once and still reports every host") {
    std::map<std::string, Act> acts;
    acts["done"].answer = exited(framed_rows({2}));
    acts["silent"].never_answers = true;
    acts["stuck"].never_opens = true;
    acts["late"].answer = exited(framed_rows({2}));
    ScriptedTransport transport(acts);
    std::stop_source stop;
    CountingObserver observer;
    observer.on_done = [&] { stop.request_stop(); };
    FleetOptions options = options_for_tests();
    options.parallel = 3;
    options.loops = 1;
    const FleetReport report =
        inspect_with(transport, hosts_named({"silent", "stuck", "done", "late"}), options, observer,
                     stop.get_token());
    REQUIRE(report.hosts.size() == 4);
    CHECK(report.interrupted);
    REQUIRE(report.hosts[0].failure);
    CHECK(report.hosts[0].failure->kind == FailureKind::run_interrupted);
    CHECK(report.hosts[0].failure->stage == Stage::command);
    CHECK_THAT(report.hosts[0].failure->message, ContainsSubstring("middle of the visit"));
    CHECK(report.hosts[2].verdict.verdict == Verdict::clean);
    CHECK(exit_status(report) == 130);
}

TEST_CASE("a run that was stopped before it began starts nothing") {
    std::map<std::string, Act> acts;
    acts["a"].never_opens = true;
    ScriptedTransport transport(acts);
    CountingObserver observer;
    std::stop_source stop;
    stop.request_stop();
    const FleetReport report = inspect_with(transport, hosts_named({"a"}), options_for_tests(),
                                            observer, stop.get_token());
    CHECK(report.interrupted);
    REQUIRE(report.hosts.size() == 1);
    CHECK(report.hosts[0].failure->kind == FailureKind::run_interrupted);
}

TEST_CASE("a torn frame keeps the facts that came before it") {
    std::map<std::string, Act> acts;
    CommandOutput torn;
    torn.out = section_begin(marker, "session") + "0\npid:[4026531836]\n" +
               section_end(marker, "session", 0) + section_begin(marker, "gpus");
    torn.ending = Ending::deadline;
    acts["hung"].answer = torn;
    ScriptedTransport transport(acts);
    CountingObserver observer;
    const FleetReport report =
        inspect_with(transport, hosts_named({"hung"}), options_for_tests(), observer);
    CHECK(report.hosts[0].verdict.verdict == Verdict::hung);
    REQUIRE(report.hosts[0].readings);
    CHECK(report.hosts[0].readings->effective_uid == 0);
    CHECK(transport.commands == 1);
}

TEST_CASE("the ladder goes on with another question on the same connection") {
    std::map<std::string, Act> acts;
    acts["old"].answer = exited(section_begin(marker, "gpus") +
                                "Field \"pstate\" is not a valid field to query.\n\n" +
                                section_end(marker, "gpus", 2) + frame_done(marker));
    ScriptedTransport transport(acts);
    CountingObserver observer;
    const FleetReport report =
        inspect_with(transport, hosts_named({"old"}), options_for_tests(), observer);
    CHECK(transport.commands == 2);
    CHECK(report.hosts[0].verdict.verdict == Verdict::unknown);
}

TEST_CASE("the plain query that the user asked for may say clean, without health") {
    std::map<std::string, Act> acts;
    acts["a"].answer = exited("0, 2 MiB\n1, 2 MiB\n");
    ScriptedTransport transport(acts);
    CountingObserver observer;
    FleetOptions options = options_for_tests();
    options.probe = ProbeLevel::minimal;
    const FleetReport report = inspect_with(transport, hosts_named({"a"}), options, observer);
    CHECK(report.hosts[0].verdict.verdict == Verdict::clean);
    REQUIRE(report.hosts[0].verdict.findings.size() == 1);
    CHECK(report.hosts[0].verdict.findings[0].code == "health.not_read");
    CHECK(transport.commands == 1);
}

TEST_CASE("a report knows its host's own idle floor, address and time") {
    std::map<std::string, Act> acts;
    acts["a"].answer = exited(framed_rows({150}));
    ScriptedTransport transport(acts);
    CountingObserver observer;
    std::vector<Host> hosts = hosts_named({"a"});
    hosts[0].settings.idle_memory_mib = 200;
    const FleetReport report = inspect_with(transport, hosts, options_for_tests(), observer);
    CHECK(report.hosts[0].verdict.verdict == Verdict::clean);
    CHECK(report.hosts[0].thresholds.idle_memory_mib == 200);
    CHECK(report.hosts[0].remote_address == "203.0.113.7");
    CHECK(report.hosts[0].user == "tester");
    CHECK(report.hosts[0].observed_at == std::chrono::system_clock::time_point(1'700'000'000s));
    CHECK(report.hosts[0].timings.of(Stage::command).has_value());
}

TEST_CASE("hosts that share a session are visited by one loop, and each loop is left once") {
    std::map<std::string, Act> acts;
    std::vector<Host> hosts = hosts_named({"a1", "b1", "a2", "b2", "a3", "b3", "c"});
    for (Host& host : hosts) {
        acts[host.name].answer = exited(framed_rows({2}));
        Hop hop;
        hop.address = host.name.substr(0, 1);
        if (host.name != "c") host.settings.jump = std::vector<Hop>{hop};
    }
    ScriptedTransport transport(acts);
    CountingObserver observer;
    const FleetReport report = inspect_with(transport, hosts, options_for_tests(), observer);
    CHECK(report.hosts.size() == 7);
    CHECK(transport.thread_of["a1"] == transport.thread_of["a3"]);
    CHECK(transport.thread_of["b1"] == transport.thread_of["b3"]);
    CHECK(transport.thread_of["a1"] != transport.thread_of["b1"]);
    CHECK(report.hosts[0].route.hops == std::vector<std::string>{"a"});
    // Three transports that are one here, on two loops.
    CHECK(transport.loops_left == 6);
}

TEST_CASE("a host that only an authority vouches for is visited by the system's ssh") {
    std::map<std::string, Act> by_libssh;
    by_libssh["certified"].open_fails = FailureKind::hostkey_certificate_only;
    by_libssh["asked for"].open_fails = FailureKind::hostkey_certificate_only;
    std::map<std::string, Act> by_openssh;
    by_openssh["certified"].answer = exited(framed_rows({2}));
    ScriptedTransport libssh(by_libssh);
    ScriptedTransport openssh(by_openssh);

    std::vector<Target> targets = test::targets_of(hosts_named({"certified", "asked for"}));
    for (Target& target : targets) target.settings->openssh_destination = target.host.name;
    targets[1].host.settings.transport = TransportChoice::libssh;
    CountingObserver observer;
    const FleetReport report =
        inspect(targets, options_for_tests(), Transports{libssh, openssh, openssh}, observer, {});
    CHECK(report.hosts[0].verdict.verdict == Verdict::clean);
    CHECK(report.hosts[0].route.transport == "openssh");
    CHECK(report.hosts[0].route.reason == "@cert-authority in known_hosts");
    REQUIRE(report.hosts[1].failure);
    CHECK(report.hosts[1].failure->kind == FailureKind::hostkey_certificate_only);
    CHECK(report.hosts[1].route.transport == "libssh");
}

TEST_CASE("a host whose settings could not be read is in the report and not visited") {
    ScriptedTransport transport({});
    std::vector<Target> targets = test::targets_of(hosts_named({"odd"}));
    targets[0].settings = failed(make_failure(FailureKind::config_refused, HopRef(), "bad option"));
    CountingObserver observer;
    const FleetReport report = inspect(targets, options_for_tests(),
                                       Transports{transport, transport, transport}, observer, {});
    REQUIRE(report.hosts[0].failure);
    CHECK(report.hosts[0].failure->kind == FailureKind::config_refused);
    CHECK(report.hosts[0].route.transport.empty());
    CHECK(transport.threads.empty());
}

TEST_CASE("starts are spread over the splay, and an interruption does not wait for it") {
    std::map<std::string, Act> acts;
    for (const char* name : {"first", "last"}) acts[name].answer = exited(framed_rows({2}));
    ScriptedTransport transport(acts);
    CountingObserver observer;
    FleetOptions options = options_for_tests();
    options.splay = 1h;
    std::stop_source stop;
    observer.on_done = [&] { stop.request_stop(); };
    const FleetReport report = inspect_with(transport, hosts_named({"first", "last"}), options,
                                            observer, stop.get_token());
    CHECK(report.interrupted);
    CHECK(report.hosts[0].verdict.verdict == Verdict::clean);
    REQUIRE(report.hosts[1].failure);
    CHECK(report.hosts[1].failure->stage == Stage::not_started);
}

TEST_CASE("what was noticed on the way is a finding, whether the way was open or not") {
    std::map<std::string, Act> acts;
    acts["open"].answer = exited(framed_rows({2}));
    acts["open"].leaves_a_remark = true;
    acts["shut"].open_fails = FailureKind::auth_denied;
    acts["shut"].leaves_a_remark = true;
    ScriptedTransport transport(acts);
    CountingObserver observer;
    const FleetReport report =
        inspect_with(transport, hosts_named({"open", "shut"}), options_for_tests(), observer);
    for (const HostReport& host : report.hosts) {
        const auto& findings = host.verdict.findings;
        CHECK(std::any_of(findings.begin(), findings.end(),
                          [](const Finding& finding) { return finding.code == "hostkey.added"; }));
    }
    CHECK(report.hosts[0].verdict.verdict == Verdict::clean);
    CHECK(report.hosts[1].verdict.verdict == Verdict::unreachable);
}
