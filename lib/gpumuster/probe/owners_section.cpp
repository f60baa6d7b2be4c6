#include "gpumuster/probe/owners_section.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/probe/csv.hpp"

namespace gpumuster {
namespace {

// The next word, with the blanks before it, is taken off `text`.
std::string_view take_word(std::string_view& text) {
    text = trim(text);
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    return word;
}

void read_owners(const Section& section, HostReadings& readings) {
    for (const Line& line : split_lines(section.out)) {
        std::string_view text = line.text;
        const auto pid = parse_number(take_word(text), 1, std::numeric_limits<int>::max());
        const std::string_view user = take_word(text);
        const std::string_view state = take_word(text);
        const auto age = parse_number(take_word(text), 0, 4'000'000'000);
        const std::string_view command = trim(text);
        if (!pid || command.empty() || !line.is_finished) continue;
        const bool is_known =
            std::any_of(readings.owners.begin(), readings.owners.end(),
                        [&](const ProcessOwner& owner) { return owner.pid == *pid; });
        if (is_known || readings.owners.size() >= most_owners) continue;
        readings.owners.push_back(
            {*pid, quote_line(user, 64), quote_line(state, 16), age, quote_line(command, 200)});
    }
}

}  // namespace

SectionKind owners_section(const std::vector<std::int64_t>& pids) {
    std::string list;
    for (std::size_t i = 0; i < std::min(pids.size(), most_owners); ++i)
        list += (i == 0 ? "" : ",") + std::to_string(pids[i]);
    // Without a width ps shortens user names to 8 characters; cut bounds command lines, of which
    // some are a megabyte long.
    return {"owners", "",
            "$t ps -o pid= -o user:32= -o stat= -o etimes= -o args= -p " + list +
                " </dev/null|cut -c 1-400;r=$?",
            read_owners};
}

}  // namespace gpumuster
