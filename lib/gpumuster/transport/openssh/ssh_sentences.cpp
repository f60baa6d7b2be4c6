#include "gpumuster/transport/openssh/ssh_sentences.hpp"

#include <array>
#include <string_view>

namespace gpumuster {
namespace {

using K = FailureKind;

struct Row {
    std::string_view part;
    std::string_view other_part;
    SentenceMeaning meaning;
};

// The first row whose parts both stand in the line decides. Taken from OpenSSH 9.2 and tried
// against it, older spellings beside the newer ones.
constexpr std::array<Row, 34> rows{{
    {"Bad configuration option", "", {K::config_refused}},
    {"Bad owner or permissions on ", "", {K::config_refused}},
    {"Can't open user config file", "", {K::config_refused}},
    {"command-line line 0: ", "", {K::config_refused}},
    {" line ", ": Bad ", {K::config_refused}},
    {" line ", ": no argument after keyword", {K::config_refused}},
    {"bad configuration options", "", {K::config_refused}},
    {"Invalid -J argument", "", {K::config_refused}},
    {"Could not resolve host", "name resolution", {K::resolve_failed}},
    {"Could not resolve host", "", {K::resolve_not_found}},
    {"connect to host ", ": Connection refused", {K::connect_refused}},
    {"connect to host ", " timed out", {K::connect_timeout}},
    {"connect to host ", ": No route to host", {K::connect_no_route}},
    {"connect to host ", " unreachable", {K::connect_no_route}},
    {"connect to host ", "", {K::connect_failed}},
    {"timed out during banner exchange", "", {K::handshake_timeout, true}},
    {"identification: Exceeded MaxStartups", "", {K::handshake_throttled, true}},
    {"identification: Not allowed at this time", "", {K::handshake_penalised, true}},
    {"banner line contains invalid characters", "", {K::handshake_not_ssh, true}},
    {"banner line too long", "", {K::handshake_not_ssh, true}},
    {"invalid protocol identifier", "", {K::handshake_not_ssh, true}},
    {"Bad remote protocol version", "", {K::handshake_not_ssh, true}},
    {"Protocol major versions differ", "", {K::handshake_not_ssh, true}},
    {"SSH protocol v.1 is no longer supported", "", {K::handshake_not_ssh, true}},
    {"Unable to negotiate with ", "", {K::handshake_no_common_algorithm}},
    {"no matching key exchange method found", "", {K::handshake_no_common_algorithm}},
    {"no matching host key type found", "", {K::handshake_no_common_algorithm}},
    {"no matching cipher found", "", {K::handshake_no_common_algorithm}},
    {"no matching MAC found", "", {K::handshake_no_common_algorithm}},
    {"Bad packet length", "", {K::handshake_failed, true}},
    {"Corrupted MAC on input", "", {K::handshake_failed, true}},
    {"message authentication code incorrect", "", {K::handshake_failed}},
    {"incorrect signature", "", {K::handshake_failed}},
    {"error in libcrypto", "", {K::handshake_failed}},
}};

bool says(const std::string& line, std::string_view part) {
    return line.find(part) != std::string::npos;
}

}  // namespace

std::optional<SentenceMeaning> meaning_of(const std::string& line) {
    for (const Row& row : rows) {
        if (says(line, row.part) && says(line, row.other_part)) return row.meaning;
    }
    return std::nullopt;
}

std::optional<SentenceMeaning> meaning_before_identification(const std::string& line) {
    if (says(line, "Exceeded MaxStartups")) return SentenceMeaning{K::handshake_throttled, true};
    if (says(line, "Not allowed at this time")) {
        return SentenceMeaning{K::handshake_penalised, true};
    }
    return std::nullopt;
}

FailureKind kind_of_connect_error(const std::string& reason) {
    if (says(reason, "refused")) return K::connect_refused;
    if (says(reason, "timed out")) return K::connect_timeout;
    if (says(reason, "No route") || says(reason, "unreachable")) return K::connect_no_route;
    if (says(reason, "name resolution")) return K::resolve_failed;
    if (says(reason, "not known") || says(reason, "No address")) return K::resolve_not_found;
    return K::connect_failed;
}

}  // namespace gpumuster
