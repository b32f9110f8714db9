#include "compiler/base/units.h"

#include <algorithm>
#include <array>
#include <limits>

#include "compiler/base/text.h"

namespace muster {
namespace {

// One multiplication of two 64-bit amounts fits.
__extension__ using Wide = __int128;

enum class Kind { size, duration, rate, percent };

struct Unit {
  std::string_view name;
  Kind kind;
  std::int64_t factor;
};

constexpr std::int64_t k = 1000, ki = 1024;

// The first spelling of a factor is the one that is printed; `Ki`, `Mi`… are read only.
constexpr std::array units = {
    Unit{"B", Kind::size, 1},
    Unit{"PB", Kind::size, k* k* k* k* k},
    Unit{"TB", Kind::size, k* k* k* k},
    Unit{"GB", Kind::size, k* k* k},
    Unit{"MB", Kind::size, k* k},
    Unit{"kB", Kind::size, k},
    Unit{"PiB", Kind::size, ki* ki* ki* ki* ki},
    Unit{"TiB", Kind::size, ki* ki* ki* ki},
    Unit{"GiB", Kind::size, ki* ki* ki},
    Unit{"MiB", Kind::size, ki* ki},
    Unit{"KiB", Kind::size, ki},
    Unit{"Pi", Kind::size, ki* ki* ki* ki* ki},
    Unit{"Ti", Kind::size, ki* ki* ki* ki},
    Unit{"Gi", Kind::size, ki* ki* ki},
    Unit{"Mi", Kind::size, ki* ki},
    Unit{"Ki", Kind::size, ki},
    Unit{"d", Kind::duration, 86'400'000},
    Unit{"h", Kind::duration, 3'600'000},
    Unit{"m", Kind::duration, 60'000},
    Unit{"s", Kind::duration, 1000},
    Unit{"ms", Kind::duration, 1},
    Unit{"bps", Kind::rate, 1},
    Unit{"Tbps", Kind::rate, k* k* k* k},
    Unit{"Gbps", Kind::rate, k* k* k},
    Unit{"Mbps", Kind::rate, k* k},
    Unit{"kbps", Kind::rate, k},
    Unit{"%", Kind::percent, 1000},
};

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return &unit;
  return nullptr;
}

QuantityError unknown_unit(std::string_view name) {
  using E = QuantityError::Kind;
  if (name.size() == 1 && std::string_view("KMGTPk").find(name[0]) != std::string_view::npos) {
    const std::string letter(1, to_upper(name[0]));
    return {E::ambiguous, std::string(name), letter + "iB"};
  }
  for (const Unit& unit : units)
    if (equal_ignoring_case(unit.name, name)) return {E::wrong_case, std::string(name), std::string(unit.name)};
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> words = {{{"sec", "s"},
                                                                                           {"secs", "s"},
                                                                                           {"second", "s"},
                                                                                           {"seconds", "s"},
                                                                                           {"min", "m"},
                                                                                           {"mins", "m"},
                                                                                           {"minutes", "m"},
                                                                                           {"hr", "h"},
                                                                                           {"hours", "h"},
                                                                                           {"day", "d"},
                                                                                           {"days", "d"}}};
  for (const auto& [word, unit] : words)
    if (name == word) return {E::unknown_unit, std::string(name), std::string(unit)};
  return {E::unknown_unit, std::string(name), {}};
}

// One "12.5GB" part: digits (with `_`), an optional fraction, letters or `%`.
struct Part {
  std::int64_t whole = 0;
  std::int64_t fraction = 0;  // numerator over `scale`
  std::int64_t scale = 1;
  std::string_view unit;
  bool overflow = false;
};

Part next_part(std::string_view& text) {
  Part part;
  const auto digit = [&] { return !text.empty() && (is_digit(text[0]) || text[0] == '_'); };
  for (; digit(); text.remove_prefix(1)) {
    if (text[0] == '_') continue;
    if (part.whole > (std::numeric_limits<std::int64_t>::max() - 9) / 10) part.overflow = true;
    else part.whole = part.whole * 10 + (text[0] - '0');
  }
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    for (; digit(); text.remove_prefix(1)) {
      if (text[0] == '_' || part.scale >= 1'000'000'000) continue;
      part.fraction = part.fraction * 10 + (text[0] - '0');
      part.scale *= 10;
    }
  }
  std::size_t n = 0;
  while (n < text.size() && (is_letter(text[n]) || text[n] == '%')) ++n;
  part.unit = text.substr(0, n);
  text.remove_prefix(n);
  return part;
}

Quantity make(Kind kind, std::int64_t amount) {
  switch (kind) {
    case Kind::size: return Size{amount};
    case Kind::duration: return Duration{amount};
    case Kind::rate: return Rate{amount};
    case Kind::percent: return Percent{amount};
  }
  return Size{amount};
}

// In the largest unit that divides the amount; `Gi` and the like are read but never printed.
std::string print_in(Kind kind, std::int64_t amount) {
  const Unit* best = nullptr;
  for (const Unit& unit : units)
    if (unit.kind == kind && !unit.name.ends_with('i') && amount % unit.factor == 0 &&
        (best == nullptr || unit.factor > best->factor))
      best = &unit;
  return std::to_string(amount / best->factor) + std::string(best->name);
}

}  // namespace

std::variant<Quantity, QuantityError> parse_quantity(std::string_view text) {
  using E = QuantityError::Kind;
  std::optional<Kind> kind;
  std::int64_t total = 0;
  while (!text.empty()) {
    const Part part = next_part(text);
    const Unit* unit = find_unit(part.unit);
    if (unit == nullptr) return unknown_unit(part.unit);
    if (kind && (*kind != unit->kind || *kind != Kind::duration))
      return QuantityError{E::mixed, std::string(part.unit), {}};
    kind = unit->kind;
    Wide amount = static_cast<Wide>(part.whole) * unit->factor;
    const Wide fraction = static_cast<Wide>(part.fraction) * unit->factor;
    if (fraction % part.scale != 0) return QuantityError{E::fraction, std::string(part.unit), {}};
    amount += fraction / part.scale + total;
    if (part.overflow || amount > std::numeric_limits<std::int64_t>::max() / 4)
      return QuantityError{E::overflow, std::string(part.unit), {}};
    total = static_cast<std::int64_t>(amount);
  }
  return make(kind.value_or(Kind::size), total);
}

std::string to_string(Size size) { return size.bytes == 0 ? "0B" : print_in(Kind::size, size.bytes); }

std::string to_string(Duration duration) {
  if (duration.ms == 0) return "0s";
  std::string out;
  std::int64_t rest = duration.ms;
  for (const Unit& unit : units) {
    if (unit.kind != Kind::duration || rest < unit.factor) continue;
    out += std::to_string(rest / unit.factor) + std::string(unit.name);
    rest %= unit.factor;
  }
  return out;
}

std::string to_string(Rate rate) {
  return rate.bits_per_second == 0 ? "0bps" : print_in(Kind::rate, rate.bits_per_second);
}

std::string to_string(Percent percent) {
  std::string out = std::to_string(percent.millis / 1000);
  if (std::int64_t rest = percent.millis % 1000; rest != 0) {
    std::string digits = std::to_string(1000 + rest).substr(1);
    while (digits.ends_with('0')) digits.pop_back();
    out += "." + digits;
  }
  return out + "%";
}

std::optional<std::int64_t> parse_tenths(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point), rest = point == text.npos ? "0" : text.substr(point + 1);
  if (!all_digits(whole) || !all_digits(rest) || whole.size() > 3 || rest.size() != 1) return std::nullopt;
  std::int64_t tenths = 0;
  for (const char c : whole) tenths = tenths * 10 + (c - '0');
  return tenths * 10 + (rest[0] - '0');
}

std::string tenths_text(std::int64_t tenths) { return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10); }

std::string_view noun(const Quantity& quantity) {
  constexpr std::array<std::string_view, 4> nouns = {"a size", "a time", "a rate", "a percentage"};
  return nouns[quantity.index()];
}

}  // namespace muster
