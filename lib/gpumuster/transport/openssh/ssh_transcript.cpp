#include "gpumuster/transport/openssh/ssh_transcript.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gpumuster {
namespace {

constexpr std::string_view debug_mark = "debug1: ";

struct Milestone {
    std::string_view beginning;  // of a debug line
    SshProgress progress;
};

constexpr std::array<Milestone, 8> milestones{{
    {"Connecting to ", SshProgress::reaching},
    {"Executing proxy ", SshProgress::reaching},
    {"Connection established.", SshProgress::connected},
    {"Remote protocol version ", SshProgress::greeted},
    {"SSH2_MSG_NEWKEYS received", SshProgress::trusted},
    {"Authentication succeeded", SshProgress::logged_in},
    {"Sending command: ", SshProgress::command_sent},
    {"mux_client_request_session: master session id", SshProgress::command_sent},
}};

std::string_view without_return(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

// What ssh says at that level when a command is over, without a mark.
bool is_farewell(std::string_view line) {
    return line.starts_with("Transferred: sent ") || line.starts_with("Bytes per second: sent ");
}

}  // namespace

void SshTranscriptReader::add(std::string_view bytes) {
    rest_ += bytes;
    std::size_t begin = 0;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos;
         end = rest_.find('\n', begin)) {
        read_line(std::string_view(rest_).substr(begin, end + 1 - begin));
        begin = end + 1;
    }
    rest_.erase(0, begin);
}

SshTranscript SshTranscriptReader::finish() {
    if (!rest_.empty()) read_line(rest_);
    rest_.clear();
    return std::move(transcript_);
}

void SshTranscriptReader::advance(SshProgress progress) {
    transcript_.progress = std::max(transcript_.progress, progress);
}

// A command that ends its output without a line end has ssh's next line right behind it. ssh ends
// its own lines with a carriage return as well.
void SshTranscriptReader::read_line(std::string_view line) {
    const std::size_t mark = line.ends_with("\r\n") ? line.find(debug_mark) : std::string::npos;
    if (mark == std::string::npos) {
        read_other(line);
        return;
    }
    if (mark > 0) read_other(line.substr(0, mark));
    line.remove_suffix(2);
    read_debug(line.substr(mark + debug_mark.size()));
}

void SshTranscriptReader::read_debug(std::string_view text) {
    advance(SshProgress::started);
    const bool is_sent = transcript_.progress == SshProgress::command_sent;
    for (const Milestone& milestone : milestones) {
        if (text.starts_with(milestone.beginning)) advance(milestone.progress);
    }
    if (text.starts_with("mux_client_request_session: master session id")) {
        transcript_.end = RemoteEnd::by_master;
    }
    if (!is_sent) transcript_.lines.push_back({transcript_.progress, true, std::string(text)});
    if (!is_sent || !text.starts_with("client_input_channel_req: ")) return;
    if (text.find(" rtype exit-status ") != std::string_view::npos) {
        transcript_.end = RemoteEnd::exit_status;
    }
    if (text.find(" rtype exit-signal ") != std::string_view::npos) {
        transcript_.end = RemoteEnd::exit_signal;
    }
}

void SshTranscriptReader::read_other(std::string_view line) {
    if (transcript_.progress == SshProgress::command_sent) {
        if (!is_farewell(line)) transcript_.command_err += line;
        return;
    }
    if (line.ends_with('\n')) line.remove_suffix(1);
    line = without_return(line);
    // Only once our own connection is trusted: a jump host's ssh says the same of its own login.
    if (transcript_.progress == SshProgress::trusted && line.starts_with("Authenticated to ")) {
        advance(SshProgress::logged_in);
    }
    transcript_.lines.push_back({transcript_.progress, false, std::string(line)});
}

SshTranscript read_ssh_transcript(std::string_view err) {
    SshTranscriptReader reader;
    reader.add(err);
    return reader.finish();
}

}  // namespace gpumuster
