#include "lint/suppression_index.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/property/random.h"

namespace suppression_index_test {

using namespace muster;
using namespace muster::lint;

namespace {

constexpr RuleId rules[] = {RuleId::double_launch, RuleId::unused_suppression};
const std::string subjects[] = {"", "w", "x"};
const std::string paths[] = {"", "role.", "role.a.", "role.a.b.", "role.b."};
const std::string days[] = {"", "2026-01-01", "2027-01-01"};
constexpr std::string_view today = "2026-06-01";

Span any_span(property::Random& random) {
  const auto begin = static_cast<std::uint32_t>(random.upto(30));
  return {static_cast<std::uint32_t>(1 + random.upto(1)), begin, begin + static_cast<std::uint32_t>(random.upto(12))};
}

Suppression any_suppression(property::Random& random) {
  Suppression s{random.any_of(rules), {}, {}, {}, "", random.any_of(days), false};
  s.proposed = random.one_in(4);
  s.block = random.one_in(3);
  if (s.block) s.subject = random.any_of(subjects), s.path = s.subject.empty() ? "" : random.any_of(paths);
  else s.scope = any_span(random), s.placed = random.one_in(2);
  return s;
}

Finding any_finding(property::Random& random) {
  Finding f = finding(random.any_of(rules), any_span(random), "");
  f.subject = random.any_of(subjects);
  f.path = random.any_of(paths) + (random.one_in(2) ? "nodes" : "");
  f.fault = random.one_in(20);
  if (random.one_in(3)) f.shown_by = any_span(random);
  if (random.one_in(3)) f.labels = {{any_span(random), ""}, {any_span(random), ""}};
  return f;
}

// Each held against each finding.
bool covers(const Suppression& s, const Finding& f) {
  if (s.block) return s.subject.empty() || (f.subject == s.subject && f.path.starts_with(s.path));
  const auto inside = [&](Span place) {
    return place.file == s.scope.file && place.begin >= s.scope.begin && place.begin < s.scope.end;
  };
  const bool points = std::any_of(f.labels.begin(), f.labels.end(), [&](const Label& l) { return inside(l.span); });
  return inside(f.primary) || inside(f.shown_by) || (s.placed && f.subject.empty() && points);
}

const Suppression* found_among(std::vector<Suppression>& all, const Finding& f) {
  const Suppression* found = nullptr;
  for (Suppression& s : all) {
    if (!is_of(f, s.rule) || !covers(s, f)) continue;
    s.used = true;
    const bool expired = !s.until.empty() && s.until < today;
    if (!expired && (found == nullptr || (found->proposed && !s.proposed))) found = &s;
  }
  return found;
}

}  // namespace

TEST_CASE("the index finds what a look at every suppression finds", "[lint][property]") {
  property::Random random(3);
  int found = 0;
  for (int round = 0; round < 2'000; ++round) {
    Suppressions indexed;
    for (std::int64_t i = 0, n = random.upto(14); i < n; ++i) indexed.items.push_back(any_suppression(random));
    std::vector<Suppression> plain = indexed.items;
    SuppressionIndex index(indexed, today);
    for (int i = 0; i < 4; ++i) {
      const Finding f = any_finding(random);
      const Suppression *one = index.find(f), *other = found_among(plain, f);
      REQUIRE((one == nullptr) == (other == nullptr));
      if (one == nullptr) continue;
      ++found;
      REQUIRE(one - indexed.items.data() == other - plain.data());
    }
    for (std::size_t i = 0; i < plain.size(); ++i) REQUIRE(plain[i].used == indexed.items[i].used);
  }
  CHECK(found > 2'000);
}

}  // namespace suppression_index_test
