#include "gpumuster/transport/trust/known_hosts.hpp"

#include <algorithm>
#include <utility>

#include "gpumuster/transport/trust/host_pattern.hpp"

namespace gpumuster {
namespace {

std::string bare_name(const HostKeyName& host) {
    return lower_case(host.address);
}

bool has(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

void add_once(std::vector<std::string>& list, const std::string& word) {
    if (!has(list, word)) list.push_back(word);
}

}  // namespace

std::string lookup_name(const HostKeyName& host) {
    if (host.port == 22) return bare_name(host);
    return "[" + bare_name(host) + "]:" + std::to_string(host.port);
}

bool is_of_new_host(const TrustJudgement& judgement) {
    return judgement.trust == Trust::unknown && judgement.known_types.empty();
}

KnownHosts::KnownHosts(std::vector<std::shared_ptr<const KnownHostsFile>> files)
    : files_(std::move(files)) {}

std::optional<TrustJudgement> KnownHosts::judge_by_key(const std::string& name, const KeyBlob& key,
                                                       KnownHostsFile::Marker marker) const {
    for (const auto& file : files_) {
        const std::optional<std::size_t> found = file->find(name, key, marker);
        if (!found) continue;
        TrustJudgement judgement;
        judgement.file = file->file_name_;
        judgement.line = file->entries_[*found].line;
        return judgement;
    }
    return std::nullopt;
}

TrustJudgement KnownHosts::judge(const HostKeyName& host, const KeyBlob& key) const {
    using Marker = KnownHostsFile::Marker;
    const std::string name = lookup_name(host);
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
    const std::string name = lookup_name(host);
    std::vector<std::string> types;
    std::vector<std::string> hashed_types;
    const auto add = [&](const KnownHostsFile& file, const std::vector<std::size_t>& found) {
        for (const std::size_t index : found) {
            const KnownHostsFile::Entry& entry = file.entries_[index];
            if (entry.marker == KnownHostsFile::Marker::none) add_once(types, entry.type);
        }
    };
    for (const auto& file : files_) {
        add(*file, file->plain_entries_for(name));
        for (const std::string& type : file->hashed_types_) add_once(hashed_types, type);
    }
    if (types.empty() && hashed_types.size() == 1) return hashed_types;
    const bool are_all_there =
        std::all_of(hashed_types.begin(), hashed_types.end(),
                    [&](const std::string& type) { return has(types, type); });
    if (are_all_there) return types;
    for (const auto& file : files_) add(*file, file->hashed_entries_for(name));
    return types;
}

bool KnownHosts::has_authority(const std::string& name) const {
    return std::any_of(files_.begin(), files_.end(), [&](const auto& file) {
        return std::any_of(
            file->authorities_.begin(), file->authorities_.end(),
            [&](std::size_t index) { return file->names_host(file->entries_[index], name); });
    });
}

bool KnownHosts::has_plain_line(const std::string& name) const {
    return std::any_of(files_.begin(), files_.end(), [&](const auto& file) {
        return file->has_plain_line(file->plain_entries_for(name)) ||
               file->has_plain_line(file->hashed_entries_for(name));
    });
}

// As in judge(), the bare name counts where no plain line speaks for the full one; an authority's
// line for the full name is no plain one.
bool KnownHosts::needs_certificates(const HostKeyName& host) const {
    const std::string full = lookup_name(host);
    if (has_authority(full)) return !has_plain_line(full);
    if (host.port == 22 || !has_authority(bare_name(host))) return false;
    return !has_plain_line(full) && !has_plain_line(bare_name(host));
}

}  // namespace gpumuster
