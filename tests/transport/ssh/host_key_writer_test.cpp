#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/fsuid.h>
#endif

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "gpumuster/transport/ssh/known_hosts_writer.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"
#include "transport/ssh/host_key_samples.hpp"
#include "transport/trust/sample_keys.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

const HostKeyName gpu1{"gpu1", 22};
const HostKeyName gpu2{"gpu2", 22};
const KeyBlob key = ed25519_key.blob();
const KeyBlob other_key = other_ed25519_key.blob();
constexpr std::chrono::milliseconds no_patience{0};
constexpr uid_t nobody = 65'534;

const std::string gpu1_line = "gpu1 " + ed25519_key.text + "\n";
const std::string gpu2_line = "gpu2 " + ed25519_key.text + "\n";

mode_t mode_of(const std::string& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 0777;
}

void append_by_hand(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::app | std::ios::binary) << text;
}

}  // namespace

TEST_CASE("a new key becomes one line, plain or hashed") {
    const TempDir folder;
    const std::string path = folder.file("known_hosts");
    KnownHostsWriter writer(path);
    CHECK(writer.append(gpu1, key, NameForm::plain).is_written);
    CHECK(read_file(path) == gpu1_line);
    CHECK(mode_of(path) == 0600);

    CHECK(writer.append({"gpu1", 2222}, other_key, NameForm::hashed).is_written);
    const std::vector<std::string> lines = lines_of(read_file(path));
    REQUIRE(lines.size() == 2);
    CHECK(lines[1].starts_with("|1|"));
    CHECK(judge(read_file(path), {"gpu1", 2222}, other_ed25519_key).trust == Trust::trusted);
}

TEST_CASE("each hashed line has a salt of its own") {
    const TempDir folder;
    const std::string path = folder.file("known_hosts");
    KnownHostsWriter writer(path);
    for (int i = 0; i < 20; ++i) {
        const HostKeyName host{"node" + std::to_string(i), 22};
        CHECK(writer.append(host, key, NameForm::hashed).is_written);
    }
    std::set<std::string> salts;
    for (const std::string& line : lines_of(read_file(path))) salts.insert(line.substr(0, 32));
    CHECK(salts.size() == 20);
}

TEST_CASE("a name that would mean more than itself is hashed") {
    const TempDir folder;
    const std::string path = folder.file("known_hosts");
    KnownHostsWriter writer(path);
    CHECK(writer.append({"*", 22}, key, NameForm::plain).is_written);
    CHECK(read_file(path).starts_with("|1|"));
    CHECK(judge(read_file(path), gpu1, ed25519_key).trust == Trust::unknown);
    CHECK(judge(read_file(path), {"*", 22}, ed25519_key).trust == Trust::trusted);
}

TEST_CASE("a last line without an end is ended first") {
    const TempDir folder;
    const std::string path = folder.write("known_hosts", "gpu2 " + ed25519_key.text);
    KnownHostsWriter writer(path);
    CHECK(writer.append(gpu1, key, NameForm::plain).is_written);
    CHECK(read_file(path) == gpu2_line + gpu1_line);
    CHECK(writer.append({"gpu3", 22}, key, NameForm::plain).is_written);
    CHECK(lines_of(read_file(path)).size() == 3);
}

TEST_CASE("what the file says by now is heeded") {
    const TempDir folder;
    const std::string path = folder.write("known_hosts", "# mine\n");
    KnownHostsWriter writer(path);
    CHECK(writer.append({"gpu9", 22}, key, NameForm::plain).is_written);
    append_by_hand(path, gpu1_line + "gpu2 " + other_ed25519_key.text + "\ngpu3 " + ecdsa_key.text +
                             "\n@revoked gpu4 " + ed25519_key.text + "\n@cert-authority gpu5 " +
                             rsa_key.text + "\n");
    const std::string before = read_file(path);

    CHECK(writer.append(gpu1, key, NameForm::plain).judgement.trust == Trust::trusted);
    const AppendOutcome changed = writer.append(gpu2, key, NameForm::plain);
    CHECK(changed.judgement.trust == Trust::changed);
    CHECK(changed.judgement.file == path);
    CHECK(changed.judgement.line == 4);
    CHECK_FALSE(changed.is_written);
    CHECK(changed.trouble.empty());
    CHECK_FALSE(writer.append({"gpu3", 22}, key, NameForm::plain).is_written);
    CHECK(writer.append({"gpu4", 22}, key, NameForm::plain).judgement.trust == Trust::revoked);
    CHECK(writer.append({"gpu5", 22}, key, NameForm::plain).judgement.trust ==
          Trust::certificate_authority);
    CHECK(read_file(path) == before);
}

