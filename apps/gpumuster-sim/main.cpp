#include <exception>
#include <iostream>

#include "gpumuster-sim/command_line.hpp"
#include "gpumuster/base/input_error.hpp"

int main(int argc, char** argv) {
    try {
        if (const auto command_line = gpumuster::sim::parse_command_line(argc, argv)) {
            gpumuster::sim::run_simulator(*command_line);
        }
        return 0;
    } catch (const gpumuster::InputError& error) {
        for (const auto& line : error.lines()) std::cerr << "gpumuster-sim: " << line << '\n';
        return 3;
    } catch (const std::exception& error) {
        std::cerr << "gpumuster-sim: " << error.what() << '\n';
        return 4;
    }
}
