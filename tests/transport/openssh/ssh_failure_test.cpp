#include "gpumuster/transport/openssh/ssh_failure.hpp"

#include "support/catch.hpp"
#include "transport/openssh/transcripts.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

Login login(const std::string& name, const std::string& address, std::uint16_t port) {
    Login login;
    login.name = name;
    login.address = address;
    login.port = port;
    login.user = "root";
    login.known_hosts_files = {"/home/a/.ssh/known_hosts"};
    return login;
}

EffectiveSettings straight() {
    EffectiveSettings settings;
    settings.target = login("gpu1", "10.0.0.7", 2201);
    write_ssh_arguments(settings);
    return settings;
}

// client – b1 – b2 – gpu1
EffectiveSettings two_hops() {
    EffectiveSettings settings = straight();
    settings.hops = {login("b1", "10.0.0.1", 22), login("b2", "10.0.0.2", 22)};
    write_ssh_arguments(settings);
    return settings;
}

Failure failure_of(const std::string& err, const EffectiveSettings& settings = straight()) {
    const std::optional<Failure> failure = ssh_failure(read_ssh_transcript(err), settings);
    INFO(err);
    REQUIRE(failure);
    CHECK_FALSE(failure->message.empty());
    CHECK(failure->message.find_first_of("\r\n\x1b") == std::string::npos);
    return *failure;
}

FailureKind kind_of(const std::string& line) {
    return failure_of(line + "\r\n").kind;
}

std::string through(const std::string& hops) {
    return with_line_ends("debug1: Executing proxy command: exec ssh -J " + hops +
                          " -W '[10.0.0.7]:2201' b2\n");
}

const std::string closed_above =
    "kex_exchange_identification: Connection closed by remote host\r\n"
    "Connection closed by UNKNOWN port 65535\r\n";

const std::string changed_key = with_line_ends(
    "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\n"
    "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n"
    "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\n"
    "IT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!\n"
    "Someone could be eavesdropping on you right now (man-in-the-middle attack)!\n"
    "It is also possible that a host key has just been changed.\n"
    "The fingerprint for the ED25519 key sent by the remote host is\n"
    "SHA256:5A0JqIy54uvwHvawYy+dGkc8Y+KJXQvjVCd6cN1IUHo.\n"
    "Please contact your system administrator.\n"
    "Add correct host key in /home/a/.ssh/known_hosts to get rid of this message.\n"
    "Offending ED25519 key in /home/a/.ssh/known_hosts:7\n"
    "  remove with:\n"
    "  ssh-keygen -f \"/home/a/.ssh/known_hosts\" -R \"[10.0.0.7]:2201\"\n"
    "Host key for [10.0.0.7]:2201 has changed and you have requested strict checking.\n"
    "Host key verification failed.\n");

}  // namespace

TEST_CASE("what is wrong with the configuration is said by ssh") {
    for (const char* line :
         {"command-line: line 0: Bad configuration option: foo",
          "command-line line 0: Bad SSH2 cipher spec 'nonsense'.",
          "/home/a/.ssh/config: line 1: Bad configuration option: foo",
          "/home/a/.ssh/config line 1: no argument after keyword \"port\"",
          "/home/a/.ssh/config line 1: Bad port 'xx'.",
          "/home/a/.ssh/config: terminating, 1 bad configuration options",
          "Bad owner or permissions on /home/a/.ssh/config",
          "Can't open user config file /x: No such file or directory", "Invalid -J argument"}) {
        INFO(line);
        CHECK(kind_of(line) == FailureKind::config_refused);
        CHECK(failure_of(std::string(line) + "\r\n").message == line);
    }
}

TEST_CASE("names that cannot be looked up are told apart") {
    CHECK(kind_of("ssh: Could not resolve hostname no.invalid: Name or service not known") ==
          FailureKind::resolve_not_found);
    CHECK(kind_of("ssh: Could not resolve hostname x: No address associated with hostname") ==
          FailureKind::resolve_not_found);
    CHECK(kind_of("ssh: Could not resolve hostname 127.0.0.1: Address family for hostname not "
                  "supported") == FailureKind::resolve_not_found);
    CHECK(kind_of("ssh: Could not resolve host \"foo\"") == FailureKind::resolve_not_found);
    CHECK(kind_of("ssh: Could not resolve hostname x: Temporary failure in name resolution") ==
          FailureKind::resolve_failed);
}

