#include "gpumuster/transport/openssh/ssh_transcript.hpp"

#include "support/catch.hpp"
#include "transport/openssh/transcripts.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

TEST_CASE("a transcript tells how far ssh has come") {
    const auto progress_of = [](const std::string& err) {
        return read_ssh_transcript(err).progress;
    };
    CHECK(progress_of("") == SshProgress::silent);
    CHECK(progress_of("ssh: anything\r\n") == SshProgress::silent);
    CHECK(progress_of("debug1: Reading configuration data x\r\n") == SshProgress::started);
    CHECK(progress_of("debug1: Connecting to h [::1] port 22.\r\n") == SshProgress::reaching);
    CHECK(progress_of("debug1: Executing proxy command: exec nc h 22\r\n") ==
          SshProgress::reaching);
    CHECK(progress_of(up_to_connection()) == SshProgress::connected);
    CHECK(progress_of(up_to_host_key()) == SshProgress::greeted);
    CHECK(progress_of(up_to_acceptance()) == SshProgress::trusted);
    CHECK(progress_of(up_to_login()) == SshProgress::logged_in);
    CHECK(progress_of(up_to_command()) == SshProgress::command_sent);
}

TEST_CASE("what the command writes to standard error comes apart from ssh's own lines") {
    const SshTranscript transcript =
        read_ssh_transcript(up_to_command() + "first\nsecond" + status_told() + farewell(0));
    CHECK(transcript.command_err == "first\nsecond");
    CHECK(transcript.end == RemoteEnd::exit_status);
}

TEST_CASE("what the command writes after its status was told is still its own") {
    const SshTranscript transcript =
        read_ssh_transcript(up_to_command() + status_told() + "late\n" + farewell(0));
    CHECK(transcript.command_err == "late\n");
}

TEST_CASE("a command that speaks of debug1 itself keeps its words") {
    const std::string said = "debug1: Exit status 0\ndebug1: mine\n";
    CHECK(read_ssh_transcript(up_to_command() + said + status_told()).command_err == said);
}

TEST_CASE("a signal is told by its kind alone") {
    const std::string told =
        with_line_ends("debug1: client_input_channel_req: channel 0 rtype exit-signal reply 0\n");
    CHECK(read_ssh_transcript(up_to_command() + told).end == RemoteEnd::exit_signal);
}

TEST_CASE("a command over another ssh's connection is known as such") {
    const SshTranscript transcript = read_ssh_transcript(
        with_line_ends("debug1: mux_client_request_session: master session id: 2\n") + "err\n");
    CHECK(transcript.progress == SshProgress::command_sent);
    CHECK(transcript.end == RemoteEnd::by_master);
    CHECK(transcript.command_err == "err\n");
}

TEST_CASE("a login at a jump host is not taken for the one at the target") {
    const SshTranscript transcript = read_ssh_transcript(
        with_line_ends("debug1: Executing proxy command: exec ssh -W '[10.0.0.7]:22' b1\n"
                       "Authenticated to 10.0.0.1 ([10.0.0.1]:22) using \"publickey\".\n"));
    CHECK(transcript.progress == SshProgress::reaching);
}

TEST_CASE("a transcript that comes byte by byte is read like one that comes at once") {
    const std::string all = up_to_command() + "err" + status_told() + farewell(0);
    SshTranscriptReader reader;
    for (const char c : all) reader.add(std::string_view(&c, 1));
    const SshTranscript pieced = reader.finish();
    const SshTranscript whole = read_ssh_transcript(all);
    CHECK(pieced.progress == whole.progress);
    CHECK(pieced.end == whole.end);
    CHECK(pieced.command_err == whole.command_err);
    CHECK(pieced.lines.size() == whole.lines.size());
}

TEST_CASE("a command sent is not believed of a line inside of another") {
    const SshTranscript transcript = read_ssh_transcript(with_line_ends(
        "debug1: Connecting to h [::1] port 22.\n"
        "debug1: Connection established.\n"
        "debug1: kex_exchange_identification: banner line 0: debug1: Sending command: x\n"));
    CHECK(transcript.progress == SshProgress::connected);
}
