// A text that moves reads nothing that its new place does not give: arguments, names of tasks, words of one variable.
// Each test makes a class of scripts from its forms, and runs or reads each of them.
#include "targets/names_read.h"
#include "tests/places.h"
#include "tests/unit/recompiled.h"
#include "tests/unit/site_file.h"

namespace lift_moved_test {

using namespace muster;
using namespace muster::tests;

namespace {

std::string gpus(int nodes, int tasks) {
  return "#!/bin/bash\n#SBATCH --nodes=" + std::to_string(nodes) +
         "\n#SBATCH --ntasks-per-node=" + std::to_string(tasks) + "\n#SBATCH --gpus-per-node=4\n";
}

}  // namespace

// ---- arguments ----------------------------------------------------------------------------------------

namespace {

// Each removes a folder that an argument names, once, in front of a step of several tasks.
const std::vector<std::string> forms_of_arguments = {
    "out=$1\nrm -rf $out/*",
    "rm -rf \"$1\"/old",
    "rm -rf ${1}/old",
    "rm -rf \"${1:-nowhere}\"/old",
    "rm -rf \"${1%/}\"",
    "rm -rf x$#",
    "rm -rf \"$@\"",
    "rm -rf \"$*\"",
    "rm -rf \"${@:2}\"",
    "rm -rf \"${!#}\"",
    "rm -rf $((\x24# + 1))",
    "a=$1\nshift\nrm -rf \"$a\" \"$1\"",
    "set -- \"$@\" last\nrm -rf \"$1\" \"$3\"",
    "f() { rm -rf \"$2\"; }\nf \"$2\" \"$1\"",
    "for x in \"$@\"; do rm -rf \"$x\"; done",
    "for x; do rm -rf \"$x\"; done; : $1",
    "[ $# -gt 0 ] && rm -rf \"$1\"",
    "case $1 in *) rm -rf \"$1\" ;; esac",
    "if [ -n \"$1\" ]; then rm -rf \"$1\"; fi",
    "rm -rf \"$(basename \"$1\")\"",
    "d=\"$1/$2\"\nrm -rf \"$d\"",
    "export D=\"$2\"\nrm -rf \"$D\"",
    "rm -rf '$1' \"$1\"",
    "rm -rf \"pre-$1-post\"",
};

std::vector<std::pair<std::string, std::string>> values_of(const std::string& text,
                                                           const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> out;
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "[\"" : ", \"") + word + "\"";
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with("param ")) continue;
    const bool list = line.find("list(") != std::string_view::npos;
    out.emplace_back(line.substr(6, line.find(':') - 6), list ? all + "]" : words.at(out.size()));
  }
  return out;
}

// What the original removes, and what its result does.
void compare_removals(Tally& tally, const std::string& form, int nodes, int tasks,
                      const std::vector<std::string>& words) {
  const std::string script = gpus(nodes, tasks) + form + "\nsrun python w.py \"$1\"\n";
  const std::string text = Lifted(script).text;
  const Recompiled result = recompiled(script, false, values_of(text, words));
  INFO(script + "\n" + result.text + "\n" + result.refusal + result.file);
  REQUIRE(result.ok());
  const bool wrapped = result.grade == "wrapped";
  const std::string before = lines_of(recorded(script, words), "rm");
  const std::string after = lines_of(recorded(result.file, wrapped ? words : std::vector<std::string>()), "rm");
  INFO("before:\n" + before + "after:\n" + after);
  CHECK(!before.empty());
  CHECK(after == before);
  tally.count(!before.empty() && after == before);
}

}  // namespace

