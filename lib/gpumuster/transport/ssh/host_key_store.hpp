#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include "gpumuster/transport/loop/offload.hpp"
#include "gpumuster/transport/ssh/host_key_memory.hpp"
#include "gpumuster/transport/ssh/known_hosts_writer.hpp"

namespace gpumuster {

// The one thread of a run that writes known_hosts files: the lock of another program or a home in
// the network would stop a loop. Safe from every thread.
class KnownHostsThread {
public:
    // The job must not throw, and owns what it needs: it may outlive this object.
    void submit(const std::string& file, std::function<void(KnownHostsWriter&)> job);

private:
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<KnownHostsWriter>> writers_;
    Offload thread_{1};
};

// A key that its host was not known by.
struct NewHostKey {
    HostKeyName host;
    KeyBlob key;
    std::string file;  // where to write it; empty: nowhere
    NameForm form = NameForm::plain;
};

// What became of one.
struct Acceptance {
    TrustJudgement judgement;  // trusted, or what speaks against it after all
    bool is_first = false;     // it was this very request that made it known
    bool is_written = false;
    std::string trouble;  // why it is not written; empty also where there is no file
};

// The host keys of one list of known_hosts files. Safe from every loop.
class HostKeyStore {
public:
    HostKeyStore(KnownHosts known, std::shared_ptr<KnownHostsThread> thread);

    TrustJudgement judge(const HostKeyName& host, const KeyBlob& key) const;
    std::vector<std::string> key_types(const HostKeyName& host) const;

    // Makes the key known for the rest of the run, and writes it to its file unless that says
    // anything of the host by now. Takes two seconds at most; a key that cannot be written is
    // accepted all the same. Empty: cancelled, from this loop's thread.
    asio::awaitable<std::optional<Acceptance>> accept(NewHostKey key, std::stop_token cancel);

private:
    std::shared_ptr<HostKeyMemory> memory_;
    std::shared_ptr<KnownHostsThread> thread_;
};

}  // namespace gpumuster
