#pragma once

#include <string>
#include <string_view>

#include "gpumuster/report/sink.hpp"

namespace gpumuster {

// Writes to a descriptor through a buffer; standard output in the program. Once a write has failed
// nothing more is written. Whoever uses it calls finish() at the end.
class Output : public Sink {
public:
    explicit Output(int descriptor);

    void write(std::string_view bytes) override;

    // Writes what is buffered. Returns `status`, or 2 with a line on stderr when the result could
    // not be written whole. A reader that has gone away (`| head`) has what it wanted: no error.
    int finish(int status);

private:
    void flush();

    int descriptor_;
    int error_ = 0;  // errno of the first write that failed
    std::string buffer_;
};

}  // namespace gpumuster
