#include "gpumuster/transport/settings/config_question.hpp"

#include "gpumuster/transport/settings/openssh_arguments.hpp"
#include "support/catch.hpp"

using namespace gpumuster;

namespace {

using Words = std::vector<std::string>;

Host host_with_hops(std::vector<Hop> hops) {
    Host host;
    host.name = "gpu1";
    host.settings.jump = std::move(hops);
    return host;
}

Hop hop_to(const std::string& address) {
    Hop hop;
    hop.address = address;
    return hop;
}

}  // namespace

TEST_CASE("ssh is given what inventory and flags say, and nothing else") {
    Host host;
    host.name = "gpu1";
    ConfigSource source;
    CHECK(config_arguments(source, question_for(host)).empty());
    CHECK(typed_arguments(source, question_for(host)) == "gpu1");

    host.settings.address = "203.0.113.7";
    host.settings.port = std::uint16_t{2222};
    host.settings.user = "anna";
    source.file = "/etc/lab config";
    CHECK(config_arguments(source, question_for(host)) ==
          Words{"-F", "/etc/lab config", "-p", "2222", "-l", "anna"});
    CHECK(typed_arguments(source, question_for(host)) ==
          "-F '/etc/lab config' -p 2222 anna@203.0.113.7");
    CHECK(question_for(host).name == "203.0.113.7");

    source.is_read = false;
    CHECK(config_arguments(source, question_for(host)) ==
          Words{"-F", "none", "-p", "2222", "-l", "anna"});
}

TEST_CASE("the inventory's hops are the way, and an empty list is straight") {
    Hop door = hop_to("door");
    door.user = "ops";
    door.port = std::uint16_t{2200};
    const ConfigSource source;
    CHECK(config_arguments(source, question_for(host_with_hops({door, hop_to("::1")}))) ==
          Words{"-J", "ops@door:2200,[::1]"});
    // ProxyJump=none alone leaves a ProxyCommand of ssh_config alone.
    CHECK(config_arguments(source, question_for(host_with_hops({}))) ==
          Words{"-o", "ProxyJump=none", "-o", "ProxyCommand=none"});
}

TEST_CASE("a name is quoted for the shell where it has to be") {
    ConfigSource source;
    source.file = "/it's/$HOME";
    ConfigQuestion question;
    question.name = "gpu1";
    question.user = R"(DOM\anna)";
    CHECK(typed_arguments(source, question) == R"(-F '/it'\''s/$HOME' 'DOM\anna@gpu1')");
}

TEST_CASE("the system's ssh gets the keys and known_hosts of the inventory in place of its own") {
    Host host;
    host.name = "gpu1";
    host.settings.identities = {"/keys/one", "/keys/100%h"};
    host.settings.known_hosts = {"/k/known", R"(/with blank/a"b)"};
    CHECK(openssh_arguments({}, question_for(host), host.settings) ==
          Words{"-i", "/keys/one", "-i", "/keys/100%%h", "-o", "IdentitiesOnly=yes", "-o",
                R"(UserKnownHostsFile="/k/known" "/with blank/a\"b")", "-o",
                "GlobalKnownHostsFile=/dev/null"});
}

TEST_CASE("a hop with a key of its own cannot be said by -J") {
    Hop door = hop_to("door");
    CHECK(trouble_with_hops(host_with_hops({door}).settings).empty());
    CHECK(trouble_with_hops({}).empty());
    door.identities = {"/keys/door"};
    CHECK_THAT(trouble_with_hops(host_with_hops({hop_to("a"), door}).settings),
               ContainsSubstring("the jump host door"));
    door.identities.clear();
    door.known_hosts = {"/keys/known_hosts"};
    CHECK_FALSE(trouble_with_hops(host_with_hops({door}).settings).empty());
}
