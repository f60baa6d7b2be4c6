#include "gpumuster/transport/ssh/agent_protocol.hpp"

#include "gpumuster/transport/ssh/identity_blob.hpp"
#include "gpumuster/transport/ssh/ssh_bytes.hpp"
#include "gpumuster/transport/trust/base64.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::string_literals;

namespace {

std::string cut(const std::string& text, std::size_t by = 1) {
    return text.substr(0, text.size() - by);
}

// A key with a body of `fields` strings.
KeyBlob blob(const std::string& type, int fields) {
    std::string text = string_field(type);
    for (int i = 0; i < fields; ++i) text += string_field("\x7f-field");
    return text;
}

}  // namespace

TEST_CASE("messages of an agent are taken off one by one, however they arrive") {
    std::string buffer = "\0\0\0\5"s + "\x0c\0\0\0\0"s + "\0\0\0\1\5\0\0"s;
    std::string message;
    CHECK(take_agent_message(buffer, message) == Framing::whole);
    CHECK(message == "\x0c\0\0\0\0"s);
    CHECK(take_agent_message(buffer, message) == Framing::whole);
    CHECK(kind_of(message) == AgentMessage::failure);
    CHECK(take_agent_message(buffer, message) == Framing::incomplete);
    CHECK(buffer == "\0\0"s);
}

TEST_CASE("a message that is empty or too long breaks the conversation before it is waited for") {
    std::string message;
    for (std::string buffer : {"\0\0\0\0"s, "\xff\xff\xff\xff"s, "\0\4\0\1"s}) {
        CHECK(take_agent_message(buffer, message) == Framing::broken);
    }
    std::string longest = "\0\4\0\0"s;
    CHECK(take_agent_message(longest, message) == Framing::incomplete);
}

TEST_CASE("the list of keys is read whole or not at all") {
    const std::vector<AgentKey> keys{{"blob one", "me@home"}, {"", ""}, {"x", "\x1b[31m"}};
    const std::string answer = identities_answer(keys);
    const auto read = read_identities(answer);
    REQUIRE(read);
    REQUIRE(read->size() == 3);
    CHECK((*read)[0].blob == "blob one");
    CHECK((*read)[0].comment == "me@home");
    CHECK((*read)[2].comment == "\x1b[31m");
    for (std::size_t by = 1; by < answer.size(); ++by)
        CHECK_FALSE(read_identities(cut(answer, by)));
    CHECK_FALSE(read_identities(""));
    CHECK_FALSE(read_identities("\5"));
    CHECK_FALSE(read_identities("\x0c\xff\xff\xff\xff"s));
    CHECK(read_identities("\x0c\0\0\0\0"s)->empty());
}

TEST_CASE("a request for a signature keeps its key, data and flags") {
    const SignRequest request{"the key", "the data", 4};
    const std::string message = sign_request(request);
    const auto read = read_sign_request(message);
    REQUIRE(read);
    CHECK(read->key == "the key");
    CHECK(read->data == "the data");
    CHECK(read->flags == 4);
    for (std::size_t by = 1; by < message.size(); ++by) {
        CHECK_FALSE(read_sign_request(cut(message, by)));
    }
    CHECK_FALSE(read_sign_request("\x0b"));
}

TEST_CASE("only a response that holds something is a signature") {
    CHECK(is_signature("\x0e" + string_field("signature")));
    CHECK_FALSE(is_signature("\x0e" + string_field("")));
    CHECK_FALSE(is_signature("\x0e"));
    CHECK_FALSE(is_signature(cut("\x0e" + string_field("signature"))));
    CHECK_FALSE(is_signature("\x0d" + string_field("signature")));
    for (const char* failure : {"\5", "\x1e", "\x66"}) {
        CHECK(kind_of(failure) == AgentMessage::failure);
    }
    CHECK_FALSE(kind_of(""));
    CHECK_FALSE(kind_of("\x63"));
}

TEST_CASE("what libssh can log in with is told from what it cannot") {
    for (const char* type : {"ssh-ed25519", "ecdsa-sha2-nistp256", "ssh-rsa"}) {
        const int fields = type == "ssh-ed25519"s ? 1 : 2;
        const KeyBlob key = blob(type, fields);
        const auto facts = read_blob(key);
        REQUIRE(facts);
        CHECK(facts->type == type);
        CHECK_FALSE(facts->is_certificate);
        CHECK(facts->key == key);
        CHECK_FALSE(read_blob(key + "x"));
        CHECK_FALSE(read_blob(cut(key)));
    }
    for (const char* type : {"sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com",
                             "webauthn-sk-ecdsa-sha2-nistp256@openssh.com", "ssh-dss", "ssh-ed448",
                             "", "ssh-ed25519-cert-v02@openssh.com"}) {
        INFO(type);
        CHECK_FALSE(read_blob(blob(type, 2)));
    }
    CHECK_FALSE(read_blob(""));
    CHECK_FALSE(read_blob("\xff\xff\xff\xffssh-rsa"));
}

TEST_CASE("a user's certificate is known by the key inside it") {
    const auto certificate = [](std::uint32_t kind) {
        const std::string number = number_field(0);
        const std::string text = string_field("text");
        return string_field("ssh-ed25519-cert-v01@openssh.com") + text + string_field("point") +
               number + number + number_field(kind) + text + text + number + number + number +
               number + text + text + text + text + text;
    };
    const KeyBlob of_a_user = certificate(1);
    const auto facts = read_blob(of_a_user);
    REQUIRE(facts);
    CHECK(facts->is_certificate);
    CHECK(facts->key == string_field("ssh-ed25519") + string_field("point"));
    CHECK_FALSE(read_blob(certificate(2)));
    for (std::size_t by = 1; by < of_a_user.size(); ++by)
        CHECK_FALSE(read_blob(cut(of_a_user, by)));
    CHECK_FALSE(read_blob(of_a_user + "x"));
}

TEST_CASE("an RSA key tells its size without its leading zeros") {
    const auto rsa = [](const std::string& modulus) {
        return read_blob(string_field("ssh-rsa") + string_field("\1\0\1"s) + string_field(modulus))
            ->rsa_bits;
    };
    CHECK(rsa("\0\x80"s + std::string(127, 'x')) == 1024);
    CHECK(rsa("\x40"s + std::string(127, 'x')) == 1023);
    CHECK_FALSE(read_blob(blob("ssh-ed25519", 1))->rsa_bits);
}

TEST_CASE("a public key line is read by its type and its key, which must agree") {
    const std::string line = "ssh-ed25519 " + encode_base64(blob("ssh-ed25519", 1));
    CHECK(blob_of_line(line) == blob("ssh-ed25519", 1));
    CHECK(blob_of_line("  " + line + "\tme@home and more\n") == blob("ssh-ed25519", 1));
    CHECK_FALSE(blob_of_line("ssh-rsa " + encode_base64(blob("ssh-ed25519", 1))));
    CHECK_FALSE(blob_of_line(cut(line)));
    CHECK_FALSE(blob_of_line("ssh-ed25519"));
    CHECK_FALSE(blob_of_line(""));
}
