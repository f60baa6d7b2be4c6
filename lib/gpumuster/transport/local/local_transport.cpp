#include "gpumuster/transport/local/local_transport.hpp"

#include <cstring>
#include <utility>

#include "gpumuster/transport/process/process.hpp"

namespace gpumuster {
namespace {

class LocalConnection : public Connection {
public:
    LocalConnection(HopRef hop, CancelToken cancel, StageClock& clock, std::size_t output_cap_bytes)
        : hop_(std::move(hop)),
          cancel_(std::move(cancel)),
          clock_(clock),
          output_cap_bytes_(output_cap_bytes) {}

    asio::awaitable<Result<CommandOutput>> run(RemoteCommand command) override {
        clock_.enter(Stage::command);
        ProcessOrder order;
        // No login shell stands between: both forms are for /bin/sh here.
        order.argv = {"/bin/sh", "-c", command.text};
        order.deadline = std::chrono::steady_clock::now() + command.limit;
        order.output_cap_bytes = output_cap_bytes_;
        order.cancel = cancel_;
        tl::expected<CommandOutput, int> output = co_await run_process(std::move(order));
        clock_.leave();
        if (!output) {
            co_return failed(
                make_failure(FailureKind::command_not_spawned, hop_,
                             std::string("/bin/sh: ") + std::strerror(output.error())));
        }
        co_return std::move(*output);
    }

    std::string remote_address() const override { return {}; }

private:
    const HopRef hop_;
    const CancelToken cancel_;
    StageClock& clock_;
    const std::size_t output_cap_bytes_;
};

class LocalTransport : public Transport {
public:
    explicit LocalTransport(std::size_t output_cap_bytes) : output_cap_bytes_(output_cap_bytes) {}

    asio::awaitable<Result<std::unique_ptr<Connection>>> open(const OpenRequest& request) override {
        co_return std::make_unique<LocalConnection>(target_hop(request.settings), request.cancel,
                                                    request.clock, output_cap_bytes_);
    }

private:
    const std::size_t output_cap_bytes_;
};

}  // namespace

std::unique_ptr<Transport> make_local_transport(std::size_t output_cap_bytes) {
    return std::make_unique<LocalTransport>(output_cap_bytes);
}

}  // namespace gpumuster
