#include "gpumuster/transport/ssh/known_hosts_writer.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "gpumuster/transport/trust/known_hosts_line.hpp"

namespace gpumuster {
namespace {

constexpr std::chrono::milliseconds between_attempts{20};

std::string text_of(int error) {
    return std::error_code(error, std::generic_category()).message();
}

int open_file(const std::string& path) {
    return ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                  S_IRUSR | S_IWUSR);
}

// As ssh does; any other folder that is missing is more likely a slip than a wish.
bool make_ssh_folder_for(const std::string& path) {
    const std::string folder = path.substr(0, path.rfind('/'));
    return folder.ends_with("/.ssh") && ::mkdir(folder.c_str(), S_IRWXU) == 0;
}

// ssh-keygen -R puts another file in the place of the one that it read.
bool is_still_at(int fd, const std::string& path) {
    struct stat ours {};
    struct stat there {};
    return ::fstat(fd, &ours) == 0 && ::stat(path.c_str(), &there) == 0 &&
           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

bool is_regular(int fd) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

// Empty: read; else why not.
std::string read_whole(int fd, std::string& text) {
    std::array<char, 65'536> chunk;
    while (true) {
        const ssize_t count =
            ::pread(fd, chunk.data(), chunk.size(), static_cast<off_t>(text.size()));
        if (count == 0) return {};
        if (count > 0) {
            text.append(chunk.data(), static_cast<std::size_t>(count));
        } else if (errno != EINTR) {
            return text_of(errno);
        }
    }
}

// Only while nobody has written behind it.
void take_back(int fd, off_t size, ssize_t count) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || status.st_size != size + count) return;
    [[maybe_unused]] const int code = ::ftruncate(fd, size);
}

}  // namespace

KnownHostsWriter::KnownHostsWriter(std::string path, std::chrono::milliseconds patience)
    : path_(std::move(path)),
      patience_(patience),
      lines_(std::make_shared<KnownHostsFile>(KnownHostsFile::parse({}, path_))) {}

AppendOutcome KnownHostsWriter::append(const HostKeyName& host, const KeyBlob& key, NameForm form) {
    AppendOutcome outcome;
    UniqueFd fd;
    outcome.trouble = open_locked(fd);
    if (outcome.trouble.empty()) outcome.trouble = read_if_changed(fd.get());
    if (!outcome.trouble.empty()) return outcome;

    outcome.judgement = KnownHosts({lines_}).judge(host, key);
    if (!is_of_new_host(outcome.judgement)) return outcome;

    std::optional<HashedName::Bytes> salt;
    if (form == NameForm::hashed || !can_stand_plain(host)) {
        salt.emplace();
        if (::getentropy(salt->data(), salt->size()) != 0) {
            outcome.trouble = text_of(errno);
            return outcome;
        }
    }
    outcome.trouble = write_line(fd.get(), known_hosts_line(host, key, salt) + "\n");
    // A file system in the network may say only now that the disk is full.
    if (::close(fd.release()) != 0 && outcome.trouble.empty()) outcome.trouble = text_of(errno);
    outcome.is_written = outcome.trouble.empty();
    return outcome;
}

std::string KnownHostsWriter::open_locked(UniqueFd& fd) {
    for (int attempt = 1; attempt <= 3; ++attempt) {
        fd.reset(open_file(path_));
        if (!fd.is_open() && errno == ENOENT && make_ssh_folder_for(path_)) {
            fd.reset(open_file(path_));
        }
        if (!fd.is_open()) return text_of(errno);
        std::string trouble = lock(fd.get());
        if (!trouble.empty()) return trouble;
        if (is_still_at(fd.get(), path_)) return {};
    }
    return "another program keeps replacing it";
}

// flock cannot be given a time limit. Where it is not to be had at all, one write() at the end has
// to do, which is all that ssh relies on.
std::string KnownHostsWriter::lock(int fd) {
    const auto end = std::chrono::steady_clock::now() + patience_;
    while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) break;
        if (was_locked_out_ || std::chrono::steady_clock::now() >= end) {
            was_locked_out_ = true;
            return "another program has it locked";
        }
        std::this_thread::sleep_for(between_attempts);
    }
    was_locked_out_ = false;
    return {};
}

std::optional<KnownHostsWriter::State> KnownHostsWriter::state_of(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return std::nullopt;
    return State{status.st_dev, status.st_ino, status.st_size, status.st_mtime};
}

std::string KnownHostsWriter::read_if_changed(int fd) {
    // What is no file (/dev/null, a terminal) has no lines, or never comes to their end.
    if (!is_regular(fd)) return {};
    const std::optional<State> state = state_of(fd);
    if (state && seen_ == state) return {};
    std::string text;
    std::string trouble = read_whole(fd, text);
    if (!trouble.empty()) return trouble;
    lines_ = std::make_shared<KnownHostsFile>(KnownHostsFile::parse(text, path_));
    ends_in_a_line_ = text.empty() || text.ends_with('\n');
    seen_ = state;
    return {};
}

std::string KnownHostsWriter::write_line(int fd, const std::string& line) {
    const std::string text = ends_in_a_line_ ? line : "\n" + line;
    const std::optional<State> before = state_of(fd);
    ssize_t count = 0;
    do {
        count = ::write(fd, text.data(), text.size());
    } while (count < 0 && errno == EINTR);
    if (count != static_cast<ssize_t>(text.size())) {
        const int error = count < 0 ? errno : ENOSPC;
        if (count > 0 && before) take_back(fd, before->size, count);
        seen_.reset();
        return text_of(error);
    }
    lines_->add(line);
    ends_in_a_line_ = true;
    // Somebody who does not lock may have written as well: then it is read again.
    seen_ = state_of(fd);
    if (!before || !seen_ || seen_->size != before->size + count) seen_.reset();
    return {};
}

}  // namespace gpumuster
