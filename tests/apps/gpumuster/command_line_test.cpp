#include "apps/gpumuster/command_line.hpp"

#include <algorithm>

#include "fixtures.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;
using gpumuster::test::environment_of;
using gpumuster::test::refusal;

namespace {

using Words = std::vector<std::string>;
using Action = CommandLine::Action;

CommandLine parse(const Words& words, const Environment& environment = environment_of()) {
    return parse_command_line(words, environment);
}

std::string refused(const Words& words, const Environment& environment = environment_of()) {
    return refusal([&] { parse(words, environment); });
}

const Environment configured = environment_of({{"GPUMUSTER_INVENTORY", "/srv/fleet.yaml"}});

}  // namespace

TEST_CASE("words that are no options are targets, in their order") {
    const CommandLine line = parse({"gpu2", "root@203.0.113.7:10978", "node[001-128]", "a,b"});
    CHECK(line.action == Action::inspect);
    CHECK(line.subcommand == Subcommand::check);
    CHECK(line.targets == Words{"gpu2", "root@203.0.113.7:10978", "node[001-128]", "a,b"});
    CHECK(line.inventories.empty());
    CHECK_FALSE(line.is_local);
}

TEST_CASE("brackets of a target stay as they were typed") {
    CHECK(parse({"[2001:db8::1]"}).targets == Words{"[2001:db8::1]"});
    CHECK(parse({"[a,b]"}).targets == Words{"[a,b]"});
    CHECK(parse({"gpu1", "-x", "[2001:db8::1]"}).excluded == Words{"[2001:db8::1]"});
    CHECK(parse({"gpu1", "--identity", "[a,b]"}).flags.identities == Words{"[a,b]"});
}

TEST_CASE("what nobody said has the built-in value or none") {
    const CommandLine line = parse({"gpu1"});
    CHECK(line.probe == ProbeLevel::full);
    CHECK(line.output == OutputFormat::table);
    CHECK(line.width == TableWidth::compact);
    CHECK(line.colour == ColourWish::automatic);
    CHECK(line.parallel == 0);
    CHECK_FALSE(line.timeout);
    CHECK_FALSE(line.is_verbose);
    CHECK_FALSE(line.flags.user);
    CHECK_FALSE(line.flags.port);
    CHECK_FALSE(line.flags.connect_timeout);
    CHECK_FALSE(line.flags.command_timeout);
    CHECK_FALSE(line.flags.idle_memory_mib);
    CHECK_FALSE(line.flags.expect.gpus);
    CHECK(line.flags.identities.empty());
    CHECK(line.flags.known_hosts.empty());
}

