#pragma once

#include <map>
#include <string>
#include <vector>

namespace gpumuster::test {

struct ProgramResult {
    int status = -1;  // exit status; 128 + n when signal n ended it
    std::string out;
    std::string err;
};

struct ProgramOrder {
    std::vector<std::string> argv;                   // the first is a path or a word on PATH
    std::map<std::string, std::string> environment;  // on top of ours
    std::string input;
};

// Runs a program to its end.
ProgramResult run_program(const ProgramOrder& order);

// The programs under test, as built beside the tests.
std::string gpumuster_program();
std::string simulator_program();

// A program that runs until this object goes, then gets SIGTERM; its output goes to files.
class BackgroundProgram {
public:
    BackgroundProgram(const ProgramOrder& order, const std::string& out_file,
                      const std::string& err_file);
    ~BackgroundProgram();
    BackgroundProgram(const BackgroundProgram&) = delete;
    BackgroundProgram& operator=(const BackgroundProgram&) = delete;

    int pid() const { return pid_; }
    bool is_running();
    void send_signal(int number) const;
    // Waits for its end and returns its status.
    int wait();

private:
    int pid_ = -1;
    bool has_ended_ = false;
    int status_ = -1;
};

std::string read_file(const std::string& path);

// Waits, up to ten seconds, until the file holds the text; false when it does not come.
bool wait_for_text(const std::string& path, const std::string& text, BackgroundProgram& writer);

}  // namespace gpumuster::test
