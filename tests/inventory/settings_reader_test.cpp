#include "gpumuster/inventory/settings_reader.hpp"

#include "gpumuster/inventory/inventory.hpp"
#include "input_lines.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using Lines = std::vector<std::string>;

namespace {

// What is wrong with one line of settings of the host "n".
std::string problem_of(const std::string& setting) {
    CAPTURE(setting);
    const Lines told =
        input_lines([&] { load_inventory("hosts:\n  n:\n    " + setting + "\n", "f"); });
    REQUIRE(told.size() == 1);
    const std::string place = "f:3:";
    REQUIRE(told[0].rfind(place, 0) == 0);
    return told[0].substr(told[0].find(' ') + 1);
}

bool is_taken(const std::string& setting) {
    return input_lines([&] { load_inventory("hosts:\n  n:\n    " + setting + "\n", "f"); }).empty();
}

}  // namespace

TEST_CASE("the transport and what becomes of new host keys are words") {
    const auto settings_of = [](const std::string& setting) {
        return load_inventory("hosts: {n: {" + setting + "}}", "f").hosts[0].settings;
    };
    CHECK(settings_of("transport: auto").transport == TransportChoice::automatic);
    CHECK(settings_of("transport: libssh").transport == TransportChoice::libssh);
    CHECK(settings_of("transport: openssh").transport == TransportChoice::openssh);
    CHECK(settings_of("host_keys: refuse").new_host_keys == NewHostKeys::refuse);
    CHECK(settings_of("host_keys: accept-new").new_host_keys == NewHostKeys::accept);
    CHECK_FALSE(settings_of("port: 22").transport.has_value());
    CHECK_FALSE(settings_of("port: 22").new_host_keys.has_value());
    CHECK(problem_of("transport: opensh") ==
          "host \"n\": transport \"opensh\" is not one of auto, libssh, openssh; did you mean "
          "\"openssh\"?");
    CHECK(problem_of("host_keys: no") ==
          "host \"n\": host_keys \"no\" is not one of refuse, accept-new");
    CHECK(problem_of("transport: [auto]") ==
          "host \"n\": transport takes a single value, not a list");
}

TEST_CASE("an unknown key names the nearest, or all of them") {
    CHECK(problem_of("prot: 22") == "host \"n\": unknown key \"prot\"; did you mean \"port\"?");
    CHECK(problem_of("Port: 22") == "host \"n\": unknown key \"Port\"; did you mean \"port\"?");
    CHECK(problem_of("hosts: [a]") ==
          "host \"n\": unknown key \"hosts\"; accepted are address, port, user, identity, "
          "known_hosts, host_keys, jump, container, transport, connect_timeout, command_timeout, "
          "idle_memory, expect, labels");
    CHECK(problem_of("expect: {gpu: 8}") ==
          "host \"n\": unknown key \"gpu\"; did you mean \"gpus\"?");
}

TEST_CASE("numbers have limits") {
    CHECK(is_taken("port: 1"));
    CHECK(is_taken("port: 65535"));
    CHECK(is_taken("port: \"22\""));
    CHECK(problem_of("port: 0") == "host \"n\": port 0 is outside 1-65535");
    CHECK(problem_of("port: 65536") == "host \"n\": port 65536 is outside 1-65535");
    CHECK(problem_of("port: -1") == "host \"n\": port -1 is outside 1-65535");
    CHECK(problem_of("port: 99999999999") == "host \"n\": port 99999999999 is outside 1-65535");
    CHECK(problem_of("port: ssh") == "host \"n\": port \"ssh\" is not a number in 1-65535");
    const auto no_number = GENERATE("22.0", "0x16", "1_000", "2e3", "yes", ".nan", "\"\"", "22 23");
    CHECK_THAT(problem_of("port: " + std::string{no_number}),
               ContainsSubstring("is not a number in 1-65535"));
    CHECK(is_taken("expect: {gpus: 64}"));
    CHECK(problem_of("expect: {gpus: 65}") == "host \"n\": expect.gpus 65 is outside 0-64");
}

TEST_CASE("durations and sizes carry their unit") {
    CHECK(problem_of("connect_timeout: 10") ==
          "host \"n\": connect_timeout \"10\" is not a duration such as 500ms, 10s, 2m or 1h (at "
          "most 24h)");
    CHECK_THAT(problem_of("command_timeout: 0s"),
               ContainsSubstring("command_timeout \"0s\" is not"));
    CHECK(problem_of("idle_memory: 100") ==
          "host \"n\": idle_memory \"100\" is not a size such as 100MiB or 2GiB");
    CHECK(is_taken("idle_memory: 0MiB"));
}

