// A batch system that is not Slurm, as small as a dialect can be: what `targets/batch` writes is in its words alone.
#include <algorithm>
#include <array>
#include <set>

#include "compiler/model/runner.h"
#include "compiler/shell/launchers.h"
#include "targets/batch/batch.h"
#include "targets/batch/job.h"
#include "tests/catch.h"
#include "tests/unit/slurm_scene.h"

namespace batch_dialect_test {

using namespace muster;
using namespace muster::test;
using targets::batch::Job;
using targets::batch::Request;

namespace {

constexpr std::array spellings = std::to_array<targets::batch::Spelling>({
    {Request::name, "-N"},
    {Request::account, "-A"},
    {Request::queue, "-q"},
    {Request::time, "-l walltime"},
    {Request::array, "-J"},
    {Request::output, "-o"},
    {Request::error, "-e"},
});

void add_option(Job& job, std::string_view option, std::string_view value, const model::FieldRef&) {
  const char* separator = option.find(' ') == std::string_view::npos ? " " : "=";
  job.directives.push_back(std::string(option) + separator + std::string(value));
}
void add_flag(Job& job, std::string_view flag, const model::FieldRef&) { job.directives.emplace_back(flag); }
std::string seconds(Duration limit) { return std::to_string(limit.seconds_up()); }
std::string ids(std::span<const std::int64_t> ascending, std::optional<std::int64_t>) {
  return std::to_string(ascending.front()) + "-" + std::to_string(ascending.back());
}
std::optional<std::string> log_file(std::string_view, std::string_view) { return "job.out"; }
void ask_size(Job& job) {
  job.directives.push_back("-l select=" + std::to_string(job.shape.nodes) + ":ncpus=" +
                           std::to_string(job.shape.cpus.value_or(1)) + ":ngpus=" + std::to_string(job.shape.gpus));
  job.exact(model::Field::resources, "-l select");
}
bool ask_warning(Job& job, std::int64_t) {
  job.refuse(model::Field::stop_lead, "no signal comes before the end");
  return false;
}
void nothing(Job&) {}
std::vector<std::string> guards(std::string_view) { return {}; }
std::string step(const Job& job, const targets::batch::Step& step) {
  return "pbsdsh -n " + std::to_string(step.nodes * step.tasks) + job.part.step + " --";
}
std::string part_options(const Job&, const targets::batch::PartPlace& place) { return " -f " + place.first; }
std::string on_each_node(const Job&, const std::string& command) { return "pbsdsh -u " + command; }
std::string parallel_step(const Job&, const std::string& part) { return "pbsdsh" + part; }
std::string signal_steps(std::string_view signal) { return "qsig -s " + std::string(signal) + " \"$PBS_JOBID\""; }
std::string component_hosts(std::size_t) { return ""; }
std::string submit(const std::string& variable, std::string_view file, const std::string& after) {
  return variable + "=$(qsub " + (after.empty() ? "" : "-W depend=" + after + " ") + std::string(file) + ")\n";
}

constexpr targets::batch::Dialect toy = {
    .system = "PBS",
    .target = "pbs",
    .ray_target = "ray-on-pbs",
    .plane = model::PlaneKind::slurm,  // the plane of the scene
    .command = "qsub",
    .starter = "pbsdsh",
    .extension = "pbs",
    .sentinel = "#PBS ",
    .spellings = spellings,
    .variables = {.prefix = "PBS",
                  .job_id = "$PBS_JOBID",
                  .job_number = "${PBS_JOBID%%[.[]*}",
                  .array_id = "${PBS_ARRAY_ID}",
                  .array_index = "$PBS_ARRAY_INDEX",
                  .restarts = "",
                  .submit_dir = "$PBS_O_WORKDIR",
                  .hosts = "sort -u \"$PBS_NODEFILE\"",
                  .node_name = "$(hostname)",
                  .node_rank = "$PBS_NODENUM",
                  .process_rank = "$PBS_TASKNUM",
                  .local_rank = "0",
                  .cpus = "$NCPUS",
                  .memory = "0"},
    .restart = {"-r y", "-r n", "-k", "oe", "n", "qrerun", "\"$PBS_JOBID\"", "qstat \"$PBS_JOBID\""},
    .add_option = add_option,
    .add_flag = add_flag,
    .time = seconds,
    .array = ids,
    .log_file = log_file,
    .ask_size = ask_size,
    .ask_warning = ask_warning,
    .ask_notices = nothing,
    .ask_nodes = nothing,
    .ask_own = nothing,
    .guards = guards,
    .step = step,
    .part_options = part_options,
    .parallel_step = parallel_step,
    .on_each_node = on_each_node,
    .preflight = nothing,
    .signal_steps = signal_steps,
    .enter = "qsub -I",
    .next_component = "",
    .component_hosts = component_hosts,
    .chain = {"afterok", "afterany", "afternotok", "after"},
    .submit = submit,
};

Result lower_as_toy(Scene& scene) {
  const plan::Plan plan = scene.plan();
  Result result;
  result.lowered = targets::batch::lower(toy, {"pbs", false}, plan, {.source = "", .run = ""}, result.diagnostics);
  return result;
}

}  // namespace

TEST_CASE("a batch system is a table: no word of Slurm is in the job of another") {
  Scene scene;
  scene.command({"train.py"}).size(4, 8, 96).runner(model::Runner::torchrun);
  scene.workload.time_limit = model::Located<Duration>{Duration{3600'000}, {}};
  scene.role().launch.contract.value = model::Contract::full;
  const Result result = lower_as_toy(scene);
  REQUIRE(result.ok());
  CHECK(result.lowered.documents[0].name == "pretrain.pbs.pbs");
  CHECK(result.lowered.submit == "qsub pretrain.pbs.pbs");
  for (const char* part :
       {"#PBS -N pretrain\n", "#PBS -l select=4:ncpus=96:ngpus=8\n", "#PBS -l walltime=3600\n", "#PBS -o job.out\n",
        "mapfile -t nodes < <(sort -u \"$PBS_NODEFILE\")\n", "port=$((10000 + 10 * (${PBS_JOBID%%[.[]*} % 2000)))\n",
        "dir=$PBS_O_WORKDIR/.jobs/$PBS_JOBID; mkdir -p \"$dir\"\n",
        "tmp=$(mktemp -u \"${TMPDIR:-/tmp}/$PBS_JOBID.XXXXXX\")\ntrap 'pbsdsh -u rm -rf \"$tmp\"' EXIT\n",
        "pbsdsh -u mkdir -p -m 700 \"$tmp\"\n", "MUSTER_ID=$PBS_JOBID",
        "export MUSTER_NODE_RANK=$PBS_NODENUM MUSTER_NODE_ADDR=$(hostname); ", "pbsdsh -n 4 -- \\\n  sh -c ",
        "torchrun --nnodes=4 --nproc_per_node=8 "})
    CHECK_THAT(result.text(), Catch::Contains(part));
  for (const char* word : {"SLURM", "slurm", "srun", "scontrol", "SBATCH", "MUSTER_ATTEMPT"}) CHECK(!result.has(word));
}

TEST_CASE("what a batch system has no option for is refused in its name") {
  Scene scene;
  scene.command({"x"}).size(1, 0, 4);
  scene.with_queue = true;
  scene.queue.name = scene.queue.plane_name = "gpu";
  CHECK(lower_as_toy(scene).has("#PBS -q gpu\n"));
  scene.queue.qos = model::Located<std::string>{"high", {}};
  CHECK(lower_as_toy(scene).refusals().find("PBS has no option for this") != std::string::npos);
}

TEST_CASE("attempts that the system does not count are said to be uncounted") {
  Scene scene;
  scene.command({"x"}).size(1, 0, 4).retry(2, {model::RetryOn::failure});
  const Result result = lower_as_toy(scene);
  CHECK(result.has("then qrerun \"$PBS_JOBID\"; fi\n"));
  CHECK(!result.has("no attempts left"));
  const auto& entries = result.lowered.loss.entries();
  CHECK(std::any_of(entries.begin(), entries.end(), [](const targets::LossEntry& e) {
    return to_string(e.field) == "retry.limit" && e.note.find("PBS does not report") != std::string::npos;
  }));
}

TEST_CASE("the submit script chains jobs in the system's words") {
  model::Workload first, second;
  first.name = "first", second.name = "second";
  second.depends_on.push_back({"first", model::AfterOn::success, {}});
  const targets::Submission all[] = {{&second, "second.pbs"}, {&first, "first.pbs"}};
  Diagnostics diagnostics;
  const auto script = targets::batch::submit_script(toy, all, diagnostics);
  REQUIRE(script);
  CHECK(script->name == "submit.pbs.sh");
  const std::size_t then = script->content.find("=$(qsub -W depend=afterok:$");
  REQUIRE(then != std::string::npos);
  CHECK(script->content.find("=$(qsub first.pbs)\n") < then);
}

TEST_CASE("launchers: every list is names between blanks, and no name starts two launchers") {
  std::set<std::string_view> seen;
  for (const shell::LauncherRow& row : shell::launcher_rows()) {
    for (const std::string_view list : {row.programs, row.subcommands, row.modules, row.processes, row.per_node,
                                        row.nodes, row.addresses, row.ports, row.flags, row.values})
      CHECK((list.empty() || (list.starts_with(' ') && list.ends_with(' '))));
    for (const std::string_view program : names_in(row.programs)) CHECK(seen.insert(program).second);
    // What forks says by which options and, without them, how many.
    if (row.starts == shell::Starts::ranks) CHECK((!row.processes.empty() && !row.nodes.empty()));
  }
  CHECK(seen.contains("torchrun"));
  CHECK(shell::starts_ranks(shell::Launcher::deepspeed));
  CHECK(!shell::starts_ranks(shell::Launcher::srun));
}

TEST_CASE("runners: one process a GPU where the runner starts them, else one") {
  model::Role role;
  role.resources.gpus = model::Located<std::int64_t>{8, {}};
  for (const model::RunnerRow& row : model::runner_rows()) {
    role.launch.runner.value = row.runner;
    CHECK(role.processes() == (row.one_a_gpu ? 8 : 1));
    CHECK((row.variables.port.empty() || !row.variables.address.empty()));
  }
  role.launch.runner.value = model::Runner::torchrun;
  CHECK(role.processes() == 8);
  role.launch.runner.value = model::Runner::ray;
  CHECK(role.processes() == 1);
}

}  // namespace batch_dialect_test
