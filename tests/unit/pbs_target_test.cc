// What target pbs writes, read back by the reader of PBS scripts; spellings that only one of the dialects has;
// refusals.
#include "targets/given_names.h"
#include "targets/pbs/pbs.h"
#include "tests/catch.h"
#include "tests/property/hostile.h"
#include "tests/unit/other_batch_scene.h"
#include "tests/unit/slurm_scene.h"

namespace pbs_target_test {

using namespace muster;
using namespace muster::test;
using model::Field;

namespace {

struct PbsScene : Scene {
  explicit PbsScene(model::PbsDialect dialect = model::PbsDialect::openpbs) {
    plane().set_kind(model::PlaneKind::pbs);
    plane().batch()->dialect = dialect;
    command({"train"});
  }
  PbsScene& limit(std::int64_t seconds) {
    workload.time_limit = model::Located<Duration>{Duration{seconds * 1000}, {}};
    wrote(Field::time_limit);
    return *this;
  }
  PbsScene& array(std::vector<std::string> values, std::optional<std::int64_t> at_once = std::nullopt) {
    workload.kind.value = model::Kind::sweep;
    workload.sweep.emplace();
    workload.sweep->axes.push_back({"task", std::move(values), {}});
    if (at_once) workload.sweep->max_parallel = model::Located<std::int64_t>{*at_once, {}};
    return *this;
  }
  Result lower() {
    const plan::Plan p = plan();
    Result result;
    result.lowered = targets::lower(*targets::find_target("pbs"), p, {}, result.diagnostics);
    return result;
  }
};

std::vector<std::string> numbers(std::initializer_list<int> all) {
  std::vector<std::string> out;
  for (const int one : all) out.push_back(std::to_string(one));
  return out;
}

}  // namespace

TEST_CASE("what a PBS script asks for is what the reader of PBS scripts reads in it") {
  for (const auto dialect : {model::PbsDialect::openpbs, model::PbsDialect::torque}) {
    PbsScene scene(dialect);
    scene.limit(90 * 60).size(4, 8, 96);
    scene.shape.memory = Size{std::int64_t{900} << 30};
    const Result result = scene.lower();
    REQUIRE(result.ok());
    const tests::OtherImport read(result.text(), false);
    const model::Workload& back = read.made.workload;
    const model::Resources& asked = back.roles.front().resources;
    CHECK(back.roles.front().nodes() == 4);
    CHECK(asked.gpus->value == 8);
    CHECK(asked.cpus->value.high == 96);
    CHECK(asked.memory->value.high.bytes == std::int64_t{900} << 30);
    CHECK(back.time_limit->value.ms == 90 * 60 * 1000);
    CHECK(back.title->value == "pretrain");
  }
}

TEST_CASE("each dialect of PBS has its own size, array and start") {
  PbsScene open, torque(model::PbsDialect::torque);
  for (PbsScene* scene : {&open, &torque}) scene->limit(86400 * 3).size(2, 4, 16);
  const Result one = open.lower(), other = torque.lower();
  CHECK(one.has("#PBS -l select=2:ncpus=16:ngpus=4:mpiprocs=1\n#PBS -l place=scatter\n#PBS -l walltime=72:00:00\n"));
  CHECK(one.has("  pbsdsh -- bash -c "));
  CHECK(other.has("#PBS -l nodes=2:ppn=16:gpus=4\n#PBS -l walltime=72:00:00\n"));
  CHECK(other.has("  pbsdsh -u -- bash -c "));
}

TEST_CASE("no command line of a PBS job shows the environment") {
  PbsScene scene;
  scene.limit(60).size(2, 0, 4);
  const Result result = scene.lower();
  CHECK(result.has("; export -p) > \"$tasks/environment\"\n"));
  CHECK(result.has("  tasks=$(mktemp -d \"$PBS_O_WORKDIR\"/.tasks.XXXXXX) && trap 'rm -rf \"$tasks\"' EXIT\n"));
}

TEST_CASE("the tasks of an array are one range with equal steps, or for Torque a list") {
  const auto of = [](model::PbsDialect dialect, std::vector<std::string> ids, std::optional<std::int64_t> at_once) {
    PbsScene scene(dialect);
    return scene.array(std::move(ids), at_once).lower();
  };
  using enum model::PbsDialect;
  CHECK(of(openpbs, numbers({0, 1, 2, 3}), 2).has("#PBS -J 0-3%2\n"));
  CHECK(of(openpbs, numbers({2, 4, 6}), std::nullopt).has("#PBS -J 2-6:2\n"));
  CHECK(of(openpbs, numbers({7}), std::nullopt).has("#PBS -J 7-8:2\n"));
  CHECK(of(torque, numbers({1, 2, 3, 7}), 2).has("#PBS -t 1-3,7%2\n"));
  CHECK(of(openpbs, numbers({1, 2, 7}), std::nullopt).refusals().find("in equal steps") != std::string::npos);
}

TEST_CASE("PBS names its files itself, in the folder that is asked for") {
  const auto with = [](std::string output, bool array) {
    PbsScene scene;
    if (array) scene.array(numbers({0, 1}));
    scene.workload.logs.emplace();
    scene.workload.logs->output = model::Located<std::string>{std::move(output), {}};
    return scene.lower();
  };
  CHECK(!with("{name}.o{id}", false).has("#PBS -o"));
  CHECK(!with("{name}.o{array}.{point}", true).has("#PBS -o"));
  CHECK(with("logs/{name}.o{id}", true).has("#PBS -o logs/\n"));
  CHECK(with("train-{point}.log", true).has("#PBS -o train-^array_index^.log\n"));
  CHECK(with("{name}-{id}.log", false).has("\nexec > pretrain-\"$PBS_JOBID\".log 2>&1\n"));
}

TEST_CASE("before PBS 23.06 an array is limited by an option of its own") {
  PbsScene scene;
  scene.plane().version.value = {22, 5};
  scene.array(numbers({0, 1, 2, 3}), 2);
  CHECK(scene.lower().has("#PBS -J 0-3\n#PBS -W max_run_subjobs=2\n"));
  scene.plane().version.value = {19, 2};
  CHECK(scene.lower().refusals().find("since version 20") != std::string::npos);
}

TEST_CASE("a signal before the end of a PBS job comes from timeout") {
  PbsScene scene;
  scene.limit(3600).size(1, 0, 4).stop("USR1", 300);
  CHECK(scene.lower().has("\ntimeout --preserve-status -s USR1 $((3300 - SECONDS)) train\n"));
  scene.workload.time_limit.reset();
  CHECK(scene.lower().refusals().find("needs to know the time limit") != std::string::npos);
}

TEST_CASE("a name that PBS does not take is refused, and blanks are quoted") {
  PbsScene blank;
  blank.account = "two words";
  CHECK(blank.lower().has("#PBS -A \"two words\"\n"));
  for (const char* name : {"my job", "-x", "a:b", "", "a\nb"}) {
    PbsScene scene;
    scene.workload.title = model::Located<std::string>{name, {}};
    CHECK(!scene.lower().ok());
  }
}

TEST_CASE("qsub gets back whatever bytes a PBS directive holds, or the compiler refuses them") {
  std::size_t taken = 0;
  for (const std::string& bytes : hostile_strings()) {
    PbsScene scene;
    scene.account = bytes;
    scene.with_queue = true;
    scene.queue.plane_name = bytes;
    scene.workload.targets.push_back({"pbs", {{"P", {bytes, {}}, false}}, {}});
    const Result result = scene.lower();
    if (!result.ok()) continue;
    ++taken;
    Sources sources;
    const targets::pbs::Script script = targets::pbs::read_script(sources, sources.add("job.pbs", result.text()));
    INFO(result.text());
    for (const char* option : {"-P", "-q", "-A"}) {
      const auto* part = targets::batch::last_part(script.job, option);
      CHECK((part != nullptr ? part->value : std::string()) == (bytes.empty() && option[1] != 'P' ? "" : bytes));
    }
    CHECK(script.job.faults.empty());
  }
  CHECK(taken > 20);
}

TEST_CASE("the resource of a level of a PBS plane is one word") {
  const auto with = [](const char* label) {
    PbsScene scene;
    scene.size(2, 0, 4).wrote(Field::topology_within).wrote(Field::topology_required);
    scene.plane().batch()->levels.push_back({"leaf", model::Located<std::string>{label, {}}, {}, {}});
    scene.role().topology.emplace();
    scene.role().topology->within.value = model::Within::leaf;
    scene.role().topology->required = true;
    return scene.lower();
  };
  CHECK(with("switch").has("#PBS -l place=scatter:group=switch\n"));
  for (const char* label : {"a b", "a\n#PBS -q other", "a:excl", ""})
    CHECK(with(label).refusals().find("is not a valid name of a resource of PBS") != std::string::npos);
}

TEST_CASE("a variable that PBS gives is not given again, and a name of Slurm stands as what PBS has for it") {
  const auto with = [](std::string_view name, std::string_view value) {
    PbsScene scene;
    scene.role().launch.compat.value = model::Compat::slurm;
    model::Reference reference{model::RefersTo::env, std::string(value), 0, {}};
    scene.role().env.push_back({std::string(name), model::Text("", {reference}), {}});
    return scene.lower();
  };
  std::size_t same = 0, other = 0;
  for (const targets::GivenName& own : targets::given_names(targets::BatchSystem::pbs))
    for (const targets::GivenName& slurm : targets::given_names(targets::BatchSystem::slurm)) {
      const Result result = with(own.name, slurm.name);
      if (!result.ok()) continue;
      const std::string name(own.name);
      INFO(name << " = " << slurm.name << "\n" << result.text());
      CHECK_FALSE(result.has(name + "=\"$" + name + "\""));
      const bool exported = result.has("export " + name + "=");
      CHECK((exported || with("OTHER", slurm.name).has("export OTHER=\"$" + name + "\"")));
      ++(exported ? other : same);
    }
  CHECK(same >= 3);
  CHECK(other > 100);
  CHECK_FALSE(with("PBS_O_WORKDIR", "SLURM_SUBMIT_DIR").has("SLURM"));
  CHECK(with("FOLDER", "SLURM_SUBMIT_DIR").has("\nexport FOLDER=\"$PBS_O_WORKDIR\"\n"));
  CHECK(with("HOSTS", "SLURM_JOB_NODELIST").has("\nexport HOSTS=\"$SLURM_JOB_NODELIST\"\n"));
}

TEST_CASE("options of target pbs are letters and resources, and what a key says is refused") {
  const auto with = [](const std::string& name, const std::string& value) {
    PbsScene scene;
    model::TargetOptions block{"pbs", {}, {}};
    block.options.push_back({name, {value, {}}, false});
    scene.workload.targets.push_back(block);
    return scene.lower();
  };
  CHECK(with("P", "science").has("#PBS -P science\n"));
  CHECK(with("filesystems", "home:eagle").has("#PBS -l filesystems=home:eagle\n"));
  for (const char* name : {"walltime", "select", "N", "V", "l"})
    CHECK(with(name, "1").refusals().find("is written by muster itself") != std::string::npos);
  CHECK(with("y", "1").refusals().find("is not an option of qsub") != std::string::npos);
  CHECK(with("a-b", "1").refusals().find("is not a valid name of a resource") != std::string::npos);
}

}  // namespace pbs_target_test
