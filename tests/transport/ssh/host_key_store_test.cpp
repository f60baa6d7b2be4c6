#include "gpumuster/transport/ssh/host_key_store.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <atomic>
#include <fstream>
#include <future>
#include <thread>

#include <asio/post.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/run_on_loop.hpp"
#include "support/temp_dir.hpp"
#include "transport/ssh/host_key_samples.hpp"
#include "transport/trust/sample_keys.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

const HostKeyName gpu1{"gpu1", 22};

NewHostKey new_key(const std::string& file, const SampleKey& key = ed25519_key) {
    NewHostKey fresh;
    fresh.host = gpu1;
    fresh.key = key.blob();
    fresh.file = file;
    return fresh;
}

HostKeyStore store_over(const std::string& text, std::shared_ptr<KnownHostsThread> thread =
                                                     std::make_shared<KnownHostsThread>()) {
    return HostKeyStore(known_hosts_of({text}), std::move(thread));
}

std::optional<Acceptance> accept(HostKeyStore& store, const NewHostKey& key) {
    asio::io_context context;
    return run_on(context, store.accept(key, {}));
}

}  // namespace

TEST_CASE("an accepted key is written, and known from then on") {
    const TempDir folder;
    HostKeyStore store = store_over("");
    const auto acceptance = accept(store, new_key(folder.file("known_hosts")));
    REQUIRE(acceptance);
    CHECK(acceptance->judgement.trust == Trust::trusted);
    CHECK(acceptance->is_first);
    CHECK(acceptance->is_written);
    CHECK(store.judge(gpu1, ed25519_key.blob()).trust == Trust::trusted);
    CHECK(store.key_types(gpu1) == std::vector<std::string>{"ssh-ed25519"});
    CHECK(read_file(folder.file("known_hosts")) == "gpu1 " + ed25519_key.text + "\n");
}

TEST_CASE("who comes second with the same key is not first, with another key it is changed") {
    const TempDir folder;
    const bool has_file = GENERATE(true, false);
    const std::string file = has_file ? folder.file("known_hosts") : std::string();
    HostKeyStore store = store_over("");
    accept(store, new_key(file));
    const auto same = accept(store, new_key(file));
    CHECK(same->judgement.trust == Trust::trusted);
    CHECK_FALSE(same->is_first);
    CHECK_FALSE(same->is_written);
    const auto other = accept(store, new_key(file, other_ed25519_key));
    CHECK(other->judgement.trust == Trust::changed);
    CHECK(other->judgement.is_by_this_run);
    CHECK(store.judge(gpu1, other_ed25519_key.blob()).trust == Trust::changed);
}

TEST_CASE("without a file a key is kept in memory only") {
    HostKeyStore store = store_over("");
    const auto acceptance = accept(store, new_key(""));
    CHECK(acceptance->is_first);
    CHECK_FALSE(acceptance->is_written);
    CHECK(acceptance->trouble.empty());
    CHECK(store.judge(gpu1, ed25519_key.blob()).is_by_this_run);
}

TEST_CASE("what another program wrote since the files were read decides") {
    const TempDir folder;
    const std::string file = folder.write("known_hosts", "gpu1 " + ed25519_key.text + "\n");
    HostKeyStore same_store = store_over("");
    const auto same = accept(same_store, new_key(file));
    CHECK(same->judgement.trust == Trust::trusted);
    CHECK(same->judgement.is_by_this_run);
    CHECK_FALSE(same->is_first);
    CHECK(same_store.judge(gpu1, ed25519_key.blob()).trust == Trust::trusted);

    HostKeyStore other_store = store_over("");
    const auto other = accept(other_store, new_key(file, other_ed25519_key));
    CHECK(other->judgement.trust == Trust::changed);
    CHECK(other->judgement.file == file);
    CHECK(other->judgement.line == 1);
    CHECK(is_of_new_host(other_store.judge(gpu1, other_ed25519_key.blob())));
    CHECK(lines_of(read_file(file)).size() == 1);
}

