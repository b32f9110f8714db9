// The total of a change, its budgets, and the program of a spec in its own words.
#include "review/total.h"

#include "plan/steps/make_plan.h"
#include "review/describe.h"
#include "review/program.h"
#include "rules/profiles.h"
#include "tests/catch.h"
#include "tests/loss/compile.h"
#include "tests/unit/review_scene.h"

namespace review_total_test {

using namespace muster;
using review::Kept;
using review::SpendLimit;
using review::Workload;

namespace {

// A workload of a spec, as a review sees it. `site` is what the site's block has beside its fleet.
struct Described {
  loss::Checked checked;
  Workload workload;
};

Workload described(const std::string& site, const std::string& body) {
  const std::string fleet =
      "fleet f {\n pool a {\n nodes = 32\n gpu { model = h100  memory = 80GB  count = 8 }\n"
      " node { cpus = 64  memory = 1TB }\n cost-per-gpu-hour = 14\n }\n}\n";
  const loss::Checked checked = loss::check_at({"s", fleet + "site s {\n fleet = f\n" + site + "\n}\n"},
                                               "workload w {\n image = \"x:1\"\n" + body + "\n}\n");
  for (const Diagnostic& d : checked.diagnostics.sorted()) UNSCOPED_INFO(d.message);
  REQUIRE(checked.ok());
  const model::Policy policy = rules::profile("default");
  Diagnostics diagnostics;
  const plan::PlanResult result = plan::make_plan(loss::request_for(checked, 0, policy, std::nullopt), diagnostics);
  return review::describe(checked.module.workloads.at(0), result, checked.sources);
}

const std::string pods =
    " plane main { kind = kubernetes  gang = kueue  namespace = \"ml\" }\n queue main { default = true }\n"
    " tenant ml { namespace = \"ml\"  quota a { gpus = 256 } }\n";

std::string batch(int replicas) {
  return "kind = batch\n command = [\"run\"]\n gpus = 1\n time-limit = 4h\n replicas = " + std::to_string(replicas);
}

review::Review change(const std::string& site, const std::string& before, const std::string& after) {
  return review::review_of({described(site, before)}, {described(site, after)});
}

}  // namespace

TEST_CASE("review: replicas of a batch count, in all and at once", "[review][demand]") {
  const Workload many = described(pods, batch(1000));
  CHECK(many.resources.gpus == 1);
  CHECK(many.resources.tasks == 1000);
  CHECK(many.resources.at_once == 256);
  CHECK(many.cost.gpu_seconds == 4'000 * 3600);
  CHECK(review::gpus_at_once(many) == 256);
  const review::Review review = change(pods, batch(10), batch(1000));
  CHECK(review::total_text(review) == "+3,960 GPU-hours, +55,440.00; 256 of the tenant's 256 GPUs at once");
  CHECK(write_text(review, review::options_for()).starts_with("+3,960 GPU-hours, "));
}

TEST_CASE("review: all replicas of several roles count", "[review][demand]") {
  const auto roles = [](int replicas) {
    return "kind = batch\n time-limit = 10h\n role x {\n command = [\"x\"]\n gpus = 8\n replicas = " +
           std::to_string(replicas) + "\n}\n role y {\n command = [\"y\"]\n gpus = 1\n replicas = 2\n}";
  };
  const Workload many = described(pods, roles(100));
  CHECK(many.resources.gpus == 802);
  CHECK(many.cost.gpu_seconds == 8'020 * 3600);
  CHECK(review::gpus_at_once(many) == 802);
  const review::Review review = change(pods, roles(1), roles(100));
  CHECK(review::total_text(review) == "+7,920 GPU-hours, +110,880.00; 802 of the tenant's 256 GPUs at once");
  CHECK(review::check(*review::limit_of("total-gpus>32"), review::total_of({many})) == Kept::exceeded);
}

TEST_CASE("review: nodes that start each by itself are tasks", "[review][demand]") {
  const Workload nodes = described(
      pods,
      "kind = batch\n gang = none\n command = [\"run\"]\n gpus = 8\n nodes = 20\n replicas = 3\n time-limit = 1h");
  CHECK(nodes.resources.tasks == 60);
  CHECK(nodes.resources.gpus == 8);
  CHECK(nodes.resources.at_once == 32);
  CHECK(review::gpus_at_once(nodes) == 256);
  CHECK(nodes.cost.gpu_seconds == 480 * 3600);
}

TEST_CASE("review: of a range as many count as are written", "[review][demand]") {
  const std::string range = "\n command = [\"run\"]\n gpus = 8\n time-limit = 1h\n replicas = 2..4";
  CHECK(described(pods, "kind = train" + range).resources.gpus == 16);
  CHECK(described(pods, "kind = batch" + range).resources.tasks == 4);
  const std::string slurm = " plane main { kind = slurm  containers = pyxis }\n queue main { default = true }\n";
  CHECK(described(slurm, "kind = batch" + range).cost.gpu_seconds == 32 * 3600);
  CHECK(described(slurm, "kind = train" + range).cost.gpu_seconds == 16 * 3600);
}

TEST_CASE("review: the GPUs at once name how many are not known", "[review]") {
  Workload unlimited = review::job("a/c");
  unlimited.cost = {};
  unlimited.resources.gpus.reset();
  CHECK(review::total_text(review::review_of({}, {review::job("a/d"), unlimited}))
            .ends_with("; +32 GPUs at once (not known for 1 workload)"));
  Workload known = review::job("a/d");
  known.tenant = unlimited.tenant = "ml";
  known.tenant_gpus = unlimited.tenant_gpus = 64;
  CHECK(review::total_text(review::review_of({}, {known, unlimited}))
            .ends_with("; 32 of the tenant's 64 GPUs at once (not known for 1 workload)"));
}

TEST_CASE("review: replicas of a service count like those of a Deployment", "[review][demand]") {
  const std::string service = "kind = serve\n command = [\"run\"]\n gpus = 4\n replicas = ";
  const Workload two = described(pods, service + "2"), ten = described(pods, service + "10");
  CHECK(two.resources.gpus == 8);
  CHECK(ten.resources.gpus == 40);
  CHECK(ten.resources.nodes == 10);
  const std::string alone = " plane main { kind = kubernetes }\n queue main { default = true }\n";
  CHECK(review::total_text(change(alone, service + "2", service + "10")) == "+32 GPUs at once");
}

TEST_CASE("review: without a time limit hours are those of the queue", "[review][demand]") {
  const std::string job = "kind = train\n command = [\"run\"]\n gpus = 8";
  const std::string slurm = " plane main { kind = slurm }\n queue main { default = true ";
  CHECK_FALSE(described(slurm + "}", job).cost.gpu_seconds);
  const Workload longest = described(slurm + " max-time = 10h }", job);
  CHECK(longest.cost.gpu_seconds == 80 * 3600);
  CHECK(longest.cost.at_most);
  CHECK_FALSE(longest.resources.time_limit_ms);
  const Workload usual = described(slurm + " max-time = 10h  default-time = 1h }", job);
  CHECK(usual.cost.gpu_seconds == 8 * 3600);
  CHECK_FALSE(usual.cost.at_most);
  // Left to the site, so what the partition gives is not known.
  const Workload left = described(slurm + " max-time = 10h  default-time = 1h }", job + "\n time-limit = default");
  CHECK(left.cost.gpu_seconds == 80 * 3600);
  CHECK(left.cost.at_most);
  // On pods the deadline is the queue's default-time; no limit of a queue ends anything, nor a Ray cluster.
  const std::string alone = " plane main { kind = kubernetes }\n queue main { default = true ";
  CHECK(described(alone + " max-time = 10h  default-time = 1h }", job).cost.gpu_seconds == 8 * 3600);
  CHECK_FALSE(described(alone + " max-time = 10h }", job).cost.gpu_seconds);
  const std::string cluster =
      "kind = dev\n gpus = 8\n time-limit = 1h\n launch { runner = ray }\n dev { interface = shell }\n";
  CHECK_FALSE(described(alone + "}", cluster).resources.time_limit_ms);
  const review::Review added = review::review_of({}, {longest});
  CHECK(review::total_text(added).starts_with("at most +80 GPU-hours"));
  CHECK(write_text(added, review::options_for()).find("GPU-hours: at most 80\n") != std::string::npos);
}

TEST_CASE("review: what is not known is left out of the total", "[review]") {
  Workload unpriced = review::job("a/b"), unlimited = review::job("a/c");
  unpriced.cost.micros.reset();
  CHECK(review::total_text(review::review_of({}, {unpriced})) == "+32 GPU-hours; +32 GPUs at once");
  unlimited.cost = {};
  CHECK(review::total_text(review::review_of({}, {unlimited})) == "+32 GPUs at once");
  CHECK(review::total_text(review::review_of({}, {review::job("a/d"), unlimited})) ==
        "+32 GPU-hours (not known for 1 workload), +80.00 (not known for 1 workload); +64 GPUs at once");
  CHECK(review::total_text(review::review_of({review::job("a/d")}, {})) == "-32 GPU-hours, -80.00; -32 GPUs at once");
  CHECK(review::total_text(review::review_of({}, {})).empty());
}

TEST_CASE("review: what is not known and does not change is no part of a change", "[review]") {
  Workload before = review::job("a/b");
  before.cost = {};
  Workload after = before;
  after.objects[0].lines = {"srun other"};
  const review::Total total = review::total_of_change(review::review_of({before}, {after}));
  CHECK(total.micros.value == 0);
  CHECK(total.micros.unknown.empty());
}

TEST_CASE("review: budgets are read as they are spelt", "[review]") {
  CHECK(review::limit_of("cost>100.50")->most == 100'500'000);
  CHECK(review::limit_of("total-gpus>64")->whole);
  CHECK(review::limit_of("total-gpus>64")->of == SpendLimit::Of::gpus);
  for (const char* text : {"cost", "cost>", "cost>x", "cost>-1", "cost>=5", "total-total-cost>5", "price>5", ">5"})
    CHECK_FALSE(review::limit_of(text));
}

TEST_CASE("review: a budget is kept, exceeded or cannot be checked", "[review]") {
  const review::Total total = review::total_of_change(review::review_of({}, {review::job("a/b")}));  // 32 GPU-hours
  const auto kept = [](const char* text, const review::Total& of) { return check(*review::limit_of(text), of); };
  CHECK(kept("gpu-hours>32", total) == Kept::kept);
  CHECK(kept("gpu-hours>31.99", total) == Kept::exceeded);
  CHECK(kept("gpus>32", total) == Kept::kept);
  CHECK(kept("gpus>31", total) == Kept::exceeded);
  CHECK(kept("cost>80", total) == Kept::kept);
  CHECK(kept("cost>79.99", total) == Kept::exceeded);
  Workload unknown = review::job("a/c");
  unknown.cost.micros.reset();
  const review::Total some = review::total_of_change(review::review_of({}, {review::job("a/b"), unknown}));
  CHECK(kept("cost>10", some) == Kept::unknown);
  CHECK(kept("total-cost>10", some) == Kept::exceeded);  // what is not known only adds to a whole
  CHECK(kept("total-cost>100", some) == Kept::unknown);
  CHECK(review::unknown_text(*review::limit_of("cost>10"), some) ==
        "the cost of `a/c` is not known, so `cost>10` cannot be checked");
}

TEST_CASE("review: a changed argument is shown in its own words", "[review]") {
  const std::string head = "kind = train\n gpus = 1\n ";
  const auto report = [&](const std::string& before, const std::string& after) {
    Workload old = described(pods, head + before), fresh = described(pods, head + after);
    old.objects = {{"sbatch", {}, "w.sbatch", {}, {before}}}, fresh.objects = {{"sbatch", {}, "w.sbatch", {}, {after}}};
    return write_text(review::review_of({old}, {fresh}), review::options_for());
  };
  const std::string words = report("command = [\"python\", \"train.py\", \"--lr\", \"0.1\", \"--steps=10\"]",
                                   "command = [\"python\", \"train.py\", \"--lr\", \"0.2\", \"--steps=10\"]");
  INFO(words);
  CHECK(words.find("command --lr: 0.1 -> 0.2\n") != std::string::npos);
  CHECK(words.find("program w\n") != std::string::npos);
  CHECK(words.find("--steps") == std::string::npos);
  CHECK(words.find("of its body") == std::string::npos);
  const std::string script =
      report("script = <<<bash\n  cd /x\n  python a.py\n >>>", "script = <<<bash\n  cd /x\n  python b.py\n >>>");
  INFO(script);
  CHECK(script.find("script line:  python a.py ->  python b.py\n") != std::string::npos);
}

TEST_CASE("review: an option that is given twice keeps both values", "[review]") {
  model::Workload w;
  w.name = "w";
  w.roles.resize(1);
  w.roles[0].program =
      model::Located<model::Program>{model::Argv{"run", "--x", "1", "--x", "2", "--flag", "--y=3"}, {}};
  const review::Object program = review::program_of(w);
  std::string fields;
  for (const review::Field& field : program.fields) fields += field.path + "=" + field.value + " ";
  CHECK(fields == "command --flag=given command --x=1 command --x #2=2 command --y=3 command[0]=run ");
}

}  // namespace review_total_test
