#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gpumuster {

// What `ssh -G` says of one name: the values of those keywords that matter here, as ssh prints
// them. Keywords are in lower case.
class SshConfigAnswer {
public:
    // The first value; empty when ssh says nothing of it.
    const std::string& value(std::string_view keyword) const;
    // All of them, in ssh's order.
    const std::vector<std::string>& values(std::string_view keyword) const;
    // `yes` or `true`.
    bool is_on(std::string_view keyword) const;
    // The value, where there is one that is not `none`.
    std::string set_value(std::string_view keyword) const;

    void add(std::string keyword, std::string value);
    // Forgets the keywords that are said in the same words elsewhere.
    void forget_what_is_in(const SshConfigAnswer& other);

    // Every answer that was parsed has these.
    const std::string& address() const { return value("hostname"); }
    const std::string& user() const { return value("user"); }
    std::uint16_t port() const;

    // ssh's own hash of the connection, for %C; empty where it was not asked for.
    std::string connection_hash;

private:
    std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// Reads the output of `ssh -G`. Unknown keywords and empty lines are passed over. The error is a
// phrase: `it names no port`.
tl::expected<SshConfigAnswer, std::string> parse_ssh_g(std::string_view text);

}  // namespace gpumuster
