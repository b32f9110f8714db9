// Target `skypilot`: SkyPilot replaces names behind `$` in file_mounts, volumes, service and workdir, which would
// change what a site or a workload says there.
#include "tests/unit/pods_scene.h"

namespace skypilot_test {

using namespace muster;
using muster::test::Manifests;
using muster::test::Pods;

namespace {

struct Place {
  const char* what;
  const char* infra;
  std::string site;      // `@` is the text
  std::string workload;  // likewise
};

const Place places[] = {
    {"a bucket", "aws", "storage data { bucket = \"s3://@\" }", "mount data { path = \"/data\" }"},
    {"a folder of a bucket", "aws", "storage data { bucket = \"s3://b\" }",
     "mount data { path = \"/data\"  sub-path = \"@\" }"},
    {"where a bucket is mounted", "aws", "storage data { bucket = \"s3://b\" }", "mount data { path = \"/@\" }"},
    {"a claim", "k8s/lab", "storage data { pvc = \"@\" }", "mount data { path = \"/data\" }"},
    {"where a claim is mounted", "k8s/lab", "storage data { pvc = \"claim\" }", "mount data { path = \"/@\" }"},
    {"a folder of code", "aws", "", "code = \"@\""},
    {"a repository", "aws", "code { by = git }", "code { git { url = \"https://example.com/@\"  rev = \"v1\" } }"},
};

Manifests lowered(const Place& place, const std::string& text) {
  const auto with = [&](std::string s) {
    if (const std::size_t at = s.find('@'); at != s.npos) s.replace(at, 1, text);
    return s;
  };
  Pods out;
  out.kind = "skypilot";
  out.plane = std::string("infra = [\"") + place.infra + "\"]";
  out.site = "image own { ref = \"own:1\" }\n" + with(place.site);
  out.name = "work";
  out.workload = "kind = train\ngpu = H100:1\nimage = own\ncommand = [\"./train\"]\n" + with(place.workload);
  return lower(out, "skypilot");
}

}  // namespace

TEST_CASE("a text where SkyPilot fills in names has none", "[skypilot]") {
  for (const Place& place : places) {
    INFO(place.what);
    const Manifests plain = lowered(place, "lab");
    INFO(plain.stated());
    CHECK(plain.ok());
    for (const char* text : {"\\${HOME}", "a\\$HOME", "\\$SKYPILOT_NODE_RANK"}) {
      const Manifests filled = lowered(place, text);
      INFO(text << "\n" << filled.stated() << filled.text());
      CHECK_FALSE(filled.ok());
      CHECK(filled.stated().find("SkyPilot replaces names behind `$`") != std::string::npos);
    }
  }
}

}  // namespace skypilot_test
