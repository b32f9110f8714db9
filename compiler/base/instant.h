// A point in time as clusters print it: local time of the cluster, without a zone.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

struct Instant {
  std::int64_t seconds = 0;  // since 1970, as if the cluster's time were UTC
  auto operator<=>(const Instant&) const = default;
};

// "2026-12-01T08:00:00"; the seconds may be left out, and a blank may stand for the T. nullopt: it is none.
std::optional<Instant> parse_instant(std::string_view text);
// "2026-12-01T08:00"; with seconds where they are not 0.
std::string to_string(Instant instant);
// "Tuesday 2026-12-01 08:00".
std::string with_weekday(Instant instant);

}  // namespace muster
