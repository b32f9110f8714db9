// Manifests in UTF-16, as kubectl reads them.
#include "driver/utf16.h"

#include <string>
#include <string_view>

#include "tests/unit/linted.h"

namespace utf16_test {

using namespace muster;
using tests::Linted;
using tests::TempFolder;
using tests::written;

namespace {

// ASCII with the byte order mark of one of the two orders.
std::string utf16(std::string_view text, bool little = true) {
  std::string out = little ? "\xFF\xFE" : "\xFE\xFF";
  for (const char c : text) out += little ? std::string{c, '\0'} : std::string{'\0', c};
  return out;
}

constexpr std::string_view pod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  restartPolicy: Sometimes\n  containers:\n"
    "  - {name: a, image: b/a@sha256:0000000000000000000000000000000000000000000000000000000000000000}\n";

}  // namespace

TEST_CASE("text in UTF-16 becomes UTF-8 in files of data alone", "[driver]") {
  using namespace std::string_literals;
  CHECK(driver::in_utf8("a.yaml", utf16("a: b\n")) == "a: b\n");
  CHECK(driver::in_utf8("a.json", utf16("{}", false)) == "{}");
  CHECK(driver::in_utf8("a.sh", utf16("ls")) == utf16("ls"));
  CHECK(driver::in_utf8("a.yml", "\xFF\xFE\xE9\0\xAC\x20"s) == "\xC3\xA9\xE2\x82\xAC");  // é€
  CHECK(driver::in_utf8("a.yml", "\xFF\xFE\x3D\xD8\x00\xDE"s) == "\xF0\x9F\x98\x80");    // a pair
  CHECK(driver::in_utf8("a.yml", "\xFF\xFE\x3D\xD8"s) == "\xEF\xBF\xBD");                // half of one
  CHECK(driver::in_utf8("a.yml", "\xFF\xFE\x00\xDE\x61\0"s) == "\xEF\xBF\xBD\x61");      // the other half
  CHECK(driver::in_utf8("a.yml", "\xFF\xFE\x61\0\x62"s) == "a");                         // half a unit
  CHECK(driver::in_utf8("a.yml", "\xFF\xFE"s).empty());
}

TEST_CASE("a manifest in UTF-16 is linted like any other, and fixed in UTF-8", "[lint][manifest]") {
  const TempFolder folder;
  CHECK(Linted(written(folder, "a.yaml", utf16(pod))).count("K8S018") == 1);
  CHECK(Linted(written(folder, "b.yaml", utf16(pod, false))).count("K8S018") == 1);
  CHECK(Linted(written(folder, "c.sh", utf16("#!/bin/bash\n#SBATCH -N 1\n"))).count("E0801") == 1);
  const std::string served =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas: 2\n  selector: {matchLabels: {a: "
      "b}}\n"
      "  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: a, image: b/a:1}]}\n---\n"
      "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec:\n  maxReplicas: 4\n"
      "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}\n";
  const auto file = written(folder, "d.yaml", utf16(served));
  driver::LintSettings settings = tests::all_rules_on(file);
  settings.fix = true;
  Linted fixed(settings);
  REQUIRE(fixed.run.changed().size() == 1);
  const std::string_view text = fixed.run.session().sources().text(fixed.run.changed().front().after);
  CHECK(text.starts_with("apiVersion: apps/v1\n"));
  CHECK(text.find("replicas: 2") == std::string_view::npos);
}

}  // namespace utf16_test
