#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster {

// What known_hosts said when it was read, and the keys that were accepted since. Safe from every
// thread; the lines that were read are only read again.
class HostKeyMemory {
public:
    explicit HostKeyMemory(KnownHosts known);

    // An accepted key counts as a plain line under the name that it was accepted for.
    TrustJudgement judge(const HostKeyName& host, const KeyBlob& key) const;

    // See KnownHosts::key_types().
    std::vector<std::string> key_types(const HostKeyName& host) const;

    // Keeps the key when is_of_new_host() holds, and answers the judgement from before: of several
    // that come at once with different keys for one host, one finds it new.
    TrustJudgement accept(const HostKeyName& host, const KeyBlob& key);

private:
    TrustJudgement with_accepted(TrustJudgement judgement, const HostKeyName& host,
                                 const KeyBlob& key) const;
    bool is_accepted(const std::string& name, const KeyBlob& key) const;

    const KnownHosts known_;
    mutable std::mutex mutex_;
    std::unordered_multimap<std::string, KeyBlob> accepted_;
};

}  // namespace gpumuster
