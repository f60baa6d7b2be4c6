// What the real ssh does with a configuration, as it tells with -v on its way to a port of ours,
// against what resolve_settings makes of it.

#include "config_lab.hpp"
#include "support/catch.hpp"
#include "support/listener.hpp"
#include "support/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

using Words = std::vector<std::string>;

struct Seen {
    std::string address;
    std::string port;
    std::string user;
    std::string alias;
    Words identities;
    Words certificates;
    Words known_hosts;  // of files that do not exist, as all of these tests
    Words tunnels;      // "c asked for [x]:22", the last hop first

    bool operator==(const Seen&) const = default;
};

std::string shown(const Seen& seen) {
    std::ostringstream text;
    text << seen.user << '@' << seen.address << ':' << seen.port << " alias " << seen.alias;
    for (const std::string& file : seen.identities) text << "\n  identity " << file;
    for (const std::string& file : seen.certificates) text << "\n  certificate " << file;
    for (const std::string& file : seen.known_hosts) text << "\n  known_hosts " << file;
    for (const std::string& tunnel : seen.tunnels) text << "\n  " << tunnel;
    return text.str();
}

// Of ssh's own list of keys, those that libssh cannot use.
bool is_for_ssh_only(const std::string& file) {
    return file.ends_with("_sk") || file.ends_with("/id_xmss") || file.ends_with("/id_dsa");
}

void note(Seen& seen, const std::string& line) {
    static const std::regex connecting(R"(^debug1: Connecting to (\S+) \[.*\] port (\d+)\.)");
    static const std::regex authenticating(R"(^debug1: Authenticating to .* as '(.*)')");
    static const std::regex identity(R"(^debug1: identity file (.*) type -?\d+)");
    static const std::regex certificate(R"(^debug1: certificate file (.*) type -?\d+)");
    static const std::regex alias(R"(^debug1: using hostkeyalias: (.*))");
    static const std::regex known_hosts(R"(^debug1: load_hostkeys: fopen (.*): No such file)");
    static const std::regex tunnel(R"(Executing proxy command: .* -W '(.*)' (\S+)$)");
    std::smatch found;
    if (std::regex_search(line, found, connecting)) {
        if (!seen.address.empty()) return;
        seen.address = found[1];
        seen.port = found[2];
    } else if (std::regex_search(line, found, authenticating)) {
        seen.user = found[1];
    } else if (std::regex_search(line, found, identity)) {
        const std::string file = found[1];
        if (!file.ends_with("-cert") && !is_for_ssh_only(file)) seen.identities.push_back(file);
    } else if (std::regex_search(line, found, certificate)) {
        if (found[1] != "none") seen.certificates.push_back(found[1]);
    } else if (std::regex_search(line, found, alias)) {
        seen.alias = found[1];
    } else if (std::regex_search(line, found, known_hosts)) {
        // Each file is looked at for the alias and for the address.
        const std::string file = found[1];
        const bool is_new = std::find(seen.known_hosts.begin(), seen.known_hosts.end(), file) ==
                            seen.known_hosts.end();
        if (is_new) seen.known_hosts.push_back(file);
    } else if (std::regex_search(line, found, tunnel)) {
        seen.tunnels.push_back(fmt::format("{} asked for {}", found[2].str(), found[1].str()));
    }
}

Words ssh_line(const ConfigLab& lab, const Words& arguments) {
    Words argv{"timeout",        "60", lab.source.ssh_program, "-v", "-F",
               *lab.source.file, "-o", "BatchMode=yes"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    argv.push_back("true");
    return argv;
}

Seen seen_by_ssh(const ConfigLab& lab, const Words& arguments) {
    const ProgramResult result = run_program({ssh_line(lab, arguments), {}, {}});
    INFO(result.err);
    CHECK(result.status == 255);
    Seen seen;
    std::istringstream lines(result.err);
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        note(seen, line);
    }
    return seen;
}

Seen seen_by_us(const EffectiveSettings& settings) {
    Seen seen;
    seen.address = settings.target.address;
    seen.port = std::to_string(settings.target.port);
    seen.user = settings.target.user;
    seen.alias = settings.target.host_key_alias;
    seen.identities = settings.target.identity_files;
    seen.certificates = settings.target.certificate_files;
    seen.known_hosts = settings.target.known_hosts_files;
    return seen;
}

// A server that identifies itself and goes: after that ssh has told all that matters here.
FakeServer::Manner greeting() {
    return [](FakePeer& peer) {
        peer.say(ssh_identification);
        peer.hear();
    };
}