TEST_CASE("every option has its place, before and after the targets") {
    const CommandLine line = parse({"-l",
                                    "root",
                                    "gpu1",
                                    "-p",
                                    "2222",
                                    "--identity",
                                    "k1",
                                    "--identity",
                                    "k2",
                                    "--known-hosts",
                                    "h1",
                                    "--known-hosts=h2",
                                    "--ssh-config",
                                    "none",
                                    "--connect-timeout",
                                    "3s",
                                    "--command-timeout",
                                    "1m30s",
                                    "--timeout",
                                    "5m",
                                    "--parallel",
                                    "64",
                                    "--idle-memory",
                                    "1GiB",
                                    "--expect-gpus",
                                    "8",
                                    "--probe",
                                    "minimal",
                                    "-o",
                                    "json",
                                    "--wide",
                                    "--color",
                                    "never",
                                    "-v",
                                    "-x",
                                    "gpu3",
                                    "--exclude",
                                    "gpu4",
                                    "gpu2"});
    CHECK(line.targets == Words{"gpu1", "gpu2"});
    CHECK(line.excluded == Words{"gpu3", "gpu4"});
    CHECK(line.flags.user == "root");
    CHECK(line.flags.port == 2222);
    CHECK(line.flags.identities == Words{"k1", "k2"});
    CHECK(line.flags.known_hosts == Words{"h1", "h2"});
    CHECK(line.flags.connect_timeout == 3s);
    CHECK(line.flags.command_timeout == 90s);
    CHECK(line.timeout == 5min);
    CHECK(line.parallel == 64);
    CHECK(line.flags.idle_memory_mib == 1'024);
    CHECK(line.flags.expect.gpus == 8);
    CHECK(line.probe == ProbeLevel::minimal);
    CHECK(line.output == OutputFormat::json);
    CHECK(line.width == TableWidth::wide);
    CHECK(line.colour == ColourWish::never);
    CHECK(line.is_verbose);
}

TEST_CASE("values can be glued to their option") {
    const CommandLine line = parse({"-lroot", "-p2222", "--output=json", "-vxgpu3", "gpu1"});
    CHECK(line.flags.user == "root");
    CHECK(line.flags.port == 2222);
    CHECK(line.output == OutputFormat::json);
    CHECK(line.is_verbose);
    CHECK(line.excluded == Words{"gpu3"});
    CHECK(line.targets == Words{"gpu1"});
}

TEST_CASE("a repeatable option takes one value each time") {
    const CommandLine line = parse({"-i", "a.yaml", "gpu1", "-i", "b.yaml", "-i", "-"});
    CHECK(line.inventories == Words{"a.yaml", "b.yaml", "-"});
    CHECK(line.targets == Words{"gpu1"});
}

TEST_CASE("of an option that holds one value the last one counts") {
    CHECK(parse({"gpu1", "-p", "1", "-p", "2"}).flags.port == 2);
    CHECK(parse({"gpu1", "-o", "json", "--output", "table"}).output == OutputFormat::table);
}

TEST_CASE("the first word is the subcommand if it is the name of one") {
    CHECK(parse({"check", "gpu1"}).subcommand == Subcommand::check);
    CHECK(parse({"check", "gpu1"}).targets == Words{"gpu1"});
    CHECK(parse({"hosts", "gpu1"}).subcommand == Subcommand::hosts);
    CHECK(parse({"hosts", "gpu1"}).targets == Words{"gpu1"});
    CHECK(parse({"-i", "fleet.yaml", "hosts", "training"}).subcommand == Subcommand::hosts);
    CHECK(parse({"-i", "fleet.yaml", "hosts", "training"}).targets == Words{"training"});
}

TEST_CASE("a host named like a subcommand is written after check or after --") {
    const auto words = GENERATE(Words{"check", "hosts"}, Words{"--", "hosts"});
    const CommandLine line = parse(words);
    CHECK(line.subcommand == Subcommand::check);
    CHECK(line.targets == Words{"hosts"});
    CHECK(parse({"gpu1", "hosts"}).subcommand == Subcommand::check);
    CHECK(parse({"gpu1", "hosts"}).targets == Words{"gpu1", "hosts"});
    CHECK(parse({"check", "check"}).targets == Words{"check"});
    CHECK(parse({"hosts", "hosts"}).targets == Words{"hosts"});
}

TEST_CASE("a word that only looks like a subcommand is a host") {
    const auto word = GENERATE("host", "Hosts", "checks", "help", "version");
    const CommandLine line = parse({word});
    CHECK(line.subcommand == Subcommand::check);
    CHECK(line.targets == Words{word});
}

TEST_CASE("after -- everything is a target") {
    const CommandLine line = parse({"-v", "gpu1", "--", "-p", "--wide", "--", "check"});
    CHECK(line.is_verbose);
    CHECK(line.width == TableWidth::compact);
    CHECK(line.targets == Words{"gpu1", "-p", "--wide", "--", "check"});
}

TEST_CASE("help and version need no target and win over one") {
    CHECK(parse({"--help"}).action == Action::help);
    CHECK(parse({"-h"}).action == Action::help);
    CHECK(parse({"check", "--help"}).action == Action::help);
    CHECK(parse({"hosts", "-h", "gpu1"}).action == Action::help);
    CHECK(parse({"--version"}).action == Action::version);
    CHECK(parse({"gpu1", "--version"}).action == Action::version);
    CHECK(parse({"--", "--version"}).action == Action::inspect);
}

TEST_CASE("the default inventory is used when no target and no inventory is named") {
    CHECK(parse({}, configured).inventories == Words{"/srv/fleet.yaml"});
    CHECK(parse({"hosts", "-o", "json"}, configured).inventories == Words{"/srv/fleet.yaml"});
    CHECK(parse({"-x", "gpu3"}, configured).inventories == Words{"/srv/fleet.yaml"});
    CHECK(parse({"--"}, configured).inventories == Words{"/srv/fleet.yaml"});
}

TEST_CASE("the default inventory stays out of the way of everything else") {
    CHECK(parse({"gpu1"}, configured).inventories.empty());
    CHECK(parse({"--local"}, configured).inventories.empty());
    CHECK(parse({"-i", "lab.yaml"}, configured).inventories == Words{"lab.yaml"});
    CHECK(parse({"-i", "lab.yaml", "gpu1"}, configured).inventories == Words{"lab.yaml"});
}

TEST_CASE("gpumuster alone with nothing configured asks for the first steps") {
    CHECK(parse({}).action == Action::first_steps);
}

TEST_CASE("options without anything to inspect are wrong use") {
    const std::string line =
        "nothing to inspect: name a host, an inventory (-i FILE) or --local; "
        "see gpumuster --help";
    CHECK(refused({"-o", "json"}) == line);
    CHECK(refused({"check"}) == line);
    CHECK(refused({"hosts"}) == line);
    CHECK(refused({"-x", "gpu1"}) == line);
    CHECK(refused({"--"}) == line);
}

TEST_CASE("an unknown option is refused with the nearest one") {
    CHECK(refused({"gpu1", "--prot", "22"}) ==
          "unknown option \"--prot\"; did you mean \"--port\"?");
    CHECK(refused({"gpu1", "--prot=22"}) == "unknown option \"--prot\"; did you mean \"--port\"?");
    CHECK(refused({"--colour", "never", "gpu1"}) ==
          "unknown option \"--colour\"; did you mean \"--color\"?");
    CHECK(refused({"--frobnicate"}) == "unknown option \"--frobnicate\"; see gpumuster --help");
    CHECK(refused({"-q", "gpu1"}) == "unknown option \"-q\"; see gpumuster --help");
    CHECK(refused({"-5", "gpu1"}) == "unknown option \"-5\"; see gpumuster --help");
    CHECK(refused({"--Wide", "gpu1"}) == "unknown option \"--Wide\"; did you mean \"--wide\"?");
    CHECK(refused({"hosts", "--invetory", "x"}) ==
          "unknown option \"--invetory\"; did you mean \"--inventory\"?");
}

TEST_CASE("a long option with one dash is not taken for a short one with a value") {
    CHECK(refused({"gpu1", "-port", "22"}) == "unknown option \"-port\"; did you mean \"--port\"?");
    CHECK(refused({"-local"}) == "unknown option \"-local\"; did you mean \"--local\"?");
    CHECK(refused({"gpu1", "-output=json"}) ==
          "unknown option \"-output\"; did you mean \"--output\"?");
    CHECK(parse({"gpu1", "-locals"}).flags.user == "ocals");
}

TEST_CASE("an option without its value is refused") {
    CHECK(refused({"gpu1", "--port"}) == "option \"--port\" needs a value");
    CHECK(refused({"gpu1", "-i"}) == "option \"-i\" needs a value");
    CHECK(refused({"gpu1", "-p", "--", "22"}) == "option \"-p\" needs a value");
    CHECK(refused({"gpu1", "-l", "-p", "22"}) ==
          "option \"--user\" needs a value, and \"-p\" is an option");
    CHECK(refused({"-i", "--wide"}) ==
          "option \"--inventory\" needs a value, and \"--wide\" is an option");
    CHECK(parse({"gpu1", "-l", "port"}).flags.user == "port");
}

TEST_CASE("a flag takes no value") {
    CHECK(refused({"gpu1", "--wide=3"}) == "option \"--wide\" takes no value");
    CHECK(refused({"gpu1", "--verbose=false"}) == "option \"--verbose\" takes no value");
}

TEST_CASE("a wrong value is refused with what is accepted") {
    CHECK(refused({"gpu1", "-p", "99999"}) ==
          "--port \"99999\": accepted is a number from 1 to 65535");
    CHECK(refused({"gpu1", "-p", "-1"}) == "--port \"-1\": accepted is a number from 1 to 65535");
    CHECK(refused({"gpu1", "--command-timeout", "10"}) ==
          "--command-timeout \"10\": accepted is a duration such as 500ms, 10s, 2m or 1h; "
          "did you mean \"10s\"?");
    CHECK(refused({"gpu1", "--connect-timeout", "0s"}) ==
          "--connect-timeout \"0s\": accepted is a duration such as 500ms, 10s, 2m or 1h");
    CHECK(refused({"gpu1", "--output", "yaml"}) ==
          "--output \"yaml\": accepted is one of table, json");
    CHECK(refused({"gpu1", "--idle-memory", "100"}) ==
          "--idle-memory \"100\": accepted is a size such as 100MiB or 2GiB; "
          "did you mean \"100MiB\"?");
    CHECK(refused({"gpu1", "--parallel", "0"}) ==
          "--parallel \"0\": accepted is a number from 1 to 10000");
    CHECK(refused({"gpu1", "--parallel", "10001"}) ==
          "--parallel \"10001\": accepted is a number from 1 to 10000");
    CHECK(refused({"gpu1", "--expect-gpus", "65"}) ==
          "--expect-gpus \"65\": accepted is a number from 0 to 64");
    CHECK(refused({"gpu1", "--probe", "ful"}) ==
          "--probe \"ful\": accepted is one of full, minimal; did you mean \"full\"?");
    CHECK(refused({"gpu1", "--color", "alway"}) ==
          "--color \"alway\": accepted is one of auto, always, never; did you mean \"always\"?");
    CHECK(refused({"gpu1", "-i", ""}) == "--inventory \"\": accepted is the name of a file");
    CHECK_THAT(refused({"gpu1", "-l", "an na"}), ContainsSubstring("--user \"an na\""));
}

TEST_CASE("standard input is one inventory only") {
    CHECK(parse({"-i", "-"}).inventories == Words{"-"});
    CHECK(refused({"-i", "-", "-i", "-"}) ==
          "--inventory \"-\": standard input can be read once only");
}

TEST_CASE("the way to the hosts has its options") {
    const CommandLine line = parse({"gpu1", "-J", "outer,ops@inner:2222", "--transport", "openssh",
                                    "--host-keys", "accept-new", "--ask-pass", "--splay", "10s"});
    REQUIRE(line.flags.jump->size() == 2);
    CHECK(line.flags.jump->at(1).address == "inner");
    CHECK(line.flags.transport == TransportChoice::openssh);
    CHECK(line.flags.new_host_keys == NewHostKeys::accept);
    CHECK(line.asks_password);
    CHECK(line.splay == 10s);
    CHECK(parse({"gpu1", "--jump=none"}).flags.jump->empty());
    CHECK(parse({"gpu1", "--host-keys=refuse"}).flags.new_host_keys == NewHostKeys::refuse);
    CHECK(parse({"gpu1", "--transport=auto"}).flags.transport == TransportChoice::automatic);
}

TEST_CASE("nobody's word on the way leaves it to the inventory and to ssh_config") {
    const CommandLine line = parse({"gpu1"});
    CHECK_FALSE(line.flags.jump);
    CHECK_FALSE(line.flags.container);
    CHECK_FALSE(line.flags.transport);
    CHECK_FALSE(line.flags.new_host_keys);
    CHECK(line.reads_ssh_config);
    CHECK_FALSE(line.ssh_config);
    CHECK_FALSE(line.asks_password);
    CHECK_FALSE(line.splay);
}

TEST_CASE("an ssh_config is a file or none") {
    CHECK(parse({"gpu1", "--ssh-config", "/etc/other"}).ssh_config == "/etc/other");
    CHECK(parse({"gpu1", "--ssh-config", "/etc/other"}).reads_ssh_config);
    CHECK_FALSE(parse({"gpu1", "--ssh-config", "none"}).reads_ssh_config);
    CHECK_FALSE(parse({"gpu1", "--ssh-config", "none"}).ssh_config);
    CHECK(parse({"gpu1", "--ssh-config", "./none"}).ssh_config == "./none");
    CHECK(parse({"gpu1", "--ssh-config", "none", "--ssh-config", "f"}).ssh_config == "f");
    CHECK(refused({"gpu1", "--ssh-config", ""}) ==
          "--ssh-config \"\": accepted is the name of a file");
}

TEST_CASE("a container is named by one option") {
    CHECK(parse({"root@pve1", "--pct", "129"}).flags.container->name == "129");
    CHECK(parse({"gpu1", "--docker", "web"}).flags.container->kind == ContainerEntry::Kind::docker);
    CHECK(refused({"gpu1", "--docker", "web", "--pct", "129"}) ==
          "--pct and --docker would be two containers; leave one out");
    CHECK(refused({"gpu1", "-pct", "129"}) == "unknown option \"-pct\"; did you mean \"--pct\"?");
}

TEST_CASE("a way that cannot be taken is refused with what is accepted") {
    CHECK_THAT(refused({"gpu1", "-J", "a,,b"}),
               ContainsSubstring("--jump \"a,,b\": a hop is empty"));
    CHECK(refused({"gpu1", "--transport", "opensh"}) ==
          "--transport \"opensh\": accepted is one of auto, libssh, openssh; did you mean "
          "\"openssh\"?");
    CHECK(refused({"gpu1", "--host-keys", "no"}) ==
          "--host-keys \"no\": accepted is one of refuse, accept-new");
    CHECK(refused({"gpu1", "--splay", "10"}) ==
          "--splay \"10\": accepted is a duration such as 500ms, 10s, 2m or 1h; did you mean "
          "\"10s\"?");
    CHECK(refused({"gpu1", "--ask-pass=x"}) == "option \"--ask-pass\" takes no value");
}

TEST_CASE("the flag --local stands for this machine and nothing else") {
    CHECK(parse({"--local"}).is_local);
    CHECK(parse({"hosts", "--local"}).is_local);
    CHECK(parse({"--local", "--expect-gpus", "8"}).flags.expect.gpus == 8);
    CHECK(refused({"--local", "gpu1"}) == "--local inspects this machine; leave out \"gpu1\"");
    CHECK(refused({"--local", "--", "gpu1"}) ==
          "--local inspects this machine; leave out \"gpu1\"");
    CHECK(refused({"--local", "-i", "fleet.yaml"}) ==
          "--local inspects this machine without ssh; leave out --inventory");
    CHECK(refused({"--local", "-p", "22"}) ==
          "--local inspects this machine without ssh; leave out --port");
    CHECK(refused({"--local", "-x", "gpu1"}) ==
          "--local inspects this machine without ssh; leave out --exclude");
}

TEST_CASE("beside --local no option of ssh is taken and then ignored") {
    const Words option =
        GENERATE(Words{"--jump", "b"}, Words{"--pct", "129"}, Words{"--docker", "web"},
                 Words{"--ssh-config", "none"}, Words{"--transport", "auto"},
                 Words{"--host-keys", "refuse"}, Words{"--ask-pass"});
    Words words{"--local"};
    words.insert(words.end(), option.begin(), option.end());
    CHECK(refused(words) ==
          "--local inspects this machine without ssh; leave out " + option.front());
}

TEST_CASE("a plus sign or a dash alone ends nothing silently") {
    CHECK(parse({"gpu1", "++", "gpu2"}).targets == Words{"gpu1", "++", "gpu2"});
    CHECK(parse({"gpu1", "-", "gpu2"}).targets == Words{"gpu1", "-", "gpu2"});
    CHECK(parse({"gpu1", "", "gpu2"}).targets == Words{"gpu1", "", "gpu2"});
}

TEST_CASE("an unknown option cannot break the line or the terminal") {
    CHECK_THAT(refused({"--a\x1b[2J\nb"}), ContainsSubstring("unknown option \"--a\\x1b[2J b\""));
}

TEST_CASE("every option has a name to be asked for") {
    const Words names = option_names();
    CHECK(std::find(names.begin(), names.end(), "--port") != names.end());
    CHECK(std::find(names.begin(), names.end(), "-p") != names.end());
}
