#include "lint/target_block/target_block.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "lint/check.h"
#include "lint/diagnosed.h"
#include "lint/rules/manifest/manifest.h"
#include "lint/rules/slurm/slurm.h"
#include "lint/target_block/place.h"
#include "lint/target_block/reduced.h"
#include "plan/steps/make_plan.h"
#include "targets/kubernetes/read/manifest.h"
#include "targets/target.h"

namespace muster::lint {
namespace {

using model::TargetOptions;
using targets::Target;

// Options that a block has beyond these are not asked one by one which of them brought a finding: it is the block's.
constexpr std::size_t most_asked = 16;

// What tells two findings of one file apart, wherever they are in it.
using Mark = std::tuple<RuleId, Verdict, std::string, std::string>;
Mark mark_of(const Finding& f) { return {f.rule, f.verdict, f.subject, f.message}; }

// A finding of a file that was written.
struct Seen {
  Finding finding;
  std::string document;
  std::string line;  // that it is at
};

// What a target makes of a workload, and what the rules of its files say of that.
struct Written {
  Diagnostics diagnostics;
  std::vector<Seen> seen;
};

class TargetBlockCheck {
 public:
  TargetBlockCheck(const SpecScene& scene, const Target& target, const plan::Plan& plan)
      : scene_(scene), target_(target), plan_(plan) {
    const model::Site* given = scene.context.site;
    if (given != nullptr && given->planes.size() > 1) site_ = with_only(*given, *plan.plane);
    for (const TargetOptions& block : plan.workload->targets)
      if (carries(target, block))
        for (const model::RawOption& option : block.options) options_.push_back({&block, &option});
  }

  // False: no file says what the blocks come to.
  bool check(TargetBlockFindings& out, bool decided) {
    if (options_.empty()) return true;
    const Written without = write(Reduced(plan_).plan()), with = write(plan_);
    if (without.diagnostics.has_errors()) return false;    // the blocks are not what keeps it from being written
    for (const Diagnostic& d : with.diagnostics.sorted())  // a word of the blocks that the target cannot take
      out.caused.push_back(from_diagnostic(d, false, scene_.workload.id));
    if (with.diagnostics.has_errors()) return false;
    std::map<Mark, std::size_t> known;
    for (const Seen& seen : without.seen) ++known[mark_of(seen.finding)];
    for (const Seen& seen : with.seen) {
      std::size_t& left = known[mark_of(seen.finding)];
      if (left > 0) --left;
      else out.caused.push_back(attributed(seen));
    }
    const auto is_template = [](const Seen& seen) {
      return seen.finding.rule == RuleId::unfilled_template && seen.finding.path == "template";
    };
    if (std::any_of(with.seen.begin(), with.seen.end(), is_template)) return false;  // no other rule looked at it
    if (!decided) return true;
    for (const Seen& seen : without.seen) out.fixed.insert(seen.finding.rule);
    for (const Seen& seen : with.seen) out.fixed.erase(seen.finding.rule);
    return true;
  }

 private:
  Written write(const plan::Plan& plan) const {
    Written out;
    targets::LowerOptions options;
    options.keep_finished = true;           // a time to live that every file has would hide what the blocks do
    options.names = targets::Names::fixed;  // the names are to say nothing of what is in the file
    const targets::Lowered lowered = targets::lower(target_, plan, options, out.diagnostics);
    if (out.diagnostics.has_errors()) return out;
    for (const targets::Document& document : lowered.documents) read(document, out);
    return out;
  }

  void read(const targets::Document& document, Written& out) const {
    const auto kind = kind_of(document.content);
    if (!kind) return;
    Sources sources;
    while (sources.count() < files_of_site()) sources.add("", "");  // labels speak of these by their numbers
    const std::uint32_t file = sources.add(document.name, document.content);
    Context context{sources, site_ ? &*site_ : scene_.context.site, scene_.context.fleet};
    context.state = scene_.context.state;
    std::vector<Finding> findings;
    AboutScript about;
    if (*kind == Input::script) findings = check_filled_script(context, file, 0, about);
    else check_manifest(targets::kubernetes::read_manifest(sources, file), context, findings);
    for (Finding& f : findings) {
      std::erase_if(f.labels, [&](const Label& label) { return label.span.file == file; });
      const std::uint32_t line = f.primary.file == file ? sources.position(file, f.primary.begin).line : 1;
      out.seen.push_back({std::move(f), document.name, std::string(sources.line(file, line))});
    }
  }

