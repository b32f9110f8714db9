// Values of options as Slurm's own readers take them: strtol and sscanf with all they let pass.
// Sources: src/common/proc_args.c, parse_time.c, gres.c; src/slurmctld/job_mgr.c.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "compiler/base/text.h"
#include "targets/slurm/read/meaning.h"
#include "targets/slurm/read/numbers.h"

namespace muster::targets::slurm {
namespace {

bool only_space(std::string_view text) { return std::all_of(text.begin(), text.end(), is_space); }

// Whether the groups of digits suffice for the signs between them, as Slurm counts them.
bool time_shape(std::string_view text) {
  int groups = 0, dashes = 0, colons = 0;
  bool in_digits = false;
  for (const char c : text) {
    if (is_digit(c)) {
      groups += in_digits ? 0 : 1, in_digits = true;
      continue;
    }
    in_digits = false;
    if (c == '-' && colons > 0) return false;
    if (c == '-') ++dashes;
    else if (c == ':') ++colons;
    else return false;
  }
  if (groups == 0 || dashes > 1 || colons > 2) return false;
  return colons == 0 || groups >= colons + 1 + (dashes > 0 ? 1 : 0);
}

// As sscanf("%d:%d:%d") fills numbers: it stops at the first part that is none.
std::size_t scan_numbers(std::string_view text, std::array<std::int64_t, 4>& out, bool days) {
  std::size_t n = 0;
  while (n < out.size()) {
    const Leading number = leading_number(text);
    if (!number.any) break;
    out[n++] = std::min<std::int64_t>(number.value, std::numeric_limits<std::int32_t>::max());
    text.remove_prefix(number.length);
    const char separator = days && n == 1 ? '-' : ':';
    if (text.empty() || text[0] != separator) break;
    text.remove_prefix(1);
  }
  return n;
}

}  // namespace

std::optional<std::int64_t> slurm_number(std::string_view text, bool positive) {
  const Leading number = leading_number(text);
  if (number.length != text.size() || number.overflow || number.value < (positive ? 1 : 0)) return std::nullopt;
  if (!number.any && positive) return std::nullopt;
  return static_cast<std::int32_t>(number.value);
}

std::string slurm_time(Duration limit) {
  const std::int64_t s = limit.seconds_up();
  const auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return std::to_string(s / 86400) + "-" + two(s / 3600 % 24) + ":" + two(s / 60 % 60) + ":" + two(s % 60);
}

std::optional<TimeLimit> slurm_time(std::string_view text) {
  if (text == "-1" || equal_ignoring_case(text, "infinite") || equal_ignoring_case(text, "unlimited"))
    return TimeLimit{0, 0, true};
  if (!time_shape(text)) return std::nullopt;
  std::array<std::int64_t, 4> n{};
  const bool days = text.find('-') != std::string_view::npos;
  const std::size_t count = scan_numbers(text, n, days);
  TimeLimit limit;
  if (days) limit.seconds = n[0] * 86400 + n[1] * 3600 + n[2] * 60 + n[3];
  else if (count >= 3) limit.seconds = n[0] * 3600 + n[1] * 60 + n[2];
  else limit.seconds = n[0] * 60 + n[1];
  // Slurm keeps an unsigned number: `-5` days become eight thousand years.
  limit.minutes = static_cast<std::uint32_t>((limit.seconds + 59) / 60);
  limit.unlimited = limit.minutes == 0;
  return limit;
}

std::optional<std::int64_t> slurm_memory(std::string_view text) {
  const Leading number = leading_number(text);
  if (!number.any || number.overflow || number.value < 0) return std::nullopt;
  std::string_view unit = text.substr(number.length);
  if (unit.empty()) return number.value;
  const char letter = static_cast<char>(unit[0] | 0x20);
  unit.remove_prefix(1);
  if (!unit.empty() && !(unit.size() == 1 && (unit[0] | 0x20) == 'b')) return std::nullopt;
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (number.value > most) return std::nullopt;
  switch (letter) {
    case 'k': return (number.value + 1023) / 1024;
    case 'm': return number.value;
    case 'g': return number.value * 1024;
    case 't': return number.value * 1024 * 1024;
    default: return std::nullopt;
  }
}

namespace {

// A node count with k or m behind it; -1 if there are no digits. nullopt if something else follows.
std::optional<std::int64_t> node_count(std::string_view text) {
  const Leading number = leading_number(text);
  std::string_view rest = text.substr(number.length);
  std::int64_t value = number.any ? number.value : -1;
  if (value > std::numeric_limits<std::int32_t>::max() || number.overflow) return std::nullopt;
  for (const auto& [letter, factor] : {std::pair{'k', 1024}, std::pair{'m', 1024 * 1024}}) {
    if (!number.any || rest.empty() || (rest[0] | 0x20) != letter) continue;
    value *= factor;
    rest.remove_prefix(1);
  }
  if (!only_space(rest)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Range> slurm_nodes(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto low = node_count(text.substr(0, dash));
  if (!low) return std::nullopt;
  if (dash == std::string_view::npos) {
    if (*low < 0) return std::nullopt;
    return Range{*low, *low};
  }
  const auto high = node_count(text.substr(dash + 1));
  const std::int64_t min = *low < 0 ? 1 : *low;
  if (!high || (*high != 0 && *high < min)) return std::nullopt;
  return Range{min, *high};
}

namespace {

// "0-9:2" of an array, within brackets or not. nullopt where the controller refuses it.
struct Indices {
  std::int64_t first = 0, last = 0, step = 1;
};

void drop_bracket(std::string_view& text, char bracket) {
  if (!text.empty() && text[0] == bracket) text.remove_prefix(1);
}

std::optional<Indices> array_token(std::string_view text) {
  drop_bracket(text, '[');
  Indices out;
  const auto number = [&](std::int64_t& into) {
    const Leading read = leading_number(text);
    into = read.value;
    text.remove_prefix(read.length);
    drop_bracket(text, ']');
  };
  number(out.first);
  out.last = out.first;
  if (!text.empty() && text[0] == '-') {
    text.remove_prefix(1);
    number(out.last);
    if (!text.empty() && text[0] == ':') {
      text.remove_prefix(1);
      number(out.step);
      if (out.step <= 0) return std::nullopt;
    }
  }
  if (!text.empty() && text[0] != '%') return std::nullopt;
  if (out.first < 0 || out.last < out.first) return std::nullopt;
  return out;
}

// How many indices the ranges name, each once.
std::int64_t distinct(const std::vector<Indices>& ranges) {
  constexpr std::int64_t most = 4'000'001;  // MaxArraySize can be no larger
  std::vector<bool> seen;
  std::int64_t count = 0;
  for (const Indices& r : ranges) {
    if (r.last >= most) return -1;
    if (seen.size() <= static_cast<std::size_t>(r.last)) seen.resize(static_cast<std::size_t>(r.last) + 1);
    for (std::int64_t i = r.first; i <= r.last; i += r.step) {
      if (!seen[static_cast<std::size_t>(i)]) ++count;
      seen[static_cast<std::size_t>(i)] = true;
    }
  }
  return count;
}

}  // namespace

std::optional<Array> slurm_array(std::string_view text) {
  if (text.size() > 4096) return std::nullopt;
  Array out;
  std::vector<Indices> ranges;
  std::int64_t work = 0;
  for (const std::string_view token : split(text, ',')) {
    if (token.empty()) continue;
    const auto indices = array_token(token);
    if (!indices) return std::nullopt;
    work += (indices->last - indices->first) / indices->step + 1;
    ranges.push_back(*indices);
  }
  if (ranges.empty() || work > 20'000'000) return std::nullopt;
  out.count = ranges.size() == 1 ? work : distinct(ranges);
  if (out.count < 0) return std::nullopt;
  out.min = std::min_element(ranges.begin(), ranges.end(), [](auto& a, auto& b) { return a.first < b.first; })->first;
  for (const Indices& r : ranges) out.max = std::max(out.max, r.first + (r.last - r.first) / r.step * r.step);
  const std::size_t percent = text.find('%');
  out.ids = text.substr(0, percent);
  if (percent != std::string_view::npos) out.throttle = leading_number(text.substr(percent + 1)).value;
  return out;
}

namespace {

struct SignalName {
  std::string_view name;
  int number;
};
constexpr std::array signals = std::to_array<SignalName>(
    {{"HUP", 1},   {"INT", 2},   {"QUIT", 3},  {"ABRT", 6},  {"KILL", 9},  {"ALRM", 14}, {"TERM", 15},
     {"USR1", 10}, {"USR2", 12}, {"URG", 23},  {"CONT", 18}, {"STOP", 19}, {"TSTP", 20}, {"TTIN", 21},
     {"TTOU", 22}, {"ILL", 4},   {"SEGV", 11}, {"BUS", 7},   {"FPE", 8},   {"PIPE", 13}, {"XCPU", 24}});

std::int64_t signal_number(std::string_view text) {
  const Leading number = leading_number(text);
  if (number.any) return only_space(text.substr(number.length)) ? number.value : 0;
  while (!text.empty() && is_space(text[0])) text.remove_prefix(1);
  if (equal_ignoring_case(text.substr(0, 3), "SIG")) text.remove_prefix(3);
  for (const SignalName& s : signals)
    if (equal_ignoring_case(text.substr(0, s.name.size()), s.name) && only_space(text.substr(s.name.size())))
      return s.number;
  return 0;
}

}  // namespace

std::optional<Signal> slurm_signal(std::string_view text) {
  Signal out;
  const auto flag = [&](char letter, bool& set) {
    if (text.empty() || (text[0] | 0x20) != letter) return;
    set = true;
    text.remove_prefix(1);
  };
  flag('r', out.reservation), flag('b', out.batch), flag('r', out.reservation);
  if (text.starts_with(':')) text.remove_prefix(1);
  const std::size_t at = text.find('@');
  out.name = text.substr(0, at);
  out.number = signal_number(out.name) & 0xffff;
  if (out.number < 1) return std::nullopt;
  if (at == std::string_view::npos) return out;
  const Leading seconds = leading_number(text.substr(at + 1));
  if (seconds.value < 0 || seconds.value > 0xffff) return std::nullopt;
  if (at + 1 + seconds.length != text.size()) return std::nullopt;
  out.seconds = seconds.value;
  return out;
}

namespace {

// A count of generic resources with its k, m, g … behind it. Slurm takes strtoull's word for digits.
std::optional<std::int64_t> gres_count(std::string_view text) {
  const Leading number = leading_number(text);
  if (!number.any || number.overflow || number.value < 0) return std::nullopt;
  const std::string_view unit = text.substr(number.length);
  if (unit.empty()) return number.value;
  constexpr std::string_view letters = "kmgtp";
  const std::size_t power = letters.find(static_cast<char>(unit[0] | 0x20));
  if (unit.size() != 1 || power == std::string_view::npos || number.value >> 10 != 0) return std::nullopt;
  return number.value << (10 * (power + 1));
}

// "type:2", "2" or "type".
bool read_count(std::string_view text, std::string& type, std::int64_t& count) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const auto number = gres_count(text.substr(colon + 1));
    if (!number || colon == 0) return false;
    type = text.substr(0, colon), count = *number;
    return true;
  }
  if (text.empty()) return false;
  if (const auto number = gres_count(text)) count = *number;
  else type = text, count = 1;
  return true;
}

}  // namespace

std::optional<std::vector<GpuCount>> slurm_gpus(std::string_view text) {
  std::vector<GpuCount> out;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) continue;
    GpuCount gpu;
    if (!read_count(part, gpu.type, gpu.count)) return std::nullopt;
    if (gpu.count > 0) out.push_back(std::move(gpu));
  }
  return out;
}

std::optional<std::vector<Gres>> slurm_gres(std::string_view text) {
  std::vector<Gres> out;
  for (std::string_view part : split(text, ',')) {
    if (part.starts_with("gres:")) part.remove_prefix(5);
    if (part.empty()) continue;
    Gres gres{std::string(part.substr(0, part.find(':'))), {}, 1};
    const std::size_t colon = part.find(':');
    if (colon != std::string_view::npos && !read_count(part.substr(colon + 1), gres.type, gres.count))
      return std::nullopt;
    if (gres.count > 0) out.push_back(std::move(gres));
  }
  return out;
}

}  // namespace muster::targets::slurm
