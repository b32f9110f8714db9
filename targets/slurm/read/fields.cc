#include "targets/slurm/read/fields.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <unordered_set>

#include "compiler/base/text.h"

namespace muster::targets::slurm {
namespace {

bool is_key_char(char c) { return is_name_char(c) || c == '/'; }

// The end of a key that begins at `at`, i.e. the place of its `=`; npos if none begins there.
std::size_t key_end(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_key_char(text[end])) ++end;
  return end > at && end < text.size() && text[end] == '=' ? end : std::string_view::npos;
}

bool is_free_text(std::string_view key) {
  return equal_ignoring_case(key, "Reason") || equal_ignoring_case(key, "Comment") || equal_ignoring_case(key, "Extra");
}

bool is_nothing(std::string_view value) { return value == "(null)" || value == "N/A" || value == "n/a"; }

bool is_silent(std::string_view key, std::string_view value, std::span<const SilentKey> silent) {
  if (is_no_limit(value)) return true;
  return std::any_of(silent.begin(), silent.end(), [&](const SilentKey& one) {
    if (!equal_ignoring_case(one.key, key)) return false;
    const auto values = split(one.values, '|');
    return one.values.empty() ||
           std::any_of(values.begin(), values.end(), [&](std::string_view v) { return equal_ignoring_case(v, value); });
  });
}

// Where the value that begins at `at` ends: before the next ` Key=`.
std::size_t value_end(std::string_view text, std::size_t at) {
  for (std::size_t i = at; i < text.size(); ++i)
    if (is_blank(text[i]) && i + 1 < text.size() && key_end(text, i + 1) != std::string_view::npos) return i;
  return text.size();
}

// A line of a configuration file without its comment; `\#` is a plain sign.
std::string_view without_comment(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '#' && !quoted && (i == 0 || text[i - 1] != '\\')) return text.substr(0, i);
  }
  return text;
}

}  // namespace

std::vector<Line> lines_of(const ClusterText& text) {
  std::vector<Line> out;
  for (std::size_t begin = 0; begin < text.text.size();) {
    const std::size_t end = std::min(text.text.find('\n', begin), text.text.size());
    std::string_view line = text.text.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    out.push_back({line, text.begin + static_cast<std::uint32_t>(begin)});
    begin = end + 1;
  }
  return out;
}

std::string_view Fields::get(std::string_view key) const {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& [name, value] = items[i];
    if (!equal_ignoring_case(name, key)) continue;
    read.resize(items.size());
    read[i] = true;
    return is_nothing(value) ? std::string_view() : value;
  }
  return {};
}

std::vector<std::string> Fields::unread(std::span<const SilentKey> silent) const {
  std::vector<std::string> out;
  std::unordered_set<std::string> known;  // only the first of a key counts
  for (std::size_t i = 0; i < items.size(); ++i)
    if (i < read.size() && read[i]) known.insert(muster::lower(items[i].first));
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i < read.size() && read[i]) continue;
    const auto& [key, value] = items[i];
    if (!known.insert(muster::lower(key)).second || is_nothing(value) || is_silent(key, value, silent)) continue;
    out.emplace_back(key);
  }
  return out;
}

std::optional<std::int64_t> Fields::number(std::string_view key) const { return whole_number(get(key)); }

void tokenize(const Line& line, std::uint32_t file, Fields& fields) {
  const std::string_view text = line.text;
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    const std::size_t equals = key_end(text, at);
    if (equals == std::string_view::npos) {  // no key: skip the word
      while (at < text.size() && !is_blank(text[at])) ++at;
      continue;
    }
    const std::string_view key = text.substr(at, equals - at);
    if (!fields.span.known())
      fields.span = {file, line.begin + static_cast<std::uint32_t>(at),
                     line.begin + static_cast<std::uint32_t>(equals)};
    const std::size_t begin = equals + 1;
    std::size_t end = is_free_text(key) ? text.size() : value_end(text, begin);
    std::size_t next = end;
    std::string_view value = trimmed(text.substr(begin, end - begin));
    if (begin < text.size() && text[begin] == '"') {
      end = std::min(text.find('"', begin + 1), text.size());
      value = text.substr(begin + 1, end - begin - 1);
      next = std::min(end + 1, text.size());
    }
    fields.items.emplace_back(key, value);
    at = next;
  }
}

std::vector<Fields> read_records(const ClusterText& text, std::string_view head) {
  std::vector<Fields> out;
  for (const Line& line : lines_of(text)) {
    if (line.text.empty()) continue;
    const bool starts = line.text.starts_with(head) && line.text.size() > head.size() && line.text[head.size()] == '=';
    if (starts) out.emplace_back();
    if (starts || (!out.empty() && is_blank(line.text.front()))) tokenize(line, text.file, out.back());
  }
  return out;
}

