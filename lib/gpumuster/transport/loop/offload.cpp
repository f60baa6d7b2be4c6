#include "gpumuster/transport/loop/offload.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace gpumuster {

struct Offload::Shared {
    explicit Shared(std::size_t max) : max_threads(max) {}

    const std::size_t max_threads;
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> jobs;
    std::size_t threads = 0;
    std::size_t idle = 0;
    bool is_over = false;
};

Offload::Offload(std::size_t max_threads) : shared_(std::make_shared<Shared>(max_threads)) {}

Offload::~Offload() {
    const std::lock_guard lock(shared_->mutex);
    shared_->is_over = true;
    shared_->jobs.clear();
    shared_->changed.notify_all();
}

void Offload::submit(std::function<void()> job) {
    const std::lock_guard lock(shared_->mutex);
    shared_->jobs.push_back(std::move(job));
    if (shared_->idle >= shared_->jobs.size() || shared_->threads == shared_->max_threads) {
        shared_->changed.notify_one();
        return;
    }
    ++shared_->threads;
    std::thread([shared = shared_] { work(shared); }).detach();
}

void Offload::work(const std::shared_ptr<Shared>& shared) {
    std::unique_lock lock(shared->mutex);
    while (true) {
        ++shared->idle;
        shared->changed.wait(lock, [&] { return shared->is_over || !shared->jobs.empty(); });
        --shared->idle;
        if (shared->is_over) break;
        std::function<void()> job = std::move(shared->jobs.front());
        shared->jobs.pop_front();
        lock.unlock();
        job();
        job = nullptr;  // its state is released before the lock is taken again
        lock.lock();
    }
    --shared->threads;
}

}  // namespace gpumuster
