// One count of what runs: what must run at once, what is possible at once, what runs in all.
#include "plan/demand.h"

#include <algorithm>
#include <random>

#include "plan/fit/at_once.h"
#include "plan/run/place_all.h"
#include "plan/steps/make_plan.h"
#include "tests/catch.h"
#include "tests/unit/plan_fixture.h"
#include "tests/unit/plan_text.h"
#include "tests/unit/pods_scene.h"

namespace demand_test {

using namespace muster;
using namespace muster::test;
using plan::Unit;
using plan::Verdict;

namespace {

// A fleet of `nodes` nodes of 8 GPUs, a site with one plane, and workloads, as text.
struct Scene {
  std::string plane = "kind = kubernetes  gang = kueue  namespace = \"ml\"";
  std::string site = "queue main { default = true }";
  std::string pool;
  std::int64_t nodes = 1;

  std::string text(const std::string& workloads) const {
    return "fleet f { pool a { nodes = " + std::to_string(nodes) +
           "\n gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 64  memory = 1TB }\n" + pool +
           "} }\nsite s { fleet = f\n plane main { " + plane + " }\n" + site + "\n}\n" + workloads;
  }
};

std::string workload_text(const std::string& body, const std::string& name = "w") {
  return "workload " + name + " {\n image = \"x:1\"\n command = [\"run\"]\n" + body + "\n}\n";
}

std::unique_ptr<Planned> plan_all(const Scene& scene, const std::string& workloads) {
  return plan_text(scene.text(workloads));
}

std::unique_ptr<Planned> plan_one(const Scene& scene, const std::string& body) {
  return plan_all(scene, workload_text(body));
}

plan::Demand demand(model::Kind kind, std::int64_t nodes, std::optional<model::Count> replicas = {},
                    std::optional<model::Gang> gang = {}) {
  static std::vector<std::unique_ptr<model::Workload>> kept;  // the demand borrows it
  kept.push_back(std::make_unique<model::Workload>(workload(kind, nodes, 4)));
  model::Workload& w = *kept.back();
  if (replicas) w.roles[0].replicas = stated(*replicas);
  if (gang) w.gang = stated(*gang);
  return plan::demand_of(w);
}

struct Row {
  const char* what;
  plan::Demand demand;
  Unit unit;
  std::int64_t needed, in_all, tasks;
};

}  // namespace

TEST_CASE("what must run at once depends on kind and gang", "[demand]") {
  using model::Gang, model::Kind;
  const Row rows[] = {
      {"a gang", demand(Kind::train, 4), Unit::replica, 1, 1, 1},
      {"a gang of replicas", demand(Kind::train, 4, model::Count{3, 3}), Unit::replica, 3, 3, 1},
      {"a gang that grows", demand(Kind::train, 1, model::Count{2, 6}), Unit::replica, 2, 6, 1},
      {"a service", demand(Kind::serve, 1, model::Count{2, 8}), Unit::replica, 2, 8, 1},
      {"a service that scales to zero", demand(Kind::serve, 1, model::Count{0, 4}), Unit::replica, 1, 4, 1},
      {"a service of nodes that start alone", demand(Kind::serve, 2, model::Count{3, 3}, Gang::none), Unit::replica, 3,
       3, 1},
      {"a batch", demand(Kind::batch, 1, model::Count{1000, 1000}), Unit::replica, 1, 1000, 1000},
      {"a gang of each replica", demand(Kind::train, 2, model::Count{5, 5}, Gang::replica), Unit::replica, 1, 5, 5},
      {"no gang", demand(Kind::batch, 4, {}, Gang::none), Unit::node, 1, 4, 4},
      {"no gang, with replicas", demand(Kind::batch, 1, model::Count{5, 20}, Gang::none), Unit::node, 1, 20, 20},
      {"dev", demand(Kind::dev, 2), Unit::replica, 1, 1, 1},
      {"dev without a gang", demand(Kind::dev, 2, {}, Gang::none), Unit::replica, 1, 1, 1},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(row.demand.unit == row.unit);
    CHECK(row.demand.needed == row.needed);
    CHECK(row.demand.in_all == row.in_all);
    CHECK(row.demand.tasks == row.tasks);
  }
  CHECK(demand(Kind::train, 4, model::Count{3, 3}).gpus_together() == 48);
  CHECK(demand(Kind::batch, 4, model::Count{3, 3}).gpus_together() == 16);
  CHECK(demand(Kind::serve, 4, model::Count{3, 9}).roles[0].gpus_at_most() == 144);
  CHECK(demand(Kind::dev, 2, {}, Gang::none).roles[0].nodes_at_once == 2);
}

TEST_CASE("a sweep runs point by point, max-parallel of them at once", "[demand]") {
  model::Workload w = workload(model::Kind::sweep, 1, 1);
  w.sweep = model::Sweep{{{"seed", {"1", "2", "3"}, {}}, {"lr", {"a", "b"}, {}}}, false, stated<std::int64_t>(4), {}};
  const plan::Demand d = plan::demand_of(w);
  CHECK(d.unit == Unit::point);
  CHECK(d.needed == 1);
  CHECK(d.in_all == 6);
  CHECK(d.tasks == 6);
  CHECK(d.max_parallel == 4);
}

TEST_CASE("replicas of a batch run as many at a time as there is room for", "[demand]") {
  const auto ten = plan_one({}, "kind = batch\n gpus = 4\n replicas = 10");
  CHECK(ten->fit().verdict == Verdict::fits);
  CHECK(ten->at_once().needed == 1);
  CHECK(ten->at_once().possible == 2);
  CHECK(ten->at_once().in_all == 10);
  CHECK(ten->fit().placements.size() == 1);
  const auto large = plan_one({}, "kind = batch\n gpus = 8\n nodes = 2\n replicas = 10");
  CHECK(large->fit().verdict == Verdict::does_not_fit);
  CHECK(large->at_once().possible == 0);
}

TEST_CASE("all replicas of a service run at once, and the misfit says how many fit", "[demand]") {
  const std::string body = "kind = serve\n gpus = 4\n replicas = ";
  CHECK(plan_one({}, body + "2")->fit().verdict == Verdict::fits);
  const auto ten = plan_one({}, body + "10");
  CHECK(ten->fit().verdict == Verdict::does_not_fit);
  CHECK(ten->at_once().possible == 2);
  CHECK(ten->why(ten->fit().capacity).ends_with("; 2 of 10 replicas fit"));
  CHECK(ten->fit().capacity.certificate->need == 10);
  // A replica is a job of its own to Slurm: two share a node there as well.
  Scene slurm;
  slurm.plane = "kind = slurm";
  CHECK(plan_one(slurm, body + "2")->fit().verdict == Verdict::fits);
  CHECK(plan_one(slurm, body + "3")->fit().verdict == Verdict::does_not_fit);
}

TEST_CASE("the low end of a service's range runs at once, and at least one", "[demand]") {
  const auto some = plan_one({}, "kind = serve\n gpus = 4\n replicas = 2..9");
  CHECK(some->fit().verdict == Verdict::fits);
  CHECK(some->at_once().needed == 2);
  CHECK(some->at_once().in_all == 9);
  CHECK(
      plan_one(
          {}, "kind = serve\n gpus = 8\n nodes = 2\n replicas = 0..4\n scale { metric = requests-waiting  target = 5 }")
          ->fit()
          .verdict == Verdict::does_not_fit);
}

TEST_CASE("gang = none needs one node", "[demand]") {
  const auto eight = plan_one({}, "kind = batch\n gpus = 8\n nodes = 8\n gang = none");
  CHECK(eight->fit().verdict == Verdict::fits);
  CHECK(eight->at_once().unit == Unit::node);
  CHECK(eight->at_once().possible == 1);
  CHECK(eight->at_once().in_all == 8);
  CHECK(eight->plans[0].roles[0].nodes == 8);  // what is written has all of them
  CHECK(plan_one({}, "kind = train\n gpus = 8\n nodes = 8\n gang = all")->fit().verdict == Verdict::does_not_fit);
}

TEST_CASE("a quota bounds what runs at once, for batch and service", "[demand]") {
  Scene scene;
  scene.nodes = 8;
  scene.site += "\n tenant ml { namespace = \"ml\"  quota a { gpus = 16 } }";
  const auto batch = plan_one(scene, "kind = batch\n gpus = 1\n replicas = 1000");
  CHECK(batch->fit().verdict == Verdict::fits);
  CHECK(batch->at_once().room == 64);
  CHECK(batch->at_once().allowed == 16);
  CHECK(batch->at_once().possible == 16);
  const auto service = plan_one(scene, "kind = serve\n gpus = 4\n replicas = 5");
  CHECK(service->fit().policy.verdict == Verdict::does_not_fit);
  CHECK(service->why(service->fit().policy)
            .ends_with("requests 20 GPUs of pool a; tenant ml can use 16; 4 of 5 replicas fit"));
}

TEST_CASE("a queue's limit of jobs bounds the tasks of a batch system", "[demand]") {
  Scene scene;
  scene.plane = "kind = slurm";
  scene.nodes = 8;
  scene.site = "queue main { default = true  max-jobs = 3 }";
  CHECK(plan_one(scene, "kind = batch\n gpus = 1\n replicas = 10")->at_once().possible == 3);
  const auto service = plan_one(scene, "kind = serve\n gpus = 1\n replicas = 4");
  CHECK(service->fit().policy.verdict == Verdict::does_not_fit);
  CHECK(service->why(service->fit().policy).ends_with("; 3 of 4 replicas fit"));
}

TEST_CASE("max-parallel bounds what runs at once", "[demand]") {
  const auto sweep =
      plan_one({}, "kind = sweep\n gpus = 1\n env { S = $seed }\n sweep { axes { seed = 1..100 } max-parallel = 3 }");
  CHECK(sweep->at_once().unit == Unit::point);
  CHECK(sweep->at_once().room == 8);
  CHECK(sweep->at_once().possible == 3);
  CHECK(sweep->at_once().in_all == 100);
}

TEST_CASE("what others hold is not possible at once", "[demand]") {
  Scene scene;
  scene.nodes = 2;
  const auto both = plan_all(scene, workload_text("kind = train\n gpus = 8", "first") +
                                        workload_text("kind = batch\n gpus = 2\n replicas = 100", "second"));
  CHECK(both->fit(1).verdict == Verdict::fits);
  CHECK(both->at_once(1).possible == 4);
  scene.site += "\n tenant ml { namespace = \"ml\"  quota a { gpus = 10 } }";
  const auto bounded = plan_all(scene, workload_text("kind = train\n gpus = 8", "first") +
                                           workload_text("kind = batch\n gpus = 2\n replicas = 100", "second"));
  CHECK(bounded->at_once(1).possible == 1);
}

TEST_CASE("workloads of one queue share its number of jobs", "[demand]") {
  Scene scene;
  scene.plane = "kind = slurm";
  scene.nodes = 8;
  scene.site = "queue main { default = true  max-jobs = 3 }";
  const std::string gang = "kind = batch\n gpus = 8";
  const auto array =
      plan_all(scene, workload_text(gang, "first") + workload_text("kind = batch\n gpus = 8\n replicas = 6", "second"));
  CHECK(array->fit(1).verdict == Verdict::fits);
  CHECK(array->at_once(1).allowed == 2);
  CHECK(array->at_once(1).possible == 2);
  scene.site = "queue main { default = true  max-jobs = 1 }";
  const auto gangs = plan_all(scene, workload_text(gang, "first") + workload_text(gang, "second"));
  CHECK(gangs->fit(0).verdict == Verdict::fits);
  CHECK(gangs->fit(1).policy.verdict == Verdict::does_not_fit);
  CHECK(gangs->why(gangs->fit(1).policy) == "with first needs 2 jobs at once; queue main runs 1 of one user at a time");
}

TEST_CASE("the quota counts a workload that has no place beside the others", "[demand]") {
  Scene scene;
  scene.nodes = 3;
  scene.site += "\n tenant ml { namespace = \"ml\"  quota a { gpus = 24 } }";
  const std::string gang = "kind = train\n nodes = 2\n gpus = 8";
  const auto both = plan_all(scene, workload_text(gang, "first") + workload_text(gang, "second"));
  CHECK(both->fit(1).capacity.verdict == Verdict::does_not_fit);
  CHECK(both->fit(1).policy.verdict == Verdict::does_not_fit);
  CHECK(both->at_once(1).allowed == 0);
}

// Pods of one shape: a node takes as many as its GPUs and the CPUs that it has for pods allow, 62 of 64.
TEST_CASE("what is possible at once is what a count by hand gives", "[demand]") {
  std::mt19937 random(7);
  const auto upto = [&](int most) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(most) + 1); };
  for (int i = 0; i < 40; ++i) {
    Scene scene;
    scene.nodes = upto(5);
    const std::int64_t gpus = upto(8), cpus = upto(40), replicas = upto(60);
    const std::int64_t by_hand = scene.nodes * std::min(8 / gpus, 62 / cpus);
    const std::string body = "gpus = " + std::to_string(gpus) + "\n cpus = " + std::to_string(cpus) +
                             "\n memory = 1GiB\n replicas = " + std::to_string(replicas);
    INFO(body << " on " << scene.nodes);
    const auto batch = plan_one(scene, "kind = batch\n" + body);
    CHECK(batch->at_once().possible == std::min(by_hand, replicas));
    CHECK(batch->fit().verdict == (by_hand > 0 ? Verdict::fits : Verdict::does_not_fit));
    const auto service = plan_one(scene, "kind = serve\n" + body);
    CHECK(service->at_once().possible == std::min(by_hand, replicas));
    CHECK(service->fit().verdict == (by_hand >= replicas ? Verdict::fits : Verdict::does_not_fit));
  }
}

