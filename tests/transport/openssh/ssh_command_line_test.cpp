#include "gpumuster/transport/openssh/ssh_command_line.hpp"

#include <algorithm>

#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

using Words = std::vector<std::string>;

EffectiveSettings settings_of(Words arguments = {}) {
    EffectiveSettings settings;
    settings.target.host_key_rule = HostKeyRule::known_only;
    settings.openssh_arguments = std::move(arguments);
    settings.openssh_destination = "gpu1";
    return settings;
}

Words command_line(const EffectiveSettings& settings) {
    return ssh_command_line("/usr/bin/ssh", settings, 2500ms, "echo hi; exit 7");
}

bool has(const Words& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::size_t position(const Words& words, const std::string& word) {
    return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

}  // namespace

TEST_CASE("the command line ends with the destination and the command as one argument each") {
    const Words words = command_line(settings_of());
    CHECK(words.front() == "/usr/bin/ssh");
    const Words end(words.end() - 3, words.end());
    CHECK(end == Words{"--", "gpu1", "echo hi; exit 7"});
}

TEST_CASE("nothing is asked, forwarded or started beside the one command") {
    const Words words = command_line(settings_of());
    for (const char* word :
         {"-x", "-a", "-T", "BatchMode=yes", "NumberOfPasswordPrompts=0", "ClearAllForwardings=yes",
          "ForwardAgent=no", "ForwardX11=no", "PermitLocalCommand=no", "RemoteCommand=none",
          "RequestTTY=no", "EscapeChar=none", "ControlMaster=no"}) {
        INFO(word);
        CHECK(has(words, word));
    }
    CHECK_FALSE(has(words, "-f"));
}

TEST_CASE("our options stand before those of the settings, so that they win") {
    const Words words = command_line(settings_of({"-F", "/tmp/config", "-o", "BatchMode=no"}));
    CHECK(position(words, "BatchMode=yes") < position(words, "BatchMode=no"));
    CHECK(position(words, "BatchMode=no") < position(words, "--"));
}

TEST_CASE("the time to connect is rounded up to seconds and left to settings that have one") {
    CHECK(has(command_line(settings_of()), "ConnectTimeout=3"));
    const Words words = command_line(settings_of({"-o", "connecttimeout=7"}));
    CHECK_FALSE(has(words, "ConnectTimeout=3"));
    CHECK(has(words, "connecttimeout=7"));
    CHECK(has(ssh_command_line("ssh", settings_of(), 0ms, "true"), "ConnectTimeout=1"));
}

TEST_CASE("the host key rule decides the checking, and no rule lets a changed key pass") {
    EffectiveSettings settings = settings_of();
    CHECK(has(command_line(settings), "StrictHostKeyChecking=yes"));
    settings.target.host_key_rule = HostKeyRule::accept_new;
    CHECK(has(command_line(settings), "StrictHostKeyChecking=accept-new"));
    settings.target.host_key_rule = HostKeyRule::accept_unverified;
    CHECK(has(command_line(settings), "StrictHostKeyChecking=accept-new"));
}
