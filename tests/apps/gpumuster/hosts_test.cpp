#include "apps/gpumuster/hosts.hpp"

#include <nlohmann/json.hpp>

#include "fixtures.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
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

}  // namespace

TEST_CASE("the resolved hosts are an aligned table") {
    TextSink sink;
    render_hosts_table(three_hosts(), anna(), sink);
    CHECK(sink.text ==
          "HOST                   USER  ADDRESS                 PORT  ROUTE   EXPECTED\n"
          "node1                  root  203.0.113.7            10978  direct  gpus 8, model H100\n"
          "edge-with-a-long-name  anna  edge-with-a-long-name     22  direct\n"
          "desk                   anna  –                          –  local   gpus 0\n");
}

TEST_CASE("the resolved hosts as JSON say null where nobody said anything") {
    TextSink sink;
    render_hosts_json(three_hosts(), anna(), sink);
    const auto expected = nlohmann::json::parse(R"([
        {"name": "node1", "user": "root", "address": "203.0.113.7", "port": 10978,
         "route": "direct", "groups": ["training", "all-h100"],
         "expect": {"gpus": 8, "model": "H100"}},
        {"name": "edge-with-a-long-name", "user": "anna", "address": "edge-with-a-long-name",
         "port": 22, "route": "direct", "groups": [], "expect": {"gpus": null, "model": null}},
        {"name": "desk", "user": "anna", "address": null, "port": null, "route": "local",
         "groups": [], "expect": {"gpus": 0, "model": null}}
    ])");
    CHECK(nlohmann::json::parse(sink.text) == expected);
}

TEST_CASE("bytes from an inventory cannot spoil the list") {
    std::vector<Host> hosts(1);
    hosts[0].name = "node1";
    hosts[0].settings.expect.model = "H100\x1b[31m\xff";
    TextSink table;
    render_hosts_table(hosts, anna(), table);
    CHECK_THAT(table.text, ContainsSubstring("H100\\x1b[31m\\xff"));
    TextSink json;
    render_hosts_json(hosts, anna(), json);
    CHECK(nlohmann::json::parse(json.text)[0]["expect"]["model"] == "H100\\x1b[31m\\xff");
}
