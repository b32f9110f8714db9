// A verdict does not depend on how a site is written: the order of its pools, a fabric block over all of them, a quota
// of all pools together.
#include <algorithm>
#include <numeric>

#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/property/random.h"
#include "tests/unit/plan_text.h"

namespace site_spelling_test {

using namespace muster;
using namespace muster::test;
using plan::Verdict;

namespace {

struct Pool {
  std::string name;
  std::int64_t nodes;
  std::string gpu = "h100";
};

// Nodes of 8 GPUs.
std::string site_text(const std::vector<Pool>& pools, const std::string& plane, const std::string& rest) {
  std::string fleet;
  for (const Pool& pool : pools)
    fleet += "pool " + pool.name + " { nodes = \"" + pool.name + "[1-" + std::to_string(pool.nodes) +
             "]\"  gpu { model = " + pool.gpu +
             "  memory = 80GB  count = 8 }  node { cpus = 64  memory = 1TB }  network { fabric = infiniband } }\n";
  return "fleet f {\n" + fleet + "}\nsite s { fleet = f\nplane p { " + plane + " }\nqueue main { default = true }\n" +
         rest + "\n}\n";
}

std::string names_of(const std::vector<Pool>& pools) {
  std::string out;
  for (const Pool& pool : pools) out += (out.empty() ? "" : ", ") + pool.name;
  return out;
}

std::int64_t sum_of(const std::vector<Pool>& pools) {
  return std::accumulate(pools.begin(), pools.end(), std::int64_t{0},
                         [](std::int64_t sum, const Pool& pool) { return sum + pool.nodes; });
}

template <class T>
std::vector<T> shuffled(std::vector<T> items, property::Random& random) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(i) - 1))]);
  return items;
}

std::string fabric_text(const std::string& pools) {
  return "fabric infiniband { " + (pools.empty() ? "" : "pools = [" + pools + "]  ") +
         "env { NCCL_IB_HCA = \"mlx5\" } }";
}

const std::vector<std::string> planes = {"kind = slurm", "kind = kubernetes  version = \"1.35\"  gang = volcano"};

struct Asked {
  std::string text;
  std::int64_t nodes = 0;  // of a gang; 0: it is none
  std::int64_t units = 0;  // of a batch, each of `gpus`
  std::int64_t gpus = 8;
};

Asked any_workload(property::Random& random, std::int64_t most) {
  const std::string rest = "  cpus = 4  memory = 8GB  image = \"x:1\"  command = [\"x\"] }\n";
  const std::int64_t gpus = random.any_of(std::vector<std::int64_t>{1, 4, 8}), count = 2 + random.upto(most);
  const std::string amounts = "  gpu = H100:" + std::to_string(gpus) + rest;
  if (random.one_in(3))
    return {"workload w { kind = batch  replicas = " + std::to_string(count) + amounts, 0, count, gpus};
  return {"workload w { kind = train  nodes = " + std::to_string(count) + amounts, count, 0, gpus};
}

struct Answers {
  Verdict verdict = Verdict::unknown;
  std::optional<std::int64_t> at_once;
  bool operator==(const Answers&) const = default;
};

Answers ask(const std::string& text) {
  const auto planned = plan_text(text);
  return {planned->fit().verdict, planned->at_once().possible};
}

}  // namespace

TEST_CASE("a fabric block over all pools, and the order of pools, change no verdict", "[place][site-spelling]") {
  property::Random random(41);
  std::size_t gangs = 0, batches = 0;
  for (std::size_t round = 0; round < 240; round += muster::tests::case_step) {
    std::vector<Pool> pools;
    for (std::int64_t p = 0; p < 2 + random.upto(2); ++p)
      pools.push_back({std::string(1, static_cast<char>('a' + p)), 1 + random.upto(3)});
    const Asked asked = any_workload(random, sum_of(pools));
    const std::string& plane = planes[round % 2];
    const Answers first = ask(site_text(pools, plane, fabric_text("")) + asked.text);
    INFO("round " << round << " " << plane << ", " << sum_of(pools) << " nodes: " << asked.text);
    if (asked.nodes > 0) {
      CHECK((first.verdict == Verdict::fits) == (asked.nodes <= sum_of(pools)));
      ++gangs;
    } else {
      CHECK(first.at_once == std::min(asked.units, sum_of(pools) * (8 / asked.gpus)));
      ++batches;
    }
    for (int spelling = 0; spelling < 4; ++spelling) {
      const std::vector<Pool> order = shuffled(pools, random);
      const std::string named = fabric_text(names_of(shuffled(pools, random)));
      INFO(names_of(order) << ", " << named);
      CHECK(ask(site_text(order, plane, named) + asked.text) == first);
    }
    // Nothing tells a Slurm job of nodes without a network apart from one of nodes with it.
    if (plane == planes[0]) CHECK(ask(site_text(pools, plane, "") + asked.text) == first);
  }
  CHECK(gangs > 10 / muster::tests::case_step);
  CHECK(batches > 10 / muster::tests::case_step);
}

