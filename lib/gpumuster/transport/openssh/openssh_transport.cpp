#include "gpumuster/transport/openssh/openssh_transport.hpp"

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/transport/openssh/openssh_connection.hpp"

namespace gpumuster {
namespace {

class OpensshTransport : public Transport {
public:
    explicit OpensshTransport(OpensshOptions options) : options_(std::move(options)) {}

    asio::awaitable<Result<std::unique_ptr<Connection>>> open(const OpenRequest& request) override {
        const HopRef hop = target_hop(request.settings);
        if (options_.ssh_program.empty()) {
            co_return failed(
                make_failure(FailureKind::config_no_ssh, hop, "no ssh is installed here"));
        }
        const std::string& destination = request.settings.openssh_destination;
        if (destination.empty() || destination.starts_with('-')) {
            co_return failed(make_failure(
                FailureKind::config_refused, hop,
                "ssh cannot be given the destination \"" + quote_line(destination) + '"'));
        }
        co_return std::make_unique<OpensshConnection>(request, options_);
    }

private:
    const OpensshOptions options_;
};

}  // namespace

std::unique_ptr<Transport> make_openssh_transport(const OpensshOptions& options) {
    return std::make_unique<OpensshTransport>(options);
}

}  // namespace gpumuster
