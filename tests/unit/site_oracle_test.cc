// Random small sites and jobs: what a fit says of them beside what trying every choice of nodes finds.
// MUSTER_ORACLE_CASES: so many (300).
#include "tests/oracles/site_oracle.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <regex>

#include "plan/steps/make_plan.h"
#include "rules/profiles.h"
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/property/random.h"
#include "tests/unit/plan_fixture.h"
#include "tests/unit/site_text.h"
#include "tests/unit/small_site_text.h"

namespace site_oracle_test {

using namespace muster;
using namespace muster::oracles;
using plan::Verdict;
using property::Random;

namespace {

// Random ones.

using Numbers = std::vector<std::int64_t>;

SmallPool any_pool(Random& random, char name, bool pods) {
  SmallPool pool;
  pool.name = std::string(1, name);
  pool.nodes = 1 + random.upto(3);
  if (!random.one_in(5)) pool.gpu = random.any_of(std::vector<std::string>{"h100", "h100", "a100"});
  if (!pool.gpu.empty()) pool.gpus = random.any_of(Numbers{2, 4, 4});
  pool.cores = random.any_of(Numbers{8, 16}), pool.threads = 1 + random.upto(1);
  pool.gibibytes = random.any_of(Numbers{32, 64});
  if (random.one_in(4)) pool.reserved_cores = random.upto(2), pool.reserved_gibibytes = random.upto(8);
  if (random.one_in(2)) pool.leaf = 1 + random.upto(1);
  if (random.one_in(4)) pool.zone = random.one_in(2) ? "east" : "west";
  if (pods && random.one_in(8)) pool.arch = "arm64";
  if (random.one_in(3)) pool.network = random.one_in(2) ? "infiniband" : "roce";
  pool.tainted = random.one_in(10);
  for (std::int64_t node = 0; node < pool.nodes; ++node) {
    if (random.one_in(8)) pool.drained.push_back(node);
    if (pool.nodes > 1 && pool.drained.size() == static_cast<std::size_t>(pool.nodes)) pool.drained.pop_back();
    if ((!pool.drained.empty() && pool.drained.back() == node) || !random.one_in(4)) continue;
    UsedNode used{node};
    if (pool.gpus > 0 && random.one_in(2)) used.gpus = 1 + random.upto(pool.gpus - 1);
    if (random.one_in(2)) used.cores = 1 + random.upto(pool.cores / 2);
    if (random.one_in(2)) used.gibibytes = 1 + random.upto(pool.gibibytes / 2);
    pool.used.push_back(used);
  }
  return pool;
}

std::vector<std::size_t> some_of(Random& random, std::size_t many) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < many; ++i)
    if (random.one_in(2)) out.push_back(i);
  if (out.empty()) out.push_back(static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(many) - 1)));
  return out;
}

std::vector<NodeOfPool> some_nodes(Random& random, const std::vector<SmallPool>& pools, std::int64_t one_in) {
  std::vector<NodeOfPool> out;
  for (std::size_t p = 0; p < pools.size(); ++p)
    for (std::int64_t n = 0; n < pools[p].nodes; ++n)
      if (random.one_in(one_in)) out.emplace_back(p, n);
  if (out.empty()) out.emplace_back(0, 0);
  return out;
}

// Pools that are one flavor, and quotas of these where the queue has any.
std::vector<std::vector<std::size_t>> any_flavors(Random& random, std::size_t pools) {
  if (random.one_in(3)) return {};
  std::vector<std::vector<std::size_t>> out = {{0}};
  for (std::size_t p = 1; p < pools; ++p)
    if (random.one_in(2)) out.push_back({p});
    else out[static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(out.size()) - 1))].push_back(p);
  return out;
}

SmallQuota any_quota(Random& random, const SmallSite& site, std::vector<std::size_t> pools) {
  SmallQuota out{std::move(pools)};
  if (random.one_in(2)) out.gpus = 1 + random.upto(15);
  if (random.one_in(5)) (site.pods() ? out.pods : out.nodes) = random.upto(5);
  if (random.one_in(5) && (site.pods() || site.smt)) out.cpus = 2 + random.upto(62);
  if (random.one_in(5)) out.gibibytes = 8 + random.upto(120);
  return out;
}

