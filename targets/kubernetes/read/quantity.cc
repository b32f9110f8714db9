// Quantities as k8s.io/apimachinery/pkg/api/resource reads them.
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "compiler/base/text.h"
#include "targets/kubernetes/read/cluster.h"

namespace muster::targets::kubernetes {
namespace {

// What the suffix multiplies thousandths with; nullopt: there is no such suffix.
std::optional<long double> factor_of(std::string_view suffix) {
  constexpr std::array<std::pair<std::string_view, long double>, 16> factors = {{{"", 1e3L},
                                                                                 {"n", 1e-6L},
                                                                                 {"u", 1e-3L},
                                                                                 {"m", 1.0L},
                                                                                 {"k", 1e6L},
                                                                                 {"M", 1e9L},
                                                                                 {"G", 1e12L},
                                                                                 {"T", 1e15L},
                                                                                 {"P", 1e18L},
                                                                                 {"E", 1e21L},
                                                                                 {"Ki", 1024e3L},
                                                                                 {"Mi", 1048576e3L},
                                                                                 {"Gi", 1073741824e3L},
                                                                                 {"Ti", 1099511627776e3L},
                                                                                 {"Pi", 1125899906842624e3L},
                                                                                 {"Ei", 1152921504606846976e3L}}};
  for (const auto& [name, factor] : factors)
    if (name == suffix) return factor;
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return std::nullopt;
  int exponent = 0;
  const char* first = suffix.data() + (suffix[1] == '+' ? 2 : 1);
  const auto [stop, error] = std::from_chars(first, suffix.data() + suffix.size(), exponent);
  if (error != std::errc() || stop != suffix.data() + suffix.size() || exponent > 18 || exponent < -18)
    return std::nullopt;
  return 1e3L * std::pow(10.0L, exponent);
}

}  // namespace

std::optional<std::int64_t> read_quantity(std::string_view text) {
  std::size_t end = 0;
  long double number = 0, place = 0;  // place: of the next digit behind the point
  int digits = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '.' && place == 0) {
      place = 0.1L;
    } else if (is_digit(c)) {
      if (++digits > 30) return std::nullopt;
      if (place == 0) number = number * 10 + (c - '0');
      else number += place * (c - '0'), place /= 10;
    } else {
      break;
    }
  }
  const auto factor = factor_of(text.substr(end));
  if (digits == 0 || !factor) return std::nullopt;
  const long double thousandths = number * *factor;
  if (thousandths > 9e18L) return std::nullopt;
  // Fractions such as 0.1 are not exact in binary: what is a hair above a whole number is that number.
  return static_cast<std::int64_t>(std::ceil(thousandths - 1e-9L));
}

}  // namespace muster::targets::kubernetes
