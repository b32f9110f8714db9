// An import of Kueue's objects says nothing false of the cluster, and names what it does not import.
#include <algorithm>
#include <map>
#include <set>

#include "tests/property/random.h"
#include "tests/unit/imported_text.h"
#include "tests/unit/site_text.h"

namespace kueue_left_out_test {

using namespace muster;
using namespace muster::targets::kubernetes;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string object(const std::string& kind, const std::string& name, const std::string& spec,
                   const std::string& space = "") {
  return R"({"kind": ")" + kind + R"(", "metadata": {"name": ")" + name + "\"" +
         (space.empty() ? "" : R"(, "namespace": ")" + space + "\"") + R"(}, "spec": {)" + spec + "}}";
}

std::string node(const std::string& name, int cpus, const std::string& labels, const std::string& taints = "") {
  return R"({"kind": "Node", "metadata": {"name": ")" + name + R"(", "labels": {)" + labels +
         R"(, "nvidia.com/gpu.product": "NVIDIA-L40S"}}, "spec": {"taints": [)" + taints +
         R"(]}, "status": {"capacity": {"cpu": ")" + std::to_string(cpus) +
         R"(", "memory": "256Gi", "nvidia.com/gpu": "4"}, "conditions": [{"type": "Ready", "status": "True"}]}})";
}

std::string resource(const std::string& name, const std::string& amounts) {
  return R"({"name": ")" + name + "\", " + amounts + "}";
}

// A resource of flavors: `of_flavor` has the flavors and their resources.
std::string groups(const std::vector<std::pair<std::string, std::string>>& of_flavor) {
  std::string out;
  for (const auto& [flavor, resources] : of_flavor)
    out += (out.empty() ? "" : ", ") + (R"({"name": ")" + flavor + R"(", "resources": [)" + resources + "]}");
  return R"("resourceGroups": [{"coveredResources": ["cpu"], "flavors": [)" + out + "]}]";
}

const std::string any_space = R"("namespaceSelector": {}, )";

struct Imported {
  targets::ImportedSite site;
  Diagnostics diagnostics;
  std::string remarks() const { return test::remarks_of(site); }
};

Imported import(const std::vector<std::string>& items) {
  Sources sources;
  Imported out;
  ClusterObjects objects;
  std::string text = R"({"kind": "List", "items": [)";
  for (const std::string& item : items) text += (text.ends_with('[') ? "" : ", ") + item;
  read_cluster(sources, sources.add("x", text + "]}"), objects, out.diagnostics);
  out.site = import_site(objects, "lab", "", out.diagnostics);
  return out;
}

std::set<std::string> names(const std::vector<model::Located<std::string>>& pools) {
  std::set<std::string> out;
  for (const auto& pool : pools) out.insert(pool.value);
  return out;
}

}  // namespace

TEST_CASE("quotas keep the order in which the queue tries its flavors", "[kubernetes]") {
  const std::vector<std::string> nodes = {node("a", 64, R"("p": "1")"), node("b", 32, R"("p": "2")"),
                                          node("c", 16, R"("p": "3")")};
  std::vector<std::string> flavors = {"x", "y", "z"};
  const std::map<std::string, std::string> of_pool = {{"x", "1"}, {"y", "2"}, {"z", "3"}};
  const std::vector<std::string> amounts = {"64", "32", "16"};
  std::set<std::vector<std::string>> orders;
  do {
    std::vector<std::string> items = nodes;
    std::vector<std::pair<std::string, std::string>> quotas;
    for (const std::string& flavor : flavors) {
      items.push_back(object("ResourceFlavor", flavor, R"("nodeLabels": {"p": ")" + of_pool.at(flavor) + "\"}"));
      quotas.emplace_back(
          flavor, resource("cpu", R"("nominalQuota": ")" + amounts[static_cast<std::size_t>(flavor[0] - 'x')] + "\""));
    }
    items.push_back(object("ClusterQueue", "q", any_space + groups(quotas)));
    items.push_back(object("LocalQueue", "l", R"("clusterQueue": "q")", "s"));
    const auto site = import(items).site;
    REQUIRE(site.site.tenants.size() == 1);
    std::vector<std::string> seen;
    for (const model::Quota& quota : site.site.tenants[0].quotas) seen.push_back(std::to_string(quota.cpus->value));
    std::vector<std::string> wanted;
    for (const std::string& flavor : flavors) wanted.push_back(amounts[static_cast<std::size_t>(flavor[0] - 'x')]);
    CHECK(seen == wanted);
    const std::string text = test::text_of(site);
    std::vector<std::size_t> places;
    for (const std::string& amount : wanted) places.push_back(text.find("cpus = " + amount, text.find("quota")));
    CHECK(std::is_sorted(places.begin(), places.end()));
    orders.insert(seen);
  } while (std::next_permutation(flavors.begin(), flavors.end()));
  CHECK(orders.size() == 6);
}

