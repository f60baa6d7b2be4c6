#include "gpumuster/probe/process_query.hpp"

#include <cstddef>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/probe/csv.hpp"
#include "gpumuster/probe/probe.hpp"
#include "gpumuster/probe/smi_errors.hpp"

namespace gpumuster {

const char* const process_query =
    "--query-compute-apps=gpu_uuid,pid,process_name,used_memory --format=csv,noheader";

namespace {

bool is_uuid(std::string_view cell) {
    return cell.starts_with("GPU-") || cell.starts_with("MIG-");
}

std::optional<std::string> text_or_nothing(std::string_view cell, std::size_t most_bytes) {
    if (is_absent(cell)) return {};
    return quote_line(cell, most_bytes);
}

class AnswerReader {
public:
    ProcessAnswer read(const Section& section) {
        for (const Line& line : split_lines(section.out)) {
            if (!line.is_finished && section.exit_status != 0) continue;
            if (!read_row(line.text)) read_other(line.text);
        }
        for (const Line& line : split_lines(section.err)) others_.push_back(line.text);
        settle(section.exit_status);
        return std::move(answer_);
    }

private:
    // The name may hold commas: two cells are counted from the left, the memory is the last.
    bool read_row(std::string_view line) {
        const auto cells = split_cells(line);
        if (cells.size() < 4 || !(is_uuid(cells[0]) || is_absent(cells[0]))) return false;
        const auto uuid = text_or_nothing(cells[0], 96);
        const auto pid = parse_number(cells[1], 1, std::numeric_limits<int>::max());
        if (!pid) {
            if (!is_absent(cells[1])) return false;
            answer_.hidden_process_gpus.push_back(uuid);
            return true;
        }
        ProcessReading process{uuid, *pid,
                               text_or_nothing(join_cells(cells[2], cells[cells.size() - 2]), 256),
                               parse_mib(cells.back())};
        if (seen_.insert({process.gpu_uuid, process.pid, process.name, process.memory_used_mib})
                .second)
            answer_.processes.push_back(std::move(process));
        return true;
    }

    void read_other(std::string_view line) {
        const std::string_view text = trim(line);
        if (text.empty() || text.starts_with("gpu_uuid,")) return;
        if (contains_ignoring_case(text, "no running")) return;
        is_foreign_text_seen_ = true;
        others_.push_back(line);
    }

    void settle(std::optional<int> status) {
        Diagnosis diagnosis = diagnose(others_, status, Speaker::nvidia_smi);
        QueryReading& query = answer_.query;
        query.exit_status = status;
        query.errors = std::move(diagnosis.errors);
        query.quote = std::move(diagnosis.quote);
        const bool has_rows = !answer_.processes.empty() || !answer_.hidden_process_gpus.empty();
        if (!status) {
            query.outcome = QueryOutcome::torn;
        } else if (is_timeout_status(*status)) {
            query.outcome = QueryOutcome::timed_out;
        } else if (diagnosis.field_refused) {
            query.outcome = QueryOutcome::field_refused;
        } else if (diagnosis.tool_missing && !has_rows) {
            query.outcome = QueryOutcome::tool_missing;
        } else if (is_whole(*status)) {
            query.outcome = QueryOutcome::answered;
        } else {
            query.outcome = has_rows ? QueryOutcome::partial : QueryOutcome::failed;
        }
    }

    // Only stdout is held against it: loaders and wrappers write their own remarks to stderr.
    bool is_whole(int status) const {
        constexpr int inforom_status = 14;
        if (status != 0 && status != inforom_status) return false;
        for (const SmiError& error : answer_.query.errors) {
            if (error.kind != SmiErrorKind::inforom_corrupted) return false;
        }
        return !is_foreign_text_seen_ || !answer_.query.errors.empty();
    }

    ProcessAnswer answer_;
    std::vector<std::string_view> others_;
    bool is_foreign_text_seen_ = false;
    std::set<std::tuple<std::optional<std::string>, std::int64_t, std::optional<std::string>,
                        std::optional<std::int64_t>>>
        seen_;
};

void read_processes(const Section& section, HostReadings& readings) {
    ProcessAnswer answer = parse_process_query(section);
    readings.process_query = std::move(answer.query);
    readings.processes = std::move(answer.processes);
    readings.hidden_process_gpus = std::move(answer.hidden_process_gpus);
}

}  // namespace

ProcessAnswer parse_process_query(const Section& section) {
    return AnswerReader{}.read(section);
}

SectionKind processes_section() {
    return {"processes", "[ -z \"$s\" ]",
            std::string("$t \"$n\" ") + process_query + " </dev/null;r=$?", read_processes};
}

}  // namespace gpumuster
