#include "gpumuster-sim/ssh_server.hpp"

#include <libssh/libssh.h>
#include <libssh/server.h>

#include <stdexcept>

namespace gpumuster::sim {

void SshServer::Free::operator()(ssh_bind_struct* bind) const {
    ssh_bind_free(bind);
}

SshServer::SshServer(KeyType client_key, Responder responder)
    : client_key_{client_key}, bind_{ssh_bind_new()}, responder_{std::move(responder)} {
    if (!bind_) throw std::runtime_error("libssh cannot make a server");
    const bool process_config = false;
    ssh_bind_options_set(bind(), SSH_BIND_OPTIONS_PROCESS_CONFIG, &process_config);
    // Owned by the bind from here on.
    ssh_key key = ssh_key_dup(host_key_.get());
    if (ssh_bind_options_set(bind(), SSH_BIND_OPTIONS_IMPORT_KEY, key) != SSH_OK) {
        ssh_key_free(key);
        throw std::runtime_error("libssh refuses the host key");
    }
}

Answer SshServer::answer(const SimulatedHost& host, std::string_view command) const {
    if (responder_) {
        if (auto answer = responder_(host, command)) return std::move(*answer);
    }
    return answer_command(host, command);
}

}  // namespace gpumuster::sim
