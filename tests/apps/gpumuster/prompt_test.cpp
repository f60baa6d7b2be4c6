#include "gpumuster/prompt.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <map>
#include <thread>

#include "gpumuster/transport/loop/unique_fd.hpp"
#include "support/catch.hpp"
#include "support/descriptors.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

using Variables = std::map<std::string, std::string>;

Environment with(const Variables& variables) {
    Environment environment = process_environment();
    environment.variable = [variables](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return {};
        return found->second;
    };
    return environment;
}

PromptPlace place_with(const Variables& variables, const std::string& terminal) {
    PromptPlace place;
    place.environment = with(variables);
    place.terminal = terminal;
    return place;
}

// A process on a terminal of its own that asks for a secret and tells what it got through a pipe.
class AskingProcess {
public:
    AskingProcess() {
        std::array<int, 2> ends{};
        REQUIRE(::pipe(ends.data()) == 0);
        int master = -1;
        pid_ = ::forkpty(&master, name_.data(), nullptr, nullptr);
        REQUIRE(pid_ >= 0);
        if (pid_ == 0) ask_and_leave(ends[1]);
        ::close(ends[1]);
        result_.reset(ends[0]);
        master_.reset(master);
        // Kept open, so that the terminal's settings outlive the process.
        terminal_.reset(::open(name_.data(), O_RDWR | O_NOCTTY));
    }
    ~AskingProcess() {
        if (pid_ > 0) ::kill(pid_, SIGKILL);
        if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    }
    AskingProcess(const AskingProcess&) = delete;
    AskingProcess& operator=(const AskingProcess&) = delete;

    // Reads what the terminal shows until the text is there.
    bool shows(const std::string& text) {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (shown_.find(text) == std::string::npos) {
            pollfd entry{master_.get(), POLLIN, 0};
            if (std::chrono::steady_clock::now() > give_up) return false;
            if (::poll(&entry, 1, 100) <= 0) continue;
            std::array<char, 256> buffer;
            const ssize_t count = ::read(master_.get(), buffer.data(), buffer.size());
            if (count <= 0) return false;
            shown_.append(buffer.data(), static_cast<std::size_t>(count));
        }
        return true;
    }
    const std::string& shown() const { return shown_; }

    void type(const std::string& text) {
        REQUIRE(::write(master_.get(), text.data(), text.size()) ==
                static_cast<ssize_t>(text.size()));
    }
    void send(int signal) { ::kill(pid_, signal); }

    bool is_echoing() const {
        termios settings{};
        REQUIRE(::tcgetattr(terminal_.get(), &settings) == 0);
        return (settings.c_lflag & ECHO) != 0;
    }

    std::string result() {
        std::string text;
        std::array<char, 256> buffer;
        ssize_t count = 0;
        while ((count = ::read(result_.get(), buffer.data(), buffer.size())) > 0) {
            text.append(buffer.data(), static_cast<std::size_t>(count));
        }
        return text;
    }

    int wait() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = -1;
        return status;
    }

private:
    [[noreturn]] static void ask_and_leave(int result) {
        PromptPlace place = place_with({}, "/dev/tty");
        const std::optional<Secret> secret = ask_secret("Passphrase for /k: ", place);
        const std::string text = secret ? "got " + std::string(secret->c_str()) : "nothing";
        static_cast<void>(::write(result, text.data(), text.size()) > 0);
        ::_exit(0);
    }

    pid_t pid_ = -1;
    std::array<char, 256> name_{};
    UniqueFd master_;
    UniqueFd terminal_;
    UniqueFd result_;
    std::string shown_;
};

}  // namespace

TEST_CASE("who is asked follows ssh's rules") {
    const Variables program{{"SSH_ASKPASS", "/bin/ask"}};
    const Variables shown{{"SSH_ASKPASS", "/bin/ask"}, {"DISPLAY", ":0"}};
    const auto way = [](Variables variables, const std::string& require, bool has_terminal) {
        if (!require.empty()) variables["SSH_ASKPASS_REQUIRE"] = require;
        return prompt_way(with(variables), has_terminal);
    };
    CHECK(way({}, "", true) == PromptWay::terminal);
    CHECK(way({}, "", false) == PromptWay::nobody);
    CHECK(way(shown, "", true) == PromptWay::terminal);
    CHECK(way(shown, "", false) == PromptWay::program);
    CHECK(way(program, "", false) == PromptWay::nobody);
    CHECK(way({{"SSH_ASKPASS", "x"}, {"WAYLAND_DISPLAY", "y"}}, "", false) == PromptWay::program);

    CHECK(way(shown, "never", false) == PromptWay::nobody);
    CHECK(way(shown, "never", true) == PromptWay::terminal);
    CHECK(way(shown, "prefer", true) == PromptWay::program);
    CHECK(way(program, "prefer", true) == PromptWay::terminal);
    CHECK(way(program, "FORCE", true) == PromptWay::program);
    CHECK(way(program, "force", false) == PromptWay::program);
    CHECK(way({}, "force", true) == PromptWay::nobody);
    CHECK(way(shown, "nonsense", true) == PromptWay::terminal);
}