TEST_CASE("connections that fail are told apart") {
    const std::string start = "ssh: connect to host 10.0.0.7 port 2201: ";
    CHECK(kind_of(start + "Connection refused") == FailureKind::connect_refused);
    CHECK(kind_of(start + "Connection timed out") == FailureKind::connect_timeout);
    CHECK(kind_of(start + "Operation timed out") == FailureKind::connect_timeout);
    CHECK(kind_of(start + "No route to host") == FailureKind::connect_no_route);
    CHECK(kind_of(start + "Network is unreachable") == FailureKind::connect_no_route);
    CHECK(kind_of(start + "Permission denied") == FailureKind::connect_failed);
    CHECK(failure_of(start + "Connection refused\r\n").message ==
          "connect to host 10.0.0.7 port 2201: Connection refused");
    const Failure bound =
        failure_of("bind 10.9.8.7: Cannot assign requested address\r\n" + start + "failure\r\n");
    CHECK(bound.kind == FailureKind::connect_failed);
    CHECK_THAT(bound.message, ContainsSubstring("10.9.8.7: Cannot assign requested address"));
}

TEST_CASE("what a port says in place of an identification is told apart") {
    const auto greeted = [](const std::string& lines) {
        return failure_of(up_to_connection() + with_line_ends(lines));
    };
    const std::string closed =
        "kex_exchange_identification: Connection closed by remote host\n"
        "Connection closed by 10.0.0.7 port 2201\n";
    CHECK(greeted("Connection timed out during banner exchange\n"
                  "Connection to 10.0.0.7 port 2201 timed out\n")
              .kind == FailureKind::handshake_timeout);
    CHECK(greeted("kex_exchange_identification: read: Connection reset by peer\n"
                  "Connection reset by 10.0.0.7 port 2201\n")
              .kind == FailureKind::handshake_closed);
    CHECK(greeted("debug1: kex_exchange_identification: write: Connection reset by peer\n"
                  "Connection reset by 10.0.0.7 port 2201\n")
              .kind == FailureKind::handshake_closed);
    CHECK(greeted(closed).kind == FailureKind::handshake_closed);
    CHECK(greeted("ssh_exchange_identification: Connection closed by remote host\n").kind ==
          FailureKind::handshake_closed);
    CHECK(greeted("debug1: kex_exchange_identification: banner line 0: Exceeded MaxStartups\n" +
                  closed)
              .kind == FailureKind::handshake_throttled);
    CHECK(greeted("debug1: kex_exchange_identification: banner line 0: Not allowed at this time\n" +
                  closed)
              .kind == FailureKind::handshake_penalised);
    const Failure web = greeted(
        "debug1: kex_exchange_identification: banner line 0: HTTP/1.1 400 Bad Request\n"
        "debug1: kex_exchange_identification: banner line 1: Server: nginx\n" +
        closed);
    CHECK(web.kind == FailureKind::handshake_not_ssh);
    CHECK(web.message == "the port answers \"HTTP/1.1 400 Bad Request\", which is not SSH");
    for (const char* line :
         {"kex_exchange_identification: banner line contains invalid characters",
          "kex_exchange_identification: banner line too long",
          "kex_exchange_identification: client sent invalid protocol identifier \"GET /\"",
          "Protocol major versions differ: 2 vs. 1",
          "Bad remote protocol version identification: 'SSH-x'"}) {
        INFO(line);
        CHECK(greeted(std::string(line) +
                      "\nbanner exchange: Connection to 10.0.0.7 port 2201: invalid format\n")
                  .kind == FailureKind::handshake_not_ssh);
    }
}

TEST_CASE("a port that only speaks of ssh's troubles is not believed") {
    const Failure failure = failure_of(
        up_to_connection() +
        with_line_ends("debug1: kex_exchange_identification: banner line 0: /x line 1: Bad port\n"
                       "debug1: kex_exchange_identification: banner line 1: Host key verification "
                       "failed.\n"
                       "kex_exchange_identification: Connection closed by remote host\n"
                       "Connection closed by 10.0.0.7 port 2201\n"));
    CHECK(failure.kind == FailureKind::handshake_not_ssh);
}

TEST_CASE("key exchanges that fail are told apart") {
    const auto exchanged = [](const std::string& lines) {
        return failure_of(up_to_greeting() + with_line_ends(lines));
    };
    for (const char* what : {"key exchange method", "host key type", "cipher", "MAC"}) {
        const Failure failure =
            exchanged(std::string("Unable to negotiate with 10.0.0.7 port 2201: no matching ") +
                      what + " found. Their offer: one,two\n");
        CHECK(failure.kind == FailureKind::handshake_no_common_algorithm);
        CHECK_THAT(failure.message, ContainsSubstring("Their offer: one,two"));
    }
    CHECK(exchanged("Connection closed by 10.0.0.7 port 2201\n").kind ==
          FailureKind::handshake_closed);
    CHECK(exchanged("Bad packet length 1651269986.\n"
                    "ssh_dispatch_run_fatal: Connection to 10.0.0.7 port 2201: message "
                    "authentication code incorrect\n")
              .kind == FailureKind::handshake_failed);
    CHECK(exchanged("Received disconnect from 10.0.0.7 port 2201:3: bye\n"
                    "Disconnected from 10.0.0.7 port 2201\n")
              .kind == FailureKind::handshake_failed);
    CHECK(
        exchanged("ssh_dispatch_run_fatal: Connection to 10.0.0.7 port 2201: Broken pipe\n").kind ==
        FailureKind::handshake_closed);
}

