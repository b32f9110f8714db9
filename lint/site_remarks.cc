#include "lint/site_remarks.h"

#include "compiler/base/text.h"

namespace muster::lint {
namespace {

bool asks_for_site(const Result& r) { return r.finding.needs_site && r.state == State::open; }

}  // namespace

void SiteRemarks::merge(std::vector<Result>& results) {
  std::erase_if(results, [&](const Result& r) {
    return asks_for_site(r) && ++places_[{r.finding.rule, r.finding.message}] > 1;
  });
}

void SiteRemarks::note_repeats(std::vector<Result>& results) const {
  for (Result& r : results) {
    const auto found = asks_for_site(r) ? places_.find({r.finding.rule, r.finding.message}) : places_.end();
    if (found != places_.end() && found->second > 1)
      r.finding.notes.push_back("the same applies to " +
                                counted(static_cast<long long>(found->second - 1), "other place"));
  }
}

}  // namespace muster::lint
