// `decide --flip` speaks of what the author of a workload can change.
#include <algorithm>
#include <string>

#include "plan/decide/facts.h"
#include "rules/box.h"
#include "rules/explain.h"
#include "rules/profiles.h"
#include "tests/catch.h"
#include "tests/property/random.h"

namespace flips_test {

using namespace muster;

TEST_CASE("flips of a workload are of its size, and not of advice", "[rules][flips]") {
  property::Random random(21);
  std::size_t asked = 0, found = 0, good = 0;
  for (const char* name : {"default", "greenfield"}) {
    const model::Policy policy = rules::profile(name);
    const rules::Space space(policy);
    for (int i = 0; i < 30; ++i) {
      rules::Cell cell;
      for (const auto& dimension : space.dimensions())
        cell.push_back(
            static_cast<std::uint32_t>(random.upto(static_cast<std::int64_t>(dimension.classes.size()) - 1)));
      const auto fixed = plan::facts_not_of_author();
      const rules::Flips flips = rules::flips(policy, space.values(cell), {}, fixed, "advice");
      ++asked;
      for (const rules::Flip& flip : flips.items) {
        const bool of_size = std::all_of(flip.changes.begin(), flip.changes.end(), [](const rules::Change& c) {
          return c.fact == "nodes" || c.fact == "workers";
        });
        const bool of_advice = std::any_of(flip.outputs.begin(), flip.outputs.end(),
                                           [](const rules::OutputChange& c) { return c.output == "advice"; });
        CHECK(of_size);
        CHECK_FALSE(of_advice);
        ++found, good += of_size && !of_advice;
      }
    }
  }
  CHECK(asked == 60);
  CHECK(found > 0);
  CHECK(good == found);
}

}  // namespace flips_test
