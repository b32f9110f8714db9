// What counts as a difference of two trees.
#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "review/cost.h"
#include "review/documents.h"
#include "review/moves.h"
#include "tests/catch.h"
#include "tests/unit/review_scene.h"

namespace review_test {

using namespace muster;
using namespace muster::review;

namespace {

std::vector<Object> objects(const std::string& yaml) { return objects_of("a.yaml", yaml); }

std::vector<ObjectChange> changes(const std::string& before, const std::string& after) {
  Workload a = job("w"), b = job("w");
  a.objects = objects(before);
  b.objects = objects(after);
  const Review review = review_of({a}, {b});
  return review.items.empty() ? std::vector<ObjectChange>() : review.items[0].objects;
}

Crossing crossing(const Workload& new_facts_old_policy, const Workload& old_facts_new_policy) {
  return {new_facts_old_policy.id, {}, new_facts_old_policy, old_facts_new_policy, {}, true, {}};
}

}  // namespace

TEST_CASE("review: workloads are added, removed, changed or unchanged", "[review]") {
  const Review review = review_of({job("a"), job("b"), job("c")}, {job("b"), job("c", 8), job("d")}, 5);
  REQUIRE(review.items.size() == 3);
  CHECK(review.items[0].id == "c");
  CHECK(review.items[0].status == Status::changed);
  CHECK(review.items[1].id == "d");
  CHECK(review.items[1].status == Status::added);
  CHECK(review.items[2].id == "a");
  CHECK(review.items[2].status == Status::removed);
  CHECK(review.unchanged == 6);
}

TEST_CASE("review: what is blocked stands first", "[review]") {
  Workload no_fit = job("z", 99), refused = job("y"), no_plane = job("x");
  no_fit.placement = {"does-not-fit", {}, 0, "needs 99 nodes, has 16"};
  refused.findings = {finding("SCH001", "k", Severity::error)};
  no_plane.decision->plane = no_plane.decision->target = "";
  const Review review = review_of({job("a"), job("y"), job("z")}, {job("a", 2), no_fit, refused, no_plane});
  REQUIRE(review.items.size() == 4);
  CHECK(review.blocked == 3);
  CHECK(review.items[0].blocked == std::vector<std::string>{"SCH001 a-rule: `x` is wrong"});
  CHECK(review.items[1].blocked == std::vector<std::string>{"does not fit: needs 99 nodes, has 16"});
  CHECK(review.items[2].blocked == std::vector<std::string>{"no plane of the site can run it"});
  CHECK(review.items[3].id == "a");
}

TEST_CASE("review: findings are known by their keys, not by their lines", "[review]") {
  Workload before = job("a"), after = job("a");
  before.findings = {finding("SLM001", "one"), finding("SLM002", "two"), finding("SLM002", "two")};
  after.findings = {finding("SLM001", "one"), finding("SLM002", "two"), finding("SLM003", "three")};
  after.findings[0].place.line = 90;
  after.findings[0].message = "in other words";
  const Review review = review_of({before}, {after});
  REQUIRE(review.items.size() == 1);
  REQUIRE(review.items[0].new_findings.size() == 1);
  CHECK(review.items[0].new_findings[0].code == "SLM003");
  REQUIRE(review.items[0].fixed_findings.size() == 1);
  CHECK(review.items[0].fixed_findings[0].code == "SLM002");
  CHECK(review.items[0].kept_findings == 2);
}

TEST_CASE("review: a finding that nobody looked for is not fixed", "[review]") {
  const auto at = [](const std::string& path, bool of_policy = false) {
    Finding f = finding("SLM009", path);
    f.path = path;
    f.of_policy = of_policy;
    return f;
  };
  const auto found = [&](std::vector<std::string> unjudged) {
    Workload before = job("a"), after = job("a", 8);
    before.findings = {at("target.slurm.mem"), at("target.slurm"), at("target.slurm-x.mem"), at("image"),
                       at("rules", true)};
    after.unjudged = std::move(unjudged);
    const Item item = review_of({before}, {after}).items.at(0);
    CHECK(item.differs());
    return std::pair(item.fixed_findings.size(), item.unknown_findings.size());
  };
  CHECK(found({}) == std::pair<std::size_t, std::size_t>(5, 0));
  CHECK(found({"target.kubernetes"}) == std::pair<std::size_t, std::size_t>(5, 0));
  CHECK(found({"target.slurm"}) == std::pair<std::size_t, std::size_t>(3, 2));
  CHECK(found({""}) == std::pair<std::size_t, std::size_t>(1, 4));  // what a policy says of itself is seen anyway
  // One that is there is there, and what is not looked for is a difference.
  Workload before = job("a"), after = job("a");
  before.findings = after.findings = {at("image")};
  after.unjudged = {""};
  CHECK(review_of({before}, {after}).nothing());
  after.findings.clear();
  CHECK(review_of({before}, {after}).items.at(0).unknown_findings.size() == 1);
}

TEST_CASE("review: which rows fired and where facts stand is no difference", "[review]") {
  Workload after = job("a");
  after.decision->rules = {"CP-099"};
  after.facts[0].place.line = 70;
  CHECK(review_of({job("a")}, {after}).nothing());
}

TEST_CASE("review: a file that one side cannot use is compared on neither", "[review]") {
  Tree base = tree({job("a"), job("b")}), head = tree({job("b", 2)}, "new");
  head.left_out = {{"a.muster", "E0101 unexpected word"}};
  const Review review = compare(base, head, 0);
  REQUIRE(review.items.size() == 1);
  CHECK(review.items[0].id == "b");
  CHECK(review.left_out_head.size() == 1);
  CHECK_FALSE(review.nothing());
}

TEST_CASE("review: an id that two files have is told apart by the file", "[review]") {
  Workload one = job("a"), other = job("a", 2);
  other.file = "b.muster";
  Workload changed = other;
  changed.resources.nodes = 3;
  const Review review = review_of({one, other}, {changed, one});
  REQUIRE(review.items.size() == 1);
  CHECK(review.items[0].id == "a in b.muster");
  CHECK(review.unchanged == 1);
}

TEST_CASE("review: sites are compared each for itself", "[review]") {
  Workload lab = job("a"), cloud = job("a"), changed = job("a");
  lab.site = "lab";
  cloud.site = changed.site = "cloud";
  changed.decision->control_plane = "kubernetes";
  const Review review = review_of({lab, cloud}, {lab, changed});
  REQUIRE(review.items.size() == 1);
  CHECK(review.items[0].site == "cloud");
}

TEST_CASE("review: a change is the facts', the policy's, either's or both's", "[review]") {
  const auto cause = [](const Workload& crossed_facts, const Workload& crossed_policy) {
    Workload before = job("a"), after = job("a", 8);
    before.text = 1;
    after.text = 2;
    Review review = review_of({before}, {after});
    review.policies.emplace_back();
    attribute(review, {crossing(crossed_facts, crossed_policy)});
    return review.items.at(0).cause;
  };
  CHECK(cause(job("a", 8), job("a")) == Cause::facts);
  CHECK(cause(job("a"), job("a", 8)) == Cause::policy);
  CHECK(cause(job("a", 8), job("a", 8)) == Cause::either);
  CHECK(cause(job("a", 5), job("a", 6)) == Cause::both);
}

TEST_CASE("review: what is decided has the cause, not a finding that comes with it", "[review]") {
  // The file asks for 8 nodes, and the policy waives what is found of that.
  Workload before = job("a"), after = job("a", 8), open = job("a", 8);
  open.findings = {finding("CKP001", "k")};
  after.findings = open.findings;
  after.findings[0].accepted = "short runs";
  const auto cause = [](const Workload& was, const Workload& is, const Workload& crossed_facts,
                        const Workload& crossed_policy) {
    Review review = review_of({was}, {is});
    review.policies.emplace_back();
    attribute(review, {crossing(crossed_facts, crossed_policy)});
    return review.items.at(0).cause;
  };
  CHECK(cause(before, after, open, before) == Cause::facts);
  CHECK(cause(open, after, open, after) == Cause::policy);  // nothing but the finding differs
}

TEST_CASE("review: without a change of policy it is the facts, without one of the file the policy", "[review]") {
  Workload before = job("a"), after = job("a", 8);
  before.text = 1;
  after.text = 2;
  Review by_facts = review_of({before}, {after});
  attribute(by_facts, {});
  CHECK(by_facts.items[0].cause == Cause::facts);
  after.text = 1;
  Review by_policy = review_of({before}, {after});
  by_policy.policies.emplace_back();
  attribute(by_policy, {});
  CHECK(by_policy.items[0].cause == Cause::policy);
}

TEST_CASE("review: what a file says of its own site is the policy's half of the crossing", "[review]") {
  const auto cause = [](const Workload& before, const Workload& after, const Workload& crossed_facts,
                        const Workload& crossed_policy, bool asked = true) {
    Review review = review_of({before}, {after});
    Crossing one = crossing(crossed_facts, crossed_policy);
    one.asked = asked;
    one.own_policy = PolicyChange{{"lab", "lab", "1", "a", 0}, {"lab", "lab", "2", "b", 0}, "minor", 2, 1, {}};
    attribute(review, {one});
    CHECK(review.policies.size() == (review.items.at(0).cause == Cause::policy ? 1 : 0));
    return review.items.at(0).cause;
  };
  Workload before = job("a"), after = job("a", 8);
  before.own_site = after.own_site = true;
  before.text = 1;
  after.text = 2;
  CHECK(cause(before, after, after, before) == Cause::facts);
  CHECK(cause(before, after, before, after) == Cause::policy);
  // Where the other side's site cannot be asked nobody knows, though no site of the trees differs.
  CHECK(cause(before, after, after, before, false) == Cause::unknown);
  // A finding about the rules is in neither crossing, as they were set aside.
  after.findings = {finding("RUL008", "k")};
  after.findings[0].of_policy = true;
  CHECK(cause(before, after, job("a", 8), before) == Cause::facts);
  Workload rules = before;
  rules.findings = after.findings;
  CHECK(cause(before, rules, before, before) == Cause::policy);
}

TEST_CASE("review: what went here and came there has moved, findings and all", "[review]") {
  Workload before = job("old/a"), after = job("new/a");
  before.name = after.name = "a";
  before.findings = {finding("SLM001", "SLM001|old/a.muster|old/a|x|0")};
  after.findings = {finding("SLM001", "SLM001|new/a.muster|new/a|x|0")};
  const Review review = review_of({before}, {after});
  REQUIRE(review.items.size() == 1);
  CHECK(review.moved == 1);
  CHECK(review.items[0].status == Status::moved);
  CHECK(review.items[0].id == "new/a");
  CHECK(review.items[0].before->id == "old/a");
  CHECK(review.items[0].kept_findings == 1);
  CHECK(review.items[0].new_findings.empty());
  CHECK(review.items[0].fixed_findings.empty());
  CHECK_FALSE(review.items[0].differs());
}

TEST_CASE("review: a spec moves with its name and what is written for it", "[review]") {
  const auto statuses = [](std::string old_name, std::string new_name, std::int64_t nodes) {
    Workload before = job("x/w"), after = job("y/w", nodes);
    before.name = std::move(old_name);
    after.name = std::move(new_name);
    return review_of({before}, {after}).items.size();
  };
  CHECK(statuses("w", "w", 4) == 1);
  CHECK(statuses("w", "v", 4) == 2);
  CHECK(statuses("w", "w", 5) == 2);
}

TEST_CASE("review: of two that may be meant none has moved", "[review]") {
  const auto script = [](const std::string& path) {
    Workload w = job(path);
    w.form = Form::script;
    w.id = w.file = path;
    w.objects[0].name = w.name;
    return w;
  };
  const Review one = review_of({script("a/run.sh")}, {script("b/start.sh")});
  REQUIRE(one.items.size() == 1);
  CHECK(one.items[0].status == Status::moved);
  CHECK(one.items[0].objects.empty());
  CHECK(review_of({script("a/1.sh"), script("a/2.sh")}, {script("b/1.sh")}).items.size() == 3);
  CHECK(review_of({script("a/1.sh")}, {script("b/1.sh"), script("b/2.sh")}).moved == 0);
}

TEST_CASE("review: an object moves with its kind, namespace and name, and may have changed", "[review]") {
  Workload before = job("a/Deployment/ml/web"), after = job("b/Deployment/ml/web", 8);
  before.form = after.form = Form::manifest;
  before.name = after.name = "Deployment/ml/web";
  const Review review = review_of({before}, {after});
  REQUIRE(review.items.size() == 1);
  CHECK(review.items[0].status == Status::moved);
  CHECK(review.items[0].differs());
  CHECK(review.items[0].cause == Cause::unknown);
  after.name = "Deployment/ml/web2";
  CHECK(review_of({before}, {after}).items.size() == 2);
}

TEST_CASE("review: a key is renamed by whole parts", "[review]") {
  CHECK(renamed_key("A|a|ab|a|0", "a", "c") == "A|c|ab|c|0");
  CHECK(renamed_key("A|x\\|y|a", "x|y", "p|q") == "A|p\\|q|a");
  CHECK(renamed_key("A|b", "", "c") == "A|b");
}

TEST_CASE("review: the order of documents, keys and named lists is no difference", "[review]") {
  CHECK(changes("kind: A\nmetadata: {name: x}\n---\nkind: B\nmetadata: {name: y}\n",
                "metadata: {name: y}\nkind: B\n---\nkind: A\nmetadata: {name: x}\n")
            .empty());
  const std::string head = "kind: Pod\nmetadata: {name: x}\nspec:\n  containers:\n";
  CHECK(changes(head + "  - {name: a, image: i}\n  - {name: b}\n", head + "  - {name: b}\n  - {image: i, name: a}\n")
            .empty());
  CHECK(changes("kind: R\nrules: [{verbs: [get, list]}]\n", "kind: R\nrules: [{verbs: [list, get]}]\n").empty());
}

TEST_CASE("review: the order of every other list is", "[review]") {
  const auto args = changes("kind: Pod\nargs: [a, b]\n", "kind: Pod\nargs: [b, a]\n");
  REQUIRE(args.size() == 1);
  REQUIRE(args[0].fields.size() == 1);
  CHECK(args[0].fields[0].name == "args");
  CHECK(args[0].fields[0].before == "[a, b]");
  CHECK(args[0].fields[0].after == "[b, a]");
  const auto first = changes("kind: Pod\ninitContainers: [{name: a}, {name: b}]\n",
                             "kind: Pod\ninitContainers: [{name: b}, {name: a}]\n");
  REQUIRE(first.size() == 1);
  CHECK(first[0].fields[0].name == "initContainers (order)");
}

TEST_CASE("review: digests behind names are no difference, what they stand for is", "[review]") {
  const auto yaml = [](const std::string& digest, const std::string& map, const std::string& more) {
    return "kind: Job\nmetadata: {name: train-" + digest + "}\nspec: {host: \"train-" + digest + "-0.train-" + digest +
           "\", config: set-" + map + more + "}\n---\nkind: ConfigMap\nmetadata: {name: set-" + map + "}\n";
  };
  CHECK(changes(yaml("0a1b2c3d", "8mbdf7882g", ""), yaml("99998888", "2g7t5h9kkb", "")).empty());
  const auto found = changes(yaml("0a1b2c3d", "8mbdf7882g", ""), yaml("99998888", "2g7t5h9kkb", ", m: 2"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].name == "train");
  REQUIRE(found[0].fields.size() == 1);
  CHECK(found[0].fields[0].name == "spec.m");
  // A word that no object is called after is left alone.
  CHECK(changes("kind: A\nv: commit-0a1b2c3d\n", "kind: A\nv: commit-99998888\n").size() == 1);
}

TEST_CASE("review: what only a server writes is no difference, types are", "[review]") {
  CHECK(changes("kind: A\nmetadata: {name: x, uid: 1}\nstatus: {a: 1}\n", "kind: A\nmetadata: {name: x}\n").empty());
  CHECK(changes("kind: A\nv: 1\n", "kind: A\nv: \"1\"\n").size() == 1);
}

TEST_CASE("review: scripts differ by options and lines", "[review]") {
  const std::string head = "#!/bin/bash\n#SBATCH -N 2\n#SBATCH --time=1:00:00\n";
  Workload a = job("w"), b = job("w");
  a.objects = objects_of("w.sbatch", head + "module load x\nsrun old\nexit 0\n");
  b.objects = objects_of("w.sbatch",
                         "#!/bin/bash\n#SBATCH --time=1:00:00\n#SBATCH --nodes=3\nmodule load x\nsrun new\nexit 0\n");
  const Review review = review_of({a}, {b});
  REQUIRE(review.items.size() == 1);
  const auto& fields = review.items[0].objects.at(0).fields;
  REQUIRE(fields.size() == 2);
  CHECK(fields[0].name == "--nodes");
  CHECK(fields[0].before == "2");
  CHECK(fields[0].after == "3");
  CHECK(fields[1].name == "line");
  CHECK(fields[1].before == "srun old");
  CHECK(fields[1].after == "srun new");
}

TEST_CASE("review: a value of many lines differs line by line", "[review]") {
  const auto found = changes("kind: ConfigMap\ndata:\n  start: |\n    one\n    two\n    three\n",
                             "kind: ConfigMap\ndata:\n  start: |\n    one\n    2\n    three\n");
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].fields.size() == 1);
  CHECK(found[0].fields[0].name == "data.start (line)");
  CHECK(found[0].fields[0].before == "two");
  CHECK(found[0].fields[0].after == "2");
}

