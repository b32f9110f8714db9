// The rules of batch scripts, on the cases of their pages: a comment marks each line of which something is found
// (`# error`; `unclear` in place of a severity). Beside the page's own rule nothing above an info may be found.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "compiler/shell/body.h"
#include "lint/check.h"
#include "lint/fix.h"
#include "targets/kubernetes/read/manifest.h"
#include "targets/kubernetes/read/pod_text.h"
#include "targets/slurm/read/script.h"
#include "tests/catch.h"
#include "tests/unit/rule_cases.h"

namespace lint_scripts_test {

using namespace muster;
using namespace muster::lint;

namespace {

// A case of a page with its site and its command line, read once.
class Fixture {
 public:
  Fixture(std::string_view id, const tests::RuleCase& test) : text(test.text), rule(id) {
    if (!test.site.empty()) site_ = read_site_file(tests::case_site(test.site), sources, diagnostics_);
    if (!test.with.empty()) command_line_ = sources.add("<command line>", test.with);
    std::string unknown;
    all_ = select_rules({}, {}, true, unknown, Profile::strict);
  }

  std::vector<Result> check(std::string script, Input kind = Input::script) {
    file = sources.add(kind == Input::script ? "job.sbatch" : "job.yaml", std::move(script));
    return check_file(file, kind, {{sources, site_.site(), site_.fleet()}, all_, "", command_line_}, diagnostics_);
  }

  std::vector<std::string> found(const std::vector<Result>& results) const {
    return tests::found(results, sources, rule);
  }

  Sources sources;
  std::uint32_t file = 0;  // that was checked last
  std::string text, rule;

 private:
  SiteFile site_;
  Diagnostics diagnostics_;
  Selection all_;
  std::uint32_t command_line_ = 0;
};

// Calls with the id of the rule and its case, for each script of a page.
template <class F>
void for_each_script(const F& f) {
  for (const tests::RulePage& page : tests::rule_pages())
    for (const tests::RuleCase& test : page.cases)
      if (test.form != "muster") f(page.id, test);
}

const tests::RuleCase& fires(std::string_view id) { return *tests::find_case(tests::rule_page(id), "fires"); }

// What sbatch would obey, in order; the same before and after a fix but for what the fix is about.
std::multiset<std::string> directives(const std::string& text) {
  Sources sources;
  std::multiset<std::string> out;
  for (const auto& d : targets::slurm::read_script(sources, sources.add("x", text)).directives)
    out.insert(std::string(d.name) + "=" + d.value.value_or(""));
  return out;
}

std::string fixed_text(std::string_view id, const tests::RuleCase& test, std::size_t& applied, bool unsafe = false) {
  Fixture fixture(id, test);
  std::string text = fixture.text;
  for (int round = 0; round < 10; ++round) {
    const auto results = fixture.check(text);
    const Fixed fixed = apply_fixes(fixture.sources, fixture.file, results, unsafe);
    if (fixed.applied == 0) return text;
    applied += fixed.applied;
    text = fixed.text;
  }
  FAIL("the fixes of " << id << " " << test.name << " come to no end");
  return text;
}

// The same script as others write it.
std::vector<std::string> spellings(const std::string& text) {
  return {text,
          text.substr(0, text.size() - 1),
          text + "exit 0\n",
          text + "echo done; exit $?\n",
          std::regex_replace(text, std::regex(" (2?>)"), " \\\n$1"),
          std::regex_replace(text, std::regex(" > "), " >")};
}

// A Job whose container gives the text to bash, in several ways to write it.
constexpr std::string_view pod = R"(apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: train
        image: registry.example.com/train:1.4
        resources: {limits: {cpu: 8, memory: 64Gi}}
        command: [bash, -c]
        args:
)";
const std::size_t pod_lines = static_cast<std::size_t>(std::count(pod.begin(), pod.end(), '\n')) + 1;

std::vector<std::string> in_pods(const std::string& text) {
  const auto replaced = [](const std::string& in, const char* what, const char* by) {
    return std::regex_replace(in, std::regex(what), by);
  };
  const std::string lines = "          " + replaced(text.substr(0, text.size() - 1), "\n", "\n          ") + "\n";
  const std::string quoted = replaced(replaced(replaced(text, "\\\\", "\\\\"), "\"", "\\\""), "\n", "\\n");
  const std::string head(pod);
  return {head + "        - |\n" + lines, head + "        - |-\n" + lines, head + "        - \"" + quoted + "\"\n",
          head + "        - '" + replaced(replaced(text, "'", "''"), "\n", "\n\n          ") + "'\n"};
}

}  // namespace