TEST_CASE("a text is not one of YAML's words for something else") {
    const auto word = GENERATE("yes", "No", "ON", "off", "true", "False", ".nan", ".inf", "-.INF");
    CHECK(problem_of("user: " + std::string{word}) ==
          "host \"n\": user \"" + std::string{word} +
              "\" is no text in YAML unless it stands in quotes");
    CHECK(is_taken("user: \"" + std::string{word} + "\"") == (word[0] != '-'));
}

TEST_CASE("a number may stand for a text") {
    CHECK(is_taken("user: 1000"));
    CHECK(is_taken("expect: {model: 4090}"));
    CHECK(is_taken("labels: {rack: 12, ratio: 0.5}"));
}

TEST_CASE("values of the wrong shape are refused") {
    CHECK(problem_of("user: [a]") == "host \"n\": user takes a single value, not a list");
    CHECK(problem_of("port: {a: b}") == "host \"n\": port takes a single value, not a map");
    CHECK(problem_of("user:") == "host \"n\": user has no value");
    CHECK(problem_of("user: \"\"") == "host \"n\": user \"\" is empty");
    CHECK(problem_of("identity: []") == "host \"n\": identity is an empty list");
    CHECK(problem_of("identity: [[a]]") == "host \"n\": identity takes a single value, not a list");
    CHECK(problem_of("identity: [~]") == "host \"n\": identity has no value");
    CHECK(problem_of("expect: 8") == "host \"n\": expect takes a map, not a single value");
    CHECK(problem_of("labels: [a]") == "host \"n\": labels takes a map, not a list");
    CHECK(problem_of("labels: {rack: [a]}") ==
          "host \"n\": label \"rack\" takes a single value, not a list");
    CHECK(problem_of("labels: {rack: }") == "host \"n\": label \"rack\" has no value");
}

TEST_CASE("addresses and users are held against what they can be") {
    CHECK(problem_of("address: 10.0.0.7:2222") ==
          "host \"n\": address \"10.0.0.7:2222\" has a ':', which no host name or address has; the "
          "port has a key of its own: port");
    CHECK(
        problem_of("address: root@gpu1") ==
        "host \"n\": address \"root@gpu1\" has a '@', which no host name or address has; the user "
        "has a key of its own: user");
    CHECK(problem_of("address: -oProxyCommand=x") ==
          "host \"n\": address \"-oProxyCommand=x\" begins with '-'");
    CHECK(problem_of("address: \"{host}.x\"").size() > 0);
    CHECK(is_taken("address: fe80::1%eth0"));
    CHECK(is_taken("address: \"{name}.x\""));
    CHECK(is_taken("address: \"{name}.{name}\""));
    CHECK(problem_of("user: -root") == "host \"n\": user \"-root\" begins with '-'");
    CHECK(problem_of("user: a b") == "host \"n\": user \"a b\" has a blank");
}

TEST_CASE("escapes cannot bring in what the file itself must not hold") {
    CHECK(problem_of("user: \"a\\x1b[31m\"") ==
          "host \"n\": user \"a\\x1b[31m\" has characters that cannot be printed");
    CHECK(problem_of("labels: {a: \"x\\u202ey\"}") ==
          "host \"n\": label \"a\" \"x\\u{202e}y\" has characters that cannot be printed");
    CHECK(problem_of("labels: {\"a\\nb\": x}") ==
          "host \"n\": label \"a b\" has characters that cannot be printed");
    CHECK(is_taken("labels: {ort: \"Köln 漢字\"}"));
}

TEST_CASE("a tilde stands for the own home only") {
    CHECK(is_taken("identity: ~/.ssh/id"));
    CHECK(is_taken("known_hosts: [a~, ./~x]"));
    CHECK(problem_of("identity: ~anna/id") ==
          "host \"n\": identity \"~anna/id\" begins with '~', which stands for a home only in "
          "\"~/\"");
}

TEST_CASE("the owner of the settings is named") {
    CHECK(owner_name({SettingsOwner::Kind::defaults, ""}) == "defaults");
    CHECK(owner_name({SettingsOwner::Kind::group, "g"}) == "group \"g\"");
    CHECK(owner_name({SettingsOwner::Kind::range, "n[1-2]"}) == "hosts \"n[1-2]\"");
}
