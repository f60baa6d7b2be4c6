#include "gpumuster/transport/ssh/identity.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/transport/ssh/identity_blob.hpp"

namespace gpumuster {
namespace {

constexpr std::size_t longest_comment = 60;

class Choice {
public:
    Choice(const Login& login, const KeyRing& ring, const SshAgent* agent)
        : login_(login), ring_(ring), agent_(agent) {
        for (const std::string& path : login.identity_files) files_.push_back(&ring.at(path));
    }

    Identities take() {
        take_certificates();
        take_agent_keys();
        for (const PrivateKey* file : files_) take_file(*file);
        return std::move(result_);
    }

private:
    void take_certificates() {
        for (const std::string& path : login_.certificate_files) {
            const Certificate& certificate = ring_.certificate_at(path);
            if (certificate.trouble.empty()) {
                take_certificate(certificate);
            } else {
                result_.troubles.push_back(certificate.trouble);
            }
        }
        for (const PrivateKey* file : files_) {
            const Certificate& beside = ring_.certificate_at(certificate_beside(file->path));
            if (beside.trouble.empty()) {
                take_certificate(beside);
            } else if (!beside.is_missing) {
                result_.troubles.push_back(beside.trouble);
            }
        }
    }

    void take_certificate(const Certificate& certificate) {
        Identity identity;
        identity.label = certificate.path;
        identity.blob = certificate.blob;
        for (const PrivateKey* file : files_) {
            if (!identity.key) identity.key = ring_.certified(file->path, certificate.path);
        }
        if (!identity.key && holds(certificate.key)) identity.agent_key = certificate.key;
        if (identity.key || !identity.agent_key.empty()) {
            offer(std::move(identity));
        } else {
            result_.troubles.push_back(
                fmt::format("the private key of the certificate {} is missing", certificate.path));
        }
    }

    void take_agent_keys() {
        if (agent_ == nullptr) return;
        for (const AgentKey& key : agent_->keys()) {
            if (const PrivateKey* file = file_with(key.blob)) take_named_agent_key(*file);
        }
        if (login_.identities_only) return;
        for (const AgentKey& key : agent_->keys()) {
            Identity identity;
            const std::string comment = quote_line(key.comment, longest_comment);
            const std::string print = fingerprint(key.blob);
            identity.label = comment.empty()
                                 ? fmt::format("the agent's key {}", print)
                                 : fmt::format("the agent's key {} ({})", comment, print);
            identity.blob = key.blob;
            identity.agent_key = key.blob;
            offer(std::move(identity));
        }
    }

    void take_named_agent_key(const PrivateKey& file) {
        Identity identity;
        identity.label = file.path;
        identity.blob = file.public_key;
        identity.key = file.key;
        if (!identity.key) identity.agent_key = file.public_key;
        offer(std::move(identity));
    }

    void take_file(const PrivateKey& file) {
        if (file.state == PrivateKey::State::loaded) {
            Identity identity;
            identity.label = file.path;
            identity.blob = file.public_key;
            identity.key = file.key;
            offer(std::move(identity));
        } else if (!holds(file.public_key) && file.state != PrivateKey::State::missing) {
            result_.troubles.push_back(file.trouble());
        }
    }

    bool holds(const KeyBlob& key) const {
        return agent_ != nullptr && !key.empty() && agent_->holds(key);
    }

    const PrivateKey* file_with(const KeyBlob& key) const {
        const auto found = std::find_if(files_.begin(), files_.end(), [&](const PrivateKey* file) {
            return file->public_key == key;
        });
        return found == files_.end() ? nullptr : *found;
    }

    // Once, unless it is too small.
    void offer(Identity identity) {
        if (!seen_.insert(identity.blob).second) return;
        const std::optional<BlobFacts> facts = read_blob(identity.blob);
        if (facts && facts->rsa_bits && *facts->rsa_bits < login_.smallest_rsa_bits) {
            result_.troubles.push_back(fmt::format("{} has {} bits, and RequiredRSASize is {}",
                                                   identity.label, *facts->rsa_bits,
                                                   login_.smallest_rsa_bits));
            return;
        }
        identity.fingerprint = fingerprint(identity.blob);
        result_.offers.push_back(std::move(identity));
    }

    const Login& login_;
    const KeyRing& ring_;
    const SshAgent* const agent_;
    std::vector<const PrivateKey*> files_;
    std::set<KeyBlob> seen_;
    Identities result_;
};

}  // namespace

Identities choose_identities(const Login& login, const KeyRing& ring, const SshAgent* agent) {
    if (!login.may_use_public_key) {
        Identities none;
        none.troubles.emplace_back("ssh_config switches PubkeyAuthentication off");
        return none;
    }
    Identities identities = Choice(login, ring, agent).take();
    if (agent != nullptr && !agent->trouble().empty()) {
        identities.troubles.push_back(agent->trouble());
    }
    return identities;
}

}  // namespace gpumuster
