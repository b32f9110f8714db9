#include "targets/shell.h"
#include "compiler/base/text.h"
#include "compiler/shell/bash_names.h"

#include <string>

#include "tests/catch.h"

namespace shell_test {

using namespace muster::targets;
using namespace std::string_literals;

TEST_CASE("a word is bare only where nothing in it is special") {
  CHECK(sh_word("train.py") == "train.py");
  CHECK(sh_word("--lr=1e-4") == "--lr=1e-4");
  CHECK(sh_word("") == "''");
  CHECK(sh_word("a b") == "'a b'");
  CHECK(sh_word("it's") == "'it'\\''s'");
  CHECK(sh_word("A=1") == "'A=1'");  // would be an assignment
  CHECK(sh_word("%1") == "'%1'");    // would be a job
  CHECK(sh_word("~") == "'~'");
  CHECK(sh_word("a\r\nb") == "'a'$'\\r''\nb'");
}

TEST_CASE("the value of an #SBATCH line is quoted for Slurm's parser") {
  CHECK(sbatch_value("n[001-004],m1") == "n[001-004],m1");
  CHECK(sbatch_value("a b") == "\"a b\"");
  CHECK(sbatch_value("a#b") == "\"a#b\"");
  CHECK(sbatch_value("a\\b\"c'") == "\"a\\\\b\\\"c'\"");
  CHECK(sbatch_value("") == "\"\"");
  CHECK_FALSE(sbatch_value("a\nb"));
  CHECK_FALSE(sbatch_value("a\0b"s));
  CHECK_FALSE(sbatch_value(std::string(5000, 'x')));
}

TEST_CASE("a here-document's delimiter is no line of the text") {
  CHECK(heredoc_delimiter("a\nb", "EOF") == "EOF");
  CHECK(heredoc_delimiter("EOF", "EOF") == "EOF_2");
  CHECK(heredoc_delimiter("EOF\nEOF_2\n", "EOF") == "EOF_3");
  CHECK(heredoc_delimiter(" EOF\nEOF \n", "EOF") == "EOF_2");
}

TEST_CASE("a variable gets exactly the bytes") {
  CHECK(sh_variable("script", "a\n") == "IFS= read -r -d '' script <<'SCRIPT' || :\na\nSCRIPT\n");
  CHECK(sh_variable("script", "a") ==
        "IFS= read -r -d '' script <<'SCRIPT' || :\na\nSCRIPT\nscript=${script%$'\\n'}\n");
  CHECK(sh_variable("script", "") == "script=\n");
  CHECK(sh_variable("script", "a\r\n") == "script='a'$'\\r''\n'\n");  // sbatch refuses DOS line ends
}

TEST_CASE("file names take Slurm's letters") {
  CHECK(sbatch_filename("{name}-{id}.out", "main") == "%x-%j.out");
  CHECK(sbatch_filename("{array}_{point}.{host}", "main") == "%A_%a.%N");
  CHECK(sbatch_filename("{role}/100%.log", "main") == "main/100%%.log");
  CHECK(sbatch_filename("{other}", "main") == "{other}");
  CHECK(sbatch_filename("7", "main") == "./7");  // a bare number names a task
  CHECK(sbatch_filename("{user}/{job-step}.{step}-{node}-{task}", "main") == "%u/%J.%s-%n-%t");
  CHECK(sbatch_filename("{point:4}_{id:10}", "main") == "%4a_%10j");
  CHECK(sbatch_filename("{point:11}{point:04}{name:4}{point:}", "main") == "{point:11}{point:04}{name:4}{point:}");
  CHECK(sbatch_filename("{{name}-{{{name}", "main") == "{name}-{%x");
  CHECK_FALSE(sbatch_filename("a\\b", "main"));
  CHECK_FALSE(sbatch_filename("", "main"));
}

TEST_CASE("Slurm's letters become words, and words the same letters") {
  for (const char* name : {"%x-%j.out", "%A_%4a.%N", "%u/%J.%s-%n-%t", "{name}-{{%%}", "100%%.log", "%10j"}) {
    const auto pattern = log_pattern(name);
    REQUIRE(pattern);
    CHECK(sbatch_filename(*pattern, "main") == name);
  }
  CHECK(log_pattern("%4a_{name}") == "{point:4}_{{name}");
  for (const char* name : {"%m", "%", "a%", "%4", "%4x", "%11a", "%04a", "a\\%j", "7", ""})
    CHECK_FALSE(log_pattern(name));
}

TEST_CASE("names of the environment") {
  CHECK(muster::is_env_name("A_1"));
  CHECK_FALSE(muster::is_env_name("1A"));
  CHECK_FALSE(muster::is_env_name("A-B"));
  CHECK_FALSE(muster::is_env_name(""));
  CHECK(muster::shell::bash_owns("UID"));
  CHECK_FALSE(muster::shell::bash_owns("HOME"));
  CHECK(muster::shell::bash_runs("time"));
  CHECK_FALSE(muster::shell::bash_runs("python"));
}

}  // namespace shell_test
