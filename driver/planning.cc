#include "driver/planning.h"

#include <algorithm>
#include <cstdio>

#include "cli/rules_report.h"
#include "compiler/base/text.h"
#include "rules/profiles.h"
#include "rules/verify.h"

namespace muster::cli {
namespace {

void add_level(std::string& out, const char* what, const plan::Level& level) {
  out += "  " + padded(what, 9) + std::string(plan::name(level.verdict));
  if (level.certificate) out += ": " + level.certificate->text;
  else if (!level.note.empty()) out += ": " + level.note;
  out += "\n";
}

// " below 2 spines (no fewer for so few leaves)".
std::string below(const plan::Fit& fit) {
  if (fit.spines == 0) return {};
  return " below " + counted(fit.spines, "spine") +
         (fit.spines == 1 ? ""
          : fit.spines == fit.spine_lower_bound
              ? ", the fewest for so few leaves"
              : ", at least " + std::to_string(fit.spine_lower_bound) + " for so few leaves");
}

// "from 2 nodes to 5 of at most 8".
std::string growth_text(const plan::Growth& growth) {
  return "from " + counted(growth.low, growth.of_nodes ? "node" : "replica") + " to " + std::to_string(growth.to) +
         " of at most " + std::to_string(growth.high);
}

// "n1 GPU 0: 4 × 1g.10gb, n1 GPU 1: 2 × 1g.10gb and 3 others".
std::string parts_text(const plan::Fit& fit) {
  struct Cut {
    std::string gpu, part;
    long long count = 0;
  };
  std::vector<Cut> cuts;
  for (const plan::PlacedNode& p : fit.placements) {
    if (!p.part || p.gpus.empty()) continue;
    const Cut cut{p.node + " GPU " + std::to_string(p.gpus.front()),
                  p.part->slices != 0 ? p.part->profile : std::to_string(p.part->percent) + "%"};
    if (cuts.empty() || cuts.back().gpu != cut.gpu || cuts.back().part != cut.part) cuts.push_back(cut);
    ++cuts.back().count;
  }
  constexpr std::size_t shown = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, cuts.size()); ++i)
    out += (i == 0 ? "" : ", ") + cuts[i].gpu + ": " +
           (cuts[i].count > 1 ? std::to_string(cuts[i].count) + " × " : "") + cuts[i].part;
  if (cuts.size() > shown) out += " and " + counted(static_cast<long long>(cuts.size() - shown), "other");
  return out;
}

}  // namespace

std::optional<Setting> make_setting(Session& session, const std::string& profile) {
  return make_setting(session, profile, session.site());
}

std::optional<Setting> make_setting(Session& session, const std::string& profile, const model::Site* site) {
  Setting out;
  out.site = site;
  if (site == nullptr) return std::nullopt;
  out.use(session.fleet(*out.site));
  if (session.diagnostics().has_errors()) return std::nullopt;
  if (!profile.empty()) {
    out.policy = rules::profile(profile);
    return out;
  }
  const model::Policy* own = session.policy(site);
  if (session.diagnostics().has_errors()) return std::nullopt;
  if (own == nullptr) out.policy = rules::profile("default");
  else if (usable(*own, session.options().as_of, own->span, session.diagnostics())) out.policy = *own;
  else return std::nullopt;
  return out;
}

bool usable(const model::Policy& policy, const std::string& as_of, Span where, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  check_expiry(policy, as_of, diagnostics);
  for (const rules::Finding& finding : rules::verify(policy).findings) {
    const std::string cell =
        finding.witness ? ", first for " + rules::describe(policy, *finding.witness) : std::string();
    diagnostics.add(finding.kind == rules::Finding::Kind::too_large ? Code::rules_too_large : Code::policy_not_proven,
                    finding.span.known() ? finding.span : where, finding.text + cell);
  }
  return diagnostics.size() == before;
}

