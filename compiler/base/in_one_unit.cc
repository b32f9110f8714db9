#include "compiler/base/in_one_unit.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace muster {
namespace {

__extension__ using Wide = __int128;

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::int64_t k = 1000, ki = 1024;

constexpr std::array size_units = {Unit{"PiB", ki* ki* ki* ki* ki},
                                   Unit{"TiB", ki* ki* ki* ki},
                                   Unit{"GiB", ki* ki* ki},
                                   Unit{"MiB", ki* ki},
                                   Unit{"KiB", ki},
                                   Unit{"PB", k* k* k* k* k},
                                   Unit{"TB", k* k* k* k},
                                   Unit{"GB", k* k* k},
                                   Unit{"MB", k* k},
                                   Unit{"kB", k},
                                   Unit{"B", 1}};

constexpr std::array time_units = {Unit{"d", 86'400'000}, Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1000},
                                   Unit{"ms", 1}};

constexpr std::array rate_units = {Unit{"Tbps", k* k* k* k}, Unit{"Gbps", k* k* k}, Unit{"Mbps", k* k}, Unit{"kbps", k},
                                   Unit{"bps", 1}};

constexpr int most_decimals = 9;

struct Printed {
  std::int64_t scaled = 0;  // times ten to the number of decimals
  bool exact = false;
};

std::int64_t power(int decimals) {
  std::int64_t out = 1;
  for (int i = 0; i < decimals; ++i) out *= 10;
  return out;
}

Printed rounded(std::int64_t amount, std::int64_t factor, int decimals) {
  const Wide scaled = Wide{amount} * power(decimals);
  const Wide nearest = (scaled + factor / 2) / factor;
  return {static_cast<std::int64_t>(nearest), nearest * factor == scaled};
}

bool is_near(std::int64_t amount, std::int64_t factor, int decimals, std::int64_t scaled) {
  const Wide meant = Wide{amount} * power(decimals), printed = Wide{scaled} * factor;
  return (meant > printed ? meant - printed : printed - meant) * 200 <= meant;
}

std::string text_of(std::int64_t scaled, int decimals, std::string_view unit) {
  const std::int64_t one = power(decimals);
  std::string out = std::to_string(scaled / one);
  if (scaled % one != 0) {
    std::string digits = std::to_string(one + scaled % one).substr(1);
    while (digits.ends_with('0')) digits.pop_back();
    out += "." + digits;
  }
  return out + std::string(unit);
}

// All amounts in one unit, and how hard that is to read; nullopt: it hides a difference.
struct Attempt {
  std::vector<std::string> texts;
  std::size_t cost = 0;
};

std::optional<Attempt> attempt(std::span<const std::int64_t> amounts, const Unit& unit, int decimals) {
  constexpr std::size_t of_a_character = 2, of_a_fraction = 3, of_rounding = 8, of_a_long_number = 5;
  Attempt out;
  std::vector<Printed> printed;
  for (const std::int64_t amount : amounts) {
    const Wide most = Wide{amount} * power(decimals) / unit.factor;
    if (most > Wide{1'000'000'000'000'000'000}) return std::nullopt;
    const Printed one = rounded(amount, unit.factor, decimals);
    if (!is_near(amount, unit.factor, decimals, one.scaled)) return std::nullopt;
    for (std::size_t i = 0; i < printed.size(); ++i)
      if ((amounts[i] < amount) != (printed[i].scaled < one.scaled) ||
          (amounts[i] == amount) != (printed[i].scaled == one.scaled))
        return std::nullopt;
    printed.push_back(one);
    out.texts.push_back(text_of(one.scaled, decimals, unit.name));
    const std::string& text = out.texts.back();
    out.cost += of_a_character * text.size() + (text.find('.') != text.npos ? of_a_fraction : 0) +
                (one.exact ? 0 : of_rounding);
    for (std::int64_t whole = amount / unit.factor; whole >= 10'000; whole /= 10) out.cost += of_a_long_number;
  }
  return out;
}

// Where no unit shows what differs, each by itself.
template <class Amount>
std::vector<std::string> shortest(std::span<const Amount> of, std::int64_t Amount::*value,
                                  std::span<const Unit> units) {
  std::vector<std::int64_t> amounts;
  for (const Amount& amount : of) amounts.push_back(amount.*value);
  std::optional<Attempt> best;
  for (const Unit& unit : units)
    for (int decimals = 0; decimals <= most_decimals; ++decimals)
      if (auto here = attempt(amounts, unit, decimals); here && (!best || here->cost < best->cost))
        best = std::move(*here);
  if (best) return best->texts;
  std::vector<std::string> out;
  for (const Amount& amount : of) out.push_back(to_string(amount));
  return out;
}

// In the unit that `text`, which is `other`, ends with.
std::string beside(std::int64_t amount, std::int64_t other, std::string_view text, std::span<const Unit> units,
                   std::string otherwise) {
  const std::string_view name = text.substr(std::min(text.find_first_not_of("0123456789"), text.size()));
  for (const Unit& unit : units)
    for (int decimals = 0; unit.name == name && decimals <= most_decimals; ++decimals)
      if (const auto here = attempt(std::array{amount, other}, unit, decimals)) return here->texts.front();
  return otherwise;
}

}  // namespace

std::string in_unit_of(Size amount, Size other) {
  return beside(amount.bytes, other.bytes, to_string(other), size_units, to_string(amount));
}

std::string in_unit_of(Rate amount, Rate other) {
  return beside(amount.bits_per_second, other.bits_per_second, to_string(other), rate_units, to_string(amount));
}

std::vector<std::string> in_one_unit(std::span<const Size> amounts) {
  return shortest(amounts, &Size::bytes, size_units);
}

std::vector<std::string> in_one_unit(std::span<const Duration> amounts) {
  return shortest(amounts, &Duration::ms, time_units);
}

InOneUnit in_one_unit(Size first, Size second) {
  auto out = in_one_unit(std::array{first, second});
  return {std::move(out[0]), std::move(out[1])};
}

InOneUnit in_one_unit(Duration first, Duration second) {
  auto out = in_one_unit(std::array{first, second});
  return {std::move(out[0]), std::move(out[1])};
}

}  // namespace muster
