#include "compiler/base/host_names.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "compiler/base/limits.h"
#include "compiler/base/text.h"

namespace muster {
namespace {

constexpr std::size_t most_digits = 9, longest_name = 255;  // of DNS

bool is_number(std::string_view s) {
  return !s.empty() && s.size() <= most_digits && std::all_of(s.begin(), s.end(), is_digit);
}

std::uint32_t number_in(std::string_view digits) {
  std::uint32_t out = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return out;
}

std::size_t digits_of(std::uint32_t number) { return std::to_string(number).size(); }

bool is_plain(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return is_name_char(c) || c == '-' || c == '.'; });
}

// Without the number itself.
auto kind_of(const HostRange& range) {
  return std::tuple<std::string_view, std::string_view, std::uint32_t>(range.prefix, range.suffix, range.width);
}

// A name as a range of one: the digits at its end are its number.
HostRange range_of(std::string_view name) {
  std::size_t n = name.size();
  while (n > 0 && is_digit(name[n - 1]) && name.size() - n < most_digits) --n;
  if (n == name.size()) return {std::string(name)};
  return {
      std::string(name.substr(0, n)), {}, number_in(name.substr(n)), 1, static_cast<std::uint32_t>(name.size() - n)};
}

}  // namespace

std::string HostRange::name(std::uint32_t offset) const {
  std::string out;
  if (width == 0) return out.append(prefix).append(suffix);
  char digits[16];
  const auto length =
      static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, first + offset).ptr - digits);
  out.reserve(prefix.size() + std::max<std::size_t>(width, length) + suffix.size());
  out.append(prefix).append(width > length ? width - length : 0, '0').append(digits, length);
  return out.append(suffix);
}

std::optional<std::uint32_t> HostRange::offset_of(std::string_view name) const {
  const bool ends = name.size() >= prefix.size() + suffix.size() && name.starts_with(prefix) && name.ends_with(suffix);
  if (!ends) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  if (width == 0) return digits.empty() ? std::optional(0U) : std::nullopt;
  if (!is_number(digits) || digits.size() < width || (digits.size() > width && digits.front() == '0'))
    return std::nullopt;
  const std::uint32_t number = number_in(digits);
  return number >= first && number - first < count ? std::optional(number - first) : std::nullopt;
}

HostNames::HostNames(const std::vector<std::string>& names) {
  for (const std::string& name : names) append(name);
  sort();
}

std::optional<HostNames> HostNames::read(std::string_view host_list) {
  return read(host_list, value_of(Limit::cluster_nodes));
}

std::optional<HostNames> HostNames::read(std::string_view text, std::size_t limit) {
  HostNames out;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (i < text.size() && (text[i] != ',' || depth != 0)) continue;
    if (!out.read_item(text.substr(start, i - start), limit)) return std::nullopt;
    start = i + 1;
  }
  out.sort();
  return out;
}

// One "prefix[001-003,7]suffix" or plain name.
bool HostNames::read_item(std::string_view item, std::size_t limit) {
  const std::size_t open = item.find('[');
  if (open == std::string_view::npos) {
    if (item.empty() || item.size() > longest_name || !is_plain(item)) return false;
    append(item);
    return size_ <= limit;
  }
  const std::size_t close = item.find(']', open);
  if (close == std::string_view::npos) return false;
  const std::string_view prefix = item.substr(0, open), suffix = item.substr(close + 1);
  if (prefix.size() + most_digits + suffix.size() > longest_name || !is_plain(prefix) || !is_plain(suffix))
    return false;
  std::string_view ranges = item.substr(open + 1, close - open - 1);
  if (ranges.empty()) return false;
  while (!ranges.empty()) {
    const std::size_t comma = std::min(ranges.find(','), ranges.size());
    const std::string_view range = ranges.substr(0, comma);
    ranges.remove_prefix(std::min(comma + 1, ranges.size()));
    const std::size_t dash = std::min(range.find('-'), range.size());
    const std::string_view first = range.substr(0, dash), last = dash < range.size() ? range.substr(dash + 1) : first;
    if (!is_number(first) || !is_number(last)) return false;
    const std::uint32_t a = number_in(first), b = number_in(last);
    if (a > b || b - a >= limit || size_ + (b - a) + 1 > limit) return false;
    append({std::string(prefix), std::string(suffix), a, b - a + 1, static_cast<std::uint32_t>(first.size())});
  }
  return true;
}

std::string HostNames::at(std::size_t index) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), index,
                                      [](std::size_t i, const HostRange& range) { return i < range.begin; });
  const HostRange& range = *std::prev(after);
  return range.name(static_cast<std::uint32_t>(index) - range.begin);
}

std::optional<std::uint32_t> HostNames::find(std::string_view name) const {
  constexpr std::size_t few = 4;
  if (ranges_.size() <= few) {
    for (const HostRange& range : ranges_)
      if (const auto offset = range.offset_of(name)) return range.begin + *offset;
    return std::nullopt;
  }
  std::optional<std::uint32_t> found;
  // Of the pieces of one kind the last that begins no later.
  const auto look = [&](std::string_view prefix, std::string_view suffix, std::uint32_t width, std::uint32_t number) {
    const std::tuple kind(prefix, suffix, width);
    auto at = std::upper_bound(
        pieces_.begin(), pieces_.end(), std::pair(kind, number),
        [&](const auto& key, const Piece& p) { return key < std::pair(kind_of(ranges_[p.range]), p.first); });
    if (at == pieces_.begin()) return;
    --at;
    const HostRange& range = ranges_[at->range];
    if (kind_of(range) != kind || number - at->first >= at->count) return;
    const std::uint32_t place = range.begin + number - range.first;
    found = found ? std::min(*found, place) : place;
  };
  look(name, "", 0, 0);
  for (std::size_t end = name.size(); end > 0; end = suffixes_ ? end - 1 : 0)
    for (std::size_t begin = end; begin > 0 && is_digit(name[begin - 1]) && end - begin < most_digits;) {
      --begin;
      const std::string_view digits = name.substr(begin, end - begin);
      const auto length = static_cast<std::uint32_t>(digits.size());
      for (std::uint32_t width = digits.front() == '0' ? length : 1; width <= length; ++width)
        look(name.substr(0, begin), name.substr(end), width, number_in(digits));
    }
  return found;
}