// Kueue leaves out labels that a flavor does not have: then the flavor of one GPU model suits a workload for another.
TEST_CASE("flavors of several GPU models that do not have the label of theirs are named", "[kubernetes]") {
  const std::string a100 = "NVIDIA-A100-SXM4-80GB", h100 = "NVIDIA-H100-80GB-HBM3";
  const auto gpu_node = [](const std::string& name, const std::string& product) {
    std::string out = node(name, 32, R"("p": ")" + name + "\"");
    return out.replace(out.find("NVIDIA-L40S"), 11, product);
  };
  for (const std::string& second : {a100, h100})
    for (const bool has_first : {true, false})
      for (const bool has_second : {true, false}) {
        INFO(second << has_first << has_second);
        const auto flavor = [&](const std::string& name, const std::string& product, bool has) {
          const std::string label = has ? R"(, "nvidia.com/gpu.product": ")" + product + "\"" : "";
          return object("ResourceFlavor", name, R"("nodeLabels": {"p": ")" + name + "\"" + label + "}");
        };
        const std::string quota = resource("nvidia.com/gpu", R"("nominalQuota": 4)");
        const std::string said = import({gpu_node("a", a100), gpu_node("b", second), flavor("a", a100, has_first),
                                         flavor("b", second, has_second),
                                         object("ClusterQueue", "q", any_space + groups({{"a", quota}, {"b", quota}})),
                                         object("LocalQueue", "q", R"("clusterQueue": "q")", "x")})
                                     .remarks();
        const bool differ = second == h100;
        CHECK((said.find("does not have nvidia.com/gpu.product") != std::string::npos) ==
              (differ && !(has_first && has_second)));
        CHECK((said.find("ResourceFlavors a and b") != std::string::npos) == (differ && !has_first && !has_second));
      }
}

TEST_CASE("a flavor that has the name of a pool of others keeps a quota of its own", "[kubernetes]") {
  // Pools: l40s (64 CPUs) and l40s-cpu32, by the names that an import gives them.
  const std::vector<std::string> nodes = {node("a", 64, R"("p": "1", "all": "1")"),
                                          node("b", 32, R"("p": "2", "all": "1")")};
  const auto site = import(nodes).site;
  REQUIRE(site.fleet->pools.size() == 2);
  int variants = 0;
  for (const std::string large : {site.fleet->pools[0].name, site.fleet->pools[1].name, std::string("other")})
    for (const std::string small : {site.fleet->pools[0].name, site.fleet->pools[1].name, std::string("tiny")}) {
      if (large == small) continue;
      for (const bool first : {true, false}) {
        std::vector<std::string> items = nodes;
        items.push_back(object("ResourceFlavor", large, R"("nodeLabels": {"all": "1"})"));
        items.push_back(object("ResourceFlavor", small, R"("nodeLabels": {"p": "1"})"));
        std::vector<std::pair<std::string, std::string>> quotas = {
            {large, resource("nvidia.com/gpu", R"("nominalQuota": 5)")},
            {small, resource("nvidia.com/gpu", R"("nominalQuota": 3)")}};
        if (!first) std::swap(quotas[0], quotas[1]);
        items.push_back(object("ClusterQueue", "q", any_space + groups(quotas)));
        items.push_back(object("LocalQueue", "l", R"("clusterQueue": "q")", "ns"));
        const Imported found = import(items);
        const std::string text = test::text_of(found.site);
        CAPTURE(text);
        const auto again = test::read_site(text);
        const auto& quota = again->site().tenants.at(0).quotas;
        REQUIRE(quota.size() == 2);
        const auto& flavors = again->site().planes.at(0).pods()->flavors;
        REQUIRE(flavors.size() == 1);
        CHECK(names(flavors[0].pools).size() == 2);
        const auto gpus = [&](const std::string& pool) {
          for (const model::Quota& one : quota)
            if (one.pool.value == pool) return one.gpus->value;
          return std::int64_t{-1};
        };
        CHECK(gpus(flavors[0].name) == 5);
        std::string alone;
        for (const model::Pool& pool : again->fleet().pools)
          if (pool.node_name(0) == "a") alone = pool.name;
        CHECK(alone != flavors[0].name);
        CHECK(gpus(alone) == 3);
        CHECK(has(found.remarks(), "because a pool has the name") == (large != "other"));
        ++variants;
      }
    }
  CHECK(variants == 14);
}

