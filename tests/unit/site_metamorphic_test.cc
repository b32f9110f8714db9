// Random sites, each written in many ways: pools in another order, under other names, one cut in two, beside pools,
// queues and tenants that have no part in the job, with other units. Verdict, levels and what is missing stay.
// MUSTER_SITE_CASES: so many variants (1,000).
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "plan/steps/make_plan.h"
#include "rules/profiles.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/property/random.h"
#include "tests/unit/site_text.h"

namespace site_metamorphic_test {

using namespace muster;
using plan::Verdict;
using property::Random;

namespace {

std::string number(std::int64_t n) { return std::to_string(n); }

struct Busy {
  std::int64_t node = 0, gpus = 0;  // of the pool; 0: the whole node
};

struct APool {
  std::string name;
  std::int64_t nodes = 1, gpus = 8, cpus = 64, gibibytes = 512;
  std::string gpu = "h100", memory = "80GB", fabric{}, zone{};
  std::int64_t leaf = 0;   // nodes of a leaf; 0: none is declared
  std::int64_t first = 0;  // number of its first node: a pool that was cut keeps its nodes
  std::string nodes_of{};  // what they are called
  std::vector<std::int64_t> drained{};
  std::vector<Busy> busy{};
  bool unreachable = false;  // has a taint that no queue tolerates
};

struct ASite {
  bool pods = false;
  std::string gang = "volcano";
  std::vector<APool> pools;
  bool lists_pools = false;    // the queue does
  std::int64_t of_all = 0;     // a quota of all pools, in GPUs; 0: none
  std::string fabric_pools{};  // of a block of settings: "": none, "*": all with that network
  std::string more{};          // beside
  bool other_units = false;
};

// What a job asks, in the words of a spec, a script or a manifest.
struct AJob {
  enum class Form { spec, script, manifest } form = Form::spec;
  std::int64_t nodes = 1, gpus = 8, cpus = 4, gibibytes = 16;
  std::string gpu{};
  bool one_leaf = false, batch = false, second_role = false, no_fabric = false;
  std::int64_t prefer = 0;
};

std::string size(std::int64_t gibibytes, bool other) {
  return other ? number(gibibytes * 1024) + "MiB" : number(gibibytes) + "GiB";
}

std::string name_of_node(const APool& pool, std::int64_t node) { return pool.nodes_of + number(pool.first + node); }

std::string text_of(const APool& pool, bool other) {
  std::string out = "  pool " + pool.name + " {\n    nodes = \"" + pool.nodes_of + "[" + number(pool.first) + "-" +
                    number(pool.first + pool.nodes - 1) + "]\"\n";
  if (pool.gpus > 0)
    out += "    gpu { model = " + pool.gpu + "  memory = " + pool.memory + "  count = " + number(pool.gpus) +
           (pool.gpu.starts_with("mi") ? "  vendor = amd" : "") + " }\n";
  out += "    node { cpus = " + number(pool.cpus) + "  memory = " + size(pool.gibibytes, other) + " }\n";
  if (!pool.fabric.empty()) out += "    network { fabric = " + pool.fabric + " }\n";
  if (!pool.zone.empty()) out += "    zone = \"" + pool.zone + "\"\n";
  if (pool.leaf > 0) out += "    leaf-size = " + number(pool.leaf) + "\n";
  if (pool.unreachable) out += "    taint others { effect = NoSchedule }\n";
  std::string drained;
  for (const std::int64_t node : pool.drained) drained += (drained.empty() ? "" : ",") + name_of_node(pool, node);
  if (!drained.empty()) out += "    drained = \"" + drained + "\"\n";
  for (std::size_t b = 0; b < pool.busy.size(); ++b)
    out += "    in-use u" + number(static_cast<std::int64_t>(b)) + " { nodes = \"" +
           name_of_node(pool, pool.busy[b].node) + "\"" +
           (pool.busy[b].gpus > 0 ? "  gpus = " + number(pool.busy[b].gpus) : "") + " }\n";
  return out + "  }\n";
}

std::string names_of(const std::vector<APool>& pools) {
  std::string out;
  for (const APool& pool : pools)
    if (!pool.unreachable) out += (out.empty() ? "" : ", ") + pool.name;
  return out;
}

std::string text_of(const ASite& site) {
  std::string out = "fleet f {\n";
  for (const APool& pool : site.pools) out += text_of(pool, site.other_units);
  out += "}\nsite s {\n  fleet = f\n  plane p { kind = ";
  out += site.pods ? "kubernetes  version = \"1.35\"  namespace = \"x\"  gang = " + site.gang
                   : std::string("slurm  version = \"24.11\"  topology = tree");
  out += " }\n  queue main { default = true" +
         (site.lists_pools ? "  pools = [" + names_of(site.pools) + "]" : std::string()) + " }\n";
  if (!site.fabric_pools.empty())
    out += "  fabric infiniband { " +
           (site.fabric_pools == "*" ? std::string() : "pools = [" + site.fabric_pools + "]  ") +
           "env { NCCL_IB_HCA = \"mlx5\" } }\n";
  out += "  tenant t { " + std::string(site.pods ? "namespace = \"x\"" : "accounts = [\"t\"]") +
         (site.of_all > 0 ? "  quota \"*\" { gpus = " + number(site.of_all) + " }" : std::string()) + " }\n";
  return out + site.more + "}\n";
}

std::string spec_of(const AJob& job, bool other, bool pods) {
  const std::string amounts = "  cpus = " + number(job.cpus) + "  memory = " + size(job.gibibytes, other) +
                              "  image = \"x:1\"  command = [\"x\"]";
  std::string gpus = job.gpus == 0 ? "" : "  gpus = " + number(job.gpus);
  if (!job.gpu.empty() && job.gpus > 0) gpus += "  gpu = " + job.gpu;
  std::string out = "workload w {\n  kind = " + std::string(job.batch ? "batch" : "train") +
                    "  time-limit = " + (other ? "60m" : "1h") + "\n" + (pods ? "" : "  account = t\n");
  if (job.second_role)
    return out + "  role a { primary = true  nodes = " + number(job.nodes) + gpus + amounts +
           " }\n  role b { nodes = 1" + (job.gpus > 1 ? "  gpus = " + number(job.gpus / 2) : "") + amounts + " }\n}\n";
  out += (job.batch ? "  replicas = " : "  nodes = ") + number(job.nodes) + gpus + amounts + "\n";
  if (job.one_leaf) out += "  topology { within = leaf  required = true }\n";
  if (job.no_fabric) out += "  fabric = none\n";
  if (job.prefer > 0) out += "  prefer gpu.memory >= 80GB weight " + number(job.prefer) + "\n";
  return out + "}\n";
}

std::string script_of(const AJob& job, bool other) {
  return "#!/bin/bash\n#SBATCH --partition=main --account=t\n#SBATCH --nodes=" + number(job.nodes) +
         " --ntasks-per-node=1 --cpus-per-task=" + number(job.cpus) +
         (job.gpus > 0 ? " --gres=gpu:" + (job.gpu.empty() ? "" : job.gpu + ":") + number(job.gpus) : "") +
         " --mem=" + (other ? number(job.gibibytes * 1024) + "M" : number(job.gibibytes) + "G") +
         " --time=" + (other ? "60" : "1:00:00") + "\nsrun ./x\n";
}

std::string manifest_of(const AJob& job, bool other) {
  const std::string memory = other ? number(job.gibibytes * 1024) + "Mi" : number(job.gibibytes) + "Gi";
  std::string selector;
  if (job.gpu == "h100") selector = "      nodeSelector: { nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3 }\n";
  return "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: { name: w, namespace: x }\nspec:\n"
         "  schedulerName: volcano\n  queue: main\n  minAvailable: " +
         number(job.nodes) + "\n  tasks:\n  - name: main\n    replicas: " + number(job.nodes) +
         "\n    template:\n     spec:\n      restartPolicy: Never\n" + selector +
         "      containers:\n      - name: main\n        image: x:1\n        command: [./x]\n        resources:\n"
         "          limits: { cpu: " +
         number(job.cpus) + ", memory: " + memory + (job.gpus > 0 ? ", nvidia.com/gpu: " + number(job.gpus) : "") +
         " }\n";
}

struct Answer {
  std::string verdicts;
  std::vector<std::int64_t> missing;
  bool operator==(const Answer&) const = default;
  bool fits() const { return verdicts.starts_with("fits"); }
  bool unknown() const { return verdicts.find("unknown") != std::string::npos; }
};

std::string word(Verdict verdict) {
  return verdict == Verdict::fits ? "fits" : verdict == Verdict::unknown ? "unknown" : "does-not-fit";
}

Answer answer_of(const plan::Fit& fit) {
  Answer out{word(fit.verdict), {}};
  for (const plan::Level* level : {&fit.capacity, &fit.policy, &fit.now}) {
    out.verdicts += " " + word(level->verdict);
    out.missing.push_back(level->certificate ? level->certificate->missing : 0);
  }
  return out;
}

Answer ask(const ASite& site, const AJob& job) {
  const bool is_spec = job.form == AJob::Form::spec;
  const auto read = test::read_site(text_of(site) + (is_spec ? spec_of(job, site.other_units, site.pods) : ""));
  if (is_spec) {
    static const model::Policy policy = rules::profile("default");
    plan::PlanRequest request = read->request();
    request.policy = &policy;
    const plan::PlanResult result = plan::make_plan(request, read->diagnostics);
    return result.plan ? answer_of(result.plan->fit) : Answer{"no pool", {}};
  }
  if (job.form == AJob::Form::script) return answer_of(read->fit_of(script_of(job, site.other_units), "w.sbatch"));
  return answer_of(read->fit_of(manifest_of(job, site.other_units), "w.yaml"));
}

template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(i) - 1))]);
}

