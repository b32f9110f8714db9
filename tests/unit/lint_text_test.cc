// The words that lint knows: what is a secret, where a path lies, what an image is built for. Each table has what is
// one beside what nearly is.
#include <string>

#include "compiler/base/secret.h"
#include "lint/heuristics.h"
#include "tests/catch.h"

namespace lint_text_test {

using namespace muster;
using namespace muster::lint;

namespace {

// Signs that no filler has, `count` of them.
std::string characters(std::size_t count) {
  const std::string some = "q7Wd2Rf9Zb4Hn6Js1Vc8Lm3Px5Gt0Nr";
  std::string out;
  while (out.size() < count) out += some;
  return out.substr(0, count);
}

}  // namespace

// Each form is drawn in secret_scan_test.cc.
TEST_CASE("a token is known by its form: its first signs and which follow", "[lint][words]") {
  CHECK(has_secret_form("sk-" + characters(16) + "-" + characters(15)));
  CHECK_FALSE(has_secret_form("hf_" + characters(16) + "-" + characters(15)));
  CHECK(has_secret_form("eyJhbGciOi" + characters(30) + "." + characters(29)));
  CHECK(has_secret_form("-----BEGIN RSA PRIVATE KEY-----\nMIIE"));
  CHECK_FALSE(has_secret_form("-----BEGIN CERTIFICATE-----\nMIIE"));
  CHECK_FALSE(has_secret_form("the words PRIVATE KEY----- alone"));
}

TEST_CASE("what stands in for a token is none", "[lint][words]") {
  for (const std::string filler : {"your", "example", "token", "YOUR", "Token"}) {
    INFO(filler);
    CHECK_FALSE(has_secret_form("hf_" + characters(20) + filler + characters(20)));
  }
  for (const std::string filler : {"xxx", "key", "KEY"}) {  // three letters in a row may be chance
    INFO(filler);
    CHECK_FALSE(has_secret_form("hf_insertthe" + filler + "intothisplace12345"));
    CHECK(has_secret_form("hf_" + characters(20) + filler + characters(20)));
  }
  CHECK_FALSE(has_secret_form("hf_" + std::string(40, '0')));
  CHECK_FALSE(has_secret_form("hf_abcabcdeabcabcdeabcabcdeabcabcdeabc"));  // five signs
  CHECK(has_secret_form("hf_abcdefabcdefabcdefabcdefabcdefabcdef"));       // six
}

TEST_CASE("a name of a secret ends in a word for one", "[lint][words]") {
  for (const char* name : {"HF_TOKEN", "hfToken", "hf-token", "TOKEN", "CLIENT_SECRET", "DB_PASSWORD", "DB_PASSWD",
                           "WANDB_API_KEY", "WANDB_APIKEY", "AWS_SECRET_KEY", "MY_ACCESS_KEY", "SSH_PRIVATE_KEY",
                           "TS_AUTH_KEY", "GPG_PASSPHRASE", "GITHUB_PAT", "wandbApiKey"}) {
    INFO(name);
    CHECK(names_secret(name));
  }
  for (const char* name : {"secret", "SECRET", "TOKEN_PATH", "MAX_TOKENS", "KEY", "SORT_KEY", "SPAT", "PASSWORD_FILE",
                           "TOKENIZER", "hftoken", "HFTOKEN"}) {
    INFO(name);
    CHECK_FALSE(names_secret(name));
  }
}

TEST_CASE("a value is a secret by its form or by its name, unless people write it in place of one", "[lint][words]") {
  CHECK(is_secret("ANYTHING", "hf_" + characters(30)));
  CHECK(is_secret("DB_PASSWORD", "minioadmin"));
  CHECK(is_secret("DB_PASSWORD", "hunter"));  // six signs are the fewest
  CHECK_FALSE(is_secret("DB_PASSWORD", "admin"));
  CHECK_FALSE(is_secret("DB_NAME", "minioadmin"));
  CHECK(is_secret("DB_PASSWORD", "a1" + std::string(4094, 'b')));
  CHECK_FALSE(is_secret("DB_PASSWORD", "a1" + std::string(4095, 'b')));
  CHECK_FALSE(is_secret("DB_PASSWORD", "12345678"));
  for (const char* word :
       {"password", "passwd", "secret", "changeme", "change-me", "change_me", "example", "unused", "not-used",
        "redacted", "default", "required", "optional", "apikey", "api-key", "Password"}) {
    INFO(word);
    CHECK_FALSE(is_secret("DB_PASSWORD", word));
  }
  for (const char* part : {"your", "changeme", "change-me", "replace", "insert", "xxx", "***", "...", "example",
                           "placeholder", "dummy", "fake", "redacted", "mock", "test-"}) {
    INFO(part);
    CHECK_FALSE(is_secret("DB_PASSWORD", "q7w" + std::string(part) + "d2r"));
  }
  for (char c = '!'; c <= '~'; ++c)  // a sign that is repeated, and two by turns
    for (const char other : {c, '-', 'x', '0'})
      for (std::size_t size = 6; size < 40; size += 7) {
        std::string value(size, c);
        for (std::size_t i = 1; i < size; i += 2) value[i] = other;
        INFO(value);
        CHECK_FALSE(is_secret("WANDB_API_KEY", value));
      }
  CHECK_FALSE(is_secret("DB_PASSWORD", "q7wd-test"));
  CHECK_FALSE(is_secret("DB_PASSWORD", "MY_PASSWORD-HERE"));  // a name in capitals
  CHECK(is_secret("DB_PASSWORD", "MY_PASSWORd"));
  for (const char* character : {"$", "/", " ", "{", "}", "(", ")", "<", ">", "\n", "://"}) {
    INFO(character);
    CHECK_FALSE(is_secret("DB_PASSWORD", "q7wd2r" + std::string(character) + "f9zb"));
  }
  for (const char* end : {"-secret", "-secrets", "-token", "-credentials", "-key", "-password"}) {
    INFO(end);
    CHECK_FALSE(is_secret("DB_PASSWORD", "q7wd2r" + std::string(end)));
  }
  CHECK_FALSE(is_secret("HF_TOKEN", "hf_short1"));  // begins like a token, and is none
  CHECK_FALSE(is_secret("admin-password", "Admin-Password"));
  CHECK(is_secret("admin-password", "Admin-Password1"));
}

TEST_CASE("a strong secret has digits and letters, and twelve characters", "[lint][words]") {
  CHECK(is_strong("hf_" + characters(30)));
  CHECK(is_strong("abcdefghijk1"));
  CHECK_FALSE(is_strong("abcdefghij1"));
  CHECK_FALSE(is_strong("abcdefghijkl"));
  CHECK_FALSE(is_strong("123456789012"));
}

TEST_CASE("secrets are masked in what is printed, in place", "[lint][words]") {
  const std::string body = characters(30), stars(30, '*');
  CHECK(mask_tokens("a hf_" + body + ", b") == "a hf_" + stars + ", b");
  CHECK(mask_tokens("hf_" + body + " hf_" + body) == "hf_" + stars + " hf_" + stars);
  CHECK(mask_tokens("hf_short1 sk-ab") == "hf_short1 sk-ab");
  CHECK(mask_tokens("BEGIN PRIVATE KEY-----\\nMIIE+/90MIIE+/90\\nab=\\n-----END PRIVATE KEY-----") ==
        "BEGIN PRIVATE KEY-----\\n****************\\n***\\n-----END PRIVATE KEY-----");
  CHECK(mask_tokens("PRIVATE KEY-----\n  MIIE+/90MIIE+/90\n  and: more") ==
        "PRIVATE KEY-----\n  ****************\n  and: more");
  // A file may be called so: what the report says behind the name stays.
  CHECK(mask_tokens("a PRIVATE KEY-----.sbatch: SLM001") == "a PRIVATE KEY-----.sbatch: SLM001");
  CHECK(mask_tokens("a PRIVATE KEY-----\", \"line\": 12, -----END") == "a PRIVATE KEY-----\", \"line\": 12, -----END");
  CHECK(mask_tokens("a PRIVATE KEY----- is no key") == "a PRIVATE KEY----- is no key");
  CHECK(mask_line("  export DB_PASSWORD=q7wd2rf9zb MODE=q7wd2rf9zb") ==
        "  export DB_PASSWORD=********** MODE=q7wd2rf9zb");
  CHECK(mask_line("\"DB_PASSWORD\": \"q7wd2rf9zb\"}") == "\"DB_PASSWORD\": \"**********\"}");
  CHECK(mask_line("=q7wd2rf9zb DB_PASSWORD=") == "=q7wd2rf9zb DB_PASSWORD=");
  std::string twice;  // longer than what is looked at to tell whether it is a token
  for (int i = 0; i < 20; ++i) twice += body;
  CHECK(mask_tokens("hf_" + twice + ".") == "hf_" + std::string(600, '*') + ".");
  CHECK(mask_line("DB_PASSWORD=$PASSWORD") == "DB_PASSWORD=$PASSWORD");
  CHECK(mask_value("DB_PASSWORD", "q7wd2rf9zb") == "**********");
  CHECK(mask_value("mode", "q7wd2rf9zb") == "q7wd2rf9zb");
}

TEST_CASE("paths of one node, and options of checkpoints", "[lint][words]") {
  for (const char* path : {"/tmp", "/tmp/x", "/var/tmp/x", "/dev/shm/x", "/local/x", "$TMPDIR/x", "$SLURM_TMPDIR/x",
                           "${SLURM_TMPDIR}/x", "${TMPDIR}"}) {
    INFO(path);
    CHECK(is_node_local(path));
  }
  for (const char* path : {"/tmpfs", "/localdata/x", "/scratch/tmp", "/var/x", "$TMPDIRS/x", ""}) {
    INFO(path);
    CHECK_FALSE(is_node_local(path));
  }
  for (const char* option :
       {"--save", "--save-dir", "--save_dir", "--checkpoint", "--checkpoint-dir", "--checkpoint_path",
        "--checkpoint-folder", "--ckpt-dir", "--ckpt-path", "--Save-Path", "--checkpoints-dir"}) {
    INFO(option);
    CHECK(is_checkpoint_option(option));
  }
  for (const char* option : {"save", "-save", "--saves", "--load", ""}) {
    INFO(option);
    CHECK_FALSE(is_checkpoint_option(option));
  }
}

TEST_CASE("variables that send NCCL over TCP, and pools with RDMA", "[lint][words]") {
  CHECK(forces_tcp("NCCL_IB_DISABLE", "1"));
  CHECK_FALSE(forces_tcp("NCCL_IB_DISABLE", "0"));
  CHECK(forces_tcp("NCCL_NET", "Socket"));
  CHECK_FALSE(forces_tcp("NCCL_NET", "IB"));
  CHECK_FALSE(forces_tcp("NCCL_SOCKET", "socket"));
  const auto rdma = [](const char* fabric) {
    model::Pool pool;
    pool.fabric = fabric;
    return has_rdma(pool);
  };
  CHECK(rdma("infiniband"));
  for (const char* fabric : {"", "none", "ethernet"}) CHECK_FALSE(rdma(fabric));
}

TEST_CASE("what an image is built for, by its name", "[lint][words]") {
  const std::pair<const char*, const char*> images[] = {
      {"arm64v8/python:3", "arm64"},
      {"r/aarch64/python", "arm64"},
      {"amd64/python:3", "amd64"},
      {"python:3-x86_64", "amd64"},
      {"python:arm64-3.12", "arm64"},
      {"cuda-arm64:12", "arm64"},
      {"arm64-cuda:12", ""},
      {"cuda:12-arm64-amd64", ""},
      {"cuda:12-arm64-aarch64", "arm64"},
      {"cuda:12", ""},
      {"cuda-arm64:12-amd64", "amd64"},
      {"r.example:5000/cuda-arm64", "arm64"},
      {"cuda:12@sha256:arm64", ""},
      {"cuda:12-arm64@sha256:0", "arm64"},
      {"cuda:arm6", ""},
      {"arm64/r/python", ""},
  };
  for (const auto& [image, arch] : images) {
    INFO(image);
    CHECK(arch_of_image(image) == arch);
  }
}

TEST_CASE("an image is pinned by a digest or by being a file", "[lint][words]") {
  for (const char* image : {"a@sha256:0", "a:1@sha256:0", "/images/a", "./a", "a.sqsh", "a.sif"}) {
    INFO(image);
    CHECK(pin_of(image) == Pin::pinned);
  }
  for (const char* image : {"a:1", "r.example/a:1"}) {
    INFO(image);
    CHECK(pin_of(image) == Pin::tagged);
  }
  for (const char* image : {"a", "r.example:5000/a", "a/b"}) {
    INFO(image);
    CHECK(pin_of(image) == Pin::no_tag);
  }
  for (const char* image : {"a:1", "r.example:5000/a:1.2.3", "a:latest-1"}) {
    INFO(image);
    CHECK(pin_of(image) == Pin::tagged);
  }
  CHECK(pin_of("r.example:5000/a:latest") == Pin::latest);
}

}  // namespace lint_text_test