TEST_CASE("amounts of quotas are whole: rounded once, down, and loudly", "[kubernetes]") {
  property::Random random(11);
  int fractions = 0;
  for (int round = 0; round < 100; ++round) {
    const std::int64_t one = random.upto(3000), two = random.upto(3000), lend = random.upto(2000);
    const bool fraction = (one + two) % 1000 != 0 || lend % 1000 != 0;
    const std::string lends = R"(, "lendingLimit": ")" + std::to_string(lend) + R"(m")";
    const auto cpu = [](std::int64_t amount, const std::string& more) {
      return resource("cpu", R"("nominalQuota": ")" + std::to_string(amount) + R"(m")" + more);
    };
    // Both flavors are of the same node, so that their quotas are one.
    const Imported found =
        import({node("a", 64, R"("p": "1")"), object("ResourceFlavor", "f", R"("nodeLabels": {"p": "1"})"),
                object("ResourceFlavor", "g", R"("nodeLabels": {"p": "1"})"),
                object("ClusterQueue", "q",
                       any_space + R"("cohortName": "c", )" + groups({{"f", cpu(one, lends)}, {"g", cpu(two, "")}})),
                object("LocalQueue", "l", R"("clusterQueue": "q")", "ns")});
    const auto again = test::read_site(test::text_of(found.site));
    const model::Quota& quota = again->site().tenants.at(0).quotas.at(0);
    CAPTURE(one, two, lend, found.remarks());
    CHECK(quota.cpus->value == (one + two) / 1000);
    CHECK(quota.lend_limit.cpus->value == lend / 1000);
    CHECK(has(found.remarks(), "ClusterQueue q: amounts were rounded down") == fraction);
    fractions += static_cast<int>(fraction);
  }
  CHECK(fractions > 80);
}

TEST_CASE("names of tenants, queues and cohorts that are made of several parts are unique", "[kubernetes]") {
  property::Random random(5);
  const std::vector<std::string> parts = {"a", "b", "a-b", "b-a", "a-b-a", "a-2"};
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> items = {node("n", 64, R"("p": "1")"), node("m", 32, R"("p": "2")"),
                                      object("ResourceFlavor", "f", R"("nodeLabels": {"p": "1"})"),
                                      object("ResourceFlavor", "g", R"("nodeLabels": {"p": "2"})")};
    for (const std::string& name : parts) {
      const std::string cohort = random.one_in(2) ? R"("cohortName": ")" + random.any_of(parts) + "\", " : "";
      items.push_back(object(
          "ClusterQueue", name,
          any_space + cohort + groups({{random.one_in(2) ? "f" : "g", resource("cpu", R"("nominalQuota": 4)")}})));
    }
    std::map<std::string, std::set<std::string>> used;
    std::set<std::string> locals;
    for (int i = 0; i < 12; ++i) {
      const std::string space = random.any_of(parts), name = random.any_of(parts), queue = random.any_of(parts);
      if (!locals.insert(space + "/" + name).second) continue;
      used[space].insert(queue);
      items.push_back(object("LocalQueue", name, R"("clusterQueue": ")" + queue + "\"", space));
    }
    const Imported found = import(items);
    REQUIRE_FALSE(found.diagnostics.has_errors());
    const auto again = test::read_site(test::text_of(found.site));  // two of one name would be an error
    std::size_t tenants = 0;
    for (const auto& [space, queues] : used) {
      tenants += queues.size();
      if (queues.size() > 1) continue;
      const auto is_it = [&](const model::Tenant& t) { return t.name == space && t.name_space->value == space; };
      CHECK(std::any_of(again->site().tenants.begin(), again->site().tenants.end(), is_it));
    }
    CHECK(again->site().tenants.size() == tenants);
  }
}

