#include "gpumuster/transport/ssh/greeting.hpp"

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

void check(const std::string& bytes, GreetingKind kind, const std::string& line) {
    INFO(bytes);
    const Greeting greeting = read_greeting(bytes);
    CHECK(greeting.kind == kind);
    CHECK(greeting.line == line);
}

}  // namespace

TEST_CASE("an identification is SSH as soon as it begins") {
    check("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", GreetingKind::ssh,
          "SSH-2.0-OpenSSH_9.2p1 Debian-2");
    check("SSH-", GreetingKind::ssh, "SSH-");
    check("SSH-1.99-x\n", GreetingKind::ssh, "SSH-1.99-x");
    check("SSH-2.0-x\r\n\x01\x02 binary", GreetingKind::ssh, "SSH-2.0-x");
}

TEST_CASE("lines may stand before the identification") {
    check("Welcome\r\n\r\nAuthorised use only\r\nSSH-2.0-x\r\n", GreetingKind::ssh, "SSH-2.0-x");
    check("\nSSH-2.0-x\r\n", GreetingKind::ssh, "SSH-2.0-x");
    check(std::string(longest_greeting, 'x') + "\nSSH-2.0-x\r\n", GreetingKind::ssh, "SSH-2.0-x");
}

TEST_CASE("what may still become SSH is waited for") {
    check("", GreetingKind::incomplete, "");
    check("S", GreetingKind::incomplete, "S");
    check("SS", GreetingKind::incomplete, "SS");
    check("SSH", GreetingKind::incomplete, "SSH");
    check("\r\n", GreetingKind::incomplete, "");
    check("Welcome", GreetingKind::incomplete, "Welcome");
    check("Welcome\r\nSSH", GreetingKind::incomplete, "Welcome");
    check("ssh-2.0-x\r\n", GreetingKind::incomplete, "ssh-2.0-x");
    check("this is no SSH-2.0 server\r\n", GreetingKind::incomplete, "this is no SSH-2.0 server");
    check("HTTP", GreetingKind::incomplete, "HTTP");
    check("220", GreetingKind::incomplete, "220");
    check("22 0\r\n", GreetingKind::incomplete, "22 0");
}

TEST_CASE("sshd's own reasons for dropping a connection are told apart") {
    check("Exceeded MaxStartups\r\n", GreetingKind::throttled, "Exceeded MaxStartups");
    check("Exceeded MaxStartups", GreetingKind::throttled, "Exceeded MaxStartups");
    check("Not allowed at this time\r\n", GreetingKind::penalised, "Not allowed at this time");
    check("Not allowed\r\n", GreetingKind::incomplete, "Not allowed");
    check("Exceeded\r\nMaxStartups\r\n", GreetingKind::incomplete, "Exceeded");
}

TEST_CASE("other services are known by their first words") {
    check("HTTP/1.1 400 Bad Request\r\nServer: x\r\n", GreetingKind::not_ssh,
          "HTTP/1.1 400 Bad Request");
    check("220 mail.example.org ESMTP\r\n", GreetingKind::not_ssh, "220 mail.example.org ESMTP");
    check("220-ftp\r\n220 ready\r\n", GreetingKind::not_ssh, "220-ftp");
    check("+OK POP3 ready\r\n", GreetingKind::not_ssh, "+OK POP3 ready");
    check("* OK IMAP4rev1\r\n", GreetingKind::not_ssh, "* OK IMAP4rev1");
    check("-ERR unknown command\r\n", GreetingKind::not_ssh, "-ERR unknown command");
    check(std::string("\x15\x03\x01\x00\x02\x02\x28", 7), GreetingKind::not_ssh,
          "\\x15\\x03\\x01\\x00\\x02\\x02(");
}

TEST_CASE("a port that talks on without SSH is given up") {
    const std::string almost(longest_greeting - 1, 'x');
    CHECK(read_greeting(almost).kind == GreetingKind::incomplete);
    CHECK(read_greeting(almost + "x").kind == GreetingKind::not_ssh);
    CHECK(read_greeting(almost + "x").line.size() < 200);

    std::string many_lines = "first\r\n";
    while (many_lines.size() < longest_greeting) many_lines += "and more\r\n";
    check(many_lines, GreetingKind::not_ssh, "first");
}

TEST_CASE("what a port says is made safe before anybody sees it") {
    check("\x1b[2J\x1b]0;owned\x07 HTTP\r\n", GreetingKind::incomplete,
          "\\x1b[2J\\x1b]0;owned\\x07 HTTP");
    check("SSH-2.0-\x1b[31mred\r\n", GreetingKind::ssh, "SSH-2.0-\\x1b[31mred");
    check("\xff\xfe\r\n", GreetingKind::incomplete, "\\xff\\xfe");
}