TEST_CASE("each batch script of a rule's page finds what its lines are marked with, and no more") {
  std::map<std::string, int> fires;
  for_each_script([&](std::string_view id, const tests::RuleCase& test) {
    Fixture fixture(id, test);
    INFO(id << " " << test.name);
    const auto found = fixture.found(fixture.check(fixture.text));
    CHECK(found == tests::expected(test));
    fires[fixture.rule] += !found.empty();
  });
  for (const Rule& rule : all_rules()) {
    const bool of_scripts = rule.places.has(Place::script) && !rule.id.starts_with("SUP");
    INFO(rule.id << " has no script in which it fires");
    if (of_scripts) CHECK(fires[std::string(rule.id)] > 0);
  }
}

TEST_CASE("a rule of a job's text says the same of it under Slurm, PBS and LSF") {
  std::size_t compared = 0;
  for_each_script([&](std::string_view id, const tests::RuleCase& test) {
    if (test.form != "sbatch" || !test.site.empty() || !test.with.empty()) return;
    if (!tests::rule_page(id).path.starts_with(tests::source_folder() + "/lint/rules/body/")) return;
    for (const char* directive : {"#PBS -l walltime=1:00:00", "#BSUB -W 60"}) {
      const std::string text = std::regex_replace(test.text, std::regex("#SBATCH [^\n]*"), directive);
      Fixture fixture(id, test);
      INFO(id << " " << test.name << "\n" << text);
      std::vector<std::string> found = fixture.found(fixture.check(text)), wanted = tests::expected(test);
      const auto others = [&](const std::string& line) { return line.find(" " + std::string(id) + " ") == line.npos; };
      std::erase_if(found, others), std::erase_if(wanted, others);
      CHECK(found == wanted);
      compared += wanted.size();
    }
  });
  CHECK(compared >= 24);
}

TEST_CASE("a rule of a job's text says the same of it in a container") {
  std::size_t compared = 0, fixed = 0;
  for_each_script([&](std::string_view id, const tests::RuleCase& test) {
    if (test.form != "sbatch" || !test.site.empty() || !test.with.empty()) return;
    if (!tests::rule_page(id).path.starts_with(tests::source_folder() + "/lint/rules/body/")) return;
    const auto others = [&](const std::string& line) { return line.find(" " + std::string(id) + " ") == line.npos; };
    const bool of_pods = find_rule(id)->places.has(Place::manifest);
    Fixture fixture(id, test);
    std::vector<std::string> wanted = of_pods ? tests::expected(test, pod_lines) : std::vector<std::string>();
    std::erase_if(wanted, others);
    for (const std::string& text : in_pods(test.text)) {
      INFO(id << " " << test.name << "\n" << text);
      const std::vector<Result> results = fixture.check(text, Input::manifest);
      std::vector<std::string> found = fixture.found(results);
      std::erase_if(found, others);
      // A text that is no block has fewer lines.
      if (text.find("- |") != text.npos) CHECK(found == wanted);
      else CHECK(found.size() == wanted.size());
      compared += found.size();
      const Fixed after = apply_fixes(fixture.sources, fixture.file, results, true);
      if (after.applied == 0) continue;
      ++fixed;
      INFO(after.text);
      found = fixture.found(fixture.check(after.text, Input::manifest));
      std::erase_if(found, others);
      CHECK(found.empty());
      const auto read = targets::kubernetes::read_manifest(fixture.sources, fixture.file);
      REQUIRE(read.objects.size() == 1);
      const auto run = targets::kubernetes::text_of(fixture.sources, read.objects[0].pods.at(0).containers.at(0));
      REQUIRE(run);
      CHECK(run->body.problems.empty());
    }
  });
  CHECK(compared >= 30);
  CHECK(fixed >= 8);
}