TEST_CASE("where a queue admits a Job whole, its parallelism is what fleet and quota take", "[demand][pods]") {
  Pods scene;
  scene.plane = "gang = kueue\n namespace = \"ml\"";
  scene.site += "tenant ml { namespace = \"ml\"  quota a { gpus = 16 } }";
  scene.workload = "kind = batch\n image = \"x:1\"\n command = [\"run\"]\n gpus = 1\n replicas = 1000\n";
  const Manifests bounded = lower(scene);
  INFO(bounded.stated());
  CHECK(bounded.has("parallelism: 16\n"));
  CHECK(bounded.has("completions: 1000\n"));
  const auto replicas = std::find_if(bounded.lowered.loss.entries().begin(), bounded.lowered.loss.entries().end(),
                                     [](const auto& e) { return to_string(e.field) == "replicas"; });
  REQUIRE(replicas != bounded.lowered.loss.entries().end());
  CHECK(replicas->status == targets::LossEntry::Status::approximated);
  CHECK(replicas->note.find("16 of 1,000 at a time") != std::string::npos);
  scene.site = "queue main { default = true }\n";
  CHECK(lower(scene).has("parallelism: 64\n"));  // the fleet: 8 nodes of 8 GPUs
  scene.plane = "gang = volcano";
  CHECK(lower(scene).has("parallelism: 1000\n"));  // it starts the pods that have room
}

