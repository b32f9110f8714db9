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

// The price of a GPU's hour that all these pools have, in millionths. nullopt: they differ, one has none, or there are
// no pools.
std::optional<std::int64_t> common_price(std::span<const model::Pool* const> pools);

// "12,288" or "0.33" hours of so many seconds, rounded half up to hundredths; ".00" is left out.
std::string hours_text(std::int64_t seconds);
// "30,720.00".
std::string money_text(std::int64_t micros);
// The same without signs between thousands: "30720.00".
std::string decimal(std::int64_t hundredths);
std::int64_t hundredths_of_hours(std::int64_t seconds);

}  // namespace muster::review
