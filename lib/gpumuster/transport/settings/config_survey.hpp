#pragma once

#include <deque>
#include <stop_token>

#include <asio/awaitable.hpp>

#include "gpumuster/transport/process/process.hpp"
#include "gpumuster/transport/settings/config_question.hpp"

namespace gpumuster {

// Asks ssh, one `ssh -G` per question, a few at a time, each with its deadline. What ssh says of
// every name alike, without a configuration, is kept apart and forgotten in the answers.
class ConfigSurvey {
public:
    // `source` outlives it and has an ssh. Once `stop` is requested, what has no answer yet gets
    // the trouble run_interrupted.
    ConfigSurvey(const ConfigSource& source, std::stop_token stop);

    // Blocks until each question has an answer or a trouble.
    void ask(std::vector<ConfigQuestion> questions);

    const ConfigAnswers& answers() const { return answers_; }
    // Empty before anything was asked, and where ssh could not say.
    const SshConfigAnswer& defaults() const { return defaults_; }

private:
    using Words = std::vector<std::string>;

    void run_workers(std::size_t count);
    asio::awaitable<void> ask_defaults();
    asio::awaitable<void> work();
    asio::awaitable<ConfigAnswer> ask_ssh(const ConfigQuestion& question);
    asio::awaitable<ConfigAnswer> run_ssh(Words arguments);

    const ConfigSource& source_;
    const std::stop_token stop_;
    std::stop_token loop_stop_;
    std::deque<ConfigQuestion> waiting_;
    ConfigAnswers answers_;
    SshConfigAnswer defaults_;
    bool has_asked_defaults_ = false;
};

}  // namespace gpumuster
