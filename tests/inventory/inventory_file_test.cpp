#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gpumuster/inventory/inventory.hpp"
#include "input_lines.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace gpumuster;
namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

namespace {

// $HOME as a test wants it, put back at the end.
class Home {
public:
    explicit Home(const char* value) {
        if (const char* before = std::getenv("HOME")) before_ = before;
        value == nullptr ? unsetenv("HOME") : setenv("HOME", value, 1);
    }
    ~Home() { setenv("HOME", before_.c_str(), 1); }
    Home(const Home&) = delete;
    Home& operator=(const Home&) = delete;

private:
    std::string before_;
};

// Standard input from a file, put back at the end.
class StandardInput {
public:
    explicit StandardInput(const std::string& path) : before_(dup(STDIN_FILENO)) {
        REQUIRE(std::freopen(path.c_str(), "r", stdin) != nullptr);
    }
    ~StandardInput() {
        dup2(before_, STDIN_FILENO);
        close(before_);
        std::clearerr(stdin);
    }
    StandardInput(const StandardInput&) = delete;
    StandardInput& operator=(const StandardInput&) = delete;

private:
    int before_;
};

Lines problems_of(const std::string& path) {
    return input_lines([&] { load_inventory_file(path); });
}

}  // namespace

TEST_CASE("paths are seen from the folder of the file, and the tilde is the home") {
    const test::TempDir folder;
    const Home home("/home/anna");
    const std::string path = folder.write(
        "fleet.yaml", "hosts: {a: {identity: [key, ../k, /abs, ~/.ssh/id], known_hosts: kh}}\n");
    const HostSettings settings = load_inventory_file(path).hosts[0].settings;
    CHECK(settings.identities ==
          Lines{folder.file("key"), folder.file("../k"), "/abs", "/home/anna/.ssh/id"});
    CHECK(settings.known_hosts == Lines{folder.file("kh")});
}

TEST_CASE("paths of jump hosts are seen like those of hosts, from wherever they are inherited") {
    const test::TempDir folder;
    const Home home("/home/anna");
    const std::string path = folder.write("fleet.yaml",
                                          "defaults: {jump: [a, {address: b, identity: [key, "
                                          "~/k], known_hosts: /kh}]}\nhosts: {n1: , n2: }\n");
    for (const Host& host : load_inventory_file(path).hosts) {
        const std::vector<Hop>& hops = *host.settings.jump;
        CHECK(hops[0].identities.empty());
        CHECK(hops[1].identities == Lines{folder.file("key"), "/home/anna/k"});
        CHECK(hops[1].known_hosts == Lines{"/kh"});
    }
}

TEST_CASE("a file in the working directory leaves its relative paths relative") {
    const test::TempDir folder;
    folder.write("fleet.yaml", "hosts: {a: {identity: keys/id}}\n");
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    const Inventory inventory = load_inventory_file("fleet.yaml");
    fs::current_path(before);
    CHECK(inventory.hosts[0].settings.identities == Lines{"keys/id"});
}

TEST_CASE("a tilde without a home is a mistake") {
    const test::TempDir folder;
    const Home home(nullptr);
    const std::string with = folder.write("a.yaml", "hosts: {a: {identity: ~/id}}\n");
    const std::string without = folder.write("b.yaml", "hosts: {a: {identity: id}}\n");
    CHECK(problems_of(with) == Lines{"~/id: ~/ stands for $HOME, which is not set"});
    CHECK(problems_of(without).empty());
}

TEST_CASE("a dash is standard input, whose paths are seen from the working directory") {
    const test::TempDir folder;
    const std::string good = folder.write("good", "hosts: {a: {identity: keys/id}}\n");
    const std::string bad = folder.write("bad", "hosts: {a: {port: 0}}\n");
    {
        const StandardInput input(good);
        CHECK(load_inventory_file("-").hosts[0].settings.identities == Lines{"keys/id"});
    }
    {
        const StandardInput input(bad);
        CHECK(problems_of("-") == Lines{"<stdin>:1:19: host \"a\": port 0 is outside 1-65535"});
    }
}

TEST_CASE("a file that cannot be read says why") {
    const test::TempDir folder;
    const std::string missing = folder.file("missing.yaml");
    CHECK(problems_of(missing) == Lines{"cannot read " + missing + ": No such file or directory"});
    CHECK(problems_of(folder.path()) == Lines{"cannot read " + folder.path() + ": Is a directory"});
    CHECK(problems_of("").size() == 1);
}

TEST_CASE("a file without an end is given up") {
    CHECK(problems_of("/dev/zero") ==
          Lines{"/dev/zero is larger than 64 MiB, the most that is accepted"});
}

TEST_CASE("errors in a file carry the path that was typed") {
    const test::TempDir folder;
    const std::string path = folder.write("fleet.yaml", "hosts: {a: {port: 0}}\n");
    CHECK(problems_of(path) == Lines{path + ":1:19: host \"a\": port 0 is outside 1-65535"});
}
