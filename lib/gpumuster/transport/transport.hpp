#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include "gpumuster/base/command.hpp"
#include "gpumuster/base/remark.hpp"
#include "gpumuster/base/result.hpp"
#include "gpumuster/base/timings.hpp"
#include "gpumuster/inventory/host.hpp"
#include "gpumuster/transport/budgets.hpp"
#include "gpumuster/transport/effective_settings.hpp"
#include "gpumuster/transport/login_ledger.hpp"

namespace gpumuster {

// The wish to end a visit early. Each loop has a stop source of its own, and stop is requested on
// that loop's thread only; so callbacks run there and need no lock.
using CancelToken = std::stop_token;

// One visit's request. Everything referred to outlives the Connection that comes of it.
struct OpenRequest {
    const Host& host;
    const EffectiveSettings& settings;
    const Budgets& budgets;
    CancelToken cancel;
    StageClock& clock;  // entered by open() and run() as the visit goes on
    LoginLedger& ledger;
    std::vector<Remark>& remarks;  // gets what is noticed on the way, open or not
};

// A way into one host, held open. Lives on the loop it was opened on; run() is repeatable, one at
// a time.
class Connection {
public:
    virtual ~Connection() = default;

    // A Failure only before the command was accepted by the host. Whatever happens after that is a
    // CommandOutput that says how it ended and holds what had arrived.
    virtual asio::awaitable<Result<CommandOutput>> run(RemoteCommand command) = 0;

    // Numeric, of the connection that was made; empty where there is none or it is not known.
    virtual std::string remote_address() const = 0;
};

// Opens connections. One object serves all loops at once and is safe to call from each.
class Transport {
public:
    virtual ~Transport() = default;
    virtual asio::awaitable<Result<std::unique_ptr<Connection>>> open(
        const OpenRequest& request) = 0;

    // Names the first session on the way to a host that is shared with other visits of the same
    // loop; empty where none is. Hosts of one name belong on one loop.
    virtual std::string shared_session(const Host&, const EffectiveSettings&) const { return {}; }

    // Ends what this loop's visits shared, jump hosts above all. Called once on each loop, when
    // none of its connections is left.
    virtual asio::awaitable<void> leave_loop() { co_return; }
};

}  // namespace gpumuster
