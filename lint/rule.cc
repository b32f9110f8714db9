#include "lint/rule.h"

#include <algorithm>
#include <vector>

#include "compiler/base/text.h"

namespace muster::lint {
namespace {

// The words of the catalogue's third column.
constexpr Places spec{static_cast<std::uint8_t>(Place::spec)};
constexpr Places target_block{static_cast<std::uint8_t>(Place::target_block)};
constexpr Places script{static_cast<std::uint8_t>(Place::script)};
constexpr Places manifest{static_cast<std::uint8_t>(Place::manifest)};
constexpr Places site{static_cast<std::uint8_t>(Place::site)};
constexpr Places rules{static_cast<std::uint8_t>(Place::rules)};

constexpr Places operator|(Places a, Places b) { return {static_cast<std::uint8_t>(a.bits | b.bits)}; }

// The sources of a row: `title <address>, title <address>`.
std::vector<Source> read_sources(std::string_view text) {
  std::vector<Source> out;
  while (!text.empty()) {
    const std::size_t open = text.find(" <"), close = text.find('>', open);
    if (open == std::string_view::npos || close == std::string_view::npos) break;
    out.push_back({text.substr(0, open), text.substr(open + 2, close - open - 2)});
    text.remove_prefix(std::min(text.size(), close + 3));  // ">, "
  }
  return out;
}

std::vector<Rule> read_catalogue() {
  return {
#define MUSTER_RULE(id, slug, places, severity, profile, stage, fix, summary, checks, why, instead, sources, \
                    parameters)                                                                              \
  Rule{#id,                                                                                                  \
       dashed(#slug),                                                                                        \
       Severity::severity,                                                                                   \
       places,                                                                                               \
       Profile::profile,                                                                                     \
       Stage::stage,                                                                                         \
       FixKind::fix,                                                                                         \
       summary,                                                                                              \
       checks,                                                                                               \
       why,                                                                                                  \
       instead,                                                                                              \
       std::string(why) + " " + instead,                                                                     \
       read_sources(sources),                                                                                \
       parameters},
#include "lint/catalogue.def"
  };
}

constexpr Family families[] = {
#define MUSTER_FAMILY(id, title) {#id, title},
#include "lint/catalogue.def"
};

}  // namespace

std::vector<std::string_view> names(Places places) {
  static constexpr std::string_view all[] = {"spec", "target-block", "script", "manifest", "site", "rules"};
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < std::size(all); ++i)
    if (((places.bits >> i) & 1) != 0) out.push_back(all[i]);
  return out;
}

std::string listed(Places places) {
  std::string out;
  for (const std::string_view word : names(places)) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

std::string_view name(Profile profile) {
  return profile == Profile::min ? "min" : profile == Profile::normal ? "default" : "strict";
}

std::string_view name(FixKind kind) {
  return kind == FixKind::none ? "none" : kind == FixKind::unsafe ? "unsafe" : "safe";
}

std::span<const Rule> all_rules() {
  static const std::vector<Rule> rules = read_catalogue();
  return rules;
}

std::span<const Family> all_families() { return families; }

const Rule& info(RuleId rule) { return all_rules()[static_cast<std::size_t>(rule)]; }

bool needs_site(RuleId rule) {
  switch (rule) {
    case RuleId::walltime_over_limit:
    case RuleId::walltime_at_limit:
    case RuleId::array_over_maxjobs:
    case RuleId::unknown_partition:
    case RuleId::over_site_limit:
    case RuleId::mem_zero_shared:
    case RuleId::topology_conf_missing:
    case RuleId::mixed_fabric:
    case RuleId::no_requeue_signal:
    case RuleId::scheduler_name_mismatch:
    case RuleId::wrong_architecture:
    case RuleId::tenant_without_quota:
    case RuleId::queue_unset: return true;
    default: return false;
  }
}

const Rule* find_rule(std::string_view text) {
  for (const Rule& rule : all_rules())
    if (equal_ignoring_case(rule.id, text) || equal_ignoring_case(rule.name, text)) return &rule;
  return nullptr;
}

std::string nearest_rule(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Rule& rule : all_rules()) names.push_back(rule.id), names.push_back(rule.name);
  return closest(word, names);
}

}  // namespace muster::lint
