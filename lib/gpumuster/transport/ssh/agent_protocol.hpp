#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster {

// The messages between an ssh client and its agent, as text and values. Nobody here is trusted: no
// message is longer than OpenSSH's own limit.
constexpr std::size_t longest_agent_message = 256 * 1024;

enum class AgentMessage : std::uint8_t {
    failure = 5,
    request_identities = 11,
    identities_answer = 12,
    sign_request = 13,
    sign_response = 14,
};

// Takes the first whole message, without its length, off the front of `buffer`.
enum class Framing { incomplete, whole, broken };
Framing take_agent_message(std::string& buffer, std::string& message);

// The message with its length before it, ready to be sent.
std::string frame_agent_message(std::string_view message);

// The kind of a message; empty when it has none that is known here.
std::optional<AgentMessage> kind_of(std::string_view message);

std::string plain_message(AgentMessage kind);

struct AgentKey {
    KeyBlob blob;
    std::string comment;  // as the agent has it: not safe
};
// Of an identities_answer; empty when that is damaged. Types are not looked at.
std::optional<std::vector<AgentKey>> read_identities(std::string_view message);
std::string identities_answer(const std::vector<AgentKey>& keys);

struct SignRequest {
    KeyBlob key;
    std::string data;
    std::uint32_t flags = 0;
};
std::optional<SignRequest> read_sign_request(std::string_view message);
std::string sign_request(const SignRequest& request);

// Whether the message is a sign_response that holds a signature.
bool is_signature(std::string_view message);

}  // namespace gpumuster
