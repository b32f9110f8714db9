#include "scheduler/reliability.h"

#include <algorithm>
#include <cmath>

namespace muster::scheduler {
namespace {

double log_factorial(double n) { return std::lgamma(n + 1); }

double log_choose(double n, double k) { return log_factorial(n) - log_factorial(k) - log_factorial(n - k); }

// What lies further than this from the mean of a Poisson count is nothing to a double.
constexpr double widths = 40;

}  // namespace

double job_mtbf(double nodes, double rate) { return 1 / (nodes * rate); }

double young_interval(double write, double mtbf) { return std::sqrt(2 * write * mtbf); }

double daly_interval(double write, double mtbf) {
  if (write >= 2 * mtbf) return mtbf;
  const double x = write / (2 * mtbf);
  return young_interval(write, mtbf) * (1 + std::sqrt(x) / 3 + x / 9) - write;
}

double best_interval(double write, double mtbf) {
  // With x the interval and c the write over M: ln(1 - x) + x + c falls from c to minus infinity on [0, 1).
  const double c = write / mtbf;
  double low = 0, high = 1;
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    (std::log1p(-middle) + middle + c > 0 ? low : high) = middle;
  }
  return mtbf * low;
}

double useful_ratio(double interval, double write, double restart, double mtbf) {
  return interval / (mtbf * std::exp(restart / mtbf) * std::expm1((interval + write) / mtbf));
}

double small_loss_interval(double write, double mtbf) { return std::sqrt(2 * write * mtbf); }

double lost_share(double interval, double restart, double mtbf) { return (restart + interval / 2) / mtbf; }

double small_loss_ratio(double interval, double write, double restart, double mtbf) {
  return (1 - lost_share(interval, restart, mtbf)) / (1 + write / interval);
}

double availability_period(double write, double restart, double mtbf) {
  return write + std::sqrt(2 * (mtbf + restart) * write + write * write);
}

double poisson_at_most(std::int64_t k, double mean) {
  if (mean <= 0) return 1;
  const double last = static_cast<double>(k);
  double sum = 0;
  for (double n = std::floor(std::max(0.0, mean - widths * std::sqrt(mean))); n <= last; ++n) {
    const double term = std::exp(n * std::log(mean) - mean - log_factorial(n));
    sum += term;
    if (n > mean && term < 1e-18) break;
  }
  return std::min(sum, 1.0);
}

std::int64_t spares(double in_repair, double probability) {
  if (in_repair > 1e9) return -1;
  if (in_repair <= 0) return 0;
  double sum = 0, n = std::floor(std::max(0.0, in_repair - widths * std::sqrt(in_repair)));
  for (const double end = in_repair + widths * std::sqrt(in_repair) + widths; n < end; ++n) {
    sum += std::exp(n * std::log(in_repair) - in_repair - log_factorial(n));
    if (sum >= probability) break;
  }
  return static_cast<std::int64_t>(n);
}

double deadlock_probability(std::int64_t gang, std::int64_t slots) {
  if (gang <= 0 || slots < gang || slots >= 2 * gang) return 0;
  const auto n = static_cast<double>(gang), s = static_cast<double>(slots);
  return std::max(0.0, 1 - 2 * std::exp(log_choose(n, s - n) - log_choose(2 * n, s)));
}

}  // namespace muster::scheduler
