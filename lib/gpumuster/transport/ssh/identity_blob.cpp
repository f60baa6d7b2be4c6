#include "gpumuster/transport/ssh/identity_blob.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "gpumuster/transport/ssh/ssh_bytes.hpp"
#include "gpumuster/transport/trust/base64.hpp"

namespace gpumuster {
namespace {

struct KeyType {
    std::string_view name;
    int fields;  // strings that follow the name in a plain key
};

constexpr std::array<KeyType, 5> key_types{{
    {"ssh-ed25519", 1},
    {"ecdsa-sha2-nistp256", 2},
    {"ecdsa-sha2-nistp384", 2},
    {"ecdsa-sha2-nistp521", 2},
    {"ssh-rsa", 2},
}};
constexpr std::string_view certificate_suffix = "-cert-v01@openssh.com";

int bits_of(std::string_view number) {
    while (!number.empty() && number.front() == '\0') number.remove_prefix(1);
    if (number.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(number.front());
    return static_cast<int>((number.size() - 1) * 8) + std::bit_width(first);
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view take_word(std::string_view& text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    const auto end = std::find_if(text.begin(), text.end(), is_blank);
    const std::string_view word =
        text.substr(0, static_cast<std::size_t>(std::distance(text.begin(), end)));
    text.remove_prefix(word.size());
    return word;
}

bool skip_strings(SshBytes& bytes, int count) {
    for (int i = 0; i < count; ++i) {
        if (!bytes.string()) return false;
    }
    return true;
}

bool skip_numbers(SshBytes& bytes, int count) {
    for (int i = 0; i < count; ++i) {
        if (!bytes.number()) return false;
    }
    return true;
}

// What follows the key in a certificate of OpenSSH's; false when it is torn, or a host's.
bool skip_rest_of_certificate(SshBytes& bytes) {
    constexpr std::uint32_t of_a_user = 1;
    return skip_numbers(bytes, 2) &&       // the serial number
           bytes.number() == of_a_user &&  // user or host
           skip_strings(bytes, 2) &&       // name and principals
           skip_numbers(bytes, 4) &&       // valid from and to
           skip_strings(bytes, 5);         // options, extensions, reserved, authority, signature
}

}  // namespace

std::optional<BlobFacts> read_blob(std::string_view blob) {
    SshBytes bytes(blob);
    const std::optional<std::string_view> name = bytes.string();
    if (!name) return std::nullopt;
    BlobFacts facts;
    facts.type = *name;
    facts.is_certificate = name->ends_with(certificate_suffix);
    std::string_view plain = *name;
    if (facts.is_certificate) plain.remove_suffix(certificate_suffix.size());
    const auto type = std::find_if(key_types.begin(), key_types.end(),
                                   [&](const KeyType& one) { return one.name == plain; });
    if (type == key_types.end()) return std::nullopt;
    // A certificate has a nonce before the key's own fields.
    if (facts.is_certificate && !bytes.string()) return std::nullopt;

    facts.key = string_field(plain);
    std::string_view last;
    for (int i = 0; i < type->fields; ++i) {
        const std::optional<std::string_view> field = bytes.string();
        if (!field || field->empty()) return std::nullopt;
        facts.key += string_field(*field);
        last = *field;
    }
    if (facts.is_certificate && !skip_rest_of_certificate(bytes)) return std::nullopt;
    if (!bytes.rest().empty()) return std::nullopt;
    if (plain == "ssh-rsa") facts.rsa_bits = bits_of(last);
    return facts;
}

std::optional<KeyBlob> blob_of_line(std::string_view text) {
    const std::string_view type = take_word(text);
    std::optional<std::string> blob = decode_base64(take_word(text));
    if (!blob || key_type_of(*blob) != type) return std::nullopt;
    return blob;
}

std::optional<KeyBlob> public_part_of(std::string_view private_key_file) {
    constexpr std::string_view begin = "-----BEGIN OPENSSH PRIVATE KEY-----";
    constexpr std::string_view end = "-----END OPENSSH PRIVATE KEY-----";
    constexpr std::string_view magic("openssh-key-v1\0", 15);
    if (!private_key_file.starts_with(begin)) return std::nullopt;
    const std::size_t stop = private_key_file.find(end);
    if (stop == std::string_view::npos) return std::nullopt;
    std::string text(private_key_file.substr(begin.size(), stop - begin.size()));
    std::erase_if(text, is_blank);
    const std::optional<std::string> content = decode_base64(text);
    if (!content || !content->starts_with(magic)) return std::nullopt;

    SshBytes bytes(std::string_view(*content).substr(magic.size()));
    if (!skip_strings(bytes, 3)) return std::nullopt;  // cipher, key derivation and its options
    if (bytes.number() != 1U) return std::nullopt;
    const std::optional<std::string_view> blob = bytes.string();
    if (!blob || key_type_of(*blob).empty()) return std::nullopt;
    return KeyBlob(*blob);
}

}  // namespace gpumuster