TEST_CASE("what is done once in front of a step finds the arguments of the script") {
  Tally tally;
  for (const std::string& form : forms_of_arguments)
    for (const auto& [nodes, tasks] : {std::pair{2, 1}, std::pair{1, 4}}) {
      const std::vector<std::string> plain{"a", "b"}, blanks{"/x y/z", "b c"};
      compare_removals(tally, form, nodes, tasks, nodes == 1 ? plain : blanks);
    }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

// A script without `set -e` goes on where one of its commands fails.
TEST_CASE("what fails in front of a step ends the job only where the script ended") {
  Tally tally;
  for (const std::string options : {"", "set -e\n", "set -euo pipefail\n", "set -o errexit\n", " -e", " -eu", " -u"})
    for (const std::string nodes : {"-N 1 -n 2", "-N 2", "-N 3 --ntasks-per-node=2"})
      for (const std::string done : {"touch \"$1\"/begun", "mkdir \"$1\"", "rm -rf \"$1\"/*", "cp \"$1\" /tmp",
                                     "mv \"$1\" old", "ln -s \"$1\" x", "tar xf \"$1\""}) {
        const std::string script = "#!/bin/bash" + (options.starts_with(' ') ? options : "") + "\n#SBATCH " + nodes +
                                   "\n" + (options.starts_with(' ') ? "" : options) + done +
                                   "\nsrun python w.py \"$1\"\n";
        const Recompiled result = recompiled(script, false);
        INFO(script << result.grade << "\n" << result.text << result.refusal);
        const std::size_t setup = result.text.find("setup = ");
        if (setup == std::string::npos) continue;
        const std::string text = result.text.substr(setup, result.text.find(">>>", setup) - setup);
        const bool goes_on = text.find("\n  true\n") != std::string::npos;
        const bool stops = options.find("-e") != std::string::npos || options.find("errexit") != std::string::npos;
        CHECK(goes_on == !stops);
        CHECK((text.find("set -") != std::string::npos) == !options.empty());
        tally.count(goes_on == !stops);
      }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("what fails where it is done again is done once, if a failure ends the script") {
  Tally tally;
  for (const std::string shebang : {"", " -e", " -eu"})
    for (const std::string options : {"", "set -e\n", "set -o errexit\n"})
      for (const std::string makes :
           {"mkdir \"$1\"", "mkdir -m 700 \"$1\"", "[ -d \"$1\" ] || mkdir \"$1\"", "mkdir -p \"$1\""})
        for (const std::string nodes : {"-N 1 -n 2", "-N 2"}) {
          const std::string script = "#!/bin/bash" + shebang + "\n#SBATCH " + nodes + "\n" + options + makes +
                                     "\nif true; then B=1; fi\nsrun python w.py \"$1\" $B\n";
          const Recompiled result = recompiled(script, false);
          INFO(script << result.grade << "\n" << result.text << result.refusal);
          if (result.grade == "wrapped") continue;
          const bool stops = !shebang.empty() || !options.empty();
          const std::size_t task = result.text.find("script = ");
          const bool again = task != std::string::npos && result.text.find("mkdir", task) != std::string::npos;
          const bool right = !stops || makes.find("-p") != std::string::npos || !again;
          CHECK(right);
          tally.count(right);
        }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("a folder whose absence the script hides stays a command") {
  Tally tally;
  for (const std::string folder : {"inner", "/data/run", "\"$HOME/x\"", "../other"})
    for (const std::string hides : {" 2>/dev/null", " &>/dev/null", " > /dev/null 2>&1"})
      for (const std::string then : {"\n", "; ", " || true\n"})
        for (const std::string program : {"python w.py", "srun python w.py"}) {
          const std::string script = "#!/bin/bash\n#SBATCH -N 1\ncd " + folder + hides + then + program + "\n";
          const Recompiled result = recompiled(script, false);
          INFO(script << result.text << result.refusal);
          CHECK(result.text.find("workdir") == std::string::npos);
          CHECK(result.text.find("cd " + folder + hides) != std::string::npos);
          tally.count(result.text.find("workdir") == std::string::npos);
        }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("a setup on pods is started with the arguments that it reads") {
  Tally tally;
  for (const std::string& form : forms_of_arguments)
    for (const auto& [nodes, tasks] : {std::pair{2, 1}, std::pair{2, 4}}) {
      const std::string script = gpus(nodes, tasks) + form + "\nsrun python w.py \"$1\"\n";
      const std::string text = Lifted(script).text;
      const Recompiled result = recompiled(script, true, values_of(text, {"one", "two words"}));
      INFO(script + "\n" + result.text + "\n" + result.refusal + result.file);
      if (result.grade == "wrapped") {  // a text of steps is refused
        CHECK(!result.ok());
        tally.count(!result.ok());
        continue;
      }
      const bool has_setup = text.find("setup = ") != std::string::npos;
      const bool given = result.file.find("/job/setup one") != std::string::npos;
      CHECK(result.ok());
      CHECK(given == has_setup);
      tally.count(result.ok() && given == has_setup);
    }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("tasks that Slurm works out of the GPUs are not counted") {
  Tally tally;
  for (const std::string nodes : {"-N 1", "-N 4", "--nodes=2"})
    for (const std::string node : {"--gpus-per-node=2", "--gpus-per-node=4", "--gres=gpu:8", "--gres=gpu:4"})
      for (const std::string task : {"--gpus-per-task=1", "--gpus-per-task=2"})
        for (const std::string program : {"srun python w.py", "srun -l python w.py --seed 1"}) {
          const std::string script =
              "#!/bin/bash\n#SBATCH " + nodes + "\n#SBATCH " + node + "\n#SBATCH " + task + "\n" + program + "\n";
          const Recompiled result = recompiled(script, false);
          INFO(script + result.text + result.refusal + result.file);
          // One task with all GPUs of its node is the job without the option.
          const bool asks = result.file.find("#SBATCH --gpus-per-task") != std::string::npos;
          const bool one = node.ends_with("2") && task.ends_with("2") && nodes == "-N 1";
          const bool left = result.ok() && (asks || one) && result.file.find("#SBATCH --ntasks") == std::string::npos;
          CHECK(left);
          tally.count(left);
        }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

// ---- names of tasks -------------------------------------------------------------------------------------

namespace {

// Bash reads NAME in each of them, in the batch shell.
const std::vector<std::string> forms_of_reads = {
    "rank=$NAME",
    "rank=${NAME}",
    "rank=\"${NAME}\"",
    "rank=${NAME:-0}",
    "rank=$((NAME+1))",
    "rank=$(($NAME+1))",
    "rank=$((${NAME}*2))",
    "rank=$(( 1 + (NAME * 2) ))",
    "rank=$[NAME+1]",
    "let rank=NAME+1",
    "let \"rank=NAME+1\"",
    "let 'rank = NAME + 1'",
    "((rank = NAME + 1))",
    "(( rank = NAME * 2 ))",
    "declare -i rank=NAME+1",
    "declare -i rank\nrank=$((NAME))",
    "declare -i rank\nrank=NAME",
    "declare -i rank other\nrank=2*NAME+1",
    "declare -i rank\nrank+=NAME",
    "declare -i rank\nrank=1+$((NAME))",
    "typeset -i rank; rank=NAME*3",
    "declare -g -i rank\nrank=NAME",
    "declare -i rank\nrank=\"NAME + 1\"",
    "declare -i rank\nrank='2 * NAME'",
    "declare -i rank\nrank=\"1 + 2\"; other=$NAME",
    "declare -i rank\nrank=\"1 + 2\"\nlet other=NAME",
    "printf -v rank %d $NAME",
    "printf -v rank %02d $((NAME+1))",
    "a=(5 6 7)\nrank=${a[NAME]}",
    "a=(5 6 7)\nrank=${a[NAME+1]}",
    "a=(5 6 7)\nrank=\"${a[$NAME]}\"",
    "a=()\na[NAME]=5\nrank=${a[0]}",
    "s=abc\nrank=${s:NAME:1}",
    "rank=0\n[[ NAME -eq 0 ]] && rank=1",
    "rank=0\n[[ $NAME -eq 0 ]] && rank=1",
    "rank=0\n[ \"$NAME\" -eq 0 ] && rank=1",
    "rank=0\nif [[ NAME -lt 1 ]]; then rank=1; fi",
    "rank=0\nif (( NAME == 0 )); then rank=1; fi",
    "rank=0\nwhile ((rank < NAME + 3)); do ((rank++)); done",
    "for ((rank = NAME; rank < 3; rank++)); do :; done",
    "n=NAME\nrank=${!n}",
    "eval rank=\\$NAME",
    "eval 'rank=$NAME'",
    "rank=$(printenv NAME)",
    "rank=$(echo $NAME)",
    "rank=`echo $NAME`",
    "rank=${NAME#0}",
    "rank=${#NAME}",
    "case $NAME in 0) rank=1 ;; *) rank=2 ;; esac",
    "read rank <<< $NAME",
    "export rank=$((NAME+1))",
    "export rank=$NAME",
    "test -v NAME && rank=1",
};

// And in none of these: a text for others, a comment, a name like it.
const std::vector<std::string> forms_of_others = {
    "# rank=$NAME\nrank=1",
    "rank=1  # $NAME",
    "rank='$NAME'",
    "rank=\\$NAME",
    "rank=NAME",
    "declare -i other\nrank=NAME",
    "declare -i rank\nrank=\"1 + 2\"\nother='$NAME'",
    "declare -r rank=NAME",
    "rank=$NAME_OTHER",
    "rank=${MY_NAME}",
    "cat > run.sh <<'EOF'\necho $NAME\nEOF\nrank=1",
    "rank=1\nNAME=2",
    "grep -v NAME log\nrank=1",
};

std::string with_name(std::string form, const std::string& name) {
  for (std::size_t at = 0; (at = form.find("NAME", at)) != std::string::npos; at += name.size())
    form.replace(at, 4, name);
  return form;
}

bool reads_now(const std::string& text, const std::string& name) {
  for (const targets::NameRead& read : targets::names_read(text))
    if (read.name == name && !read.later) return true;
  return false;
}

}  // namespace

TEST_CASE("a text reads a name in every way that bash reads one") {
  Tally tally;
  for (const std::string& form : forms_of_reads) {
    INFO(form);
    CHECK(reads_now(with_name(form, "SLURM_PROCID"), "SLURM_PROCID"));
    tally.count(reads_now(with_name(form, "SLURM_PROCID"), "SLURM_PROCID"));
  }
  for (const std::string& form : forms_of_others) {
    INFO(form);
    CHECK_FALSE(reads_now(with_name(form, "SLURM_PROCID"), "SLURM_PROCID"));
    tally.count(!reads_now(with_name(form, "SLURM_PROCID"), "SLURM_PROCID"));
  }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 50);
}

TEST_CASE("a text that is cut off has no read behind its end") {
  for (const std::string& form : forms_of_reads)
    for (std::size_t size = 0; size <= form.size(); ++size)
      for (const std::string end : {"", "\\", "\"", "'", "$", "${", "$(("}) {
        const std::string text = form.substr(0, size) + end;
        INFO(text);
        for (const targets::NameRead& read : targets::names_read(text))
          CHECK(read.at + read.name.size() <= text.size());
      }
}

TEST_CASE("a value of the batch shell is not moved into the tasks, however it is read") {
  Tally tally;
  for (const std::string& form : forms_of_reads)
    for (const char* name : {"SLURM_PROCID", "SLURM_NODEID", "SLURM_LOCALID", "SLURMD_NODENAME"}) {
      const std::string script =
          gpus(2, 1) + "for i in 1 2; do :; done\n" + with_name(form, name) + "\nsrun python w.py --rank $rank\n";
      const Lifted result(script);
      // The program starts in a shell of its own on each node only where the batch shell's value is not read there.
      const bool moved = result.grade() != "wrapped" && result.text.find(name) != std::string::npos &&
                         result.text.find("runner = batch-script") == std::string::npos;
      INFO(script + result.text);
      CHECK_FALSE(moved);
      tally.count(!moved);
    }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("a plain value is in the text that reads it, the setup, the script or both, and nowhere else") {
  const std::string names[] = {"A", "b", "OUT"};
  for (int places = 0; places < 64; ++places) {  // of each name whether what is done once reads it, and the step
    std::string script = gpus(2, 2), once = "rm -rf old", step = "srun python w.py";
    for (int i = 0; i < 3; ++i) {
      script += names[i] + "=" + (i == 2 ? "$1" : "x") + "\n";
      if ((places >> (2 * i) & 1) != 0) once += " \"$" + names[i] + "\"";
      if ((places >> (2 * i) & 2) != 0) step += " $" + names[i] + "/";
    }
    const Lifted result(script + once + "\n" + step + "\n");
    INFO(script << once << "\n" << step << "\n" << result.text);
    REQUIRE(result.grade() == "lifted with script");
    const std::size_t setup = result.text.find("setup = "), program = result.text.find("script = ");
    REQUIRE(setup < program);
    for (int i = 0; i < 3; ++i) {
      const std::string line = "  " + names[i] + "=";
      const auto in = [&](std::string_view text) { return text.find(line) != std::string_view::npos; };
      const bool of_once = (places >> (2 * i) & 1) != 0, of_step = (places >> (2 * i) & 2) != 0;
      CHECK(in(std::string_view(result.text).substr(setup, program - setup)) == of_once);
      CHECK(in(std::string_view(result.text).substr(program)) == (of_step || !of_once));
    }
  }
}

TEST_CASE("a script whose last line has no end is lifted as one that has it") {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_folder() + "/tests/lift/fixtures")) {
    if (entry.path().extension() != ".sbatch") continue;
    std::string text = file_text(entry.path());
    REQUIRE(text.ends_with('\n'));
    const Lifted whole(text);
    text.pop_back();
    INFO(entry.path());
    CHECK(Lifted(text).text == whole.text);
    ++count;
  }
  CHECK(count > 20);
}

}  // namespace lift_moved_test
