#include "support/network_lab.hpp"

#include <stdexcept>

#include "support/components.hpp"
#include "support/processes.hpp"

namespace gpumuster::test {

Machine::Machine() {
    ProgramOrder order;
    order.argv = ended_with_us(
        {program_path("unshare"), "--net", "/bin/sh", "-c",
         program_path("ip") + " link set lo up && echo ready && exec sleep infinity"});
    holder_ = std::make_unique<BackgroundProgram>(order, folder_.file("out"), folder_.file("err"));
    if (!wait_for_text(folder_.file("out"), "ready", *holder_)) {
        throw std::runtime_error("no network namespace: " + read_file(folder_.file("err")));
    }
}

std::vector<std::string> Machine::around(std::vector<std::string> argv) const {
    argv.insert(argv.begin(), {program_path("nsenter"),
                               "--net=/proc/" + std::to_string(holder_->pid()) + "/ns/net", "--"});
    return argv;
}

void Machine::ip(const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv{program_path("ip")};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    ProgramOrder order;
    order.argv = around(argv);
    const ProgramResult result = run_program(order);
    if (result.status != 0) throw std::runtime_error("ip: " + result.err);
}

const Machine& NetworkLab::add(const std::string& name) {
    return *machines_.emplace(name, std::make_unique<Machine>()).first->second;
}

void NetworkLab::join(const std::string& one, const std::string& other) {
    const std::string interface = "cable" + std::to_string(cables_);
    const std::string network = "198.18." + std::to_string(cables_++) + ".";
    const Machine& near = machine(one);
    const Machine& far = machine(other);
    near.ip({"link", "add", interface, "type", "veth", "peer", "name", interface, "netns",
             std::to_string(far.pid())});
    near.ip({"address", "add", network + "1/24", "dev", interface});
    far.ip({"address", "add", network + "2/24", "dev", interface});
    near.ip({"link", "set", interface, "up"});
    far.ip({"link", "set", interface, "up"});
    ports_[{one, other}] = Port{interface, network + "1"};
    ports_[{other, one}] = Port{interface, network + "2"};
}

void NetworkLab::add_row(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        add(names[i]);
        if (i > 0) join(names[i - 1], names[i]);
    }
}

std::string NetworkLab::address(const std::string& name, const std::string& seen_from) const {
    return ports_.at({name, seen_from}).address;
}

// The far end's answers go to an address of which it knows the owner's card, and the card is wrong:
// a link that is set down would tell both ends.
void NetworkLab::cut(const std::string& one, const std::string& other) {
    const auto lose = [&](const std::string& sender, const std::string& receiver) {
        machine(sender).ip({"neighbour", "replace", address(receiver, sender), "lladdr",
                            "02:00:00:00:00:01", "dev", ports_.at({sender, receiver}).interface,
                            "nud", "permanent"});
    };
    lose(one, other);
    lose(other, one);
}

std::string NetworkLab::deaf_address(const std::string& name, const std::string& seen_from) {
    std::string address = this->address(name, seen_from);
    address.replace(address.rfind('.') + 1, std::string::npos, "99");
    machine(seen_from).ip({"neighbour", "replace", address, "lladdr", "02:00:00:00:00:01", "dev",
                           ports_.at({seen_from, name}).interface, "nud", "permanent"});
    return address;
}

}  // namespace gpumuster::test
