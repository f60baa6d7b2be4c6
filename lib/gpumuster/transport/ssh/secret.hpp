#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace gpumuster {

// Overwrites memory that held a secret; not optimised away.
void wipe_memory(void* memory, std::size_t size);

// A password or a passphrase. Its memory is overwritten when it goes; it is copied only on request
// and has no way into a message.
class Secret {
public:
    Secret() = default;
    // The caller wipes what it gave.
    explicit Secret(std::string_view text);
    Secret(Secret&& other) noexcept : text_(std::move(other.text_)) {}
    Secret& operator=(Secret&& other) noexcept;
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;
    ~Secret();

    Secret copy() const { return Secret(std::string_view(c_str(), size())); }

    bool empty() const { return size() == 0; }
    std::size_t size() const { return text_.empty() ? 0 : text_.size() - 1; }
    // Zero-terminated; as long as this object lives and is not moved from.
    const char* c_str() const { return text_.empty() ? "" : text_.data(); }

private:
    void wipe();

    // With the terminating zero. A vector, because a short std::string lies inside of the object
    // and a move would leave a copy behind.
    std::vector<char> text_;
};

}  // namespace gpumuster
