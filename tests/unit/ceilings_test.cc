// What tenants may use beyond their own quotas: cohorts that lend, flavors, and limits of accounts.
#include "plan/quota/ceilings.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/oracles/lending_oracle.h"
#include "tests/property/random.h"
#include "tests/unit/plan_text.h"

namespace ceilings_test {

using namespace muster;
using namespace muster::test;
using plan::Verdict;

namespace {

// A pool of single GPUs, so that each GPU is a node.
std::string pool(const std::string& name, std::int64_t nodes, const std::string& model = "h100") {
  return "pool " + name + " { nodes = \"" + name + "[1-" + std::to_string(nodes) + "]\"  gpu { model = " + model +
         "  memory = 80GB  count = 1 }  node { cpus = 16  memory = 128GB } }\n";
}

std::string site(const std::string& plane, const std::string& rest, const std::string& pools) {
  return "fleet f {\n" + pools + "}\nsite s { fleet = f\nplane p { " + plane +
         " }\nqueue main { default = true }\nsoftware x { image = \"x:1\" }\n" + rest + " }\n";
}

const std::string slurm = "kind = slurm",
                  kueue = "kind = kubernetes  namespace = \"n\"  gang = kueue  level leaf { label = \"x/leaf\" }";

std::string gang(const std::string& name, std::int64_t nodes, const std::string& account,
                 const std::string& more = {}) {
  return "workload " + name + " { kind = train  nodes = " + std::to_string(nodes) +
         "  gpus = 1  cpus = 1  memory = 1GB  account = " + account + "  software = x  command = [\"x\"]  " + more +
         " }\n";
}

std::string text(const plan::Level& level) { return level.certificate ? level.certificate->text : level.note; }

// A member of random cohorts as its site spells it.
std::string spelt(const std::vector<scheduler::Lender>& tree, std::size_t i, bool is_cohort) {
  const auto name = [](std::size_t n) { return "c" + std::to_string(n); };
  const scheduler::Lender& one = tree[i];
  std::string out = is_cohort ? "cohort " + name(i) + " { " : "tenant t" + std::to_string(i) + " { ";
  if (one.above) out += (is_cohort ? "parent = " : "cohort = ") + name(*one.above) + "  ";
  out += "quota a { gpus = " + std::to_string(one.nominal);
  if (one.borrow) out += "  borrow-limit { gpus = " + std::to_string(*one.borrow) + " }";
  if (one.lend) out += "  lend-limit { gpus = " + std::to_string(*one.lend) + " }";
  return out + " } }\n";
}

}  // namespace

TEST_CASE("a gang has what its tenant may borrow in random cohorts, and not one GPU more", "[ceilings][quota]") {
  property::Random random(42);
  int asked = 0, right = 0, borrowed = 0;
  constexpr int cases = 60;
  while (asked < cases) {
    std::vector<scheduler::Lender> tree(static_cast<std::size_t>(3 + random.upto(3)));
    std::vector<bool> cohort(tree.size(), false);
    cohort[0] = true;
    for (std::size_t i = 0; i < tree.size(); ++i) {
      tree[i].nominal = random.upto(4);
      if (i == 0) continue;
      tree[i].above = static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(i) - 1));
      cohort[*tree[i].above] = true;
      if (random.one_in(2)) tree[i].borrow = random.upto(4);
      if (random.one_in(2)) tree[i].lend = random.upto(4);
    }
    std::string rest;
    for (std::size_t i = 0; i < tree.size(); ++i) rest += spelt(tree, i, cohort[i]);
    const std::size_t own = tree.size() - 1;
    const std::int64_t most = oracles::most_of(tree, own);
    if (most < 1) continue;
    ++asked;
    const std::string account = "t" + std::to_string(own);
    const auto at = plan_text(site(kueue, rest, pool("a", 40)) + gang("w", most, account));
    const auto above = plan_text(site(kueue, rest, pool("a", 40)) + gang("w", most + 1, account));
    const bool lent = most > tree[own].nominal;
    const std::string words = std::to_string(most - tree[own].nominal);
    const bool said = !lent || at->fit().borrowed.starts_with(words + " GPU");
    const bool same =
        at->fit().verdict == Verdict::fits && above->fit().policy.verdict == Verdict::does_not_fit && said;
    right += same;
    borrowed += lent;
    CAPTURE(rest, most, text(at->fit().policy), text(above->fit().policy), at->fit().borrowed);
    CHECK(same);
  }
  CHECK(right == cases);
  CHECK(borrowed > cases / 3);
}

