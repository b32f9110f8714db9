// Job scripts of LSF: what each part of a directive becomes, and what the text may read.
#include "targets/lsf/read/script.h"

#include "tests/catch.h"
#include "tests/unit/other_batch_scene.h"

namespace lsf_read_test {

using namespace muster;
using targets::Grade;
using Import = tests::OtherImport;

namespace {

Import lsf(const std::string& directives, const std::string& body = "python a.py\n") {
  return Import(tests::with_directives("#BSUB ", directives, body));
}

}  // namespace

TEST_CASE("each part of an LSF directive has a line of its own") {
  const Import one =
      lsf("-n 8 -W 2:30\n-R \"span[hosts=1] rusage[mem=4GB,ngpus_excl_p=2] select[type==any]\"\n-q gpu\n-P proj\n"
          "-J \"fit[1-9:2]%3\"");
  CHECK(one.fates() ==
        "-n mapped, -W mapped, -R span mapped, -R rusage:mem approximated, -R rusage:ngpus_excl_p mapped, "
        "-R select approximated, -q mapped, -P mapped, -J mapped");
  CHECK(one.shown("-R rusage:ngpus_excl_p") == "ngpus_excl_p=2");
  CHECK(one.has("cpus = 8"));
  CHECK(one.has("gpus = 2"));
  CHECK(one.has("memory = 4GiB"));
  CHECK(one.has("time-limit = 2h30m"));
  CHECK(one.has("task = [1, 3, 5, 7, 9]"));
  CHECK(one.has("max-parallel = 3"));
  CHECK(one.has("title = \"fit\""));
}

TEST_CASE("slots lie on hosts as span says") {
  const Import tiles = lsf("-n 8\n-R \"span[ptile=4]\"", "mpirun ./a\n");
  CHECK(tiles.has("nodes = 2\n cpus = 4"));
  CHECK(tiles.has("processes = 4"));
  CHECK(lsf("-n 9\n-R span[ptile=4]", "mpirun ./a\n").said("-n").find("the last one") != std::string::npos);
  CHECK(lsf("-n 8", "mpirun ./a\n").fates() == "-n raw");
  CHECK(lsf("-n 8", "mpirun ./a\n").has("ntasks = 8"));
  CHECK(lsf("-n 8").said("-n") == "resources.cpus: on one node; without `span[hosts=1]` LSF may spread the slots");
  CHECK(lsf("-nnodes 4\n-alloc_flags gpumps", "jsrun -n 24 ./a\n").fates() == "-nnodes mapped, -alloc_flags lost");
}

TEST_CASE("a -gpu string is read part by part") {
  const Import one = lsf("-gpu \"num=2:mode=exclusive_process:gmodel=NVIDIAA100-80GB:gmem=40G\"");
  CHECK(one.fates() == "-gpu num mapped, -gpu mode approximated, -gpu gmodel mapped, -gpu gmem mapped");
  CHECK(one.has("gpu = nvidiaa100"));
  CHECK(one.has("gpu-memory = 40GiB"));
  CHECK(lsf("-gpu -").said("-gpu") == "resources.gpus: one, which is LSF's default unless the site sets another");
  CHECK(lsf("-n 2\n-R span[hosts=1]\n-gpu num=1/task").has("gpus = 2"));
}

TEST_CASE("an assumed unit of memory is named") {
  CHECK(lsf("-M 16").said("-M").find("taken as GB") != std::string::npos);
  CHECK(lsf("-M 16000").has("memory = 16000MiB"));
  CHECK(lsf("-M 16777216").has("memory = 16GiB"));
  CHECK(lsf("-R rusage[mem=2048]").said("-R rusage:mem").find("taken as MB") != std::string::npos);
  CHECK(lsf("-M 16GB").said("-M") == "resources.memory: a limit of a process, taken for the node");
}

TEST_CASE("options of bsub become keys") {
  const Import one =
      lsf("-o out.%J.%I\n-eo err.%J\n-u a@b.org\n-B\n-N\n-x\n-r\n-w \"done(12) && ended(13)\"\n-m \"host1 host2\"\n"
          "-env \"all, A=1\"\n-cwd /data\n-sp 10\n-app x\n-K");
  CHECK(one.fates() ==
        "-o mapped, -eo mapped, -u mapped, -B mapped, -N mapped, -x mapped, -r mapped, -w raw, -m approximated, "
        "-env mapped, -env mapped, -cwd mapped, -sp lost, -app lost, -K raw");
  CHECK(one.has("output = \"out.{id}.{point}\""));
  CHECK(one.has("error = \"err.{id}\""));
  CHECK(one.has("on = [start, end]"));
  CHECK(one.has("exclusive = true"));
  CHECK(one.has("dependency = \"afterok:12,afterany:13\""));
  CHECK(one.has("workdir = \"/data\""));
  CHECK(lsf("-w \"done(name)\"").fates() == "-w lost");
}

TEST_CASE("directives of LSF count wherever they are") {
  const Import one("#!/bin/bash\n#BSUB -J a\necho\n#BSUB -q late\npython a.py\n");
  CHECK(one.fates() == "-J mapped, -q mapped");
  CHECK(one.has("queue = late"));
  CHECK(one.made.ignored.empty());
}

TEST_CASE("variables of LSF are those of the run") {
  const Import keys = lsf("-J a[1-3]", "python a.py $LSB_JOBINDEX $LSB_JOBID\n");
  CHECK(keys.has("command = [\"python\", \"a.py\", $task, \"${run.id}\"]"));
  CHECK(keys.made.grade == Grade::lifted);
  const Import wrapped = lsf("-n 4", "for h in $LSB_HOSTS; do ssh $h ./a; done\n");
  CHECK(wrapped.made.reason == "the text reads `LSB_HOSTS` of LSF, which no key gives");
}

TEST_CASE("a run limit is minutes or hours and minutes") {
  using targets::lsf::run_limit_seconds;
  CHECK(run_limit_seconds("90") == 5400);
  CHECK(run_limit_seconds("24:00") == 86400);
  CHECK(run_limit_seconds("1:00/hostA") == 3600);
  CHECK_FALSE(run_limit_seconds("1:00:00"));
  CHECK_FALSE(run_limit_seconds("2h"));
}

}  // namespace lsf_read_test
