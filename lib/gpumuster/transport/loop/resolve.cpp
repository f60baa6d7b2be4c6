#include "gpumuster/transport/loop/resolve.hpp"

#include <netdb.h>

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <asio/post.hpp>
#include <asio/this_coro.hpp>

namespace gpumuster {
namespace {

// Enough to hide a slow name server, few enough not to be a burst on it.
constexpr std::size_t lookup_threads = 16;

ResolveOutcome lookup(const std::string& name, std::uint16_t port, int flags) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags | AI_NUMERICSERV;

    ResolveOutcome outcome;
    addrinfo* found = nullptr;
    const int code = ::getaddrinfo(name.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (code != 0) {
        outcome.status = code == EAI_NONAME ? ResolveStatus::not_found : ResolveStatus::failed;
#ifdef EAI_NODATA
        if (code == EAI_NODATA) outcome.status = ResolveStatus::not_found;
#endif
        outcome.detail = code == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(code);
        return outcome;
    }
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        SocketAddress address;
        std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
        address.length = one->ai_addrlen;
        outcome.addresses.push_back(address);
    }
    ::freeaddrinfo(found);
    outcome.status = ResolveStatus::resolved;
    return outcome;
}

}  // namespace

ResolveOutcome lookup_by_getaddrinfo(const std::string& name, std::uint16_t port) {
    return lookup(name, port, 0);
}

struct Resolver::Shared {
    struct Waiter {
        asio::any_io_executor executor;
        std::shared_ptr<Signal> signal;
    };
    struct Entry {
        std::optional<ResolveOutcome> outcome;
        std::vector<Waiter> waiters;
    };

    explicit Shared(BlockingLookup lookup_function) : lookup(std::move(lookup_function)) {}

    // Posts under the lock: a waiter that left has taken itself off the list, so no loop that is
    // gone is ever posted to.
    void finish(Entry& entry, ResolveOutcome outcome) {
        const std::lock_guard lock(mutex);
        entry.outcome = std::move(outcome);
        for (Waiter& waiter : entry.waiters) {
            asio::post(waiter.executor, [signal = std::move(waiter.signal)] { signal->notify(); });
        }
        entry.waiters.clear();
    }

    void leave(Entry& entry, const std::shared_ptr<Signal>& signal) {
        const std::lock_guard lock(mutex);
        std::erase_if(entry.waiters, [&](const Waiter& one) { return one.signal == signal; });
    }

    const BlockingLookup lookup;
    std::mutex mutex;
    std::map<std::pair<std::string, std::uint16_t>, std::shared_ptr<Entry>> entries;
};

Resolver::Resolver(BlockingLookup lookup)
    : shared_(std::make_shared<Shared>(std::move(lookup))), pool_(lookup_threads) {}

Resolver::~Resolver() = default;

asio::awaitable<ResolveOutcome> Resolver::resolve(const std::string& name, std::uint16_t port,
                                                  Deadline deadline,
                                                  std::shared_ptr<Signal> leave) {
    ResolveOutcome numeric = lookup(name, port, AI_NUMERICHOST);
    if (numeric.status == ResolveStatus::resolved) co_return numeric;

    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    std::shared_ptr<Shared::Entry> entry;
    {
        const std::lock_guard lock(shared_->mutex);
        auto& slot = shared_->entries[std::make_pair(name, port)];
        if (!slot) {
            slot = std::make_shared<Shared::Entry>();
            pool_.submit([shared = shared_, entry = slot, name, port] {
                shared->finish(*entry, shared->lookup(name, port));
            });
        }
        entry = slot;
        if (entry->outcome) co_return *entry->outcome;
        entry->waiters.push_back(Shared::Waiter{executor, leave});
    }
    const Wake wake = co_await leave->wait(deadline);
    if (wake == Wake::ready) {
        const std::lock_guard lock(shared_->mutex);
        co_return *entry->outcome;
    }
    shared_->leave(*entry, leave);
    ResolveOutcome outcome;
    outcome.status = wake == Wake::deadline ? ResolveStatus::timed_out : ResolveStatus::cancelled;
    co_return outcome;
}

std::string numeric_address(const SocketAddress& address) {
    char text[NI_MAXHOST];
    const int code = ::getnameinfo(reinterpret_cast<const sockaddr*>(&address.storage),
                                   address.length, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    return code == 0 ? text : std::string();
}

}  // namespace gpumuster