TEST_CASE("a circle of cohorts is a damaged record, and the other cohorts are imported", "[kubernetes]") {
  property::Random random(8);
  int circles = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<int> parent;
    std::vector<std::string> items = {node("n", 64, R"("p": "1")")};
    const auto label = [](int i) { return "c" + std::to_string(i); };
    for (int i = 0; i < 6; ++i) {
      parent.push_back(static_cast<int>(random.upto(7)) - 1);  // 6 has no object
      items.push_back(
          object("Cohort", label(i),
                 parent[static_cast<std::size_t>(i)] < 0 ? "" : R"("parentName": ")" + label(parent.back()) + "\""));
    }
    std::set<std::set<int>> expected;
    for (int i = 0; i < 6; ++i) {
      std::set<int> circle;
      int at = i;
      while (at >= 0 && at < 6 && circle.insert(at).second) at = parent[static_cast<std::size_t>(at)];
      if (at == i) expected.insert(circle);
    }
    const Imported found = import(items);
    CAPTURE(test::messages_of(found.diagnostics));
    CHECK(found.diagnostics.size() == expected.size());
    for (const Diagnostic& d : found.diagnostics.sorted()) {
      CHECK(d.code == Code::damaged_record);
      CHECK(d.primary.known());
    }
    const auto again = test::read_site(test::text_of(found.site));
    for (const model::Cohort& cohort : again->site().cohorts) {
      const int number = cohort.name[1] - '0';
      const bool cut = std::any_of(expected.begin(), expected.end(), [&](const auto& c) { return c.contains(number); });
      const bool below = number < 6 && parent[static_cast<std::size_t>(number)] >= 0;
      CHECK(cohort.parent.has_value() == (below && !cut));
    }
    circles += static_cast<int>(expected.size());
  }
  CHECK(circles > 50);
}

TEST_CASE("each key of an object of Kueue is imported, a default, or named", "[kubernetes]") {
  const std::vector<std::string> kinds = {"ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor"};
  std::vector<std::pair<std::string, std::string>> keys = {
      {"flavorFungibility", R"({"whenCanBorrow": "TryNextFlavor"})"},
      {"queueingStrategy", R"("StrictFIFO")"},
      {"namespaceSelector", R"({"matchLabels": {"a": "b"}})"},
      {"fairSharing", R"({"weight": "2"})"},
      {"topologyName", R"("racks")"},
      {"preemption", R"({"withinClusterQueue": "Any"})"},
      {"admissionChecks", R"(["x"])"}};
  property::Random random(4);
  for (int i = 0; i < 20; ++i) keys.emplace_back("new" + std::to_string(random.upto(99999)), R"({"a": {"b": 0}})");
  const std::vector<std::string> silent = {
      R"("queueingStrategy": "BestEffortFIFO")",
      R"("stopPolicy": "None")",
      R"("fairSharing": {"weight": "1"})",
      R"("flavorFungibility": {"whenCanBorrow": "Borrow", "whenCanPreempt": "TryNextFlavor"})",
      R"("new": {})",
      R"("preemption": {"borrowWithinCohort": {"policy": "Never"}, "withinClusterQueue": "Never"})",
      R"("new": null)"};
  for (const std::string& kind : kinds) {
    const auto remarks = [&](const std::string& spec) {
      return import({object(kind, "x", (kind == "ClusterQueue" ? any_space : "") + spec)}).remarks();
    };
    const std::string record = kind + (kind == "LocalQueue" ? " /x" : " x");
    for (const auto& [key, value] : keys) {
      if (key == "namespaceSelector" && kind == "ClusterQueue") continue;
      CAPTURE(kind, key, remarks("\"" + key + "\": " + value));
      CHECK(has(remarks("\"" + key + "\": " + value), record + ": " + key + " was not imported"));
    }
    for (const std::string& setting : silent) {
      CAPTURE(kind, setting, remarks(setting));
      CHECK_FALSE(has(remarks(setting), record + ":"));
    }
  }
  const std::string quota = R"({"name": "cpu", "nominalQuota": 1, "later": 2})";
  CHECK(has(import({object("ClusterQueue", "x", any_space + groups({{"f", quota}}))}).remarks(),
            "ClusterQueue x: resourceGroups.flavors.resources.later was not imported"));
  CHECK(has(import({object("ClusterQueue", "x", R"("namespaceSelector": {"matchLabels": {"a": "b"}})")}).remarks(),
            "ClusterQueue x: namespaceSelector was not imported"));
  CHECK(has(import({object("ClusterQueue", "x", "")}).remarks(), "Kueue admits no workload to it"));
}

