#include "gpumuster/inventory/inventory.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

const std::string configs = GPUMUSTER_SOURCE_DIR "/configs/";

Host host_of(const Inventory& inventory, const std::string& name) {
    const auto hosts = select_hosts(inventory, std::vector<std::string>{name}, {});
    REQUIRE(hosts.size() == 1);
    return hosts.front();
}

}  // namespace

TEST_CASE("the example of a fleet loads and means what its comments say") {
    const Inventory inventory = load_inventory_file(configs + "fleet.yaml");
    CHECK(inventory.hosts.size() == 128 + 2 + 1 + 2 + 1 + 3 + 8);
    CHECK(inventory.groups.at("training").size() == 98);
    CHECK(inventory.groups.at("inference").size() == 33);

    const Host whole = host_of(inventory, "node056");
    CHECK(whole.settings.user == "gpuops");
    CHECK(whole.settings.expect.gpus == 8);
    CHECK(whole.settings.command_timeout == 60s);
    const Host short_of_one = host_of(inventory, "node057");
    CHECK(short_of_one.settings.expect.gpus == 7);
    CHECK(short_of_one.settings.expect.model == "H100");
    CHECK(short_of_one.settings.labels.at("site") == "north");

    const Host rented = host_of(inventory, "rented-2");
    CHECK(rented.settings.port == 10979);
    CHECK(rented.settings.user == "root");
    CHECK(rented.settings.known_hosts == std::vector<std::string>{configs + "rented_known_hosts"});
    CHECK(rented.groups == std::vector<std::string>{"training", "rented"});

    const Host vault = host_of(inventory, "vault2");
    REQUIRE(vault.settings.jump->size() == 2);
    CHECK(vault.settings.jump->front().user == "ops");
    CHECK(host_of(inventory, "trainer").settings.container->name == "129");
    CHECK(host_of(inventory, "notebook3").settings.container->name == "jupyter-notebook3");

    const Host lab = host_of(inventory, "rack2-gpu04");
    CHECK(address_of(lab) == "rack2-gpu04.lab.example.com");
    CHECK(lab.settings.idle_memory_mib == 600);
    CHECK(host_of(inventory, "edge-7").settings.address == "2001:db8::7");
}

TEST_CASE("the example in JSON loads the same way") {
    const Inventory inventory = load_inventory_file(configs + "lab.json");
    CHECK(inventory.hosts.size() == 5);
    CHECK(inventory.groups.at("servers").size() == 4);
    CHECK(host_of(inventory, "gpu3").settings.expect.model == "A100");
    CHECK(host_of(inventory, "workstation").settings.port == 2222);
}
