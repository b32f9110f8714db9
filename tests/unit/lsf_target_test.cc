// What target lsf writes, read back by the reader of LSF scripts; arrays that begin at 1; refusals.
#include "targets/given_names.h"
#include "targets/lsf/lsf.h"
#include "tests/catch.h"
#include "tests/property/hostile.h"
#include "tests/unit/other_batch_scene.h"
#include "tests/unit/slurm_scene.h"

namespace lsf_target_test {

using namespace muster;
using namespace muster::test;
using model::Field;

namespace {

struct LsfScene : Scene {
  LsfScene() {
    plane().set_kind(model::PlaneKind::lsf);
    command({"train"});
  }
  LsfScene& limit(std::int64_t seconds) {
    workload.time_limit = model::Located<Duration>{Duration{seconds * 1000}, {}};
    wrote(Field::time_limit);
    return *this;
  }
  LsfScene& array(std::vector<std::string> values, std::optional<std::int64_t> at_once = std::nullopt) {
    workload.kind.value = model::Kind::sweep;
    workload.sweep.emplace();
    workload.sweep->axes.push_back({"task", std::move(values), {}});
    if (at_once) workload.sweep->max_parallel = model::Located<std::int64_t>{*at_once, {}};
    return *this;
  }
  LsfScene& output(std::string pattern) {
    if (!workload.logs) workload.logs.emplace();
    workload.logs->output = model::Located<std::string>{std::move(pattern), {}};
    return *this;
  }
  LsfScene& restarts(model::RetryOn on, std::int64_t limit) {
    workload.retry.emplace();
    workload.retry->limit.value = limit;
    workload.retry->on = {{on, {}}};
    wrote(Field::retry_limit).wrote(Field::retry_on);
    return *this;
  }
  Result lower() {
    const plan::Plan p = plan();
    Result result;
    result.lowered = targets::lower(*targets::find_target("lsf"), p, {}, result.diagnostics);
    return result;
  }
};

std::vector<std::string> numbers(std::initializer_list<int> all) {
  std::vector<std::string> out;
  for (const int one : all) out.push_back(std::to_string(one));
  return out;
}

}  // namespace

TEST_CASE("what an LSF script asks for is what the reader of LSF scripts reads in it") {
  for (const std::int64_t nodes : {1, 2, 4})
    for (const std::int64_t gpus : {0, 1, 8})
      for (const std::int64_t cpus : {1, 7, 96})
        for (const std::int64_t gib : {1, 900}) {
          LsfScene scene;
          scene.limit(90 * 60).size(nodes, gpus, cpus);
          scene.shape.memory = Size{gib << 30};
          const Result result = scene.lower();
          REQUIRE(result.ok());
          INFO(result.text());
          const tests::OtherImport read(result.text(), false);
          const model::Workload& back = read.made.workload;
          const model::Resources& asked = back.roles.front().resources;
          CHECK(back.roles.front().nodes() == nodes);
          CHECK((asked.gpus ? asked.gpus->value : 0) == gpus);
          CHECK(asked.cpus->value.high == cpus);
          CHECK(asked.memory->value.high.bytes == gib << 30);
          CHECK(back.time_limit->value.ms == 90 * 60 * 1000);
          CHECK(back.title->value == "pretrain");
        }
}

TEST_CASE("slots, hosts and GPUs of an LSF job are for each host") {
  LsfScene scene;
  scene.limit(86400 * 3).size(2, 4, 16);
  const Result result = scene.lower();
  CHECK(
      result.has("#BSUB -n 32\n#BSUB -R \"span[ptile=16]\"\n#BSUB -gpu \"num=4/host:mode=shared:j_exclusive=yes\"\n"));
  CHECK(result.has("#BSUB -W 72:00\n"));
  CHECK(result.has("node_rank=$i blaunch -no-shell \"${hosts[$1 + i]}\" \"${@:3}\" & pids+=(\"$!\")\n"));
  LsfScene one;
  one.limit(61).size(1, 0, 4);
  CHECK(one.lower().has("#BSUB -n 4\n#BSUB -R \"span[hosts=1]\"\n#BSUB -W 0:02\n"));
}

TEST_CASE("the tasks of an LSF array are counted from 1, and the points are what they were") {
  const auto of = [](std::vector<std::string> ids, std::optional<std::int64_t> at_once) {
    LsfScene scene;
    return scene.array(std::move(ids), at_once).lower();
  };
  CHECK(of(numbers({1, 2, 3, 7}), 2).has("#BSUB -J \"pretrain[1-3,7]%2\"\n"));
  CHECK(of(numbers({0, 1, 4}), std::nullopt).has("#BSUB -J \"pretrain[1-2,5]\"\n"));
  CHECK(of({"a", "b", "c"}, std::nullopt).has("#BSUB -J \"pretrain[1-3]\"\n"));
  LsfScene scene;
  scene.plane().batch()->array_max = model::Located<std::int64_t>{3, {}};
  scene.array(numbers({0, 1, 2, 3}));
  CHECK(scene.lower().refusals().find("needs ids up to 4") != std::string::npos);
}

TEST_CASE("LSF adds to a file, or begins it anew where its name says nothing of the job") {
  CHECK(LsfScene().output("{name}-{id}.log").lower().has("#BSUB -o pretrain-%J.log\n"));
  CHECK(LsfScene().output("train.log").lower().has("#BSUB -oo train.log\n"));
  CHECK(LsfScene().array(numbers({1, 2})).output("{array}/{point}.log").lower().has("#BSUB -o %J/%I.log\n"));
  CHECK(LsfScene().array(numbers({1, 2})).output("{id}.log").lower().has("#BSUB -o %J.%I.log\n"));
  const Result script = LsfScene().output("{user}-{id}.log").lower();
  CHECK(script.has("#BSUB -o /dev/null\n"));
  CHECK(script.has("\nexec >> \"$USER\"-\"$LSB_JOBID\".log 2>&1\n"));
  LsfScene again;
  again.output("train.log");
  again.workload.logs->append = model::Located<bool>{true, {}};
  CHECK(again.lower().has("#BSUB -o train.log\n"));
  CHECK(LsfScene().output("{node}.log").lower().refusals().find("can be named by") != std::string::npos);
}

TEST_CASE("LSF starts a job again after exit codes, without a limit of its own") {
  using enum model::RetryOn;
  const std::int64_t unlimited = model::Retry::unlimited;
  CHECK(LsfScene().restarts(node_failure, 2).lower().has("#BSUB -r\n"));
  CHECK(LsfScene().restarts(failure, unlimited).lower().has("#BSUB -r\n#BSUB -Q \"all ~0\"\n"));
  LsfScene codes;
  codes.restarts(exit_codes, unlimited).workload.retry->exit_codes = {{75, {}}, {76, {}}};
  CHECK(codes.lower().has("#BSUB -Q \"75 76\"\n"));
  CHECK(LsfScene().restarts(failure, 2).lower().refusals().find("without a limit") != std::string::npos);
  CHECK(LsfScene().restarts(timeout, unlimited).lower().refusals().find("an exit code only") != std::string::npos);
  CHECK(LsfScene().lower().has("#BSUB -rn\n"));
}

TEST_CASE("a signal before the end of an LSF job comes from timeout") {
  LsfScene scene;
  scene.limit(3600).size(1, 0, 4).stop("USR1", 300);
  CHECK(scene.lower().has("\ntimeout --preserve-status -s USR1 $((3300 - SECONDS)) train\n"));
  scene.workload.time_limit.reset();
  CHECK(scene.lower().refusals().find("needs to know the time limit") != std::string::npos);
}

TEST_CASE("no line of an LSF job's script is taken for a directive") {
  for (const bool array : {false, true}) {
    LsfScene scene;
    if (array) scene.array(numbers({1, 2}));
    scene.role().program = model::Located<model::Program>{model::Script{"bash", "true\n#BSUB -q other\n"}, {}};
    CHECK(scene.lower().refusals().find("as a directive wherever it is in the file") != std::string::npos);
  }
}

TEST_CASE("a name that LSF does not take is refused, and blanks are quoted") {
  LsfScene blank;
  blank.account = "two words";
  CHECK(blank.lower().has("#BSUB -P \"two words\"\n"));
  for (const char* name : {"my[1-3]", "-x", "a/b", "", "a\nb", "a%2"}) {
    LsfScene scene;
    scene.workload.title = model::Located<std::string>{name, {}};
    CHECK(!scene.lower().ok());
  }
}

TEST_CASE("bsub gets back whatever bytes an LSF directive holds, or the compiler refuses them") {
  std::size_t taken = 0;
  for (const std::string& bytes : hostile_strings()) {
    LsfScene scene;
    scene.account = bytes;
    scene.with_queue = true;
    scene.queue.plane_name = bytes;
    scene.workload.targets.push_back({"lsf", {{"app", {bytes, {}}, false}}, {}});
    const Result result = scene.lower();
    if (!result.ok()) continue;
    ++taken;
    Sources sources;
    const auto script = targets::lsf::read_script(sources, sources.add("job.lsf", result.text()));
    INFO(result.text());
    for (const char* option : {"-app", "-q", "-P"}) {
      const auto* part = targets::batch::last_part(script, option);
      CHECK((part != nullptr ? part->value : std::string()) == bytes);
    }
    CHECK(script.faults.empty());
  }
  CHECK(taken > 10);
}

TEST_CASE("the type of compute unit of a level of an LSF plane is one word") {
  const auto with = [](const char* label, bool required) {
    LsfScene scene;
    scene.size(2, 0, 4).wrote(Field::topology_within).wrote(Field::topology_required);
    scene.plane().batch()->levels.push_back({"leaf", model::Located<std::string>{label, {}}, {}, {}});
    scene.role().topology.emplace();
    scene.role().topology->within.value = model::Within::leaf;
    scene.role().topology->required = required;
    return scene.lower();
  };
  CHECK(with("switch", true).has("#BSUB -R \"cu[type=switch:maxcus=1]\"\n"));
  CHECK(with("switch", false).has("#BSUB -R \"cu[type=switch:pref=maxavail]\"\n"));
  for (const char* label : {"a b", "a\n#BSUB -q other", "a]", ""})
    CHECK(with(label, true).refusals().find("is not a valid name of a type of compute unit") != std::string::npos);
}

TEST_CASE("a variable that LSF gives is not given again, and a name of Slurm stands as what LSF has for it") {
  const auto with = [](std::string_view name, std::string_view value) {
    LsfScene scene;
    scene.role().launch.compat.value = model::Compat::slurm;
    model::Reference reference{model::RefersTo::env, std::string(value), 0, {}};
    scene.role().env.push_back({std::string(name), model::Text("", {reference}), {}});
    return scene.lower();
  };
  CHECK_FALSE(with("LS_SUBCWD", "SLURM_SUBMIT_DIR").has("SLURM"));
  CHECK(with("FOLDER", "SLURM_SUBMIT_DIR").has("\nexport FOLDER=\"$LS_SUBCWD\"\n"));
  CHECK(with("ID", "SLURM_JOB_ID").has("\nexport ID=\"$LSB_JOBID\"\n"));
}

TEST_CASE("options of target lsf are those of bsub, and what a key says is refused") {
  const auto with = [](const std::string& name, const std::string& value) {
    LsfScene scene;
    model::TargetOptions block{"lsf", {}, {}};
    block.options.push_back({name, {value, {}}, false});
    scene.workload.targets.push_back(block);
    return scene.lower();
  };
  CHECK(with("G", "science").has("#BSUB -G science\n"));
  CHECK(with("R", "select[rhel9]").has("#BSUB -R \"select[rhel9]\"\n"));
  for (const char* name : {"W", "n", "J", "gpu", "env"})
    CHECK(with(name, "1").refusals().find("is written by muster itself") != std::string::npos);
  CHECK(with("R", "span[hosts=1]").refusals().find("has a section that is written by muster") != std::string::npos);
  CHECK(with("y", "1").refusals().find("is not an option of bsub") != std::string::npos);
}

}  // namespace lsf_target_test
