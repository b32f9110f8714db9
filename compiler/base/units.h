// Amounts with units, as integers: sizes in bytes, times in milliseconds, rates in bits a second.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace muster {

struct Size {
  std::int64_t bytes = 0;
  auto operator<=>(const Size&) const = default;
  // Mebibytes, rounded up: what Slurm's M means.
  // At most 2^60 bytes: a script may say any number.
  static constexpr Size of_mebibytes(std::int64_t n) {
    return {std::clamp<std::int64_t>(n, 0, std::int64_t{1} << 40) << 20};
  }
  std::int64_t mebibytes_up() const { return (bytes + (1 << 20) - 1) >> 20; }
};

struct Duration {
  std::int64_t ms = 0;
  auto operator<=>(const Duration&) const = default;
  std::int64_t seconds_up() const { return (ms + 999) / 1000; }
};

struct Rate {
  std::int64_t bits_per_second = 0;
  auto operator<=>(const Rate&) const = default;
};

struct Percent {
  std::int64_t millis = 0;  // thousandths of a percent
  auto operator<=>(const Percent&) const = default;
};

using Quantity = std::variant<Size, Duration, Rate, Percent>;

// Why a quantity cannot be read, and the unit that was probably meant ("" if none comes to mind).
struct QuantityError {
  enum class Kind { unknown_unit, wrong_case, ambiguous, mixed, overflow, fraction } kind;
  std::string unit;        // as written
  std::string suggestion;  // a unit that exists
};

// Reads "80GB", "1h30m", "400Gbps", "99.9%". Decimal (kB, GB) and binary (KiB, GiB) units; `Gi`
// and `Mi` are `GiB` and `MiB`; parts of a time add up.
std::variant<Quantity, QuantityError> parse_quantity(std::string_view text);

// Shortest exact spelling: "80GB", "64GiB", "1h30m", "400Gbps", "99.9%".
std::string to_string(Size size);
std::string to_string(Duration duration);
std::string to_string(Rate rate);
std::string to_string(Percent percent);

// A version of two parts as tenths: "9.0" is 90, "12.1" is 121, "9" is 90. nullopt: more than one digit after the
// point, no number, or above 999.9.
std::optional<std::int64_t> parse_tenths(std::string_view text);
std::string tenths_text(std::int64_t tenths);

// What a quantity is, in words: "a size", "a time", "a rate", "a percentage".
std::string_view noun(const Quantity& quantity);

}  // namespace muster
