// The rooms of the project and what each may include. docs/ARCHITECTURE.md says what they are for.

#include <algorithm>
#include <filesystem>
#include <set>

#include "support/catch.hpp"
#include "support/source_scanner.hpp"

using namespace gpumuster::test;

namespace {

using Names = std::vector<std::string>;

struct Room {
    std::string name;  // folder under lib/gpumuster
    Names may_include;
};

// Each room includes only rooms above it, so that no cycle can be.
const std::vector<Room> rooms{
    {"base", {}},
    {"inventory", {"base"}},
    {"probe", {"base"}},
    {"policy", {"base", "inventory", "probe"}},
    {"transport", {"base", "inventory"}},
    {"transport/entry", {"base", "inventory"}},
    {"transport/trust", {"base"}},
    {"transport/loop", {"base"}},
    {"transport/process", {"base", "transport/loop"}},
    {"transport/settings",
     {"base", "inventory", "transport", "transport/loop", "transport/process"}},
    {"transport/ssh",
     {"base", "inventory", "transport", "transport/entry", "transport/trust", "transport/loop",
      "transport/process"}},
    {"transport/local",
     {"base", "inventory", "transport", "transport/entry", "transport/loop", "transport/process"}},
    {"transport/openssh",
     {"base", "inventory", "transport", "transport/entry", "transport/loop", "transport/process"}},
    {"verdict", {"base", "inventory", "policy", "probe"}},
    {"report", {"base", "inventory", "policy", "probe", "verdict"}},
    {"fleet",
     {"base", "inventory", "probe", "policy", "transport", "transport/entry", "transport/trust",
      "transport/loop", "transport/process", "transport/settings", "transport/ssh",
      "transport/openssh", "transport/local", "verdict", "report"}},
};

// Where a library's headers may be included: a room, an app's folder or one file of it without its
// ending. A library that has no row is used nowhere.
struct Library {
    std::string headers;  // a header, or the beginning of all of them
    Names places;
};

const std::vector<Library> libraries{
    {"fmt/", {"everywhere"}},
    {"tl/expected.hpp", {"everywhere"}},
    {"asio/awaitable.hpp",
     {"transport", "transport/loop", "transport/process", "transport/settings", "transport/ssh",
      "transport/openssh", "transport/local", "fleet"}},
    {"asio/version.hpp", {"apps/gpumuster/version"}},
    {"asio/",
     {"transport/loop", "transport/process", "transport/settings", "transport/ssh",
      "transport/openssh", "transport/local", "fleet"}},
    {"libssh/", {"transport/ssh", "apps/gpumuster-sim"}},
    {"openssl/", {"transport/trust", "apps/gpumuster/version"}},
    {"yaml-cpp/", {"inventory", "apps/gpumuster-sim/scenario_file"}},
    {"nlohmann/", {"report", "apps/gpumuster"}},
    {"CLI/", {"apps/gpumuster/command_line", "apps/gpumuster-sim/command_line"}},
    {"spdlog/", {"apps/gpumuster", "apps/gpumuster-sim"}},
    {"spawn.h", {"transport/process"}},
    {"sys/wait.h", {"transport/process"}},
};

// Pure functions of text and values: no clock, environment, threads, chance, files or sockets.
// transport/trust reads files, which is what it is asked for.
const Names pure_rooms{"base",    "probe", "policy", "transport/entry", "transport/trust",
                       "verdict", "report"};
const Names headers_of_the_world{"thread",   "mutex",   "condition_variable", "future", "random",
                                 "iostream", "fstream", "filesystem"};

const Room* find_room(const std::string& name) {
    const auto found = std::find_if(rooms.begin(), rooms.end(),
                                    [&](const Room& room) { return room.name == name; });
    return found == rooms.end() ? nullptr : &*found;
}

bool contains(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/'));
}

// "transport/ssh" for a path in lib/, "apps/gpumuster" for one in apps/.
std::string place_of(const std::string& path) {
    static const std::string lib = "lib/gpumuster/";
    return path.starts_with(lib) ? folder_of(path.substr(lib.size())) : folder_of(path);
}

bool is_at(const std::string& path, const std::string& place) {
    return place == "everywhere" || place == place_of(path) || path.starts_with(place + ".");
}

bool exists(const std::string& path) {
    return std::filesystem::exists(std::string(GPUMUSTER_SOURCE_DIR) + "/" + path);
}

// Why a file may not include one of the project's headers; empty when it may.
std::string trouble_with_ours(const std::string& path, const std::string& header) {
    const std::string place = place_of(path);
    if (!exists("lib/" + header)) {
        const bool is_of_its_app =
            path.starts_with("apps/") &&
            (exists(place + "/" + header) ||
             (place == "apps/" + folder_of(header) && exists("apps/" + header)));
        return is_of_its_app ? "" : "no header of the library or of the same app";
    }
    const std::string included = place_of("lib/" + header);
    if (find_room(included) == nullptr) return "no known room";
    if (path.starts_with("apps/") || included == place) return {};
    const Room* room = find_room(place);
    if (room == nullptr) return "included from no known room";
    return contains(room->may_include, included) ? "" : place + " may not include " + included;
}

std::string trouble_with_standard(const std::string& path, const std::string& header) {
    if (!contains(pure_rooms, place_of(path))) return {};
    // Headers of the operating system end in ".h", those of the language do not.
    const bool is_pure = !header.ends_with(".h") && !contains(headers_of_the_world, header);
    return is_pure ? "" : "not in a pure room";
}

std::string trouble_with_foreign(const std::string& path, const std::string& header) {
    static const Names system_folders{"sys", "netinet", "arpa", "net"};
    for (const Library& library : libraries) {
        if (!header.starts_with(library.headers)) continue;
        const bool may = std::any_of(library.places.begin(), library.places.end(),
                                     [&](const std::string& place) { return is_at(path, place); });
        return may ? "" : "this library is not for here";
    }
    const bool is_library = header.find('/') != std::string::npos
                                ? !contains(system_folders, header.substr(0, header.find('/')))
                                : header.ends_with(".hpp");
    return is_library ? "a library without a row in the table"
                      : trouble_with_standard(path, header);
}

std::vector<std::string> include_troubles(const SourceFile& file) {
    std::vector<std::string> troubles;
    for (const Include& include : includes_of(file.text)) {
        const std::string trouble = include.is_quoted
                                        ? trouble_with_ours(file.path, include.header)
                                        : trouble_with_foreign(file.path, include.header);
        if (trouble.empty()) continue;
        troubles.push_back(file.path + ":" + std::to_string(include.line) + ": " + include.header +
                           ": " + trouble);
    }
    return troubles;
}

bool may_include(const std::string& path, const std::string& header) {
    return include_troubles({path, "#include " + header + "\n"}).empty();
}

}  // namespace