void draw_quotas(Random& random, SmallSite& site) {
  if (site.plane == SmallPlane::kueue) {
    site.flavors = any_flavors(random, site.pools.size());
    if (random.one_in(2)) return;
    const bool cohort = random.one_in(2);
    for (const auto& pools : site.flavors) {
      SmallQuota& quota = site.tenant.quotas.emplace_back(any_quota(random, site, pools));
      if (!cohort || !quota.gpus) continue;
      quota.others = random.upto(8);
      if (random.one_in(2)) quota.lend = random.upto(6);
      if (random.one_in(2)) quota.borrow = random.upto(6);
    }
    return;
  }
  if (random.one_in(2)) return;
  std::vector<std::size_t> all;
  for (std::size_t p = 0; p < site.pools.size(); ++p) {
    all.push_back(p);
    if (random.one_in(2)) site.tenant.quotas.push_back(any_quota(random, site, {p}));
  }
  if (random.one_in(3)) site.tenant.quotas.push_back(any_quota(random, site, all));
  if (all.size() > 2 && random.one_in(3)) site.tenant.quotas.push_back(any_quota(random, site, {0, 1}));
}

SmallQueue any_queue(Random& random, const SmallSite& site) {
  SmallQueue out;
  if (random.one_in(3)) out.pools = some_of(random, site.pools.size());
  else if (random.one_in(4)) out.nodes = some_nodes(random, site.pools, 2);
  if (random.one_in(6)) out.max_time = random.any_of(Numbers{4, 24});
  if (random.one_in(6)) out.default_time = random.any_of(Numbers{1, 4});
  if (!site.pods() && random.one_in(6)) out.max_nodes = 1 + random.upto(3);
  if (random.one_in(8)) out.max_gpus = 1 + random.upto(11);
  if (!site.pods() && !site.reservations.empty() && random.one_in(4)) out.reservation = 0;
  out.tolerates = random.one_in(2);
  return out;
}

SmallSite any_site(Random& random) {
  SmallSite site;
  site.plane = random.any_of(
      std::vector<SmallPlane>{SmallPlane::slurm, SmallPlane::slurm, SmallPlane::kueue, SmallPlane::volcano});
  site.smt = !random.one_in(4);
  site.as_of = 24;
  for (std::int64_t p = 0, many = 2 + random.upto(1); p < many; ++p)
    site.pools.push_back(any_pool(random, static_cast<char>('a' + p), site.pods()));
  for (std::int64_t r = 0, many = random.one_in(2) ? 1 + random.upto(1) : 0; r < many; ++r) {
    SmallReservation one{"held" + number(r), some_nodes(random, site.pools, 3)};
    one.from = random.any_of(Numbers{2, 12, 26, 32, 60});
    one.until = one.from + random.any_of(Numbers{4, 20, 60});
    one.of_account = !site.pods() || random.one_in(2);  // Slurm lets no job name a maintenance
    site.reservations.push_back(std::move(one));
  }
  for (std::size_t p = 0; p < site.pools.size(); ++p)
    if (!site.pods() && !site.pools[p].network.empty() && random.one_in(2)) site.settings.push_back(p);
  for (std::int64_t q = 0, many = 1 + random.upto(2); q < many; ++q) site.queues.push_back(any_queue(random, site));
  if (random.one_in(10)) site.tenant.max_time = random.any_of(Numbers{1, 8, 24});
  if (!site.pods() && random.one_in(10)) site.tenant.max_nodes = 1 + random.upto(4);
  if (random.one_in(10)) site.tenant.max_gpus = 1 + random.upto(15);
  if (random.one_in(6)) site.tenant.max_jobs = 1;
  draw_quotas(random, site);
  return site;
}

SmallRole any_role(Random& random, const SmallSite& site, std::int64_t most_nodes) {
  SmallRole role;
  role.nodes = 1 + random.upto(most_nodes - 1);
  role.gpus = random.any_of(Numbers{0, 0, 1, 2, 2, 4});
  if (role.gpus > 0 && random.one_in(3)) role.models = {random.any_of(std::vector<std::string>{"h100", "a100"})};
  else if (role.gpus > 0 && random.one_in(6)) role.models = {"h100", "a100"};
  if (!random.one_in(4)) role.cpus = random.any_of(Numbers{1, 1, 3, 4, 7, 8, 16});
  if (!random.one_in(4)) role.gibibytes = random.any_of(Numbers{2, 2, 8, 16, 30, 60});
  if (random.one_in(8)) role.least_cores = random.any_of(Numbers{8, 16});
  if (random.one_in(8)) role.none_of = random.any_of(std::vector<std::string>{"h100", "none"});
  if (random.one_in(5)) role.prefers = random.any_of(std::vector<std::string>{"h100", "a100"});
  role.exclusive = !site.pods() && random.one_in(6) && counts_exclusive(site);
  role.one_leaf = random.one_in(6);
  role.uses_network = !site.pods() && random.one_in(4);
  return role;
}