TEST_CASE("a limit of borrowing or lending that is no amount is a damaged record", "[kubernetes]") {
  for (const std::string key : {"borrowingLimit", "lendingLimit", "nominalQuota"})
    for (const std::string value : {R"("many")", "-1", "true", "[]", "{}", R"("1.2.3")", R"("")"})
      for (const std::string kind : {"ClusterQueue", "Cohort"}) {
        const std::string amounts =
            (key == "nominalQuota" ? "" : R"("nominalQuota": 8, )") + ("\"" + key + "\": ") + value;
        const Imported found = import({object(kind, "x", groups({{"f", resource("cpu", amounts)}}))});
        CAPTURE(key, value, kind, test::messages_of(found.diagnostics));
        REQUIRE(found.diagnostics.size() == 1);
        CHECK(found.diagnostics.sorted().front().code == Code::damaged_record);
      }
  CHECK(import({object("Cohort", "x", groups({{"f", resource("cpu", R"("nominalQuota": 8, "lendingLimit": null)")}}))})
            .diagnostics.empty());
}

TEST_CASE("taints of flavors are taints of their pools where all flavors of the nodes have them", "[kubernetes]") {
  for (const bool both : {true, false})
    for (const bool own : {true, false}) {
      const std::string taint = R"({"key": "team", "value": "x", "effect": "NoSchedule"})";
      const std::string spec = R"("nodeTaints": [)" + taint + R"(, {"key": "soft", "effect": "PreferNoSchedule"}], )";
      const std::string labels = R"("nodeLabels": {"p": "1"})";
      const Imported found = import({node("a", 64, R"("p": "1")", own ? taint : ""), node("b", 32, R"("p": "2")"),
                                     object("ResourceFlavor", "f", spec + labels),
                                     object("ResourceFlavor", "g", (both ? spec : "") + labels),
                                     object("ClusterQueue", "q",
                                            any_space + groups({{"f", resource("cpu", R"("nominalQuota": 4)")},
                                                                {"g", resource("cpu", R"("nominalQuota": 4)")}}))});
      std::string tainted;
      for (const model::Pool& pool : found.site.fleet->pools)
        for (const model::Taint& one : pool.taints) tainted += pool.node_name(0) + ":" + one.name + " ";
      CAPTURE(both, own, found.remarks());
      CHECK(tainted == (both || own ? "a:team " : ""));
      CHECK(has(found.remarks(), "ResourceFlavor f: nodeTaints was not imported") == (!both && !own));
    }
}

TEST_CASE("an object that is there twice is reported and counted once", "[kubernetes]") {
  const std::vector<std::string> items = {
      node("n", 64, R"("p": "1")"),
      object("ResourceFlavor", "f", ""),
      object("ClusterQueue", "q", any_space + groups({})),
      object("Cohort", "c", ""),
      object("LocalQueue", "l", R"("clusterQueue": "q")", "ns"),
      object("Pod", "p", R"("nodeName": "n", "containers": [{"resources": {"requests": {"cpu": "8"}}}])", "ns")};
  CHECK(import(items).diagnostics.empty());
  const std::string once = test::text_of(import(items).site);
  for (const std::string& item : items) {
    std::vector<std::string> more = items;
    more.push_back(item);
    const Imported found = import(more);
    CHECK(test::text_of(found.site) == once);
    REQUIRE(found.diagnostics.size() == 1);
    CHECK(found.diagnostics.sorted().front().code == Code::contradiction);
  }
}

TEST_CASE("many flavors, queues and namespaces cost bounded time", "[kubernetes]") {
  std::vector<std::string> items;
  for (int i = 0; i < 4000; ++i) {
    const std::string n = std::to_string(i);
    items.push_back(node("n" + n, 64, R"("p": ")" + n + "\""));
    items.push_back(object("ResourceFlavor", "f" + n, R"("nodeLabels": {"p": ")" + n + "\"}"));
    items.push_back(
        object("ClusterQueue", "q" + n, any_space + groups({{"none", resource("cpu", R"("nominalQuota": 1)")}})));
    items.push_back(object("LocalQueue", "l", R"("clusterQueue": "q)" + n + "\"", "s" + n));
    items.push_back(object("LocalQueue", "k" + n, R"("clusterQueue": "q)" + n + "\"", "s0"));
  }
  const Imported found = import(items);
  CHECK(found.diagnostics.empty());
  CHECK(found.site.site.tenants.size() == 4000 + 3999);
}

}  // namespace kueue_left_out_test
