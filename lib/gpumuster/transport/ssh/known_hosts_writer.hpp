#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "gpumuster/transport/loop/unique_fd.hpp"
#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster {

// How the name of a new line is written: HashKnownHosts.
enum class NameForm { plain, hashed };

// What came of a line that was to be written.
struct AppendOutcome {
    TrustJudgement judgement;  // what the file says of the key just before
    bool is_written = false;   // never when it says anything
    std::string trouble;       // why not, where it says nothing: "permission denied"
};

// Appends host keys to one known_hosts file that other programs write as well: under a lock where
// they lock, and where they do not, as ssh itself does not, by one write() at the end. A line is
// whole or not there. Blocks; one thread at a time.
class KnownHostsWriter {
public:
    // `patience` is how long the lock is waited for; after a wait in vain, only tried.
    explicit KnownHostsWriter(
        std::string path, std::chrono::milliseconds patience = std::chrono::milliseconds(1'000));

    // Writes nothing where the file, read again when somebody else changed it, says anything of the
    // host. A file that is not there is made, for its owner alone, and so is a folder ~/.ssh.
    AppendOutcome append(const HostKeyName& host, const KeyBlob& key, NameForm form);

private:
    // Tells whether somebody else wrote.
    struct State {
        dev_t device = 0;
        ino_t inode = 0;
        off_t size = 0;
        time_t modified_at = 0;
        bool operator==(const State&) const = default;
    };
    static std::optional<State> state_of(int fd);

    std::string open_locked(UniqueFd& fd);
    std::string lock(int fd);
    std::string read_if_changed(int fd);
    std::string write_line(int fd, const std::string& line);

    const std::string path_;
    const std::chrono::milliseconds patience_;
    bool was_locked_out_ = false;
    std::optional<State> seen_;
    bool ends_in_a_line_ = true;
    std::shared_ptr<KnownHostsFile> lines_;
};

}  // namespace gpumuster
