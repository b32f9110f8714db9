// Amounts that a sentence compares have one unit, and their numbers show the difference.
#include "compiler/base/in_one_unit.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.h"
#include "tests/property/random.h"
#include "tests/unit/linted.h"
#include "tests/unit/plan_text.h"
#include "tests/unit/site_text.h"

namespace one_unit_test {

using namespace muster;
using namespace muster::test;
using property::Random;
using tests::Linted;
using tests::TempFolder;
using tests::written;

namespace {

// "899GiB" as a number and a unit.
struct Read {
  double number = 0;
  std::string unit;
};

Read read(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  return {number, end};
}

int direction(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }

// Why the texts are wrong for the amounts; "": they are right. `in` is the amount that one of the unit is.
template <class Amount>
std::string wrong(const std::vector<Amount>& amounts, const std::vector<std::string>& texts) {
  const auto count = [](const Amount& amount) {
    if constexpr (std::is_same_v<Amount, Size>) return static_cast<double>(amount.bytes);
    else return static_cast<double>(amount.ms);
  };
  if (texts.size() != amounts.size()) return "not all are printed";
  std::vector<Read> found;
  for (const std::string& text : texts) found.push_back(read(text));
  const auto one = parse_quantity("1" + found[0].unit);
  const Quantity* quantity = std::get_if<Quantity>(&one);
  if (quantity == nullptr || std::get_if<Amount>(quantity) == nullptr) return "an unknown unit: " + found[0].unit;
  const double in = count(std::get<Amount>(*quantity));
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].unit != found[0].unit) return "two units";
    if (std::abs(found[i].number * in - count(amounts[i])) > count(amounts[i]) * 0.005001) return "not the amount";
    for (std::size_t j = 0; j < i; ++j)
      if (direction(found[i].number, found[j].number) != direction(count(amounts[i]), count(amounts[j])))
        return "the difference is lost or turned round";
  }
  return {};
}

// As people and node exporters write sizes: round ones, what a node reports in KiB, one byte beside another.
Size some_size(Random& random) {
  constexpr std::array<std::int64_t, 9> units = {
      1, 1000, 1024, 1'000'000, 1 << 20, 1 << 30, 1'000'000'000, std::int64_t{1} << 40, 1'000'000'000'000};
  const std::int64_t unit = random.any_of(units);
  return {random.one_in(4) ? (1 + random.upto(2'000'000)) * 1024 : random.upto(4000) * unit};
}

Duration some_time(Random& random) {
  constexpr std::array<std::int64_t, 5> units = {1, 1000, 60'000, 3'600'000, 86'400'000};
  return {random.upto(400) * random.any_of(units)};
}

// The amounts of the text: each number with a unit of sizes or times behind it.
std::vector<std::string> units_in(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" ,;:()`", at), text.size());
    const std::string word(text.substr(at, end - at));
    at = end + 1;
    if (word.empty() || word[0] < '0' || word[0] > '9') continue;
    const Read amount = read(word);
    const auto one = parse_quantity("1" + amount.unit);
    if (!amount.unit.empty() && std::holds_alternative<Quantity>(one)) out.push_back(amount.unit);
  }
  return out;
}

bool of_one_unit(std::string_view text) {
  const std::vector<std::string> units = units_in(text);
  return units.size() >= 2 && std::all_of(units.begin(), units.end(), [&](const auto& u) { return u == units[0]; });
}

}  // namespace

TEST_CASE("two sizes and two times are printed in one unit", "[units]") {
  Random random(42);
  std::size_t good = 0, pairs = 0;
  const auto count = [&](const auto& amounts) {
    ++pairs;
    const auto texts = in_one_unit(std::span(amounts));
    const std::string why = wrong(amounts, texts);
    good += why.empty();
    INFO(texts.front() << " and " << texts.back());
    CHECK(why == "");
  };
  for (int i = 0; i < 1500; ++i) {
    const Size size = some_size(random);
    const Duration time = some_time(random);
    count(std::vector{size, some_size(random)});
    count(std::vector{size, Size{size.bytes + 1 + random.upto(1025)}, some_size(random)});
    count(std::vector{time, some_time(random)});
    count(std::vector{time, Duration{time.ms + random.upto(1001)}});
  }
  CHECK(good == pairs);
  CHECK(pairs == 6000);
}

TEST_CASE("amounts that no unit shows together are printed each by itself", "[units]") {
  const std::int64_t most = INT64_MAX, some[] = {most, most - 1, most / 2, -1, -most, 1, 0};
  for (const std::int64_t a : some)
    for (const std::int64_t b : some) {
      const std::vector sizes = {Size{a}, Size{b}};
      const std::vector times = {Duration{a}, Duration{b}};
      CHECK(in_one_unit(sizes).size() == 2);
      CHECK(in_one_unit(times).size() == 2);
      CHECK((in_one_unit(sizes)[0] == in_one_unit(sizes)[1]) == (a == b));
    }
}

