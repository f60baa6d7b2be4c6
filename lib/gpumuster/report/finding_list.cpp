#include "gpumuster/report/finding_list.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "gpumuster/report/columns.hpp"
#include "gpumuster/report/finding_words.hpp"
#include "gpumuster/report/host_facts.hpp"
#include "gpumuster/report/name_fold.hpp"

namespace gpumuster {
namespace {

constexpr std::size_t widest_hosts = 40;

class EntryList {
public:
    void add(const HostReport& report, const Finding& finding) {
        const FindingWords shared = shared_words(report, finding);
        // Safe text has no control characters, so a line break separates.
        const std::string key = finding.code + '\n' + shared.text + '\n' + shared.next_step;
        const auto [known, is_new] = known_.try_emplace(key, entries_.size());
        const std::string name = shown_name(report);
        if (is_new) {
            FindingWords own = own_words(finding);
            entries_.push_back(
                {{name}, finding.severity, std::move(own.text), std::move(own.next_step)});
            return;
        }
        FindingEntry& entry = entries_[known->second];
        if (entry.hosts.back() == name) return;
        entry.hosts.push_back(name);
        entry.text = shared.text;
        entry.next_step = shared.next_step;
    }

    std::vector<FindingEntry> take() && {
        std::ranges::stable_sort(entries_, std::ranges::greater{}, &FindingEntry::severity);
        return std::move(entries_);
    }

private:
    std::vector<FindingEntry> entries_;
    std::unordered_map<std::string, std::size_t> known_;
};

// Lines of an entry beside the hosts. A step that the next entry of the same hosts repeats is left
// to that one.
std::vector<std::string> lines_of(const std::vector<FindingEntry>& entries, std::size_t i) {
    const FindingEntry& entry = entries[i];
    std::vector<std::string> lines{entry.text};
    const bool is_repeated = i + 1 < entries.size() && entries[i + 1].hosts == entry.hosts &&
                             entries[i + 1].next_step == entry.next_step;
    const bool is_to_be_done = entry.severity != Severity::info && !entry.next_step.empty();
    if (is_to_be_done && !is_repeated) lines.push_back("→ " + entry.next_step);
    return lines;
}

std::vector<TableRow> rows_of(const std::vector<FindingEntry>& entries) {
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        auto left = fold_names(entries[i].hosts, widest_hosts);
        auto right = lines_of(entries, i);
        const std::size_t height = std::max(left.size(), right.size());
        left.resize(height);
        right.resize(height);
        for (std::size_t line = 0; line < height; ++line) {
            rows.push_back({{std::move(left[line])}, {std::move(right[line])}});
        }
    }
    return rows;
}

}  // namespace

std::vector<FindingEntry> finding_entries(const FleetReport& report, Severity least) {
    EntryList list;
    for (const HostReport& host : report.hosts) {
        for (const Finding& finding : host.verdict.findings) {
            if (finding.severity >= least) list.add(host, finding);
        }
    }
    return std::move(list).take();
}

void write_findings(const std::vector<FindingEntry>& entries, Sink& sink) {
    const auto rows = rows_of(entries);
    Columns columns({Align::left, Align::left});
    for (const TableRow& row : rows) columns.measure(row);
    for (const TableRow& row : rows) columns.write(row, Colour::off, sink);
}

void write_findings_of_one_host(const std::vector<FindingEntry>& entries, Sink& sink) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        for (const std::string& line : lines_of(entries, i)) sink.write(line + '\n');
    }
}

}  // namespace gpumuster