TEST_CASE("a program is asked with the prompt as its only argument") {
    const TempDir folder;
    const auto ask = [&](const std::string& script) {
        const Variables variables{
            {"SSH_ASKPASS", folder.write("ask", "#!/bin/sh\n" + script, 0700)},
            {"SSH_ASKPASS_REQUIRE", "force"}};
        return ask_secret("Passphrase for /k: ", place_with(variables, "/nonexistent"));
    };
    const std::string noted = folder.file("noted");
    const auto secret = ask("printf '%s|%s' \"$#\" \"$1\" > " + noted + "\nprintf 's3cret\\n'\n");
    REQUIRE(secret);
    CHECK(std::string(secret->c_str()) == "s3cret");
    CHECK(read_file(noted) == "1|Passphrase for /k: ");

    CHECK_FALSE(ask("echo s3cret; exit 1\n"));
    CHECK(std::string(ask("printf 'two words \\r\\nmore\\n'\n")->c_str()) == "two words ");
    CHECK(ask("true\n")->empty());
    CHECK_FALSE(ask("head -c 100000 /dev/zero\n"));
}

TEST_CASE("a program is looked for on PATH, and one that is not there answers nothing") {
    const TempDir folder;
    folder.write("ask", "#!/bin/sh\necho found\n", 0700);
    Variables variables{{"SSH_ASKPASS", "ask"},
                        {"SSH_ASKPASS_REQUIRE", "force"},
                        {"PATH", "/nonexistent:" + folder.path()}};
    const auto found = ask_secret("?", place_with(variables, "/nonexistent"));
    REQUIRE(found);
    CHECK(std::string(found->c_str()) == "found");
    variables["SSH_ASKPASS"] = "/nonexistent/ask";
    CHECK_FALSE(ask_secret("?", place_with(variables, "/nonexistent")));
}

TEST_CASE("a program that never answers ends when stop is requested") {
    const TempDir folder;
    const std::string noted = folder.file("noted");
    const std::string script =
        folder.write("ask", "#!/bin/sh\necho x > " + noted + "\nexec sleep 1000\n", 0700);
    std::stop_source stop;
    PromptPlace place =
        place_with({{"SSH_ASKPASS", script}, {"SSH_ASKPASS_REQUIRE", "force"}}, "/nonexistent");
    place.stop = stop.get_token();
    std::thread stopper([&] {
        for (int i = 0; i < 2000 && ::access(noted.c_str(), F_OK) != 0; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        stop.request_stop();
    });
    CHECK_FALSE(ask_secret("?", place));
    stopper.join();
    CHECK_FALSE(ask_secret("?", place));
}

TEST_CASE("what is typed on the terminal is read and not shown") {
    AskingProcess process;
    REQUIRE(process.shows("Passphrase for /k: "));
    CHECK_FALSE(process.is_echoing());
    process.type("open sesame\n");
    CHECK(process.result() == "got open sesame");
    CHECK(process.wait() == 0);
    CHECK(process.is_echoing());
    CHECK_THAT(process.shown(), !ContainsSubstring("sesame"));
}

TEST_CASE("the end of input and a line without end are no answer") {
    AskingProcess process;
    REQUIRE(process.shows("Passphrase for /k: "));
    const std::string typed = GENERATE(std::string("\x04"), std::string(2000, 'x') + "\n");
    process.type(typed);
    CHECK(process.result() == "nothing");
    CHECK(process.wait() == 0);
    CHECK(process.is_echoing());
}

TEST_CASE("a signal ends the process as usual, with the terminal as it was") {
    const int signal = GENERATE(SIGTERM, SIGINT, SIGHUP);
    AskingProcess process;
    REQUIRE(process.shows("Passphrase for /k: "));
    REQUIRE_FALSE(process.is_echoing());
    SECTION("sent") {
        process.send(signal);
        const int status = process.wait();
        REQUIRE(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == signal);
    }
    SECTION("typed as ^C") {
        process.type("half a sec\x03");
        const int status = process.wait();
        REQUIRE(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == SIGINT);
    }
    CHECK(process.is_echoing());
}

TEST_CASE("a process that was stopped while it asked asks again") {
    AskingProcess process;
    REQUIRE(process.shows("Passphrase for /k: "));
    process.send(SIGTSTP);
    // Whether it stopped, or the system does not stop a process that nobody could continue.
    for (int i = 0; i < 200 && !process.is_echoing(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    process.send(SIGCONT);
    REQUIRE(process.shows("Passphrase for /k: \r\nPassphrase for /k: "));
    process.type("open sesame\n");
    CHECK(process.result() == "got open sesame");
}

TEST_CASE("without a terminal and a program nobody is asked, and nothing is left open") {
    const std::size_t before = open_descriptors();
    CHECK_FALSE(ask_secret("?", place_with({}, "/nonexistent")));
    CHECK_FALSE(ask_secret("?", place_with({}, "/dev/null")));
    CHECK_FALSE(passphrase_prompt(place_with({}, "/nonexistent"))("/k", 1));
    CHECK_FALSE(ask_password("the hosts of this run", place_with({}, "/nonexistent")));
    CHECK(open_descriptors() == before);
}

TEST_CASE("prompts say what is wanted") {
    const TempDir folder;
    const std::string script = folder.write("ask", "#!/bin/sh\nprintf '%s' \"$1\"\n", 0700);
    const PromptPlace place =
        place_with({{"SSH_ASKPASS", script}, {"SSH_ASKPASS_REQUIRE", "force"}}, "/nonexistent");
    const auto passphrase = passphrase_prompt(place);
    CHECK(std::string(passphrase("/k", 1)->c_str()) == "Passphrase for /k: ");
    CHECK(std::string(passphrase("/k", 2)->c_str()) == "Wrong passphrase. Passphrase for /k: ");
    CHECK(std::string(ask_password("the hosts of this run", place)->c_str()) ==
          "Password for the hosts of this run: ");
}