SmallJob any_job(Random& random, const SmallSite& site) {
  SmallJob job;
  const bool two = random.one_in(3);
  for (int r = 0; r < (two ? 2 : 1); ++r) job.roles.push_back(any_role(random, site, two ? 3 : 4 + random.upto(1)));
  if (!random.one_in(5)) job.hours = random.any_of(Numbers{1, 4, 12, 48});
  job.of_account = random.one_in(2);
  if (!random.one_in(3))
    job.queue = static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(site.queues.size()) - 1));
  return job;
}

// What muster says.

struct Said {
  Verdict capacity = Verdict::does_not_fit, policy = Verdict::does_not_fit, now = Verdict::does_not_fit,
          all = Verdict::does_not_fit;
  std::optional<plan::Fit> fit{};  // none: no pool is for it
  std::string queue{};             // that it takes
  std::vector<plan::Skipped> skipped{};
  bool unknown() const { return all == Verdict::unknown; }
};

std::string word(Verdict verdict) {
  return verdict == Verdict::fits ? "fits" : verdict == Verdict::unknown ? "unknown" : "does-not-fit";
}

Said ask(const std::string& text) {
  static const model::Policy policy = rules::profile("default");
  const auto site = test::read_site(text);
  plan::PlanRequest request = site->request();
  request.policy = &policy;
  const plan::PlanResult result = plan::make_plan(request, site->diagnostics);
  if (!result.plan) {
    INFO(test::messages_of(site->diagnostics));
    REQUIRE(result.no_pool);
    return {};
  }
  const plan::Fit& fit = result.plan->fit;
  const model::Queue* queue = result.plan->queue;
  const std::string name = queue == nullptr ? "" : queue->name;
  return {fit.capacity.verdict, fit.policy.verdict, fit.now.verdict, fit.verdict, fit, name, result.skipped};
}

std::string said_text(const Said& said) {
  std::string out = "muster: " + word(said.all) + "\n";
  if (!said.fit) return out + "  no pool\n";
  for (const auto& [name, level] : {std::pair("capacity", &said.fit->capacity), std::pair("policy", &said.fit->policy),
                                    std::pair("now", &said.fit->now)})
    out += std::string("  ") + name + ": " + word(level->verdict) + "  " +
           (level->certificate ? "[" + level->certificate->kind + "] " + level->certificate->text : level->note) + "\n";
  return out;
}

std::string answer_text(const SiteAnswer& answer) {
  const auto yes = [](bool fits) { return fits ? "fits" : "does not fit"; };
  return std::string("oracle: ") + yes(answer.all) + ": capacity " + yes(answer.capacity) + ", policy " +
         yes(answer.policy) + ", now " + yes(answer.now) + ", queue q" + std::to_string(answer.queue) + "\n";
}

bool agree(Verdict said, bool fits) { return said == Verdict::unknown || (said == Verdict::fits) == fits; }

// Level by level where the levels before it fit: what cannot be had at all has no quota and no time. What is free now
// and what the quotas allow may each do alone, and not together: then either level may say so. Where no queue of
// several takes the job, the levels are of any of them.
bool right(const SmallJob& job, const Said& said, const SiteAnswer& answer) {
  if (!agree(said.all, answer.all)) return false;
  if (!said.fit || said.unknown() || (!job.queue && !answer.policy)) return true;
  if (!agree(said.capacity, answer.capacity)) return false;
  if (!answer.capacity || !agree(said.policy, answer.policy)) return !answer.capacity;
  return answer.now == answer.within ? agree(said.now, answer.now) : !answer.policy || said.now != Verdict::fits;
}

// The pools that a certificate says to have too few nodes: "pools a and b together have 3 of 4".
std::vector<std::size_t> pools_said(const SmallSite& site, const std::string& text) {
  static const std::regex names("pools? ([a-c](, [a-c])*( and [a-c])?) (together )?ha(s|ve)");
  std::smatch found;
  std::vector<std::size_t> out;
  if (!std::regex_search(text, found, names)) return out;
  const std::regex name("\\b[a-c]\\b");
  const std::string list = found[1];
  for (auto at = std::sregex_iterator(list.begin(), list.end(), name); at != std::sregex_iterator(); ++at)
    for (std::size_t p = 0; p < site.pools.size(); ++p)
      if (at->str() == site.pools[p].name) out.push_back(p);
  return out;
}

// The site without the nodes of other pools than a certificate speaks of.
SmallSite only_said(const SmallSite& site, const std::string& text) {
  SmallSite out = site;
  const std::vector<std::size_t> pools = pools_said(site, text);
  for (std::size_t p = 0; p < site.pools.size(); ++p)
    if (std::find(pools.begin(), pools.end(), p) == pools.end())
      for (std::int64_t n = 0; n < site.pools[p].nodes; ++n) out.pools[p].drained.push_back(n);
  return out;
}

