// What `target NAME { }` brings into the files that muster writes, as lint of the workload finds it. The page of each
// rule that can come so has a case `block-fires`.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "targets/target.h"
#include "tests/unit/linted.h"
#include "tests/unit/rule_cases.h"

namespace target_block_lint_test {

using namespace muster;
using namespace muster::lint;
using targets::Target;
using tests::Linted;
using tests::TempFolder;
using tests::written;
namespace fs = std::filesystem;

namespace {

bool of_target_block(const Finding& f) { return f.path.starts_with("target."); }

// The findings that a block brought, of one rule.
std::vector<Finding> brought(Linted& linted, std::string_view rule) {
  std::vector<Finding> out;
  for (const Result& r : linted.results())
    if (of_target_block(r.finding) && about(r.finding).id == rule && r.state == State::open) out.push_back(r.finding);
  return out;
}

std::string text_at(Linted& linted, Span span) { return std::string(linted.sources().text(span)); }

// The case of a rule, and up to the line that begins with a word.
std::string block_of(std::string_view rule) { return tests::case_text(rule, "block-fires"); }
std::string before(std::string_view rule, std::string_view word) {
  const std::string text = block_of(rule);
  return text.substr(0, text.find("\n" + std::string(word)) + 1);
}
std::string without_block(std::string_view fixture) { return before(fixture, "  target ") + "}\n"; }

}  // namespace

TEST_CASE("each rule that can come through a `target` block has one that causes it", "[lint][target-block]") {
  const TempFolder folder;
  for (const Rule& rule : all_rules()) {
    INFO(rule.id);
    const bool there = tests::find_case(tests::rule_page(rule.id), "block-fires") != nullptr;
    CHECK(there == rule.places.has(Place::target_block));
    if (!there) continue;
    Linted wrong(written(folder, "wrong.muster", block_of(rule.id)));
    REQUIRE(wrong.usable());
    const auto found = brought(wrong, rule.id);
    REQUIRE_FALSE(found.empty());
    CHECK(found[0].message.starts_with("in `job."));
    CHECK((found[0].subject == "job" || found[0].subject.ends_with("/job")));  // its folder is below the current one
    CHECK(found[0].primary.known());
    CHECK(fs::path(wrong.sources().name(found[0].primary.file)).filename() == "wrong.muster");
    CHECK_FALSE(found[0].fix);
    Linted clean(written(folder, "clean.muster", without_block(rule.id)));
    CHECK(clean.usable());
    CHECK(brought(clean, rule.id).empty());
    std::string text = block_of(rule.id);
    text.insert(text.find("workload job {\n") + 15, "  allow " + std::string(rule.id) + " { reason = \"shown\" }\n");
    Linted allowed(written(folder, "allowed.muster", text));
    CHECK(allowed.usable());
    CHECK(brought(allowed, rule.id).empty());
    CHECK(allowed.count(rule.id, State::suppressed) > 0);
    CHECK(allowed.count("SUP002") == 0);
  }
}

TEST_CASE("what a `target` block causes is reported at its line", "[lint][target-block]") {
  const TempFolder folder;
  Linted token(written(folder, "token.muster", block_of("SEC001")));
  REQUIRE(brought(token, "SEC001").size() == 1);
  CHECK(text_at(token, brought(token, "SEC001")[0].primary) == "value: hf_abcdefghijklmnopqrstuvwxyz0123456789");
  Linted memory(written(folder, "memory.muster", block_of("SLM009")));
  REQUIRE(brought(memory, "SLM009").size() == 1);
  CHECK(text_at(memory, brought(memory, "SLM009")[0].primary) == "mem");
  CHECK(brought(memory, "SLM009")[0].path == "target.slurm.mem");

  // Two options: the one without which it is not found.
  Linted two(written(folder, "two.muster",
                     before("SEC002", "  target ") + "  target kubernetes {\n"
                                                     "    object = \"metadata: {annotations: {a: b}}\"\n"
                                                     "    pod    = \"spec: {hostIPC: true}\"\n  }\n}\n"));
  REQUIRE(brought(two, "SEC002").size() == 1);
  CHECK(text_at(two, brought(two, "SEC002")[0].primary) == "pod");
}

TEST_CASE("what the file has without the `target` block is not the block's", "[lint][target-block]") {
  const TempFolder folder;
  // The image of the site has no tag: each file has that, with words and without.
  std::string text = block_of("SEC002");
  const std::string image = "example.com/torch:2.7";
  text.replace(text.find(image), image.size(), "example.com/torch");
  Linted linted(written(folder, "a.muster", text));
  CHECK(brought(linted, "SEC002").size() == 1);
  CHECK(brought(linted, "K8S001").empty());
}

TEST_CASE("what a `target` block fixes is dropped", "[lint][target-block]") {
  const TempFolder folder;
  std::string bare = before("SLM005", "  target ");
  const std::string by_default = "default-time = 1h";
  bare.erase(bare.find(by_default), by_default.size());
  Linted without(written(folder, "a.muster", bare + "}\n"));
  CHECK(without.count("SLM008") == 1);
  Linted with(written(folder, "b.muster", bare + "  target slurm { time = \"02:00:00\" }\n}\n"));
  CHECK(with.count("SLM008") == 0);
  CHECK(with.count("SLM005") == 0);
}

TEST_CASE("a `target` block that no file can hold is reported once", "[lint][target-block]") {
  const TempFolder folder;
  Linted twice(written(folder, "a.muster",
                       before("SLM009", "  target ") + "  target slurm { time = \"1:00:00\"  mem = 0 }\n}\n"));
  CHECK(twice.usable());
  CHECK(twice.count("E0701") == 1);
  CHECK(brought(twice, "SLM009").empty());  // there is no file with it
  for (const char* yaml : {"spec: [1]", "a: b: c", "", "[]", "null", "{", "&a [*a, *a]"}) {
    INFO(yaml);
    Linted broken(written(folder, "b.muster",
                          before("SEC002", "  target ") + "  target kubernetes { pod = \"" + yaml + "\" }\n}\n"));
    CHECK(broken.usable());
    CHECK(broken.count("E0701") == 1);
  }
}

TEST_CASE("words for a plane that was not decided are judged in its file", "[lint][target-block]") {
  const TempFolder folder;
  std::string text = before("SEC002", "workload job");
  text.insert(text.find("  queue main"),
              "  plane batch { kind = slurm  version = \"24.05\"  topology = tree }\n"
              "  job-dir = \"/jobs\"\n  storage more { path = \"/jobs\" }\n"
              "  software any { modules = [\"cuda\"]  image = \"example.com/x:1\" }\n");
  text +=
      "workload job {\n  kind = batch\n  time-limit = 1h\n  gpu = H100:1\n  cpus = 8\n  memory = default\n"
      "  software = any\n  command = [\"true\"]\n";
  const std::string slurm = "  target slurm { mem = 0 }\n";
  const std::string pods = "  target kubernetes { pod = \"spec: {hostIPC: true}\" }\n";
  Linted both(written(folder, "a.muster", text + slurm + pods + "}\n"));
  CHECK(both.usable());
  CHECK(brought(both, "SEC002").size() == 1);
  CHECK(brought(both, "SLM009").size() == 1);
  CHECK(both.count("DEC001") == 0);  // words for each plane are for wherever it goes
  Linted one(written(folder, "b.muster", text + pods + "}\n"));
  CHECK(brought(one, "SEC002").size() == 1);
  CHECK(one.count("DEC001") == 1);  // it goes to Slurm, and has words for pods alone
  CHECK(Linted(written(folder, "c.muster", text + slurm + "}\n")).count("DEC001") == 0);
  // Words for a plane that the site has not are for another site.
  std::string elsewhere = before("SLM009", "  target ");
  CHECK(Linted(written(folder, "d.muster", elsewhere + pods + "}\n")).count("DEC001") == 0);
}

TEST_CASE("an annotation of the object in a `target` block lets its findings stay", "[lint][target-block]") {
  const TempFolder folder;
  const std::string spec = before("K8S001", "  target ");
  const auto words = [&](const std::string& block, const std::string& annotation) {
    return spec + "  target " + block + " {\n    object = <<<yaml\n      metadata:\n        annotations:\n" +
           "          lint.muster/allow: \"" + annotation + "\"\n      >>>\n" +
           "    pod = <<<yaml\n      spec:\n        containers:\n          - name: side\n" +
           "            image: example.com/side:latest\n      >>>\n  }\n}\n";
  };
  Linted allowed(written(folder, "a.muster", words("kubernetes", "K8S001 -- it moves")));
  CHECK(allowed.usable());
  CHECK(brought(allowed, "K8S001").empty());
  CHECK(allowed.count("K8S001", State::suppressed) == 1);
  CHECK(allowed.count("SUP002") == 0);

  // The second rule finds nothing: its words stand at the annotation.
  Linted unused(written(folder, "b.muster", words("kubernetes", "K8S001, SEC002 -- it moves")));
  CHECK(unused.count("K8S001", State::suppressed) == 1);
  REQUIRE(unused.count("SUP002") == 1);
  for (const Result& r : unused.results())
    if (about(r.finding).id == "SUP002") CHECK(text_at(unused, r.finding.primary) == "SEC002");

  Linted bare(written(folder, "c.muster", words("kubernetes", "K8S001")));
  CHECK(bare.count("SUP001") == 1);
  CHECK(brought(bare, "K8S001").size() == 1);
  CHECK(Linted(written(folder, "d.muster", words("kubernetes", "K8S999 -- x"))).count("SUP004") == 1);

  // Words of a target that the workload does not go to hold for what they bring there, and are not missed here.
  Linted elsewhere(written(folder, "e.muster", words("volcano", "SEC002, K8S001 -- it moves")));
  CHECK(elsewhere.count("K8S001", State::suppressed) == 1);
  CHECK(elsewhere.count("SUP002") == 0);
}

TEST_CASE("an annotation of the pod in a `target` block is not read, and that is reported", "[lint][target-block]") {
  const TempFolder folder;
  Linted linted(written(folder, "a.muster",
                        before("K8S001", "  target ") +
                            "  target kubernetes {\n    pod = \"metadata: {annotations: {lint.muster/allow: "
                            "K8S001 -- x}}\"\n  }\n}\n"));
  REQUIRE(linted.count("SUP004") == 1);
  for (const Result& r : linted.results())
    if (about(r.finding).id == "SUP004") CHECK(text_at(linted, r.finding.primary) == "pod");
}

TEST_CASE("a `target` block is judged where the workload does not fit too", "[lint][target-block]") {
  const TempFolder folder;
  std::string text = block_of("K8S001");
  const std::string nodes = "nodes      = 4";
  text.replace(text.find(nodes), nodes.size(), "nodes      = 400");
  Linted linted(written(folder, "a.muster", text));
  CHECK(linted.count("SCH013") == 1);
  CHECK(brought(linted, "K8S001").size() == 1);
}

TEST_CASE("a `target` block that is a template fixes nothing", "[lint][target-block]") {
  const TempFolder folder;
  std::string bare = before("SLM005", "  target ");
  const std::string by_default = "default-time = 1h";
  bare.erase(bare.find(by_default), by_default.size());
  Linted linted(written(folder, "a.muster", bare + "  target slurm { comment = \"{{ who }}\" }\n}\n"));
  CHECK(brought(linted, "SLM022").size() == 1);
  CHECK(linted.count("SLM008") == 1);
}

TEST_CASE("options of any-of share their `target` block, and its findings", "[lint][target-block]") {
  const TempFolder folder;
  const std::string text =
      before("SLM009", "  gpu        = H100:1") +
      "  cpus = 8\n  software = torch\n  launch { runner = torchrun }\n  command = [\"train.py\"]\n"
      "  any-of {\n    option a { resources { gpus = 1  gpu = h100 } }\n"
      "    option b { resources { gpus = 2  gpu = h100 } }\n  }\n"
      "  target slurm { mem = 0 }\n}\n";
  Linted linted(written(folder, "a.muster", text));
  CHECK(linted.usable());
  CHECK(brought(linted, "SLM009").size() == 1);
}

TEST_CASE("a `target` block costs by its length, not by its square", "[lint][target-block]") {
  const TempFolder folder;
  std::string options;
  for (int i = 0; i < 3'000; ++i) options += " o" + std::to_string(i) + " = 1";
  Linted many(
      written(folder, "a.muster", before("SLM009", "  target ") + "  target slurm {" + options + " mem = 0 }\n}\n"));
  CHECK(many.usable());
  CHECK(brought(many, "SLM021").size() > 0);
}

}  // namespace target_block_lint_test