APool any_pool(Random& random, char name) {
  APool pool;
  pool.name = pool.nodes_of = std::string(1, name);
  pool.nodes = 1 + random.upto(4);
  pool.gpu = random.any_of(std::vector<std::string>{"h100", "h100", "a100", "l40s"});
  pool.memory = pool.gpu == "l40s" ? "48GB" : "80GB";
  pool.gpus = random.one_in(6) ? 0 : random.any_of(std::vector<std::int64_t>{1, 4, 8, 8});
  pool.cpus = random.any_of(std::vector<std::int64_t>{16, 64, 96});
  pool.gibibytes = random.any_of(std::vector<std::int64_t>{64, 512});
  if (random.one_in(2)) pool.leaf = 1 + random.upto(2);
  if (random.one_in(2)) pool.fabric = random.one_in(3) ? "roce" : "infiniband";
  if (random.one_in(4)) pool.zone = random.one_in(2) ? "east" : "west";
  std::vector<std::int64_t> nodes(static_cast<std::size_t>(pool.nodes));
  std::iota(nodes.begin(), nodes.end(), 0);
  shuffle(nodes, random);
  if (nodes.size() > 1 && random.one_in(3)) pool.drained.push_back(nodes.back()), nodes.pop_back();
  if (random.one_in(3)) pool.busy.push_back({nodes.front(), pool.gpus > 1 && random.one_in(2) ? pool.gpus / 2 : 0});
  return pool;
}