TEST_CASE("lines of its own are heeded like those of others") {
    const TempDir folder;
    KnownHostsWriter writer(folder.file("known_hosts"));
    CHECK(writer.append(gpu1, key, NameForm::hashed).is_written);
    CHECK(writer.append(gpu1, key, NameForm::hashed).judgement.trust == Trust::trusted);
    CHECK(writer.append(gpu1, other_key, NameForm::plain).judgement.trust == Trust::changed);
    CHECK(lines_of(read_file(folder.file("known_hosts"))).size() == 1);
}

TEST_CASE("a file that was put in the place of the old one is read") {
    const TempDir folder;
    const std::string path = folder.write("known_hosts", gpu1_line);
    KnownHostsWriter writer(path);
    CHECK(writer.append(gpu2, key, NameForm::plain).is_written);
    std::filesystem::rename(folder.write("new", "gpu2 " + other_ed25519_key.text + "\n"), path);
    CHECK(writer.append(gpu2, key, NameForm::plain).judgement.trust == Trust::changed);
    CHECK(writer.append(gpu1, key, NameForm::plain).is_written);
    CHECK(lines_of(read_file(path)).size() == 2);
}

TEST_CASE("a folder .ssh is made for its owner alone, no other folder is") {
    const TempDir folder;
    const std::string path = folder.file(".ssh") + "/known_hosts";
    CHECK(KnownHostsWriter(path).append(gpu1, key, NameForm::plain).is_written);
    CHECK(mode_of(folder.file(".ssh")) == 0700);
    CHECK(mode_of(path) == 0600);

    const std::string elsewhere = folder.file("keys") + "/known_hosts";
    const AppendOutcome outcome = KnownHostsWriter(elsewhere).append(gpu1, key, NameForm::plain);
    CHECK_FALSE(outcome.is_written);
    CHECK(outcome.trouble == "No such file or directory");
    CHECK_FALSE(std::filesystem::exists(folder.file("keys")));
}

TEST_CASE("a link is written through and stays one") {
    const TempDir folder;
    const std::string target = folder.write("elsewhere", gpu2_line);
    const std::string path = folder.file("known_hosts");
    std::filesystem::create_symlink(target, path);
    CHECK(KnownHostsWriter(path).append(gpu1, key, NameForm::plain).is_written);
    CHECK(std::filesystem::is_symlink(path));
    CHECK(read_file(target) == gpu2_line + gpu1_line);
}

TEST_CASE("a file that cannot be written is left as it is, and the reason is said") {
    const TempDir folder;
    const std::string path = folder.write("known_hosts", gpu2_line, 0444);
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
    KnownHostsWriter writer(path);
    AppendOutcome outcome;
    // Root may write every file, so that here another user of the file system has to try.
    std::thread([&] {
#ifdef __linux__
        if (::geteuid() == 0) ::setfsuid(nobody);
#endif
        outcome = writer.append(gpu1, key, NameForm::plain);
    }).join();
    CHECK_FALSE(outcome.is_written);
    CHECK(outcome.trouble == "Permission denied");
    CHECK(read_file(path) == gpu2_line);
}