HostNames::Run HostNames::run_of(const HostRange& range, std::uint32_t from) const {
  const auto place = find(range.name(from));
  if (!place) return {};
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), *place,
                                      [](std::uint32_t i, const HostRange& r) { return i < r.begin; });
  const HostRange& here = *std::prev(after);
  // Numbers of more digits than a range pads to are spelt the same in both.
  const std::uint32_t number = range.first + from, padded = std::max(here.width, range.width);
  const bool alike = here.prefix == range.prefix && here.suffix == range.suffix &&
                     (here.width == range.width || (range.width > 0 && here.width > 0 && digits_of(number) >= padded));
  return {alike ? std::min(here.begin + here.count - *place, range.count - from) : 1, place};
}

std::vector<std::string> HostNames::all() const {
  std::vector<std::string> out;
  out.reserve(size_);
  for (const HostRange& range : ranges_)
    for (std::uint32_t i = 0; i < range.count; ++i) out.push_back(range.name(i));
  return out;
}

void HostNames::add(HostRange range) {
  append(std::move(range));
  sort();
}

void HostNames::add(std::span<const HostNames* const> lists) {
  for (const HostNames* list : lists)
    for (const HostRange& range : list->ranges_) append(range);
  sort();
}

void HostNames::append(HostRange range) {
  range.begin = static_cast<std::uint32_t>(size_);
  size_ += range.count;
  suffixes_ = suffixes_ || !range.suffix.empty();
  ranges_.push_back(std::move(range));
}

void HostNames::append(std::string_view name) {
  HostRange range = range_of(name);
  if (!ranges_.empty() && range.width > 0) {
    HostRange& last = ranges_.back();
    if (last.width > 0 && last.suffix.empty() && last.prefix == range.prefix &&
        range.first == last.first + last.count && last.name(last.count) == name) {
      ++last.count, ++size_;
      return;
    }
  }
  append(std::move(range));
}

void HostNames::sort() {
  std::vector<std::uint32_t> sorted(ranges_.size());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
  const auto key = [&](std::uint32_t i) { return std::tuple(kind_of(ranges_[i]), ranges_[i].first, i); };
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  pieces_.clear();
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto other = [&](std::uint32_t i) { return kind_of(ranges_[i]) != kind_of(ranges_[*begin]); };
    const auto end = std::find_if(begin, sorted.end(), other);
    add_pieces({begin, end});
    begin = end;
  }
}

// Ranges of one kind, by number. Where they overlap, those before come first: each step is a name that is listed twice.
void HostNames::add_pieces(std::span<std::uint32_t> ranges) {
  const auto end_of = [&](std::uint32_t i) { return ranges_[i].first + ranges_[i].count; };
  const auto overlaps = [&](std::uint32_t a, std::uint32_t b) { return ranges_[b].first < end_of(a); };
  if (std::adjacent_find(ranges.begin(), ranges.end(), overlaps) == ranges.end()) {
    for (const std::uint32_t i : ranges) pieces_.push_back({i, ranges_[i].first, ranges_[i].count});
    return;
  }
  std::sort(ranges.begin(), ranges.end());
  std::map<std::uint32_t, Piece> by_number;
  for (const std::uint32_t i : ranges) {
    std::uint32_t number = ranges_[i].first;
    auto next = by_number.upper_bound(number);
    if (next != by_number.begin())
      number = std::max(number, std::prev(next)->second.first + std::prev(next)->second.count);
    for (; number < end_of(i); ++next) {
      const std::uint32_t end = next == by_number.end() ? end_of(i) : std::min(next->first, end_of(i));
      if (number < end) by_number.emplace_hint(next, number, Piece{i, number, end - number});
      if (next == by_number.end()) break;
      number = next->first + next->second.count;
    }
  }
  for (const auto& [number, piece] : by_number) pieces_.push_back(piece);
}

bool operator==(const HostNames& a, const HostNames& b) {
  if (a.size_ != b.size_) return false;
  return a.ranges_ == b.ranges_ || a.all() == b.all();
}

bool surely_differ(std::span<const HostNames* const> lists) {
  std::vector<const HostRange*> all;
  std::set<std::string_view> prefixes;
  for (const HostNames* list : lists)
    for (const HostRange& range : list->ranges()) {
      all.push_back(&range);
      if (!range.suffix.empty() && is_digit(range.suffix.front())) return false;
      if (range.width > 0) prefixes.insert(range.prefix);
    }
  // A prefix may be another one and the digits behind it.
  for (const HostRange* range : all)
    for (std::size_t i = 0; i < range->prefix.size(); ++i)
      if (is_digit(range->prefix[i]) && prefixes.contains(std::string_view(range->prefix).substr(0, i))) return false;
  const auto stem = [](const HostRange* r) {
    return std::tuple<std::string_view, std::string_view, bool>(r->prefix, r->suffix, r->width > 0);
  };
  std::sort(all.begin(), all.end(), [&](const HostRange* a, const HostRange* b) {
    return std::pair(stem(a), a->first) < std::pair(stem(b), b->first);
  });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (stem(all[i - 1]) == stem(all[i]) && all[i]->first < all[i - 1]->first + all[i - 1]->count) return false;
  return true;
}

}  // namespace muster
