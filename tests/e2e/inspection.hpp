#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/network_lab.hpp"
#include "support/program.hpp"
#include "support/sshd.hpp"
#include "support/temp_dir.hpp"

// Header only, so that only these tests need the JSON library.
namespace gpumuster::test {

using nlohmann::json;

// What one run of gpumuster came to.
struct Inspection {
    int status = -1;
    json report;
    std::string err;

    const json& host(const std::string& name) const {
        for (const json& host : report.at("hosts")) {
            if (host.at("name") == name) return host;
        }
        throw std::runtime_error("no host " + name + " in the report");
    }
    std::size_t count(const std::string& verdict) const {
        return report.at("summary").at("by_verdict").at(verdict).get<std::size_t>();
    }
    std::size_t count_of_kind(const std::string& kind) const {
        std::size_t count = 0;
        for (const json& host : report.at("hosts")) {
            const json& failure = host.at("failure");
            if (!failure.is_null() && failure.at("kind") == kind) ++count;
        }
        return count;
    }
};

inline Inspection read_inspection(const ProgramResult& result) {
    Inspection inspection;
    inspection.status = result.status;
    inspection.err = result.err;
    try {
        inspection.report = json::parse(result.out);
    } catch (const json::exception&) {
        throw std::runtime_error("no report, status " + std::to_string(result.status) + ": " +
                                 result.err);
    }
    return inspection;
}

// A person at a machine: a key, the host keys that they know, an inventory, and no agent.
class Client {
public:
    explicit Client(const Machine* machine = nullptr)
        : machine_(machine), key_(make_client_key(folder_, "key")) {
        environment_["HOME"] = folder_.path();
        environment_["SSH_AUTH_SOCK"] = "";
        environment_["GPUMUSTER_INVENTORY"] = "";
    }

    const TempDir& folder() const { return folder_; }
    const ClientKey& key() const { return key_; }
    std::string known_hosts_file() const { return folder_.file("known_hosts"); }
    void know(const std::string& line) { known_hosts_ += line + "\n"; }
    // Whatever was known before is forgotten.
    void know_only(const std::string& line) { known_hosts_ = line + "\n"; }
    void set(const std::string& variable, const std::string& value) {
        environment_[variable] = value;
    }
    // Everything that is run goes through this command line: that of a PrivateEtc, for example.
    void go_through(std::vector<std::string> words) { through_ = std::move(words); }

    // `settings` as they stand in the braces of an inventory: "address: 127.0.0.1, port: 2022".
    void add_host(const std::string& name, const std::string& settings) {
        hosts_ += "  " + name + ": {" + settings + "}\n";
    }
    void add_port(const std::string& name, int port, const std::string& more = {}) {
        add_host(name, "address: 127.0.0.1, port: " + std::to_string(port) +
                           (more.empty() ? "" : ", " + more));
    }
    void without_identity() { has_identity_ = false; }

    // A program, on this person's machine and with their environment.
    ProgramOrder order(std::vector<std::string> argv) const {
        ProgramOrder order;
        folder_.write("known_hosts", known_hosts_);
        argv.insert(argv.begin(), through_.begin(), through_.end());
        order.argv = machine_ != nullptr ? machine_->around(std::move(argv)) : std::move(argv);
        order.environment = environment_;
        return order;
    }

    // gpumuster on the inventory, with no ssh_config.
    ProgramOrder inventory_order(const std::vector<std::string>& arguments) const {
        std::string text = "defaults:\n  user: " + current_user() +
                           "\n  known_hosts: " + known_hosts_file() + "\n";
        if (has_identity_) text += "  identity: " + key_.path + "\n";
        const std::string inventory = folder_.write("fleet.yaml", text + "hosts:\n" + hosts_);
        std::vector<std::string> argv{gpumuster_program(), "-i",  inventory, "-o", "json",
                                      "--ssh-config",      "none"};
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        return order(std::move(argv));
    }
    Inspection inspect(const std::vector<std::string>& arguments = {}) const {
        return read_inspection(run_program(inventory_order(arguments)));
    }

    // gpumuster with an ssh_config in place of an inventory; `arguments` name the hosts.
    Inspection inspect_by_config(const std::string& config,
                                 const std::vector<std::string>& arguments) const {
        std::vector<std::string> argv{gpumuster_program(), "-o", "json", "--ssh-config",
                                      folder_.write("config", config)};
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        return read_inspection(run_program(order(std::move(argv))));
    }
    // What ssh says of the same; 0: it connects.
    ProgramResult ssh_by_config(const std::string& config, const std::string& host) const {
        return run_program(order({"ssh", "-F", folder_.write("config", config), "-o",
                                  "BatchMode=yes", "-o", "ConnectTimeout=5", host, "true"}));
    }

private:
    TempDir folder_;
    const Machine* machine_;
    ClientKey key_;
    std::string known_hosts_;
    std::string hosts_;
    bool has_identity_ = true;
    std::vector<std::string> through_;
    std::map<std::string, std::string> environment_;
};

// An sshd with eight idle GPUs that lets the client in.
inline SshdOptions open_to(const Client& client) {
    SshdOptions options;
    options.authorized_key = client.key().public_line;
    options.smi = FakeSmi::with_memory(std::vector<int>(8, 2));
    return options;
}

// The inventory's way through an sshd on loopback: "jump: root@127.0.0.1:2022".
inline std::string jump_through(int port) {
    return "jump: \"" + current_user() + "@127.0.0.1:" + std::to_string(port) + "\"";
}

struct ExpectedFailure {
    std::string kind;
    std::string stage;
    int hop_index = 0;
    std::string hop_name;
    std::string next_step;  // a part of it
    std::string message;    // a part of it
};

inline void check_failure(const json& host, const ExpectedFailure& expected) {
    INFO(host.dump());
    CHECK(host.at("verdict") == "unreachable");
    const json& failure = host.at("failure");
    REQUIRE_FALSE(failure.is_null());
    CHECK(failure.at("kind") == expected.kind);
    CHECK(failure.at("stage") == expected.stage);
    CHECK(failure.at("hop").at("index") == expected.hop_index);
    CHECK(failure.at("hop").at("name") == expected.hop_name);
    CHECK_THAT(failure.at("next_step").get<std::string>(), ContainsSubstring(expected.next_step));
    CHECK_FALSE(failure.at("next_step").get<std::string>().empty());
    CHECK_FALSE(failure.at("message").get<std::string>().empty());
    CHECK_THAT(failure.at("message").get<std::string>(), ContainsSubstring(expected.message));
}

inline void check_clean(const json& host) {
    INFO(host.dump());
    CHECK(host.at("verdict") == "clean");
    CHECK(host.at("failure").is_null());
}

inline std::vector<std::string> hop_names(const json& host) {
    return host.at("route").at("hops").get<std::vector<std::string>>();
}

inline bool sshd_missing() {
    return component_missing("sshd") || component_missing("ssh-keygen");
}

}  // namespace gpumuster::test
