// Scripts that give the number of tasks and leave it to Slurm how many of them a node has.
#include <algorithm>
#include <vector>

#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/property/random.h"
#include "tests/unit/plan_fixture.h"
#include "tests/unit/site_text.h"

namespace divided_tasks_test {

using namespace muster;
using plan::Verdict;

namespace {

struct Machine {
  std::int64_t cores, threads, memory, gpus;  // memory in MiB
  std::int64_t used_cores = 0, used_memory = 0, used_gpus = 0;
};

struct Job {
  std::int64_t tasks, cpus, low = 0, high = 0;  // 0: no number of nodes
  std::int64_t on_a_node = 0, gpus_a_task = 0, gpus_a_node = 0, memory = 0;
  bool a_cpu = false, hint = false, exclusive = false;
};

std::string text(std::int64_t n) { return std::to_string(n); }

// A pool for each machine.
std::string site_of(const std::vector<Machine>& machines) {
  std::string out = "fleet lab {\n";
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const Machine& m = machines[i];
    const std::string name = "n" + std::to_string(i);
    out += "  pool p" + std::to_string(i) + " { nodes = \"" + name + "\"  ";
    if (m.gpus > 0) out += "gpu { model = h100  memory = 80GB  count = " + text(m.gpus) + " }  ";
    out += "node { cpus = " + text(m.cores) + "  threads-per-core = " + text(m.threads) +
           "  memory = " + text(m.memory) + "MiB }";
    if (m.used_cores > 0)
      out += "  in-use j { nodes = \"" + name + "\"  cpus = " + text(m.used_cores) + "  gpus = " + text(m.used_gpus) +
             "  memory = " + text(m.used_memory) + "MiB }";
    out += " }\n";
  }
  return out + "}\nsite lab { fleet = lab  plane batch { kind = slurm }  queue m { default = true } }\n";
}

std::string script_of(const Job& j) {
  std::string out =
      "#!/bin/bash\n#SBATCH --ntasks=" + text(j.tasks) + "\n#SBATCH --cpus-per-task=" + text(j.cpus) + "\n";
  const auto add = [&](bool some, const std::string& option) {
    if (some) out += "#SBATCH --" + option + "\n";
  };
  add(j.low > 0, "nodes=" + text(j.low) + (j.high > j.low ? "-" + text(j.high) : ""));
  add(j.on_a_node > 0, "ntasks-per-node=" + text(j.on_a_node));
  add(j.gpus_a_task > 0, "gpus-per-task=" + text(j.gpus_a_task));
  add(j.gpus_a_node > 0, "gres=gpu:" + text(j.gpus_a_node));
  add(true, (j.a_cpu ? "mem-per-cpu=" : "mem=") + text(j.memory));
  add(j.hint, "hint=nomultithread");
  add(j.exclusive, "exclusive");
  return out + "#SBATCH --time=10\nsrun a\n";
}

// Whether so many tasks of the job run on the machine: whole cores, and memory of each CPU that is given.
bool holds(const Machine& m, const Job& j, std::int64_t tasks, bool now) {
  if (now && j.exclusive && m.used_cores > 0) return false;
  const std::int64_t cores = m.cores - (now ? m.used_cores : 0), memory = m.memory - (now ? m.used_memory : 0);
  const std::int64_t gpus = m.gpus - (now ? m.used_gpus : 0), asked = tasks * j.cpus;
  const std::int64_t taken = j.hint ? asked : (asked + m.threads - 1) / m.threads;
  if (taken > cores || (j.on_a_node > 0 && tasks > j.on_a_node)) return false;
  if (tasks * j.gpus_a_task > gpus || j.gpus_a_node > gpus) return false;
  const std::int64_t given = j.exclusive ? m.cores : taken;
  return (j.a_cpu ? (j.hint ? given : given * m.threads) * j.memory : j.memory) <= memory;
}

// Every set of machines is tried.
bool slurm_starts(const std::vector<Machine>& machines, const Job& j, bool now) {
  std::vector<std::int64_t> most(machines.size(), 0);
  for (std::size_t i = 0; i < machines.size(); ++i)
    for (std::int64_t tasks = 1; tasks <= j.tasks; ++tasks)
      if (holds(machines[i], j, tasks, now)) most[i] = tasks;
  const std::int64_t low = j.low > 0 ? std::min(j.low, j.tasks) : 1;
  const std::int64_t high = j.low > 0 ? std::max(j.low, j.high) : j.tasks;
  for (std::size_t set = 1; set < (std::size_t{1} << machines.size()); ++set) {
    std::int64_t nodes = 0, tasks = 0;
    bool all = true;
    for (std::size_t i = 0; i < machines.size(); ++i)
      if ((set >> i & 1) != 0) ++nodes, tasks += most[i], all &= most[i] > 0;
    if (all && nodes >= low && nodes <= high && tasks >= j.tasks) return true;
  }
  return false;
}

// Whether the CPUs of some nodes are enough for all tasks, if one may be on two of them: there versions of Slurm
// differ.
bool adds_up(const std::vector<Machine>& machines, const Job& j, bool now) {
  if (j.on_a_node > 0 || j.gpus_a_task > 0) return false;
  std::vector<std::int64_t> cpus;
  for (const Machine& m : machines) {
    if (!holds(m, j, 1, now)) continue;
    const std::int64_t core = j.hint ? 1 : m.threads;
    std::int64_t most = (m.cores - (now ? m.used_cores : 0)) * core;
    if (j.a_cpu && !j.exclusive) most = std::min(most, (m.memory - (now ? m.used_memory : 0)) / j.memory / core * core);
    cpus.push_back(most);
  }
  std::sort(cpus.rbegin(), cpus.rend());
  const std::int64_t high = j.low > 0 ? std::max(j.low, j.high) : j.tasks;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < cpus.size() && static_cast<std::int64_t>(i) < high; ++i) all += cpus[i];
  return all >= j.tasks * j.cpus;
}

