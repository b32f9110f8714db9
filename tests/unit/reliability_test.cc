// The arithmetic of failure against published and worked figures: tests hold every digit that was printed.
#include "scheduler/reliability.h"

#include <array>
#include <cmath>
#include <random>

#include "tests/catch.h"

namespace reliability_test {

using namespace muster::scheduler;

namespace {

constexpr double day = 86'400, hour = 3'600;

bool near(double value, double wanted, double half_a_digit) { return std::abs(value - wanted) <= half_a_digit; }

}  // namespace

TEST_CASE("checkpoint intervals: Young, Daly and the best", "[reliability]") {
  // C, M, Young, Daly, best, useful ratio at the best, R
  const std::array<std::array<double, 7>, 5> table{{{60, 1'800, 464.76, 425.62, 425.65, 0.6463, 300},
                                                    {300, 1'800, 1'039.23, 848.85, 849.62, 0.3783, 600},
                                                    {10, 1'800, 189.74, 183.13, 183.13, 0.8403, 120},
                                                    {60, 11'135.2, 1'155.95, 1'116.30, 1'116.30, 0.8526, 600},
                                                    {30, 6'480, 623.54, 603.70, 603.70, 0.8658, 300}}};
  for (const auto& [write, mtbf, young, daly, best, ratio, restart] : table) {
    CHECK(near(young_interval(write, mtbf), young, 0.005001));
    CHECK(near(daly_interval(write, mtbf), daly, 0.005001));
    CHECK(near(best_interval(write, mtbf), best, 0.005001));
    CHECK(near(useful_ratio(best_interval(write, mtbf), write, restart, mtbf), ratio, 0.00005001));
  }
  CHECK(daly_interval(100, 40) == 40);
}

TEST_CASE("no interval beats the best one", "[reliability]") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> exponent(-3, 3);
  for (int i = 0; i < 500; ++i) {
    const double mtbf = 10'000 * std::pow(10, exponent(random)), write = 60 * std::pow(10, exponent(random));
    const double best = best_interval(write, mtbf), ratio = useful_ratio(best, write, 0, mtbf);
    for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0})
      CHECK(useful_ratio(best * factor, write, 0, mtbf) <= ratio * (1 + 1e-12));
  }
}

TEST_CASE("the mean time between failures of large jobs", "[reliability]") {
  // Llama 3: 419 unexpected interruptions in 54 days on 2,048 nodes.
  const double llama = 419.0 / (54 * 2'048);
  CHECK(near(llama * 1'000, 3.789, 0.0005));
  CHECK(near(job_mtbf(2'048, llama / day) / hour, 3.093, 0.0005));
  CHECK(near(job_mtbf(12'500, llama / day) / 60, 30.4, 0.05));
  // 6.50 and 2.34 failures per 1,000 node-days.
  CHECK(near(job_mtbf(2'048, 6.5e-3 / day) / hour, 1.803, 0.0005));
  CHECK(near(job_mtbf(16'384, 6.5e-3 / day) / hour, 0.2254, 0.00005));
  CHECK(near(job_mtbf(12'500, 6.5e-3 / day) / 60, 17.7, 0.05));
  CHECK(near(job_mtbf(12'500, 2.34e-3 / day) / 60, 49.2, 0.05));
  CHECK(near(job_mtbf(128, 6.5e-3 / day) / hour, 28.8, 0.05));
  // 50,000 h a GPU.
  CHECK(near(job_mtbf(12'500, 8 / (50'000 * hour)) / 60, 30, 0.05));
}

TEST_CASE("the approximation for small losses", "[reliability]") {
  const auto check = [](double nodes, double rate, double write, double interval, double ratio) {
    const double mtbf = job_mtbf(nodes, rate / day);
    CHECK(near(small_loss_interval(write, mtbf), interval, 0.05001));
    CHECK(near(small_loss_ratio(small_loss_interval(write, mtbf), write, 300, mtbf), ratio, 0.00005001));
  };
  check(2'048, 6.5e-3, 60, 882.5, 0.8294);
  check(1'500, 6.5e-3, 10, 421.0, 0.9205);
  check(2'048, 2.34e-3, 60, 1'470.9, 0.9056);
  CHECK(lost_share(1'000, 500, 10'000) == 0.1);
}

TEST_CASE("the period that is up most", "[reliability]") {
  // d/dT of availability is 0 there: T - Ts is where useful time gained equals time lost.
  const double write = 60, restart = 300, mtbf = 10'000, period = availability_period(write, restart, mtbf);
  CHECK(near(period, 60 + std::sqrt(2 * 10'300 * 60.0 + 3'600), 1e-9));
}

TEST_CASE("spares for a probability and a time of repair", "[reliability]") {
  const auto needed = [](double gpus, double hours_a_gpu, double repair_hours, double probability) {
    return spares(gpus / hours_a_gpu * repair_hours, probability);
  };
  CHECK(needed(100'000, 50'000, 4, 0.99) == 15);
  CHECK(needed(100'000, 50'000, 4, 0.999) == 18);
  CHECK(needed(100'000, 50'000, 24, 0.99) == 65);
  CHECK(needed(100'000, 50'000, 24, 0.999) == 71);
  CHECK(needed(100'000, 50'000, 72, 0.99) == 173);
  CHECK(needed(100'000, 50'000, 72, 0.999) == 182);
  CHECK(needed(100'000, 50'000, 168, 0.99) == 379);
  CHECK(needed(100'000, 50'000, 168, 0.999) == 394);
  CHECK(needed(16'384, 50'000, 24, 0.99) == 15);
  CHECK(needed(16'384, 50'000, 72, 0.99) == 36);
  CHECK(spares(12'500 * 6.5e-3, 0.99) == 103);
  CHECK(spares(12'500 * 6.5e-3, 0.999) == 110);
  CHECK(spares(12'500 * 6.5e-3 * 3, 0.99) == 281);
  CHECK(spares(12'500 * 6.5e-3 * 3, 0.999) == 293);
  CHECK(spares(0, 0.99) == 0);
  CHECK(spares(2e9, 0.99) == -1);
}

TEST_CASE("so many spares are enough, and one fewer is not", "[reliability]") {
  for (const double mean : {0.01, 0.7, 3.0, 48.0, 900.0, 20'000.0})
    for (const double probability : {0.5, 0.9, 0.999}) {
      const std::int64_t k = spares(mean, probability);
      CHECK(poisson_at_most(k, mean) >= probability - 1e-9);
      if (k > 0) CHECK(poisson_at_most(k - 1, mean) < probability + 1e-9);
    }
}

TEST_CASE("the deadlock of binding pod by pod: the closed form, and counted", "[reliability]") {
  CHECK(near(deadlock_probability(4, 5), 0.857143, 5e-7));
  CHECK(near(deadlock_probability(4, 6), 0.571429, 5e-7));
  CHECK(near(deadlock_probability(4, 7), 0, 1e-12));
  CHECK(near(deadlock_probability(8, 12), 0.923077, 5e-7));
  CHECK(near(deadlock_probability(16, 24), 0.997553, 5e-7));
  CHECK(near(1 - deadlock_probability(64, 96), 2.5e-12, 5e-14));
  // Every order of binding of 2 x 5 pods to 8 slots: all sets of 8 of 10 pods are alike likely.
  int stuck = 0, all = 0;
  for (unsigned set = 0; set < 1U << 10; ++set) {
    if (__builtin_popcount(set) != 8) continue;
    ++all;
    stuck += __builtin_popcount(set & 31U) < 5 && __builtin_popcount(set >> 5) < 5 ? 1 : 0;
  }
  CHECK(near(deadlock_probability(5, 8), static_cast<double>(stuck) / all, 1e-12));
}

}  // namespace reliability_test
