#include "targets/slurm/read/option_values.h"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>

#include "compiler/base/text.h"
#include "targets/slurm/read/meaning.h"

namespace muster::targets::slurm {
namespace {

using Words = std::initializer_list<std::string_view>;

bool is_one_of(std::string_view word, Words words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return equal_ignoring_case(w, word); });
}

// Whether every part between separators is good; an empty text has none.
template <class Good>
bool each(std::string_view text, char separator, Good good) {
  if (text.empty()) return false;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    if (!good(text.substr(at, end - at))) return false;
    at = end + 1;
  }
  return true;
}

bool is_number(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

bool is_hint(std::string_view text) {
  return each(text, ',', [](std::string_view word) {
    return is_one_of(word, {"help", "compute_bound", "memory_bound", "multithread", "nomultithread"});
  });
}

// COUNT[@TIME]; the time is read without a complaint.
bool is_switches(std::string_view text) {
  const std::string_view count = text.substr(0, text.find('@'));
  return is_number(count) && count.find_first_not_of('0') != std::string_view::npos;
}

bool is_gres_flags(std::string_view text) {
  return each(text, ',', [](std::string_view word) {
    return is_one_of(word, {"disable-binding", "enforce-binding", "allow-task-sharing", "multiple-tasks-per-sharing",
                            "one-task-per-sharing"});
  });
}

// block:cyclic:fcyclic,Pack; plane=4; a part may be `*`.
bool is_distribution(std::string_view text) {
  std::size_t comma = text.find(',');
  const std::string_view layout = text.substr(0, comma);
  for (; comma != std::string_view::npos; comma = text.find(',', comma + 1)) {
    const std::string_view rest = text.substr(comma + 1);
    if (!is_one_of(rest.substr(0, rest.find(',')), {"pack", "nopack"})) return false;
  }
  if (layout.size() > 6 && equal_ignoring_case(layout.substr(0, 6), "plane=")) return is_number(layout.substr(6));
  return std::count(layout.begin(), layout.end(), ':') <= 2 && each(layout, ':', [](std::string_view word) {
           return is_one_of(word, {"*", "block", "cyclic", "fcyclic", "arbitrary", "plane", "pack", "nopack"});
         });
}

bool is_profile(std::string_view text) {
  return each(text, ',', [](std::string_view word) {
    return is_one_of(word, {"none", "all", "energy", "task", "lustre", "network"});
  });
}

// N, MIN-MAX, with K or M; `*` for any.
bool is_layout(std::string_view text) {
  return each(text, '-', [](std::string_view part) {
    if (part == "*") return true;
    if (!part.empty() && (part.back() == 'k' || part.back() == 'K' || part.back() == 'm' || part.back() == 'M'))
      part.remove_suffix(1);
    return is_number(part);
  });
}

bool is_governor(std::string_view word) {
  return is_one_of(word, {"conservative", "ondemand", "performance", "powersave", "schedutil", "userspace"});
}

// P1[-P2[:P3]]: frequencies, then a governor; or a governor alone.
bool is_cpu_freq(std::string_view text) {
  if (is_governor(text)) return true;
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && !is_governor(text.substr(colon + 1))) return false;
  const std::string_view range = text.substr(0, colon);
  return std::count(range.begin(), range.end(), '-') <= 1 && each(range, '-', [](std::string_view word) {
           return is_number(word) || is_one_of(word, {"low", "medium", "high", "highm1"});
         });
}

bool is_size(std::string_view text) { return slurm_memory(text).has_value(); }
bool is_zero_or_one(std::string_view text) { return text == "0" || text == "1"; }

struct Row {
  std::string_view option;
  bool (*good)(std::string_view);
  std::string_view takes;
};

constexpr std::string_view layout = "a number, or MIN-MAX";

constexpr std::array rows = std::to_array<Row>({
    {"cores-per-socket", is_layout, layout},
    {"cpu-freq", is_cpu_freq,
     "low, medium, high, highm1 or kHz, as P1[-P2[:GOVERNOR]], or a governor such as performance"},
    {"distribution", is_distribution,
     "block, cyclic, fcyclic, arbitrary or plane=SIZE, joined by `:`, and Pack or NoPack"},
    {"gres-flags", is_gres_flags, "disable-binding, enforce-binding and similar values"},
    {"hint", is_hint, "compute_bound, memory_bound, multithread or nomultithread"},
    {"profile", is_profile, "all, none, or energy, task, lustre and network, separated by commas"},
    {"sockets-per-node", is_layout, layout},
    {"switches", is_switches, "a number of switches of 1 or more, COUNT[@TIME]"},
    {"threads-per-core", is_layout, layout},
    {"tmp", is_size, "a whole number with suffix K, M, G or T; MB without a suffix"},
    {"wait-all-nodes", is_zero_or_one, "0 or 1"},
});

}  // namespace

std::string_view wrong_value(std::string_view option, std::string_view value) {
  for (const Row& row : rows)
    if (row.option == option) return row.good(value) ? std::string_view() : row.takes;
  return {};
}

}  // namespace muster::targets::slurm
