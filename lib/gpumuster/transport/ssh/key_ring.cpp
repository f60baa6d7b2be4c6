#include "gpumuster/transport/ssh/key_ring.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "gpumuster/transport/ssh/identity_blob.hpp"
#include "gpumuster/transport/trust/base64.hpp"

namespace gpumuster {
namespace {

using State = PrivateKey::State;

constexpr off_t longest_key_file = 1 << 20;

// libssh asks for a passphrase only when the file is encrypted; declining tells us so.
int decline_passphrase(const char*, char*, std::size_t, int, int, void* was_asked) {
    *static_cast<bool*>(was_asked) = true;
    return -1;
}

// Only of a regular file: opening a pipe would wait for its writer.
std::optional<std::string> text_of(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    if (info.st_size > longest_key_file) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

KeyBlob blob_of(const ssh_key key) {
    char* text = nullptr;
    if (::ssh_pki_export_pubkey_base64(key, &text) != SSH_OK) return {};
    std::optional<std::string> blob = decode_base64(text);
    ::ssh_string_free_char(text);
    return blob.value_or(KeyBlob());
}

// What is known of the public key without opening the private one.
void find_public_key(PrivateKey& key) {
    std::string text = text_of(key.path).value_or(std::string());
    if (auto own = blob_of_line(text)) {
        key.public_key = std::move(*own);
        key.state = State::public_only;
        return;
    }
    std::optional<KeyBlob> found = public_part_of(text);
    wipe_memory(text.data(), text.size());
    if (!found) {
        if (const auto beside = text_of(key.path + ".pub")) found = blob_of_line(*beside);
    }
    if (found) key.public_key = std::move(*found);
}

void take(PrivateKey& key, ssh_key opened) {
    key.key.reset(opened, ::ssh_key_free);
    key.public_key = blob_of(opened);
    key.state = State::loaded;
    if (!read_blob(key.public_key)) {  // DSA, which no sshd of today accepts
        key.key.reset();
        key.state = State::unsupported;
    }
}

void load(PrivateKey& key) {
    struct stat info {};
    if (::stat(key.path.c_str(), &info) != 0) return;
    if (!S_ISREG(info.st_mode) || ::access(key.path.c_str(), R_OK) != 0) {
        key.state = State::unreadable;
        return;
    }
    if (info.st_uid == ::getuid() && (info.st_mode & 077) != 0) {
        key.state = State::permissions_too_open;
        return;
    }
    bool was_asked = false;
    ssh_key opened = nullptr;
    const int code = ::ssh_pki_import_privkey_file(key.path.c_str(), nullptr, decline_passphrase,
                                                   &was_asked, &opened);
    if (code == SSH_OK) {
        take(key, opened);
    } else {
        key.state = was_asked ? State::encrypted : State::unsupported;
    }
}

}  // namespace

std::string PrivateKey::trouble() const {
    switch (state) {
        case State::loaded:
            return {};
        case State::missing:
            return fmt::format("{} does not exist", path);
        case State::unreadable:
            return fmt::format("{} cannot be read", path);
        case State::permissions_too_open:
            return fmt::format("{} can be read by others (chmod 600 {})", path, path);
        case State::encrypted:
            return fmt::format("{} is encrypted", path);
        case State::declined:
            return fmt::format("{} is encrypted, and no passphrase was given", path);
        case State::wrong_passphrase:
            return fmt::format("{} is encrypted, and the passphrase was wrong", path);
        case State::public_only:
            return fmt::format("{} is a public key, and no agent has its private half", path);
        case State::unsupported:
            return fmt::format("{} is no private key that libssh can use", path);
    }
    return {};
}

PrivateKey load_private_key(const std::string& path) {
    PrivateKey result;
    result.path = path;
    load(result);
    if (result.state != State::loaded) find_public_key(result);
    return result;
}

bool decrypt(PrivateKey& key, const Secret& passphrase) {
    ssh_key opened = nullptr;
    const int code = ::ssh_pki_import_privkey_file(key.path.c_str(), passphrase.c_str(), nullptr,
                                                   nullptr, &opened);
    if (code != SSH_OK) return false;
    take(key, opened);
    return true;
}

Certificate load_certificate(const std::string& path) {
    Certificate result;
    result.path = path;
    const std::optional<std::string> text = text_of(path);
    if (!text) {
        result.is_missing = ::access(path.c_str(), F_OK) != 0;
        result.trouble = fmt::format("the certificate {} {}", path,
                                     result.is_missing ? "does not exist" : "cannot be read");
        return result;
    }
    result.trouble = fmt::format("{} is no certificate that libssh can use", path);
    std::optional<KeyBlob> blob = blob_of_line(*text);
    const std::optional<BlobFacts> facts = blob ? read_blob(*blob) : std::nullopt;
    if (!facts || !facts->is_certificate) return result;
    ssh_key imported = nullptr;
    const int code = ::ssh_pki_import_cert_base64(
        encode_base64(*blob).c_str(), ::ssh_key_type_from_name(facts->type.c_str()), &imported);
    if (code != SSH_OK) return result;
    result.certificate.reset(imported, ::ssh_key_free);
    result.blob = std::move(*blob);
    result.key = facts->key;
    result.trouble.clear();
    return result;
}

std::string certificate_beside(const std::string& key_path) {
    return key_path + "-cert.pub";
}

const PrivateKey& KeyRing::load(const std::string& path) {
    const auto found = keys_.find(path);
    if (found != keys_.end()) return found->second;
    return keys_.emplace(path, load_private_key(path)).first->second;
}

const Certificate& KeyRing::load_certificate(const std::string& path) {
    const auto found = certificates_.find(path);
    if (found != certificates_.end()) return found->second;
    return certificates_.emplace(path, gpumuster::load_certificate(path)).first->second;
}

bool KeyRing::open(const std::string& path, const Secret& passphrase) {
    return decrypt(keys_.at(path), passphrase);
}

void KeyRing::note_asked(const std::string& path, PrivateKey::State state) {
    keys_.at(path).state = state;
}

void KeyRing::certify() {
    for (const auto& [key_path, key] : keys_) {
        for (const auto& [certificate_path, certificate] : certificates_) {
            const bool fits = key.state == State::loaded && certificate.trouble.empty() &&
                              key.public_key == certificate.key;
            const std::pair names(key_path, certificate_path);
            if (!fits || certified_.contains(names)) continue;
            std::shared_ptr<ssh_key_struct> both(::ssh_key_dup(key.key.get()), ::ssh_key_free);
            const int code =
                ::ssh_pki_copy_cert_to_privkey(certificate.certificate.get(), both.get());
            if (both && code == SSH_OK) certified_.emplace(names, std::move(both));
        }
    }
}

std::shared_ptr<ssh_key_struct> KeyRing::certified(const std::string& key_path,
                                                   const std::string& certificate_path) const {
    const auto found = certified_.find({key_path, certificate_path});
    return found == certified_.end() ? nullptr : found->second;
}

}  // namespace gpumuster
