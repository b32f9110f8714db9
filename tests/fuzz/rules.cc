// Any bytes as a rule file: the loader reports, or gives policies that can be proven, asked and compared. The proof
// says the same by cells and by boxes, where both are possible.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "rules/diff.h"
#include "rules/digest.h"
#include "rules/explain.h"
#include "rules/profiles.h"
#include "rules/verify.h"

using namespace muster;

namespace {

void try_policy(const model::Policy& policy) {
  const rules::Verification result = rules::verify(policy);
  rules::digest(policy);
  if (!result.findings.empty()) return;
  const rules::Space space(policy);
  const rules::Cell first(space.dimensions().size(), 0);
  if (!std::holds_alternative<rules::Outcome>(rules::evaluate(policy, space.values(first)))) std::abort();
  rules::flips(policy, space.values(first));
  const auto same = rules::diff(policy, policy);
  if (same && !same->items.empty()) std::abort();
  if (result.cells > 4'096) return;
  const auto boxes = rules::by_boxes(policy, space);
  if (boxes && !(*boxes == rules::by_enumeration(policy, space))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static const std::vector<model::Policy> profiles = {rules::profile("default"), rules::profile("seed")};
  Sources sources;
  Diagnostics diagnostics;
  sema::CheckOptions options;
  options.profiles = profiles;
  const auto tree = syntax::parse(sources, sources.add("text", text), diagnostics);
  if (!tree) return 0;
  const model::Module module = sema::check({*tree}, sources, options, diagnostics);
  if (diagnostics.has_errors()) return 0;
  for (const model::Policy& policy : module.policies) try_policy(policy);
  return 0;
}