ASite any_site(Random& random) {
  ASite site;
  site.pods = random.one_in(2);
  for (std::int64_t p = 0; p < 2 + random.upto(2); ++p)
    site.pools.push_back(any_pool(random, static_cast<char>('a' + p)));
  site.lists_pools = random.one_in(2);
  if (random.one_in(5)) site.of_all = 1 + random.upto(40);
  if (random.one_in(3)) site.fabric_pools = "*";
  return site;
}

AJob any_job(Random& random, const ASite& site) {
  AJob job;
  const auto form = random.upto(2);
  job.form = form == 0 ? (site.pods ? AJob::Form::manifest : AJob::Form::script) : AJob::Form::spec;
  job.nodes = 1 + random.upto(6);
  job.gpus = random.any_of(std::vector<std::int64_t>{0, 1, 2, 4, 8, 8});
  job.cpus = random.any_of(std::vector<std::int64_t>{1, 8, 24});
  job.gibibytes = random.any_of(std::vector<std::int64_t>{2, 40, 100});
  const bool names_gpu = random.one_in(2);
  if (job.form == AJob::Form::manifest) job.gpu = names_gpu ? "h100" : "";
  else if (names_gpu) job.gpu = random.any_of(std::vector<std::string>{"h100", "a100"});
  if (job.form != AJob::Form::spec) return job;
  const auto kind = random.upto(5);
  job.batch = kind == 0, job.one_leaf = kind == 1, job.second_role = kind == 2;
  if (job.batch && job.gpus == 0) job.gpus = 1;
  job.no_fabric = random.one_in(4);
  if (random.one_in(4)) job.prefer = 10;
  return job;
}

// One pool in two, at the edge of a leaf: its leaves, and what runs where, are kept.
bool cut(ASite& site, const AJob& job, Random& random) {
  const auto at = static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(site.pools.size()) - 1));
  APool& pool = site.pools[at];
  const std::int64_t leaf = pool.leaf > 0 ? pool.leaf : 1;
  if (pool.nodes <= leaf || (pool.leaf == 0 && job.one_leaf)) return false;
  const std::int64_t first = leaf * (1 + random.upto((pool.nodes - 1) / leaf - 1));
  APool rest = pool;
  rest.name += "-" + number(static_cast<std::int64_t>(site.pools.size())), rest.first += first, rest.nodes -= first,
      pool.nodes = first;
  std::erase_if(pool.drained, [&](std::int64_t node) { return node >= first; });
  std::erase_if(pool.busy, [&](const Busy& busy) { return busy.node >= first; });
  std::erase_if(rest.drained, [&](std::int64_t node) { return node < first; });
  std::erase_if(rest.busy, [&](const Busy& busy) { return busy.node < first; });
  for (std::int64_t& node : rest.drained) node -= first;
  for (Busy& busy : rest.busy) busy.node -= first;
  site.pools.push_back(rest);
  return true;
}