TEST_CASE("lists of files that share one are written by one writer") {
    const TempDir folder;
    const std::string file = folder.file("known_hosts");
    const auto thread = std::make_shared<KnownHostsThread>();
    HostKeyStore one = store_over("", thread);
    HostKeyStore another = store_over("", thread);
    CHECK(accept(one, new_key(file))->is_written);
    CHECK(accept(another, new_key(file, other_ed25519_key))->judgement.trust == Trust::changed);
    CHECK(accept(another, new_key(file))->judgement.trust == Trust::trusted);
    CHECK(lines_of(read_file(file)).size() == 1);
}

TEST_CASE("a key that cannot be written is accepted all the same, with the reason") {
    const TempDir folder;
    const std::string file = folder.write("known_hosts", "");
    const UniqueFd held(::open(file.c_str(), O_RDWR | O_CLOEXEC));
    REQUIRE(::flock(held.get(), LOCK_EX) == 0);
    HostKeyStore store = store_over("");
    const auto locked = accept(store, new_key(file));
    CHECK(locked->judgement.trust == Trust::trusted);
    CHECK(locked->is_first);
    CHECK_FALSE(locked->is_written);
    CHECK(locked->trouble == "another program has it locked");
    CHECK(store.judge(gpu1, ed25519_key.blob()).trust == Trust::trusted);
}

TEST_CASE("a file that does not answer holds no host up for long") {
    const TempDir folder;
    const std::string file = folder.file("known_hosts");
    std::promise<void> answer;
    const std::shared_future<void> answered = answer.get_future().share();
    const auto thread = std::make_shared<KnownHostsThread>();
    HostKeyStore store = store_over("", thread);
    thread->submit(file, [answered](KnownHostsWriter&) { answered.wait(); });
    {
        asio::io_context context;
        std::stop_source stop;
        asio::post(context, [&] { stop.request_stop(); });
        const auto cancelled = run_on(context, store.accept(new_key(file), stop.get_token()));
        CHECK_FALSE(cancelled);
    }
    const auto acceptance = accept(store, new_key(file));
    REQUIRE(acceptance);
    CHECK(acceptance->judgement.trust == Trust::trusted);
    CHECK(acceptance->is_first);
    CHECK(acceptance->trouble == "it does not answer");
    answer.set_value();

    // What was asked before is done by now, and found the key accepted: nobody was told of a line.
    std::promise<void> done;
    thread->submit(file, [&done](KnownHostsWriter&) { done.set_value(); });
    done.get_future().wait();
    CHECK(store.judge(gpu1, ed25519_key.blob()).trust == Trust::trusted);
}

TEST_CASE("many loops accept at once: one line for each host, one first for each") {
    const TempDir folder;
    const std::string file = folder.file("known_hosts");
    HostKeyStore store = store_over("");
    constexpr int loops = 4;
    constexpr int hosts = 50;
    std::atomic<int> firsts = 0;
    std::atomic<int> refused = 0;
    std::vector<std::thread> running;
    for (int loop = 0; loop < loops; ++loop) {
        running.emplace_back([&, loop] {
            asio::io_context context;
            for (int i = 0; i < hosts; ++i) {
                NewHostKey fresh;
                fresh.host = {"node" + std::to_string(i), 22};
                fresh.key = numbered_key(loop % 2 * hosts + i);
                fresh.file = file;
                const auto acceptance = run_on(context, store.accept(fresh, {}));
                if (acceptance->is_first) ++firsts;
                if (acceptance->judgement.trust == Trust::changed) ++refused;
            }
        });
    }
    for (std::thread& one : running) one.join();
    CHECK(firsts == hosts);
    CHECK(refused == loops / 2 * hosts);
    CHECK(lines_of(read_file(file)).size() == hosts);
}
