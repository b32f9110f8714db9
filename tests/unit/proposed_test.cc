// Which suppressions of a change are those of the state before, by their anchors.
#include "lint/proposed.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/twin/twin.h"
#include "driver/lint_anchors.h"
#include "lint/check.h"
#include "tests/catch.h"

namespace proposed_test {

using namespace muster;
using namespace muster::lint;

namespace {

std::vector<Suppression> of(const std::string& text, Input kind) {
  Sources sources;
  const std::uint32_t file = sources.add("f", text);
  if (kind != Input::muster) return suppressions_of(sources, file, kind).items;
  Diagnostics diagnostics;
  const auto tree = twin::read(sources, file, twin::Form::muster, diagnostics);
  REQUIRE(tree);
  return driver::anchored(*tree, sources);
}

// How many of the second text the first does not have.
std::size_t proposed(const std::string& before, const std::string& now, Input kind, const std::string& as_of = "") {
  std::vector<Suppression> items = of(now, kind);
  REQUIRE_FALSE(items.empty());
  mark_proposed(of(before, kind), items, as_of);
  return static_cast<std::size_t>(
      std::count_if(items.begin(), items.end(), [](const Suppression& s) { return s.proposed; }));
}

std::size_t in_script(const std::string& before, const std::string& now, const std::string& as_of = "") {
  const std::string head = "#!/bin/bash\n";
  return proposed(head + before, head + now, Input::script, as_of);
}

const std::string line = "#SBATCH --time=1\nsrun a # muster: allow SLM001 -- fine\n";

std::string pod(const std::string& name, const std::string& container, const std::string& space = "a") {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: " + space +
         "}\nspec:\n  containers:\n  - name: " + container +
         "\n    image: a\n    # muster: allow K8S001 -- fine\n    command: [a]\n";
}

std::string workload(const std::string& name, const std::string& inner) {
  return "workload " + name + " {\n  kind = batch\n" + inner + "}\n";
}
const std::string allow = "  allow PRT001 { reason = \"mine\" }\n";

}  // namespace

TEST_CASE("a comment for a line is the same one while the line is", "[lint][proposed]") {
  CHECK(in_script(line, "#SBATCH --time=1\n\necho moved\nsrun a # muster: allow SLM001 -- other words\n") == 0);
  CHECK(in_script(line, "#SBATCH --time=1\nsrun b # muster: allow SLM001 -- fine\n") == 1);
  CHECK(in_script(line, "#SBATCH --time=1\nsrun a # muster: allow SLM001, SLM002 -- fine\n") == 1);
  CHECK(in_script(line, line + "srun a # muster: allow SLM001 -- fine\n") == 1);  // one more
  CHECK(in_script(line, "#SBATCH --time=1\n# muster: allow SLM001 -- above\nsrun a\n") == 0);
  CHECK(in_script(line, "# muster: allow SLM001 -- all\n#SBATCH --time=1\nsrun a\n") == 1);  // of the whole file
  CHECK(in_script("# muster: allow SLM001 -- all\n#SBATCH --time=1\n",
                  "# muster: allow SLM001 -- all\n#SBATCH --time=9\nsrun b\n") == 0);
  CHECK(in_script("#SBATCH --time=1\n", line) == 1);
}

TEST_CASE("a later end is that of before, and nothing once it has passed", "[lint][proposed]") {
  const auto until = [](const std::string& day) {
    return "#SBATCH --time=1\nsrun a # muster: allow SLM001 until=" + day + " -- fine\n";
  };
  CHECK(in_script(until("2026-05-01"), until("2027-05-01"), "2026-04-01") == 0);
  CHECK(in_script(until("2026-05-01"), until("2027-05-01"), "2026-06-01") == 1);
  CHECK(in_script(until("2026-05-01"), line, "2026-06-01") == 1);
  CHECK(in_script(line, until("2026-05-01"), "2026-06-01") == 0);  // it ends sooner
  auto items = of("#!/bin/bash\n" + until("2027-05-01"), Input::script);
  mark_proposed(of("#!/bin/bash\n" + until("2026-05-01"), Input::script), items, "2026-04-01");
  CHECK(items.at(0).until == "2026-05-01");
}

TEST_CASE("a comment of a manifest is its object's, at its path", "[lint][proposed]") {
  const auto manifest = [](const std::string& before, const std::string& now) {
    return proposed(before, now, Input::manifest);
  };
  CHECK(manifest(pod("p", "c"), "# a line more\n" + pod("p", "c")) == 0);
  CHECK(manifest(pod("p", "c"), pod("q", "c")) == 1);
  CHECK(manifest(pod("p", "c"), pod("p", "d")) == 1);
  CHECK(manifest(pod("p", "c"), pod("p", "c", "b")) == 1);
  CHECK(manifest(pod("p", "c") + "---\n" + pod("q", "c"), pod("q", "c") + "---\n" + pod("p", "c")) == 0);
  const auto annotated = [](const std::string& rules) {
    return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  annotations: {lint.muster/allow: \"" + rules +
           " -- fine\"}\nspec: {containers: [{name: c, image: a}]}\n";
  };
  CHECK(manifest(annotated("K8S001"), annotated("K8S001")) == 0);
  CHECK(manifest(annotated("K8S001"), annotated("K8S004")) > 0);
  CHECK(manifest(annotated("K8S001"), annotated("K8S004, K8S001")) > 0);
}

TEST_CASE("an allow block is that of the blocks around it", "[lint][proposed]") {
  const auto spec = [](const std::string& before, const std::string& now) {
    return proposed(before, now, Input::muster);
  };
  CHECK(spec(workload("w", allow), workload("v", "") + workload("w", allow)) == 0);
  CHECK(spec(workload("w", allow), workload("v", allow)) == 1);
  CHECK(spec(workload("w", allow), workload("w", "  role a {\n" + allow + "  }\n")) == 1);
  CHECK(spec(workload("w", "  when nodes > 4 {\n" + allow + "  }\n"),
             workload("w", "  when true {\n" + allow + "  }\n")) == 1);
  const auto object = [](const std::string& text) {
    return workload(
        "w", "  target kubernetes { \n    object = <<<yaml\n      metadata: {annotations: {lint.muster/allow: \"" +
                 text + "\"}}\n    >>>\n  }\n");
  };
  CHECK(spec(object("K8S001 -- a"), object("K8S001 -- b")) == 0);
  CHECK(spec(object("K8S001 -- a"), object("K8S001, K8S004 -- a")) == 1);
  const std::string computed = workload("w", "  target kubernetes { object = file(\"a.yaml\") }\n");
  CHECK(spec(computed, computed) == 1);  // the other file may be another one
  CHECK(spec(workload("w", "  time-limit = 1h # muster: allow PRT001 -- a\n"),
             workload("w", "\n  time-limit = 1h # muster: allow PRT001 -- a\n")) == 0);
  CHECK(spec(workload("w", "  time-limit = 1h # muster: allow PRT001 -- a\n"),
             workload("v", "  time-limit = 1h # muster: allow PRT001 -- a\n")) == 1);
}

TEST_CASE("what is added is counted and named", "[lint][proposed]") {
  const std::vector<Added> added = {{AddedKind::suppression, "SLM001", "a.sbatch", 3, "fine"},
                                    {AddedKind::suppression, "SLM002", "a.sbatch", 4, "fine"},
                                    {AddedKind::waiver, "SLM001", "r.muster", 7, "later", "*.sbatch"},
                                    {AddedKind::baseline, "SLM001", "known.json", 0, "", "SLM001|a.sbatch|job||0"}};
  CHECK(count_added(added) == "2 suppressions, 1 waiver, 1 baseline entry");
  CHECK(text_of(added[0]) == "a.sbatch:3: SLM001: fine");
  CHECK(text_of(added[2]) == "r.muster:7: waiver of SLM001 for `*.sbatch`: later");
  CHECK(text_of(added[3]) == "known.json: baseline entry `SLM001|a.sbatch|job||0`");
}

}  // namespace proposed_test
