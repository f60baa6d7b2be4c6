#pragma once

#include <string>

namespace gpumuster::test {

// What OpenSSH 9.2 writes at LogLevel DEBUG1, shortened by lines that nobody reads, with its line
// ends.
inline std::string with_line_ends(const std::string& text) {
    std::string ended;
    for (const char c : text) {
        if (c == '\n') ended += '\r';
        ended += c;
    }
    return ended;
}

inline std::string up_to_connection() {
    return with_line_ends(
        "debug1: Reading configuration data /etc/ssh/ssh_config\n"
        "debug1: Connecting to 10.0.0.7 [10.0.0.7] port 2201.\n"
        "debug1: Connection established.\n"
        "debug1: Local version string SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u10\n");
}

inline std::string up_to_greeting() {
    return up_to_connection() +
           with_line_ends(
               "debug1: Remote protocol version 2.0, remote software version OpenSSH_9.2p1\n"
               "debug1: Authenticating to 10.0.0.7:2201 as 'root'\n"
               "debug1: SSH2_MSG_KEXINIT sent\n");
}

inline std::string up_to_host_key() {
    return up_to_greeting() + with_line_ends(
                                  "debug1: SSH2_MSG_KEXINIT received\n"
                                  "debug1: Server host key: ssh-ed25519 "
                                  "SHA256:5A0JqIy54uvwHvawYy+dGkc8Y+KJXQvjVCd6cN1IUHo\n");
}

inline std::string up_to_trust() {
    return up_to_host_key() +
           with_line_ends(
               "debug1: Host '[10.0.0.7]:2201' is known and matches the ED25519 host key.\n"
               "debug1: SSH2_MSG_NEWKEYS received\n"
               "debug1: SSH2_MSG_SERVICE_ACCEPT received\n");
}

inline std::string up_to_acceptance() {
    return up_to_trust() +
           with_line_ends(
               "debug1: Authentications that can continue: publickey\n"
               "debug1: Next authentication method: publickey\n"
               "debug1: Offering public key: /root/.ssh/id_ed25519 ED25519 SHA256:I+s/ explicit\n"
               "debug1: Server accepts key: /root/.ssh/id_ed25519 ED25519 SHA256:I+s/ explicit\n");
}

inline std::string up_to_login() {
    return up_to_acceptance() +
           with_line_ends(
               "Authenticated to 10.0.0.7 ([10.0.0.7]:2201) using \"publickey\".\n"
               "debug1: channel 0: new session [client-session] (inactive timeout: 0)\n"
               "debug1: Entering interactive session.\n");
}

inline std::string up_to_command() {
    return up_to_login() + with_line_ends("debug1: Sending command: exec /bin/sh -c 'x'\n");
}

inline std::string status_told() {
    return with_line_ends(
        "debug1: client_input_channel_req: channel 0 rtype exit-status reply 0\n");
}

inline std::string farewell(int status) {
    return with_line_ends(
        "debug1: channel 0: free: client-session, nchannels 1\n"
        "Transferred: sent 3472, received 3264 bytes, in 0.4 seconds\n"
        "Bytes per second: sent 9771.6, received 9186.2\n"
        "debug1: Exit status " +
        std::to_string(status) + "\n");
}

}  // namespace gpumuster::test
