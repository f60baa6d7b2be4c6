#include "gpumuster/transport/trust/known_hosts.hpp"

#include <algorithm>
#include <utility>

#include "gpumuster/transport/trust/host_pattern.hpp"

namespace gpumuster {
namespace {

std::string bare_name(const HostKeyName& host) {
    return lower_case(host.address);
}

std::string full_name(const HostKeyName& host) {
    if (host.port == 22) return bare_name(host);
    return "[" + bare_name(host) + "]:" + std::to_string(host.port);
}

void add_once(std::vector<std::string>& list, const std::string& word) {
    if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
}

}  // namespace

KnownHosts::KnownHosts(std::vector<std::shared_ptr<const KnownHostsFile>> files)
    : files_(std::move(files)) {}

std::optional<TrustJudgement> KnownHosts::judge_by_key(const std::string& name, const KeyBlob& key,
                                                       KnownHostsFile::Marker marker) const {
    for (const auto& file : files_) {
        const auto [begin, end] = file->by_key_.equal_range(key);
        for (auto one = begin; one != end; ++one) {
            const KnownHostsFile::Entry& entry = file->entries_[one->second];
            if (entry.marker != marker || !file->names_host(entry, name)) continue;
            TrustJudgement judgement;
            judgement.file = file->file_name_;
            judgement.line = entry.line;
            return judgement;
        }
    }
    return std::nullopt;
}

TrustJudgement KnownHosts::judge(const HostKeyName& host, const KeyBlob& key) const {
    using Marker = KnownHostsFile::Marker;
    const std::string name = full_name(host);
    if (auto revoked = judge_by_key(name, key, Marker::revoked)) {
        revoked->trust = Trust::revoked;
        return *revoked;
    }
    if (auto trusted = judge_by_key(name, key, Marker::none)) {
        trusted->trust = Trust::trusted;
        return *trusted;
    }
    const TrustJudgement judgement = judge_by_name(name, key_type_of(key));
    // OpenSSH looks under the bare name only when no plain line speaks for the full one, whatever
    // the type of that line's key.
    if (!judgement.known_types.empty() || host.port == 22) return judgement;

    if (auto revoked = judge_by_key(bare_name(host), key, Marker::revoked)) {
        revoked->trust = Trust::revoked;
        return *revoked;
    }
    if (auto trusted = judge_by_key(bare_name(host), key, Marker::none)) {
        trusted->trust = Trust::trusted;
        return *trusted;
    }
    return judgement;
}

// What the host's lines say of a key that none of them holds.
TrustJudgement KnownHosts::judge_by_name(const std::string& name, const std::string& type) const {
    TrustJudgement judgement;
    bool has_authority = false;
    for (const auto& file : files_) {
        for (const std::size_t index : file->entries_for(name)) {
            const KnownHostsFile::Entry& entry = file->entries_[index];
            has_authority |= entry.marker == KnownHostsFile::Marker::cert_authority;
            if (entry.marker != KnownHostsFile::Marker::none) continue;
            add_once(judgement.known_types, entry.type);
            if (entry.type != type || judgement.trust == Trust::changed) continue;
            judgement.trust = Trust::changed;
            judgement.file = file->file_name_;
            judgement.line = entry.line;
        }
    }
    if (has_authority && judgement.known_types.empty()) {
        judgement.trust = Trust::certificate_authority;
    }
    return judgement;
}

std::vector<std::string> KnownHosts::key_types(const HostKeyName& host) const {
    std::vector<std::string> types;
    for (const auto& file : files_) {
        for (const std::string& type : file->types_for(full_name(host))) add_once(types, type);
    }
    return types;
}

}  // namespace gpumuster
