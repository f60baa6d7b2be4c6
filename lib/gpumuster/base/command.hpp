#pragma once

#include <chrono>
#include <string>

namespace gpumuster {

// What to run on a host, before any quoting: transport/entry turns it into the string for a login
// shell.
struct RemoteCommand {
    // `script` is a POSIX shell script: one line of printable ASCII without '!' and '\', run by
    // /bin/sh whatever the login shell is. `bare` is handed to the login shell as it stands, for
    // forced commands and Windows.
    enum class Form { script, bare };

    Form form = Form::script;
    std::string text;
    std::chrono::milliseconds limit{60'000};  // counted by us, from the accepted exec
};

// How a command that was started came to its end.
enum class Ending {
    exited,     // `code` is its exit status
    signalled,  // `signal` names it, "KILL"
    deadline,   // our limit passed; out and err hold what had arrived
    capped,     // it printed more than we take; out and err hold the first part
    lost,       // the connection or channel ended without a status
    cancelled,  // the run was interrupted
};

// What a command printed and how it ended. A command that exits non-zero is a value, not a
// failure: the caller knows what it means. The bytes are as they came, never made safe.
struct CommandOutput {
    std::string out;
    std::string err;
    Ending ending = Ending::lost;
    int code = -1;       // meaningful for `exited` only
    std::string signal;  // meaningful for `signalled` only
    std::chrono::microseconds elapsed{0};
};

}  // namespace gpumuster
