// Where a text gives a secret away. The shapes of real files are in tests/secret_shapes.
#include "compiler/base/secret_scan.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include "compiler/base/secret.h"
#include "tests/catch.h"

namespace secret_scan_test {

using namespace muster;

namespace {

const std::string hex = "7c1e9a4f0b5d2836e1f47a9c3b80d65f2e94a1c7";

// What is found, a line each: the value's length, what it is, and how sure.
std::string found(const std::string& text) {
  std::string out;
  for (const SecretPlace& place : find_secrets(text))
    out += (out.empty() ? "" : "; ") + std::to_string(place.end - place.begin) + " " + place.what +
           (place.strong ? "" : " weak") + (place.sure ? "" : " unsure");
  return out;
}

}  // namespace

TEST_CASE("a secret is named by what it is given to", "[lint][secret]") {
  CHECK(found("A_TOKEN=" + hex) == "40 `A_TOKEN`");
  CHECK(found("python a.py --api-key " + hex) == "40 `--api-key`");
  CHECK(found("wandb login --relogin " + hex + " && a") == "40 the key of `wandb login`");
  CHECK(found("curl -u alice:s3cr3tW0rd9xyz a") == "14 the password of `-u`");
  CHECK(found("ssh -u alice:s3cr3tW0rd9xyz a").empty());  // `-u` of another command
  CHECK(found("git clone https://alice:s3cr3tW0rd9xyz@host/a") == "14 the password in a URL");
  CHECK(found("H=\"Authorization: Bearer " + hex + "\"") == "40 the `Authorization` header");
  CHECK(found("DB_PASSWORD=minioadmin") == "10 `DB_PASSWORD` weak");
}

TEST_CASE("an expression of a program is not surely a secret", "[lint][secret]") {
  CHECK(found("token = first_word") == "10 `token` weak unsure");
  CHECK(found("token = \"" + hex + "\"") == "40 `token`");
  CHECK(found("pad_token=" + hex).empty());
  CHECK(found("token = tokenizer(text)").empty());
  CHECK(found("Minio(a, secret_key=minio_pass, b=c)") == "10 `secret_key` weak unsure");
  CHECK(found("Minio(a, secret_key=\"minio_pass\", b=c)") == "10 `secret_key` weak");
}

TEST_CASE("an empty value is not a secret, and what follows it is not its value", "[lint][secret]") {
  CHECK(found("a --A.token='' --A.password='' --A.allow='*'").empty());
  CHECK(found("a --password=\"\" --name=abcdefgh1234").empty());
  CHECK(found("A_TOKEN=''" + hex + "''") == "40 `A_TOKEN`");  // in a YAML text in single quotes
  CHECK(found("{\"token\": \"\", \"name\": \"abcdefgh1234\"}").empty());
}

TEST_CASE("names of clusters, of Secrets and keys of manuals are not secrets", "[lint][secret]") {
  CHECK(found("etcd --initial-cluster-token etcd-cluster-1").empty());
  CHECK(found("a --cluster-token etcd-cluster-1") == "14 `--cluster-token`");
  CHECK(found("vllm serve --api-key=token-abc123").empty());
  CHECK(found("a --serving-secret=webhook-tls").empty());
  CHECK(found("minio_secret = \"minio-artifact\"").empty());
  CHECK(found("a --client-secret=webhook7tls").size() > 0);
  CHECK(found("export RETRO_GH_SECRET=retro-git").empty());
  CHECK(found("-Djavax.net.ssl.trustStorePassword=changeit").empty());
  CHECK(found("curl a -d \"$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)\"").empty());
  CHECK(found("mysql -u root -pMY_SECRET mydb7a1x").empty());
  CHECK(found("mysql -u root -pR4bb1thole7key db") == "14 the password of `mysql -p`");
  CHECK(found("mysql -u root -ppass db").empty());  // the name of the option would be the password
  CHECK(found("git clone https://airflow:airflow@db/a").empty());
  CHECK(found("a https://9f1c3a77d2be4410a6c59d0e:9f1c3a77d2be4410a6c59d0e@db/a") != "");
  CHECK(found("adduser --uid 1000 --disabled-password worker7a").empty());
  CHECK(found("adduser --password worker7a") == "8 `--password` weak");
}

TEST_CASE("one secret is found once", "[lint][secret]") {
  CHECK(found("export HF_TOKEN=hf_q8Zr2mVt6KpXw4LsNd7HgJb3FcYe9AuT1o") == "37 `HF_TOKEN`");
  CHECK(found("--token=hf_q8Zr2mVt6KpXw4LsNd7HgJb3FcYe9AuT1o") == "37 `--token`");
}

TEST_CASE("a secret is masked by what is in front of its line", "[lint][secret]") {
  const std::string text = "a --token \\\n  " + hex + " \\\n  --b " + hex + "\n";
  const std::size_t line = text.find("  " + hex);
  CHECK(mask_part(text, line, line + 42) == "  " + std::string(40, '*'));
  CHECK(mask_part(text, text.find("--b"), text.size() - 1) == "--b " + hex);
  CHECK(mask_part("curl -u alice:s3cr3tW0rd9xyz a", 0, 30) == "curl -u alice:************** a");
}

TEST_CASE("hostile texts take no time", "[lint][secret]") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "-p s3cr3tW0rd9 -u a:s3cr3tW0rd9 login \\\n";
  find_secrets(text);
  CHECK(find_secrets(std::string(1'000'000, '=')).empty());
  CHECK(find_secrets(std::string(1'000'000, '-')).empty());
  std::string prefixes;
  for (int i = 0; i < 100'000; ++i) prefixes += "sk-pat.xoxb-";
  CHECK(find_secrets(prefixes).empty());
  CHECK(find_secrets(std::string(500'000, ':') + "//" + std::string(500'000, '/')).empty());
}

// Each row of the table, drawn from its own alphabet and lengths.
TEST_CASE("a token of each form is found as a bare word, and nothing like it", "[lint][secret]") {
  struct Form {
    std::string prefix, alphabet, extra;
    std::size_t least, most;
  };
  const std::vector<Form> forms = {
#define FORM(prefix, alphabet, extra, least, most, source) {prefix, #alphabet, extra, least, most},
#include "compiler/base/secret_forms.def"
#undef FORM
  };
  CHECK(forms.size() > 120);
  const std::map<std::string, std::string> alphabets = {
      {"alnum", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"},
      {"hex", "0123456789abcdef"},
      {"upper", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"}};
  std::mt19937 random(7);
  for (const Form& form : forms)
    for (int turn = 0; turn < 30; ++turn) {
      const std::string& letters = alphabets.at(form.alphabet);
      const auto body = [&](std::size_t size) {
        std::string out;
        while (out.size() < size) {
          // Their last sign too; but a dot there ends a sentence.
          const bool last = out.size() + 1 == size, extra = !form.extra.empty() && random() % (last ? 3 : 16) == 0;
          const char sign = extra ? form.extra[random() % form.extra.size()] : letters[random() % letters.size()];
          out += last && sign == '.' ? letters[random() % letters.size()] : sign;
        }
        return out;
      };
      const std::size_t most = form.most > 0 ? form.most : form.least + 40;
      std::string drawn = body(form.least + random() % (most - form.least + 1));
      for (const char* word : {"KEY", "XXX", "key", "xxx"})  // a filler by chance
        if (drawn.find(word) != std::string::npos) drawn = body(form.least);
      const std::string token = form.prefix + drawn;
      INFO(token);
      for (const std::string& text :
           {"srun python train.py " + token + " --epochs 3", "curl https://a.example/?k=" + token + "&b",
            "# " + token + ".", "x=[\"" + token + "\"]"}) {
        const auto found = find_tokens(text);
        REQUIRE(found.size() == 1);
        CHECK(text.substr(found[0].begin, found[0].end - found[0].begin) == token);
        CHECK(mask_tokens(text).find(drawn) == std::string::npos);
        CHECK(mask_tokens(text).find(form.prefix) != std::string::npos);
      }
      CHECK(find_tokens("srun a" + token).empty());
      if (form.most > 0) CHECK(find_tokens(token + std::string(form.most - drawn.size() + 1, letters[3])).empty());
      CHECK(find_tokens("srun " + form.prefix + std::string(form.least, 'a')).empty());
    }
}

// Tokens that happen to have a placeholder's letters in them.
TEST_CASE("a generated token is one whatever letters it has in a row", "[lint][secret]") {
  constexpr std::string_view letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::mt19937 random(41);
  const auto drawn = [&](std::size_t below) { return random() % below; };
  std::size_t tried = 0;
  for (const auto& [prefix, size] : {std::pair<std::string, std::size_t>{"hf_", 34}, {"ghp_", 36}, {"sk-", 48}})
    for (const std::string_view word : {"key", "KEY", "kEY", "ckEYT", "xxx", "xXx", "yOuR", "tOKen", "FaKe"})
      for (int turn = 0; turn < 40; ++turn) {
        std::string body = "aB3dE4fG5h";  // letters of both cases and digits
        while (body.size() + word.size() < size) body += letters[drawn(letters.size())];
        body.insert(10 + drawn(body.size() - 9), word);
        INFO(prefix << body);
        const bool is_found = find_tokens(prefix + body).size() == 1;
        CHECK(is_found);
        ++tried;
      }
  CHECK(tried == 1080);
  for (const std::string_view filler :
       {"hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "hf_your_token_here_your_token_here_12",
        "hf_yourHuggingFaceTokenGoesHere1234567", "ghp_EXAMPLEexampleEXAMPLEexample12345678",
        "sk-fakefakefake1234567890ABCDEFGHIJKLMNOP", "hf_writeyourkeyhere1writeyourkeyhere1"})
    CHECK(find_tokens(filler).empty());
}

}  // namespace secret_scan_test
