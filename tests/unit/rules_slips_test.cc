// Slips of the hand in the built-in rules, as a person makes them: in the text of a rule file, given to
// `muster rules verify FILE` and `muster rules test FILE`.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

#include "cli/rules_report.h"
#include "rules/diff.h"
#include "rules/digest.h"
#include "rules/profiles.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/places.h"
#include "tests/temp_folder.h"
#include "tests/unit/rules_mutants.h"
#include "tests/unit/rules_text.h"

namespace rules_slips_test {

namespace {

using namespace muster;
namespace fs = std::filesystem;

void write(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

// A folder with one rule file and, beside it, the named cases of a profile.
class Folder {
 public:
  std::string file() const { return folder_.path() / "slip.muster"; }
  void put(const model::Policy& policy) { write(file(), RuleText(policy).all()); }
  void put_cases(std::string_view cases) { write(folder_.path() / "slip.tests.muster", cases); }

  // The exit code of the binary, which prints into this folder.
  int run(const std::string& verb) const {
    const std::string command = muster::tests::muster_binary() + " rules " + verb + " " + file() + " > " +
                                (folder_.path() / "out").string() + " 2>&1";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  tests::TempFolder folder_;
};

// What the two verbs end with, in this process: the worse of the two. 2: the file cannot be used.
int verdict(const std::string& file, std::string& messages) {
  driver::Session session(driver::rules_inputs({}, file));
  const auto input = driver::read_rules(session, file);
  for (const Diagnostic& d : session.diagnostics().sorted()) messages += d.message + "\n";
  if (!input || session.diagnostics().has_errors()) return 2;
  const int proven = cli::verify_report(*input, session.sources(), "text").code;
  return proven != 0 ? proven : cli::test_report(*input, session.sources(), "text", false).code;
}

bool same_answers(const model::Policy& a, const model::Policy& b) {
  const auto diff = rules::diff(a, b);
  return diff && diff->items.empty();
}

}  // namespace

TEST_CASE("a rule file written from a policy is that policy", "[rules]") {
  Folder folder;
  for (const std::string_view name : rules::profile_names()) {
    const model::Policy policy = rules::profile(name);
    folder.put(policy);
    folder.put_cases(rules::profile_cases(name));
    driver::Session session(driver::rules_inputs({}, folder.file()));
    const auto input = driver::read_rules(session, folder.file());
    for (const Diagnostic& d : session.diagnostics().sorted()) FAIL_CHECK(d.message);
    REQUIRE(input);
    CHECK(rules::canonical_text(input->policy) == rules::canonical_text(policy));
    CHECK(folder.run("verify") == 0);
    CHECK(folder.run("test") == 0);
  }
}

// Exit 1 and never 2 or 3: the file is a rule file, and what it says is wrong. Those that change no answer of any cell
// are no faults, which the difference by boxes proves. Every 24th is given to the binary as well.
TEST_CASE("no slip passes as a file either", "[rules]") {
  Folder folder;
  std::size_t total = 0, same = 0, by_binary = 0;
  for (const std::string_view name : rules::profile_names()) {
    const model::Policy policy = rules::profile(name);
    folder.put_cases(rules::profile_cases(name));
    folder.put(policy);
    std::string nothing;
    REQUIRE(verdict(folder.file(), nothing) == 0);  // so that what is caught below is the slip
    for (const Mutant& mutant : MutantMaker(policy).all()) {
      if (++total % tests::case_step != 0) continue;
      folder.put(mutant.policy);
      std::string messages;
      const int code = verdict(folder.file(), messages);
      INFO(name << ": " << mutant.what << "\n" << messages);
      if (code == 0) CHECK(same_answers(policy, mutant.policy));
      else CHECK(code == 1);
      same += code == 0 ? 1 : 0;
      if (total % 24 != 0) continue;
      ++by_binary;
      const int proven = folder.run("verify");
      CHECK((proven != 0 ? proven : folder.run("test")) == code);
    }
  }
  std::printf(
      "rules: %zu slips as files, %zu of them change no answer, none of the others survives; %zu by the binary\n",
      total, same, by_binary);
  CHECK(total > 500);
  CHECK(same < 40);
}

}  // namespace rules_slips_test
