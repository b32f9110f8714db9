// A script as a workload: what each directive becomes, and that none is passed over.
#include "targets/slurm/read/import.h"
#include "tests/catch.h"
#include "tests/unit/import_scene.h"

namespace import_test {

using namespace muster;
using namespace muster::targets;

namespace {

struct Import : tests::ImportScene {
  slurm::Script script;

  explicit Import(const std::string& bytes) {
    sources.add("job.sbatch", bytes);
    script = slurm::read_script(sources, 1, {});
    const shell::Body body = slurm::read_body(sources, script);
    made = slurm::import_script(sources, script, body, slurm::meaning_of(script, body), "job", diagnostics);
    write_text();
  }

  bool failed() const { return diagnostics.has_errors(); }
};

Import script(const std::string& directives, const std::string& body = "python a.py\n") {
  return Import(tests::with_directives("#SBATCH ", directives, body));
}

}  // namespace

TEST_CASE("amounts become those of one node") {
  const Import one =
      script("--nodes=2\n--ntasks-per-node=4\n--cpus-per-task=6\n--mem-per-cpu=2G\n--gpus-per-node=4", "srun a\n");
  CHECK(one.fates() ==
        "nodes mapped, ntasks-per-node mapped, cpus-per-task mapped, mem-per-cpu mapped, gpus-per-node mapped");
  CHECK(one.has("nodes = 2\n"));
  CHECK(one.has("cpus = 24\n"));
  CHECK(one.has("memory = 48GiB\n"));
  CHECK(one.has("launch { runner = batch-script processes = 4 }"));
  CHECK(script("--mem=0\n--exclusive").has("exclusive = true"));
  CHECK(script("--exclusive").fates() == "exclusive mapped");  // memory is left to the site
  CHECK(script("--exclusive=user").fates() == "exclusive raw");
  CHECK(script("--nodes=2\n--ntasks=8", "srun a\n").has("processes = 4"));
  CHECK(script("--ntasks=8\n--ntasks-per-node=4", "srun a\n").has("nodes = 2"));
}

TEST_CASE("tasks without a launcher are cpus") {
  const Import make = script("--ntasks=8\n--mem-per-cpu=1G", "make -j8\n");
  CHECK(make.fates() == "ntasks approximated, mem-per-cpu mapped");
  CHECK(make.has("cpus = 8\n"));
  CHECK(make.has("memory = 8GiB\n"));
  CHECK_FALSE(make.has("batch-script"));
  CHECK(script("--ntasks=8", "mpirun -np $SLURM_NTASKS a\n").fates() == "ntasks raw");
}

TEST_CASE("what a text reads of Slurm, and whether it is started again, is as in the script") {
  CHECK(script("--array=0-3", "python a.py $SLURM_ARRAY_TASK_ID\n").has("launch { compat = slurm }"));
  CHECK_FALSE(script("--array=0-3", "python a.py\n").has("compat"));
  CHECK_FALSE(script("--nodes=2", "srun a $SLURM_NNODES\n").has("compat"));  // a batch-script runs on Slurm alone
}

TEST_CASE("what a script does not ask for is left to the site by the fragment") {
  CHECK(script("--nodes=1").has("defaults { retry = default cpus = default memory = default }"));
  CHECK(script("--requeue").has("defaults { cpus = default memory = default }"));
  CHECK(script("--no-requeue\n--cpus-per-task=4").has("defaults { memory = default }"));
  CHECK(script("--mem-per-cpu=2G\n--cpus-per-task=4").has("defaults { retry = default }"));
  CHECK_FALSE(script("--no-requeue\n--cpus-per-task=4\n--mem=8G").has("defaults"));
  // Of several scripts each leaves what it does not ask for.
  model::Site site;
  for (const char* asks : {"--requeue\n--cpus-per-task=4", "--mem=8G"}) {
    Imported made = script(asks).made;
    merge_site(site, made.site, made.workload);
  }
  REQUIRE(site.defaults);
  CHECK(model::is_left_to_site(site.defaults->main().resources.cpus));
  CHECK(model::is_left_to_site(site.defaults->main().resources.memory));
  CHECK(site.defaults->retry_default);
}

TEST_CASE("what only Slurm's words say stays in them") {
  CHECK(script("--nodes=2\n--ntasks=7\n--cpus-per-task=2", "srun a\n").fates() ==
        "nodes mapped, ntasks raw, cpus-per-task raw");
  CHECK(script("--nodes=1-4").has("target slurm { nodes = \"1-4\" }"));
  CHECK(script("--time=0").has("target slurm { time = 0 }"));
  CHECK(script("--hold").has("target slurm { hold = true }"));
  CHECK(script("--array=0-20000").fates() == "array raw");
  CHECK(script("--gpus-per-task=1\n--ntasks-per-node=4\n--nodes=1", "srun a\n").fates() ==
        "gpus-per-task raw, ntasks-per-node mapped, nodes mapped");
  const Import gres = script("--gres=gpu:a100:2,lscratch:10");
  CHECK(gres.has("gpu = a100:2\n"));
  CHECK(gres.has("target slurm { gres = \"lscratch:10\" }"));
}

TEST_CASE("partition, QOS, reservation and features are a queue of the site") {
  const Import one = script("-p gpu,long\n--qos=high\n-C 'a100&ib'\n--reservation=r\n-A llm");
  CHECK(one.has("queue = gpu-long-high-r-a100-ib\n"));
  CHECK(one.has("name = \"gpu,long\""));
  CHECK(one.has("constraint = \"a100&ib\""));
  CHECK(one.has("accounts = [\"llm\"]"));
  CHECK(script("-t 5").has("queue default { name = \"\" default = true }"));
}

TEST_CASE("arrays, logs, mail, nodes by name") {
  const Import one =
      script("-a 0-6:2,9%3\n-o %x-%A_%a.log\n--mail-type=end,TIME_LIMIT_80\n--mail-user=a@b.c\n-x n[1-2]");
  CHECK(one.fates() == "array mapped, output mapped, mail-type mapped, mail-user mapped, exclude mapped");
  CHECK(one.has("axes { task = [0, 2, 4, 6, 9] }"));
  CHECK(one.has("max-parallel = 3"));
  CHECK(one.has("output = \"{name}-{array}_{point}.log\""));
  CHECK(one.has("on = [end, time-80]"));
  CHECK(one.has("require not node.name in [n1, n2]"));
  CHECK(one.made.workload.kind.value == model::Kind::sweep);
  CHECK(script("-o '%u-%J-%4a{1}.log'").has("output = \"{user}-{job-step}-{point:4}{{1}.log\""));
  CHECK(script("-o %m.log").fates() == "output raw");
  CHECK(script("-t 5").has("output = \"slurm-{id}.out\""));  // Slurm's own default, not ours
}

TEST_CASE("the text stays as it is, without its directives") {
  const Import one =
      Import("#!/bin/sh\n\n#SBATCH -n 1\n# a comment\n#SBATCH -t 5\n\nset -e\n#SBATCH --mem=1\necho \"$HOME\"");
  CHECK(std::get<model::Script>(one.made.workload.main().program->value).bytes ==
        "# a comment\nset -e\n#SBATCH --mem=1\necho \"$HOME\"\n");
  CHECK(std::get<model::Script>(one.made.workload.main().program->value).interpreter == "sh");
  CHECK(Import("#!/bin/bash -l\n#SBATCH -n 1\na\n").has("script-flags = [\"-l\"]"));
  CHECK(
      Import("#!/bin/bash -ex -u \n#SBATCH -n 1\na\n").has("script-flags = [\"-ex -u\"]"));  // one, as the kernel does
  CHECK(Import("#!/usr/bin/env -S bash -e -u\n#SBATCH -n 1\na\n").has("script-flags = [\"-e\", \"-u\"]"));
  CHECK(Import("#!/bin/sh -\n#SBATCH -n 1\na\n").fates() == "ntasks mapped");
  CHECK(Import("#!/opt/bash5/bin/bash\n#SBATCH -n 1\na\n").fates() == "#! approximated, ntasks mapped");
  CHECK(Import("#!/usr/local/bin/bash\n#SBATCH -n 1\na\n").fates() == "ntasks mapped");
  CHECK(Import("#!/bin/sh setup\n#SBATCH -n 1\na\n").fates() == "#! lost, ntasks mapped");
  // A signal for the batch shell must reach the program's own traps.
  CHECK(script("--signal=B:USR1@60", "trap 'exit' USR1\na & wait\n").has("runner = batch-script"));
}

TEST_CASE("events of mail add up") {
  CHECK(script("--mail-type=NONE\n--mail-user=a@b.c").fates() == "mail-type mapped, mail-user mapped");
  CHECK(script("--mail-type=END\n--mail-type=none").has("on = [end]"));
  CHECK(script("--mail-type=BEGIN\n--mail-type=FAIL").has("on = [start, fail]"));
  const Import odd = script("--mail-type=BEGIN\n--mail-type=END,ABORT");
  CHECK(odd.has("on = [start, end]"));
  CHECK(odd.made.lines[1].note == "Slurm ignores the unknown `ABORT`");
}

TEST_CASE("names for people, requeueing, the environment, threads, disk") {
  CHECK(script("-J 'a: b@1'").has("title = \"a: b@1\""));
  CHECK(script("--job-name=").fates() == "job-name raw");
  CHECK(script("--requeue").has("retry { limit = unlimited }"));
  CHECK(script("--no-requeue").has("retry { limit = 0 }"));
  CHECK(script("--requeue=expedite").has("target slurm { requeue = \"expedite\" }"));
  CHECK(script("--requeue=expedite").fates() == "requeue raw");
  CHECK_FALSE(script("--requeue=expedite").has("retry {"));
  CHECK(script("--requeue\n--no-requeue").fates() == "requeue raw, no-requeue raw");
  CHECK(script("--export=NONE").has("launch { export = none }"));
  CHECK(script("--export=all").has("launch { export = all }"));
  CHECK(script("--export=A,B").fates() == "export raw");
  CHECK(script("--hint=nomultithread").has("resources { smt = false }"));
  CHECK(script("--hint=multithread").has("resources { smt = true }"));
  CHECK(script("--threads-per-core=1").has("resources { smt = false }"));
  CHECK(script("--threads-per-core=2").fates() == "threads-per-core raw");
  CHECK(script("--tmp=2G").has("disk = 2GiB"));
  CHECK(script("-D ./").fates() == "chdir mapped");
  CHECK(script("-D ../").fates() == "chdir raw");
}

TEST_CASE("GPUs of one task are those of its node") {
  CHECK(script("-n 1\n--gpus-per-task=2").has("gpus = 2\n"));
  CHECK(script("--gpus=1\n--gpus-per-task=1\n-n 1").fates() == "gpus mapped, gpus-per-task mapped, ntasks mapped");
  CHECK(script("--gres=gpu:4\n--gpus-per-node=4").fates() == "gres mapped, gpus-per-node mapped");
  CHECK(script("--gres=gpu:4\n--gpus-per-node=2").fates() == "gres raw, gpus-per-node mapped");
  const Import cpus = script("--gres=gpu:4\n--cpus-per-gpu=6");
  CHECK(cpus.has("cpus = 24\n"));
  CHECK(cpus.has("target slurm { cpus-per-gpu = 6 }"));
  CHECK(script("--gpus=1\n--gpus-per-task=2\n-n 1").fates() == "gpus mapped, gpus-per-task raw, ntasks mapped");
}

TEST_CASE("what Slurm refuses is not imported") {
  CHECK(script("--mem=lots").refused("Slurm rejects this"));
  CHECK(script("--nodes=$N").refused("does not take `$N`"));
  CHECK_FALSE(script("-o ret-%j.err  # 'ret-<job_number>.err'").failed());
  CHECK(script("-N <nodes>").failed());
  CHECK(script("-A {{ project }}").failed());
  CHECK(script("-A <my project>").failed());  // two words to Slurm
  CHECK(script("-p <partition>").failed());
  const Import spelling = script("-A <project>\n--mail-user=<me>@a.b\n-n 1");
  CHECK(spelling.has("account = \"<project>\""));
  CHECK(spelling.made.lines[0].note == "`<project>` is a placeholder, which is used literally");
  CHECK(spelling.made.lines[2].note.empty());
}

TEST_CASE("later options win, and both are accounted for") {
  const Import one = script("--time=1:00:00\n--time=2:00:00");
  CHECK(one.fates() == "time mapped, time mapped");
  CHECK(one.has("time-limit = 2h\n"));
}

TEST_CASE("what cannot be imported is said") {
  for (const char* text : {"#!/usr/bin/perl\n#SBATCH -n 1\n",
                           "#!/bin/sh\n#SBATCH -n 1\n#SBATCH hetjob\n#SBATCH -n 1\na\n", "#!/bin/sh\n#SBATCH --tme=1\n",
                           "#!/bin/sh\n#SBATCH --bogus x\n", "#!/bin/sh\n#SBATCH -n {{ n }}\n", "#SBATCH -n 1\n"}) {
    INFO(text);
    CHECK(Import(text).diagnostics.has_errors());
  }
}

TEST_CASE("env without -S does not find an interpreter with flags") {
  CHECK(Import("#!/usr/bin/env bash -e\n#SBATCH -n 1\na\n").fates() == "#! approximated, ntasks mapped");
  CHECK(Import("#!/usr/bin/env -S bash -e\n#SBATCH -n 1\na\n").fates() == "#! mapped, ntasks mapped");
  CHECK(Import("#!/usr/bin/env bash\n#SBATCH -n 1\na\n").fates() == "ntasks mapped");
}

TEST_CASE("an option that a plugin of the cluster may add stays as it is") {
  const Import one = script("--quotatype=reserved --volta\n--mps='a b'", "srun python a.py\n");
  CHECK(one.fates() == "quotatype raw, volta raw, mps raw");
  CHECK(one.has("target slurm { quotatype = \"reserved\" volta = true mps = \"a b\" }"));
  const Import twice = script("--foo=1\n--foo=2");
  CHECK(twice.fates() == "foo lost, foo raw");
  CHECK(twice.has("target slurm { foo = 2 }"));
  for (const char* other : {"--srun=x", "--launch=x", "--bogus=", "--Bogus=1", "--bogus x", "-Y", "hetjob\n--bogus=1"})
    CHECK(script(other).diagnostics.has_errors());
}

TEST_CASE("fragments of one site merge without a word changing its meaning") {
  model::Site site;
  const auto add = [&](const std::string& directives) {
    Import one = script(directives);
    merge_site(site, one.made.site, one.made.workload);
    return std::move(one.made.workload);
  };
  CHECK(add("-p gpu\n--gres=gpu:V100:1\n-A a").queues.at(0).value == "gpu");
  CHECK(add("-p gpu\n--gres=gpu:V100:1\n-A b").queues.at(0).value == "gpu");
  CHECK(add("-p GPU\n--gres=gpu:v100:1").queues.at(0).value == "gpu-2");  // another partition
  CHECK(add("-p gpu --qos=x").queues.at(0).value == "gpu-x");
  const model::Workload last = add("-t 5\n--gres=gpu:v100:1");
  CHECK(last.queues.empty());
  CHECK(last.main().resources.gpu->value == std::vector<std::string>{"v100-2"});
  CHECK(site.queues.size() == 4);
  CHECK(site.gpus.size() == 2);
  CHECK(site.tenants[0].accounts.size() == 2);
}

TEST_CASE("any text makes a name") {
  CHECK(name_from("a b/c") == "a-b-c");
  CHECK(name_from("-_.x") == "x");
  CHECK(name_from("%") == "job");
  CHECK(name_from(std::string(200, 'a')).size() == 63);
}

}  // namespace import_test
