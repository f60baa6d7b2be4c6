#include "gpumuster/probe/frame.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace gpumuster {
namespace {

enum class LineKind { content, begin, end, done };

struct MarkerLine {
    LineKind kind = LineKind::content;
    std::string_view name;
    std::optional<int> exit_status;
};

bool is_section_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

std::optional<int> parse_status(std::string_view digits) {
    int status = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, status);
    if (error != std::errc{} || stop != end || status < 0 || status > 255) return {};
    return status;
}

MarkerLine read_marker_line(std::string_view line, std::string_view marker) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (marker.empty() || !line.starts_with(marker)) return {};
    line.remove_prefix(marker.size());
    if (line == " done") return {LineKind::done, {}, {}};
    if (line.starts_with(" begin ")) {
        line.remove_prefix(7);
        return is_section_name(line) ? MarkerLine{LineKind::begin, line, {}} : MarkerLine{};
    }
    if (!line.starts_with(" end ")) return {};
    line.remove_prefix(5);
    const std::size_t blank = line.find(' ');
    const std::string_view name = line.substr(0, blank);
    if (!is_section_name(name)) return {};
    if (blank == std::string_view::npos) return {LineKind::end, name, {}};
    return {LineKind::end, name, parse_status(line.substr(blank + 1))};
}

struct StreamSection {
    std::string_view name;
    std::string text;
    std::optional<int> exit_status;
};

struct StreamFrame {
    std::vector<StreamSection> sections;
    std::string noise;
    bool done = false;
};

// The frame writes an empty line before its end line; it is not the command's.
void drop_added_line_break(std::string& text) {
    if (!text.ends_with('\n')) return;
    text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
}

class StreamReader {
public:
    StreamFrame read(std::string_view bytes, std::string_view marker) {
        while (!bytes.empty()) {
            const std::size_t end = bytes.find('\n');
            const std::size_t length = end == std::string_view::npos ? bytes.size() : end + 1;
            const std::string_view with_break = bytes.substr(0, length);
            take(read_marker_line(bytes.substr(0, end), marker), with_break);
            bytes.remove_prefix(length);
        }
        return std::move(frame_);
    }

private:
    void take(const MarkerLine& line, std::string_view with_break) {
        switch (line.kind) {
            case LineKind::content:
                (is_open_ ? frame_.sections.back().text : frame_.noise).append(with_break);
                break;
            case LineKind::begin:
                begin(line.name);
                break;
            case LineKind::end:
                end(line);
                break;
            case LineKind::done:
                is_open_ = false;
                frame_.done = true;
                break;
        }
    }

    void begin(std::string_view name) {
        // On a terminal both streams arrive as one, and each begin line twice.
        if (is_open_ && frame_.sections.back().name == name && frame_.sections.back().text.empty())
            return;
        frame_.sections.push_back({name, {}, {}});
        is_open_ = true;
    }

    void end(const MarkerLine& line) {
        if (!is_open_) return;
        StreamSection& section = frame_.sections.back();
        is_open_ = false;
        if (section.name != line.name) return;
        drop_added_line_break(section.text);
        section.exit_status = line.exit_status;
    }

    StreamFrame frame_;
    bool is_open_ = false;
};

// Ours has six; a host that prints thousands of them must not cost time.
constexpr std::size_t most_sections = 64;

// A wrapper that repeats the whole output also repeats sections: the first whole one stands.
void keep_first_whole(std::vector<Section>& sections, StreamSection section) {
    const auto known = std::find_if(sections.begin(), sections.end(),
                                    [&](const Section& s) { return s.name == section.name; });
    if (known == sections.end()) {
        if (sections.size() >= most_sections) return;
        sections.push_back(
            {std::string(section.name), std::move(section.text), {}, section.exit_status});
    } else if (!known->exit_status && section.exit_status) {
        known->out = std::move(section.text);
        known->exit_status = section.exit_status;
    }
}

void attach_stderr(std::vector<Section>& sections, StreamSection section) {
    const auto known = std::find_if(sections.begin(), sections.end(),
                                    [&](const Section& s) { return s.name == section.name; });
    if (known == sections.end()) {
        if (sections.size() >= most_sections) return;
        sections.push_back({std::string(section.name), {}, std::move(section.text), {}});
    } else if (known->err.empty()) {
        known->err = std::move(section.text);
    }
}

}  // namespace

const Section* Frame::find(std::string_view name) const {
    for (const Section& section : sections) {
        if (section.name == name) return &section;
    }
    return nullptr;
}

Frame read_frame(std::string_view out, std::string_view err, std::string_view marker) {
    StreamFrame from_out = StreamReader{}.read(out, marker);
    StreamFrame from_err = StreamReader{}.read(err, marker);

    Frame frame;
    frame.seen = !from_out.sections.empty() || !from_err.sections.empty();
    frame.complete = from_out.done;
    for (StreamSection& section : from_out.sections)
        keep_first_whole(frame.sections, std::move(section));
    for (StreamSection& section : from_err.sections)
        attach_stderr(frame.sections, std::move(section));
    frame.noise = std::move(from_out.noise) + from_err.noise;
    return frame;
}

std::string section_begin(std::string_view marker, std::string_view name) {
    return std::string(marker) + " begin " + std::string(name) + "\n";
}

std::string section_end(std::string_view marker, std::string_view name, int exit_status) {
    return "\n" + std::string(marker) + " end " + std::string(name) + " " +
           std::to_string(exit_status) + "\n";
}

std::string frame_done(std::string_view marker) {
    return std::string(marker) + " done\n";
}

}  // namespace gpumuster
