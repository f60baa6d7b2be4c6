#include "gpumuster/transport/ssh/host_key_memory.hpp"

#include <atomic>
#include <thread>

#include "support/catch.hpp"
#include "transport/ssh/host_key_samples.hpp"
#include "transport/trust/sample_keys.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

const HostKeyName gpu1{"gpu1", 22};
const HostKeyName gpu1_2222{"gpu1", 2222};
const KeyBlob key = ed25519_key.blob();
const KeyBlob other_key = other_ed25519_key.blob();

}  // namespace

TEST_CASE("a new key is kept: the same one is trusted afterwards, another is a changed one") {
    HostKeyMemory memory(known_hosts_of({"gpu2 " + other_ed25519_key.text}));
    CHECK(is_of_new_host(memory.judge(gpu1, key)));
    CHECK(is_of_new_host(memory.accept(gpu1, key)));

    const TrustJudgement again = memory.judge(gpu1, key);
    CHECK(again.trust == Trust::trusted);
    CHECK(again.is_by_this_run);
    CHECK(again.file.empty());
    CHECK(memory.judge({"GPU1", 22}, key).trust == Trust::trusted);

    const TrustJudgement changed = memory.judge(gpu1, other_key);
    CHECK(changed.trust == Trust::changed);
    CHECK(changed.is_by_this_run);
    CHECK(memory.accept(gpu1, other_key).trust == Trust::changed);
    CHECK(memory.judge(gpu1, key).trust == Trust::trusted);
}

TEST_CASE("a key of another type than the accepted one is not taken as well") {
    HostKeyMemory memory(known_hosts_of({""}));
    memory.accept(gpu1, key);
    const TrustJudgement judgement = memory.accept(gpu1, ecdsa_key.blob());
    CHECK(judgement.trust == Trust::unknown);
    CHECK(judgement.known_types == std::vector<std::string>{"ssh-ed25519"});
    CHECK(memory.judge(gpu1, ecdsa_key.blob()).trust == Trust::unknown);
}

TEST_CASE("nothing is kept of a key that known_hosts speaks against or knows") {
    HostKeyMemory memory(
        known_hosts_of({"gpu1 " + other_ed25519_key.text + "\ngpu3 " + ecdsa_key.text +
                        "\n@revoked gpu4 " + ed25519_key.text + "\n@cert-authority gpu5 " +
                        rsa_key.text + "\ngpu6 " + ed25519_key.text + "\n"}));
    CHECK(memory.accept(gpu1, key).trust == Trust::changed);
    CHECK(memory.accept({"gpu3", 22}, key).trust == Trust::unknown);
    CHECK(memory.accept({"gpu4", 22}, key).trust == Trust::revoked);
    CHECK(memory.accept({"gpu5", 22}, key).trust == Trust::certificate_authority);
    CHECK(memory.accept({"gpu6", 22}, key).trust == Trust::trusted);

    CHECK(memory.judge(gpu1, key).trust == Trust::changed);
    CHECK(memory.judge({"gpu3", 22}, key).trust == Trust::unknown);
    CHECK(memory.judge({"gpu5", 22}, key).trust == Trust::certificate_authority);
    CHECK_FALSE(memory.judge({"gpu6", 22}, key).is_by_this_run);
}

TEST_CASE("a key that was accepted for the bare name is trusted on other ports, as in a file") {
    HostKeyMemory memory(known_hosts_of({""}));
    memory.accept(gpu1, key);
    CHECK(memory.judge(gpu1_2222, key).trust == Trust::trusted);
    CHECK(is_of_new_host(memory.judge(gpu1_2222, other_key)));
    memory.accept(gpu1_2222, other_key);
    CHECK(memory.judge(gpu1_2222, key).trust == Trust::changed);
    CHECK(memory.judge(gpu1, key).trust == Trust::trusted);
}

TEST_CASE("the type of an accepted key is asked for first") {
    HostKeyMemory memory(known_hosts_of({""}));
    CHECK(memory.key_types(gpu1).empty());
    memory.accept(gpu1, ecdsa_key.blob());
    CHECK(memory.key_types(gpu1) == std::vector<std::string>{"ecdsa-sha2-nistp256"});
    CHECK(memory.key_types(gpu1_2222).empty());
}

TEST_CASE("of many keys for one host that come at once exactly one is taken") {
    HostKeyMemory memory(known_hosts_of({""}));
    constexpr int threads = 8;
    constexpr int hosts = 200;
    std::vector<std::atomic<int>> taken(hosts);
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread) {
        running.emplace_back([&, thread] {
            for (int host = 0; host < hosts; ++host) {
                const HostKeyName name{"node" + std::to_string(host), 22};
                if (is_of_new_host(memory.accept(name, numbered_key(thread)))) {
                    ++taken[static_cast<std::size_t>(host)];
                }
            }
        });
    }
    for (std::thread& one : running) one.join();
    for (const auto& count : taken) CHECK(count == 1);
}
