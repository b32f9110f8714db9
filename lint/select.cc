#include "lint/select.h"

#include "compiler/base/text.h"

namespace muster::lint {
namespace {

// Sets the flags of the rules that a word names; false: it names none.
bool set(std::string_view word, bool value, bool preview, Selection& out) {
  const auto rules = all_rules();
  bool found = false;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const bool named = equal_ignoring_case(rules[i].id, word) || equal_ignoring_case(rules[i].name, word);
    const bool family = equal_ignoring_case(rules[i].id.substr(0, 3), word);
    found = found || named || family;
    if (named || (family && (!value || preview || rules[i].stage == Stage::stable))) out.runs[i] = value;
  }
  return found;
}

}  // namespace

Selection select_rules(const std::vector<std::string>& only, const std::vector<std::string>& except, bool preview,
                       std::string& unknown, Profile profile) {
  Selection out;
  out.profile = profile;
  for (const Rule& rule : all_rules())
    out.runs.push_back(only.empty() && rule.profile <= profile && (preview || rule.stage == Stage::stable));
  for (const std::string& word : only)
    if (!set(word, true, preview, out)) unknown = word;
  for (const std::string& word : except)
    if (!set(word, false, preview, out)) unknown = word;
  return out;
}

}  // namespace muster::lint
