#include "gpumuster/transport/ssh/agent_protocol.hpp"

#include <array>

#include "gpumuster/transport/ssh/ssh_bytes.hpp"

namespace gpumuster {

Framing take_agent_message(std::string& buffer, std::string& message) {
    SshBytes bytes(buffer);
    const std::optional<std::uint32_t> size = bytes.number();
    if (!size) return Framing::incomplete;
    if (*size == 0 || *size > longest_agent_message) return Framing::broken;
    if (bytes.rest().size() < *size) return Framing::incomplete;
    message = bytes.rest().substr(0, *size);
    buffer.erase(0, 4 + *size);
    return Framing::whole;
}

std::string frame_agent_message(std::string_view message) {
    return string_field(message);
}

std::optional<AgentMessage> kind_of(std::string_view message) {
    // The other two mean failure as well, from before there was a standard.
    constexpr std::array<std::uint8_t, 3> failures{5, 30, 102};
    if (message.empty()) return std::nullopt;
    const auto kind = static_cast<std::uint8_t>(message.front());
    for (const std::uint8_t failure : failures) {
        if (kind == failure) return AgentMessage::failure;
    }
    const bool is_known = kind >= static_cast<std::uint8_t>(AgentMessage::request_identities) &&
                          kind <= static_cast<std::uint8_t>(AgentMessage::sign_response);
    if (!is_known) return std::nullopt;
    return static_cast<AgentMessage>(kind);
}

std::string plain_message(AgentMessage kind) {
    return std::string(1, static_cast<char>(kind));
}

std::optional<std::vector<AgentKey>> read_identities(std::string_view message) {
    if (kind_of(message) != AgentMessage::identities_answer) return std::nullopt;
    SshBytes bytes(message.substr(1));
    const std::optional<std::uint32_t> count = bytes.number();
    if (!count) return std::nullopt;
    std::vector<AgentKey> keys;
    for (std::uint32_t i = 0; i < *count; ++i) {
        const std::optional<std::string_view> blob = bytes.string();
        const std::optional<std::string_view> comment = bytes.string();
        if (!blob || !comment) return std::nullopt;
        keys.push_back(AgentKey{KeyBlob(*blob), std::string(*comment)});
    }
    return keys;
}

std::string identities_answer(const std::vector<AgentKey>& keys) {
    std::string message = plain_message(AgentMessage::identities_answer);
    message += number_field(static_cast<std::uint32_t>(keys.size()));
    for (const AgentKey& key : keys) message += string_field(key.blob) + string_field(key.comment);
    return message;
}

std::optional<SignRequest> read_sign_request(std::string_view message) {
    if (kind_of(message) != AgentMessage::sign_request) return std::nullopt;
    SshBytes bytes(message.substr(1));
    const std::optional<std::string_view> key = bytes.string();
    const std::optional<std::string_view> data = bytes.string();
    const std::optional<std::uint32_t> flags = bytes.number();
    if (!key || !data || !flags) return std::nullopt;
    return SignRequest{KeyBlob(*key), std::string(*data), *flags};
}

std::string sign_request(const SignRequest& request) {
    return plain_message(AgentMessage::sign_request) + string_field(request.key) +
           string_field(request.data) + number_field(request.flags);
}

bool is_signature(std::string_view message) {
    if (kind_of(message) != AgentMessage::sign_response) return false;
    SshBytes bytes(message.substr(1));
    const std::optional<std::string_view> signature = bytes.string();
    return signature && !signature->empty();
}

}  // namespace gpumuster