TEST_CASE("what others of a cohort use is not there to borrow", "[ceilings][quota]") {
  int right = 0;
  constexpr int cases = 48;
  for (int n = 0; n < cases; ++n) {
    const std::int64_t own = n % 4, theirs = 4 + n % 3, used = 1 + n % 4;
    const std::string rest = "cohort all { }\ntenant a { cohort = all  quota a { gpus = " + std::to_string(own) +
                             " } }\ntenant b { cohort = all  quota a { gpus = " + std::to_string(theirs) + " } }\n";
    const std::int64_t most = own + theirs - used;
    const auto at = plan_text(site(slurm, rest, pool("a", 20)) + gang("w0", used, "b") + gang("w1", most, "a"));
    const auto above = plan_text(site(slurm, rest, pool("a", 20)) + gang("w0", used, "b") + gang("w1", most + 1, "a"));
    CAPTURE(n, text(at->fit(1).policy), text(above->fit(1).policy));
    const bool same = at->fit(1).verdict == Verdict::fits && above->fit(1).policy.verdict == Verdict::does_not_fit;
    CHECK(same);
    right += same;
  }
  CHECK(right == cases);
}

TEST_CASE("a quota of several pools counts them together, over all jobs", "[ceilings][quota]") {
  int right = 0, asked = 0;
  for (const std::string name : {"*", "both"})
    for (std::int64_t most = 2; most < 12; ++most)
      for (const std::string& plane : {slurm, kueue}) {
        const std::string pools = name == "*" ? "" : "pools = [a, b]  ";
        const std::string rest =
            "tenant t { quota \"" + name + "\" { " + pools + "gpus = " + std::to_string(most) + " } }\n";
        const std::string fleet = pool("a", 10, "a100") + pool("b", 10);
        const auto jobs = [&](std::int64_t more) {
          return plan_text(site(plane, rest, fleet) + gang("w0", most / 2, "t", "gpu = a100") +
                           gang("w1", most - most / 2 + more, "t", "gpu = h100"));
        };
        const auto at = jobs(0), above = jobs(1);
        CAPTURE(name, most, plane, text(at->fit(1).policy), text(above->fit(1).policy));
        const bool same = at->fit(1).verdict == Verdict::fits && above->fit(1).policy.verdict == Verdict::does_not_fit;
        CHECK(same);
        right += same, ++asked;
      }
  CHECK(right == asked);
  CHECK(asked == 40);
}

TEST_CASE("the pods of a role are in one flavor", "[ceilings][flavor]") {
  int right = 0, asked = 0;
  const auto check = [&](const std::string& plane, const std::string& rest, std::int64_t nodes, Verdict expected) {
    const auto planned = plan_text(site(plane, rest, pool("a", 3) + pool("b", 4)) + gang("w", nodes, "t"));
    CAPTURE(plane, rest, nodes, text(planned->fit().capacity), text(planned->fit().policy));
    CHECK(planned->fit().verdict == expected);
    right += planned->fit().verdict == expected, ++asked;
  };
  for (std::int64_t nodes = 1; nodes <= 8; ++nodes) {
    const Verdict one = nodes <= 4 ? Verdict::fits : Verdict::does_not_fit;
    const Verdict both = nodes <= 7 ? Verdict::fits : Verdict::does_not_fit;
    const std::string two = "tenant t { quota a { gpus = 9 }  quota b { gpus = 9 } }";
    check(kueue, two, nodes, one);
    check(slurm, two, nodes, both);
    const std::string flavor = kueue + "  flavor f { pools = [a, b] }";
    check(flavor, "tenant t { quota f { gpus = 9 } }", nodes, both);
    check(kueue + "  flavor f { pools = [a] }  flavor g { pools = [b] }", "tenant t { quota \"*\" { gpus = 9 } }",
          nodes, one);
    // A quota of both, and nothing says whether they are one flavor.
    check(kueue, "tenant t { quota \"*\" { gpus = 9 } }", nodes,
          nodes <= 4   ? Verdict::fits
          : nodes <= 7 ? Verdict::unknown
                       : Verdict::does_not_fit);
    check(kueue, "tenant t { }", nodes, both);
  }
  CHECK(right == asked);
  CHECK(asked == 48);
}

