#pragma once

#include <libssh/libssh.h>
#include <libssh/server.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gpumuster-sim/keys.hpp"
#include "support/listener.hpp"

namespace gpumuster::test {

// What a client asks of a server that decides who may log in.
struct AuthRequest {
    std::string method;  // "none", "publickey", "password", "keyboard-interactive"
    std::string user;
    std::string password;    // of "password"
    bool is_signed = false;  // of "publickey"
    bool is_answer = false;  // of "keyboard-interactive": to the last question
    std::vector<std::string> answers;
};

struct AuthPrompt {
    std::string text;
    bool is_echoed = false;
};

struct AuthDecision {
    enum class What { accept, accept_partly, deny, ask, hang_up };
    What what = What::deny;
    int methods = SSH_AUTH_METHOD_PUBLICKEY;  // that can continue
    std::vector<AuthPrompt> prompts = {};     // of `ask`
    std::string banner = {};                  // sent before the answer
};

// An SSH server whose logins are decided by the test, since a real sshd takes passwords only of
// real accounts. One connection at a time; after a login it waits until the client has gone.
class AuthServer {
public:
    using Decide = std::function<AuthDecision(const AuthRequest&)>;

    explicit AuthServer(Decide decide)
        : decide_(std::move(decide)), host_key_(sim::KeyType::ed25519) {
        listener_ = listen_on_loopback();
        thread_ = std::thread([this] { serve_all(); });
    }
    ~AuthServer() {
        is_ending_ = true;
        ::shutdown(listener_.fd.get(), SHUT_RDWR);
        thread_.join();
    }
    AuthServer(const AuthServer&) = delete;
    AuthServer& operator=(const AuthServer&) = delete;

    std::uint16_t port() const { return listener_.port; }

    // What was asked, in order: "password", "keyboard-interactive", "answer:one,two".
    std::vector<std::string> asked() const {
        const std::lock_guard lock(mutex_);
        return asked_;
    }

private:
    void serve_all() {
        while (!is_ending_) {
            const int fd = ::accept4(listener_.fd.get(), nullptr, nullptr, SOCK_CLOEXEC);
            if (fd >= 0) serve(fd);
        }
    }

    void serve(int fd) {
        ssh_bind bind = ::ssh_bind_new();
        const bool no_config = false;
        ::ssh_bind_options_set(bind, SSH_BIND_OPTIONS_PROCESS_CONFIG, &no_config);
        ::ssh_bind_options_set(bind, SSH_BIND_OPTIONS_IMPORT_KEY, ::ssh_key_dup(host_key_.get()));
        ssh_session session = ::ssh_new();
        ::ssh_bind_accept_fd(bind, session, fd);
        ::ssh_set_auth_methods(session, SSH_AUTH_METHOD_PUBLICKEY);
        if (::ssh_handle_key_exchange(session) == SSH_OK) answer_all(session);
        ::ssh_disconnect(session);
        ::ssh_free(session);
        ::ssh_bind_free(bind);
        ::close(fd);
    }

    void answer_all(ssh_session session) {
        while (ssh_message message = ::ssh_message_get(session)) {
            const bool goes_on = ::ssh_message_type(message) == SSH_REQUEST_AUTH
                                     ? answer(session, message)
                                     : (answer_other(message), true);
            ::ssh_message_free(message);
            if (!goes_on) return;
        }
    }

    static void answer_other(ssh_message message) {
        if (::ssh_message_type(message) == SSH_REQUEST_SERVICE) {
            ::ssh_message_service_reply_success(message);
        } else {
            ::ssh_message_reply_default(message);
        }
    }

    bool answer(ssh_session session, ssh_message message) {
        const AuthRequest request = read(session, message);
        note(request);
        AuthDecision decision = decide_(request);
        if (!decision.banner.empty()) {
            ssh_string text = ::ssh_string_from_char(decision.banner.c_str());
            ::ssh_send_issue_banner(session, text);
            ::ssh_string_free(text);
        }
        ::ssh_message_auth_set_methods(message, decision.methods);
        switch (decision.what) {
            case AuthDecision::What::accept:
                ::ssh_message_auth_reply_success(message, 0);
                return true;
            case AuthDecision::What::accept_partly:
                ::ssh_message_auth_reply_success(message, 1);
                return true;
            case AuthDecision::What::ask:
                ask(message, decision.prompts);
                return true;
            case AuthDecision::What::hang_up:
                return false;
            case AuthDecision::What::deny:
                break;
        }
        ::ssh_message_reply_default(message);
        return true;
    }

    // libssh wants callbacks in place of these, which can neither ask nor hang up.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    static AuthRequest read(ssh_session session, ssh_message message) {
        AuthRequest request;
        const char* user = ::ssh_message_auth_user(message);
        request.user = user != nullptr ? user : "";
        switch (::ssh_message_subtype(message)) {
            case SSH_AUTH_METHOD_PASSWORD:
                request.method = "password";
                request.password = ::ssh_message_auth_password(message);
                break;
            case SSH_AUTH_METHOD_PUBLICKEY:
                request.method = "publickey";
                request.is_signed =
                    ::ssh_message_auth_publickey_state(message) == SSH_PUBLICKEY_STATE_VALID;
                break;
            case SSH_AUTH_METHOD_INTERACTIVE:
                request.method = "keyboard-interactive";
                request.is_answer = ::ssh_message_auth_kbdint_is_response(message) == 1;
                for (int i = 0; i < ::ssh_userauth_kbdint_getnanswers(session); ++i) {
                    request.answers.emplace_back(
                        ::ssh_userauth_kbdint_getanswer(session, static_cast<unsigned>(i)));
                }
                break;
            default:
                request.method = "none";
        }
        return request;
    }
#pragma GCC diagnostic pop

    static void ask(ssh_message message, const std::vector<AuthPrompt>& prompts) {
        std::vector<const char*> texts;
        std::vector<char> echoes;
        for (const AuthPrompt& prompt : prompts) {
            texts.push_back(prompt.text.c_str());
            echoes.push_back(prompt.is_echoed ? 1 : 0);
        }
        ::ssh_message_auth_interactive_request(
            message, "", "", static_cast<unsigned>(prompts.size()), texts.data(), echoes.data());
    }

    void note(const AuthRequest& request) {
        std::string text = request.method;
        if (request.is_answer) {
            text = "answer:";
            for (const std::string& answer : request.answers) text += answer + ";";
        }
        const std::lock_guard lock(mutex_);
        asked_.push_back(text);
    }

    Decide decide_;
    sim::KeyPair host_key_;
    Listener listener_;
    std::atomic<bool> is_ending_{false};
    mutable std::mutex mutex_;
    std::vector<std::string> asked_;
    std::thread thread_;
};

}  // namespace gpumuster::test
