#include "why/decide/amounts.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/slurm/read/fields.h"

namespace muster::why {

std::optional<std::int64_t> megabytes(std::string_view text) {
  text = trimmed(text);
  std::size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  if (end == 0 || end > 15) return std::nullopt;
  const std::size_t point = text.substr(0, end).find('.');
  const auto whole = whole_number(text.substr(0, std::min(point, end)));
  if (!whole) return std::nullopt;
  std::int64_t thousandths = 0;
  if (point != std::string_view::npos) {
    std::int64_t unit = 100;
    for (std::size_t i = point + 1; i < end && unit > 0; ++i, unit /= 10) thousandths += (text[i] - '0') * unit;
  }
  std::int64_t factor = 1;
  const char unit = end < text.size() ? to_upper(text[end]) : 'M';
  if (unit == 'K') return *whole / 1024;
  if (unit == 'G') factor = 1024;
  else if (unit == 'T') factor = 1024 * 1024;
  else if (unit == 'P') factor = std::int64_t{1} << 30;
  else if (unit != 'M') return std::nullopt;
  if (*whole > (std::int64_t{1} << 50) / factor) return std::nullopt;
  return *whole * factor + thousandths * factor / 1000;
}

std::optional<std::int64_t> minutes_of(std::string_view text) {
  const auto time = targets::slurm::read_time(text);
  return time ? std::optional((time->ms + 59999) / 60000) : std::nullopt;
}

std::optional<Gpus> gpus_of(std::string_view list) {
  std::optional<Gpus> out;
  for (std::string_view item : split(list, ',')) {
    item = trimmed(item.substr(0, item.find('(')));
    for (const std::string_view head : {"gres/", "gres:"})
      if (item.starts_with(head)) item.remove_prefix(head.size());
    if (!item.starts_with("gpu") || (item.size() > 3 && item[3] != ':' && item[3] != '=')) continue;
    Gpus one{1, {}};
    item.remove_prefix(std::min<std::size_t>(item.size(), 4));
    const std::size_t mark = item.find_first_of(":=");
    const std::string_view first = item.substr(0, mark),
                           second = mark == std::string_view::npos ? std::string_view() : item.substr(mark + 1);
    if (const auto count = whole_number(first)) one.count = *count;
    else {
      one.type = std::string(first);
      if (const auto count = whole_number(second)) one.count = *count;
    }
    // "gres/gpu=8,gres/gpu:h100=8" is the same 8 twice: the one with a type says more.
    if (!out) out = one;
    else if (out->type.empty() && !one.type.empty() && one.count <= out->count) out->type = one.type;
    else if (!one.type.empty() && !out->type.empty() && one.type != out->type) out->count += one.count;
  }
  return out;
}

std::optional<std::string> tres_of(std::string_view list, std::string_view name) {
  for (const std::string_view item : split(list, ',')) {
    const std::size_t equals = item.find('=');
    if (equals != std::string_view::npos && trimmed(item.substr(0, equals)) == name)
      return std::string(item.substr(equals + 1));
  }
  return std::nullopt;
}

}  // namespace muster::why