TEST_CASE("a quota of CPUs over all pools does not join the flavors of GPUs", "[ceilings][flavor]") {
  const std::string plane =
      kueue + "  flavor all { pools = [a, b] }  flavor g { pools = [a] }  flavor h { pools = [b] }";
  const std::string rest = "tenant t { quota all { cpus = 99 }  quota g { gpus = 9 }  quota h { gpus = 9 } }";
  const auto fit = [&](const std::string& work) {
    return plan_text(site(plane, rest, pool("a", 3) + pool("b", 4)) + work)->fit().verdict;
  };
  CHECK(fit(gang("w", 4, "t")) == Verdict::fits);
  CHECK(fit(gang("w", 5, "t")) == Verdict::does_not_fit);
  CHECK(fit("workload w { kind = train  nodes = 7  cpus = 12  memory = 1GB  account = t  software = x  command = "
            "[\"x\"] }\n") == Verdict::fits);
}

TEST_CASE("a tenant that may borrow and is in no cohort may have more than is known", "[ceilings]") {
  const auto policy = [](const std::string& borrow) {
    return plan_text(site(slurm, "tenant t { " + borrow + "  quota a { gpus = 2 } }", pool("a", 8)) + gang("w", 3, "t"))
        ->fit()
        .policy;
  };
  CHECK(policy("").verdict == Verdict::does_not_fit);
  CHECK(policy("borrow = false").verdict == Verdict::does_not_fit);
  CHECK(policy("borrow = true").verdict == Verdict::unknown);
  CHECK(text(policy("borrow = true")) ==
        "requests 3 GPUs of pool a; tenant t can use 2; what it can borrow is not declared (`cohort`)");
}

TEST_CASE("what may be borrowed is not what the tenant declines", "[ceilings]") {
  const auto fit = [](const std::string& borrow) {
    return plan_text(site(slurm,
                          "cohort all { }\ntenant t { cohort = all  " + borrow +
                              "  quota a { gpus = 2 } }\ntenant u { cohort = all  quota a { gpus = 4 } }",
                          pool("a", 8)) +
                     gang("w", 3, "t"));
  };
  CHECK(fit("")->fit().borrowed == "1 GPU of pool a");
  CHECK(text(fit("borrow = false")->fit().policy) ==
        "requests 3 GPUs of pool a; tenant t can use 2 with what cohort all lends it");
}

TEST_CASE("limits of accounts bound a job and the jobs of a file", "[ceilings][accounts]") {
  const auto planned = [](const std::string& limits, const std::string& queue, const std::vector<std::string>& work) {
    std::string all;
    for (std::size_t w = 0; w < work.size(); ++w) all += gang("w" + std::to_string(w), 1, "t", work[w]);
    return plan_text("fleet f {\n" + pool("a", 8) + "}\nsite s { fleet = f\nplane p { kind = slurm }\nqueue main { " +
                     queue + " default = true }\nsoftware x { modules = [\"x\"] }\ntenant t { accounts = [\"t\"]  " +
                     limits + " } }\n" + all);
  };
  CHECK(planned("max-time-account = 12h", "", {"time-limit = 12h"})->fit().verdict == Verdict::fits);
  CHECK(text(planned("max-time-account = 12h", "", {"time-limit = 13h"})->fit().policy) ==
        "requests 13h; the accounts of tenant t allow 12h");
  CHECK(text(planned("max-time-account = 12h", "default-time = 24h", {""})->fit().policy) ==
        "requests 1d; the accounts of tenant t allow 12h");
  const auto two = planned("max-jobs-user = 1", "", {"", ""});
  CHECK(two->fit(0).verdict == Verdict::fits);
  CHECK(text(two->fit(1).policy) == "with w0 needs 2 jobs at once; tenant t runs 1 of one user at a time");
  CHECK(text(planned("max-jobs-account = 1", "", {"", ""})->fit(1).policy) ==
        "with w0 needs 2 jobs at once; tenant t runs 1 of one account at a time");
  CHECK(text(planned("", "max-jobs-account = 1 ", {"", ""})->fit(1).policy) ==
        "with w0 needs 2 jobs at once; queue main runs 1 of one account at a time");
  CHECK(planned("max-jobs-account = 2", "", {"", ""})->fit(1).verdict == Verdict::fits);
}

}  // namespace ceilings_test