TEST_CASE("what is as short exact is exact", "[units]") {
  const auto pair = [](auto a, auto b) {
    const InOneUnit both = in_one_unit(a, b);
    return both.first + " " + both.second;
  };
  const std::int64_t gib = 1 << 30;
  CHECK(pair(Size{900 * gib}, Size{943'008'068LL * 1024}) == "900GiB 899GiB");
  CHECK(pair(Size{80'000'000'000}, Size{40'000'000'000}) == "80GB 40GB");
  CHECK(pair(Size{2 * 1024 * gib}, Size{512 * gib}) == "2TiB 0.5TiB");
  CHECK(pair(Size{0}, Size{64 * gib}) == "0GiB 64GiB");
  CHECK(pair(Duration{72 * 3'600'000LL}, Duration{2 * 86'400'000LL}) == "3d 2d");
  CHECK(pair(Duration{90 * 60'000}, Duration{3'600'000}) == "90m 60m");
  CHECK(in_unit_of(Size{943'008'068LL * 1024}, Size{900 * gib}) == "899GiB");
  CHECK(in_unit_of(Rate{50'000'000'000}, Rate{400'000'000'000}) == "50Gbps");
  CHECK(in_unit_of(Rate{12'500'000'000}, Rate{400'000'000'000}) == "12.5Gbps");
}

namespace {

// Everything that the plan of the one workload says: of its levels, or why no pool takes it.
std::string said(const std::string& text) {
  const auto site = read_site(text);
  plan::FleetState state(&site->fleet());
  plan::PlanRequest request = site->request();
  request.state = &state;
  const plan::PlanResult result = plan::make_plan(request, site->diagnostics);
  if (!result.plan) return result.no_pool ? result.no_pool->text : messages_of(site->diagnostics);
  for (const plan::Level* level : {&result.plan->fit.policy, &result.plan->fit.capacity})
    if (level->certificate) return level->certificate->text;
  return "it fits";
}

// A site, its queue and its tenant, and a workload; what one of them lacks is filled in.
struct Case {
  std::string gpu_memory = "80GB", node = "memory = 2TB", quota{}, queue{}, workload{};
};

std::string site_of(const Case& c) {
  return "fleet f { pool m { nodes = 4  gpu { model = h100  memory = " + c.gpu_memory +
         "  count = 8 }  node { cpus = 64  " + c.node + " } } }\nsite s {\nfleet = f\nplane p { kind = slurm }\n" +
         "queue main { default = true  " + c.queue + " }\ntenant ml { queues = [main]  quota m { " + c.quota +
         " } }\n}\n";
}

std::string text_of(const Case& c) {
  return site_of(c) + "workload w { image = \"x:1\"  command = [\"x\"]  kind = train  gpus = 1  " + c.workload + " }\n";
}

// Sizes as exporters and people write them, the first above the second.
struct Pair {
  std::string need, have;
};

Pair sizes(Random& random) {
  const std::int64_t have = 100'000'000 + random.upto(900'000'000);  // KiB
  return {std::to_string(have / (1 << 20) + 1 + random.upto(3)) + "GiB", std::to_string(have) + "KiB"};
}

Pair times(Random& random) {
  const std::int64_t have = 61 + random.upto(5000);  // minutes
  return {std::to_string(have / 60 + 1 + random.upto(20)) + "h", std::to_string(have) + "m"};
}

}  // namespace

TEST_CASE("a refusal has one unit for what is needed and what there is", "[units][place]") {
  Random random(7);
  std::size_t good = 0, all = 0;
  const auto expect = [&](const Case& one) {
    const std::string text = said(text_of(one));
    INFO(text);
    CHECK(of_one_unit(text));
    good += of_one_unit(text), ++all;
  };
  for (int i = 0; i < 40; ++i) {
    const Pair size = sizes(random), time = times(random);
    expect({.node = "memory = " + size.have, .workload = "memory = " + size.need});
    expect({.node = "memory = 2TB  disk = " + size.have, .workload = "resources { disk = " + size.need + " }"});
    expect({.node = "memory = 2TB", .quota = "memory = " + size.have, .workload = "memory = " + size.need});
    expect({.gpu_memory = size.have, .workload = "resources { gpu-memory = " + size.need + " }"});
    expect({.gpu_memory = size.have, .workload = "require gpu.memory >= " + size.need});
    expect({.queue = "max-time = " + time.have, .workload = "time-limit = " + time.need});
  }
  CHECK(good == all);
  CHECK(all == 240);
}

TEST_CASE("a finding has one unit for what it compares", "[units][lint]") {
  const TempFolder folder;
  Random random(8);
  std::size_t good = 0, all = 0;
  const auto expect = [&](std::string_view rule, const std::string& name, const std::string& text,
                          const std::string& site = {}) {
    driver::LintSettings settings = tests::all_rules_on(written(folder, name, text));
    if (!site.empty()) settings.site_file = written(folder, "site.muster", site).string();
    Linted linted(std::move(settings));
    std::string message = "no finding";
    for (const lint::Result& result : linted.results())
      if (lint::about(result.finding).id == rule) message = result.finding.message;
    INFO(name << ": " << message);
    CHECK(of_one_unit(message));
    good += of_one_unit(message), ++all;
  };
  for (int i = 0; i < 12; ++i) {
    const Pair size = sizes(random), time = times(random);
    const std::string hours = time.need.substr(0, time.need.size() - 1);
    const Case site{.node = "memory = " + size.have, .queue = "max-time = " + time.have};
    const std::string script = "#!/bin/bash\n#SBATCH --partition=main\n#SBATCH --gres=gpu:1\n#SBATCH --";
    expect("SLM005", "t.sbatch", script + "time=" + hours + ":00:00\nsrun ./a\n", site_of(site));
    expect("SLM023", "m.sbatch", script + "mem=" + size.need.substr(0, size.need.size() - 2) + "\nsrun ./a\n",
           site_of(site));
    expect("SIT003", "times.muster", site_of({.queue = "max-time = " + time.have + "  default-time = " + time.need}));
    expect("SLM005", "w.muster",
           text_of({.queue = "max-time = " + time.have, .workload = "time-limit = " + time.need}));
  }
  CHECK(good == all);
  CHECK(all == 48);
}

}  // namespace one_unit_test
