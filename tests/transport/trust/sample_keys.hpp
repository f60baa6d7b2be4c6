#pragma once

#include <string>
#include <vector>

#include "gpumuster/transport/trust/base64.hpp"
#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster::test {

// A public key as a known_hosts line writes it, with the fingerprint that `ssh-keygen -lf` gives.
struct SampleKey {
    std::string text;
    std::string fingerprint;

    KeyBlob blob() const { return decode_base64(text.substr(text.find(' ') + 1)).value(); }
};

inline const SampleKey ed25519_key{
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBfzFtNh59cLbdBb/+y833/BUW1WlzP6MLfzO4IVORXI",
    "SHA256:ZRDUhUQx6+zVUP3fneAZqwgYrDr7eGiz4AFqSi35Hsc"};
inline const SampleKey other_ed25519_key{
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMAln0NuBjTE2hG+BkYzkLZFWI2L795IEqXrIo+T7UwL",
    "SHA256:uE0ok8cObZOQd4ZIYiQIRz5YVho0Ha9fPZWRftLLgDM"};
inline const SampleKey ecdsa_key{
    "ecdsa-sha2-nistp256 "
    "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBGZSCVb0ghGu+Yqzof5SGPqD0e98g2CgmU8a5APi"
    "+HDSBwfDbELS6Db3VTPhMV2YsmGaJux5jyYtREeVy6ZEo6U=",
    "SHA256:wI2+sc8HbCxp+gIw7ut6kRxOBMRSS/xAaCy+1ySVUwQ"};
inline const SampleKey ecdsa_384_key{
    "ecdsa-sha2-nistp384 "
    "AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBBmC5teewKsPcUgrjgRYSOA7oi5ZH2wjgeU5tUly"
    "3fVs9hocjhQQ7fD3cFQ2SDi/fQaI11pi2tW2/FXNLmxB/OE1sXGFpPe0nYp8IZX6Gdx7gzW7vw2ZHafIPEX5tBsx3g==",
    "SHA256:Dj/d8ZHAr2SYhCcRauNO1dyo8LBWX6cf2b6VAH8AF8M"};
inline const SampleKey rsa_key{
    "ssh-rsa "
    "AAAAB3NzaC1yc2EAAAADAQABAAAAgQDhttghF2TI++kkR5hDbPnGINMnCoyVKrFHTSLRr9X5s7ezU3ygeFeN9Y7F2ETF"
    "AUopmlExBrYxhmks2OcK8mbIrLu34MLNCMPP9sXbz+hm606rPy1fnxIZ9jh7ckVK5OFk85TETU+FUTR+DqdNpv4Ih7q6"
    "X1BQiLQ/kZp8nDvRlw==",
    "SHA256:tbkWqNEUylWr5wA7MKWn7NqE0y0eSj6iCkY4fykjN8c"};

// As `ssh-keygen -H` wrote them.
inline const std::string hashed_gpu1 =
    "|1|X+XXcwcjA2xz9j50lV/LjPryfGA=|Pv0wOMrRsD6Trld0hx+6ExRT/v4=";
inline const std::string hashed_gpu1_port_2222 =
    "|1|gm/RD5bnxpGSoIV7XEWMcvzt2gQ=|1fo4oxEl9Y6y2fHa+awoH8n3zyQ=";
inline const std::string hashed_gpu2 =
    "|1|Aj9GElHTKSeoHjfMrthWc5gn5f8=|ta9y1QUTQXqi+TAuoxt2m+l9guE=";

// One KnownHosts over files named "first", "second", …
inline KnownHosts known_hosts_of(const std::vector<std::string>& texts) {
    static const std::vector<std::string> names{"first", "second", "third"};
    std::vector<std::shared_ptr<const KnownHostsFile>> files;
    for (const std::string& text : texts) {
        files.push_back(std::make_shared<const KnownHostsFile>(
            KnownHostsFile::parse(text, names.at(files.size()))));
    }
    return KnownHosts(std::move(files));
}

inline TrustJudgement judge(const std::string& text, const HostKeyName& host,
                            const SampleKey& key) {
    return known_hosts_of({text}).judge(host, key.blob());
}

}  // namespace gpumuster::test
