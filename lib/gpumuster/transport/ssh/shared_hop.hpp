#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <libssh/callbacks.h>

#include "gpumuster/base/result.hpp"
#include "gpumuster/transport/loop/slots.hpp"
#include "gpumuster/transport/ssh/session_driver.hpp"
#include "gpumuster/transport/ssh/tunnel.hpp"

namespace gpumuster {

// A logged-in session that many visits of one loop use at once: tunnels to the targets behind a
// jump host, commands in the containers of a host. One coroutine, the driver, is the only caller of
// libssh on it; what is submitted is resumed one by one. Owned by the loop's pool, which joins the
// driver by close() before the loop ends.
class SharedHop : public SessionDriver, public std::enable_shared_from_this<SharedHop> {
public:
    SharedHop(const asio::any_io_executor& executor, std::unique_ptr<SshSession> session,
              HopRef hop, std::stop_token cancel);
    ~SharedHop() override;
    SharedHop(const SharedHop&) = delete;
    SharedHop& operator=(const SharedHop&) = delete;

    // Starts the driver.
    void start();

    // Ends the session and waits for the driver. Nobody uses the hop any more.
    asio::awaitable<void> close();

    // The connection broke: every step ends with an error from then on.
    bool is_lost() const { return is_lost_; }
    Failure lost_failure() const;
    const HopRef& hop() const { return hop_; }

    // A socket that is connected to a port as the hop sees it; `target` names who is behind it.
    // `budget` runs from the moment the hop is asked.
    asio::awaitable<Result<UniqueFd>> tunnel(std::string address, std::uint16_t port, HopRef target,
                                             std::chrono::milliseconds budget,
                                             std::stop_token cancel);

    // Places for commands on this session: sshd gives a session's slot back late, and ten is all
    // that it has, so four are used at a time.
    Slots& commands() { return commands_; }

    SshSession& session() override { return *session_; }
    asio::awaitable<StepEnd> drive(Step step, int again, Deadline deadline) override;
    void has_called() override { wake_->notify(); }
    void adopt_opening(ssh_channel channel, Step open) override;

private:
    struct Job;
    struct Orphan {
        ssh_channel channel;
        Step open;
    };
    struct Line {  // a tunnel and whether it asked for a move
        std::unique_ptr<Tunnel> tunnel;
        bool is_ready = false;
    };

    asio::awaitable<void> run();
    bool do_round();
    bool handle_packets();
    bool step_jobs();
    bool move_tunnels();
    bool close_orphans();
    void watch_session();
    void end_everything();
    UniqueFd add_tunnel(ssh_channel channel);

    const asio::any_io_executor executor_;
    const HopRef hop_;
    std::unique_ptr<SshSession> session_;
    ssh_event event_ = nullptr;
    std::shared_ptr<Signal> wake_;
    Signal ended_;
    Slots openings_;
    Slots commands_;
    std::vector<std::shared_ptr<Job>> jobs_;
    std::vector<Orphan> orphans_;
    std::list<std::shared_ptr<Line>> lines_;
    std::vector<std::shared_ptr<Line>> ready_;
    std::string lost_text_;
    bool is_lost_ = false;
    bool is_closing_ = false;
    std::stop_callback<std::function<void()>> on_cancel_;
};

}  // namespace gpumuster
