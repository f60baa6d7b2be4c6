#include "gpumuster/report/paint.hpp"

#include <fmt/format.h>

namespace gpumuster {
namespace {

constexpr int red = 31;
constexpr int green = 32;
constexpr int yellow = 33;

int colour_code(Verdict verdict) {
    switch (verdict) {
        case Verdict::clean:
            return green;
        case Verdict::unknown:
        case Verdict::busy:
        case Verdict::held:
            return yellow;
        case Verdict::stale:
        case Verdict::degraded:
        case Verdict::broken:
        case Verdict::hung:
        case Verdict::unreachable:
            return red;
    }
    return red;
}

}  // namespace

std::string painted(std::string_view text, Verdict verdict, Colour colour) {
    if (colour == Colour::off) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", colour_code(verdict), text);
}

}  // namespace gpumuster
