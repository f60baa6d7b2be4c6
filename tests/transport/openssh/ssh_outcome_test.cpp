#include "gpumuster/transport/openssh/ssh_outcome.hpp"

#include "support/catch.hpp"
#include "transport/openssh/transcripts.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

EffectiveSettings settings() {
    EffectiveSettings settings;
    settings.target.name = "gpu1";
    settings.target.address = "10.0.0.7";
    settings.target.port = 2201;
    settings.target.user = "root";
    return settings;
}

CommandOutput ended(const std::string& out, const std::string& err, int code = 255) {
    CommandOutput output;
    output.out = out;
    output.err = err;
    output.ending = Ending::exited;
    output.code = code;
    return output;
}

CommandOutput cut(Ending ending, const std::string& err) {
    CommandOutput output = ended("", err, -1);
    output.ending = ending;
    return output;
}

FailureKind failure_of(const CommandOutput& output) {
    const Result<CommandOutput> outcome = ssh_outcome(output, settings());
    REQUIRE_FALSE(outcome.has_value());
    CHECK_FALSE(outcome.error().message.empty());
    return outcome.error().kind;
}

CommandOutput output_of(const CommandOutput& output) {
    Result<CommandOutput> outcome = ssh_outcome(output, settings());
    REQUIRE(outcome.has_value());
    return std::move(*outcome);
}

}  // namespace

TEST_CASE("a command's own 255 is its status, with output or without") {
    for (const char* out : {"", "frame\n"}) {
        const CommandOutput output =
            output_of(ended(out, up_to_command() + "oops\n" + status_told() + farewell(255)));
        CHECK(output.ending == Ending::exited);
        CHECK(output.code == 255);
        CHECK(output.out == out);
        CHECK(output.err == "oops\n");
    }
}

TEST_CASE("other statuses pass, with the command's standard error alone") {
    const CommandOutput output =
        output_of(ended("x", up_to_command() + "warn" + status_told() + farewell(7), 7));
    CHECK(output.code == 7);
    CHECK(output.err == "warn");
}

TEST_CASE("255 without a status is a signal, or a connection that broke") {
    const std::string signal =
        with_line_ends("debug1: client_input_channel_req: channel 0 rtype exit-signal reply 0\n");
    CHECK(output_of(ended("", up_to_command() + signal + farewell(-1))).ending ==
          Ending::signalled);
    const std::string broken = with_line_ends("Connection to 10.0.0.7 closed by remote host.\n");
    CHECK(output_of(ended("part", up_to_command() + broken + farewell(-1))).ending == Ending::lost);
}

TEST_CASE("255 of a command that another ssh ran is its status") {
    const CommandOutput output = output_of(
        ended("", with_line_ends("debug1: mux_client_request_session: master session id: 2\n")));
    CHECK(output.ending == Ending::exited);
    CHECK(output.code == 255);
}

TEST_CASE("an ssh that says nothing of its progress is judged by what was printed") {
    CHECK(output_of(ended("frame\n", "noise\n")).code == 255);
    CHECK(failure_of(ended("", "")) == FailureKind::ssh_failed);
    CHECK(failure_of(ended("", "ssh: connect to host h port 22: Connection refused\r\n")) ==
          FailureKind::connect_refused);
    const Result<CommandOutput> outcome =
        ssh_outcome(ended("", "something odd\r\nConnection closed\r\n\r\n"), settings());
    REQUIRE_FALSE(outcome.has_value());
    CHECK(outcome.error().kind == FailureKind::ssh_failed);
    CHECK(outcome.error().message == "Connection closed");
}

TEST_CASE("an exec that is refused is a failure of the channel") {
    const std::string refused = with_line_ends("exec request failed on channel 0\n");
    CHECK(failure_of(ended("", up_to_command() + refused + farewell(-1))) ==
          FailureKind::channel_exec_refused);
    // A command may say so itself.
    CHECK(output_of(ended("", up_to_command() + refused + status_told() + farewell(255))).code ==
          255);
}

TEST_CASE("a deadline before the command is a timeout of the stage that was reached") {
    const std::string looking = "debug1: Reading configuration data x\r\n";
    const std::string reaching = looking + "debug1: Connecting to h [::1] port 22.\r\n";
    CHECK(failure_of(cut(Ending::deadline, "")) == FailureKind::resolve_timeout);
    CHECK(failure_of(cut(Ending::deadline, looking)) == FailureKind::resolve_timeout);
    CHECK(failure_of(cut(Ending::deadline, reaching)) == FailureKind::connect_timeout);
    CHECK(failure_of(cut(Ending::deadline, up_to_connection())) == FailureKind::handshake_timeout);
    CHECK(failure_of(cut(Ending::deadline, up_to_host_key())) == FailureKind::handshake_timeout);
    CHECK(failure_of(cut(Ending::deadline, up_to_acceptance())) == FailureKind::auth_timeout);
    CHECK(failure_of(cut(Ending::deadline, up_to_login())) == FailureKind::channel_timeout);
    CHECK(output_of(cut(Ending::deadline, up_to_command())).ending == Ending::deadline);
}

TEST_CASE("what ends ssh from outside is a failure before the command and an ending after it") {
    CHECK(failure_of(cut(Ending::cancelled, up_to_trust())) == FailureKind::run_interrupted);
    CHECK(output_of(cut(Ending::cancelled, up_to_command())).ending == Ending::cancelled);
    CHECK(failure_of(cut(Ending::capped, up_to_connection())) == FailureKind::handshake_not_ssh);
    CHECK(failure_of(cut(Ending::capped, up_to_trust())) == FailureKind::ssh_failed);
    CHECK(output_of(cut(Ending::capped, up_to_command())).ending == Ending::capped);
    CHECK(failure_of(cut(Ending::signalled, up_to_trust())) == FailureKind::ssh_failed);
    CHECK(output_of(cut(Ending::signalled, up_to_command())).ending == Ending::lost);
}

TEST_CASE("a key that was added is remarked, by the rule of the login that it belongs to") {
    EffectiveSettings way = settings();
    Login hop;
    hop.name = "b1";
    hop.address = "10.0.0.1";
    hop.host_key_rule = HostKeyRule::accept_unverified;
    way.hops.push_back(hop);
    const SshTranscript transcript = read_ssh_transcript(
        with_line_ends("debug1: Executing proxy command: exec ssh -W '[10.0.0.7]:2201' b1\n"
                       "Warning: Permanently added '10.0.0.1' (ED25519) to the list of known "
                       "hosts.\n"
                       "debug1: Remote protocol version 2.0, remote software version x\n"
                       "Warning: Permanently added '[10.0.0.7]:2201' (RSA) to the list of known "
                       "hosts.\n"
                       "debug1: SSH2_MSG_NEWKEYS received\n"
                       "Warning: Permanently added 'banner' (X) to the list of known hosts.\n"));
    const std::vector<Remark> remarks = ssh_remarks(transcript, way);
    REQUIRE(remarks.size() == 2);
    CHECK(remarks[0].kind == RemarkKind::host_key_unverified);
    CHECK(remarks[0].hop.index == 1);
    CHECK(remarks[1].kind == RemarkKind::host_key_added);
    CHECK(remarks[1].hop.index == 0);
    CHECK(remarks[1].message == "the key of [10.0.0.7]:2201 (RSA) was new and is accepted");
}