std::vector<Fields> read_statements(const ClusterText& text, std::vector<std::string>& joined) {
  const std::vector<Line> lines = lines_of(text);
  joined.reserve(lines.size());  // views into its elements must stay valid
  std::vector<Fields> out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Line line{without_comment(lines[i].text), lines[i].begin};
    if (line.text.ends_with('\\')) {
      std::string whole;
      while (line.text.ends_with('\\') && i + 1 < lines.size()) {
        whole += line.text.substr(0, line.text.size() - 1);
        line.text = without_comment(lines[++i].text);
      }
      whole += line.text;
      joined.push_back(std::move(whole));
      line.text = joined.back();
    }
    Fields fields;
    tokenize(line, text.file, fields);
    if (!fields.items.empty()) out.push_back(std::move(fields));
  }
  return out;
}

std::string_view Table::cell(std::size_t row, std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!equal_ignoring_case(columns[i], name)) continue;
      read.resize(columns.size());
      read[i] = true;
      return i < rows[row].size() ? rows[row][i] : std::string_view();
    }
  return {};
}

std::vector<std::pair<std::string, std::string>> Table::cells(std::size_t row, std::span<const SilentKey> silent,
                                                              bool only_unread) const {
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t i = 0; i < std::min(columns.size(), rows[row].size()); ++i)
    if (!(only_unread && i < read.size() && read[i]) && !is_nothing(rows[row][i]) &&
        !is_silent(columns[i], rows[row][i], silent))
      out.emplace_back(columns[i], rows[row][i]);
  return out;
}

Span Table::span_of(std::size_t row, std::string_view cell) const {
  const std::less_equal<const char*> order;
  const char* first = text.text.data();
  if (cell.empty() || !order(first, cell.data()) || !order(cell.data() + cell.size(), first + text.text.size()))
    return spans[row];
  const std::uint32_t begin = text.begin + static_cast<std::uint32_t>(cell.data() - first);
  return {text.file, begin, begin + static_cast<std::uint32_t>(cell.size())};
}

Table read_table(const ClusterText& text) {
  Table out;
  out.text = text;
  for (const Line& line : lines_of(text)) {
    if (line.text.empty()) continue;
    std::vector<std::string_view> cells = split(line.text, '|');
    for (std::string_view& cell : cells) cell = trimmed(cell);
    if (out.columns.empty()) {
      out.columns = std::move(cells);
      continue;
    }
    out.rows.push_back(std::move(cells));
    out.spans.push_back({text.file, line.begin, line.begin + static_cast<std::uint32_t>(line.text.size())});
  }
  return out;
}

std::vector<Gres> read_gres(std::string_view text) {
  std::vector<Gres> out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    std::string_view item = text.substr(begin, i - begin);
    begin = i + 1;
    item = item.substr(0, item.find('('));
    for (const std::string_view prefix : {"gres:", "gres/"})
      if (item.starts_with(prefix)) item.remove_prefix(prefix.size());
    std::string plain(item);
    std::replace(plain.begin(), plain.end(), '=', ':');
    const auto parts = split(plain, ':');
    const auto last = parts.size() > 1 ? whole_number(parts.back()) : std::nullopt;
    if (parts[0].empty() || parts.size() > 4) continue;
    Gres gres{std::string(parts[0]), {}, last.value_or(1)};
    const std::size_t type = last ? 2 : 1;  // gpu:TYPE:N, gpu:TYPE
    if (parts.size() > type && parts[1] != "no_consume") gres.type = parts[1];
    out.push_back(std::move(gres));
  }
  return out;
}

std::optional<Duration> read_time(std::string_view text) {
  std::int64_t days = 0;
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    const auto d = whole_number(text.substr(0, dash));
    if (!d) return std::nullopt;
    days = *d;
    text.remove_prefix(dash + 1);
  }
  const auto words = split(text, ':');
  std::vector<std::int64_t> parts;
  for (const std::string_view word : words) {
    const auto part = whole_number(word);
    if (!part || *part > 1'000'000'000) return std::nullopt;
    parts.push_back(*part);
  }
  if (parts.size() > 3 || days > 1'000'000) return std::nullopt;
  parts.resize(3, 0);
  std::int64_t seconds = parts[0] * 3600 + parts[1] * 60 + parts[2];
  if (dash == std::string_view::npos && words.size() == 1) seconds = parts[0] * 60;
  if (dash == std::string_view::npos && words.size() == 2) seconds = parts[0] * 60 + parts[1];
  return Duration{(days * 86'400 + seconds) * 1000};
}

std::vector<std::string> read_list(std::string_view text) {
  std::vector<std::string> out;
  if (text.empty() || equal_ignoring_case(text, "ALL") || equal_ignoring_case(text, "NONE")) return out;
  for (const std::string_view part : split(text, ','))
    if (!trimmed(part).empty()) out.emplace_back(trimmed(part));
  return out;
}

bool is_no_limit(std::string_view value) {
  constexpr std::string_view words[] = {"UNLIMITED", "INFINITE", "NONE", "N/A", "(null)", "Partition_Limit"};
  const auto is_it = [&](std::string_view word) { return equal_ignoring_case(value, word); };
  return value.empty() || std::any_of(std::begin(words), std::end(words), is_it);
}

}  // namespace muster::targets::slurm
