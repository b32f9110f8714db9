#include "tests/catch.h"
#include "tests/unit/read_scene.h"

namespace slurm_meaning_test {

using namespace muster;
using namespace muster::targets::slurm;
using muster::test::head;
using muster::test::ReadScene;

namespace {

std::int64_t minutes(std::string_view text) {
  const auto time = slurm_time(text);
  return !time ? -1 : time->unlimited ? 0 : time->minutes;
}

const Start& only_start(const ReadScene& scene) {
  REQUIRE(scene.meaning.starts.size() == 1);
  return scene.meaning.starts[0];
}

// "8 of 32": a node, in all.
std::string processes(const std::string& options, const std::string& text) {
  const ReadScene scene(head(options) + text);
  const Start& s = only_start(scene);
  const auto number = [](const Count& c) { return c.value ? std::to_string(*c.value) : std::string("?"); };
  return number(s.per_node) + " of " + number(s.total);
}

std::string conflict(const std::string& options, std::optional<model::Version> version = model::Version{22, 5}) {
  const ReadScene scene(head(options), "", version);
  return scene.meaning.conflicts.empty() ? std::string() : std::string(name(scene.meaning.conflicts[0].kind));
}

}  // namespace

TEST_CASE("times as Slurm reads them", "[slurm-read]") {
  CHECK(minutes("90") == 90);
  CHECK(minutes("1:30") == 2);
  CHECK(slurm_time("1:30")->seconds == 90);
  CHECK(minutes("01:02:03") == 63);
  CHECK(minutes("1-0") == 1440);
  CHECK(minutes("1-2:3") == 1563);
  CHECK(minutes("2-03:04:05") == 3065);
  CHECK(minutes("0") == 0);
  CHECK(minutes("UNLIMITED") == 0);
  for (const std::string_view bad : {"90m", "1h", "1:2:3:4", "1:", ":", "", "1.5", " 5", "1-1-1"}) {
    INFO(bad);
    CHECK(minutes(bad) == -1);
  }
}

TEST_CASE("memory as Slurm reads it", "[slurm-read]") {
  CHECK(slurm_memory("100") == 100);
  CHECK(slurm_memory("4G") == 4096);
  CHECK(slurm_memory("4gb") == 4096);
  CHECK(slurm_memory("1025k") == 2);
  CHECK(slurm_memory("1T") == 1 << 20);
  for (const std::string_view bad : {"10GiB", "1.5G", "5 G", "G", "-1", "12x", ""}) {
    INFO(bad);
    CHECK(!slurm_memory(bad));
  }
}

TEST_CASE("node counts, arrays, signals and resources as Slurm reads them", "[slurm-read]") {
  CHECK(slurm_nodes("1-4")->max == 4);
  CHECK(slurm_nodes("-3")->min == 1);
  CHECK(slurm_nodes("1k")->min == 1024);
  CHECK(!slurm_nodes("4-2"));
  CHECK(!slurm_nodes("3-"));
  CHECK(slurm_array("0-9:3")->count == 4);
  CHECK(slurm_array("0-9:3")->max == 9);
  CHECK(slurm_array("1,1,2%4")->count == 2);
  CHECK(slurm_array("1,1,2%4")->throttle == 4);
  CHECK(slurm_array("0-9%2")->ids == "0-9");
  CHECK(!slurm_array("3-1"));
  CHECK(!slurm_array("a"));
  CHECK(!slurm_array("0-4:0"));
  CHECK(slurm_signal("B:USR1@60")->batch);
  CHECK(slurm_signal("SIGTERM")->number == 15);
  CHECK(!slurm_signal("USR1@70000"));
  CHECK(!slurm_signal("NOPE"));
  CHECK(slurm_gpus("h100:4,a100:2")->size() == 2);
  CHECK(slurm_gpus("h100")->at(0).count == 1);
  CHECK(!slurm_gpus("h100:x"));
  CHECK(slurm_gres("gpu:h100:8,shard:2")->at(1).name == "shard");
  CHECK(!slurm_gres("gpu::1"));
}

TEST_CASE("nodes, tasks and GPUs that follow from each other", "[slurm-read]") {
  const auto tasks = [](const std::string& o) {
    const ReadScene scene(head(o));
    return scene.job().tasks ? *scene.job().tasks : -1;
  };
  CHECK(tasks("-N3") == 3);
  CHECK(tasks("-N2 --ntasks-per-node=4") == 8);
  CHECK(tasks("-n7 -N3") == 7);
  CHECK(tasks("--ntasks-per-gpu=2 --gpus=4") == 8);
  CHECK(tasks("-N2 -B 1:2") == -1);
  CHECK(ReadScene(head("-N4 -n2")).job().nodes->max == 2);
  CHECK(ReadScene(head("-n5 --ntasks-per-node=2")).job().nodes->min == 3);
  CHECK(ReadScene(head("-w n[01-03],n02")).job().nodes->min == 3);
  const ReadScene gres(head("-N2 --gres=gpu:h100:4,shard:1"));
  CHECK(gres.job().gpus_a_node.value == 4);
  CHECK(gres.job().gpus_in_all.value == 8);
  CHECK(gres.job().gpu_type == "h100");
  CHECK(gres.job().gres->size() == 1);
  CHECK(!ReadScene(head("-N2 --gpus=9")).job().gpus_a_node.value);
  CHECK(ReadScene(head("-n4 --gpus-per-task=2")).job().gpus_in_all.value == 8);
  CHECK(ReadScene(head("--gpus-per-node=h100:8 --gres=gpu:h100:4")).job().gpus_a_node.value == 4);
  CHECK(ReadScene(head("--mem=0")).job().memory->all);
}

TEST_CASE("each value knows the directive that gave it", "[slurm-read]") {
  const ReadScene scene(head("-t 5\n#SBATCH --time=10"));
  CHECK(scene.job().time->minutes == 10);
  CHECK(scene.job().time.by == 1);
  CHECK(scene.job().nodes.by == no_directive);
}

TEST_CASE("what Slurm refuses of the options together", "[slurm-read]") {
  CHECK(conflict("--time=90m") == "bad-value");
  CHECK(conflict("--mem=1G --mem-per-cpu=1G") == "memory-twice");
  CHECK(conflict("--exclusive --oversubscribe") == "");
  CHECK(conflict("--exclusive --oversubscribe", model::Version{24, 11}) == "exclusive-and-oversubscribe");
  CHECK(conflict("--gpus-per-node=8 --gres=gpu:8") == "");
  CHECK(conflict("--gpus-per-node=8 --gres=gpu:8", model::Version{26, 5}) == "gpus-and-gres");
  CHECK(conflict("--gres=gpu:1,gpu:h100:1") == "gpus-mismatch");
  CHECK(conflict("-a 0-3\n#SBATCH hetjob\n#SBATCH -n2") == "array-and-hetjob");
  CHECK(conflict("--mem-per-gpu=4G") == "other");
  CHECK(conflict("--mem-per-gpu=4G --gpus=2") == "");
  CHECK(conflict("--nodes=2,4") == "bad-value");
  CHECK(conflict("--nodes=2,4", model::Version{23, 2}) == "");
  const ReadScene undeclared(head("--exclusive --oversubscribe"), "", std::nullopt);
  CHECK(!undeclared.meaning.conflicts.at(0).certain);
}

TEST_CASE("a component inherits some options and not others", "[slurm-read]") {
  const ReadScene scene(head("-t5 -p gpu --mem=1G -N4 --comment=c\n#SBATCH hetjob\n#SBATCH -n2"));
  const Component& second = scene.meaning.components.at(1);
  CHECK(second.time->minutes == 5);
  CHECK(second.memory->mebibytes == 1024);
  CHECK(*second.comment == "c");
  CHECK(!second.partitions.given());
  CHECK(*second.tasks == 2);
}

TEST_CASE("processes that really start", "[slurm-read]") {
  CHECK(processes("-N4 --ntasks-per-node=8", "srun torchrun --nproc_per_node=8 t.py\n") == "64 of 256");
  CHECK(processes("-N4 --ntasks-per-node=1 --gpus-per-node=8", "srun torchrun --nproc_per_node=gpu t.py\n") ==
        "8 of 32");
  CHECK(processes("-N4", "torchrun --nproc_per_node=8 t.py\n") == "8 of 8");
  CHECK(processes("-N4", "srun ./a\n") == "1 of 4");
  CHECK(processes("-N2 -n6", "srun ./a\n") == "? of 6");  // seen: 5 and 1
  CHECK(processes("-N2 -n6 --ntasks-per-node=3", "srun ./a\n") == "3 of 6");
  CHECK(processes("-N2 -n5", "srun ./a\n") == "? of 5");
  CHECK(processes("-N2", "srun -n1 ./a\n") == "1 of 1");
  CHECK(processes("-N2", "srun --ntasks-per-node=2 ./a\n") == "2 of 4");
  // Seen: the job's number of tasks goes before what srun says a node; -N1 differs between versions.
  CHECK(processes("-N2 --ntasks-per-node=4", "srun --ntasks-per-node=1 ./a\n") == "4 of 8");
  const auto on_one = [](std::optional<model::Version> version) {
    const ReadScene scene(head("-N2 --ntasks-per-node=4") + "srun -N1 ./a\n", "", version);
    return only_start(scene).total.value;
  };
  CHECK(on_one(model::Version{22, 5}) == 8);
  CHECK(on_one(model::Version{24, 11}) == 4);
  CHECK(on_one(std::nullopt) == std::nullopt);
  CHECK(processes("-n8 -N2 --ntasks-per-node=4", "mpirun ./a\n") == "4 of 8");
  CHECK(processes("-N1", "mpirun -np 6 ./a\n") == "6 of 6");
  CHECK(processes("-N2", "srun torchrun --nproc_per_node=$G t.py\n") == "? of ?");
  CHECK(processes("-N2 --gpus-per-node=4", "srun bash -c 'torchrun --nproc_per_node=$SLURM_GPUS_ON_NODE t.py'\n") ==
        "4 of 8");
  CHECK(ReadScene(head("-N2") + "pip list\npython -c 'x'\nx=$(python t.py)\nsbatch b.sh\n").meaning.starts.empty());
  CHECK(!only_start(ReadScene(head("-N2") + "if x; then srun a; fi\n")).unconditional);
}

TEST_CASE("processes behind a shell that a script starts", "[slurm-read]") {
  const std::string read = "IFS= read -r -d '' script <<'END' || :\n  exec torchrun --nproc_per_node=8 t.py\nEND\n";
  const std::string node = "-N4 --ntasks-per-node=1 --gpus-per-node=8";
  CHECK(processes(node, read + "srun bash -c \"$script\" name\n") == "8 of 32");
  CHECK(processes(node, "srun sh -c 'export A=1; exec \"$@\"' sh torchrun --nproc_per_node=8 t.py\n") == "8 of 32");
  CHECK(processes(node, "node='cd /x\nexec \"$@\"'\nsrun sh -c \"$node\" sh torchrun --nproc_per_node=8 t.py\n") ==
        "8 of 32");
  CHECK(processes(node, "srun bash -c 'torchrun --nproc_per_node=$1 t.py' x 4\n") == "4 of 16");
  CHECK(processes(node, "srun bash -c 'torchrun --nproc_per_node=$1 t.py' x $N\n") == "? of ?");
  // What a run replaces, or overwrites, is not known.
  CHECK(processes(node,
                  "read -r -d '' script <<END\ntorchrun --nproc_per_node=$N t.py\nEND\nsrun bash -c \"$script\"\n") ==
        "1 of 4");
  CHECK(processes(node, read + "read -r script < file\nsrun bash -c \"$script\" name\n") == "1 of 4");
}

TEST_CASE("nodes that a launcher joins", "[slurm-read]") {
  const auto joined = [](const std::string& text) {
    const ReadScene scene(head("-N2 --ntasks-per-node=1 --gpus-per-node=4") + text + "\n");
    const Count& c = only_start(scene).joined;
    return (c.value ? std::to_string(*c.value) : std::string("?")) + (c.span.known() ? " written" : "");
  };
  CHECK(joined("srun torchrun --nnodes=4 t.py") == "4 written");
  CHECK(joined("srun torchrun t.py") == "1");
  CHECK(joined("export PET_NNODES=3\nsrun torchrun t.py") == "3 written");
  CHECK(joined("export PET_NNODES=$N\nsrun torchrun t.py") == "? written");
  CHECK(joined("srun accelerate launch --num_machines 2 t.py") == "2 written");
  CHECK(joined("srun accelerate launch --config_file c.yaml t.py") == "?");
  // accelerate counts over all machines, of which the file may have several.
  CHECK(processes("-N2 --ntasks-per-node=1", "srun accelerate launch --num_machines 2 --num_processes 8 t.py\n") ==
        "4 of 8");
  CHECK(processes("-N2 --ntasks-per-node=1", "srun accelerate launch --config_file c --num_processes 8 t.py\n") ==
        "? of ?");
}

TEST_CASE("segments divide the nodes", "[slurm-read]") {
  CHECK(conflict("-N16 --segment=5", model::Version{26, 5}) == "other");
  CHECK(conflict("-N16 --segment=4", model::Version{26, 5}).empty());
  CHECK(conflict("-N16 --segment=5", model::Version{24, 11}).empty());  // without blocks it has no effect
  const ReadScene unknown(head("-N16 --segment=5"), "", std::nullopt);
  REQUIRE(unknown.meaning.conflicts.size() == 1);
  CHECK(!unknown.meaning.conflicts[0].certain);
}

TEST_CASE("accelerators of PBS end at a comma", "[slurm-read]") {
  const auto gpus = [](const std::string& list) {
    const ReadScene scene("#!/bin/bash\n#PBS -l " + list + "\nls\n");
    return scene.meaning.conflicts.empty() ? scene.meaning.job().gpus_a_node.value.value_or(-1) : -2;
  };
  CHECK(gpus("select=1:ncpus=4:naccelerators=4") == 4);
  CHECK(gpus("select=1:naccelerators=4:mem=4gb") == -2);  // Invalid numeric value "4:mem=4gb" for naccelerators
}

TEST_CASE("whose number of tasks a step has is a matter of the version", "[slurm-read]") {
  const auto tasks = [](const std::string& step, std::optional<model::Version> version) {
    const ReadScene scene(head("-N2 --ntasks-per-node=4") + step + " ./solve\n", "", version);
    const Start& s = only_start(scene);
    return (s.tasks.value ? std::to_string(*s.tasks.value) : "?") +
           (scene.meaning.remarks.empty() ? "" : " and a remark");
  };
  const model::Version before{22, 5}, between{23, 2}, after{24, 11};
  for (const model::Version version : {before, between, after})  // seen on 22.05, 24.11 and 26.05
    CHECK(tasks("srun --ntasks-per-node=1", version) == "8 and a remark");
  CHECK(tasks("srun -N2 --ntasks-per-node=1", before) == "8 and a remark");
  CHECK(tasks("srun -N2 --ntasks-per-node=1", between) == "?");
  CHECK(tasks("srun -N2 --ntasks-per-node=1", after) == "2");
  CHECK(tasks("srun -N2 --ntasks-per-node=1", std::nullopt) == "?");
  CHECK(tasks("srun -N2 --ntasks-per-node=4", std::nullopt) == "8");
  CHECK(tasks("srun -N1", before) == "8");
  CHECK(tasks("srun -N1", after) == "4");
}

TEST_CASE("what a site refuses", "[slurm-read]") {
  model::Site site;
  site.name = "s";
  site.planes.push_back({});
  site.planes[0].name = "p";
  site.planes[0].set_kind(model::PlaneKind::slurm);
  model::Queue queue;
  queue.name = "gpu";
  queue.max_time = model::Located<Duration>{Duration{3600 * 1000}, {}};
  queue.max_nodes = model::Located<std::int64_t>{2, {}};
  site.queues.push_back(queue);
  site.gpus.push_back({"h100-sxm", model::Located<std::string>{"h100", {}}, {}});
  const auto kinds = [&](const std::string& options) {
    ReadScene scene(head(options));
    const Meaning meaning = meaning_of(scene.script, scene.body, {&site, nullptr, std::nullopt});
    std::string out;
    for (const SiteRefusal& r : meaning.site_refusals) out += (out.empty() ? "" : " ") + std::string(name(r.kind));
    return out;
  };
  CHECK(kinds("-p gpu -t 60 -N2 --gpus-per-node=h100:1") == "");
  CHECK(kinds("-p gpus") == "unknown-partition");
  CHECK(kinds("-p gpu -t 61") == "over-time");
  CHECK(kinds("-p gpu -t 0") == "over-time");
  CHECK(kinds("-p gpu -N3") == "over-nodes");
  CHECK(kinds("-p gpu --gpus-per-node=h200:1") == "unknown-gpu-type");
}

}  // namespace slurm_meaning_test