TEST_CASE("what ends a loop that waits for a file is said as bash has it") {
  const tests::TempFolder folder;
  const std::string there = (folder.path() / "there").string();
  std::ofstream(there) << "x";
  for (const std::string loop : {"while", "until"})
    for (const std::string outer : {"", "! "})
      for (const std::string inner : {"", "! "}) {
        const auto head = [&](const std::string& file) {
          return loop + " " + outer + "[ " + inner + "-f " + file + " ]";
        };
        // Where the file is there already, a loop that waits until it is written ends at once.
        const std::string tried = head("'" + there + "'") + "; do exit 1; done";
        const bool ends = std::system(("bash -c \"" + tried + "\"").c_str()) == 0;
        const tests::RuleCase& test = fires("SLM027");
        Fixture fixture("SLM027", test);
        const auto results =
            fixture.check("#!/bin/bash\n#SBATCH -t 60\n./a &\n" + head("port") + "; do sleep 1; done\n./b\n");
        INFO(head("port"));
        REQUIRE_FALSE(results.empty());
        CHECK(std::any_of(results.begin(), results.end(), [&](const Result& r) {
          return r.finding.message ==
                 "this loop never ends if the file is not " + std::string(ends ? "written" : "deleted");
        }));
      }
}

TEST_CASE("after the safe fixes of a script its finding is gone") {
  std::size_t fixed_files = 0;
  for_each_script([&](std::string_view id, const tests::RuleCase& test) {
    std::size_t applied = 0;
    const std::string text = fixed_text(id, test, applied);
    Fixture fixture(id, test);
    INFO(id << " " << test.name << "\n" << text);
    if (applied == 0) return;
    ++fixed_files;
    CHECK(fixture.found(fixture.check(text)).empty());
  });
  CHECK(fixed_files >= 4);
}

TEST_CASE("after its fixes a script in any spelling is one that bash reads, and nothing is left to fix") {
  const tests::TempFolder folder;
  const std::string file = (folder.path() / "job.sh").string();
  std::size_t fixed_files = 0;
  for_each_script([&](std::string_view id, const tests::RuleCase& test) {
    if (test.form == "yaml") return;
    for (const std::string& spelling : spellings(test.text)) {
      tests::RuleCase other = test;
      other.text = spelling;
      std::size_t applied = 0;
      const std::string text = fixed_text(id, other, applied, true);
      if (applied == 0) continue;
      ++fixed_files;
      INFO(id << " " << test.name << "\n" << spelling << "----\n" << text);
      std::ofstream(file, std::ios::binary) << text;
      CHECK(std::system(("bash -n '" + file + "'").c_str()) == 0);
      Fixture fixture(id, other);
      for (const Result& r : fixture.check(text)) {
        const bool own = std::string_view(lint::about(r.finding).id) == id && r.state == lint::State::open;
        CHECK_FALSE((own && r.finding.fix));
      }
    }
  });
  CHECK(fixed_files >= 40);
}

