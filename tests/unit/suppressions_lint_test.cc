// What comments and annotations of scripts and manifests are for, and when they are unused.
#include <fstream>
#include <string>

#include "lint/rule.h"
#include "tests/unit/linted.h"

namespace suppressions_lint_test {

using namespace muster;
using namespace muster::lint;
using tests::Linted;
using tests::TempFolder;
using tests::written;

namespace {

std::string pod(const std::string& name, const std::string& image, const std::string& metadata = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + "\n" + metadata +
         "spec:\n  containers:\n  - name: a\n    image: " + image + "\n";
}

constexpr const char* allow = "# muster: allow K8S001 -- a test\n";
constexpr const char* annotation = "  annotations: {lint.muster/allow: \"K8S001 -- a test\"}\n";

}  // namespace

TEST_CASE("text in a manifest is no comment of it", "[lint][suppress]") {
  const TempFolder folder;
  const std::string map =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: scripts}\ndata:\n  run.sh: |\n    #!/bin/bash\n"
      "    # muster: allow SLM008 -- the script's own\n    # muster: ignore SLM008\n    ./a\n"
      "  one: \"x # muster: allow SLM008 -- text\"\n";
  driver::LintSettings options = tests::all_rules_on(written(folder, "map.yaml", map));
  options.fix = options.unsafe_fixes = true;
  Linted linted(options);
  CHECK(linted.results().empty());
  CHECK(linted.run.changed().empty());  // the bytes of the script stay
}

TEST_CASE("a text that a container gives to a shell has comments of its own", "[lint][suppress]") {
  const TempFolder folder;
  const std::string head = pod("a", "nginx@sha256:1") + "    command: [bash, -c]\n    args:\n    - ";
  const std::string early = "python a.py 2>&1 > a.log", meant = "# muster: allow SLM053 -- meant";
  Linted above(written(folder, "above.yaml", head + "|\n      " + meant + "\n      " + early + "\n"));
  CHECK(above.count("SLM053", State::suppressed) == 1);
  Linted behind(written(folder, "behind.yaml", head + "|\n      " + early + "  " + meant + "\n"));
  CHECK(behind.count("SLM053", State::suppressed) == 1);
  // Of another file, and of a text that is not in lines.
  const std::string document = "cat > a.sh <<'END'\n      " + meant + "\n      END\n      " + early + "\n";
  Linted other(written(folder, "other.yaml", head + "|\n      " + document));
  CHECK(other.count("SLM053") == 1);
  CHECK(other.count("SUP002") == 0);
  Linted quoted(written(folder, "quoted.yaml", head + "\"" + early + "  " + meant + "\"\n"));
  CHECK(quoted.count("SLM053") == 1);
}

TEST_CASE("text in a script is no comment of it, but of a script that sbatch gets", "[lint][suppress]") {
  const TempFolder folder;
  const std::string head = "#!/bin/bash\n#SBATCH --time=1 --partition=p --account=a\n";
  const std::string text =
      "cat > next.sh <<'EOF'\n# muster: allow SLM008 -- of the other script\n./a\nEOF\n"
      "echo 'one\n# muster: allow SLM008 -- of a text\n'\n";
  CHECK(Linted(written(folder, "a.sbatch", head + text)).count("SUP002") == 0);
  CHECK(Linted(written(folder, "b.sbatch", head + "# muster: allow SLM008 -- nothing here\n./a\n")).count("SUP002") ==
        1);
  const std::string inner =
      "sbatch <<'EOF'\n#!/bin/bash\n#SBATCH --partition=p --account=a\n# muster: allow SLM008 -- short\n./a\nEOF\n";
  CHECK(Linted(written(folder, "c.sbatch", head + inner)).count("SUP004") == 0);
}

TEST_CASE("a suppression above a later document is for that document", "[lint][suppress]") {
  const TempFolder folder;
  Linted second(written(folder, "a.yaml", pod("a", "nginx") + "---\n" + allow + pod("b", "nginx")));
  CHECK(second.count("K8S001") == 1);
  CHECK(second.count("K8S001", State::suppressed) == 1);
  CHECK(second.count("SUP002") == 0);
  for (const Result& r : second.results())
    if (r.state == State::open && about(r.finding).id == "K8S001") CHECK(r.finding.subject == "Pod/a");
  Linted unused(written(folder, "b.yaml", pod("a", "nginx") + "---\n" + allow + pod("b", "nginx@sha256:1")));
  CHECK(unused.count("SUP002") == 1);
}

TEST_CASE("an annotation of the pods is for the pods", "[lint][suppress]") {
  const TempFolder folder;
  const std::string job =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    metadata:\n"
      "      annotations: {lint.muster/allow: \"K8S001 -- a test\"}\n    spec:\n"
      "      containers:\n      - name: a\n        image: ";
  Linted used(written(folder, "a.yaml", job + "nginx\n"));
  CHECK(used.count("K8S001", State::suppressed) == 1);
  CHECK(used.count("SUP002") == 0);
  CHECK(Linted(written(folder, "b.yaml", job + "nginx@sha256:1\n")).count("SUP002") == 1);
}

TEST_CASE("an unused suppression is its object's, wherever others stand", "[lint][suppress]") {
  const TempFolder folder;
  const auto keys = [&](const std::string& text) {
    Linted linted(written(folder, "a.yaml", text));
    std::vector<std::string> out;
    for (const Result& r : linted.results())
      if (about(r.finding).id == "SUP002") out.push_back(r.key.substr(r.key.find(".yaml|") + 6));
    return out;
  };
  const std::string one = pod("a", "nginx@sha256:1", annotation), other = pod("b", "nginx@sha256:1", annotation);
  using Keys = std::vector<std::string>;
  CHECK(keys(one + "---\n" + other) == Keys{"Pod/a|K8S001|0", "Pod/b|K8S001|0"});
  CHECK(keys(other) == Keys{"Pod/b|K8S001|0"});  // the same key when the other one is gone
  const std::string inside = pod("a", "nginx@sha256:1  # muster: allow K8S001 -- a test");
  CHECK(keys(inside) == Keys{"Pod/a|K8S001|0"});
}

TEST_CASE("a suppression that another profile or a site needs is not unused", "[lint][suppress]") {
  const TempFolder folder;
  const auto file = written(folder, "a.yaml", pod("a", "nginx:1.27  # muster: allow K8S001 -- nobody moves that tag"));
  driver::LintSettings normal = tests::all_rules_on(file);
  std::string unknown;
  normal.selection = select_rules({}, {}, false, unknown, Profile::normal);
  Linted plain(normal);
  CHECK(plain.results().empty());
  CHECK(Linted(file).count("K8S001", State::suppressed) == 1);

  const auto script = written(folder, "a.sbatch",
                              "#!/bin/bash\n#SBATCH --partition=p --account=a --time=1\n"
                              "#SBATCH --gpus=4  # muster: allow SLM023 -- granted until summer\n./a\n");
  CHECK(Linted(script).count("SUP002") == 0);  // whether it is above a limit takes a site to tell
  driver::LintSettings with_site = tests::all_rules_on(script);
  with_site.site_file =
      written(folder, "site.muster",
              "site lab { plane hpc { kind = slurm  version = \"24.11\" }  queue p { default = true } }\n")
          .string();
  CHECK(Linted(with_site).count("SUP002") == 1);
}

}  // namespace suppressions_lint_test