TEST_CASE("points of a sweep that a queue admits whole are bounded too", "[demand][pods]") {
  Pods scene;
  scene.plane = "gang = kueue";
  const std::string head = "kind = sweep\n image = \"x:1\"\n command = [\"run\"]\n gpus = 8\n env { S = $seed }\n";
  scene.workload = head + "sweep { axes { seed = 1..100 } }\n";
  CHECK(lower(scene).has("parallelism: 8\n"));
  const auto reported = [](const Manifests& m, std::string_view field) {
    std::string out;
    for (const auto& e : m.lowered.loss.entries())
      if (to_string(e.field) == field)
        out += e.status == targets::LossEntry::Status::approximated ? "approximated " : "other ";
    return out;
  };
  CHECK(reported(lower(scene), "sweep.axes.seed") == "approximated ");
  scene.workload = head + "sweep { axes { seed = 1..100 } max-parallel = 20 }\n";
  CHECK(lower(scene).has("parallelism: 8\n"));
  CHECK(reported(lower(scene), "sweep.max-parallel") == "approximated ");
  scene.workload = head + "sweep { axes { seed = 1..100 } max-parallel = 5 }\n";
  CHECK(lower(scene).has("parallelism: 5\n"));
}

TEST_CASE("nodes that start each by itself are bounded too", "[demand][pods]") {
  Pods scene;
  scene.plane = "gang = kueue";
  scene.workload = "kind = batch\n gang = none\n image = \"x:1\"\n command = [\"run\"]\n gpus = 8\n nodes = 20\n";
  CHECK(lower(scene).has("completions: 20\n"));
  CHECK(lower(scene).has("parallelism: 8\n"));
}

