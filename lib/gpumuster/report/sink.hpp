#pragma once

#include <string_view>

namespace gpumuster {

// Where rendered bytes go. A renderer writes host by host and never holds the fleet as one text.
class Sink {
public:
    virtual ~Sink() = default;
    virtual void write(std::string_view bytes) = 0;
};

}  // namespace gpumuster
