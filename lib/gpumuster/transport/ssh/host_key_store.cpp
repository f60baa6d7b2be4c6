#include "gpumuster/transport/ssh/host_key_store.hpp"

#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/post.hpp>
#include <asio/this_coro.hpp>

#include "gpumuster/transport/loop/signal.hpp"

namespace gpumuster {
namespace {

// More than the writer waits for a lock.
constexpr std::chrono::milliseconds longest_write{2'000};

// Where a result is left for a coroutine that may be gone by then, and its loop with it.
struct Desk {
    std::mutex mutex;
    asio::any_io_executor executor;
    std::shared_ptr<Signal> waiter;  // none: it has left
    std::optional<Acceptance> acceptance;

    void leave_result(Acceptance result) {
        const std::lock_guard lock(mutex);
        if (!waiter) return;
        acceptance = std::move(result);
        asio::post(executor, [signal = waiter] { signal->notify(); });
    }

    std::optional<Acceptance> leave() {
        const std::lock_guard lock(mutex);
        waiter.reset();
        executor = {};
        return std::move(acceptance);
    }
};

Acceptance accept_in_memory(HostKeyMemory& memory, const NewHostKey& key) {
    Acceptance acceptance;
    acceptance.judgement = memory.accept(key.host, key.key);
    acceptance.is_first = is_of_new_host(acceptance.judgement);
    if (acceptance.is_first) {
        acceptance.judgement.trust = Trust::trusted;
        acceptance.judgement.is_by_this_run = true;
    }
    return acceptance;
}

// One after the other on the writer's thread: who comes second with another key finds the first.
Acceptance accept_and_write(HostKeyMemory& memory, const NewHostKey& key,
                            KnownHostsWriter& writer) {
    Acceptance acceptance;
    acceptance.judgement = memory.judge(key.host, key.key);
    if (!is_of_new_host(acceptance.judgement)) return acceptance;

    AppendOutcome appended = writer.append(key.host, key.key, key.form);
    const bool is_known_by_now = appended.judgement.trust == Trust::trusted;
    if (!is_of_new_host(appended.judgement) && !is_known_by_now) {
        acceptance.judgement = std::move(appended.judgement);
        return acceptance;
    }
    acceptance = accept_in_memory(memory, key);
    acceptance.is_first = acceptance.is_first && !is_known_by_now;
    acceptance.is_written = appended.is_written;
    acceptance.trouble = std::move(appended.trouble);
    return acceptance;
}

}  // namespace

void KnownHostsThread::submit(const std::string& file, std::function<void(KnownHostsWriter&)> job) {
    std::shared_ptr<KnownHostsWriter> writer;
    {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<KnownHostsWriter>& slot = writers_[file];
        if (!slot) slot = std::make_shared<KnownHostsWriter>(file);
        writer = slot;
    }
    thread_.submit([writer = std::move(writer), job = std::move(job)] { job(*writer); });
}

HostKeyStore::HostKeyStore(KnownHosts known, std::shared_ptr<KnownHostsThread> thread)
    : memory_(std::make_shared<HostKeyMemory>(std::move(known))), thread_(std::move(thread)) {}

TrustJudgement HostKeyStore::judge(const HostKeyName& host, const KeyBlob& key) const {
    return memory_->judge(host, key);
}

std::vector<std::string> HostKeyStore::key_types(const HostKeyName& host) const {
    return memory_->key_types(host);
}

asio::awaitable<std::optional<Acceptance>> HostKeyStore::accept(NewHostKey key,
                                                                std::stop_token cancel) {
    if (key.file.empty()) co_return accept_in_memory(*memory_, key);

    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const auto signal = std::make_shared<Signal>(executor);
    const auto desk = std::make_shared<Desk>();
    desk->executor = executor;
    desk->waiter = signal;
    thread_->submit(key.file, [memory = memory_, key, desk](KnownHostsWriter& writer) {
        desk->leave_result(accept_and_write(*memory, key, writer));
    });
    const std::stop_callback on_cancel(std::move(cancel), [signal] { signal->cancel(); });
    const Deadline deadline = std::chrono::steady_clock::now() + longest_write;
    const Wake wake = co_await signal->wait(deadline);
    std::optional<Acceptance> acceptance = desk->leave();
    if (acceptance || wake == Wake::cancelled) co_return acceptance;
    acceptance = accept_in_memory(*memory_, key);
    acceptance->trouble = "it does not answer";
    co_return acceptance;
}

}  // namespace gpumuster