TEST_CASE("a JobSet of more replicas than are ever admitted is refused", "[demand][pods]") {
  Pods scene;
  scene.plane = "gang = kueue";
  const std::string head =
      "kind = batch\n gang = replica\n image = \"x:1\"\n command = [\"run\"]\n nodes = 2\n gpus = 8\n replicas = ";
  scene.workload = head + "4\n";
  CHECK(lower(scene, "jobset").ok());
  scene.workload = head + "5\n";
  const Manifests refused = lower(scene, "jobset");
  CHECK_FALSE(refused.ok());
  CHECK(refused.stated().find("take 4 of 5 at once") != std::string::npos);
}

// What the loss report says of a key: "=" exact, "~" approximated, in the order of its entries.
std::string reported(const targets::Loss& loss, std::string_view field) {
  std::string out;
  for (const auto& e : loss.entries())
    if (to_string(e.field) == field)
      out += e.status == targets::LossEntry::Status::exact          ? "="
             : e.status == targets::LossEntry::Status::approximated ? "~"
                                                                    : "?";
  return out;
}

std::string two_roles(int replicas) {
  return "kind = batch\n image = \"x:1\"\n role x {\n command = [\"x\"]\n gpus = 8\n replicas = " +
         std::to_string(replicas) + "\n}\n role y {\n command = [\"y\"]\n gpus = 1\n replicas = 2\n}\n";
}

