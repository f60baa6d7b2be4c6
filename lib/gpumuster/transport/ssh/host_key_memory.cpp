#include "gpumuster/transport/ssh/host_key_memory.hpp"

#include <algorithm>
#include <utility>

namespace gpumuster {
namespace {

void add_once(std::vector<std::string>& types, const std::string& type) {
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
}

bool is_settled_by_files(const TrustJudgement& judgement) {
    return judgement.trust != Trust::unknown && judgement.trust != Trust::certificate_authority;
}

}  // namespace

HostKeyMemory::HostKeyMemory(KnownHosts known) : known_(std::move(known)) {}

TrustJudgement HostKeyMemory::judge(const HostKeyName& host, const KeyBlob& key) const {
    TrustJudgement judgement = known_.judge(host, key);
    if (is_settled_by_files(judgement)) return judgement;
    const std::lock_guard lock(mutex_);
    return with_accepted(std::move(judgement), host, key);
}

std::vector<std::string> HostKeyMemory::key_types(const HostKeyName& host) const {
    std::vector<std::string> types = known_.key_types(host);
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = accepted_.equal_range(lookup_name(host));
    for (auto one = begin; one != end; ++one) add_once(types, key_type_of(one->second));
    return types;
}

TrustJudgement HostKeyMemory::accept(const HostKeyName& host, const KeyBlob& key) {
    TrustJudgement judgement = known_.judge(host, key);
    if (is_settled_by_files(judgement)) return judgement;
    const std::lock_guard lock(mutex_);
    judgement = with_accepted(std::move(judgement), host, key);
    if (is_of_new_host(judgement)) accepted_.emplace(lookup_name(host), key);
    return judgement;
}

bool HostKeyMemory::is_accepted(const std::string& name, const KeyBlob& key) const {
    const auto [begin, end] = accepted_.equal_range(name);
    return std::any_of(begin, end, [&](const auto& one) { return one.second == key; });
}

TrustJudgement HostKeyMemory::with_accepted(TrustJudgement judgement, const HostKeyName& host,
                                            const KeyBlob& key) const {
    const std::string name = lookup_name(host);
    const std::string bare = lookup_name(HostKeyName{host.address, 22});
    const bool may_go_by_bare_name = judgement.known_types.empty() && !accepted_.contains(name);
    if (is_accepted(name, key) || (may_go_by_bare_name && is_accepted(bare, key))) {
        judgement.trust = Trust::trusted;
        judgement.known_types.clear();
        judgement.is_by_this_run = true;
        return judgement;
    }
    const auto [begin, end] = accepted_.equal_range(name);
    for (auto one = begin; one != end; ++one) {
        const std::string type = key_type_of(one->second);
        add_once(judgement.known_types, type);
        if (type != key_type_of(key)) continue;
        judgement.trust = Trust::changed;
        judgement.is_by_this_run = true;
    }
    return judgement;
}

}  // namespace gpumuster