plan::PlanRequest request_for(const model::Workload* workload, const Session& session, const Setting& setting) {
  plan::PlanRequest out;
  out.workload = workload;
  out.workloads = session.module().workloads;
  out.site = setting.site;
  out.site_given = session.site_given();
  out.fleet = setting.fleet;
  out.state = setting.state.get();
  out.policy = &setting.policy;
  return out;
}

bool split_facts(const std::vector<std::string>& values, std::vector<std::pair<std::string, std::string>>& out) {
  for (const std::string& value : values) {
    const std::size_t equals = value.find('=');
    if (equals == std::string::npos || equals == 0) {
      std::fprintf(stderr, "muster decide: --fact takes NAME=VALUE, found `%s`\n", value.c_str());
      return false;
    }
    out.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  }
  return true;
}

bool may_start(const plan::Plan& plan, Diagnostics& diagnostics) {
  const model::Workload& w = *plan.workload;
  if (plan.plane == nullptr && plan.decision.target.empty()) {
    diagnostics.add(Code::no_plane, w.span,
                    "site `" + plan.site->name + "` has no plane that can take `" + w.name + "`");
    return false;
  }
  for (const plan::Level* level : {&plan.fit.policy, &plan.fit.capacity}) {
    if (level->verdict != plan::Verdict::does_not_fit || !level->certificate) continue;
    Diagnostic& d =
        diagnostics.add(Code::does_not_fit, w.span, "`" + w.name + "` does not fit: " + level->certificate->text);
    for (const plan::LostOption& option : plan.lost) d.notes.push_back("option " + option.name + ": " + option.why);
    return false;
  }
  if (plan.plane != nullptr && plan::startable(plan.fit) == plan::Verdict::unknown) {
    const std::string& note = plan.fit.capacity.note.empty() ? plan.fit.policy.note : plan.fit.capacity.note;
    diagnostics.add(Code::fit_unknown, w.span,
                    "whether `" + w.name + "` fits is not known" + (note.empty() ? "" : ": " + note));
  }
  return true;
}

std::string fit_text(const plan::Fit& fit, const model::Workload& workload) {
  std::string out = workload.id + ": " + std::string(plan::name(fit.verdict)) + "\n";
  add_level(out, "capacity", fit.capacity);
  add_level(out, "policy", fit.policy);
  add_level(out, "now", fit.now);
  constexpr std::size_t shown = 4;
  std::string before;
  for (std::size_t i = 0; i < std::min(shown, fit.placed_before.size()); ++i)
    before += (i == 0 ? "" : ", ") + fit.placed_before[i];
  if (fit.placed_before.size() > shown)
    before += " and " + counted(static_cast<long long>(fit.placed_before.size() - shown), "other");
  if (!before.empty()) out += "  " + padded("after", 9) + before + "\n";
  if (fit.growth) out += "  " + padded("grows", 9) + growth_text(*fit.growth) + "\n";
  if (fit.placements.empty()) return out;
  std::vector<std::string> names;
  for (const plan::PlacedNode& p : fit.placements) names.push_back(p.node);
  const auto pods = static_cast<long long>(names.size());
  std::vector<std::string_view> distinct(names.begin(), names.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() < names.size()) names = std::vector<std::string>(distinct.begin(), distinct.end());
  const auto nodes = static_cast<long long>(names.size());
  out += "  " + padded("nodes", 9) + (pods > nodes ? counted(pods, "pod") + " on " : "") + counted(nodes, "node") +
         " of pool " + fit.pool + ": " + compress_hosts(names) + "\n";
  if (const std::string parts = parts_text(fit); !parts.empty()) out += "  " + padded("parts", 9) + parts + "\n";
  out += "  " + padded("leaves", 9) + std::to_string(fit.leaf_switches) +
         (fit.leaf_switches == 1 ? " leaf switch" : " leaf switches") + below(fit) + ", no placement uses fewer than " +
         std::to_string(fit.leaf_lower_bound) + "\n";
  return out;
}

}  // namespace muster::cli
