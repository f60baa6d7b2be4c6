#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpumuster/transport/trust/hashed_name.hpp"

namespace gpumuster {

// A public key as SSH sends it: a length-prefixed type name, then the type's numbers.
using KeyBlob = std::string;

// The name inside a blob ("ssh-ed25519"); empty when it is no key.
std::string key_type_of(std::string_view blob);

// "SHA256:…" as ssh-keygen -l prints it.
std::string fingerprint(std::string_view blob);

// What a host key is looked up under. A HostKeyAlias has no port: 22 stands for none.
struct HostKeyName {
    std::string address;
    std::uint16_t port = 22;
};

// The name as it is looked up and written: "host", "[host]:port", in lower case.
std::string lookup_name(const HostKeyName& host);

enum class Trust {
    trusted,
    unknown,                // no line for this host, or only lines with keys of another type
    changed,                // a line for this host has another key of the same type
    revoked,                // the key is marked @revoked for this host
    certificate_authority,  // only a @cert-authority line speaks for this host
};

// `file` and `line` point at the line that decided, where one did: none does for a key that was
// accepted in this run.
struct TrustJudgement {
    Trust trust = Trust::unknown;
    std::string file;
    int line = 0;
    std::vector<std::string> known_types;  // of the host's other lines, when not trusted
    bool is_by_this_run = false;           // decided by a key that was accepted in this run
};

// Whether a rule for new keys may accept it: nothing at all is known of the host. A host that is
// known by keys of another type has been met before, and who it is now has to be settled by hand.
bool is_of_new_host(const TrustJudgement& judgement);

// One known_hosts file as an index. It follows OpenSSH's rules:
// markers, hashed names, pattern lists, tabs, lines of any length; a line that cannot be parsed
// hides no other.
class KnownHostsFile {
public:
    static KnownHostsFile parse(std::string_view text, const std::string& file_name);

    // Empty optional: the file cannot be read (errno says why).
    static std::optional<KnownHostsFile> read(const std::string& path);

    // Lines that were appended to the file. Not while another thread asks.
    void add(std::string_view text);

private:
    friend class KnownHosts;
    enum class Marker { none, cert_authority, revoked };
    struct Entry {
        Marker marker = Marker::none;
        int line = 0;
        std::string type;
        KeyBlob key;
        std::string names;  // the field as written: plain names, patterns or one hash
    };
    struct Hashed {
        HashedName name;
        std::size_t entry = 0;
    };

    void add_line(std::string_view line, int number);
    void index_entry(std::size_t entry);
    void add_hashed_type(const std::string& type);
    // A line with this marker that gives the key to the name.
    std::optional<std::size_t> find(const std::string& name, const KeyBlob& key,
                                    Marker marker) const;
    bool names_host(const Entry& entry, const std::string& name) const;
    std::vector<std::size_t> plain_entries_for(const std::string& name) const;
    std::vector<std::size_t> hashed_entries_for(const std::string& name) const;
    std::vector<std::size_t> entries_for(const std::string& name) const;
    bool has_plain_line(const std::vector<std::size_t>& found) const;

    std::string file_name_;
    int lines_ = 0;
    std::vector<Entry> entries_;
    std::unordered_multimap<std::string, std::size_t> by_name_;  // plain names, lower case
    // Patterns and hashed names only, which cannot be looked up: the nodes of a cluster often share
    // one key, and then each judgement would go through all of their lines.
    std::unordered_multimap<KeyBlob, std::size_t> by_key_;
    std::vector<std::size_t> patterns_;
    std::vector<Hashed> hashed_;
    std::vector<std::string> hashed_types_;  // of the plain lines with a hashed name, each once
    std::vector<std::size_t> authorities_;
};

// The files that hold for one host, asked together: any line in any file that trusts the key is
// enough, and @revoked beats them all. For a port other than 22 that no plain line speaks for, a
// line for the bare name also trusts, as in OpenSSH, but never condemns.
class KnownHosts {
public:
    explicit KnownHosts(std::vector<std::shared_ptr<const KnownHostsFile>> files);

    TrustJudgement judge(const HostKeyName& host, const KeyBlob& key) const;

    // The types of the keys that may be known for the host, to be asked for first: else a host that
    // is known by its ecdsa key and offers an ed25519 key as well would look unknown. Hashed lines
    // that can change nothing are not searched: all of one single type, when no other line speaks
    // for the host, or all of types that are in the answer anyway.
    std::vector<std::string> key_types(const HostKeyName& host) const;

    // Whether only a certificate authority can vouch for the host: a @cert-authority line speaks
    // for it and no plain line does. Cheap where no such line does.
    bool needs_certificates(const HostKeyName& host) const;

private:
    std::optional<TrustJudgement> judge_by_key(const std::string& name, const KeyBlob& key,
                                               KnownHostsFile::Marker marker) const;
    TrustJudgement judge_by_name(const std::string& name, const std::string& type) const;
    bool has_authority(const std::string& name) const;
    bool has_plain_line(const std::string& name) const;

    std::vector<std::shared_ptr<const KnownHostsFile>> files_;
};

}  // namespace gpumuster