// A pool that no queue reaches, of another vendor or of any.
void add_pool(ASite& site, Random& random) {
  APool pool = any_pool(random, static_cast<char>('u' + site.pools.size()));
  pool.unreachable = true;
  if (random.one_in(2)) pool.gpu = "mi300x", pool.memory = "192GB", pool.gpus = 8;
  site.pools.insert(site.pools.begin() + random.upto(static_cast<std::int64_t>(site.pools.size())), pool);
}

// A queue or a tenant that has no part in the job.
void add_names(ASite& site, Random& random) {
  const std::string name = "more" + number(static_cast<std::int64_t>(site.more.size()));
  if (random.one_in(2)) site.more += "  queue " + name + " { pools = [" + site.pools.back().name + "] }\n";
  else
    site.more += "  tenant " + name + " { " +
                 (site.pods ? "namespace = \"" + name + "\"" : "accounts = [\"" + name + "\"]") + " }\n";
}

// The same site in other words. "": this way does not suit it.
std::string respell(ASite& site, const AJob& job, Random& random) {
  switch (random.upto(5)) {
    case 0: shuffle(site.pools, random); return "pools in another order";
    case 1:
      for (APool& pool : site.pools)
        pool.name =
            "n" + number(random.upto(1) * 1000 + static_cast<std::int64_t>(&pool - site.pools.data())) + pool.name;
      return "pools renamed";
    case 2: return cut(site, job, random) ? "a pool cut in two" : "";
    case 3: add_pool(site, random); return "a pool that is not reached";
    case 4: add_names(site, random); return "a queue or tenant more";
    default: site.other_units = true; return "other units";
  }
}

std::size_t variants() {
  const char* said = std::getenv("MUSTER_SITE_CASES");
  return said != nullptr ? static_cast<std::size_t>(std::atoll(said)) : 1000;
}

}  // namespace

TEST_CASE("no verdict depends on how a site is written", "[place][site-metamorphic]") {
  Random random(4242);
  std::size_t cases = 0, unknown = 0, fitting = 0, asked = 0;
  while (asked < variants() / muster::tests::case_step) {
    const ASite site = any_site(random);
    const AJob job = any_job(random, site);
    const Answer first = ask(site, job);
    ++cases, unknown += first.unknown() ? 1 : 0, fitting += first.fits() ? 1 : 0;
    for (int spelling = 0; spelling < 4; ++spelling) {
      ASite other = site;
      std::string how;
      for (int step = 0; step < 2; ++step) {
        const std::string one = respell(other, job, random);
        if (!one.empty()) how += (how.empty() ? "" : ", ") + one;
      }
      if (how.empty()) continue;
      const Answer again = ask(other, job);
      ++asked;
      INFO("case " << cases << ", " << how << "\n"
                   << text_of(site) << "\nnow\n"
                   << text_of(other)
                   << (job.form == AJob::Form::spec     ? spec_of(job, false, site.pods)
                       : job.form == AJob::Form::script ? script_of(job, false)
                                                        : manifest_of(job, false)));
      CHECK(again.verdicts == first.verdicts);
      CHECK(again.missing == first.missing);
    }
  }
  CHECK(unknown * 20 <= cases);
  CHECK(fitting * 5 > cases);
  CHECK(fitting * 5 < cases * 4);
}

TEST_CASE("a job that fits does not where one node less is free than it needs", "[place][site-metamorphic]") {
  Random random(77);
  std::size_t changed = 0, cases = 0;
  while (cases < variants() / 10 / muster::tests::case_step) {
    ASite site = any_site(random);
    const AJob job = any_job(random, site);
    if (!ask(site, job).fits()) continue;
    ++cases;
    std::vector<std::pair<std::size_t, std::int64_t>> nodes;
    for (std::size_t p = 0; p < site.pools.size(); ++p)
      for (std::int64_t n = 0; n < site.pools[p].nodes; ++n)
        if (std::find(site.pools[p].drained.begin(), site.pools[p].drained.end(), n) == site.pools[p].drained.end())
          nodes.emplace_back(p, n);
    shuffle(nodes, random);
    bool still = true;
    for (const auto& [pool, node] : nodes) {
      site.pools[pool].drained.push_back(node);
      const bool fits = ask(site, job).fits();
      INFO(text_of(site));
      CHECK((still || !fits));  // what does not fit does not on fewer nodes either
      changed += still && !fits ? 1 : 0;
      still = fits;
      if (!still && random.one_in(2)) break;
    }
  }
  CHECK(changed == cases);
}

}  // namespace site_metamorphic_test
