// Nodes with several hardware threads a core: what Slurm gives of them, and what an import reads.
#include "compiler/sema/check/check.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "targets/slurm/import_site.h"
#include "tests/catch.h"
#include "tests/property/random.h"
#include "tests/unit/plan_fixture.h"
#include "tests/unit/site_text.h"

namespace threads_test {

using namespace muster;
using plan::Verdict;

namespace {

struct Machine {
  std::int64_t cores, threads, memory_mib;
};

struct Job {
  std::int64_t tasks, cpus, memory_mib;
  bool a_cpu, hint, exclusive;
};

std::string site_of(const Machine& m) {
  return "fleet lab { pool cpu { nodes = \"n[1-2]\"  node { cpus = " + std::to_string(m.cores) +
         "  threads-per-core = " + std::to_string(m.threads) + "  memory = " + std::to_string(m.memory_mib) +
         "MiB } } }\nsite lab { fleet = lab  plane batch { kind = slurm }  queue m { default = true } }\n";
}

std::string script_of(const Job& j) {
  return "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=" + std::to_string(j.tasks) +
         "\n#SBATCH --cpus-per-task=" + std::to_string(j.cpus) +
         (j.a_cpu ? "\n#SBATCH --mem-per-cpu=" : "\n#SBATCH --mem=") + std::to_string(j.memory_mib) +
         (j.hint ? "\n#SBATCH --hint=nomultithread" : "") + (j.exclusive ? "\n#SBATCH --exclusive" : "") +
         "\n#SBATCH --time=10\nsrun a\n";
}

// What slurmctld says with CR_Core_Memory: whole cores, memory of each CPU that is given, and of a node that a job has
// alone all of them. The judge `site-import` holds this beside the controller.
bool slurm_takes(const Machine& m, const Job& j) {
  const std::int64_t asked = j.tasks * j.cpus;
  const std::int64_t cores = j.hint ? asked : (asked + m.threads - 1) / m.threads;
  if (cores > m.cores) return false;
  const std::int64_t given = j.exclusive ? m.cores : cores;
  const std::int64_t counted = j.hint && j.exclusive ? m.cores : j.hint ? asked : given * m.threads;
  return (j.a_cpu ? counted * j.memory_mib : j.memory_mib) <= m.memory_mib;
}

Verdict fit_of(const Machine& m, const Job& j) { return test::read_site(site_of(m))->fit_of(script_of(j)).verdict; }

std::int64_t between(property::Random& random, std::int64_t low, std::int64_t high) {
  return low + random.upto(high - low);
}

}  // namespace

TEST_CASE("fit counts threads, cores and memory as slurmctld does", "[fit][threads]") {
  property::Random random(4242);
  int right = 0, all = 0, no = 0;
  for (; all < 400; ++all) {
    const Machine m{between(random, 4, 56), between(random, 1, 4), 64'000};
    Job j{between(random, 1, m.cores), 1, 0, between(random, 0, 1) == 1, between(random, 0, 2) == 0,
          between(random, 0, 3) == 0};
    const std::int64_t room = j.hint ? m.cores : m.cores * m.threads;
    j.cpus = std::max<std::int64_t>(1, room / j.tasks + between(random, -1, 1));
    const std::int64_t given = j.hint ? j.tasks * j.cpus : (j.tasks * j.cpus + m.threads - 1) / m.threads * m.threads;
    j.memory_mib = j.a_cpu
                       ? std::max<std::int64_t>(1, 64'000 / std::max<std::int64_t>(given, 1) + between(random, -200, 1))
                       : 1000;
    const bool takes = slurm_takes(m, j);
    CAPTURE(m.cores, m.threads, script_of(j), takes);
    const bool agrees = fit_of(m, j) == (takes ? Verdict::fits : Verdict::does_not_fit);
    CHECK(agrees);
    right += static_cast<int>(agrees), no += static_cast<int>(!takes);
  }
  CHECK(right == all);
  CHECK(no > 100);
  CHECK(no < 300);
}

TEST_CASE("site import reads cores and threads of every spelling, and its text reads back", "[cluster][threads]") {
  int variants = 0;
  for (const std::int64_t sockets : {1, 2, 4})
    for (const std::int64_t cores : {8, 28})
      for (const std::int64_t threads : {1, 2, 4, 8})
        for (const bool counts_cores : {false, true})
          for (const bool live : {false, true}) {
            const std::int64_t all = sockets * cores, cpus = counts_cores ? all : all * threads;
            const std::string shape = " Sockets=" + std::to_string(sockets) +
                                      " CoresPerSocket=" + std::to_string(cores) +
                                      " ThreadsPerCore=" + std::to_string(threads);
            const std::string text = live ? "NodeName=a1 CPUAlloc=" + std::to_string(cpus / all) +
                                                " CPUTot=" + std::to_string(cpus) + " RealMemory=1000" + shape +
                                                " State=MIXED\n"
                                          : "NodeName=a1 CPUs=" + std::to_string(cpus) + " RealMemory=1000" + shape +
                                                "\nPartitionName=p Nodes=ALL\n";
            Diagnostics diagnostics;
            const targets::slurm::ClusterText input{text, 1, 0};
            const auto cluster = targets::slurm::read_cluster(targets::slurm::recognise(input).sections, diagnostics);
            const auto site = targets::slurm::import_site(cluster, "lab", "", diagnostics);
            CAPTURE(text, test::messages_of(diagnostics));
            REQUIRE(site.fleet);
            const std::string written = syntax::format({sema::to_syntax(*site.fleet, diagnostics)}, {});
            Sources sources;
            sources.add("site.muster", written);
            const auto tree = syntax::parse(sources, 1, diagnostics);
            REQUIRE(tree);
            const model::Module module = sema::check({*tree}, sources, {}, diagnostics);
            const model::Pool& pool = module.fleets.at(0).pools.at(0);
            CHECK(pool.cpus == cpus);
            CHECK(pool.cores() == all);
            CHECK(pool.in_use.size() == (live ? 1U : 0U));
            CHECK((written.find("threads-per-core") != std::string::npos) == (cpus > all));
            ++variants;
          }
  CHECK(variants == 96);
}

}  // namespace threads_test
