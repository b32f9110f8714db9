// The sentence at the end of decide, fit and reliability: what it says is done and planned again, and its numbers are
// worked out a second time.
#include "driver/change.h"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <regex>
#include <string>

#include "plan/steps/reliability.h"
#include "scheduler/reliability.h"
#include "tests/catch.h"
#include "tests/property/random.h"
#include "tests/unit/plan_text.h"
#include "tests/unit/site_text.h"

namespace change_test {

using namespace muster;
using namespace muster::test;
using plan::Verdict;
using property::Random;

namespace {

struct Asked {
  std::int64_t nodes = 1, gpus = 8, hours = 1;
  std::string queue{};
};

struct Place {
  std::int64_t nodes = 4, gpus = 8, hours = 24, busy = 0;
  std::string queues{};
};

std::string text_of(const Place& place, const Asked& asked) {
  const std::string n = std::to_string(place.nodes);
  const std::string busy =
      place.busy == 0 ? "" : "in-use other { nodes = \"m[1-" + std::to_string(place.busy) + "]\" }";
  return "fleet f { pool m { nodes = \"m[1-" + n +
         "]\"  gpu { model = h100  memory = 80GB  count = " + std::to_string(place.gpus) +
         " }  node { cpus = 64  memory = 1TB }  " + busy +
         " } }\nsite s {\nfleet = f\nplane p { kind = slurm }\nqueue main { default = true  max-time = " +
         std::to_string(place.hours) + "h }\n" + place.queues + "}\nworkload w { image = \"x:1\"  command = [\"x\"]  " +
         "kind = train  launch { runner = torchrun }  nodes = " + std::to_string(asked.nodes) +
         "  gpus = " + std::to_string(asked.gpus) + "  time-limit = " + std::to_string(asked.hours) + "h  " +
         (asked.queue.empty() ? "" : "queue = " + asked.queue) + " }\n";
}

struct Answer {
  plan::Fit fit;
  std::string change;
};

Answer ask(const std::string& text) {
  const auto site = read_site(text);
  plan::FleetState state(&site->fleet());
  plan::PlanRequest request = site->request();
  request.state = &state;
  plan::PlanResult result = plan::make_plan(request, site->diagnostics);
  Answer out;
  if (result.plan) out.fit = std::move(result.plan->fit);
  else out.fit.verdict = out.fit.capacity.verdict = Verdict::does_not_fit, out.fit.policy.verdict = Verdict::fits;
  out.change = driver::change_for(request, nullptr, out.fit, true);
  return out;
}

// What the sentence says to write.
std::optional<Asked> changed(Asked asked, const std::string& change) {
  std::smatch found;
  const auto number = [&](int i) { return std::int64_t{std::atoll(found[i].str().c_str())}; };
  if (std::regex_search(change, found, std::regex("^queue = (\\w+): "))) asked.queue = found[1];
  else if (std::regex_search(change, found, std::regex("^time-limit = (\\d+)h, not "))) asked.hours = number(1);
  else if (std::regex_search(change, found, std::regex("^time-limit = (\\d+)d, not "))) asked.hours = 24 * number(1);
  else if (std::regex_search(change, found, std::regex("^nodes = (\\d+), not "))) asked.nodes = number(1);
  else if (std::regex_search(change, found, std::regex("^(\\d+) nodes? of (\\d+) GPUs?, not ")))
    asked.nodes = number(1), asked.gpus = number(2);
  else return std::nullopt;
  return asked;
}

}  // namespace

TEST_CASE("what would make a workload fit does so", "[plan][change]") {
  Random random(11);
  std::size_t good = 0, all = 0;
  const auto expect = [&](const Place& place, const Asked& asked, const char* what) {
    const Answer answer = ask(text_of(place, asked));
    INFO(what << ": " << answer.change);
    CHECK(answer.fit.verdict == Verdict::does_not_fit);
    const auto next = changed(asked, answer.change);
    const bool fits = next && ask(text_of(place, *next)).fit.verdict == Verdict::fits;
    const bool is_right = fits && answer.change.find(what) != std::string::npos;
    CHECK(is_right);
    good += is_right, ++all;
  };
  for (int i = 0; i < 12; ++i) {
    const std::int64_t nodes = 1 + random.upto(20), more = 1 + random.upto(9), hours = 2 + random.upto(70);
    expect({.nodes = nodes + 1}, {.nodes = nodes + 1 + more}, "it fits");
    expect({.nodes = nodes + more, .busy = more}, {.nodes = nodes + more}, "it can start now");
    expect({.nodes = nodes, .hours = hours}, {.nodes = nodes, .hours = hours + more}, "time-limit = ");
    expect({.nodes = nodes, .hours = hours, .queues = "queue long { max-time = 90d }\n"},
           {.nodes = nodes, .hours = hours + more}, "queue = long");
    expect({.nodes = 2 * nodes, .gpus = 4}, {.nodes = nodes, .gpus = 8}, "of 4 GPUs");
  }
  CHECK(good == all);
  CHECK(all == 60);
}

TEST_CASE("what fits or can never fit has no change", "[plan][change]") {
  CHECK(ask(text_of({}, {.nodes = 4})).change.empty());
  CHECK(ask(text_of({.nodes = 1, .gpus = 3}, {.nodes = 1, .gpus = 3, .hours = 24})).change.empty());
}

namespace {

std::string minutes(std::int64_t n) { return std::to_string(n) + "m"; }

struct Run {
  std::int64_t nodes = 16, mtbf_days = 100, write_s = 60, every_m = 30, hours = 240, retries = 1;
};

std::string text_of(const Run& run) {
  return "fleet f { pool m { nodes = 512  gpu { model = h100  memory = 80GB  count = 8 }  node { cpus = 64  memory = "
         "1TB }  "
         "node-mtbf = " +
         std::to_string(run.mtbf_days) + "d } }\nsite s { fleet = f  plane p { kind = slurm } }\n" +
         "workload w { image = \"x:1\"  command = [\"x\"]  kind = train  launch { runner = torchrun }  gpus = 8  nodes "
         "= " +
         std::to_string(run.nodes) + "  time-limit = " + std::to_string(run.hours) +
         "h  checkpoint { every = " + minutes(run.every_m) + "  write-time = " + std::to_string(run.write_s) +
         "s }  retry { limit = " + std::to_string(run.retries) + " } }\n";
}

double number_behind(const std::string& text, const std::string& front) {
  const std::size_t at = text.find(front);
  return at == text.npos ? -1 : std::strtod(text.c_str() + at + front.size(), nullptr);
}

}  // namespace

TEST_CASE("what a run gains by another interval and limit is what it says", "[plan][change]") {
  Random random(12);
  std::size_t good = 0, spoken = 0;
  constexpr int all = 80;
  for (int i = 0; i < all; ++i) {
    const Run run{1 + random.upto(255), 20 + random.upto(400), 10 + random.upto(200),
                  5 + random.upto(200), 1 + random.upto(400),  random.upto(8)};
    const auto planned = plan_text(text_of(run));
    const std::string change = plan::change_for_failures(planned->plans.at(0));
    const plan::Reliability report = plan::reliability_of(planned->plans.at(0), {});
    INFO(change);
    CHECK(change == report.change);
    // The same by the formulas alone.
    const double mtbf = static_cast<double>(run.mtbf_days) * 86'400 / static_cast<double>(run.nodes);
    const double write = static_cast<double>(run.write_s), now = static_cast<double>(run.every_m) * 60;
    const double best = scheduler::useful_ratio(scheduler::best_interval(write, mtbf), write, 300, mtbf);
    const double gain = best - scheduler::useful_ratio(now, write, 300, mtbf);
    const double expected = static_cast<double>(run.hours) * 3600 / mtbf;
    const double ends = 1 - scheduler::poisson_at_most(run.retries, expected);
    const bool saves = change.find("save every") != std::string::npos;
    const bool retries = change.find("retry.limit = ") != std::string::npos;
    bool right = (saves == (gain >= 0.005) || std::abs(gain - 0.005) < 0.0005) && retries == (ends >= 0.05);
    if (saves) right = right && std::abs(number_behind(change, ": +") - 100 * gain) < (gain < 0.1 ? 0.11 : 0.6);
    if (retries) {
      const double limit = number_behind(change, "retry.limit = ");
      right = right && 1 - scheduler::poisson_at_most(static_cast<std::int64_t>(limit), expected) <= 0.01 &&
              1 - scheduler::poisson_at_most(static_cast<std::int64_t>(limit) - 1, expected) > 0.01 &&
              std::abs(number_behind(change, "with ") - expected) < 0.051 &&
              std::abs(number_behind(change, "%, not ") - 100 * ends) < 0.51;
    }
    CHECK(right);
    good += right, spoken += saves && retries;
  }
  CHECK(good == all);
  CHECK(spoken > 10);
}

}  // namespace change_test
