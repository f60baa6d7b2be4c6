#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace gpumuster::test {

// A machine on a network of its own: a network namespace, held by a process that is ended with this
// object, and with this process however that ends. Programs in it share files and processes with
// us and see no network but the lab's.
class Machine {
public:
    Machine();

    // The command line that runs `argv` there; the process keeps its number.
    std::vector<std::string> around(std::vector<std::string> argv) const;

    // Runs `ip` there; throws when it fails.
    void ip(const std::vector<std::string>& arguments) const;

    int pid() const { return holder_->pid(); }

private:
    TempDir folder_;
    std::unique_ptr<BackgroundProgram> holder_;
};

// Machines joined by cables, and none forwards: each reaches its neighbours only, so that jump
// hosts are the only way on. Addresses are of 198.18.0.0/15, which is reserved for such labs. Check
// namespaces_missing() first.
class NetworkLab {
public:
    const Machine& add(const std::string& name);
    const Machine& machine(const std::string& name) const { return *machines_.at(name); }

    // Lays a cable between two machines.
    void join(const std::string& one, const std::string& other);

    // Adds machines in a row, each joined to the one before.
    void add_row(const std::vector<std::string>& names);

    // The address of `name` on its cable to `seen_from`.
    std::string address(const std::string& name, const std::string& seen_from) const;

    // Pulls the cable: what is sent from now on arrives nowhere, and nobody is told.
    void cut(const std::string& one, const std::string& other);

    // An address on the far end of the cable that swallows whatever `seen_from` sends to it.
    std::string deaf_address(const std::string& name, const std::string& seen_from);

private:
    struct Port {
        std::string interface;
        std::string address;
    };
    using Ends = std::pair<std::string, std::string>;  // the owner of a port, and who is opposite

    std::map<std::string, std::unique_ptr<Machine>> machines_;
    std::map<Ends, Port> ports_;
    int cables_ = 0;
};

}  // namespace gpumuster::test