TEST_CASE("another user's file that may be written stays that user's") {
    if (::geteuid() != 0) return;
    const TempDir folder;
    const std::string path = folder.write("known_hosts", gpu2_line, 0640);
    REQUIRE(::chown(path.c_str(), nobody, nobody) == 0);
    CHECK(KnownHostsWriter(path).append(gpu1, key, NameForm::plain).is_written);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK(status.st_uid == nobody);
    CHECK(mode_of(path) == 0640);
    CHECK(read_file(path) == gpu2_line + gpu1_line);
}

TEST_CASE("a full disk is said, and so is what is no file") {
    if (std::filesystem::exists("/dev/full")) {
        const AppendOutcome full = KnownHostsWriter("/dev/full").append(gpu1, key, NameForm::plain);
        CHECK_FALSE(full.is_written);
        CHECK(full.trouble == "No space left on device");
    }
    const TempDir folder;
    CHECK(KnownHostsWriter(folder.path()).append(gpu1, key, NameForm::plain).trouble ==
          "Is a directory");
}

TEST_CASE("half a line is taken back") {
    const TempDir folder;
    const std::string path = folder.write("known_hosts", gpu2_line);
    KnownHostsWriter writer(path);
    rlimit usual{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &usual) == 0);
    const auto usual_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit tight = usual;
    tight.rlim_cur = gpu2_line.size() + 10;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
    const AppendOutcome outcome = writer.append(gpu1, key, NameForm::plain);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &usual) == 0);
    std::signal(SIGXFSZ, usual_handler);

    CHECK_FALSE(outcome.is_written);
    CHECK_FALSE(outcome.trouble.empty());
    CHECK(read_file(path) == gpu2_line);
    CHECK(writer.append(gpu1, key, NameForm::plain).is_written);
    CHECK(read_file(path) == gpu2_line + gpu1_line);
}

TEST_CASE("a file that another program has locked is not written, and the next try does not wait") {
    const TempDir folder;
    const std::string path = folder.write("known_hosts", "");
    const UniqueFd held(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    REQUIRE(::flock(held.get(), LOCK_EX) == 0);
    KnownHostsWriter writer(path, no_patience);
    CHECK(writer.append(gpu1, key, NameForm::plain).trouble == "another program has it locked");
    CHECK(read_file(path).empty());

    KnownHostsWriter patient(path, std::chrono::hours(1));
    AppendOutcome waited;
    std::thread waiting([&] { waited = patient.append(gpu1, key, NameForm::plain); });
    CHECK(::flock(held.get(), LOCK_UN) == 0);
    waiting.join();
    CHECK(waited.is_written);
    REQUIRE(::flock(held.get(), LOCK_EX) == 0);
    CHECK_FALSE(writer.append(gpu2, key, NameForm::plain).is_written);
    REQUIRE(::flock(held.get(), LOCK_UN) == 0);
    CHECK(writer.append(gpu2, key, NameForm::plain).is_written);
    CHECK(read_file(path) == gpu1_line + gpu2_line);
}

TEST_CASE("two hundred keys by four writers at once are two hundred whole lines") {
    const TempDir folder;
    const std::string path = folder.write("known_hosts", "# no end");
    constexpr int writers = 4;
    constexpr int keys = 50;
    std::vector<std::thread> running;
    for (int number = 0; number < writers; ++number) {
        running.emplace_back([&, number] {
            KnownHostsWriter writer(path, std::chrono::seconds(30));
            for (int i = 0; i < keys; ++i) {
                const int which = number * keys + i;
                const HostKeyName host{"node" + std::to_string(which), 22};
                writer.append(host, numbered_key(which), NameForm::plain);
            }
        });
    }
    for (std::thread& one : running) one.join();
    const std::string text = read_file(path);
    CHECK(text.ends_with('\n'));
    CHECK(lines_of(text).size() == 1 + writers * keys);
    const KnownHosts known = known_hosts_of({text});
    for (int i = 0; i < writers * keys; ++i) {
        CAPTURE(i);
        CHECK(known.judge({"node" + std::to_string(i), 22}, numbered_key(i)).trust ==
              Trust::trusted);
    }
}
