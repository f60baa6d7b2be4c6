#include "gpumuster-sim/ssh_visit.hpp"

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>
#include <sys/socket.h>

#include <list>
#include <stdexcept>
#include <string>

#include "gpumuster-sim/sockets.hpp"
#include "gpumuster-sim/ssh_channel.hpp"

namespace gpumuster::sim {
namespace {

// How often a step goes round before other visits get their turn.
constexpr int rounds_per_step = 4;

class SshVisit : public Visit {
public:
    SshVisit(const SshServer& server, const SimulatedHost& host, LiveCounts& counts, int socket);
    ~SshVisit() override { ssh_free(session_); }
    SshVisit(const SshVisit&) = delete;
    SshVisit& operator=(const SshVisit&) = delete;

    Progress step() override;

private:
    void set_up_callbacks();
    void advance();
    bool answer();
    bool answer(SshChannel& channel);
    SshChannel* find(ssh_channel channel);
    bool is_over() const;
    bool has_unsent() const { return (ssh_get_status(session_) & SSH_WRITE_PENDING) != 0; }
    void cut_connection();

    int judge_key(ssh_key key, char signature_state);
    ssh_channel open_channel();
    int accept_exec(ssh_channel channel, const char* command);
    bool swallows(ssh_message message) const;

    const SshServer& server_;
    const SimulatedHost& host_;
    LiveCounts& counts_;
    int socket_;
    ssh_session session_;
    ssh_server_callbacks_struct server_callbacks_{};
    ssh_channel_callbacks_struct channel_callbacks_{};
    std::list<SshChannel> channels_;  // callbacks add to it from inside a write
    bool has_started_ = false;
    bool has_failed_ = false;
    bool is_cut_ = false;
};

SshVisit& visit_of(void* userdata) {
    return *static_cast<SshVisit*>(userdata);
}

SshVisit::SshVisit(const SshServer& server, const SimulatedHost& host, LiveCounts& counts,
                   int socket)
    : server_{server}, host_{host}, counts_{counts}, socket_{socket}, session_{ssh_new()} {
    if (session_ == nullptr) throw std::runtime_error("libssh cannot make a session");
    ssh_set_blocking(session_, 0);
    // libssh closes its descriptor by itself on errors; with one of its own it cannot close one
    // that the poller still watches.
    Descriptor own = copy_of(socket);
    const int rc = ssh_bind_accept_fd(server.bind(), session_, own.get());
    if (ssh_get_fd(session_) == own.get()) own.release();
    if (rc != SSH_OK) {
        ssh_free(session_);
        throw std::runtime_error("libssh cannot take a connection");
    }
    ssh_set_auth_methods(session_, SSH_AUTH_METHOD_PUBLICKEY);
    set_up_callbacks();
}

void SshVisit::set_up_callbacks() {
    ssh_callbacks_init(&server_callbacks_);
    server_callbacks_.userdata = this;
    if (host_.state != HostState::stuck_auth) {
        server_callbacks_.auth_pubkey_function = [](ssh_session, const char*, ssh_key key,
                                                    char state, void* data) {
            return visit_of(data).judge_key(key, state);
        };
    }
    if (host_.state != HostState::stuck_channel) {
        server_callbacks_.channel_open_request_session_function = [](ssh_session, void* data) {
            return visit_of(data).open_channel();
        };
    }
    ssh_set_server_callbacks(session_, &server_callbacks_);
    ssh_set_message_callback(
        session_,
        [](ssh_session, ssh_message message, void* data) {
            return visit_of(data).swallows(message) ? 0 : 1;
        },
        this);

    ssh_callbacks_init(&channel_callbacks_);
    channel_callbacks_.userdata = this;
    channel_callbacks_.channel_exec_request_function = [](ssh_session, ssh_channel channel,
                                                          const char* command, void* data) {
        return visit_of(data).accept_exec(channel, command);
    };
    channel_callbacks_.channel_data_function = [](ssh_session, ssh_channel, void*, uint32_t size,
                                                  int, void*) { return static_cast<int>(size); };
    channel_callbacks_.channel_close_function = [](ssh_session, ssh_channel channel, void* data) {
        if (SshChannel* known = visit_of(data).find(channel)) known->note_close();
    };
}

Progress SshVisit::step() {
    for (int round = 0; round < rounds_per_step; ++round) {
        advance();
        if (is_over()) return Progress::over;
        const bool has_worked = answer();
        if (!has_worked && !has_unsent()) return Progress::wants_input;
    }
    return Progress::wants_output_too;
}

// Lets libssh read and write what it can: one poll of its descriptor.
void SshVisit::advance() {
    if (has_started_) {
        ssh_execute_message_callbacks(session_);
        return;
    }
    has_started_ = true;
    // Sends our banner; from then on each packet's callback leads to the next state.
    has_failed_ = ssh_handle_key_exchange(session_) == SSH_ERROR;
}

bool SshVisit::is_over() const {
    return has_failed_ || (ssh_get_status(session_) & (SSH_CLOSED | SSH_CLOSED_ERROR)) != 0;
}

SshChannel* SshVisit::find(ssh_channel channel) {
    for (SshChannel& known : channels_) {
        if (known.is(channel)) return &known;
    }
    return nullptr;
}

// True when something was done, so that another look is due.
bool SshVisit::answer() {
    bool has_worked = false;
    for (SshChannel& channel : channels_) {
        if (auto command = channel.take_command()) channel.start(server_.answer(host_, *command));
        if (channel.is_closed_by_client()) channel.close();
        if (answer(channel)) has_worked = true;
    }
    channels_.remove_if(
        [](const SshChannel& channel) { return channel.state() == SshChannel::State::finished; });
    return has_worked;
}

bool SshVisit::answer(SshChannel& channel) {
    // What libssh has buffered goes first, so that a flood does not grow in memory.
    if (has_unsent()) return false;
    if (channel.state() == SshChannel::State::writing) return channel.send_some();
    if (channel.state() == SshChannel::State::cut) cut_connection();
    return false;
}

// The client reads to the end of what was sent and then finds the stream closed.
void SshVisit::cut_connection() {
    if (!is_cut_) shutdown(socket_, SHUT_WR);
    is_cut_ = true;
}

int SshVisit::judge_key(ssh_key key, char signature_state) {
    const bool is_offer = signature_state == SSH_PUBLICKEY_STATE_NONE;
    ++(is_offer ? counts_.key_offers : counts_.auth_attempts);
    if (!is_offer && signature_state != SSH_PUBLICKEY_STATE_VALID) return SSH_AUTH_DENIED;
    if (host_.state == HostState::refused_key) return SSH_AUTH_DENIED;
    if (!server_.client_key().has_same_public(key)) return SSH_AUTH_DENIED;
    if (is_offer) return SSH_AUTH_SUCCESS;
    if (host_.state == HostState::partial_auth) {
        ssh_set_auth_methods(session_, SSH_AUTH_METHOD_INTERACTIVE);
        return SSH_AUTH_PARTIAL;
    }
    ++counts_.logins;
    return SSH_AUTH_SUCCESS;
}

ssh_channel SshVisit::open_channel() {
    ++counts_.channels;
    if (host_.state == HostState::channel_refused) return nullptr;
    ssh_channel channel = ssh_channel_new(session_);
    if (channel == nullptr) return nullptr;
    ssh_set_channel_callbacks(channel, &channel_callbacks_);
    channels_.emplace_back(channel);
    return channel;
}

int SshVisit::accept_exec(ssh_channel channel, const char* command) {
    ++counts_.execs;
    SshChannel* known = find(channel);
    if (known == nullptr || host_.state == HostState::exec_refused) return SSH_ERROR;
    known->note_command(command);
    return SSH_OK;
}

// What gets no reply at all; everything else that has no callback gets libssh's default one.
bool SshVisit::swallows(ssh_message message) const {
    const int type = ssh_message_type(message);
    if (host_.state == HostState::stuck_auth) return type == SSH_REQUEST_AUTH;
    return host_.state == HostState::stuck_channel && type == SSH_REQUEST_CHANNEL_OPEN;
}

}  // namespace

std::unique_ptr<Visit> make_ssh_visit(const SshServer& server, const SimulatedHost& host,
                                      LiveCounts& counts, int socket) {
    return std::make_unique<SshVisit>(server, host, counts, socket);
}

}  // namespace gpumuster::sim
