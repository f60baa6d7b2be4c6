#include "gpumuster/probe/probe.hpp"

#include <algorithm>
#include <set>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/probe/csv.hpp"
#include "gpumuster/probe/driver_section.hpp"
#include "gpumuster/probe/frame.hpp"
#include "gpumuster/probe/gpu_query.hpp"
#include "gpumuster/probe/owners_section.hpp"
#include "gpumuster/probe/process_query.hpp"
#include "gpumuster/probe/script.hpp"
#include "gpumuster/probe/section_kind.hpp"
#include "gpumuster/probe/session_section.hpp"
#include "gpumuster/probe/stuck_section.hpp"

namespace gpumuster {
namespace {

using std::chrono::milliseconds;
using Asked = std::vector<Question>;

// Each listed pid once, in the order of the answer.
std::vector<std::int64_t> listed_pids(const HostReadings& readings) {
    std::vector<std::int64_t> pids;
    std::set<std::int64_t> seen;
    for (const ProcessReading& process : readings.processes) {
        if (seen.insert(process.pid).second) pids.push_back(process.pid);
    }
    return pids;
}

// The table of sections, in the order of the script: facts first, so that a hung driver costs
// nothing else; GPUs before processes, one after the other.
std::vector<SectionKind> sections_of(Question question, const HostReadings& readings) {
    switch (question) {
        case Question::full:
            return {session_section(), driver_section(), stuck_section(),
                    gpus_section(ProbeLevel::full), processes_section()};
        case Question::minimal_framed:
            return {gpus_section(ProbeLevel::minimal)};
        case Question::owners:
            return {owners_section(listed_pids(readings))};
        case Question::minimal_bare:
            break;
    }
    return {};
}

RemoteCommand command_for(Question question, const HostReadings& readings, const Marker& marker,
                          milliseconds limit) {
    if (question == Question::minimal_bare)
        return {RemoteCommand::Form::bare, std::string("nvidia-smi ") + minimal_gpu_query, limit};
    // Who a pid belongs to is worth a moment, not the whole deadline.
    if (question == Question::owners) limit = std::min(limit, milliseconds{10'000});
    const std::vector<SectionKind> sections = sections_of(question, readings);
    return {RemoteCommand::Form::script,
            framed_script(marker.text, bound_on_target(limit), sections), limit};
}

void read_ending(const CommandOutput& output, HostReadings& readings) {
    readings.ending = output.ending;
    readings.exit_status = output.ending == Ending::exited ? output.code : -1;
    readings.signal = output.ending == Ending::signalled ? output.signal : std::string{};
}

// An answer that stopped at our own deadline stopped because the command hangs.
void settle_torn(QueryReading& query, Ending ending) {
    if (query.outcome == QueryOutcome::torn && ending == Ending::deadline)
        query.outcome = QueryOutcome::timed_out;
}

std::string quote_of(const CommandOutput& output) {
    constexpr std::size_t enough = 4096;
    return quote_line(output.out.substr(0, enough) + " " + output.err.substr(0, enough));
}

// A shell that replaces itself by nvidia-smi dies of nvidia-smi's signal.
void read_signal(const CommandOutput& output, QueryReading& query) {
    const bool is_crash = output.signal == "SEGV" || output.signal == "BUS" ||
                          output.signal == "ABRT" || output.signal == "ILL";
    if (output.ending == Ending::signalled && is_crash)
        query.errors.push_back({SmiErrorKind::tool_crashed, {}, {}, "signal " + output.signal});
}

void read_bare(const CommandOutput& output, HostReadings& readings) {
    Section section{"gpus", output.out, output.err, {}};
    if (output.ending == Ending::exited) section.exit_status = output.code;
    GpuAnswer answer = parse_gpu_query(section, ProbeLevel::minimal, Speaker::login_shell);
    readings.answered = ProbeLevel::minimal;
    readings.gpu_query = std::move(answer.query);
    readings.gpus = std::move(answer.gpus);
    readings.missing_indices = std::move(answer.missing_indices);
    settle_torn(readings.gpu_query, output.ending);
    read_signal(output, readings.gpu_query);
    if (readings.gpus.empty()) readings.shell_quote = quote_of(output);
}

void read_framed(Question question, const CommandOutput& output, const Marker& marker,
                 HostReadings& readings) {
    const Frame frame = read_frame(output.out, output.err, marker.text);
    if (question == Question::minimal_framed) readings.answered = ProbeLevel::minimal;
    readings.frame_seen = readings.frame_seen || frame.seen;
    readings.frame_complete = frame.complete;
    if (!frame.seen) readings.shell_quote = quote_of(output);
    for (const SectionKind& kind : sections_of(question, readings)) {
        if (const Section* section = frame.find(kind.name)) kind.read(*section, readings);
    }
    settle_torn(readings.gpu_query, output.ending);
    settle_torn(readings.process_query, output.ending);
}

// What owners could not tell changes nothing else: the readings are complete without.
void read_owners_answer(const CommandOutput& output, const Marker& marker, HostReadings& readings) {
    const Frame frame = read_frame(output.out, output.err, marker.text);
    const SectionKind kind = owners_section({});
    if (const Section* section = frame.find(kind.name)) kind.read(*section, readings);
}

bool was_asked(const Asked& asked, Question question) {
    return std::find(asked.begin(), asked.end(), question) != asked.end();
}

bool is_hanging(const HostReadings& readings) {
    return !readings.stuck_queries.empty() ||
           readings.gpu_query.outcome == QueryOutcome::timed_out ||
           readings.process_query.outcome == QueryOutcome::timed_out;
}

std::optional<Question> choose_next(const HostReadings& readings, const Asked& asked) {
    if (readings.ending != Ending::exited || is_hanging(readings)) return {};
    if (!readings.frame_seen) {
        const bool may_ask =
            was_asked(asked, Question::full) && !was_asked(asked, Question::minimal_bare);
        return may_ask ? std::optional(Question::minimal_bare) : std::nullopt;
    }
    if (readings.gpu_query.outcome == QueryOutcome::field_refused &&
        !was_asked(asked, Question::minimal_framed))
        return Question::minimal_framed;
    // Elsewhere the numbers belong to other processes, or to none.
    if (readings.initial_pid_namespace == true && !readings.processes.empty() &&
        !was_asked(asked, Question::owners))
        return Question::owners;
    return {};
}

}  // namespace

RemoteCommand first_question(ProbeLevel level, const Marker& marker, milliseconds limit) {
    const Question question = level == ProbeLevel::full ? Question::full : Question::minimal_bare;
    return command_for(question, {}, marker, limit);
}

void read_answer(Question question, const CommandOutput& output, const Marker& marker,
                 HostReadings& readings) {
    if (question == Question::owners) return read_owners_answer(output, marker, readings);
    read_ending(output, readings);
    if (question == Question::minimal_bare) return read_bare(output, readings);
    read_framed(question, output, marker, readings);
}

std::optional<NextQuestion> next_question(const HostReadings& readings, const Asked& asked,
                                          const Marker& marker, milliseconds limit) {
    const auto question = choose_next(readings, asked);
    if (!question) return {};
    return NextQuestion{*question, command_for(*question, readings, marker, limit)};
}

}  // namespace gpumuster
