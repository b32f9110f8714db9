#include "compiler/sema/check/slice_places.h"

#include <algorithm>

#include "compiler/base/text.h"

namespace muster::sema {
namespace {

constexpr std::uint32_t most = model::SlicePlaces::most;

// One digit: a GPU has no more memory slices than eight.
std::optional<std::uint32_t> digit(std::string_view text) {
  if (text.size() != 1 || text[0] < '0' || text[0] > '8') return std::nullopt;
  return static_cast<std::uint32_t>(text[0] - '0');
}

}  // namespace

std::optional<model::SlicePlaces> parse_places(std::string_view text) {
  const std::size_t end = text.find("}:");
  if (!text.starts_with('{') || end == std::string_view::npos) return std::nullopt;
  const auto size = digit(trimmed(text.substr(end + 2), " "));
  if (!size || *size == 0) return std::nullopt;
  model::SlicePlaces out;
  out.size = *size;
  for (std::string_view left = text.substr(1, end - 1);;) {
    const std::size_t comma = left.find(',');
    const auto start = digit(trimmed(left.substr(0, comma), " "));
    if (!start || *start + out.size > most) return std::nullopt;
    out.starts.push_back(*start);
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  std::sort(out.starts.begin(), out.starts.end());
  out.starts.erase(std::unique(out.starts.begin(), out.starts.end()), out.starts.end());
  return out;
}

std::string places_text(const model::SlicePlaces& places) {
  std::string out = "{";
  for (const std::uint32_t start : places.starts) out += (out.size() > 1 ? "," : "") + std::to_string(start);
  return out + "}:" + std::to_string(places.size);
}

std::int64_t compute_slices_of(std::string_view profile) {
  const bool named = profile.size() > 1 && profile[0] >= '1' && profile[0] <= '7' && profile[1] == 'g';
  return named ? profile[0] - '0' : 0;
}

}  // namespace muster::sema
