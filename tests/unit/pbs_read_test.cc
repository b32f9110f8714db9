// Job scripts of PBS and Torque: what each part of a directive becomes, and what the text may read.
#include "targets/pbs/read/script.h"

#include "tests/catch.h"
#include "tests/unit/other_batch_scene.h"

namespace pbs_read_test {

using namespace muster;
using targets::Grade;
using targets::batch::System;
using targets::batch::system_of;
using Import = tests::OtherImport;

namespace {

Import pbs(const std::string& directives, const std::string& body = "cd $PBS_O_WORKDIR\npython a.py\n") {
  return Import(tests::with_directives("#PBS ", directives, body));
}

targets::pbs::Script script_of(const std::string& text, Sources& sources) {
  return targets::pbs::read_script(sources, sources.add("job.pbs", text));
}

}  // namespace

TEST_CASE("a job script is recognized by its directives") {
  CHECK(system_of("#!/bin/bash\n#PBS -N a\n") == System::pbs);
  CHECK(system_of("#!/bin/bash\n  #PBS -N a\n") == System::pbs);
  CHECK(system_of("#!/bin/bash\n#BSUB -J a\n") == System::lsf);
  CHECK(system_of("#!/bin/bash\n#PBS -N a\n#SBATCH -n 1\n") == System::slurm);  // sbatch obeys both
  CHECK(system_of("#!/bin/bash\n#PBS -N a\n#BSUB -J a\n#BSUB -q b\n") == System::lsf);
  CHECK(system_of("#!/bin/bash\n#$ -N a\n") == System::grid_engine);
  CHECK(system_of("#!/bin/bash\n# flux: -N 4\n") == System::flux);
  CHECK(system_of("#!/bin/bash\n#COBALT -n 4\n") == System::cobalt);
  CHECK(system_of("executable = a.sh\nrequest_gpus = 1\nqueue 4\n") == System::htcondor);
  for (const char* line :
       {"--group=G1", "-l elapstim_req=1:00:00", "-q a -l memsz_job=4GB", "-l cpunum_prc=2,gpunum_job=1"})
    CHECK(system_of("#!/bin/bash\n#PBS -N a\n  #PBS " + std::string(line) + " # note\n") == System::nqsv);
  for (const char* line : {"-l walltime=1:00:00 # --group", "-N elapstim_req=1", "-l my_job=1", "-v A=--x"})
    CHECK(system_of("#!/bin/bash\n#PBS " + std::string(line) + "\n") == System::pbs);
  CHECK(!system_of("#!/bin/bash\n#PBSX\n#BSUBS\nqueue\nexecutable\n"));
  CHECK(!system_of("executable = a\n"));
}

TEST_CASE("each part of a PBS directive has a line of its own") {
  const Import one = pbs("-l select=2:ncpus=16:ngpus=4:mem=64gb:mpiprocs=4,place=scatter:excl,walltime=01:30:00");
  CHECK(one.fates() ==
        "-l select mapped, -l select:ncpus mapped, -l select:ngpus mapped, -l select:mem mapped, "
        "-l select:mpiprocs mapped, -l place mapped, -l walltime mapped");
  CHECK(one.shown("-l select:ngpus") == "ngpus=4");
  CHECK(one.has("nodes = 2 gpus = 4 cpus = 16 memory = 64GiB exclusive = true"));
  CHECK(one.has("time-limit = 1h30m"));
  CHECK(one.has("processes = 4"));
}

TEST_CASE("options of PBS become keys") {
  const Import one =
      pbs("-N train\n-q gpuq@server\n-A proj\n-j oe\n-m abe\n-M a@b.org,c@d.org\n-r n\n-V\n-J 2-6:2%3\n-o logs/\n"
          "-v A=1,B\n-W depend=afterok:12.server:13,umask=022\n-p 10\n-h");
  CHECK(one.fates() ==
        "-N mapped, -q mapped, -A mapped, -j mapped, -m mapped, -M mapped, -r mapped, -V mapped, -J mapped, -o mapped, "
        "-v mapped, -v approximated, -W depend raw, -W umask lost, -p lost, -h raw");
  CHECK(one.has("title = \"train\""));
  CHECK(one.has("queue = gpuq"));
  CHECK(one.has("account = proj"));
  CHECK(one.has("email = [\"a@b.org\", \"c@d.org\"] on = [fail, start, end]"));
  CHECK(one.has("retry { limit = 0"));
  CHECK(one.has("task = [2, 4, 6]"));
  CHECK(one.has("max-parallel = 3"));
  CHECK(one.has("output = \"logs/{name}.o{id}\""));
  CHECK(one.has("env { A = 1 }"));
  CHECK(one.has("dependency = \"afterok:12:13\""));
  CHECK(one.has("hold"));
}

TEST_CASE("nodes of Torque are nodes with processors") {
  const Import serial = pbs("-l nodes=1:ppn=8,pmem=2gb");
  CHECK(serial.has("cpus = 8"));
  CHECK(serial.has("memory = 16GiB"));
  const Import mpi = pbs("-l nodes=2:ppn=8:gpus=2:fat", "cd $PBS_O_WORKDIR\nmpirun -np $PBS_NP ./a\n");
  CHECK(mpi.fates() == "-l nodes mapped, -l nodes:ppn mapped, -l nodes:gpus mapped, -l nodes:property approximated");
  CHECK(mpi.has("nodes = 2\n gpus = 2\n cpus = 8\n"));
  CHECK(mpi.has("runner = mpi processes = 8"));
  CHECK(mpi.has("constraint = \"fat\""));
  CHECK(mpi.made.grade == Grade::lifted);
  CHECK(pbs("-t 3").has("task = [3]"));  // the task of this number
}

TEST_CASE("chunks that PBS may place as it likes are tasks of Slurm") {
  const Import spread = pbs("-l select=64", "cd $PBS_O_WORKDIR\nmpirun ./a\n");
  CHECK(spread.fates() == "-l select raw");
  CHECK(spread.has("ntasks = 64"));
  CHECK(pbs("-l select=4:ncpus=2\n-l place=pack").has("cpus = 8"));
  CHECK(pbs("-l select=2:ncpus=8").said("-l select") ==
        "resources.nodes: a node for each chunk; PBS may place several on one node");
  const Import unlike = pbs("-l select=1:ncpus=2+3:ncpus=8:ngpus=1");
  CHECK(unlike.has("nodes = 4"));
  CHECK(unlike.said("-l select") == "resources.nodes: the chunks differ: each node gets the most that one of them has");
}

TEST_CASE("of a resource PBS keeps the first value, of an option the last") {
  const Import one = pbs("-l walltime=1:00:00\n-l walltime=2:00:00\n-q a\n-q b\n-l select=1\n-l select=2:ncpus=4");
  CHECK(one.has("time-limit = 1h"));
  CHECK(one.has("queue = b"));
  CHECK_FALSE(one.has("cpus = 4"));
  CHECK(one.made.lines.size() >= 7);
}

TEST_CASE("amounts that are none are lost with a reason") {
  CHECK(pbs("-l walltime=90m").said("-l walltime") == ": not a time: seconds, or HH:MM:SS");
  CHECK(pbs("-l select=1:ncpus=many").said("-l select:ncpus") == ": `many` is not a whole number");
  CHECK(pbs("-l select=1:mem=4.5gb").said("-l select:mem") == ": `4.5gb` is not a size");
  CHECK(pbs("-l nodes=99999999999999999999:ppn=4").fates() == "-l nodes lost, -l nodes:ppn mapped");
  CHECK(pbs("-l mem=99999999999999pb").fates() == "-l mem lost");
  CHECK(pbs("-q a stray words").fates() == "-q mapped, #PBS lost");
  CHECK(pbs("-l select={{ nodes }}").refused("is a template"));
}

TEST_CASE("the folder of the submission is where a job starts") {
  const Import back = pbs("-N a", "cd \"$PBS_O_WORKDIR\"\npython a.py\n");
  CHECK(back.said("cd") == "the job starts there");
  CHECK_FALSE(back.has("workdir"));
  CHECK(back.made.grade == Grade::lifted);
  const Import home = pbs("-N a", "python a.py\n");
  CHECK(home.said("cd") == "workdir: PBS starts the job in the home folder");
  CHECK(home.has("workdir = \"${env.HOME}\""));
  CHECK_FALSE(pbs("-N a", "cd /data\npython a.py\n").has("env.HOME"));
}

TEST_CASE("variables of PBS are those of the run") {
  const Import keys = pbs("-J 1-3", "cd $PBS_O_WORKDIR\npython a.py $PBS_ARRAY_INDEX $PBS_JOBID\n");
  CHECK(keys.has("command = [\"python\", \"a.py\", $task, \"${run.id}\"]"));
  const Import text = pbs("-J 1-3", "cd $PBS_O_WORKDIR\nfor i in 1 2; do ./a $PBS_ARRAY_INDEX $i; done\n");
  CHECK(text.made.grade == Grade::with_script);
  CHECK(text.has("PBS_ARRAY_INDEX = $task"));
  CHECK(text.said("variable") == "env: `PBS_ARRAY_INDEX` is ${task}");
  const Import wrapped = pbs("-N a", "for h in $(cat $PBS_NODEFILE); do ssh $h ./a; done\n");
  CHECK(wrapped.made.grade == Grade::wrapped);
  CHECK(wrapped.made.reason == "the text reads `PBS_NODEFILE` of PBS, which no key gives");
  CHECK(wrapped.has("runner = batch-script"));
  const Import shown = pbs("-N a", "cat $PBS_NODEFILE\ncd $PBS_O_WORKDIR\nfor i in 1 2; do ./a; done\n");
  CHECK(shown.made.grade == Grade::with_script);
  CHECK(shown.said("noise") == "prints what only PBS has");
}

TEST_CASE("mpirun over the node file of PBS is the runner's") {
  const Import one = pbs("-l select=2:ncpus=8:mpiprocs=4\n-l place=scatter",
                         "cd $PBS_O_WORKDIR\nmpirun -np 8 -machinefile $PBS_NODEFILE ./a\n");
  CHECK(one.made.grade == Grade::lifted);
  CHECK(one.made.launcher == "mpirun, 2 nodes × 4");
  CHECK(one.said("-machinefile") == "the runner gives the nodes");
}

TEST_CASE("qsub reads directives down to the first command") {
  Sources sources;
  const auto script =
      script_of("#!/bin/bash\n\n# a comment\n  #PBS -N a \\\n -q b\n#PBS -N c # two\ncd x\n#PBS -q late\n", sources);
  CHECK(script.job.parts.size() == 3);
  CHECK(script.job.parts[1].value == "b");
  REQUIRE(script.job.late.size() == 1);
  CHECK(sources.text(script.job.late[0].span) == "#PBS -q late");
  REQUIRE(script.job.faults.size() == 1);
  CHECK(sources.text(script.job.faults[0].span) == "# two");
  Sources late;
  CHECK(Import("#!/bin/bash\necho\n#PBS -N a\n").refused("no directive is above the first command"));
}

TEST_CASE("a walltime is seconds or clock time") {
  using targets::pbs::walltime_seconds;
  CHECK(walltime_seconds("90", false) == 90);
  CHECK(walltime_seconds("1:30", false) == 90);
  CHECK(walltime_seconds("100:00:00", false) == 360000);
  CHECK(walltime_seconds("1:00:00:00", true) == 86400);
  CHECK_FALSE(walltime_seconds("1:00:00:00", false));
  CHECK_FALSE(walltime_seconds("1-00:00:00", true));
  CHECK_FALSE(walltime_seconds("99999999999999999999:00", true));
  CHECK_FALSE(walltime_seconds("", true));
}

TEST_CASE("the text of a wrapped script is whole but for its directives") {
  const Import one(tests::with_directives("#PBS ", "-N a", "cd $PBS_O_WORKDIR\n./a\n"), false);
  const auto& program = std::get<model::Script>(one.made.workload.roles.front().program->value);
  CHECK(program.bytes == "cd $PBS_O_WORKDIR\n./a\n");
  CHECK(one.has("PBS_O_WORKDIR = \"${env.SLURM_SUBMIT_DIR}\""));
  CHECK(one.has("compat = slurm"));
}

TEST_CASE("processes of a node that no key has are said, not called one") {
  const auto said = [](const std::string& chunk, const std::string& text) {
    return Import(tests::with_directives("#PBS ", "-l select=" + chunk, text), false).said("-l select:mpiprocs");
  };
  CHECK(said("1:ncpus=8:mpiprocs=8", "mpiexec -n 8 ./a\n") == "launch.processes");
  CHECK(said("2:ncpus=8:mpiprocs=8", "./a\n") == "launch.processes");
  CHECK(said("1:ncpus=8:mpiprocs=1", "./a\n") == "one process");
  CHECK(said("1:ncpus=8:mpiprocs=8", "./a\n").starts_with("one process: the text starts no MPI itself"));
}

}  // namespace pbs_read_test
