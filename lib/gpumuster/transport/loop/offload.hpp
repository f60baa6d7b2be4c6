#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace gpumuster {

// A bounded pool for what can only block (getaddrinfo). Jobs own their state and may outlive this
// object: a thread that is stuck in one is never joined, and nobody waits for it. Thread-safe.
class Offload {
public:
    explicit Offload(std::size_t max_threads);
    ~Offload();
    Offload(const Offload&) = delete;
    Offload& operator=(const Offload&) = delete;

    // Runs the job on a pool thread, now or when one is free. Jobs that have not begun when the
    // pool goes away are dropped. The job must not throw.
    void submit(std::function<void()> job);

private:
    struct Shared;
    static void work(const std::shared_ptr<Shared>& shared);
    std::shared_ptr<Shared> shared_;
};

}  // namespace gpumuster