  std::size_t files_of_site() const {
    const Context& context = scene_.context;
    if (context.site == nullptr) return 0;
    return context.site_files > 0 ? context.site_files : context.sources.count();
  }

  // The finding at the place of the option that brought it.
  Finding attributed(const Seen& seen) {
    Finding out = seen.finding;
    const BlockOption option = option_of(seen);
    const std::string block = "target " + option.block->target;
    out.primary =
        option.option == nullptr ? option.block->span : place_in(scene_.context.sources, option, out.path, seen.line);
    out.path = "target." + option.block->target + (option.option == nullptr ? "" : "." + option.option->name);
    out.subject = scene_.workload.id;
    out.message = "in `" + seen.document + "`: " + out.message;
    out.notes.push_back("caused by the `" + block + "` block: the file emitted without it does not have this problem");
    out.fix.reset();  // of a file that does not exist
    return out;
  }

  BlockOption option_of(const Seen& seen) {
    if (options_.size() == 1) return options_.front();
    const std::string_view line = seen.line;
    const std::size_t at = line.starts_with("#SBATCH ") ? 8 : line.size();
    const std::string_view directive = line.substr(at, std::min(line.find_first_of("= ", at), line.size()) - at);
    if (const BlockOption* named = option_named(options_, seen.finding, directive)) return *named;
    for (std::size_t i = 0; i < options_.size() && options_.size() <= most_asked; ++i)
      if (!without_option(i).contains(mark_of(seen.finding))) return options_[i];
    return {options_.front().block, nullptr};
  }

  // What is found without one of the options.
  const std::set<Mark>& without_option(std::size_t i) {
    const auto [entry, fresh] = asked_.try_emplace(i);
    if (!fresh) return entry->second;
    const auto keep = [&](const TargetOptions& block, const model::RawOption& option) {
      return &block != options_[i].block || &option != options_[i].option;
    };
    const Written written = write(Reduced(plan_, keep).plan());
    for (const Seen& seen : written.seen) entry->second.insert(mark_of(seen.finding));
    return entry->second;
  }

  const SpecScene& scene_;
  const Target& target_;
  const plan::Plan& plan_;
  std::optional<model::Site> site_;
  std::vector<BlockOption> options_;
  std::map<std::size_t, std::set<Mark>> asked_;
};

// The target of a block that the decided one does not carry, and the plan for it; nullptr: none can be written for.
const Target* named_target(const SpecScene& scene, const TargetOptions& block, plan::PlanResult& result) {
  const Target* named = targets::find_target(block.target);
  if (named == nullptr) return nullptr;
  plan::PlanRequest request = scene.request;
  request.plane_kind = named->capabilities.plane;
  Diagnostics ignored;  // of a plane that the workload is not decided for
  result = plan::make_plan(request, ignored);
  if (!result.plan || !plan::is_placed(*result.plan)) return nullptr;
  const Target* decided = targets::find_target(result.plan->decision.target);
  return decided != nullptr && carries(*decided, block) ? decided : named;
}

}  // namespace

TargetBlockFindings check_target_blocks(const SpecScene& scene) {
  TargetBlockFindings out;
  if (scene.workload.targets.empty()) return out;
  std::vector<const Target*> done;
  const auto check = [&](const Target& target, const plan::Plan& plan, bool decided) {
    done.push_back(&target);
    if (TargetBlockCheck(scene, target, plan).check(out, decided)) return;
    for (const TargetOptions& block : scene.workload.targets)
      if (carries(target, block)) out.unchecked.push_back("target." + block.target);
  };
  if (scene.result.plan && plan::is_placed(*scene.result.plan))
    if (const Target* decided = targets::find_target(scene.result.plan->decision.target))
      check(*decided, *scene.result.plan, true);
  for (const TargetOptions& block : scene.workload.targets) {
    if (std::any_of(done.begin(), done.end(), [&](const Target* t) { return carries(*t, block); })) continue;
    plan::PlanResult result;
    if (const Target* target = named_target(scene, block, result)) check(*target, *result.plan, false);
    else out.unchecked.push_back("target." + block.target);
  }
  return out;
}

}  // namespace muster::lint
