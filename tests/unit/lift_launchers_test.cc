// What starts the processes: options that come out of variables, launchers with a path or with something in front of
// them, and launchers of other systems. Each test makes a class of scripts and runs or reads each of them.
#include <algorithm>

#include "tests/unit/other_batch_scene.h"
#include "tests/unit/recompiled.h"

namespace lift_launchers_test {

using namespace muster;
using namespace muster::tests;

namespace {

std::string job(int nodes, int tasks) {
  return "#!/bin/bash\n#SBATCH --nodes=" + std::to_string(nodes) +
         "\n#SBATCH --ntasks-per-node=" + std::to_string(tasks) + "\n";
}

// The words of mpirun without those by which muster places the processes.
std::string own_words(const std::string& record) {
  std::string out = lines_of(record, "mpirun");
  const std::size_t at = out.find("|-np|"), map = out.find("|--map-by|ppr:");
  if (at == std::string::npos || map == std::string::npos) return out;
  const std::size_t end = out.find('|', map + 14);
  return out.substr(0, at) + out.substr(end);
}

}  // namespace

TEST_CASE("options of mpirun that come out of variables are those of the original, in their order") {
  const std::vector<std::string> options = {"--tag-output",
                                            "--bind-to socket",
                                            "-x A=1",
                                            "--mca btl tcp",
                                            "--tag-output --bind-to socket -x A=1",
                                            "-x A=1 -x B=2 --report-bindings",
                                            "--mca pml ob1 --mca mtl ^psm2 --oversubscribe",
                                            "--rank-by core --bind-to core --report-bindings"};
  const std::vector<std::string> forms = {
      "F=\"OPTIONS\"\nmpirun $F ./prog",
      "F=\"OPTIONS\"\nmpirun --display-map $F ./prog a b",
      "F=\"OPTIONS\"\nG=\"-x Z=9 -x Y=8\"\nmpirun $F $G ./prog",
      "F=\"OPTIONS ./prog\"\nmpirun $F x",
      "F=(OPTIONS)\nmpirun \"${F[@]}\" ./prog",
      "M=\"mpirun OPTIONS\"\n$M ./prog",
      "mpirun OPTIONS ./prog",
  };
  Tally tally;
  int lifted_ones = 0;
  for (const std::string& option : options)
    for (std::string form : forms) {
      form.replace(form.find("OPTIONS"), 7, option);
      const std::string script = job(2, 2) + form + "\n";
      const Recompiled result = recompiled(script, false);
      INFO(script + result.text + result.refusal + result.file);
      REQUIRE(result.ok());
      lifted_ones += result.grade == "lifted" ? 1 : 0;
      const std::string before = own_words(recorded(script, {}));
      const std::string after = own_words(recorded(result.file, {}));
      CHECK(before == after);
      tally.count(!before.empty() && before == after);
    }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
  CHECK(lifted_ones >= 40);  // refusing is not passing
}

TEST_CASE("a step whose options and program share a variable is not cut in two") {
  Tally tally;
  for (const std::string option : {"-n 4", "--label -n 4", "--cpu-bind=none", "-l", "--kill-on-bad-exit=1 --label"})
    for (const std::string form : {"X=\"OPTIONS python\"\nsrun $X w.py", "X=\"srun OPTIONS python\"\n$X w.py",
                                   "X=\"srun OPTIONS\"\n$X python w.py", "X=\"OPTIONS\"\nsrun $X python w.py"})
      for (const std::string before : {"", "for i in 1; do :; done\n"}) {
        std::string text = before + form;
        text.replace(text.find("OPTIONS"), 7, option);
        const Recompiled result = recompiled(job(2, 2) + text + "\n", false);
        INFO(job(2, 2) + text + "\n" + result.text + result.refusal + result.file);
        const std::string was = lines_of(recorded(job(2, 2) + text + "\n", {}), "python");
        const std::string is = lines_of(recorded(result.file, {}), "python");
        const bool same = is == was && !was.empty();
        CHECK(result.ok());
        CHECK(same);
        CHECK(result.file.find("exec -n") == std::string::npos);
        CHECK(result.text.find("\n  -n 4") == std::string::npos);
        tally.count(result.ok() && same);
      }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("what is in front of a launcher, and its path, stay") {
  Tally tally;
  const auto stays = [&](const std::string& line, const std::string& word, int nodes, const std::string& more) {
    const std::string directives = job(nodes, 1) + "#SBATCH --gpus-per-node=4\n";
    const Lifted result(directives + more + line + "\n");
    INFO(directives + more + line + "\n" + result.text);
    CHECK(result.text.find(word) != std::string::npos);
    tally.count(result.text.find(word) != std::string::npos);
  };
  for (const int nodes : {1, 2}) {
    const std::string count = std::to_string(nodes);
    for (const std::string path : {"/opt/x/bin/", "./bin/", "../", "$HOME/bin/", "\"$HOME\"/bin/"})
      for (const std::string& line :
           {"PATHmpirun -np " + count + " ./a", "PATHmpiexec -np " + count + " ./a",
            "srun PATHtorchrun --nnodes=" + count + " --nproc_per_node=4 a.py",
            "srun PATHpython -m torch.distributed.run --nnodes=" + count + " --nproc_per_node=4 a.py"}) {
        std::string own = line;
        own.replace(own.find("PATH"), 4, path);
        const std::string bare = path.find('$') == std::string::npos ? path : "bin/";
        stays(own, bare, nodes, "");
      }
    for (const std::string front : {"numactl -N 0", "timeout 10", "nice -n 5", "conda run -n env", "env A=1"})
      for (const std::string& line :
           {"srun " + front + " torchrun --nnodes=" + count + " --nproc_per_node=4 a.py",
            "srun bash -c '" + front + " torchrun --nnodes=" + count + " --nproc_per_node=4 a.py'",
            front + " srun python a.py", front + " mpirun -np " + count + " ./a"})
        stays(line, front.substr(0, front.find(' ')), nodes, "");
  }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("launchers of other systems are kept, and the reason names them") {
  Tally tally;
  const std::vector<std::string> launchers = {"jsrun", "aprun", "ibrun",  "mpiexec_mpt", "mpirun_rsh2", "mpiexec.ucx",
                                              "prun",  "lrun",  "pbsdsh", "blaunch",     "ccc_mprun",   "charmrun"};
  const std::vector<std::string> forms = {"WORD -n 4 ./a",      "WORD ./a b",     "/opt/x/WORD ./a",
                                          "time WORD -n 4 ./a", "L=WORD\n$L ./a", "WORD -n 4 ./a > log"};
  for (const std::string& word : launchers)
    for (const std::string& form : forms)
      for (const auto& [nodes, tasks] : {std::pair{1, 1}, std::pair{2, 2}}) {
        std::string text = form;
        text.replace(text.find("WORD"), 4, word);
        const Lifted result(job(nodes, tasks) + text + "\n");
        INFO(job(nodes, tasks) + text + "\n" + result.made.reason + "\n" + result.text);
        CHECK(result.grade() == "wrapped");
        tally.count(result.grade() == "wrapped");
      }
  for (const std::string& word : launchers) {
    const Lifted one(job(1, 1) + word + " -n 4 ./a\n");
    INFO(one.made.reason);
    CHECK(one.because("`" + word + "`"));
    tally.count(one.because("`" + word + "`"));
    CHECK(one.sources.text(one.made.reason_at).find(word) != std::string_view::npos);
  }
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

TEST_CASE("tasks of an array of Torque have the numbers that -t names") {
  Tally tally;
  const auto check = [&](const std::string& ids, const std::string& wanted) {
    const OtherImport read(with_directives("#PBS ", "-l nodes=1:ppn=4\n-t " + ids, "python a.py $PBS_ARRAYID\n"));
    INFO(ids + "\n" + read.text);
    CHECK(read.has("axes { task = " + wanted + " }"));
    tally.count(read.has("axes { task = " + wanted + " }"));
  };
  for (int i = 0; i < 40; ++i) check(std::to_string(i * 7), "[" + std::to_string(i * 7) + "]");
  check("0-3", "0..3");
  check("1-3%2", "1..3");
  check("15%1", "[15]");
  CHECK(tally.right == tally.all);
  CHECK(tally.all >= 40);
}

}  // namespace lift_launchers_test
