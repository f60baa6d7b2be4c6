#pragma once

#include <tl/expected.hpp>

#include "gpumuster/base/failure.hpp"

namespace gpumuster {

// A value, or the Failure that stands in its place. A class of its own and not an alias, because
// compilers drop [[nodiscard]] on an alias.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Failure> {
public:
    using tl::expected<T, Failure>::expected;
};

inline tl::unexpected<Failure> failed(Failure failure) {
    return tl::unexpected<Failure>(std::move(failure));
}

}  // namespace gpumuster
