#ifdef __APPLE__
#define __STDC_WANT_LIB_EXT1__ 1  // for memset_s
#endif
#include "gpumuster/transport/ssh/secret.hpp"

#include <string.h>

namespace gpumuster {

void wipe_memory(void* memory, std::size_t size) {
    if (size == 0) return;
#ifdef __APPLE__
    ::memset_s(memory, size, 0, size);
#else
    ::explicit_bzero(memory, size);
#endif
}

Secret::Secret(std::string_view text) {
    text_.reserve(text.size() + 1);
    text_.assign(text.begin(), text.end());
    text_.push_back('\0');
}

Secret& Secret::operator=(Secret&& other) noexcept {
    if (this == &other) return *this;
    wipe();
    text_ = std::move(other.text_);
    return *this;
}

Secret::~Secret() {
    wipe();
}

void Secret::wipe() {
    wipe_memory(text_.data(), text_.size());
    text_.clear();
}

}  // namespace gpumuster
