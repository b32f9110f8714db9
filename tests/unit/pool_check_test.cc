#include "plan/pools/pool_check.h"

// Work without GPUs stays off nodes with GPUs while others can take it, in whatever order a fleet has its pools.

#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/plan_text.h"

namespace pool_check_test {

using namespace muster;
using namespace muster::test;

namespace {

struct PoolOf {
  std::string name, text;
};

const std::vector<PoolOf> pools = {
    {"h100", "nodes = 4  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 96  memory = 1TB }"},
    {"a100", "nodes = 8  gpu { model = a100  memory = 40GB  count = 4 }  node { cpus = 64  memory = 512GB }"},
    {"cpu", "nodes = 4  node { cpus = 64  memory = 256GB }"},
    {"fat", "nodes = 1  node { cpus = 96  memory = 4TB }"},
};

std::string pool_of(std::vector<PoolOf> order, const std::string& plane, const std::string& asks) {
  std::string fleet;
  for (const PoolOf& pool : order) fleet += "pool " + pool.name + " { " + pool.text + " }\n";
  return plan_text(
             "fleet f {\n" + fleet + "}\nsite s { fleet = f\nplane p { " + plane +
             " }\nqueue main { default = true } }\nworkload w { image = \"x:1\"  command = [\"x\"]  kind = batch  " +
             asks + " }\n")
      ->fit()
      .pool;
}

}  // namespace

TEST_CASE("work without GPUs is kept off nodes with GPUs", "[place]") {
  struct Row {
    std::string asks;
    std::vector<std::string> pools;  // that may be the answer
  };
  const std::vector<Row> rows = {
      {"cpus = 8  memory = 16GB", {"cpu", "fat"}},
      {"replicas = 200  cpus = 2  memory = 4GB", {"cpu", "fat"}},
      {"nodes = 4  cpus = 64  memory = 100GB  resources { exclusive = true }", {"cpu"}},
      {"cpus = 8  memory = 2TB", {"fat"}},
      {"nodes = 5  cpus = 60  memory = 100GB  resources { exclusive = true }", {"a100"}},  // no other has five
      {"cpus = 8  memory = 16GB  prefer gpu.model == h100 weight 5", {"h100"}},
      {"gpus = 1  cpus = 8  memory = 16GB", {"h100", "a100"}},
  };
  std::vector<std::size_t> order = {0, 1, 2, 3};
  std::size_t good = 0, all = 0;
  do {
    std::vector<PoolOf> permuted;
    for (const std::size_t i : order) permuted.push_back(pools[i]);
    for (const std::string plane : {"kind = slurm", "kind = kubernetes  gang = volcano"})
      for (const Row& row : rows) {
        if (row.asks.find("exclusive") != std::string::npos && plane != "kind = slurm") continue;
        const std::string found = pool_of(permuted, plane, row.asks);
        const bool is_right = std::find(row.pools.begin(), row.pools.end(), found) != row.pools.end();
        INFO(plane << ": " << row.asks << ": " << found);
        CHECK(is_right);
        good += is_right, ++all;
      }
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(good == all);
  CHECK(all == 24 * 12);
}

}  // namespace pool_check_test
