// Points of a sweep: which value each axis has there.
#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

#include "compiler/model/workload.h"

namespace muster::model {
namespace {

// A task id as it would be printed again; nullopt for `007`, `-1` and what is not a number.
std::optional<std::int64_t> task_id(const std::string& text) {
  std::int64_t id = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, id);
  if (error != std::errc() || stop != end || id < 0 || std::to_string(id) != text) return std::nullopt;
  return id;
}

}  // namespace

// No overflow: the checker keeps the product within most_points.
std::size_t Sweep::points() const {
  if (axes.empty()) return 0;
  if (zip) return axes[0].values.size();
  std::size_t count = 1;
  for (const Axis& axis : axes) count *= axis.values.size();
  return count;
}

const std::string& Sweep::value(std::size_t axis, std::size_t point) const {
  if (zip) return axes[axis].values[point];
  for (std::size_t later = axis + 1; later < axes.size(); ++later) point /= axes[later].values.size();
  return axes[axis].values[point % axes[axis].values.size()];
}

std::optional<std::vector<std::int64_t>> Sweep::ids() const {
  if (axes.size() != 1) return std::nullopt;
  std::vector<std::int64_t> out;
  for (const std::string& value : axes[0].values) {
    const auto id = task_id(value);
    if (!id) return std::nullopt;
    out.push_back(*id);
  }
  if (std::set<std::int64_t>(out.begin(), out.end()).size() != out.size()) return std::nullopt;
  return out;
}

std::vector<std::int64_t> Sweep::task_ids() const {
  if (auto own = ids()) return *own;
  std::vector<std::int64_t> out(points());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

}  // namespace muster::model
