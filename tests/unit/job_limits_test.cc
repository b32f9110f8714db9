// Limits of one job where the scheduler has a choice: of nodes whose cores count differently, and of the time limit.
#include "plan/quota/job_limits.h"

#include <string>

#include "tests/catch.h"
#include "tests/unit/site_text.h"

namespace job_limits_test {

using namespace muster;
using plan::Verdict;

namespace {

const std::string plain = "pool one { nodes = \"a[1-4]\"  node { cpus = 8  memory = 64GiB } }\n",
                  threads =
                      "pool two { nodes = \"b[1-4]\"  node { cpus = 8  threads-per-core = 2  memory = 64GiB } }\n";

plan::Fit fit_of(const std::string& queue, const std::string& tenant, const std::string& options,
                 const std::string& pools = plain + threads) {
  const std::string text = "fleet f { " + pools +
                           " }\n"
                           "site s { fleet = f  plane batch { kind = slurm }  queue m { default = true  " +
                           queue + " }  tenant t { accounts = [\"a\"]  " + tenant + " } }\n";
  std::string script = "#!/bin/bash\n#SBATCH --account=a\n";
  for (const std::string_view option : split(options, ' ')) script += "#SBATCH " + std::string(option) + "\n";
  return test::read_site(text)->fit_of(script + "srun a\n");
}

}  // namespace

TEST_CASE("a limit of CPUs refuses a job only if it is over it on every node", "[fit][scripts]") {
  int unknown = 0;
  for (const std::string& pools : {plain + threads, threads + plain, threads})
    for (const bool of_queue : {true, false})
      for (std::int64_t cores = 1; cores <= 8; ++cores)
        for (std::int64_t most = 1; most <= 17; ++most) {
          const std::string limit = "max-cpus = " + std::to_string(most);
          const std::string options =
              "--time=10 --nodes=1 --ntasks=1 --hint=nomultithread --cpus-per-task=" + std::to_string(cores);
          const Verdict verdict = fit_of(of_queue ? limit : "", of_queue ? "" : limit, options, pools).policy.verdict;
          const std::int64_t least = pools == threads ? 2 * cores : cores;
          CAPTURE(pools, limit, options);
          if (most < least) CHECK(verdict == Verdict::does_not_fit);
          else if (most >= 2 * cores) CHECK(verdict == Verdict::fits);
          else CHECK(verdict != Verdict::does_not_fit);
          unknown += verdict == Verdict::unknown ? 1 : 0;
        }
  CHECK(unknown > 50);
}

TEST_CASE("without a time limit a job gets that of its account, which its queue may refuse", "[fit][scripts]") {
  const auto hours = [](int n) { return std::to_string(n) + "h"; };
  for (const int account : {0, 1, 2, 3})
    for (const int most : {0, 1, 2, 3})
      for (const bool has_default : {true, false})
        for (const bool states : {true, false}) {
          const std::string queue =
              (most > 0 ? "max-time = " + hours(most) + "  " : "") + (has_default ? "default-time = 30m" : "");
          const std::string tenant = account > 0 ? "max-time-account = " + hours(account) : "";
          CAPTURE(queue, tenant, states);
          const bool refused = !states && !has_default && account > 0 && most > 0 && account > most;
          const std::string options = states ? "--time=20 --nodes=1" : "--nodes=1";
          CHECK((fit_of(queue, tenant, options).policy.verdict == Verdict::does_not_fit) == refused);
        }
}

}  // namespace job_limits_test