TEST_CASE("an unknown key is named with its fingerprint") {
    const Failure failure = failure_of(
        up_to_host_key() +
        with_line_ends("No ED25519 host key is known for [10.0.0.7]:2201 and you have requested "
                       "strict checking.\nHost key verification failed.\n"));
    CHECK(failure.kind == FailureKind::hostkey_unknown);
    CHECK(failure.message ==
          "the key of [10.0.0.7]:2201 (ssh-ed25519 "
          "SHA256:5A0JqIy54uvwHvawYy+dGkc8Y+KJXQvjVCd6cN1IUHo) is not in known_hosts");
    CHECK(kind_of("Host key verification failed.") == FailureKind::hostkey_unknown);
}

TEST_CASE("a changed key is named with its record") {
    const Failure failure = failure_of(up_to_host_key() + changed_key);
    CHECK(failure.kind == FailureKind::hostkey_changed);
    CHECK(failure.message ==
          "the key of [10.0.0.7]:2201 (SHA256:5A0JqIy54uvwHvawYy+dGkc8Y+KJXQvjVCd6cN1IUHo) is not "
          "the one in /home/a/.ssh/known_hosts:7");
    CHECK(failure.next_step ==
          "if the host was reinstalled: ssh-keygen -R '[10.0.0.7]:2201' -f "
          "/home/a/.ssh/known_hosts && ssh -p 2201 root@10.0.0.7");
}

TEST_CASE("a file that ssh names and the settings do not never gets into a command") {
    std::string err = changed_key;
    const std::string from = "Offending ED25519 key in /home/a/.ssh/known_hosts:7";
    err.replace(err.find(from), from.size(), "Offending ED25519 key in /x; rm -r y:1");
    const Failure failure = failure_of(up_to_host_key() + err);
    CHECK(failure.kind == FailureKind::hostkey_changed);
    CHECK(failure.next_step.find("rm -r") == std::string::npos);
}

TEST_CASE("a revoked key is one, in whichever way ssh says so") {
    const std::string refused = "Host key verification failed.\n";
    CHECK(failure_of(up_to_host_key() +
                     with_line_ends(
                         "@       WARNING: REVOKED HOST KEY DETECTED!               @\n"
                         "The ED25519 host key for [10.0.0.7]:2201 is marked as revoked.\n"
                         "This could mean that a stolen key is being used to\n"
                         "impersonate this host.\n"
                         "ED25519 host key for [10.0.0.7]:2201 was revoked and you have requested "
                         "strict checking.\n" +
                         refused))
              .kind == FailureKind::hostkey_revoked);
    CHECK(failure_of(up_to_host_key() +
                     with_line_ends("Host key ED25519 SHA256:5A0J revoked by file /etc/ssh/krl\n" +
                                    refused))
              .kind == FailureKind::hostkey_revoked);
}

TEST_CASE("a certificate that does not hold is said with the key that is not known then") {
    for (const char* trouble :
         {"Certificate invalid: name is not a listed principal", "Certificate invalid: expired"}) {
        const Failure failure = failure_of(
            up_to_greeting() +
            with_line_ends(
                "debug1: Server host certificate: ssh-ed25519-cert-v01@openssh.com SHA256:5A0J, "
                "serial 0 ID \"host\" CA ssh-ed25519 SHA256:tfGP valid forever\n" +
                std::string(trouble) +
                "\ndebug1: No matching CA found. Retry with plain key\n"
                "Host key verification failed.\n"));
        CHECK(failure.kind == FailureKind::hostkey_unknown);
        CHECK_THAT(failure.message, ContainsSubstring(trouble));
        CHECK_THAT(failure.message, ContainsSubstring("SHA256:5A0J"));
    }
}