struct Case {
    const char* what;
    std::string config;  // {port} and {dir} are filled in
    std::string name = "gpu1";
    std::optional<std::string> user = {};
    std::map<std::string, std::string> files = {};
};

std::string filled(std::string text, std::uint16_t port, const std::string& folder) {
    text = std::regex_replace(text, std::regex("\\{port\\}"), std::to_string(port));
    return std::regex_replace(text, std::regex("\\{dir\\}"), folder);
}

// Where every case ends, so that none leaves this machine.
const std::string here = "\nHost *\n HostName 127.0.0.1\n Port {port}\n";
const std::string nowhere =
    " UserKnownHostsFile {dir}/none1 {dir}/none2\n GlobalKnownHostsFile {dir}/none3\n";

const std::vector<Case> cases{
    {"HostName, Port and User of an alias", "Host gpu1\n User joe\n"},
    {"two blocks of one alias, the first value wins",
     "Host gpu1\n User joe\nHost gpu1\n User jim\n IdentityFile {dir}/k\n"},
    {"a pattern with a negation that excludes", "Host *.corp !bad.corp\n User joe\n", "bad.corp"},
    {"a pattern with a negation that does not", "Host *.corp !bad.corp\n User joe\n", "good.corp"},
    {"a negation alone matches nothing", "Host !bad.corp\n User joe\n", "good.corp"},
    {"a question mark, and several patterns", "Host node? gpu? ?pu\n User joe\n"},
    {"Include in a block ends with its scope",
     "Host other\n Include {dir}/part\nHost gpu1\n User joe\n",
     "gpu1",
     {},
     {{"part", "User jim\nHost *\n User jack\n"}}},
    {"Include at the top, and lines after it",
     "Include {dir}/part\nIdentityFile {dir}/after\n",
     "gpu1",
     {},
     {{"part", "Host gpu1\n User joe\n IdentityFile {dir}/in\nHost other\n User jim\n"}}},
    {"Include of several files by a pattern",
     "Include {dir}/one* {dir}/two\n",
     "gpu1",
     {},
     {{"one1", "IdentityFile {dir}/1\n"}, {"one2", "IdentityFile {dir}/2\n"}, {"two", "User joe"}}},
    {"Match host sees the HostName, Match originalhost the alias",
     "Host gpu1\n HostName 127.0.0.1\nMatch host 127.0.0.1\n User joe\n"
     "Match originalhost gpu1\n IdentityFile {dir}/alias\nMatch host gpu1\n IdentityFile "
     "{dir}/x\n"},
    {"Match exec, true and false",
     "Match host gpu1 exec \"test %n = gpu1\"\n User joe\n"
     "Match exec false\n IdentityFile {dir}/wrong\nMatch !exec false\n IdentityFile {dir}/right\n"},
    {"Match final", "Match final host 127.0.0.1\n User joe\nHost gpu1\n IdentityFile {dir}/k\n"},
    {"Match user with a user of the inventory", "Match user joe\n IdentityFile {dir}/joe\n", "gpu1",
     "joe"},
    {"a user of the inventory wins", "Host gpu1\n User jim\n", "gpu1", "joe"},
    {"several IdentityFile, over several blocks, once each",
     "Host gpu1\n IdentityFile {dir}/b\n IdentityFile {dir}/a\n IdentityFile {dir}/b\n"
     "Host *\n IdentityFile {dir}/c\n"},
    {"IdentityFile none", "IdentityFile none\n"},
    {"IdentityFile none beside another", "IdentityFile none\nIdentityFile {dir}/a\n"},
    {"each token of IdentityFile",
     "HostKeyAlias Key.Alias\nUser joe\n"
     "IdentityFile {dir}/%%_%h_%i_%k_%L_%l_%n_%p_%r_%u\nIdentityFile %d/x\n"},
    {"%k without an alias", "IdentityFile {dir}/%k\n"},
    {"%C is the hash that this ssh makes", "User joe\nIdentityFile {dir}/%C\n"},
    {"a tilde, another's home, a variable",
     "IdentityFile ~/k1\nIdentityFile ~root/k2\nIdentityFile ${HOME}/v\nCertificateFile ~/c_%n\n"},
    {"a dollar that is no variable", "IdentityFile {dir}/a$b\n"},
    {"quoted names with blanks",
     "IdentityFile \"{dir}/with blank/%r key\"\n"
     "UserKnownHostsFile \"{dir}/known hosts\" {dir}/second\nGlobalKnownHostsFile {dir}/g\n"},
    {"a relative IdentityFile", "IdentityFile {dir}/../k\n"},
    {"tokens in UserKnownHostsFile",
     "UserKnownHostsFile {dir}/%h_%k_%% ~/none-of-ours\nGlobalKnownHostsFile {dir}/g1 {dir}/g2\n"},
    {"a tilde and no tokens in GlobalKnownHostsFile",
     "UserKnownHostsFile {dir}/u\nGlobalKnownHostsFile ~/none-of-ours {dir}/%h\n"},
    {"UserKnownHostsFile none", "UserKnownHostsFile none\nGlobalKnownHostsFile {dir}/g\n"},
    {"UserKnownHostsFile /dev/null", "UserKnownHostsFile /dev/null\nGlobalKnownHostsFile {dir}/g"},
    {"several CertificateFile", "CertificateFile {dir}/c1\nCertificateFile {dir}/c2\n"},
    {"an equals sign, capitals and a comment",
     "# one\nhost=gpu1\n  USER = joe # two\n IDENTITYFILE={dir}/k\n"},
    {"line ends of Windows", "Host gpu1\r\n User joe\r\n IdentityFile {dir}/k\r\n"},
    {"a line of 5,000 characters",
     "Host " + std::string(4'990, 'x') + " gpu1\n User joe\n IdentityFile {dir}/k\n"},
    {"an unknown keyword that is to be ignored", "IgnoreUnknown Foo,Bar\nFoo yes\nUser joe\n"},
    {"HostName with %h", "Host gpu1\n HostName 127.0.0.1\n User %h\n"},
};

}  // namespace

TEST_CASE("a configuration leads where the real ssh goes, with the same keys and known_hosts") {
    if (component_missing("ssh")) return;
    const FakeServer server(greeting());
    for (const Case& one : cases) {
        INFO(one.what);
        ConfigLab lab;
        const std::string& folder = lab.folder.path();
        for (const auto& [name, text] : one.files) {
            lab.folder.write(name, filled(text, server.port(), folder));
        }
        lab.configure(filled(one.config + here + nowhere, server.port(), folder));
        Host host = host_named(one.name);
        host.settings.user = one.user;

        const auto settings = lab.resolve(host);
        REQUIRE(settings.has_value());
        Words arguments;
        if (one.user) arguments = {"-l", *one.user};
        arguments.push_back(one.name);
        const Seen ssh = seen_by_ssh(lab, arguments);
        CHECK(ssh.address == "127.0.0.1");
        CHECK(shown(seen_by_us(*settings)) == shown(ssh));
        CHECK(settings->transport == TransportKind::libssh);
    }
}

TEST_CASE("without keys and known_hosts in the configuration, ssh's own are taken, in its order") {
    if (component_missing("ssh")) return;
    const FakeServer server(greeting());
    ConfigLab lab;
    lab.configure(filled(here, server.port(), {}));
    const auto settings = lab.resolve(host_named("gpu1"));
    REQUIRE(settings.has_value());
    const Login& login = settings->target;
    CHECK(login.identity_files == seen_by_ssh(lab, {"gpu1"}).identities);
    CHECK_FALSE(login.identity_files.empty());
    CHECK_FALSE(login.identities_are_explicit);
    CHECK(login.new_keys_file == lab.source.home + "/.ssh/known_hosts");
    CHECK(login.known_hosts_files ==
          Words{lab.source.home + "/.ssh/known_hosts", lab.source.home + "/.ssh/known_hosts2",
                "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"});
}

TEST_CASE("a configuration that ssh refuses is refused, and named in ssh's words") {
    if (component_missing("ssh")) return;
    struct Refusal {
        const char* config;
        FailureKind kind;
        const char* message;
    };
    const std::vector<Refusal> refusals{
        {"Tagg foo\n", FailureKind::config_refused, "line 1: Bad configuration option: tagg"},
        {"User\n", FailureKind::config_refused, "line 1: "},
        {"Port 70000\n", FailureKind::config_refused, "line 1: Bad "},
        {"ProxyJump a, b\n", FailureKind::config_refused, "Invalid ProxyJump"},
        {"Match exec\n", FailureKind::config_refused, "Missing Match criteria"},
        {"UserKnownHostsFile ~/%Z\n", FailureKind::config_refused, "unknown key %Z"},
        {"IdentityFile ~/%Z\n", FailureKind::config_failed, "unknown token %Z in \""},
        {"IdentityFile ${GPUMUSTER_TEST_UNSET}/k\n", FailureKind::config_failed, "is not set"},
        {"IdentityFile ~nobody-has-this-name/k\n", FailureKind::config_failed, "no user "},
        {"CertificateFile /%\n", FailureKind::config_failed, "a lone % ends \"/%\""},
    };
    const FakeServer server(greeting());
    for (const Refusal& refusal : refusals) {
        INFO(refusal.config);
        ConfigLab lab;
        lab.configure(filled(refusal.config + here, server.port(), {}));
        const auto settings = lab.resolve(host_named("gpu1"));
        REQUIRE_FALSE(settings.has_value());
        CHECK(settings.error().kind == refusal.kind);
        CHECK_THAT(settings.error().message, ContainsSubstring(refusal.message));
        CHECK(settings.error().stage == Stage::config);
        CHECK(settings.error().hop.ssh_arguments == "-F " + *lab.source.file + " gpu1");
        CHECK(run_program({ssh_line(lab, {"gpu1"}), {}, {}}).status == 255);
    }
}

namespace {

// What each ssh of the way asks the one before it for.
Words tunnels_of(const EffectiveSettings& settings) {
    Words tunnels;
    const Login* behind = &settings.target;
    for (auto hop = settings.hops.rbegin(); hop != settings.hops.rend(); ++hop) {
        tunnels.push_back(
            fmt::format("{} asked for [{}]:{}", hop->name, behind->address, behind->port));
        behind = &*hop;
    }
    return tunnels;
}

struct JumpCase {
    const char* what;
    const char* config;
    Words ways = {};  // -J of the inventory
};

const std::vector<JumpCase> jump_cases{
    {"one hop", "Host gpu1\n ProxyJump first\n"},
    {"three hops in their order", "Host gpu1\n ProxyJump first,b,c\n"},
    {"users and ports of hops",
     "Host gpu1\n ProxyJump first,joe@b:77,ssh://jim@c:78\nHost b\n HostName b.example\n"},
    {"the first hop's own ProxyJump is followed",
     "Host gpu1\n ProxyJump b,c\nHost b\n ProxyJump first,z\n Port 99\n"},
    {"a later hop's own is not",
     "Host gpu1\n ProxyJump first,b,c\nHost b c\n ProxyJump elsewhere\n"},
    {"each first hop has a way of its own",
     "Host gpu1\n ProxyJump c\nHost c\n ProxyJump b\nHost b\n ProxyJump first\n"},
    {"ProxyJump none for the hop itself",
     "Host first\n ProxyJump none\nHost *\n ProxyJump first\n"},
    {"a negation keeps the hop out", "Host * !first\n ProxyJump first\n"},
    {"tokens stand for the host behind", "Host gpu1\n HostName x1\n ProxyJump first,c-%h\n"},
    {"the first ProxyJump wins over a later ProxyCommand",
     "Host gpu1\n ProxyJump first\n ProxyCommand false\n"},
    {"the inventory's way in place of ProxyJump",
     "Host gpu1\n ProxyJump elsewhere\n",
     {"first", "b"}},
    {"the inventory's way in place of ProxyCommand", "Host gpu1\n ProxyCommand false\n", {"first"}},
    {"the inventory's first hop has a ProxyJump", "Host b\n ProxyJump first\n", {"b", "c"}},
};

}  // namespace

TEST_CASE("jump hosts are passed in the order in which the real ssh passes them") {
    if (component_missing("ssh")) return;
    // The first ssh of the way asks a port that refuses, and all of them end.
    const Listener refusing = refuse_on_loopback();
    for (const JumpCase& one : jump_cases) {
        INFO(one.what);
        ConfigLab lab;
        lab.configure(fmt::format("{}Host first\n HostName 127.0.0.1\n Port {}\n", one.config,
                                  refusing.port));
        Host host = host_named("gpu1");
        Words arguments;
        if (!one.ways.empty()) {
            host.settings.jump.emplace();
            for (const std::string& way : one.ways) {
                host.settings.jump->push_back({way, {}, {}, {}, {}});
            }
            arguments = {"-J", fmt::format("{}", fmt::join(one.ways, ","))};
        }
        arguments.push_back("gpu1");

        const auto settings = lab.resolve(host);
        REQUIRE(settings.has_value());
        REQUIRE_FALSE(settings->hops.empty());
        CHECK(settings->hops.front().address == "127.0.0.1");
        CHECK(settings->hops.front().port == refusing.port);
        CHECK(tunnels_of(*settings) == seen_by_ssh(lab, arguments).tunnels);
        CHECK(settings->transport == TransportKind::libssh);
    }
}
