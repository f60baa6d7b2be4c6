#include "apps/gpumuster/environment.hpp"

#include <sys/stat.h>

#include <cstdlib>

#include "fixtures.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace gpumuster;
using gpumuster::test::environment_of;

TEST_CASE("the default inventory is the one that GPUMUSTER_INVENTORY names, there or not") {
    const auto environment =
        environment_of({{"GPUMUSTER_INVENTORY", "/srv/fleet.yaml"}, {"HOME", "/home/anna"}},
                       {"/home/anna/.config/gpumuster/fleet.yaml"});
    CHECK(default_inventory(environment) == "/srv/fleet.yaml");
}

TEST_CASE("else it is fleet.yaml in the configuration folder of the user") {
    CHECK(default_inventory(environment_of({{"HOME", "/home/anna"}},
                                           {"/home/anna/.config/gpumuster/fleet.yaml"})) ==
          "/home/anna/.config/gpumuster/fleet.yaml");
    CHECK(default_inventory(environment_of(
              {{"HOME", "/home/anna"}, {"XDG_CONFIG_HOME", "/conf"}},
              {"/conf/gpumuster/fleet.yaml", "/home/anna/.config/gpumuster/fleet.yaml"})) ==
          "/conf/gpumuster/fleet.yaml");
}

TEST_CASE("a file elsewhere is no default inventory") {
    // With XDG_CONFIG_HOME set, ~/.config is not looked at.
    CHECK_FALSE(
        default_inventory(environment_of({{"HOME", "/home/anna"}, {"XDG_CONFIG_HOME", "/conf"}},
                                         {"/home/anna/.config/gpumuster/fleet.yaml"})));
    CHECK_FALSE(default_inventory(environment_of(
        {{"HOME", "/home/anna"}}, {"/home/anna/.config/gpumuster/fleet.yml", "fleet.yaml"})));
    CHECK_FALSE(default_inventory(environment_of({}, {"/.config/gpumuster/fleet.yaml"})));
}

TEST_CASE("an environment variable without text counts as unset") {
    const Environment environment = process_environment();
    setenv("GPUMUSTER_TEST_VARIABLE", "", 1);
    CHECK_FALSE(environment.variable("GPUMUSTER_TEST_VARIABLE"));
    setenv("GPUMUSTER_TEST_VARIABLE", "x", 1);
    CHECK(environment.variable("GPUMUSTER_TEST_VARIABLE") == "x");
    unsetenv("GPUMUSTER_TEST_VARIABLE");
    CHECK_FALSE(environment.variable("GPUMUSTER_TEST_VARIABLE"));
}

TEST_CASE("a file exists or it does not") {
    const Environment environment = process_environment();
    CHECK(environment.file_exists(GPUMUSTER_SOURCE_DIR "/CMakeLists.txt"));
    CHECK_FALSE(environment.file_exists(GPUMUSTER_SOURCE_DIR "/CMakeLists.txt.not-there"));
}

TEST_CASE("a file that can be read again and again has no fault, and any other says its own") {
    const Environment environment = process_environment();
    const test::TempDir folder;
    CHECK_FALSE(environment.reading_fault(folder.write("config", "Host *\n")));
    CHECK_FALSE(environment.reading_fault("/dev/null"));
    CHECK(environment.reading_fault(folder.file("missing")) == "No such file or directory");
    CHECK(environment.reading_fault(folder.path()) == "Is a directory");
    const std::string pipe = folder.file("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(environment.reading_fault(pipe) ==
          "it can be read only once; write what it says into a file");
}

TEST_CASE("a program is a file that may be run, and no folder") {
    const Environment environment = process_environment();
    const test::TempDir folder;
    CHECK(environment.is_program("/bin/sh"));
    CHECK(environment.is_program(folder.write("tool", "#!/bin/sh\n", 0755)));
    CHECK_FALSE(environment.is_program(folder.write("text", "x", 0644)));
    CHECK_FALSE(environment.is_program(folder.path()));
    CHECK_FALSE(environment.is_program(folder.file("missing")));
}