std::string workload_of_roles(int replicas) { return "workload w {\n" + two_roles(replicas) + "}\n"; }

TEST_CASE("several roles that are admitted whole run all their replicas at once", "[demand][pods]") {
  Scene scene;
  scene.nodes = 4;
  const auto most = plan_all(scene, workload_of_roles(3));
  CHECK(most->fit().verdict == Verdict::fits);
  CHECK(most->at_once().needed == 5);
  CHECK(most->at_once().possible == 5);
  CHECK(plan_all(scene, workload_of_roles(4))->fit().capacity.verdict == Verdict::does_not_fit);
  scene.site += "\n tenant ml { namespace = \"ml\"  quota a { gpus = 16 } }";
  const auto over = plan_all(scene, workload_of_roles(3));
  CHECK(over->fit().policy.verdict == Verdict::does_not_fit);
  CHECK(over->why(over->fit().policy).find("requests 26 GPUs of pool a; tenant ml can use 16") != std::string::npos);
  scene.plane = "kind = kubernetes  namespace = \"ml\"";  // their pods start as there is room
  CHECK(plan_all(scene, workload_of_roles(3))->at_once().needed == 2);
  Pods pods;
  pods.plane = "gang = kueue";
  pods.workload = two_roles(7);
  CHECK(lower(pods, "jobset").has("replicas: 7\n"));
}

TEST_CASE("a batch system starts the nodes of a job together, also of gang = none", "[demand]") {
  Scene slurm;
  slurm.plane = "kind = slurm";
  slurm.site = "queue main { default = true }";
  slurm.nodes = 2;
  const std::string body = "kind = batch\n gpus = 8\n gang = none\n nodes = ";
  const auto nine = plan_one(slurm, body + "9");
  CHECK(nine->fit().verdict == Verdict::does_not_fit);
  CHECK(nine->at_once().unit == Unit::replica);
  const auto two = plan_one(slurm, body + "2");
  CHECK(two->fit().verdict == Verdict::fits);
  CHECK(two->fit().placements.size() == 2);
  Diagnostics diagnostics;
  const auto lowered = targets::lower(*targets::find_target("slurm"), two->plans.at(0), {}, diagnostics);
  CHECK(reported(lowered.loss, "gang") == "~");
}

