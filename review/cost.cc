#include "review/cost.h"

#include "compiler/base/text.h"
#include "review/number.h"

namespace muster::review {
namespace {

constexpr std::int64_t million = 1'000'000;

std::string two_digits(std::int64_t hundredths) {
  return std::string(hundredths % 100 < 10 ? "0" : "") + std::to_string(hundredths % 100);
}

}  // namespace

std::optional<std::int64_t> micros_of(std::string_view price) {
  std::int64_t out = 0;
  int digits = -1;  // behind the point; -1: in front of it
  if (price.empty()) return std::nullopt;
  for (const char c : price) {
    if (c == '.' && digits < 0) {
      digits = 0;
      continue;
    }
    if (c < '0' || c > '9' || digits == 6 || out > million * million) return std::nullopt;
    out = out * 10 + (c - '0');
    digits += digits >= 0;
  }
  for (int i = digits < 0 ? 0 : digits; i < 6; ++i) {
    const auto next = product(out, 10);
    if (!next) return std::nullopt;
    out = *next;
  }
  return out;
}

std::optional<std::int64_t> product(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  std::int64_t out = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &out)) return std::nullopt;
  return out;
}

std::optional<std::int64_t> price_of(std::int64_t gpu_seconds, std::int64_t micros_an_hour) {
  constexpr std::int64_t hour = 3600;
  const auto whole = product(gpu_seconds / hour, micros_an_hour);
  const auto rest = product(gpu_seconds % hour, micros_an_hour);  // below an hour: cannot lose a unit of money
  std::int64_t out = 0;
  if (!whole || !rest || __builtin_add_overflow(*whole, (*rest + hour / 2) / hour, &out)) return std::nullopt;
  return out;
}

Prices prices_of(const model::Pool& pool) {
  return {micros_of(pool.cost_per_gpu_hour), micros_of(pool.cost_per_cpu_hour), micros_of(pool.cost_per_node_hour)};
}

Prices common_prices(std::span<const model::Pool* const> pools) {
  Prices out;
  for (const model::Pool* pool : pools) {
    const Prices own = prices_of(*pool);
    if (pool != pools.front() && own != out) return {};
    out = own;
  }
  return out;
}

std::optional<std::int64_t> money_of(const Used& seconds, const Prices& prices) {
  const bool of_gpus = seconds.gpus.value_or(1) > 0;
  if (!prices.node && !(of_gpus ? prices.gpu : prices.cpu)) return std::nullopt;
  std::optional<std::int64_t> out = 0;
  const auto add = [&](std::optional<std::int64_t> used, std::optional<std::int64_t> price) {
    if (price) out = sum(out, used ? price_of(*used, *price) : std::nullopt);
  };
  add(seconds.nodes, prices.node);
  if (of_gpus) add(seconds.gpus, prices.gpu);
  add(seconds.cpus, prices.cpu);
  return out;
}

std::int64_t hundredths_of_hours(std::int64_t seconds) { return seconds / 36 + (seconds % 36 >= 18); }

std::string hours_text(std::int64_t seconds) {
  const std::int64_t hundredths = hundredths_of_hours(seconds);
  return with_thousands(hundredths / 100) + (hundredths % 100 == 0 ? "" : "." + two_digits(hundredths));
}

std::string money_text(std::int64_t micros) {
  const std::int64_t hundredths = micros / 10'000 + (micros % 10'000 >= 5'000);
  return with_thousands(hundredths / 100) + "." + two_digits(hundredths);
}

std::string decimal(std::int64_t hundredths) { return std::to_string(hundredths / 100) + "." + two_digits(hundredths); }

}  // namespace muster::review