TEST_CASE("logins that are refused are told apart") {
    const auto tried = [](const std::string& lines) {
        return failure_of(up_to_acceptance() + with_line_ends(lines));
    };
    const std::string denied = "root@10.0.0.7: Permission denied (publickey,password).\n";
    CHECK(tried(denied).kind == FailureKind::auth_denied);
    CHECK(tried(denied).message == "user root was refused; the host accepts publickey,password");
    CHECK(tried("Authenticated using \"publickey\" with partial success.\n"
                "debug1: Authentications that can continue: password\n"
                "root@10.0.0.7: Permission denied (password).\n")
              .kind == FailureKind::auth_partial);
    const Failure agent = tried(
        "sign_and_send_pubkey: signing failed for ED25519 \"/k\" from agent: agent refused "
        "operation\n" +
        denied);
    CHECK(agent.kind == FailureKind::auth_agent_failed);
    CHECK_THAT(agent.message, ContainsSubstring("agent refused operation"));
    const Failure open = tried(
        "Permissions 0644 for '/k' are too open.\n"
        "This private key will be ignored.\n"
        "Load key \"/k\": bad permissions\n" +
        denied);
    CHECK(open.kind == FailureKind::auth_denied);
    CHECK_THAT(open.message, ContainsSubstring("Load key \"/k\": bad permissions"));
    const Failure many = tried(
        "Received disconnect from 10.0.0.7 port 2201:2: Too many authentication failures\n"
        "Disconnected from 10.0.0.7 port 2201\n");
    CHECK(many.kind == FailureKind::auth_denied);
    CHECK_THAT(many.message, ContainsSubstring("too many keys"));
}

TEST_CASE("a login without a key to offer is no refusal of one") {
    const std::string tried =
        up_to_trust() + with_line_ends(
                            "debug1: Next authentication method: publickey\n"
                            "debug1: No more authentication methods to try.\n"
                            "root@10.0.0.7: Permission denied (publickey).\n");
    CHECK(failure_of(tried).kind == FailureKind::auth_no_key);
    const std::string ticket =
        up_to_trust() + with_line_ends(
                            "debug1: Next authentication method: gssapi-with-mic\n"
                            "root@10.0.0.7: Permission denied (gssapi-with-mic).\n");
    CHECK(failure_of(ticket).kind == FailureKind::auth_denied);
}

TEST_CASE("a host that closes during the login has refused it when it says so") {
    const std::string closed = "Connection closed by 10.0.0.7 port 2201\n";
    CHECK(failure_of(up_to_acceptance() + with_line_ends(closed)).kind == FailureKind::auth_failed);
    const Failure refused = failure_of(
        up_to_acceptance() +
        with_line_ends("Access denied: user root (uid=0) has no active jobs on this node.\n" +
                       closed));
    CHECK(refused.kind == FailureKind::auth_login_refused);
    CHECK_THAT(refused.message, ContainsSubstring("no active jobs on this node"));
    // The banner that everybody gets before the login is no reason.
    CHECK(failure_of(up_to_trust() + with_line_ends("Welcome\n" + closed)).kind ==
          FailureKind::auth_failed);
}

TEST_CASE("the words of a host that is logged in to make no host key failure") {
    CHECK(failure_of(up_to_acceptance() + changed_key +
                     with_line_ends("Connection closed by 10.0.0.7 port 2201\n"))
              .kind == FailureKind::auth_login_refused);
}

TEST_CASE("a session that is not opened is a failure of the channel") {
    const std::string end =
        "debug1: channel 0: free: client-session, nchannels 1\n"
        "Transferred: sent 3396, received 3164 bytes, in 0.0 seconds\n";
    for (const char* reason :
         {"connect failed: open failed", "administratively prohibited: open failed"}) {
        const Failure failure = failure_of(
            up_to_login() +
            with_line_ends("channel 0: open failed: " + std::string(reason) + "\n" + end));
        CHECK(failure.kind == FailureKind::channel_refused);
    }
    CHECK(failure_of(up_to_login() +
                     with_line_ends("Connection to 10.0.0.7 closed by remote host.\n" + end))
              .kind == FailureKind::channel_failed);
}

TEST_CASE("what a jump host does not forward is told by the hop that it is") {
    const std::string forbidden =
        "channel 0: open failed: administratively prohibited: open failed\r\n"
        "stdio forwarding failed\r\n";
    const Failure last = failure_of(through("b1") + forbidden + closed_above, two_hops());
    CHECK(last.kind == FailureKind::hop_forwarding_forbidden);
    CHECK(last.hop.name == "b2");
    CHECK(last.hop.index == 2);
    const Failure first =
        failure_of(through("b1") + forbidden + closed_above + closed_above, two_hops());
    CHECK(first.hop.name == "b1");
    const Failure unnamed = failure_of(through("b1") + forbidden + closed_above);
    CHECK(unnamed.kind == FailureKind::hop_forwarding_forbidden);
    CHECK(unnamed.message == "the jump host forwards no connection there");
}

