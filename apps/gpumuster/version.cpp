#include <fmt/format.h>
#include <openssl/crypto.h>
#include <spdlog/version.h>
#include <asio/version.hpp>
#include <nlohmann/json.hpp>

#include "gpumuster/transport/ssh/ssh_transport.hpp"
#include "help.hpp"

namespace gpumuster {
namespace {

// "1.22.1" from 102201, "9.1.0" from 90100.
std::string dotted(int number, int major, int minor) {
    return fmt::format("{}.{}.{}", number / major, number % major / minor, number % minor);
}

}  // namespace

std::string version_text() {
    std::string text;
    const auto add = [&text](std::string_view name, std::string_view version) {
        text += fmt::format("{} {}\n", name, version);
    };
    add("gpumuster", GPUMUSTER_VERSION);
    add("libssh", libssh_version());
    add("OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING));
    add("yaml-cpp", GPUMUSTER_YAML_CPP_VERSION);
    add("nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                     NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH));
    add("CLI11", GPUMUSTER_CLI11_VERSION);
    add("fmt", dotted(FMT_VERSION, 10'000, 100));
    add("spdlog", dotted(SPDLOG_VERSION, 10'000, 100));
    add("Asio", dotted(ASIO_VERSION, 100'000, 100));
    return text;
}

}  // namespace gpumuster
