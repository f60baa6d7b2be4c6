#include "gpumuster/probe/gpu_query.hpp"

#include <map>
#include <string>
#include <utility>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/probe/csv.hpp"
#include "gpumuster/probe/gpu_row.hpp"
#include "gpumuster/probe/probe.hpp"

namespace gpumuster {

const char* const full_gpu_query =
    "--query-gpu=index,uuid,name,pci.bus_id,memory.total,memory.used,utilization.gpu,"
    "temperature.gpu,pstate,driver_version --format=csv,noheader";
const char* const minimal_gpu_query = "--query-gpu=index,memory.used --format=csv,noheader";

namespace {

class AnswerReader {
public:
    AnswerReader(const Section& section, ProbeLevel level, Speaker speaker)
        : section_{section}, level_{level}, speaker_{speaker} {}

    GpuAnswer read() {
        read_lines();
        Diagnosis diagnosis = diagnose(others_, section_.exit_status, speaker_);
        answer_.query.exit_status = section_.exit_status;
        answer_.query.outcome = outcome(diagnosis);
        answer_.query.quote = broken_row_.empty() ? diagnosis.quote : broken_row_;
        add_errors(std::move(diagnosis));
        take_rows();
        return std::move(answer_);
    }

private:
    // A program that was cut off leaves half a line; one that ended on its own may just omit the
    // last line break.
    bool is_whole(const Line& line) const {
        constexpr int first_status_of_others = 124;  // timeout, the shell, signals
        return line.is_finished ||
               (section_.exit_status && *section_.exit_status < first_status_of_others);
    }

    void read_lines() {
        for (const Line& line : split_lines(section_.out)) {
            if (!is_whole(line)) continue;
            if (auto row = parse_gpu_row(line.text, level_)) {
                add_row(std::move(*row), line.text);
            } else if (looks_like_row(line.text)) {
                note_broken(line.text);
            } else {
                others_.push_back(line.text);
            }
        }
        for (const Line& line : split_lines(section_.err)) others_.push_back(line.text);
    }

    // Wrappers that print everything twice exist: the same row again says nothing new, another
    // one for the same index makes the answer doubtful.
    void add_row(GpuRow row, std::string_view line) {
        const auto known = rows_.find(row.reading.index);
        if (known == rows_.end()) {
            rows_.emplace(row.reading.index, std::move(row));
        } else if (!is_same_row(known->second.reading, row.reading)) {
            note_broken(line);
        }
    }

    void note_broken(std::string_view line) {
        if (broken_row_.empty()) broken_row_ = quote_line(line);
    }

    QueryOutcome outcome(const Diagnosis& diagnosis) const {
        if (!section_.exit_status) return QueryOutcome::torn;
        if (is_timeout_status(*section_.exit_status)) return QueryOutcome::timed_out;
        if (diagnosis.field_refused) return QueryOutcome::field_refused;
        if (rows_.empty())
            return diagnosis.tool_missing ? QueryOutcome::tool_missing : QueryOutcome::failed;
        return is_clean(diagnosis) ? QueryOutcome::answered : QueryOutcome::partial;
    }

    bool is_clean(const Diagnosis& diagnosis) const {
        if (!broken_row_.empty()) return false;
        for (const SmiError& error : diagnosis.errors) {
            if (error.kind != SmiErrorKind::inforom_corrupted) return false;
        }
        return *section_.exit_status == 0 || *section_.exit_status == inforom_status;
    }

    void add_errors(Diagnosis diagnosis) {
        std::vector<SmiError>& errors = answer_.query.errors;
        errors = std::move(diagnosis.errors);
        if (answer_.query.outcome == QueryOutcome::failed && errors.empty())
            errors.push_back({SmiErrorKind::unrecognised, {}, {}, answer_.query.quote});
        if (section_.exit_status == inforom_status && !rows_.empty() && errors.empty())
            errors.push_back({SmiErrorKind::inforom_corrupted, {}, {}, "exit status 14"});
    }

    void take_rows() {
        int next = 0;
        for (auto& [index, row] : rows_) {
            for (; next < index; ++next) answer_.missing_indices.push_back(next);
            ++next;
            for (SmiError& alarm : row.alarms) answer_.query.errors.push_back(std::move(alarm));
            answer_.gpus.push_back(std::move(row.reading));
        }
    }

    // nvidia-smi's status for "infoROM is corrupted": all data are valid.
    static constexpr int inforom_status = 14;

    const Section& section_;
    ProbeLevel level_;
    Speaker speaker_;
    GpuAnswer answer_;
    std::map<int, GpuRow> rows_;
    std::vector<std::string_view> others_;
    std::string broken_row_;
};

void store(GpuAnswer answer, HostReadings& readings) {
    readings.gpu_query = std::move(answer.query);
    readings.gpus = std::move(answer.gpus);
    readings.missing_indices = std::move(answer.missing_indices);
}

void read_full_answer(const Section& section, HostReadings& readings) {
    store(parse_gpu_query(section, ProbeLevel::full, Speaker::nvidia_smi), readings);
}

void read_minimal_answer(const Section& section, HostReadings& readings) {
    store(parse_gpu_query(section, ProbeLevel::minimal, Speaker::nvidia_smi), readings);
}

// A non-interactive login often lacks the folders that the profile adds. In the order of likely:
// distributions, WSL, NixOS, device plugin, CoreOS, GKE, COS, the GPU operator, other.
constexpr const char* find_tool =
    "n=$(command -v nvidia-smi);[ -n \"$n\" ]||for d in /usr/bin /usr/local/bin /usr/lib/wsl/lib "
    "/run/current-system/sw/bin /usr/local/nvidia/bin /opt/bin /home/kubernetes/bin/nvidia/bin "
    "/var/lib/nvidia/bin /run/nvidia/driver/usr/bin /usr/lib/nvidia/bin;do "
    "[ -x $d/nvidia-smi ]&&n=$d/nvidia-smi&&break;done;";

// After these nothing more is asked: no driver, no library, timed out, not started, crashed.
constexpr const char* stop_after = ";case $r in 9|12|18|12[4-7]|137|139|143)s=1;;esac";

}  // namespace

GpuAnswer parse_gpu_query(const Section& section, ProbeLevel level, Speaker speaker) {
    return AnswerReader(section, level, speaker).read();
}

SectionKind gpus_section(ProbeLevel level) {
    const bool is_full = level == ProbeLevel::full;
    const std::string query = is_full ? full_gpu_query : minimal_gpu_query;
    return {"gpus", "[ -z \"$s\" ]",
            std::string(find_tool) + "r=127;[ -n \"$n\" ]&&{ $t \"$n\" " + query +
                " </dev/null;r=$?;}" + stop_after,
            is_full ? read_full_answer : read_minimal_answer};
}

}  // namespace gpumuster