// With nodes for all that the quotas allow.
SmallSite with_room(SmallSite site) {
  for (SmallPool& pool : site.pools)
    if (pool.drained.size() < static_cast<std::size_t>(pool.nodes))
      pool.nodes += 5, pool.cores *= 10, pool.gibibytes *= 10, pool.drained.clear();
  return site;
}

// Whether a certificate counts the nodes of the only role right: those of its pools, in whatever leaf. On the empty
// fleet it is of the pools that miss least, unless a quota or a leaf has a say in which these are.
bool counts_nodes(const SmallSite& site, const SmallJob& job, std::size_t queue, bool now,
                  const plan::Certificate& certificate) {
  SmallJob one = job;
  one.roles.front().one_leaf = false;
  const std::int64_t need = job.roles.front().nodes;
  const auto have = [&](const SmallSite& of) { return most_nodes(of, one, queue, now, false); };
  const SmallSite only = only_said(site, certificate.text);
  const SmallRole& role = job.roles.front();
  const bool any = now || !site.tenant.quotas.empty() || role.one_leaf;
  const bool nearest = any || certificate.have == have(site);
  return certificate.need == need && certificate.have == have(only) && certificate.missing == need - have(only) &&
         nearest;
}

// The same job through another queue, where it is not known of the first one whether it can take it.
std::optional<SmallJob> through_another(const SmallJob& job, const SiteAnswer& answer, const Said& said) {
  const std::string first = "q" + std::to_string(answer.queue);
  const auto doubted = [&](const plan::Skipped& one) {
    return one.queue == first && one.why.starts_with("it is not known");
  };
  if (job.queue || said.queue == first || std::none_of(said.skipped.begin(), said.skipped.end(), doubted)) return {};
  SmallJob out = job;
  out.queue = static_cast<std::size_t>(said.queue.at(1) - '0');
  return out;
}

// Whether what is missing is so: nodes of the only role, or what a limit or quota is passed by.
bool missing_is_right(const SmallSite& site, const SmallJob& job, const SiteAnswer& answer, const Said& said,
                      std::size_t& checked) {
  if (!said.fit || job.roles.size() > 1 || !job.queue) return true;
  for (const bool now : {false, true}) {
    const auto& certificate = (now ? said.fit->now : said.fit->capacity).certificate;
    if (!certificate || certificate->kind != "class") continue;
    ++checked;
    if (!counts_nodes(site, job, answer.queue, now, *certificate)) return false;
  }
  const auto& certificate = said.fit->policy.certificate;
  if (!certificate || !answer.capacity || job.roles.front().one_leaf) return true;  // in whole replicas
  std::vector<std::int64_t> may = passed_limits(site, job, answer.queue);
  const SmallSite only = only_said(site, certificate->text);
  for (const SmallSite& one : {site, only, with_room(only)})
    may.push_back(job.roles.front().nodes - most_nodes(one, job, answer.queue, false, true));
  ++checked;
  return std::find(may.begin(), may.end(), certificate->missing) != may.end();
}

std::size_t cases() {
  const char* said = std::getenv("MUSTER_ORACLE_CASES");
  return said != nullptr ? static_cast<std::size_t>(std::atoll(said)) : 300;
}

}  // namespace

TEST_CASE("every choice of nodes of a small site says the same as fit", "[place][site-oracle]") {
  Random random(20261201);
  std::size_t all = 0, agreed = 0, unknown = 0, fitting = 0, missing = 0;
  for (; all < cases() / tests::case_step; ++all) {
    const SmallSite site = any_site(random);
    const SmallJob job = any_job(random, site);
    const std::string text = site_text(site) + job_text(site, job);
    SiteAnswer answer = answer_of(site, job);
    const Said said = ask(text);
    const auto other = through_another(job, answer, said);
    if (other) answer = answer_of(site, *other);
    INFO("case " << all << "\n" << text << said_text(said) << answer_text(answer));
    const bool verdicts = right(job, said, answer), numbers = missing_is_right(site, job, answer, said, missing);
    CHECK(verdicts);
    CHECK(numbers);
    agreed += verdicts && numbers, unknown += other || said.unknown(), fitting += answer.all;
  }
  std::cout << "small sites: " << agreed << " of " << all << " right, of these " << unknown << " unknown and "
            << fitting << " that fit; " << missing << " missing numbers checked\n";
  CHECK(agreed == all);
  CHECK(unknown * 20 <= all);
  CHECK(fitting * 5 > all);
  CHECK(missing * 20 > all);
}

}  // namespace site_oracle_test
