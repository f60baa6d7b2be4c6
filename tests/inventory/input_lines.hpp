#pragma once

#include <string>
#include <vector>

#include "gpumuster/base/input_error.hpp"

// The lines of the InputError that `call` throws; none when it throws nothing.
template <class Call>
std::vector<std::string> input_lines(Call call) {
    try {
        call();
    } catch (const gpumuster::InputError& error) {
        return error.lines();
    }
    return {};
}
