// What stands behind a program in the background: every program of the table, in the last line of a script.
#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "tests/catch.h"
#include "tests/unit/found_in_script.h"

namespace quiet_commands_test {

using namespace muster;

namespace {

std::string found(const std::string& below) {
  return tests::found_in_script("SLM038", "#SBATCH --time=1 --ntasks=1\n" + below);
}

// Read before it is a command, or it says when the script ends.
bool is_of_the_shell(const shell::Program& row) {
  return is_one_of(row.name, {"[", "[[", "((", "wait", "jobs", "exec", "eval", "env"}) || row.is(shell::transparent);
}

}  // namespace

TEST_CASE("a program in the background is not awaited by one that only says something", "[lint][shell]") {
  using enum shell::Effect;
  std::size_t quiet = 0, others = 0;
  for (const shell::Program& row : shell::programs()) {
    if (is_of_the_shell(row)) continue;
    const std::string name(row.name);
    INFO(name);
    if (shell::Doing{&row, row.effect}.is({prints, reads, tests})) {
      ++quiet;
      CHECK(found("python t.py &\n" + name + " x\n") == "error 3");
      CHECK(found("python t.py &\n" + name + " x > out.txt\ndate\n") == "error 3");
      CHECK(found("python t.py\n" + name + " x\n").empty());
      CHECK(found("python t.py &\nwait\n" + name + " x\n").empty());
    } else if (row.effect == works || row.effect == waits || row.effect == removes) {
      ++others;
      CHECK(found("python t.py &\n" + name + " x\n").empty());
    }
  }
  CHECK(quiet > 80);
  CHECK(others > 40);
}

}  // namespace quiet_commands_test
