#include "apps/gpumuster/config_source.hpp"

#include "fixtures.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using gpumuster::test::environment_of;
using gpumuster::test::refusal;

namespace {

const Account anna{"anna", "/home/anna", 1007};

CommandLine with_config(const std::string& file) {
    CommandLine line;
    line.ssh_config = file;
    return line;
}

}  // namespace

TEST_CASE("what ssh asks this machine is what it would see itself") {
    const ConfigSource source = config_source(
        {}, anna, environment_of({{"HOME", "/elsewhere"}, {"PATH", "/usr/bin"}}, {"/usr/bin/ssh"}));
    CHECK(source.is_read);
    CHECK_FALSE(source.file);
    CHECK(source.ssh_program == "/usr/bin/ssh");
    CHECK(source.home == "/home/anna");
    CHECK(source.local_user == "anna");
    CHECK(source.machine_name == machine_name());
    CHECK_FALSE(source.has_kerberos_ticket);
}

TEST_CASE("the ssh is the first one on PATH, in folders that do not depend on where we are") {
    const std::set<std::string> programs{"/a/ssh", "/b/ssh", "./ssh", "/ssh", "bin/ssh"};
    const auto found = [&](const std::string& path) {
        return config_source({}, anna, environment_of({{"PATH", path}}, programs)).ssh_program;
    };
    CHECK(found("/x:/b:/a") == "/b/ssh");
    CHECK(found(".::bin:/a") == "/a/ssh");
    CHECK(found(".:bin:") == "");
    CHECK(found("/x") == "");
    CHECK(config_source({}, anna, environment_of({}, {"/bin/ssh"})).ssh_program == "/bin/ssh");
}

TEST_CASE("a ticket of Kerberos is named by the environment or lies in its usual place") {
    CHECK(
        config_source({}, anna, environment_of({{"KRB5CCNAME", "KEYRING:x"}})).has_kerberos_ticket);
    CHECK(config_source({}, anna, environment_of({}, {"/tmp/krb5cc_1007"})).has_kerberos_ticket);
    CHECK_FALSE(
        config_source({}, anna, environment_of({}, {"/tmp/krb5cc_1008"})).has_kerberos_ticket);
}

TEST_CASE("no ssh_config is read where none was said") {
    CommandLine line;
    line.reads_ssh_config = false;
    CHECK_FALSE(config_source(line, anna, environment_of()).is_read);
}

TEST_CASE("the file of --ssh-config is taken with the home of the user for ~/") {
    const auto environment = environment_of(
        {{"HOME", "/elsewhere"}}, {"/usr/bin/ssh", "/elsewhere/other", "lab/config", "/etc/other"});
    CHECK(config_source(with_config("~/other"), anna, environment).file == "/elsewhere/other");
    CHECK(config_source(with_config("lab/config"), anna, environment).file == "lab/config");
    CHECK(config_source(with_config("/etc/other"), anna, environment).file == "/etc/other");
}

TEST_CASE("a file of --ssh-config that cannot be read is refused") {
    const auto environment = environment_of({}, {"/usr/bin/ssh"});
    CHECK(refusal([&] { config_source(with_config("None"), anna, environment); }) ==
          "--ssh-config \"None\": cannot be read: No such file or directory");
    CHECK(refusal([&] {
              config_source(with_config("/etc/other"), anna, environment_of({}, {"/etc/other"}));
          }) ==
          "--ssh-config \"/etc/other\": no ssh on PATH that could read it; install the OpenSSH "
          "client, or give none");
}

TEST_CASE("without an ssh the user's own ssh_config is not insisted on") {
    CHECK_NOTHROW(config_source({}, anna, environment_of({{"PATH", "/nowhere"}})));
}
