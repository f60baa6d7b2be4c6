#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpumuster/transport/ssh/auth_step.hpp"

namespace gpumuster {

// What one login has come to so far. All texts are made safe.
struct LoginRecord {
    std::vector<std::string> refused;   // labels of what the host refused
    std::string accepted;               // of what it took before it wanted more; empty: nothing
    std::vector<std::string> troubles;  // of what could not be offered
    std::string agent_failure;          // why the agent was of no use; empty: it was
    std::size_t keys_not_tried = 0;     // because the run's ledger forbids them
    bool is_password_not_tried = false;
};

void note_refusal(LoginRecord& record, const std::string& label);

// The failure of a login that has nothing left to offer.
Failure nothing_left(const LoginRecord& record, const SshSession& session,
                     const LoginAttempt& attempt);

// The failure of a login that broke off. A host that has refused enough closes the connection in
// place of the last refusal.
Failure broken_off(const LoginRecord& record, const LoginAttempt& attempt, Failure failure);

}  // namespace gpumuster