Machine drawn_machine(property::Random& random, bool gpus) {
  Machine m{4 + random.upto(12), 1 + random.upto(1), 16'000 + 4'000 * random.upto(8),
            gpus ? 2 + 2 * random.upto(3) : 0};
  if (random.upto(2) == 0) return m;
  m.used_cores = 1 + random.upto(m.cores - 2);
  m.used_memory = random.upto(m.memory / 2), m.used_gpus = random.upto(m.gpus);
  return m;
}

Job drawn_job(property::Random& random, bool gpus, std::size_t machines) {
  Job j{2 + random.upto(14), 1 + random.upto(4)};
  const auto nodes = static_cast<std::int64_t>(machines);
  if (random.upto(2) > 0) j.low = 1 + random.upto(nodes - 1), j.high = random.upto(1) == 0 ? 0 : j.low + random.upto(1);
  if (j.low > 0 && random.upto(3) == 0) j.on_a_node = (j.tasks + j.low - 1) / j.low + random.upto(2);
  if (gpus && random.upto(1) == 0) (random.upto(1) == 0 ? j.gpus_a_task : j.gpus_a_node) = 1 + random.upto(1);
  j.a_cpu = random.upto(1) == 0;
  j.memory = j.a_cpu ? 500 + 500 * random.upto(6) : 1'000 * (1 + random.upto(24));
  j.hint = random.upto(3) == 0, j.exclusive = random.upto(5) == 0;
  return j;
}

}  // namespace

TEST_CASE("tasks are divided over nodes as slurmctld does", "[fit][tasks]") {
  property::Random random(9917);
  std::size_t decided = 0, starts = 0, waits = 0, all = 0;
  for (; all < 1500 / tests::case_step; ++all) {
    const bool gpus = random.upto(2) == 0;
    std::vector<Machine> machines;
    for (std::int64_t i = 2 + random.upto(2); i > 0; --i) machines.push_back(drawn_machine(random, gpus));
    Job job = drawn_job(random, gpus, machines.size());
    // Memory of the CPUs that it gets is not searched for where cores are unlike.
    const auto is_like = [&](const Machine& m) {
      return m.threads == machines.front().threads && (!job.exclusive || m.cores == machines.front().cores);
    };
    if (job.a_cpu && !std::all_of(machines.begin(), machines.end(), is_like)) job.a_cpu = false, job.memory *= 2;
    INFO(site_of(machines) << script_of(job));
    const plan::Fit fit = test::read_site(site_of(machines))->fit_of(script_of(job));
    for (const bool now : {false, true}) {
      const plan::Level& level = now ? fit.now : fit.capacity;
      INFO((now ? "now: " : "empty: ") << level.note << (level.certificate ? level.certificate->text : ""));
      const bool right = slurm_starts(machines, job, now);
      if (level.verdict == Verdict::unknown) CHECK((!right && adds_up(machines, job, now)));
      if (level.verdict == Verdict::unknown) continue;
      CHECK((level.verdict == Verdict::fits) == right);
      ++decided, ++(right ? starts : waits);
    }
  }
  WARN(decided << " of " << 2 * all << " decided, " << starts << " start, " << waits << " wait");
  CHECK(4 * decided >= 3 * 2 * all);
  CHECK(starts * 4 > decided);
  CHECK(waits * 4 > decided);
}

TEST_CASE("a job whose tasks are divided holds what they take", "[fit][tasks]") {
  const std::vector<Machine> machines = {
      {8, 1, 64'000, 0, 2, 0, 0}, {8, 1, 64'000, 0, 5, 0, 0}, {8, 1, 64'000, 0, 7, 0, 0}};
  const Job job{.tasks = 5, .cpus = 2, .low = 3, .memory = 1'000};
  const plan::Fit fit = test::read_site(site_of(machines))->fit_of(script_of(job));
  CHECK(fit.capacity.verdict == Verdict::fits);
  CHECK(fit.now.certificate->text == "needs 3 nodes; pools p0, p1 and p2 together have 2: 1 in use, 0 drained");
}

}  // namespace divided_tasks_test
