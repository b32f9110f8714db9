// GPU-hours and money, in whole numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/model/fleet.h"
#include "review/tree.h"

namespace muster::review {

// "2.50" in millionths. nullopt: it is not such a number, or finer than a millionth, or too large.
std::optional<std::int64_t> micros_of(std::string_view price);

// The product, or nullopt where it is not known or does not fit 64 bits.
std::optional<std::int64_t> product(std::optional<std::int64_t> a, std::optional<std::int64_t> b);

// What GPUs of one price cost for a time: seconds × millionths an hour / 3,600, rounded half up.
std::optional<std::int64_t> price_of(std::int64_t gpu_seconds, std::int64_t micros_an_hour);

// What an hour costs in a pool, in millionths. nullopt: it is not said.
struct Prices {
  std::optional<std::int64_t> gpu, cpu, node;
  friend bool operator==(const Prices&, const Prices&) = default;
};
Prices prices_of(const model::Pool& pool);
// The prices that all these pools have; none: they differ, or there are no pools.
Prices common_prices(std::span<const model::Pool* const> pools);

// Seconds of what is used. nullopt: not known; of nodes also where others may use the same ones.
struct Used {
  std::optional<std::int64_t> gpus, cpus, nodes;
};
// All prices that are said added up. Nodes pay for all that is on them; without their price GPUs, and without GPUs the
// CPUs, must have one. nullopt: not known.
std::optional<std::int64_t> money_of(const Used& seconds, const Prices& prices);

// "12,288" or "0.33" hours of so many seconds, rounded half up to hundredths; ".00" is left out.
std::string hours_text(std::int64_t seconds);
// "30,720.00".
std::string money_text(std::int64_t micros);
// The same without signs between thousands: "30720.00".
std::string decimal(std::int64_t hundredths);
std::int64_t hundredths_of_hours(std::int64_t seconds);

}  // namespace muster::review
