// What is no YAML because of a name to fill in is a template; what is none with the name filled in either is an error.
#include "targets/kubernetes/read/manifest.h"
#include "tests/catch.h"

namespace manifest_filled_test {

using namespace muster;
using targets::kubernetes::Skipped;

namespace {

std::string read(const std::string& lines, const std::string& before = {}) {
  Sources sources;
  const auto manifest = targets::kubernetes::read_manifest(
      sources, sources.add("a.yaml", before + "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n" + lines));
  if (manifest.skipped.empty()) return manifest.diagnostics.has_errors() ? "errors" : "object";
  const bool templ = manifest.skipped.front().why == Skipped::Why::helm_template;
  return templ ? "template" : manifest.diagnostics.has_errors() ? "unreadable" : "not an object";
}

}  // namespace

TEST_CASE("a name to fill in makes a template only where it is what is wrong", "[manifest]") {
  CHECK(read("  labels: {team: ${TEAM}, a: b}\n") == "template");
  for (const std::string name : {"%TEAM%", "@TEAM@"}) {
    INFO(name);
    CHECK(read("  namespace: " + name + "\n") == "template");
    CHECK(read("  labels: {team: " + name + ", a: b}\n") == "template");
  }
  for (const std::string name : {"${TEAM}", "%TEAM%", "@TEAM@"})
    for (const std::string broken :
         {"  namespace: \"\\$1 NAME\"\n", "  namespace: \"\\NAME\"\n", "  labels: {team: \"NAME\"\n",
          "  labels: [\"NAME\"\n", "\tnamespace: \"NAME\"\n", "  namespace: \"NAME\n", "  namespace: \"NAME\" b\n",
          "  labels: {a: \"NAME\"}}\n", "  a: b: NAME\n", "  namespace: &\n  labels: {a: \"NAME\"}\n  b: *none\n"}) {
      std::string text = broken;
      text.replace(text.find("NAME"), 4, name);
      INFO(text);
      CHECK(read(text) == "unreadable");
    }
}

TEST_CASE("one byte order mark begins a manifest, two are an error", "[manifest]") {
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(read("", mark) == "object");
  CHECK(read("", mark + mark) == "unreadable");
  CHECK(read("", mark + mark + mark) == "unreadable");
}

}  // namespace manifest_filled_test
