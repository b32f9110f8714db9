// Each part of a workload that a review compares, one at a time, and each list whose order says nothing.
#include "review/documents.h"
#include "review/markdown.h"
#include "tests/catch.h"
#include "tests/unit/review_scene.h"

namespace review_parts_test {

using namespace muster;
using namespace muster::review;

namespace {

// What differs after `change` is made to a workload; no item: nothing does.
template <class Change>
std::vector<Item> after(Change change) {
  Workload other = job("a");
  change(other);
  return review_of({job("a")}, {other}).items;
}

bool differ(const std::string& before, const std::string& after) {
  Workload a = job("w"), b = job("w");
  a.objects = objects_of("a.yaml", "kind: A\n" + before);
  b.objects = objects_of("a.yaml", "kind: A\n" + after);
  return !review_of({a}, {b}).items.empty();
}

std::string text_of(Workload before, Workload after) {
  return write_text(review_of({std::move(before)}, {std::move(after)}), options_for());
}

std::size_t times(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("review: each part of a workload is a difference of its own", "[review]") {
  const auto parts = [](const auto& change) {
    Workload other = job("a");
    change(other);
    const Difference d = difference(job("a"), other);
    CHECK(d.answer() == !after(change).empty());
    std::string out;
    for (const auto& [differs, name] :
         {std::pair(d.decision, "decision "), std::pair(d.placement, "placement "),
          std::pair(d.resources, "resources "), std::pair(d.cost, "cost "), std::pair(!d.objects.empty(), "objects ")})
      if (differs) out += name;
    return out;
  };
  CHECK(parts([](Workload& w) { w.decision->control_plane = "kubernetes"; }) == "decision ");
  CHECK(parts([](Workload& w) { w.decision->runtime = "ray"; }) == "decision ");
  CHECK(parts([](Workload& w) { w.decision->layout = "partitioned"; }) == "decision ");
  CHECK(parts([](Workload& w) { w.decision->plane = "other"; }) == "decision ");
  CHECK(parts([](Workload& w) { w.decision->target = "jobset"; }) == "decision ");
  CHECK(parts([](Workload& w) { w.decision->requires_ = {"x"}; }) == "decision ");
  CHECK(parts([](Workload& w) { w.decision->advice = {"x"}; }) == "decision ");
  CHECK(parts([](Workload& w) { w.decision.reset(); }) == "decision ");
  Workload none = job("a");
  none.decision.reset();
  CHECK(difference(none, job("a")).decision);
  CHECK_FALSE(difference(none, none).decision);
  CHECK(parts([](Workload& w) { w.decision->rules = {"CP-011"}; }).empty());
  CHECK(parts([](Workload& w) { w.facts[0].value = "x"; }).empty());
  CHECK(parts([](Workload& w) { w.placement.verdict = "unknown"; }) == "placement ");
  CHECK(parts([](Workload& w) { w.placement.pools = {"a100"}; }) == "placement ");
  CHECK(parts([](Workload& w) { w.placement.leaf_switches = 2; }) == "placement ");
  CHECK(parts([](Workload& w) { w.placement.certificate = "x"; }) == "placement ");
  CHECK(parts([](Workload& w) { w.resources.memory = 1; }) == "resources ");
  CHECK(parts([](Workload& w) { w.resources.tasks = 1; }) == "resources ");
  CHECK(parts([](Workload& w) { w.cost.gpu_seconds = 1; }) == "cost ");
  CHECK(parts([](Workload& w) { w.cost.micros = 1; }) == "cost ");
  CHECK(parts([](Workload& w) { w.objects[0].lines = {"srun other"}; }) == "objects ");
  const auto added = after([](Workload& w) { w.objects.push_back({"Pod", "n", "p", {{"a", "1"}}, {}}); });
  REQUIRE(added.at(0).objects.size() == 1);
  CHECK(added[0].objects[0].status == Status::added);
  const auto removed = after([](Workload& w) { w.objects.clear(); });
  REQUIRE(removed.at(0).objects.size() == 1);
  CHECK(removed[0].objects[0].status == Status::removed);
}

TEST_CASE("review: new findings stand by severity, code, file, line", "[review]") {
  const auto items = after([](Workload& w) {
    w.findings = {finding("B", "5"), finding("A", "4"), finding("A", "3"), finding("Z", "2", Severity::error),
                  finding("A", "1")};
    w.findings[1].place = {"b.muster", 1};
    w.findings[2].place = {"a.muster", 9};
    w.findings[4].place = {"a.muster", 3};
  });
  REQUIRE(items.size() == 1);
  std::string keys;
  for (const Finding& f : items[0].new_findings) keys += f.key;
  CHECK(keys == "21345");
  std::vector<Finding> same = items[0].new_findings;
  Workload before = job("a");
  before.findings = {same[4], same[2], same[0], same[3], same[1]};
  const Review fixed = review_of({before}, {job("a")});
  keys.clear();
  for (const Finding& f : fixed.items.at(0).fixed_findings) keys += f.key;
  CHECK(keys == "21345");
}

TEST_CASE("review: a cause takes both crossings", "[review]") {
  Workload before = job("a"), later = job("a", 8);
  before.text = 1, later.text = 2;
  for (const bool facts : {true, false}) {
    Review review = review_of({before}, {later});
    review.policies.emplace_back();
    Crossing crossing;
    crossing.id = "a";
    crossing.flips = {{{{"nodes", "8", "4"}}}};
    crossing.asked = true;
    (facts ? crossing.new_facts_old_policy : crossing.old_facts_new_policy) = later;
    attribute(review, {crossing});
    CHECK(review.items.at(0).cause == Cause::unknown);
    CHECK(review.items.at(0).flips.size() == 1);
  }
  Review alone = review_of({before}, {later});
  alone.policies.emplace_back();
  attribute(alone, {});
  CHECK(alone.items.at(0).cause == Cause::unknown);
}

TEST_CASE("review: a spec that moved is the same though its files name it", "[review]") {
  const auto at = [](const std::string& id) {
    Workload w = job(id);
    w.objects = {{"file", {}, "job.pbs", {}, {"# job: compiled by muster from " + w.file, "train"}}};
    return w;
  };
  const Review review = review_of({at("old/job")}, {at("new/job")});
  REQUIRE(review.items.size() == 1);
  CHECK(review.items[0].status == Status::moved);
  CHECK(review.items[0].objects.empty());
}

TEST_CASE("review: lists of named things are compared by name", "[review]") {
  const std::pair<std::string, std::string> lists[] = {
      {"containers", "name"},
      {"env", "name"},
      {"volumes", "name"},
      {"volumeMounts", "mountPath"},
      {"volumeDevices", "devicePath"},
      {"imagePullSecrets", "name"},
      {"ports", "name"},
      {"tasks", "name"},
      {"replicatedJobs", "name"},
      {"workerGroupSpecs", "groupName"},
      {"podSets", "name"},
      {"resourceGroups", "name"},
      {"volumeClaimTemplates", "name"},
      {"hostAliases", "ip"},
      {"resourceClaims", "name"},
      {"tolerations", "key"},
      {"secrets", "name"},
      {"metrics", "type"},
  };
  for (const auto& [list, member] : lists) {
    INFO(list);
    const std::string a = "{" + member + ": a, v: 1}", b = "{" + member + ": b, v: 2}";
    CHECK_FALSE(differ(list + ": [" + a + ", " + b + "]\n", list + ": [" + b + ", " + a + "]\n"));
    CHECK(differ(list + ": [" + a + ", " + b + "]\n", list + ": [" + a + ", {" + member + ": b, v: 3}]\n"));
    // Two of a name, one without, or a name that is none: then by their order.
    CHECK(differ(list + ": [" + a + ", {" + member + ": a, v: 2}]\n",
                 list + ": [{" + member + ": a, v: 2}, " + a + "]\n"));
    CHECK(differ(list + ": [" + a + ", {v: 2}]\n", list + ": [{v: 2}, " + a + "]\n"));
    CHECK(
        differ(list + ": [" + a + ", {" + member + ": {x: y}}]\n", list + ": [{" + member + ": {x: y}}, " + a + "]\n"));
  }
  CHECK(differ("others: [{name: a, v: 1}, {name: b}]\n", "others: [{name: b}, {name: a, v: 1}]\n"));
  for (const char* set : {"accessModes", "add", "drop", "finalizers", "verbs", "hosts", "resourceNames"}) {
    INFO(set);
    CHECK_FALSE(differ(set + std::string(": [a, b]\n"), set + std::string(": [b, a]\n")));
    CHECK(differ(set + std::string(": [a, b]\n"), set + std::string(": [a]\n")));
  }
  for (const char* server :
       {"creationTimestamp", "generation", "managedFields", "selfLink", "resourceVersion", "uid"}) {
    INFO(server);
    CHECK_FALSE(differ("metadata: {name: x, " + std::string(server) + ": 1}\n", "metadata: {name: x}\n"));
    CHECK(differ("spec: {" + std::string(server) + ": 1}\n", "spec: {}\n"));
  }
  CHECK(differ("v: []\n", "v: {}\n"));
  CHECK(differ("v: []\n", "{}\n"));
  CHECK(differ("\"a.b\": 1\n", "a: {b: 1}\n"));
}

TEST_CASE("review: an ending is a digest where an object has it and the word ends there", "[review]") {
  const auto with = [](const std::string& name, const std::string& value) {
    return "metadata: {name: " + name + "}\nv: \"" + value + "\"\n";
  };
  const std::string a = "x-0a1b2c3d", b = "x-99998888";
  for (const char* behind : {"", "-0", ".svc", "/p", "_y", "Z"}) {
    INFO(behind);
    CHECK_FALSE(differ(with(a, a + behind), with(b, b + behind)));
  }
  for (const char* behind : {"0", "9", "a", "z"}) {
    INFO(behind);
    CHECK(differ(with(a, a + behind), with(b, b + behind)));  // a longer word
  }
  CHECK(differ("metadata: {name: x-0a1b2c3g}\n", "metadata: {name: x-99998888}\n"));  // no hexadecimal digit
  CHECK(differ("metadata: {name: x-0a1b2c3}\n", "metadata: {name: x-9999888}\n"));    // seven
  CHECK(differ("metadata: {name: x.0a1b2c3d}\n", "metadata: {name: x.99998888}\n"));  // no dash
  CHECK_FALSE(differ("metadata: {name: x-8mbdf7882g}\n", "metadata: {name: x-2g7t5h9kkb}\n"));
  CHECK(differ("metadata: {name: x-8mbdf7882a}\n", "metadata: {name: x-2g7t5h9kkb}\n"));  // a is no sign of these
}

TEST_CASE("review: a value of a comment is a word, a number, or code", "[review]") {
  const Dialect github("github"), bitbucket("bitbucket");
  for (const char* plain : {"4", "1,234", "0.5", "slurm", "a b", "a, b", "does-not-fit"}) {
    INFO(plain);
    CHECK(github.value(plain) == plain);
  }
  for (const char* strange : {"a.b", ".5", "a,b", "@x", "a_b", "#1", "<b>", "a|b"}) {
    INFO(strange);
    CHECK(github.value(strange).starts_with("<code>"));
    CHECK(bitbucket.value(strange).starts_with("`"));
  }
  CHECK(github.value("").find("code") == std::string::npos);
  CHECK(github.value(std::string(120, 'a')) == std::string(120, 'a'));
  CHECK(github.value(std::string(121, 'a')).starts_with("<code>"));
  CHECK(bitbucket.code("a`b|c") == "`a'b\\|c`");
  CHECK(github.marker("a.b/c_d-e", false) == "<!-- muster:review v1 key=a.b/c_d-e -->\n");
  CHECK(github.marker("é", true) == "<!-- muster:review v1 key=%C3%A9 unchanged -->\n");
  CHECK(github.marker("", false) == "<!-- muster:review v1 key=. -->\n");
  CHECK(github.marker(std::string(300, 'k'), false).size() ==
        std::string("<!-- muster:review v1 key= -->\n").size() + 200);
  CHECK(bitbucket.folded("t", "b\n") == "**t**\nb\n\n");
  CHECK(github.folded("t", "b\n") == "<details><summary>t</summary>\n\nb\n</details>\n");
  CHECK(bitbucket.small("x") == "x\n");
  CHECK(github.small("x") == "<sub>x</sub>\n");
}

TEST_CASE("review: the text names fields up to a number, and how many more there are", "[review]") {
  const auto with = [](int fields) {
    Workload out = job("a");
    for (int i = 0; i < fields; ++i) out.objects[0].fields.push_back({"--option-" + std::to_string(100 + i), "x"});
    return text_of(job("a"), out);
  };
  int most = 0;
  while (most < 500 && with(most + 1).find("more; `--format json` lists all") == std::string::npos) ++most;
  CHECK(most > 5);
  CHECK(times(with(most), "--option-") == static_cast<std::size_t>(most));
  CHECK(times(with(most + 1), "--option-") == static_cast<std::size_t>(most));
  CHECK(with(most + 1).find("… and 1 more;") != std::string::npos);
  CHECK(with(most + 7).find("… and 7 more;") != std::string::npos);
}

}  // namespace review_parts_test
