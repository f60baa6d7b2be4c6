#include <algorithm>
#include <sstream>

#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"
#include "transport/trust/sample_keys.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

struct Found {
    std::string marker;  // "", "CA", "REVOKED"
    std::string fingerprint;
};

const std::vector<SampleKey> keys{ed25519_key, other_ed25519_key, ecdsa_key, ecdsa_384_key,
                                  rsa_key};

// Lines in every form that OpenSSH reads or skips, each key in several places.
std::string corpus() {
    const std::string& a = ed25519_key.text;
    const std::string& b = other_ed25519_key.text;
    const std::string& c = ecdsa_key.text;
    const std::string& d = ecdsa_384_key.text;
    const std::string& r = rsa_key.text;
    const std::string blob = a.substr(a.find(' ') + 1);
    const std::vector<std::string> lines{
        "# a comment",
        "",
        "plain " + a,
        "  indented " + a,
        "\ttabs\tssh-ed25519\t" + blob,
        "windows " + a + "\r",
        "first,second,10.0.0.7 " + a,
        "first " + b,
        "Upper.Example.ORG " + c,
        "[plain]:2222 " + b,
        "[only]:2222 " + c,
        "[any]:* " + d,
        "[zero]:22 " + a,
        "bare " + r,
        "bare " + a,
        "[bare]:2222 " + c,
        "*.cluster,!bad.cluster " + d,
        "node?? " + a,
        "[127.0.0.*]:2222,![127.0.0.1]:2222 " + a,
        "2001:db8::7,[2001:db8::7]:2222 " + c,
        hashed_gpu1 + " " + a,
        hashed_gpu1_port_2222 + " " + b,
        hashed_gpu2 + " " + c,
        "|1|X+XXcwcjA2xz9j50lV/LjPryfGA=|bm90IGEgaGFzaA== " + a,
        "|1|truncated " + a,
        "@revoked revoked " + a,
        "revoked " + a,
        "revoked " + b,
        "@revoked *.cluster " + b,
        "@cert-authority authority,*.cluster " + r,
        "@cert-authority,@revoked both " + a,
        "@revoked @cert-authority both " + a,
        "@unheard-of plain " + b,
        "unknown-type ssh-foo AAAAB3NzaC1mb28AAAABeA==",
        "unknown-type " + b,
        "mismatch ssh-rsa " + blob,
        "cut ssh-ed25519 " + blob.substr(0, 40),
        "dashes ssh-ed25519 " + blob + "----",
        "no-key",
        "no-key ssh-ed25519",
        "long" + std::string(9'000, ',') + " " + a,
        "after " + a + " " + std::string(9'000, 'c'),
        "last " + d,
    };
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

// What the real ssh-keygen finds under a name: a header for each line, then the key.
std::vector<Found> found_by_openssh(const std::string& file, const std::string& name) {
    ProgramOrder order;
    order.argv = {"ssh-keygen", "-l", "-F", name, "-f", file};
    std::istringstream out(run_program(order).out);
    std::vector<Found> found;
    const std::string header = "# Host " + name + " found: line ";
    std::string marker;
    for (std::string line; std::getline(out, line);) {
        if (line.starts_with(header)) {
            marker = line.substr(line.find(' ', header.size()) + 1);
            continue;
        }
        const std::size_t at = line.find("SHA256:");
        if (at == std::string::npos) continue;
        found.push_back({marker, line.substr(at, line.find(' ', at) - at)});
    }
    return found;
}

bool has(const std::vector<Found>& found, const std::string& marker, const SampleKey& key) {
    return std::any_of(found.begin(), found.end(), [&](const Found& one) {
        return one.marker == marker && one.fingerprint == key.fingerprint;
    });
}

bool has_plain(const std::vector<Found>& found) {
    return std::any_of(found.begin(), found.end(),
                       [](const Found& one) { return one.marker.empty(); });
}

// ssh's own decision over the lines: revoked beats trusted, and the bare name is asked only when
// no plain line speaks for the name with its port.
bool is_accepted(const std::vector<Found>& full, const std::vector<Found>& bare,
                 const SampleKey& key) {
    if (has(full, "REVOKED", key)) return false;
    if (has_plain(full)) return has(full, "", key);
    return has(bare, "", key) && !has(bare, "REVOKED", key);
}

std::string name_with_port(const HostKeyName& host) {
    if (host.port == 22) return host.address;
    return "[" + host.address + "]:" + std::to_string(host.port);
}

}  // namespace

TEST_CASE("every host and key is accepted exactly when OpenSSH accepts it") {
    if (component_missing("ssh-keygen")) return;
    const TempDir folder;
    const std::string file = folder.write("known_hosts", corpus());
    const KnownHosts known = known_hosts_of({corpus()});
    int accepted = 0;
    for (const std::string name :
         {"plain",        "indented",    "tabs",        "windows",
          "first",        "second",      "10.0.0.7",    "upper.example.org",
          "only",         "any",         "zero",        "bare",
          "good.cluster", "bad.cluster", "node12",      "node1",
          "127.0.0.1",    "127.0.0.2",   "2001:db8::7", "gpu1",
          "gpu2",         "revoked",     "authority",   "both",
          "unknown-type", "mismatch",    "cut",         "dashes",
          "no-key",       "long",        "after",       "last",
          "absent"}) {
        for (const HostKeyName& host : {HostKeyName{name, 22}, HostKeyName{name, 2222}}) {
            const std::vector<Found> full = found_by_openssh(file, name_with_port(host));
            const std::vector<Found> bare = found_by_openssh(file, name);
            for (const SampleKey& key : keys) {
                INFO(name_with_port(host) << " with " << key.text);
                const bool is_trusted = known.judge(host, key.blob()).trust == Trust::trusted;
                CHECK(is_trusted == is_accepted(full, bare, key));
                accepted += is_trusted ? 1 : 0;
            }
        }
    }
    CHECK(accepted > 40);
}
