#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpumuster {

// The frame around an answer. The script prints, on both streams:
//
//     <marker> begin NAME            (stdout and stderr)
//     …output of the section's command…
//                                    (one empty line, so that a last line without end stays whole)
//     <marker> end NAME RC           (stdout and stderr)
//     …
//     <marker> done                  (stdout)
//
// Whatever stands outside of sections (banners, rc files) is noise and is kept apart.

struct Section {
    std::string name;
    std::string out;  // bytes between begin and end, without the line break that the frame adds
    std::string err;
    std::optional<int> exit_status;  // empty: the end line did not arrive
};

struct Frame {
    bool seen = false;      // at least one begin line
    bool complete = false;  // the done line
    std::vector<Section> sections;
    std::string noise;  // of both streams, outside of sections

    const Section* find(std::string_view name) const;
};

// Accepts everything. A marker counts only at the start of a line: the script begins with an empty
// line, so that an unfinished line of an rc file cannot swallow it. A section without its end line
// keeps what came; of a repeated section the first whole one stands.
Frame read_frame(std::string_view out, std::string_view err, std::string_view marker);

// The lines themselves with their line breaks, for who plays a host (the simulator, tests):
// section_begin + output + section_end is one section of a stream.
std::string section_begin(std::string_view marker, std::string_view name);
std::string section_end(std::string_view marker, std::string_view name, int exit_status);
std::string frame_done(std::string_view marker);

}  // namespace gpumuster
