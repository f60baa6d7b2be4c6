#include "gpumuster/base/remark.hpp"

#include <algorithm>
#include <utility>

namespace gpumuster {

void add_remark(std::vector<Remark>& remarks, Remark remark) {
    const bool is_there = std::any_of(remarks.begin(), remarks.end(), [&](const Remark& one) {
        return one.kind == remark.kind && one.hop.index == remark.hop.index;
    });
    if (!is_there) remarks.push_back(std::move(remark));
}

}  // namespace gpumuster
