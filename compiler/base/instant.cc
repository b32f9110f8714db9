#include "compiler/base/instant.h"

#include <array>
#include <chrono>
#include <cstdio>

#include "compiler/base/text.h"

namespace muster {
namespace {

// The two digits at a place; nullopt: there are other bytes.
std::optional<int> two_digits(std::string_view text, std::size_t at) {
  const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  if (!digit(at) || !digit(at + 1)) return std::nullopt;
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

std::chrono::sys_days day_of(Instant instant) {
  return std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(instant.seconds)));
}

std::string date_text(Instant instant) {
  const std::chrono::year_month_day date(day_of(instant));
  std::array<char, 32> out{};
  std::snprintf(out.data(), out.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return out.data();
}

std::string time_text(Instant instant) {
  const std::int64_t day = 86'400, rest = (instant.seconds % day + day) % day;
  std::array<char, 16> out{};
  const auto hours = static_cast<int>(rest / 3600), minutes = static_cast<int>(rest / 60 % 60);
  if (rest % 60 == 0) std::snprintf(out.data(), out.size(), "%02d:%02d", hours, minutes);
  else std::snprintf(out.data(), out.size(), "%02d:%02d:%02d", hours, minutes, static_cast<int>(rest % 60));
  return out.data();
}

}  // namespace

std::optional<Instant> parse_instant(std::string_view text) {
  constexpr std::size_t date = 10, minutes = 16, seconds = 19;  // lengths up to there
  if ((text.size() != minutes && text.size() != seconds) || !is_date(text.substr(0, date))) return std::nullopt;
  if ((text[date] != 'T' && text[date] != ' ') || text[13] != ':') return std::nullopt;
  if (text.size() == seconds && text[minutes] != ':') return std::nullopt;
  const auto hour = two_digits(text, 11), minute = two_digits(text, 14);
  const auto second = text.size() == seconds ? two_digits(text, 17) : std::optional(0);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const auto number = [&](std::size_t at) { return static_cast<unsigned>(*two_digits(text, at)); };
  const int year = *two_digits(text, 0) * 100 + *two_digits(text, 2);
  const std::chrono::sys_days day =
      std::chrono::year(year) / std::chrono::month(number(5)) / std::chrono::day(number(8));
  return Instant{std::chrono::sys_seconds(day).time_since_epoch().count() + *hour * 3600 + *minute * 60 + *second};
}

std::string to_string(Instant instant) { return date_text(instant) + "T" + time_text(instant); }

std::string with_weekday(Instant instant) {
  constexpr std::array names = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
  return std::string(names.at(std::chrono::weekday(day_of(instant)).c_encoding())) + " " + date_text(instant) + " " +
         time_text(instant);
}

}  // namespace muster