TEST_CASE("independent replicas of a range are all written and counted, of a gang the least", "[demand]") {
  using model::Gang, model::Kind;
  const model::Count range{2, 6};
  CHECK(demand(Kind::train, 1, range).roles[0].written == 2);
  CHECK(demand(Kind::serve, 1, range).roles[0].written == 2);
  CHECK(demand(Kind::batch, 1, range).roles[0].written == 6);
  CHECK(demand(Kind::dev, 1, range).roles[0].written == 6);
  Scene slurm;
  slurm.plane = "kind = slurm\n containers = pyxis";
  slurm.site = "queue main { default = true }";
  const auto batch = plan_one(slurm, "kind = batch\n gpus = 8\n replicas = 1..4");
  CHECK(batch->plans.at(0).demand.tasks == 4);
  Diagnostics diagnostics;
  const auto array = targets::lower(*targets::find_target("slurm"), batch->plans.at(0), {}, diagnostics);
  CHECK(array.documents.at(0).content.find("--array=0-3\n") != std::string::npos);
  CHECK(reported(array.loss, "replicas") == "~");
}

TEST_CASE("pods of a range are as many as are counted", "[demand][pods]") {
  Pods scene;
  scene.plane = "gang = kueue";
  const std::string job = "image = \"x:1\"\n command = [\"run\"]\n gpus = 8\n replicas = 2..4\n kind = ";
  scene.workload = job + "train\n";
  const Manifests gang = lower(scene, "kubernetes");
  CHECK(gang.has("completions: 2\n"));
  CHECK_FALSE(gang.has("job-min-parallelism"));
  CHECK(reported(gang.lowered.loss, "replicas") == "~");
  CHECK(lower(scene, "jobset").has("replicas: 2\n"));
  scene.workload = job + "batch\n";
  const Manifests batch = lower(scene, "kubernetes");
  CHECK(batch.has("completions: 4\n"));
  CHECK(batch.has("kueue.x-k8s.io/job-min-parallelism: \"2\"\n"));
  CHECK(reported(batch.lowered.loss, "replicas") == "=");
  CHECK(lower(scene, "jobset").has("replicas: 4\n"));
}

TEST_CASE("nodes that start each by itself are one Job, also of several replicas", "[demand][pods]") {
  Pods scene;
  scene.plane = "gang = kueue";
  scene.workload =
      "kind = batch\n gang = none\n image = \"x:1\"\n command = [\"run\"]\n gpus = 8\n nodes = 4\n replicas = 3\n"
      "time-limit = 1h\n";
  const Manifests job = lower(scene);
  INFO(job.stated());
  CHECK(job.has("completions: 12\n"));
  CHECK(job.has("parallelism: 8\n"));
  CHECK(job.has("backoffLimitPerIndex: 0\n"));
  CHECK(job.has("      activeDeadlineSeconds: 3600\n"));  // of each pod: they run one after the other
  CHECK(reported(job.lowered.loss, "resources.nodes") == "~");
  const Manifests whole = lower(scene, "jobset");
  CHECK_FALSE(whole.ok());
  CHECK(whole.stated().find("with all its pods or not at all, but the fleet and the quota take 8 of 12 at once") !=
        std::string::npos);
}

TEST_CASE("nodes that wait for each other are not counted one by one", "[demand][pods][coupled]") {
  Pods scene;
  scene.plane = "gang = kueue";
  const std::string head =
      "kind = batch\n gang = none\n image = \"x:1\"\n command = [\"run.py\"]\n gpus = 8\n nodes = 8\n";
  for (const auto& [target, runner] :
       {std::pair{"pytorchjob", "torchrun"}, {"trainjob", "torchrun"}, {"mpijob", "mpi"}}) {
    INFO(target);
    scene.workload = head + "launch { runner = " + runner + " }\n";
    CHECK(lower(scene, target).stated().find("starts each alone") != std::string::npos);
  }
}

}  // namespace demand_test
