#include "gpumuster/transport/openssh/openssh_transport.hpp"

namespace gpumuster {
namespace {

class OpensshTransport : public Transport {
public:
    asio::awaitable<Result<std::unique_ptr<Connection>>> open(const OpenRequest& request) override {
        co_return failed(make_failure(FailureKind::config_no_ssh, target_hop(request.settings),
                                      "no ssh is installed here"));
    }
};

}  // namespace

std::unique_ptr<Transport> make_openssh_transport(const OpensshOptions&) {
    return std::make_unique<OpensshTransport>();
}

}  // namespace gpumuster
