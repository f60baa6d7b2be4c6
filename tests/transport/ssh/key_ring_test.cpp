#include "gpumuster/transport/ssh/key_ring.hpp"

#include <sys/stat.h>

#include <filesystem>

#include "gpumuster/transport/ssh/identity_blob.hpp"
#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

using namespace gpumuster;
using namespace gpumuster::test;
using State = PrivateKey::State;

namespace {

// A key as ssh-keygen makes it, without its .pub.
std::string make_key(const TempDir& folder, const std::vector<std::string>& options,
                     const std::string& passphrase = "") {
    ProgramOrder order;
    order.argv = {"ssh-keygen", "-q", "-f", folder.file("key"), "-N", passphrase};
    order.argv.insert(order.argv.end(), options.begin(), options.end());
    const ProgramResult run = run_program(order);
    INFO(run.err);
    REQUIRE(run.status == 0);
    std::filesystem::remove(folder.file("key.pub"));
    return folder.file("key");
}

struct KeyForm {
    std::vector<std::string> options;
    ssh_keytypes_e type;
};

std::size_t files_in(const TempDir& folder) {
    const std::filesystem::directory_iterator files(folder.path());
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

}  // namespace

TEST_CASE("private keys in the forms that ssh-keygen writes are loaded, and nothing is written") {
    if (component_missing("ssh-keygen")) return;
    const KeyForm form = GENERATE(values<KeyForm>({
        {{"-t", "ed25519"}, SSH_KEYTYPE_ED25519},
        {{"-t", "ecdsa", "-b", "256"}, SSH_KEYTYPE_ECDSA_P256},
        {{"-t", "ecdsa", "-b", "521"}, SSH_KEYTYPE_ECDSA_P521},
        {{"-t", "rsa", "-b", "2048"}, SSH_KEYTYPE_RSA},
        {{"-t", "rsa", "-b", "2048", "-m", "PEM"}, SSH_KEYTYPE_RSA},
        {{"-t", "rsa", "-b", "2048", "-m", "PKCS8"}, SSH_KEYTYPE_RSA},
        {{"-t", "ecdsa", "-m", "PEM"}, SSH_KEYTYPE_ECDSA_P256},
    }));
    INFO(form.options.at(1) << " " << form.options.back());
    const TempDir folder;
    const std::string path = make_key(folder, form.options);
    const PrivateKey key = load_private_key(path);
    CHECK(key.state == State::loaded);
    CHECK(key.path == path);
    CHECK(key.trouble().empty());
    REQUIRE(key.key != nullptr);
    CHECK(::ssh_key_type(key.key.get()) == form.type);
    CHECK(::ssh_key_is_private(key.key.get()) == 1);
    CHECK(files_in(folder) == 1);
}

TEST_CASE("an encrypted key is not asked for its passphrase but named") {
    if (component_missing("ssh-keygen")) return;
    const auto options = GENERATE(values<std::vector<std::string>>({
        {"-t", "ed25519"},
        {"-t", "rsa", "-b", "2048", "-m", "PEM"},
        {"-t", "rsa", "-b", "2048", "-m", "PKCS8"},
    }));
    INFO(options.back());
    const TempDir folder;
    const std::string path = make_key(folder, options, "a passphrase");
    const PrivateKey key = load_private_key(path);
    CHECK(key.state == State::encrypted);
    CHECK(key.key == nullptr);
    CHECK(key.trouble() == path + " is encrypted");
    CHECK(files_in(folder) == 1);
}

TEST_CASE("a key that others may read or write is not used") {
    if (component_missing("ssh-keygen")) return;
    const TempDir folder;
    const std::string path = make_key(folder, {"-t", "ed25519"});
    for (const mode_t mode : {0604U, 0640U, 0620U, 0602U, 0644U, 0777U}) {
        REQUIRE(::chmod(path.c_str(), mode) == 0);
        const PrivateKey key = load_private_key(path);
        CHECK(key.state == State::permissions_too_open);
        CHECK(key.key == nullptr);
        CHECK(key.trouble() == path + " can be read by others (chmod 600 " + path + ")");
    }
    for (const mode_t mode : {0600U, 0400U, 0700U}) {
        REQUIRE(::chmod(path.c_str(), mode) == 0);
        CHECK(load_private_key(path).state == State::loaded);
    }
}

TEST_CASE("a key is found through a symbolic link") {
    if (component_missing("ssh-keygen")) return;
    const TempDir folder;
    const std::string path = make_key(folder, {"-t", "ed25519"});
    std::filesystem::create_symlink(path, folder.file("link"));
    CHECK(load_private_key(folder.file("link")).state == State::loaded);
}

TEST_CASE("what is no file cannot be read") {
    const TempDir folder;
    CHECK(load_private_key(folder.path()).state == State::unreadable);
    CHECK(load_private_key(folder.path()).trouble() == folder.path() + " cannot be read");
    REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    CHECK(load_private_key(folder.file("pipe")).state == State::unreadable);
    CHECK(load_private_key("/dev/null").state == State::unreadable);
}

TEST_CASE("a missing key is missing, and so is one behind a dangling link") {
    const TempDir folder;
    const std::string path = folder.file("none");
    CHECK(load_private_key(path).state == State::missing);
    CHECK(load_private_key(path).trouble() == path + " does not exist");
    std::filesystem::create_symlink(path, folder.file("link"));
    CHECK(load_private_key(folder.file("link")).state == State::missing);
    CHECK(load_private_key("").state == State::missing);
}

TEST_CASE("a file that holds no private key is told from an encrypted one") {
    const TempDir folder;
    for (const std::string text :
         {"", "\n", "garbage", "-----BEGIN OPENSSH PRIVATE KEY-----\n",
          "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
          "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n",
          "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBfzFtNh59cLbdBb/+y833/BUW1WlzP6MLfzO4IVORX x\n",
          "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n"}) {
        INFO(text);
        const std::string path = folder.write("key", text);
        const PrivateKey key = load_private_key(path);
        CHECK(key.state == State::unsupported);
        CHECK(key.key == nullptr);
        CHECK(key.trouble() == path + " is no private key that libssh can use");
    }
}

TEST_CASE("the public half is known of a key that cannot be used") {
    if (component_missing("ssh-keygen")) return;
    const TempDir folder;
    ProgramOrder order;
    order.argv = {"ssh-keygen", "-q", "-f", folder.file("key"), "-N", "open sesame"};
    SECTION("from an encrypted file in OpenSSH's format") {
        order.argv.insert(order.argv.end(), {"-t", "ed25519"});
        REQUIRE(run_program(order).status == 0);
        const auto expected = blob_of_line(read_file(folder.file("key.pub")));
        std::filesystem::remove(folder.file("key.pub"));
        CHECK(load_private_key(folder.file("key")).public_key == expected);
    }
    SECTION("from KEY.pub, where the file tells nothing or is not there") {
        order.argv.insert(order.argv.end(), {"-t", "rsa", "-b", "2048", "-m", "PEM"});
        REQUIRE(run_program(order).status == 0);
        const auto expected = blob_of_line(read_file(folder.file("key.pub")));
        const PrivateKey key = load_private_key(folder.file("key"));
        CHECK(key.state == State::encrypted);
        CHECK(key.public_key == expected);
        std::filesystem::remove(folder.file("key"));
        CHECK(load_private_key(folder.file("key")).state == State::missing);
        CHECK(load_private_key(folder.file("key")).public_key == expected);
    }
    SECTION("from a public key file in its place, which others may read") {
        order.argv.insert(order.argv.end(), {"-t", "ecdsa"});
        REQUIRE(run_program(order).status == 0);
        const PrivateKey key = load_private_key(folder.file("key.pub"));
        CHECK(key.state == State::public_only);
        CHECK(key.public_key == blob_of_line(read_file(folder.file("key.pub"))));
        CHECK(key.trouble() ==
              folder.file("key.pub") + " is a public key, and no agent has its private half");
    }
}

TEST_CASE("a key ring reads each file once") {
    if (component_missing("ssh-keygen")) return;
    const TempDir folder;
    const std::string path = make_key(folder, {"-t", "ed25519"});
    KeyRing ring;
    const PrivateKey& first = ring.load(path);
    REQUIRE(first.state == State::loaded);
    std::filesystem::remove(path);
    CHECK(&ring.load(path) == &first);
    CHECK(&ring.at(path) == &first);
    CHECK(ring.load(path).state == State::loaded);
    CHECK(ring.load(folder.file("other")).state == State::missing);
    CHECK(&ring.at(path) == &first);
}
