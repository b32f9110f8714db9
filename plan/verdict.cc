#include "plan/verdict.h"

#include <utility>

namespace muster::plan {

Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::does_not_fit || b == Verdict::does_not_fit) return Verdict::does_not_fit;
  return a == Verdict::unknown || b == Verdict::unknown ? Verdict::unknown : Verdict::fits;
}

Verdict worst_of(const Fit& fit) { return worse(worse(fit.capacity.verdict, fit.policy.verdict), fit.now.verdict); }

Distance distance(const Level& level) {
  if (!level.certificate) return {};
  return {level.certificate->kind == "floor", level.certificate->missing};
}

void add_note(Level& level, std::string text) { level.note += (level.note.empty() ? "" : "; ") + std::move(text); }

Level refused(Certificate certificate) { return {Verdict::does_not_fit, std::move(certificate), {}}; }

}  // namespace muster::plan
