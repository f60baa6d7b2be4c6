#include "gpumuster/transport/ssh/password_program.hpp"

#include <string_view>
#include <utility>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>

#include "gpumuster/transport/process/process.hpp"

namespace gpumuster {
namespace {

constexpr std::size_t longest_answer = 4096;

std::optional<Secret> answer_in(CommandOutput& output) {
    std::optional<Secret> answer;
    if (output.ending == Ending::exited && output.code == 0) {
        const std::string_view text = output.out;
        answer.emplace(text.substr(0, text.find_first_of("\r\n")));
    }
    wipe_memory(output.out.data(), output.out.size());
    return answer;
}

}  // namespace

std::optional<Secret> ask_by_program(const std::string& program, const std::string& prompt,
                                     std::chrono::milliseconds patience, std::stop_token stop) {
    asio::io_context context(1);
    std::stop_source on_loop;
    const std::stop_callback pass_on(std::move(stop),
                                     [&] { asio::post(context, [&] { on_loop.request_stop(); }); });
    ProcessOrder order;
    order.argv = {program, prompt};
    order.deadline = std::chrono::steady_clock::now() + patience;
    order.output_cap_bytes = longest_answer;
    order.cancel = on_loop.get_token();
    std::optional<Secret> answer;
    asio::co_spawn(context, run_process(std::move(order)),
                   [&](const std::exception_ptr& thrown, tl::expected<CommandOutput, int> output) {
                       if (!thrown && output) answer = answer_in(*output);
                   });
    context.run();
    return answer;
}

}  // namespace gpumuster
