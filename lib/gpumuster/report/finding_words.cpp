#include "gpumuster/report/finding_words.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/verdict/catalogue.hpp"
#include "gpumuster/verdict/remark_rules.hpp"

namespace gpumuster {
namespace {

constexpr std::size_t longest_text = 1024;
constexpr std::string_view any_host = "HOST";

bool is_of_host(const Finding& finding) {
    return finding.subject.empty() || finding.subject == "host";
}

bool is_in_a_name(char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

bool is_whole_word(std::string_view text, std::size_t at, std::size_t size) {
    const bool is_begun_before = at > 0 && is_in_a_name(text[at - 1]);
    const bool goes_on = at + size < text.size() && is_in_a_name(text[at + size]);
    return !is_begun_before && !goes_on;
}

std::string with_any_host(const std::string& text, const std::string& name) {
    if (name.empty()) return text;
    std::string result;
    std::size_t done = 0;
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, done)) {
        result += text.substr(done, at - done);
        result += is_whole_word(text, at, name.size()) ? any_host : std::string_view(name);
        done = at + name.size();
    }
    return result + text.substr(done);
}

// What a host is called in its failure, the longest first: `ssh -p 2222 root@gpu1` holds the
// others.
std::vector<std::string> names_in(const Failure& failure) {
    return {failure.hop.ssh_arguments, failure.hop.address, failure.hop.name};
}

Finding of_any_host(Finding finding, const Failure& failure) {
    for (const std::string& name : names_in(failure)) {
        finding.message = with_any_host(finding.message, name);
        finding.next_step = with_any_host(finding.next_step, name);
    }
    return finding;
}

Finding of_any_key(Finding finding) {
    const FindingKind& kind = finding_kind(finding.code);
    finding.message = kind.meaning;
    finding.next_step = with_any_host(std::string(kind.next_step), "{ssh}");
    return finding;
}

}  // namespace

FindingWords own_words(const Finding& finding) {
    std::string text;
    if (finding.severity != Severity::error) {
        text = fmt::format("{}: ", severity_name(finding.severity));
    }
    if (!is_of_host(finding)) text += finding.subject + ": ";
    return {quote_line(text + finding.message, longest_text),
            quote_line(finding.next_step, longest_text)};
}

FindingWords shared_words(const HostReport& report, const Finding& finding) {
    if (is_of_remark(finding.code)) {
        return own_words(is_of_host(finding) ? of_any_key(finding) : finding);
    }
    if (report.failure) {
        const bool is_at_host = report.failure->hop.index == 0;
        return own_words(is_at_host ? of_any_host(finding, *report.failure) : finding);
    }
    Finding shared = finding;
    shared.next_step = with_any_host(finding.next_step, report.host.name);
    return own_words(shared);
}

}  // namespace gpumuster