TEST_CASE("a fix in any spelling does what its title says") {
  const auto commands = [](const std::string& text) {
    return shell::read_body({text, 0, 0, static_cast<std::uint32_t>(text.size())}).commands;
  };
  for (const std::string& spelling : spellings(fires("SLM053").text)) {
    tests::RuleCase test = fires("SLM053");
    test.text = spelling;
    std::size_t applied = 0;
    const auto before = commands(spelling), after = commands(fixed_text("SLM053", test, applied, true));
    INFO(spelling);
    REQUIRE(before.size() == after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      REQUIRE(before[i].words.size() == after[i].words.size());
      CHECK((after[i].redirects.empty() || after[i].redirects.back().op == ">&"));
    }
  }
  for (const std::string& spelling : spellings(fires("SLM038").text)) {
    tests::RuleCase test = fires("SLM038");
    test.text = spelling;
    std::size_t applied = 0;
    bool waits = false;
    for (const shell::Command& c : commands(fixed_text("SLM038", test, applied, true))) {
      INFO(spelling);
      if (c.program() == "exit") CHECK(waits);
      waits |= c.program() == "wait";
    }
    CHECK(waits);
  }
}

TEST_CASE("a safe fix changes what it is about and nothing else") {
  std::size_t applied = 0;
  const auto change = [&](const char* id) {
    const auto before = directives(fires(id).text), after = directives(fixed_text(id, fires(id), applied));
    std::set<std::string> out;
    std::set_symmetric_difference(before.begin(), before.end(), after.begin(), after.end(),
                                  std::inserter(out, out.begin()));
    return out;
  };
  using Changes = std::set<std::string>;
  CHECK(change("SLM001") == Changes{"ntasks-per-node=8", "ntasks-per-node=1", "cpus-per-task=4", "cpus-per-task=32"});
  CHECK(change("SLM007") == Changes{"array=0-199", "array=0-199%50"});
  CHECK(change("SLM019") == Changes{"exclusive="});
  CHECK(change("SLM004").empty());
  CHECK(fixed_text("SLM004", fires("SLM004"), applied).find("srun --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" ./solve") !=
        std::string::npos);
}

TEST_CASE("a carriage return at the end of a directive of PBS is an error") {
  Fixture fixture("PBS002", fires("PBS002"));
  const auto results =
      fixture.check("#!/bin/bash\n#PBS -N solve\r\n#PBS -l select=1:ncpus=8\r\ncd \"$PBS_O_WORKDIR\"\r\n./solve\r\n");
  CHECK(fixture.found(results) == std::vector<std::string>{"2 PBS002 error"});
}

TEST_CASE("late directives that say otherwise are not moved") {
  Fixture fixture("SLM019", fires("SLM019"));
  for (const char* late : {"#SBATCH --time=2:00:00\n", "#SBATCH --exclusive\n#SBATCH --exclusive=user\n",
                           "#SBATCH --exclusive\n#SBATCH --time=3\n", "#SBATCH --output=$X\n"}) {
    const auto results = fixture.check("#!/bin/bash\n#SBATCH --time=1:00:00\nls\n" + std::string(late));
    INFO(late);
    CHECK(std::any_of(results.begin(), results.end(),
                      [](const Result& r) { return r.finding.rule == RuleId::directive_ignored; }));
    CHECK(std::none_of(results.begin(), results.end(), [](const Result& r) { return r.finding.fix.has_value(); }));
  }
}

TEST_CASE("hostile scripts are read in linear time") {
  Fixture fixture("SLM008", fires("SLM008"));
  const auto repeated = [](const std::string& text, std::size_t bytes) {
    std::string out = "#!/bin/bash\n#SBATCH --time=1\n";
    while (out.size() < bytes) out += text;
    return out;
  };
  for (const char* line :
       {"ls\n#SBATCH --mem=1\n", "#SBATCH --output=$X/%j\n", "cat <<E\n#SBATCH\nE\n", "#SBATCH\n",
        "mkdir logs # muster: allow SLM001 -- x\n", "export MY_TOKEN=abcdefghijkl0123456789\n",
        "srun torchrun --nproc_per_node=8 a &\n", "# gang scheduling\n", "cd $(dirname $0)\n", "#SBATCH --tiem=4\n"}) {
    INFO(line);
    const auto results = fixture.check(repeated(line, 1u << 20));
    CHECK(results.size() < 200'000);
  }
}

}  // namespace lint_scripts_test
