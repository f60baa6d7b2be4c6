#include "gpumuster/transport/settings/config_survey.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

// ssh prints some 6 KB, and more only where a configuration sets very long values.
constexpr std::size_t output_cap_bytes = 1 << 20;

// Each one has five descriptors and, while it computes, a core.
std::size_t most_at_a_time() {
    return std::clamp<std::size_t>(2 * std::thread::hardware_concurrency(), 4, 16);
}

// The files that may hold any token. What else ssh prints it has expanded itself.
bool needs_connection_hash(const SshConfigAnswer& answer) {
    for (const char* keyword : {"identityfile", "certificatefile"}) {
        for (const std::string& file : answer.values(keyword)) {
            if (file.find("%C") != std::string::npos) return true;
        }
    }
    return false;
}

// The first line that says something about the configuration.
std::string complaint(const std::string& err) {
    std::string_view rest = err;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string line = quote_line(rest.substr(0, end), 240);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (!line.empty() && !line.starts_with("Pseudo-terminal will not be allocated")) {
            return line;
        }
    }
    return "nothing";
}

std::string how_it_ended(const CommandOutput& output) {
    if (output.ending == Ending::exited) {
        return fmt::format("ended with status {}, and said: {}", output.code,
                           complaint(output.err));
    }
    if (output.ending == Ending::signalled) return "was killed by SIG" + output.signal;
    if (output.ending == Ending::capped) return "printed more than a configuration can be";
    return "broke off";
}

tl::unexpected<ConfigTrouble> trouble(FailureKind kind, std::string message) {
    return tl::unexpected<ConfigTrouble>(ConfigTrouble{kind, std::move(message)});
}

tl::unexpected<ConfigTrouble> interrupted() {
    return trouble(FailureKind::run_interrupted,
                   "the run was interrupted before its ssh_config was read");
}

std::string in_seconds(std::chrono::milliseconds limit) {
    return fmt::format("{:g} s", static_cast<double>(limit.count()) / 1000);
}

ConfigAnswer read_output(const CommandOutput& output, std::chrono::milliseconds limit) {
    switch (output.ending) {
        case Ending::cancelled:
            return interrupted();
        case Ending::deadline:
            return trouble(FailureKind::config_timeout,
                           "ssh -G did not end within " + in_seconds(limit));
        case Ending::exited:
            if (output.code == 0) break;
            if (output.code == 255) {
                return trouble(FailureKind::config_refused, "ssh says: " + complaint(output.err));
            }
            [[fallthrough]];
        default:
            return trouble(FailureKind::config_failed, "ssh -G " + how_it_ended(output));
    }
    tl::expected<SshConfigAnswer, std::string> answer = parse_ssh_g(output.out);
    if (answer) return std::move(*answer);
    return trouble(FailureKind::config_failed,
                   "the answer of ssh -G cannot be read: " + answer.error());
}

}  // namespace

ConfigSurvey::ConfigSurvey(const ConfigSource& source, std::stop_token stop)
    : source_(source), stop_(std::move(stop)) {}

void ConfigSurvey::ask(std::vector<ConfigQuestion> questions) {
    std::sort(questions.begin(), questions.end());
    questions.erase(std::unique(questions.begin(), questions.end()), questions.end());
    for (ConfigQuestion& question : questions) {
        if (!answers_.contains(question)) waiting_.push_back(std::move(question));
    }
    if (!waiting_.empty()) run_workers(std::min(waiting_.size(), most_at_a_time()));
}

void ConfigSurvey::run_workers(std::size_t count) {
    // A stop comes on the thread of who requests it; the loop must hear of it on its own.
    std::stop_source on_loop;
    loop_stop_ = on_loop.get_token();
    asio::io_context context{1};
    const std::stop_callback<std::function<void()>> on_stop(
        stop_, [&] { asio::post(context, [&] { on_loop.request_stop(); }); });

    std::exception_ptr error;
    const auto join = [&](std::exception_ptr thrown) {
        if (thrown && !error) error = thrown;
    };
    if (!std::exchange(has_asked_defaults_, true)) {
        asio::co_spawn(context, ask_defaults(), join);
        context.run();
        context.restart();
    }
    for (std::size_t i = 0; i < count; ++i) asio::co_spawn(context, work(), join);
    context.run();
    if (error) std::rethrow_exception(error);
}

asio::awaitable<void> ConfigSurvey::ask_defaults() {
    Words arguments{"-G", "-F", "/dev/null", "--", "localhost"};
    ConfigAnswer answer = co_await run_ssh(std::move(arguments));
    if (answer) defaults_ = std::move(*answer);
}

asio::awaitable<void> ConfigSurvey::work() {
    while (!waiting_.empty()) {
        const ConfigQuestion question = std::move(waiting_.front());
        waiting_.pop_front();
        ConfigAnswer answer = co_await ask_ssh(question);
        answers_.insert_or_assign(question, std::move(answer));
    }
}

asio::awaitable<ConfigAnswer> ConfigSurvey::ask_ssh(const ConfigQuestion& question) {
    Words before{"-G"};
    const Words said = config_arguments(source_, question);
    before.insert(before.end(), said.begin(), said.end());
    const Words name{"--", question.name};

    Words arguments = before;
    arguments.insert(arguments.end(), name.begin(), name.end());
    ConfigAnswer answer = co_await run_ssh(std::move(arguments));
    if (!answer) co_return answer;
    if (needs_connection_hash(*answer)) {
        // Versions of ssh differ in what they hash, so that it is ssh that has to say.
        arguments = before;
        arguments.insert(arguments.end(), {"-o", "IdentityAgent=%C"});
        arguments.insert(arguments.end(), name.begin(), name.end());
        ConfigAnswer again = co_await run_ssh(std::move(arguments));
        if (!again) co_return again;
        answer->connection_hash = again->value("identityagent");
    }
    answer->forget_what_is_in(defaults_);
    co_return answer;
}

asio::awaitable<ConfigAnswer> ConfigSurvey::run_ssh(Words arguments) {
    if (stop_.stop_requested()) co_return interrupted();
    ProcessOrder order;
    order.argv = std::move(arguments);
    order.argv.insert(order.argv.begin(), source_.ssh_program);
    order.deadline = std::chrono::steady_clock::now() + source_.limit;
    order.output_cap_bytes = output_cap_bytes;
    order.cancel = loop_stop_;
    // A Match exec that wants to ask something gets no terminal, and ends in place of waiting.
    order.surroundings.terminal = Terminal::none;
    const tl::expected<CommandOutput, int> output = co_await run_process(std::move(order));
    if (!output) {
        co_return trouble(FailureKind::config_failed, fmt::format("{} could not be started: {}",
                                                                  quote_line(source_.ssh_program),
                                                                  std::strerror(output.error())));
    }
    co_return read_output(*output, source_.limit);
}

}  // namespace gpumuster
