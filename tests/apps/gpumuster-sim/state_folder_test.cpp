#include "gpumuster-sim/state_folder.hpp"

#include <sys/stat.h>

#include <fstream>

#include "apps/gpumuster-sim/openssh_client.hpp"
#include "gpumuster/base/input_error.hpp"
#include "gpumuster/inventory/inventory.hpp"
#include "support/catch.hpp"
#include "support/components.hpp"

using namespace gpumuster;
using namespace gpumuster::sim;
using namespace gpumuster::test;

TEST_CASE("the written inventory names every host, the key and the known hosts") {
    Scenario scenario = clean_scenario(3, {});
    scenario.hosts[1].expected_gpus = 4;
    const SimulatedFleet fleet(scenario);
    const TempDir folder;
    const std::string root = folder.path() + "/new/state \"dir\"";
    write_state_folder(fleet, root);

    const Inventory inventory = load_inventory_file(root + "/inventory.yaml");
    REQUIRE(inventory.hosts.size() == 3);
    const HostSettings& settings = inventory.hosts[1].settings;
    CHECK(inventory.hosts[1].name == "node02");
    CHECK(settings.address == "127.0.0.1");
    CHECK(settings.port == fleet.hosts()[1].port);
    CHECK(settings.user == "root");
    CHECK(settings.expect.gpus == 4);
    CHECK(inventory.hosts[0].settings.expect.gpus == 8);
    CHECK(settings.identities == std::vector<std::string>{root + "/key"});
    CHECK(settings.known_hosts == std::vector<std::string>{root + "/known_hosts"});
}

TEST_CASE("the key is for its owner alone, also over an older file") {
    const SimulatedFleet fleet(clean_scenario(1, {}));
    const TempDir folder;
    std::ofstream(folder.path() + "/key") << "old and readable";
    write_state_folder(fleet, folder.path());
    struct stat status {};
    REQUIRE(stat((folder.path() + "/key").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600U);
    if (component_missing("ssh-keygen")) return;
    const ShellResult shown = run_shell("ssh-keygen -y -f " + folder.path() + "/key");
    CHECK(shown.status == 0);
    CHECK_THAT(shown.text, ContainsSubstring("ssh-ed25519 "));
}

TEST_CASE("known hosts leave out or falsify the keys of the states that say so") {
    Scenario scenario = clean_scenario(3, {});
    scenario.hosts[1].state = HostState::unknown_key;
    scenario.hosts[2].state = HostState::changed_key;
    const SimulatedFleet fleet(scenario);
    const std::string text = fleet.known_hosts_text();
    const auto line_of = [&](std::size_t i) {
        const std::string start = "[127.0.0.1]:" + std::to_string(fleet.hosts()[i].port) + " ";
        const std::size_t found = text.find(start);
        if (found == std::string::npos) return std::string();
        return text.substr(found + start.size(), text.find('\n', found) - found - start.size());
    };
    CHECK(line_of(0).starts_with("ssh-ed25519 AAAA"));
    CHECK(line_of(1).empty());
    CHECK(line_of(2).starts_with("ssh-ed25519 AAAA"));
    CHECK(line_of(2) != line_of(0));
}

TEST_CASE("a folder that cannot be made is the user's mistake") {
    const SimulatedFleet fleet(clean_scenario(1, {}));
    CHECK_THROWS_AS(write_state_folder(fleet, "/dev/null/state"), InputError);
}
