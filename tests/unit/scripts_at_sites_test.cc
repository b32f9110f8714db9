// Job scripts at sites as they are: tasks of which Slurm decides the nodes, defaults of memory, features, limits of
// accounts, and reservations of others.
#include <algorithm>
#include <numeric>

#include "targets/slurm/import_site.h"
#include "tests/catch.h"
#include "tests/property/random.h"
#include "tests/unit/found_in_script.h"
#include "tests/unit/site_text.h"

namespace scripts_at_sites_test {

using namespace muster;
using plan::Verdict;

namespace {

// The answer about a script of these options at a site of this text.
plan::Fit fit_of(const std::string& text, const std::string& options) {
  std::string script = "#!/bin/bash\n";
  for (std::size_t at = 0; at < options.size();) {
    const std::size_t end = std::min(options.find(' ', at), options.size());
    script += "#SBATCH " + options.substr(at, end - at) + "\n";
    at = end + 1;
  }
  script += "srun a\n";
  return test::read_site(text)->fit_of(script);
}

std::string site(const std::string& fleet, const std::string& queue = "", const std::string& rest = "") {
  return "fleet lab { " + fleet +
         " }\nsite lab { fleet = lab  plane batch { kind = slurm }  queue m { default = true  " + queue + " }  " +
         rest + " }\n";
}

constexpr std::string_view four_nodes = R"(pool cpu { nodes = "n[1-4]"  node { cpus = 8  memory = 64GiB } })";

}  // namespace

TEST_CASE("tasks without nodes: Slurm gives each node as many as it takes", "[fit][scripts]") {
  property::Random random(42);
  std::size_t fits = 0, misfits = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> free;
    std::string uses;
    const std::int64_t nodes = 1 + random.upto(4), cpus = 1 + random.upto(2), tasks = 2 + random.upto(19);
    for (std::int64_t n = 0; n < nodes; ++n) {
      free.push_back(8 - random.upto(8));
      if (free.back() < 8)
        uses += "in-use u" + std::to_string(n) + " { nodes = \"n" + std::to_string(n + 1) +
                "\"  cpus = " + std::to_string(8 - free.back()) + "  memory = 1GiB }  ";
    }
    const bool exact = random.one_in(2);
    const std::int64_t asked = exact ? 1 + random.upto(std::min(nodes, tasks) - 1) : tasks;
    const std::string text = site("pool cpu { nodes = \"n[1-" + std::to_string(nodes) +
                                  "]\"  node { cpus = 8  memory = 64GiB }  " + uses + " }");
    std::vector<std::int64_t> rooms;
    for (const std::int64_t one : free)
      if (one / cpus > 0) rooms.push_back(one / cpus);
    std::sort(rooms.rbegin(), rooms.rend());
    const auto count = std::min<std::size_t>(rooms.size(), static_cast<std::size_t>(asked));
    const std::int64_t room =
        std::accumulate(rooms.begin(), rooms.begin() + static_cast<std::ptrdiff_t>(count), std::int64_t{0});
    const bool takes = room >= tasks && (!exact || static_cast<std::int64_t>(rooms.size()) >= asked);
    const std::string options = (exact ? "--nodes=" + std::to_string(asked) + " " : "") +
                                "--ntasks=" + std::to_string(tasks) + " --cpus-per-task=" + std::to_string(cpus) +
                                " --mem=1G";
    CAPTURE(text, options);
    std::vector<std::int64_t> large;  // Slurm's versions differ where a task would be on two nodes
    for (const std::int64_t one : free)
      if (one >= cpus) large.push_back(one);
    std::sort(large.rbegin(), large.rend());
    const bool adds_up = std::accumulate(large.begin(), large.begin() + static_cast<std::ptrdiff_t>(count),
                                         std::int64_t{0}) >= tasks * cpus &&
                         (!exact || static_cast<std::int64_t>(large.size()) >= asked);
    CHECK(fit_of(text, options).now.verdict == (takes     ? Verdict::fits
                                                : adds_up ? Verdict::unknown
                                                          : Verdict::does_not_fit));
    ++(takes ? fits : misfits);
  }
  CHECK(std::min(fits, misfits) > 50);
}

TEST_CASE("a script that states no memory has the queue's default", "[fit][scripts]") {
  const std::string used = R"(pool cpu { nodes = "n[1-4]"  node { cpus = 8  memory = 64GiB }
    in-use j { nodes = "n[1-4]"  cpus = 1  memory = 20GiB } })";
  const auto now = [&](const std::string& queue, const std::string& options) {
    return fit_of(site(used, queue), options).now.verdict;
  };
  CHECK(now("", "--nodes=2") == Verdict::fits);
  CHECK(now("default-memory = all", "--nodes=2") == Verdict::does_not_fit);
  CHECK(now("default-memory = all", "--nodes=2 --mem=44G") == Verdict::fits);
  CHECK(now("default-memory = 44GiB", "--nodes=2") == Verdict::fits);
  CHECK(now("default-memory = 45GiB", "--nodes=2") == Verdict::does_not_fit);
  CHECK(now("default-memory-cpu = 11GiB", "--nodes=2 --ntasks-per-node=4") == Verdict::fits);
  CHECK(now("default-memory-cpu = 11GiB", "--nodes=2 --ntasks-per-node=5") == Verdict::does_not_fit);
  CHECK(fit_of(site(std::string(four_nodes), "default-memory = all"), "--nodes=4").verdict == Verdict::fits);
}

