#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

#include "gpumuster/transport/trust/base64.hpp"
#include "gpumuster/transport/trust/host_pattern.hpp"
#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster {
namespace {

constexpr std::string_view blanks = " \t";

std::string_view take_field(std::string_view& rest) {
    const std::size_t begin = std::min(rest.find_first_not_of(blanks), rest.size());
    rest.remove_prefix(begin);
    const std::size_t end = std::min(rest.find_first_of(blanks), rest.size());
    const std::string_view field = rest.substr(0, end);
    rest.remove_prefix(end);
    return field;
}

}  // namespace

std::string key_type_of(std::string_view blob) {
    if (blob.size() < 4) return {};
    std::uint32_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        length = length << 8 | static_cast<unsigned char>(blob[i]);
    }
    if (length == 0 || length > 64 || blob.size() < 4 + length) return {};
    return std::string(blob.substr(4, length));
}

std::string fingerprint(std::string_view blob) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
    ::SHA256(reinterpret_cast<const unsigned char*>(blob.data()), blob.size(), digest.data());
    std::string result =
        encode_base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
    while (result.ends_with('=')) result.pop_back();
    return "SHA256:" + result;
}

KnownHostsFile KnownHostsFile::parse(std::string_view text, const std::string& file_name) {
    KnownHostsFile file;
    file.file_name_ = file_name;
    file.add(text);
    return file;
}

void KnownHostsFile::add(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        add_line(line, ++lines_);
    }
}

std::optional<KnownHostsFile> KnownHostsFile::read(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               std::fclose);
    if (!file) return std::nullopt;
    std::string text;
    std::array<char, 65'536> chunk;
    while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
        text.append(chunk.data(), count);
    }
    // A directory opens and then cannot be read.
    if (std::ferror(file.get()) != 0) return std::nullopt;
    return parse(text, path);
}

void KnownHostsFile::add_line(std::string_view line, int number) {
    std::string_view rest = line;
    std::string_view field = take_field(rest);
    if (field.empty() || field.starts_with('#')) return;

    Entry entry;
    entry.line = number;
    if (field.starts_with('@')) {
        if (field == "@revoked") {
            entry.marker = Marker::revoked;
        } else if (field == "@cert-authority") {
            entry.marker = Marker::cert_authority;
        } else {
            return;
        }
        field = take_field(rest);
    }
    entry.names = lower_case(field);
    if (field.starts_with('|')) entry.names = field;  // base64 has both cases
    entry.type = take_field(rest);
    const auto key = decode_base64(take_field(rest));
    if (!key || key_type_of(*key) != entry.type) return;
    entry.key = *key;
    entries_.push_back(std::move(entry));
    index_entry(entries_.size() - 1);
}

void KnownHostsFile::index_entry(std::size_t index) {
    const Entry& entry = entries_[index];
    if (entry.names.starts_with('|')) {
        const auto hashed = parse_hashed_name(entry.names);
        if (!hashed) return;
        hashed_.push_back(Hashed{*hashed, index});
        by_key_.emplace(entry.key, index);
        if (entry.marker == Marker::none) add_hashed_type(entry.type);
    } else if (is_pattern_list(entry.names)) {
        patterns_.push_back(index);
        by_key_.emplace(entry.key, index);
    } else {
        std::istringstream names(entry.names);
        for (std::string name; std::getline(names, name, ',');) by_name_.emplace(name, index);
    }
    if (entry.marker == Marker::cert_authority) authorities_.push_back(index);
}

void KnownHostsFile::add_hashed_type(const std::string& type) {
    if (std::find(hashed_types_.begin(), hashed_types_.end(), type) == hashed_types_.end()) {
        hashed_types_.push_back(type);
    }
}

std::optional<std::size_t> KnownHostsFile::find(const std::string& name, const KeyBlob& key,
                                                Marker marker) const {
    const auto [first_name, last_name] = by_name_.equal_range(name);
    for (auto one = first_name; one != last_name; ++one) {
        const Entry& entry = entries_[one->second];
        if (entry.marker == marker && entry.key == key) return one->second;
    }
    const auto [first_key, last_key] = by_key_.equal_range(key);
    for (auto one = first_key; one != last_key; ++one) {
        const Entry& entry = entries_[one->second];
        if (entry.marker == marker && names_host(entry, name)) return one->second;
    }
    return std::nullopt;
}

bool KnownHostsFile::names_host(const Entry& entry, const std::string& name) const {
    if (!entry.names.starts_with('|')) return matches_pattern_list(name, entry.names);
    const auto hashed = parse_hashed_name(entry.names);
    return hashed && hash_name(name, hashed->salt).hash == hashed->hash;
}

std::vector<std::size_t> KnownHostsFile::plain_entries_for(const std::string& name) const {
    std::vector<std::size_t> found;
    const auto [begin, end] = by_name_.equal_range(name);
    for (auto one = begin; one != end; ++one) found.push_back(one->second);
    for (const std::size_t index : patterns_) {
        if (matches_pattern_list(name, entries_[index].names)) found.push_back(index);
    }
    return found;
}

std::vector<std::size_t> KnownHostsFile::hashed_entries_for(const std::string& name) const {
    std::vector<std::size_t> found;
    for (const Hashed& one : hashed_) {
        if (hash_name(name, one.name.salt).hash == one.name.hash) found.push_back(one.entry);
    }
    return found;
}

std::vector<std::size_t> KnownHostsFile::entries_for(const std::string& name) const {
    std::vector<std::size_t> found = plain_entries_for(name);
    const std::vector<std::size_t> hashed = hashed_entries_for(name);
    found.insert(found.end(), hashed.begin(), hashed.end());
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

bool KnownHostsFile::has_plain_line(const std::vector<std::size_t>& found) const {
    return std::any_of(found.begin(), found.end(),
                       [&](std::size_t index) { return entries_[index].marker == Marker::none; });
}

}  // namespace gpumuster