TEST_CASE("every include keeps to the rooms and their libraries") {
    for (const SourceFile& file : project_sources()) {
        for (const std::string& trouble : include_troubles(file)) FAIL_CHECK(trouble);
    }
}

TEST_CASE("every folder of the library is a room of the table") {
    std::set<std::string> places;
    for (const SourceFile& file : project_sources()) {
        if (!file.path.starts_with("lib/")) continue;
        places.insert(place_of(file.path));
    }
    for (const std::string& place : places) {
        INFO(place);
        CHECK(find_room(place) != nullptr);
    }
    for (const Room& room : rooms) {
        INFO(room.name);
        CHECK(places.contains(room.name));
    }
}

TEST_CASE("a room may include only rooms that stand above it in the table") {
    std::set<std::string> above;
    for (const Room& room : rooms) {
        for (const std::string& included : room.may_include) {
            INFO(room.name << " includes " << included);
            CHECK(above.contains(included));
        }
        above.insert(room.name);
    }
}

TEST_CASE("the rules let through what the table allows") {
    CHECK(may_include("lib/gpumuster/base/x.cpp", "\"gpumuster/base/units.hpp\""));
    CHECK(may_include("lib/gpumuster/probe/x.cpp", "\"gpumuster/base/units.hpp\""));
    CHECK(may_include("lib/gpumuster/transport/ssh/x.cpp", "\"gpumuster/transport/budgets.hpp\""));
    CHECK(may_include("lib/gpumuster/transport/ssh/x.cpp", "<libssh/libssh.h>"));
    CHECK(may_include("lib/gpumuster/transport/x.hpp", "<asio/awaitable.hpp>"));
    CHECK(may_include("lib/gpumuster/probe/x.cpp", "<string>"));
    CHECK(may_include("lib/gpumuster/transport/loop/x.cpp", "<sys/socket.h>"));
    CHECK(may_include("apps/gpumuster/command_line.cpp", "<CLI/CLI.hpp>"));
    CHECK(may_include("apps/gpumuster/x.cpp", "\"gpumuster/fleet/fleet.hpp\""));
    CHECK(may_include("apps/gpumuster/x.cpp", "\"command_line.hpp\""));
}