TEST_CASE("memory that no node has is refused at any amount", "[fit][scripts]") {
  const std::string text = site(
      "pool gpu { nodes = \"g[1-4]\"  gpu { model = h100  memory = 80GB  count = 2 }  node { cpus = 8  memory = 64GiB "
      "} }");
  CHECK(fit_of(text, "--mem=1G --nodes=1 --gpus=1 --ntasks=4").verdict == Verdict::fits);
  for (const char* option : {"--mem=", "--mem-per-cpu=", "--mem-per-gpu="})
    for (const char* amount : {"100000", "99999999999", "1099511627776", "9000000000000", "9223372036854775807"})
      for (const char* unit : {"", "M", "G", "T", "TB", "P"}) {
        const std::string words = option + std::string(amount) + unit;
        CAPTURE(words);
        CHECK(fit_of(text, words + " --nodes=1 --gpus=1 --ntasks=4").verdict != Verdict::fits);
        const std::string found =
            tests::found_in_script("SLM023", "#SBATCH " + words + " # 16GB\nsrun a\n", "cpu-and-gpu");
        const bool is_read = std::string_view(amount).size() < 13 && unit == std::string_view("G");
        if (is_read && option == std::string_view("--mem=")) CHECK(found != "");
      }
}

TEST_CASE("the option --constraint leaves the nodes that have the features", "[fit][scripts]") {
  const std::string text =
      site(std::string(four_nodes) + "  feature fast { nodes = \"n[1-2]\" }  feature ib { nodes = \"n[2-3]\" }");
  const auto most = [&](const std::string& features) {
    std::int64_t nodes = 0;
    while (nodes < 5 &&
           fit_of(text, "--constraint=" + features + " --nodes=" + std::to_string(nodes + 1)).verdict == Verdict::fits)
      ++nodes;
    return nodes;
  };
  CHECK(most("fast") == 2);
  CHECK(most("fast&ib") == 1);
  CHECK(most("fast|ib") == 3);
  CHECK(most("slow") == 0);
  CHECK(fit_of(text, "--constraint=slow --nodes=1").verdict == Verdict::does_not_fit);
  CHECK(fit_of(text, "--constraint=[fast|ib] --nodes=1").verdict == Verdict::unknown);
  CHECK(fit_of(site(std::string(four_nodes)), "--constraint=fast --nodes=1").verdict == Verdict::unknown);
}

TEST_CASE("a QOS that no queue needs may be there", "[fit][scripts]") {
  const std::string text = site(std::string(four_nodes), "", "queue fast { name = \"m\"  qos = \"fast\" }");
  const auto verdict = [&](const std::string& options) {
    return fit_of(text, options + " --nodes=1 --time=10").verdict;
  };
  CHECK(verdict("--qos=fast") == Verdict::fits);
  CHECK(verdict("--qos=normal") == Verdict::unknown);
  CHECK(verdict("--qos=normal --cpus-per-task=9") == Verdict::does_not_fit);
  CHECK(verdict("") == Verdict::fits);
}

TEST_CASE("a reservation takes jobs of its accounts, a maintenance takes none", "[fit][scripts]") {
  const auto verdict = [](const std::string& owner, const std::string& options) {
    const std::string text = site("as-of = \"2026-11-28T12:00\"  " + std::string(four_nodes) +
                                  "  reservation r { nodes = \"n1\"  from = \"2026-11-28T08:00\"  until = "
                                  "\"2026-11-29T08:00\"  " +
                                  owner + " }");
    return fit_of(text, options + " --time=10 --nodes=1").verdict;
  };
  CHECK(verdict("accounts = [\"a\"]", "--reservation=r --account=a") == Verdict::fits);
  CHECK(verdict("accounts = [\"a\"]", "--reservation=r --account=b") == Verdict::does_not_fit);
  CHECK(verdict("users = [\"ada\"]", "--reservation=r --account=b") == Verdict::fits);
  CHECK(verdict("", "--reservation=r --account=b") == Verdict::does_not_fit);
}

