#include "apps/gpumuster/hosts.hpp"

#include <nlohmann/json.hpp>

#include "fixtures.hpp"
#include "support/catch.hpp"
#include "support/targets.hpp"

using namespace gpumuster;
using gpumuster::test::targets_of;
using gpumuster::test::TextSink;

namespace {

LoginDefaults anna() {
    LoginDefaults login;
    login.user = "anna";
    return login;
}

std::vector<Host> three_hosts() {
    std::vector<Host> hosts(3);
    hosts[0].name = "node1";
    hosts[0].settings.address = "203.0.113.7";
    hosts[0].settings.port = 10978;
    hosts[0].settings.user = "root";
    hosts[0].settings.expect.gpus = 8;
    hosts[0].settings.expect.model = "H100";
    hosts[0].groups = {"training", "all-h100"};
    hosts[1].name = "edge-with-a-long-name";
    hosts[2].name = "desk";
    hosts[2].reach = Reach::local;
    hosts[2].settings.expect.gpus = 0;
    return hosts;
}

// Behind two hops, in a container, by the system's ssh, and one that there is no way to.
std::vector<Target> odd_targets() {
    std::vector<Host> hosts(4);
    hosts[0].name = "gpu1";
    hosts[0].settings.jump = std::vector<Hop>(2);
    hosts[0].settings.jump->at(0).address = "bastion";
    hosts[0].settings.jump->at(1).address = "b2";
    hosts[0].settings.jump->at(1).user = "ops";
    hosts[0].settings.jump->at(1).port = 2222;
    hosts[1].name = "trainer";
    hosts[1].settings.container = ContainerEntry();
    hosts[1].settings.container->name = "129";
    hosts[2].name = "lab";
    hosts[2].settings.container = ContainerEntry();
    hosts[2].settings.container->kind = ContainerEntry::Kind::exec;
    hosts[2].settings.container->argv = {"podman", "exec", "web"};
    hosts[2].settings.expect.gpus = 2;
    hosts[3].name = "odd";
    std::vector<Target> targets = targets_of(hosts, anna());
    targets[2].settings->transport = TransportKind::openssh;
    targets[2].settings->transport_reason = "ProxyCommand in ssh_config";
    HopRef hop;
    hop.name = "odd";
    targets[3].settings =
        failed(make_failure(FailureKind::config_refused, hop, "line 3: Bad option \x1b[31m"));
    return targets;
}

std::string table_of(std::span<const Target> targets) {
    TextSink sink;
    render_hosts_table(targets, sink);
    return sink.text;
}

nlohmann::json json_of(std::span<const Target> targets) {
    TextSink sink;
    render_hosts_json(targets, sink);
    return nlohmann::json::parse(sink.text);
}

}  // namespace

TEST_CASE("the resolved hosts are an aligned table") {
    CHECK(table_of(targets_of(three_hosts(), anna())) ==
          "HOST                   USER  ADDRESS                 PORT  ROUTE   EXPECTED\n"
          "node1                  root  203.0.113.7            10978  direct  gpus 8, model H100\n"
          "edge-with-a-long-name  anna  edge-with-a-long-name     22  direct\n"
          "desk                   anna  –                          –  local   gpus 0\n");
}

TEST_CASE("the table shows hops, containers, the system's ssh, and where there is no way") {
    CHECK(
        table_of(odd_targets()) ==
        "HOST     USER  ADDRESS  PORT  ROUTE            CONTAINER        TRANSPORT"
        "                            EXPECTED\n"
        "gpu1     anna  gpu1       22  via bastion, b2                   libssh\n"
        "trainer  anna  trainer    22  direct           pct 129          libssh\n"
        "lab      anna  lab        22  direct           podman exec web  openssh: ProxyCommand in "
        "ssh_config  gpus 2\n"
        "odd      ?     ?           ?  ? config.refused: line 3: Bad option \\x1b[31m\n");
}

TEST_CASE("the resolved hosts as JSON say null where nobody said anything") {
    const auto expected = nlohmann::json::parse(R"([
        {"name": "node1", "user": "root", "address": "203.0.113.7", "port": 10978,
         "route": {"transport": "libssh", "reason": null, "hops": []}, "container": null,
         "failure": null, "groups": ["training", "all-h100"],
         "expect": {"gpus": 8, "model": "H100"}},
        {"name": "edge-with-a-long-name", "user": "anna", "address": "edge-with-a-long-name",
         "port": 22, "route": {"transport": "libssh", "reason": null, "hops": []},
         "container": null, "failure": null, "groups": [], "expect": {"gpus": null, "model": null}},
        {"name": "desk", "user": "anna", "address": null, "port": null,
         "route": {"transport": "local", "reason": null, "hops": []}, "container": null,
         "failure": null, "groups": [], "expect": {"gpus": 0, "model": null}}
    ])");
    CHECK(json_of(targets_of(three_hosts(), anna())) == expected);
}

TEST_CASE("the resolved hosts as JSON show every hop, the container and the transport") {
    const auto hosts = json_of(odd_targets());
    CHECK(hosts[0]["route"]["hops"] == nlohmann::json::parse(R"([
        {"name": "bastion", "user": "anna", "address": "bastion", "port": 22},
        {"name": "b2", "user": "ops", "address": "b2", "port": 2222}])"));
    CHECK(hosts[1]["container"] == nlohmann::json::parse(R"({"kind": "pct", "name": "129"})"));
    CHECK(hosts[2]["container"] == nlohmann::json::parse(R"(
        {"kind": "exec", "name": "web", "argv": ["podman", "exec", "web"]})"));
    CHECK(hosts[2]["route"]["transport"] == "openssh");
    CHECK(hosts[2]["route"]["reason"] == "ProxyCommand in ssh_config");
}

TEST_CASE("a host that there is no way to has a failure and nulls as JSON") {
    const auto host = json_of(odd_targets())[3];
    for (const char* key : {"user", "address", "port", "route"}) CHECK(host[key].is_null());
    CHECK(host["failure"]["kind"] == "config.refused");
    CHECK(host["failure"]["message"] == "line 3: Bad option \\x1b[31m");
    CHECK_FALSE(host["failure"]["next_step"].get<std::string>().empty());
}

TEST_CASE("bytes from an inventory cannot spoil the list") {
    std::vector<Host> hosts(1);
    hosts[0].name = "node1";
    hosts[0].settings.expect.model = "H100\x1b[31m\xff";
    const auto targets = targets_of(hosts, anna());
    CHECK_THAT(table_of(targets), ContainsSubstring("H100\\x1b[31m\\xff"));
    CHECK(json_of(targets)[0]["expect"]["model"] == "H100\\x1b[31m\\xff");
}
