#pragma once

#include <string>

#include "gpumuster/base/failure.hpp"

namespace gpumuster {

// A failure in two or three words for a table cell, with the jump host it happened at:
// "host key changed", "connection refused at bastion". Safe text.
std::string failure_phrase(const Failure& failure);

}  // namespace gpumuster
