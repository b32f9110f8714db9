#include "targets/failures.h"

#include <array>
#include <cstdint>

namespace muster::targets {
namespace {

enum class Is : std::uint8_t { kind, failure, setting, cell, refused, no_case, played };

struct FailureRow {
  Is is;
  std::array<std::string_view, 6> of;
};

constexpr FailureRow rows[] = {
#define FAILURE_KIND(a, b, c) {Is::kind, {a, b, c}},
#define FAILURE(a, b) {Is::failure, {a, b}},
#define SETTING(a, b) {Is::setting, {a, b}},
#define CELL(a, b, c, d, e, f) {Is::cell, {a, b, c, d, e, f}},
#define REFUSED(a, b) {Is::refused, {a, b}},
#define NO_CASE(a, b) {Is::no_case, {a, b}},
#define PLAYED(a, b, c, d) {Is::played, {a, b, c, d}},
#include "targets/failures.def"
#undef FAILURE_KIND
#undef FAILURE
#undef SETTING
#undef CELL
#undef REFUSED
#undef NO_CASE
#undef PLAYED
};

template <class Thing, class Make>
std::vector<Thing> all_of(Is is, const Make& make) {
  std::vector<Thing> out;
  for (const FailureRow& row : rows)
    if (row.is == is) out.push_back(make(row.of));
  return out;
}

FailureCell cell_of(std::string_view failure, std::string_view kind, std::string_view setting) {
  for (const FailureRow& row : rows)
    if (row.is == Is::refused && row.of[0] == kind && (row.of[1] == setting || row.of[1].empty())) return {};
  for (const FailureRow& row : rows)
    if (row.is == Is::no_case && row.of[0] == failure && row.of[1] == kind) return {"", "", "–"};
  for (const auto& [whose, when] :
       std::array<std::array<std::string_view, 2>, 4>{{{kind, setting}, {kind, ""}, {"", setting}, {"", ""}}})
    for (const FailureRow& row : rows)
      if (row.is == Is::cell && row.of[0] == failure && row.of[1] == whose && row.of[2] == when)
        return {row.of[3], row.of[4], row.of[5]};
  return {};
}

}  // namespace

std::vector<Failure> failures() {
  return all_of<Failure>(Is::failure, [](const auto& of) { return Failure{of[0], of[1]}; });
}

std::vector<RetrySetting> retry_settings() {
  return all_of<RetrySetting>(Is::setting, [](const auto& of) { return RetrySetting{of[0], of[1]}; });
}

std::vector<FailureKind> failure_kinds() {
  auto out = all_of<FailureKind>(Is::kind, [](const auto& of) { return FailureKind{of[0], of[1], of[2], {}}; });
  for (FailureKind& kind : out)
    for (const Failure& failure : failures()) {
      std::vector<FailureCell>& cells = kind.cells.emplace_back();
      for (const RetrySetting& setting : retry_settings())
        cells.push_back(cell_of(failure.name, kind.name, setting.name));
    }
  return out;
}

std::vector<PlayedEnd> played_ends() {
  return all_of<PlayedEnd>(Is::played, [](const auto& of) { return PlayedEnd{of[0], of[1], of[2], of[3]}; });
}

}  // namespace muster::targets