TEST_CASE("what a jump host cannot reach is the next one's trouble, as seen from it") {
    const std::string refused =
        "channel 0: open failed: connect failed: Connection refused\r\n"
        "stdio forwarding failed\r\n";
    const Failure target = failure_of(through("b1") + refused + closed_above, two_hops());
    CHECK(target.kind == FailureKind::connect_refused);
    CHECK(target.hop.name == "gpu1");
    CHECK(target.message == "10.0.0.7 port 2201 as seen from b2: Connection refused");
    CHECK(target.next_step ==
          "check it from there: ssh -J root@10.0.0.1 root@10.0.0.2 and then: ssh -p 2201 10.0.0.7");
    const Failure second =
        failure_of(through("b1") + refused + closed_above + closed_above, two_hops());
    CHECK(second.hop.name == "b2");
    CHECK(failure_of(through("b1") +
                         "channel 0: open failed: connect failed: Name or service not known\r\n" +
                         closed_above,
                     two_hops())
              .kind == FailureKind::resolve_not_found);
    CHECK(failure_of(through("b1") +
                         "channel 0: open failed: connect failed: Connection timed out\r\n" +
                         closed_above,
                     two_hops())
              .kind == FailureKind::connect_timeout);
    CHECK(failure_of(through("b1") + "channel 0: open failed: resource shortage\r\n" + closed_above,
                     two_hops())
              .kind == FailureKind::hop_no_channel);
}

TEST_CASE("a hop is known by its name in the sentence, else by who speaks above it") {
    const auto hop_of = [](const std::string& lines) {
        return failure_of(through("b1") + lines, two_hops()).hop.name;
    };
    CHECK(hop_of("ssh: connect to host 10.0.0.1 port 22: Connection refused\r\n" + closed_above +
                 closed_above) == "b1");
    CHECK(hop_of("root@10.0.0.2: Permission denied (publickey).\r\n" + closed_above) == "b2");
    CHECK(hop_of("root@b1.example: Permission denied (publickey).\r\n" + closed_above +
                 closed_above) == "b1");
    CHECK(hop_of("Host key verification failed.\r\n" + closed_above) == "b2");
    CHECK(hop_of("Host key verification failed.\r\n" + closed_above + closed_above) == "b1");
    CHECK(hop_of("Unable to negotiate with UNKNOWN port 65535: no matching cipher found. Their "
                 "offer: x\r\n" +
                 closed_above) == "b2");
    CHECK(hop_of("Connection timed out during banner exchange\r\n"
                 "Connection to UNKNOWN port 65535 timed out\r\n" +
                 closed_above) == "b2");
    CHECK(hop_of("Connection timed out during banner exchange\r\n"
                 "Connection to UNKNOWN port 65535 timed out\r\n") == "gpu1");
    CHECK(hop_of(closed_above) == "gpu1");
    CHECK(hop_of(closed_above + closed_above) == "b2");
    CHECK(hop_of("kex_exchange_identification: Connection closed by remote host\r\n"
                 "Connection closed by 10.0.0.1 port 22\r\n" +
                 closed_above + closed_above) == "b1");
}

TEST_CASE("behind its hops a target's own failure is its own") {
    const Failure failure = failure_of(
        through("b1") +
            with_line_ends("debug1: Remote protocol version 2.0, remote software version x\n"
                           "Unable to negotiate with UNKNOWN port 65535: no matching cipher found. "
                           "Their offer: x\n"),
        two_hops());
    CHECK(failure.hop.name == "gpu1");
}

TEST_CASE("a ProxyCommand that ends is quoted; a silent one leaves the host to blame") {
    const std::string start = "debug1: Executing proxy command: exec /nonexistent\r\n";
    const Failure spoken = failure_of(
        start + "/bin/bash: line 1: /nonexistent: No such file or directory\r\n" + closed_above);
    CHECK(spoken.kind == FailureKind::connect_failed);
    CHECK_THAT(spoken.message, ContainsSubstring("/nonexistent: No such file or directory"));
    CHECK(failure_of(start + closed_above).kind == FailureKind::handshake_closed);
}

TEST_CASE("sentences that nobody knows are left to the caller") {
    CHECK_FALSE(ssh_failure(read_ssh_transcript(""), straight()));
    CHECK_FALSE(ssh_failure(read_ssh_transcript("a new sentence\r\n"), straight()));
    CHECK(last_words(read_ssh_transcript("warning\r\na new sentence\r\n\r\n")) == "a new sentence");
}