TEST_CASE("only a job that uses the fabric stays where its settings are alike", "[place][site-spelling]") {
  property::Random random(43);
  for (std::size_t round = 0; round < 120; round += muster::tests::case_step) {
    std::vector<Pool> pools = {{"a", 1 + random.upto(3)}, {"b", 1 + random.upto(3)}, {"c", 1 + random.upto(3)}};
    const std::vector<Pool> attached(pools.begin(), pools.begin() + 1 + random.upto(1));
    const std::int64_t there = sum_of(attached), all = sum_of(pools), nodes = 2 + random.upto(all);
    const std::string site =
        site_text(shuffled(pools, random), planes[round % 2], fabric_text(names_of(shuffled(attached, random))));
    const std::string job =
        "workload w { kind = train  gpu = H100:8  cpus = 4  memory = 8GB  image = \"x:1\"  command = "
        "[\"x\"]  nodes = " +
        std::to_string(nodes);
    INFO("round " << round << ": " << nodes << " of " << there << " and " << all - there << "\n" << site);
    const bool fits = ask(site + job + " }\n").verdict == Verdict::fits;
    if (fits) CHECK(nodes <= std::max(there, all - there));
    if (nodes <= std::min(there, all - there)) CHECK(fits);
    CHECK((ask(site + job + "  fabric = none }\n").verdict == Verdict::fits) == (nodes <= all));
  }
}

TEST_CASE("a quota of all pools counts jobs on every pool", "[place][quota][site-spelling]") {
  property::Random random(47);
  const std::vector<std::string> models = {"h100", "a100", "l40s"};
  std::size_t over = 0, within = 0;
  for (std::size_t round = 0; round < 200; round += muster::tests::case_step) {
    std::vector<Pool> pools;
    for (std::size_t p = 0; p < 2 + static_cast<std::size_t>(random.upto(1)); ++p)
      pools.push_back({std::string(1, static_cast<char>('a' + p)), 1 + random.upto(3), models[p]});
    const auto unit = random.upto(2);  // GPUs, nodes, CPUs
    const std::int64_t most = unit == 1 ? 1 + random.upto(4) : 8 + random.upto(24);
    const std::string of_all = std::string("quota \"*\" { ") +
                               (unit == 0   ? "gpus"
                                : unit == 1 ? "nodes"
                                            : "cpus") +
                               " = " + std::to_string(most) + " }\n";
    const std::string own = random.one_in(2) ? "quota " + pools[0].name + " { gpus = 64 }\n" : "";
    std::string jobs;
    std::vector<Verdict> expected;
    std::vector<std::int64_t> left;
    for (const Pool& pool : pools) left.push_back(pool.nodes);
    std::int64_t held = 0;
    for (std::int64_t j = 0; j < 3 + random.upto(2); ++j) {
      const auto p = static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(pools.size()) - 1));
      const std::int64_t nodes = 1 + random.upto(1);
      jobs += "workload w" + std::to_string(j) + " { kind = train  nodes = " + std::to_string(nodes) +
              "  gpu = " + pools[p].gpu + ":8  cpus = 8  memory = 8GB  image = \"x:1\"  command = [\"x\"] }\n";
      const std::int64_t asked = nodes * (unit == 1 ? 1 : 8);
      const bool fits = nodes <= left[p] && held + asked <= most;
      expected.push_back(fits ? Verdict::fits : Verdict::does_not_fit);
      if (fits) left[p] -= nodes, held += asked;
      over += held + asked > most ? 1 : 0, within += fits ? 1 : 0;
    }
    const std::string tenant = "tenant x {\n" + (random.one_in(2) ? own + of_all : of_all + own) + "}";
    const std::string site = site_text(shuffled(pools, random), planes[round % 2], tenant);
    const auto planned = plan_text(site + jobs);
    for (std::size_t j = 0; j < expected.size(); ++j) {
      INFO("round " << round << ", w" << j << " " << planned->why(planned->fit(j).policy) << "\n" << site << jobs);
      CHECK(planned->fit(j).verdict == expected[j]);
    }
  }
  CHECK(over > 40 / muster::tests::case_step);
  CHECK(within > 40 / muster::tests::case_step);
}

}  // namespace site_spelling_test
