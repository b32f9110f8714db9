// Secrets that a manifest holds as they are: references in the workload and the site, and no copy in anything that is
// written or reported. Each shape in each place.
#include <functional>

#include "tests/catch.h"
#include "tests/unit/again_scene.h"

namespace manifest_secrets_test {

using namespace muster;
using tests::Again;

namespace {

const std::string hex = "7c1e9a4f0b5d2836e1f47a9c3b80d65f2e94a1c7";
const std::string hugging =
    "hf_"
    "QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi";
const std::string github =
    "ghp_"
    "a8Kd03mQ2xZr7LpWc5Tn1VbYs6Hf4GjE9uRo";

struct Secret {
  std::string name, value;  // a variable of that name has it
};
const Secret secrets[] = {{"HF_TOKEN", hugging},
                          {"GITHUB_TOKEN", github},
                          {"WANDB_API_KEY", hex},
                          {"DB_PASSWORD", "s3cr3tW0rd9xyz"},
                          {"DATABASE_URL", "postgres://alice:s3cr3tW0rd9xyz@db/a"},
                          {"AUTH", "Authorization: Bearer " + hex}};

std::string job(const std::string& container, const std::string& pod = {}) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      restartPolicy: "
         "Never\n" +
         pod + "      containers:\n        - name: main\n          image: x\n" + container;
}

struct Place {
  std::string name;
  std::function<std::string(const Secret&)> yaml;
};

const Place places[] = {
    {"env",
     [](const Secret& s) {
       return job("          command: [run]\n          env: [{name: " + s.name + ", value: \"" + s.value + "\"}]\n");
     }},
    {"env beside others",
     [](const Secret& s) {
       return job("          command: [run]\n          env:\n          - {name: A, value: b}\n          - name: " +
                  s.name + "\n            value: '" + s.value + "'\n");
     }},
    {"option with =",
     [](const Secret& s) { return job("          command: [run, \"--" + s.name + "=" + s.value + "\"]\n"); }},
    {"option and word",
     [](const Secret& s) {
       return job("          command: [run]\n          args: [\"--" + s.name + "\", \"" + s.value + "\"]\n");
     }},
    {"script",
     [](const Secret& s) {
       return job("          command: [bash, -c, \"export " + s.name + "='" + s.value + "'; cd /a; run\"]\n");
     }},
    {"script without quotes",
     [](const Secret& s) {
       const std::string value = s.value.find(' ') == std::string::npos ? s.value : "'" + s.value + "'";
       return job("          command: [bash, -c, \"cd /a; export " + s.name + "=" + value + "; run\"]\n");
     }},
    {"script, double quotes",
     [](const Secret& s) {
       return job("          command: [bash, -c, \"cd /a; run --" + s.name + " \\\"" + s.value + "\\\"; x\"]\n");
     }},
    {"sidecar env",
     [](const Secret& s) {
       return job("          command: [run]\n        - name: side\n          image: z\n          env: [{name: " +
                  s.name + ", value: \"" + s.value + "\"}]\n");
     }},
    {"sidecar words",
     [](const Secret& s) {
       return job("          command: [run]\n        - name: side\n          image: z\n          command: [a, \"--" +
                  s.name + "=" + s.value + "\"]\n");
     }},
    {"ConfigMap",
     [](const Secret& s) {
       return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a.env: \"" + s.name + "=" + s.value +
              "\"}\n---\n" +
              job("          command: [run]\n          volumeMounts: [{name: c, mountPath: /etc/c}]\n",
                  "      volumes: [{name: c, configMap: {name: c}}]\n");
     }},
};

}  // namespace

TEST_CASE("no secret of a manifest is copied", "[manifest-import][secret]") {
  int cases = 0;
  for (const Place& place : places)
    for (const Secret& secret : secrets) {
      ++cases;
      const std::string yaml = place.yaml(secret);
      Again again(yaml);
      INFO(place.name << "\n" << yaml << again.workload << again.site << again.report << again.why);
      // The part of the value that is the secret.
      const std::string bare = secret.value.find("s3cr3t") != std::string::npos ? "s3cr3tW0rd9xyz"
                               : secret.value.find(hex) != std::string::npos    ? hex
                                                                                : secret.value;
      for (const std::string* text : {&again.workload, &again.site, &again.report, &again.why})
        CHECK(text->find(bare) == std::string::npos);
      REQUIRE(again.imported());
      CHECK(again.site.find("secret ") != std::string::npos);
      CHECK(again.report.find("question secret `") != std::string::npos);
      const std::string same = again.same_kind();
      INFO(same << again.why);
      CHECK_FALSE(same.empty());
      CHECK(same.find(bare) == std::string::npos);
      CHECK((same.find("secretKeyRef") != std::string::npos || same.find("secretName") != std::string::npos ||
             same.find("secret:") != std::string::npos));
    }
  CHECK(cases == 60);
}

TEST_CASE("what only looks like a secret stays", "[manifest-import][secret]") {
  for (const std::string word :
       {"--pad_token=<pad>", "--api-key=$API_KEY", "--token=${TOKEN}", "--password=CHANGE_ME"}) {
    Again again(job("          command: [run, \"" + word + "\"]\n"));
    INFO(again.workload);
    CHECK(again.workload.find("secret ") == std::string::npos);
  }
}

}  // namespace manifest_secrets_test
