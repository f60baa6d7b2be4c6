#include "gpumuster/report/finding_list.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/report/columns.hpp"
#include "gpumuster/report/host_facts.hpp"
#include "gpumuster/report/name_fold.hpp"
#include "gpumuster/verdict/catalogue.hpp"

namespace gpumuster {
namespace {

constexpr std::size_t widest_hosts = 40;
constexpr std::size_t longest_text = 1024;

void replace_all(std::string& text, std::string_view placeholder, std::string_view value) {
    for (auto at = text.find(placeholder); at != std::string::npos;
         at = text.find(placeholder, at + value.size())) {
        text.replace(at, placeholder.size(), value);
    }
}

// The next step as the tables of kinds have it, without a host in it; empty when there is no row.
std::string_view template_of(const HostReport& report, const Finding& finding) {
    if (report.failure) return failure_info(report.failure->kind).next_step;
    const auto rows = catalogue();
    const auto row = std::ranges::find(rows, finding.code, &FindingKind::code);
    return row == rows.end() ? std::string_view{} : row->next_step;
}

std::string filled_in(const HostReport& report, std::string_view step_template) {
    if (report.failure) {
        return make_failure(report.failure->kind, report.failure->hop, {}).next_step;
    }
    std::string step(step_template);
    replace_all(step, "{host}", report.host.name);
    return step;
}

// The next step with HOST in place of the host, when that is all that is special in it.
std::string shared_next_step(const HostReport& report, const Finding& finding) {
    const std::string_view step_template = template_of(report, finding);
    if (finding.next_step != filled_in(report, step_template)) return finding.next_step;
    std::string step(step_template);
    for (const std::string_view placeholder : {"{host}", "{address}", "{ssh}"}) {
        replace_all(step, placeholder, "HOST");
    }
    return step;
}

std::string text_of(const Finding& finding) {
    std::string text;
    if (finding.severity != Severity::error) {
        text = fmt::format("{}: ", severity_name(finding.severity));
    }
    const bool is_of_host = finding.subject.empty() || finding.subject == "host";
    if (!is_of_host) text += finding.subject + ": ";
    return quote_line(text + finding.message, longest_text);
}

class EntryList {
public:
    void add(const HostReport& report, const Finding& finding) {
        const std::string text = text_of(finding);
        const std::string shared = quote_line(shared_next_step(report, finding), longest_text);
        // Safe text has no control characters, so a line break separates.
        const std::string key = finding.code + '\n' + text + '\n' + shared;
        const auto [known, is_new] = known_.try_emplace(key, entries_.size());
        if (is_new) {
            entries_.push_back({{shown_name(report)},
                                finding.severity,
                                text,
                                quote_line(finding.next_step, longest_text)});
            return;
        }
        FindingEntry& entry = entries_[known->second];
        const std::string name = shown_name(report);
        if (entry.hosts.back() != name) entry.hosts.push_back(name);
        if (entry.hosts.size() > 1) entry.next_step = shared;
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
