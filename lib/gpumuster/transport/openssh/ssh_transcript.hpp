#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpumuster {

// How far an ssh at LogLevel DEBUG1 says that it has come.
enum class SshProgress {
    silent,        // it has said nothing of the kind
    started,       // reads its configuration, looks names up
    reaching,      // connects, or has started what connects for it
    connected,     // the connection is there
    greeted,       // the host has said which SSH it speaks
    trusted,       // keys are exchanged and the host's key is accepted
    logged_in,     // the user is let in
    command_sent,  // a session is open, and the host has been asked to run the command
};

// How the command came to its end.
enum class RemoteEnd {
    not_told,
    exit_status,  // ssh hands the status on
    exit_signal,  // ssh ends with 255 and does not name the signal
    by_master,  // another ssh of the user's runs it; told is only the status, 255 for all the rest
};

struct SshLine {
    SshProgress at = SshProgress::silent;
    bool is_debug = false;  // `text` is without the "debug1: " before it
    std::string text;       // without line end; as it came, never made safe
};

// What ssh wrote to standard error, taken apart: its own lines up to the command, and what the
// command wrote. Lines of an ssh that it started itself (ProxyJump) have no "debug1: ".
struct SshTranscript {
    SshProgress progress = SshProgress::silent;
    RemoteEnd end = RemoteEnd::not_told;
    std::vector<SshLine> lines;
    std::string command_err;
};

// Reads it piece by piece as it comes.
class SshTranscriptReader {
public:
    void add(std::string_view bytes);
    SshProgress progress() const { return transcript_.progress; }

    // The whole; a last line without end counts as one.
    SshTranscript finish();

private:
    void read_line(std::string_view line);
    void read_debug(std::string_view text);
    void read_other(std::string_view line);
    void advance(SshProgress progress);

    SshTranscript transcript_;
    std::string rest_;
};

SshTranscript read_ssh_transcript(std::string_view err);

}  // namespace gpumuster
