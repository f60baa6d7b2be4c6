#include "gpumuster/transport/effective_settings.hpp"

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

using Names = std::vector<std::string>;

LoginDefaults defaults() {
    LoginDefaults login;
    login.user = "anna";
    login.identity_files = {"/home/anna/.ssh/id_ed25519", "/home/anna/.ssh/id_rsa"};
    login.known_hosts_files = {"/home/anna/.ssh/known_hosts", "/etc/ssh/ssh_known_hosts"};
    return login;
}

Host host_named(const std::string& name) {
    Host host;
    host.name = name;
    return host;
}

}  // namespace

TEST_CASE("a host that nothing is said about is reached by its name and the defaults") {
    const EffectiveSettings settings = effective_settings(host_named("gpu1"), defaults());
    CHECK(settings.target.address == "gpu1");
    CHECK(settings.target.port == 22);
    CHECK(settings.target.user == "anna");
    CHECK(settings.target.identity_files == defaults().identity_files);
    CHECK_FALSE(settings.target.identities_are_explicit);
    CHECK(settings.target.known_hosts_files == defaults().known_hosts_files);
}

TEST_CASE("what the inventory says stands in the place of the defaults") {
    Host host = host_named("gpu1");
    host.settings.address = "203.0.113.7";
    host.settings.port = std::uint16_t{10978};
    host.settings.user = "root";
    host.settings.identities = {"/keys/one"};
    host.settings.known_hosts = {"/keys/known_hosts"};
    const EffectiveSettings settings = effective_settings(host, defaults());
    CHECK(settings.target.address == "203.0.113.7");
    CHECK(settings.target.port == 10978);
    CHECK(settings.target.user == "root");
    CHECK(settings.target.identity_files == Names{"/keys/one"});
    CHECK(settings.target.identities_are_explicit);
    CHECK(settings.target.known_hosts_files == Names{"/keys/known_hosts"});
}

TEST_CASE("a target is named as in the inventory, with the arguments of ssh that lead there") {
    Host host = host_named("gpu1");
    EffectiveSettings settings = effective_settings(host, defaults());
    HopRef hop = target_hop(settings);
    CHECK(hop.index == 0);
    CHECK(hop.name == "gpu1");
    CHECK(hop.address == "gpu1");
    CHECK(hop.ssh_arguments == "anna@gpu1");

    host.settings.address = "203.0.113.7";
    host.settings.port = std::uint16_t{10978};
    settings = effective_settings(host, defaults());
    hop = target_hop(settings);
    CHECK(hop.name == "gpu1");
    CHECK(hop.address == "203.0.113.7");
    CHECK(hop.ssh_arguments == "-p 10978 anna@203.0.113.7");
}

TEST_CASE("known_hosts calls a host by its address, in brackets with any port but 22") {
    CHECK(known_hosts_name("gpu1", 22) == "gpu1");
    CHECK(known_hosts_name("gpu1", 2222) == "[gpu1]:2222");
    CHECK(known_hosts_name("gpu1", 222) == "[gpu1]:222");
    CHECK(known_hosts_name("2001:db8::7", 22) == "2001:db8::7");
    CHECK(known_hosts_name("2001:db8::7", 2222) == "[2001:db8::7]:2222");
}

TEST_CASE("a way that the system's ssh is to go says why") {
    EffectiveSettings settings = effective_settings(host_named("gpu1"), defaults());
    CHECK(settings.transport == TransportKind::libssh);
    CHECK(settings.transport_reason.empty());
    use_openssh(settings, "ProxyCommand in ssh_config");
    CHECK(settings.transport == TransportKind::openssh);
    CHECK(settings.transport_reason == "ProxyCommand in ssh_config");
}