TEST_CASE("the rules refuse what the table does not allow") {
    CHECK_FALSE(may_include("lib/gpumuster/base/x.cpp", "\"gpumuster/probe/readings.hpp\""));
    CHECK_FALSE(may_include("lib/gpumuster/probe/x.cpp", "\"gpumuster/transport/budgets.hpp\""));
    CHECK_FALSE(
        may_include("lib/gpumuster/transport/x.cpp", "\"gpumuster/transport/loop/wire.hpp\""));
    CHECK_FALSE(may_include("lib/gpumuster/transport/local/x.cpp",
                            "\"gpumuster/transport/ssh/session.hpp\""));
    CHECK_FALSE(may_include("lib/gpumuster/base/x.cpp", "\"units.hpp\""));
    CHECK_FALSE(may_include("lib/gpumuster/base/x.cpp", "\"gpumuster/base/no_such.hpp\""));
    CHECK_FALSE(may_include("lib/gpumuster/base/x.cpp", "\"gpumuster/command_line.hpp\""));
    CHECK_FALSE(may_include("apps/gpumuster/x.cpp", "\"gpumuster-sim/scenario.hpp\""));
    CHECK_FALSE(may_include("lib/gpumuster/transport/x.hpp", "<asio/io_context.hpp>"));
    CHECK_FALSE(may_include("lib/gpumuster/transport/entry/x.hpp", "<asio/awaitable.hpp>"));
    CHECK_FALSE(may_include("lib/gpumuster/transport/local/x.cpp", "<libssh/libssh.h>"));
    CHECK_FALSE(may_include("lib/gpumuster/probe/x.cpp", "<nlohmann/json.hpp>"));
    CHECK_FALSE(may_include("lib/gpumuster/fleet/x.cpp", "<spdlog/logger.h>"));
    CHECK_FALSE(may_include("apps/gpumuster/x.cpp", "<CLI/CLI.hpp>"));
    CHECK_FALSE(may_include("apps/gpumuster/command_line_x.cpp", "<CLI/CLI.hpp>"));
    CHECK_FALSE(may_include("lib/gpumuster/fleet/x.cpp", "<spawn.h>"));
    CHECK_FALSE(may_include("lib/gpumuster/fleet/x.cpp", "<boost/asio.hpp>"));
    CHECK_FALSE(may_include("lib/gpumuster/fleet/x.cpp", "<asio.hpp>"));
    CHECK_FALSE(may_include("lib/gpumuster/verdict/x.cpp", "<thread>"));
    CHECK_FALSE(may_include("lib/gpumuster/report/x.cpp", "<unistd.h>"));
}