TEST_CASE("review: a document of deep and long keys is bounded", "[review]") {
  std::string yaml;
  for (int depth = 0; depth < 150; ++depth)
    yaml += std::string(static_cast<std::size_t>(depth), ' ') + std::string(300, 'k') + ":\n";
  yaml += std::string(150, ' ') + "leaf: 1\n";
  const auto found = objects(yaml);
  REQUIRE(found.size() == 1);
  std::size_t longest = 0;
  for (const Field& field : found[0].fields) longest = std::max(longest, field.path.size());
  CHECK(longest < 5'000);
}

TEST_CASE("review: hours and money are exact", "[review]") {
  CHECK(micros_of("2.5") == 2'500'000);
  CHECK(micros_of("0.000001") == 1);
  CHECK_FALSE(micros_of("0.0000001"));
  CHECK_FALSE(micros_of("1e3"));
  CHECK_FALSE(micros_of("99999999999999999999"));
  CHECK(price_of(3600, 2'500'000) == 2'500'000);
  CHECK(price_of(1, 3600) == 1);
  CHECK(price_of(1, 1799) == 0);
  CHECK(price_of(1, 1800) == 1);
  CHECK_FALSE(price_of(INT64_MAX, 2'000'000));
  CHECK(hours_text(64 * 72 * 3600) == "4,608");
  CHECK(hours_text(1200) == "0.33");
  CHECK(hours_text(std::int64_t{3600} * 1'234'567) == "1,234,567");
  CHECK(money_text(15'360'000'000) == "15,360.00");
  CHECK(money_text(5'000) == "0.01");
  CHECK(money_text(4'999) == "0.00");
}

TEST_CASE("review: what is accepted from now on is neither fixed nor silent", "[review]") {
  const auto with = [](const std::string& reason) {
    Workload w = job("a");
    w.findings = {finding("SLM001", "k", Severity::error)};
    w.findings[0].accepted = reason;
    return w;
  };
  const Difference allowed = difference(with(""), with("a wrapper"));
  REQUIRE(allowed.allowed_findings.size() == 1);
  CHECK(allowed.allowed_findings[0].accepted == "a wrapper");
  CHECK(allowed.fixed_findings.empty());
  CHECK(allowed.new_findings.empty());
  CHECK(allowed.kept_findings == 0);
  CHECK(allowed.any());
  CHECK(difference(job("a"), with("a wrapper")).allowed_findings.size() == 1);

  CHECK_FALSE(difference(with("a wrapper"), with("for another reason")).any());
  CHECK_FALSE(difference(with("a wrapper"), job("a")).any());
  const Difference open = difference(with("a wrapper"), with(""));
  CHECK(open.new_findings.size() == 1);
  CHECK(open.allowed_findings.empty());

  CHECK(review_of({with("")}, {with("a wrapper")}).items.at(0).blocked.empty());
  CHECK(review_of({with("a wrapper")}, {with("")}).items.at(0).blocked.size() == 1);
}

}  // namespace review_test