TEST_CASE("limits of CPUs and memory of a job, and what a job has alone", "[fit][scripts]") {
  const std::string fleet =
      R"(pool g { nodes = "g[1-2]"  gpu { model = h100  memory = 80GB  count = 4 }  node { cpus = 8  memory = 64GiB } })";
  const auto policy = [&](const std::string& queue, const std::string& tenant, const std::string& options) {
    return fit_of(site(fleet, queue, "tenant t { accounts = [\"t\"]  " + tenant + " }"), "--account=t " + options)
        .policy.verdict;
  };
  for (const auto& [queue, tenant] : {std::pair<std::string, std::string>{"max-cpus = 6  max-memory = 8GiB", ""},
                                      {"", "max-cpus = 6  max-memory = 8GiB"}}) {
    CHECK(policy(queue, tenant, "--nodes=2 --cpus-per-task=3 --mem=4G") == Verdict::fits);
    CHECK(policy(queue, tenant, "--nodes=2 --cpus-per-task=4 --mem=4G") == Verdict::does_not_fit);
    CHECK(policy(queue, tenant, "--nodes=2 --cpus-per-task=3 --mem=5G") == Verdict::does_not_fit);
    CHECK(policy(queue, tenant, "--nodes=1 --cpus-per-task=1 --mem=4G --exclusive") == Verdict::does_not_fit);
  }
  CHECK(policy("max-gpus = 3", "", "--nodes=1 --gres=gpu:2") == Verdict::fits);
  CHECK(policy("max-gpus = 3", "", "--nodes=1 --gres=gpu:2 --exclusive") == Verdict::does_not_fit);
  CHECK(policy("", "quota g { gpus = 3 }", "--nodes=1 --gres=gpu:2 --exclusive") == Verdict::does_not_fit);
}

TEST_CASE("memory by the CPU on pools of unlike cores", "[fit][scripts]") {
  const std::string text = site(R"(pool a { nodes = "a[1-2]"  node { cpus = 4  threads-per-core = 2  memory = 8GiB } }
    pool b { nodes = "b1"  node { cpus = 8  memory = 8GiB } })");
  CHECK(fit_of(text, "--nodes=3 --ntasks-per-node=2 --mem-per-cpu=2G").verdict == Verdict::fits);
  CHECK(fit_of(text, "--nodes=3 --ntasks-per-node=3 --mem-per-cpu=2G").verdict ==
        Verdict::fits);  // 4 CPUs of a, 3 of b
  CHECK(fit_of(text, "--nodes=4 --ntasks-per-node=3 --mem-per-cpu=2G").verdict == Verdict::does_not_fit);
  CHECK(fit_of(text, "--nodes=3 --ntasks-per-node=5 --mem-per-cpu=1500M").verdict == Verdict::does_not_fit);  // 6 of a
  CHECK(fit_of(text, "--nodes=1 --ntasks-per-node=5 --mem-per-cpu=1500M").verdict == Verdict::fits);
}

TEST_CASE("site import reads features, defaults of memory, limits of a job and who is below an account",
          "[cluster][scripts]") {
  Sources sources;
  Diagnostics diagnostics;
  const std::string text =
      "Configuration data as of 2026-11-28T12:00:00\nSelectTypeParameters = CR_CORE_MEMORY\nDefMemPerCPU = 2000\n\n"
      "NodeName=a1 CPUAlloc=0 CPUTot=8 RealMemory=100 AvailableFeatures=fast,ib State=IDLE\n"
      "NodeName=a2 CPUAlloc=0 CPUTot=8 RealMemory=100 AvailableFeatures=fast State=IDLE\n\n"
      "PartitionName=p AllowGroups=ALL Nodes=a[1-2] DefMemPerNode=UNLIMITED\n\nPartitionName=q AllowGroups=ALL "
      "Nodes=a[1-2] DefMemPerNode=50\n\n"
      "ReservationName=r Nodes=a1 StartTime=2026-11-28T10:00:00 EndTime=2026-11-28T20:00:00 Users=(null) "
      "Accounts=top\n\n"
      "Cluster|Account|User|ParentName|MaxTRES\nc|root|||\nc|top||root|cpu=64,mem=10G\nc|sub||top|\nc|other||root|\n";
  const std::uint32_t file = sources.add("dump.txt", text);
  const auto sections = targets::slurm::recognise({sources.text(file), file, 0});
  const auto cluster = targets::slurm::read_cluster(sections.sections, diagnostics);
  const auto read = targets::slurm::import_site(cluster, "lab", "", diagnostics);
  REQUIRE(read.fleet->features.size() == 2);
  CHECK(read.fleet->features[0].name == "fast");
  CHECK(read.fleet->features[0].nodes.size() == 2);
  CHECK(read.site.queues.at(0).default_memory_cpu->value.bytes == std::int64_t{2000} << 20);
  CHECK(read.site.queues.at(1).default_memory->value.high.bytes == std::int64_t{50} << 20);
  const auto& accounts = read.fleet->reservations.at(0).accounts;
  REQUIRE(accounts.size() == 2);
  CHECK(accounts[1].value == "sub");
  for (const model::Tenant& tenant : read.site.tenants)
    if (tenant.name == "sub") CHECK(tenant.max_cpus->value == 64);
}

}  // namespace scripts_at_sites_test
