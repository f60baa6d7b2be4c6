#include "support/descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace gpumuster::test {

std::size_t open_descriptors() {
    std::size_t count = 0;
    const long limit = ::sysconf(_SC_OPEN_MAX);
    for (int fd = 0; fd < limit && fd < 65'536; ++fd) {
        if (::fcntl(fd, F_GETFD) >= 0) ++count;
    }
    return count;
}

}  // namespace gpumuster::test
