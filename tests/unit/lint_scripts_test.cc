// The rules of batch scripts, on the files of tests/lint/scripts. A file is named after its rule and says what
// it expects: `# expect: RULE SEVERITY LINE` (`unclear` in place of a severity), `# site: FILE`, `# with: OPTIONS`.
// Beside its own rule nothing above an info may be found in it.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "compiler/base/text.h"
#include "lint/check.h"
#include "lint/fix.h"
#include "targets/slurm/read/script.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/unit/site_file.h"

namespace lint_scripts_test {

namespace fs = std::filesystem;

using namespace muster;
using namespace muster::lint;

namespace {

const fs::path folder = fs::path(muster::tests::source_folder()) / "tests/lint/scripts";

// What stands behind `# WORD: ` at the beginning of lines.
std::vector<std::string> directives_of(const std::string& text, const std::string& word) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("# " + word + ": ")) out.push_back(line.substr(word.size() + 4));
  return out;
}

// A fixture with its site and its command line, read once.
class Fixture {
 public:
  explicit Fixture(const fs::path& path) : text(file_text(path)), rule(path.filename().string().substr(0, 6)) {
    std::transform(rule.begin(), rule.end(), rule.begin(), ::toupper);
    for (const std::string& site : directives_of(text, "site"))
      site_ = read_site_file(folder / site, sources, diagnostics_);
    for (const std::string& with : directives_of(text, "with")) command_line_ = sources.add("<command line>", with);
    std::string unknown;
    all_ = select_rules({}, {}, true, unknown, Profile::strict);
  }

  std::vector<Result> check(std::string script) {
    file = sources.add("job.sbatch", std::move(script));
    return check_file(file, Input::script, {{sources, site_.site(), site_.fleet()}, all_, "", command_line_},
                      diagnostics_);
  }

  // "SLM001 error 8" for the fixture's own rule, and for every error and warning of the others.
  std::vector<std::string> found(const std::vector<Result>& results) const {
    std::vector<std::string> out;
    for (const Result& r : results) {
      const Finding& f = r.finding;
      const bool unclear = f.verdict == Verdict::unclear;
      if (info(f.rule).id != rule && f.severity == Severity::info) continue;
      out.push_back(std::string(info(f.rule).id) + " " +
                    (unclear ? "unclear" : std::string(severity_name(f.severity))) + " " +
                    std::to_string(sources.position(f.primary.file, f.primary.begin).line));
    }
    return out;
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

std::vector<fs::path> fixtures() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const fs::path form = entry.path().extension(); form == ".sbatch" || form == ".pbs" || form == ".lsf")
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

// What sbatch would obey, in order; the same before and after a fix but for what the fix is about.
std::multiset<std::string> directives(const std::string& text) {
  Sources sources;
  std::multiset<std::string> out;
  for (const auto& d : targets::slurm::read_script(sources, sources.add("x", text)).directives)
    out.insert(std::string(d.name) + "=" + d.value.value_or(""));
  return out;
}

std::string fixed_text(const fs::path& path, std::size_t& applied) {
  Fixture fixture(path);
  std::string text = fixture.text;
  for (int round = 0; round < 10; ++round) {
    const auto results = fixture.check(text);
    const Fixed fixed = apply_fixes(fixture.sources, fixture.file, results, false);
    if (fixed.applied == 0) return text;
    applied += fixed.applied;
    text = fixed.text;
  }
  FAIL("the fixes of " << path << " come to no end");
  return text;
}

}  // namespace

TEST_CASE("each fixture of a batch script finds what it expects, and no more") {
  std::map<std::string, int> fires;
  for (const fs::path& path : fixtures()) {
    Fixture fixture(path);
    INFO(path.filename().string());
    const auto found = fixture.found(fixture.check(fixture.text));
    CHECK(found == directives_of(fixture.text, "expect"));
    fires[fixture.rule] += !found.empty();
  }
  for (const Rule& rule : all_rules()) {
    const bool of_scripts = rule.places.has(Place::script) && !rule.id.starts_with("SUP");
    INFO(rule.id << " has no fixture in which it fires");
    if (of_scripts) CHECK(fires[std::string(rule.id)] > 0);
  }
}

TEST_CASE("after the safe fixes of a fixture its finding is gone") {
  std::size_t fixed_files = 0;
  for (const fs::path& path : fixtures()) {
    std::size_t applied = 0;
    const std::string text = fixed_text(path, applied);
    Fixture fixture(path);
    INFO(path.filename().string() << "\n" << text);
    if (applied == 0) continue;
    ++fixed_files;
    CHECK(fixture.found(fixture.check(text)).empty());
  }
  CHECK(fixed_files >= 4);
}

TEST_CASE("a safe fix changes what it is about and nothing else") {
  std::size_t applied = 0;
  const auto change = [&](const char* name) {
    const fs::path path = folder / name;
    const auto before = directives(file_text(path)), after = directives(fixed_text(path, applied));
    std::set<std::string> out;
    std::set_symmetric_difference(before.begin(), before.end(), after.begin(), after.end(),
                                  std::inserter(out, out.begin()));
    return out;
  };
  using Changes = std::set<std::string>;
  CHECK(change("slm001-fires.sbatch") ==
        Changes{"ntasks-per-node=8", "ntasks-per-node=1", "cpus-per-task=4", "cpus-per-task=32"});
  CHECK(change("slm007-fires.sbatch") == Changes{"array=0-199", "array=0-199%50"});
  CHECK(change("slm019-fires.sbatch") == Changes{"exclusive="});
  CHECK(change("slm004-fires.sbatch").empty());
  CHECK(fixed_text(folder / "slm004-fires.sbatch", applied)
            .find("srun --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" ./solve") != std::string::npos);
}

TEST_CASE("late directives that say otherwise are not moved") {
  Fixture fixture(folder / "slm019-fires.sbatch");
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
  Fixture fixture(folder / "slm008-fires.sbatch");
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
