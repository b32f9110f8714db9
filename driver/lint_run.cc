#include "driver/lint_run.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "compiler/base/limits.h"
#include "compiler/base/text.h"
#include "driver/encoding.h"
#include "driver/endings.h"
#include "driver/lint_specs.h"
#include "driver/overlay_files.h"
#include "driver/tree.h"
#include "lint/diagnosed.h"
#include "lint/fix.h"
#include "lint/proposed.h"
#include "lint/report/baseline.h"
#include "lint/waive.h"

namespace muster::driver {
namespace {

constexpr int most_rounds = 10;  // of fixes: one may uncover another

bool is_data(const FoundFile& file) { return file.resource || starts_by_ending(file.path) == Starts::objects; }

// "E0101 unexpected …".
std::string fault_text(const Diagnostic& fault) { return std::string(info(fault.code).id) + " " + fault.message; }

using ResultsByFile = std::map<std::string, std::vector<lint::Result>>;

// Results, and more of them among those of their files.
std::vector<lint::Result> with_more(std::vector<lint::Result> results, ResultsByFile more, const Sources& sources) {
  const auto name_of = [&](const lint::Result& r) {
    return r.finding.primary.known() ? sources.name(r.finding.primary.file) : std::string();
  };
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < results.size(); ++i) last[name_of(results[i])] = i;
  for (auto& [name, own] : more)
    std::stable_sort(own.begin(), own.end(), [](const lint::Result& a, const lint::Result& b) {
      return a.finding.primary.begin < b.finding.primary.begin;
    });
  std::vector<lint::Result> out;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string name = name_of(results[i]);
    const std::uint32_t begin = results[i].finding.primary.begin;
    const auto own = more.find(name);
    if (own != more.end()) {
      auto& list = own->second;
      const auto end = std::find_if(list.begin(), list.end(),
                                    [&](const lint::Result& r) { return r.finding.primary.begin >= begin; });
      std::move(list.begin(), end, std::back_inserter(out));
      list.erase(list.begin(), end);
    }
    out.push_back(std::move(results[i]));
    if (own == more.end() || last[name] != i) continue;
    std::move(own->second.begin(), own->second.end(), std::back_inserter(out));
    more.erase(own);
  }
  for (auto& [name, own] : more) std::move(own.begin(), own.end(), std::back_inserter(out));
  return out;
}

}  // namespace

LintRun::LintRun(const LintSettings& options) : options_(options), session_(base_inputs(options)), base_(session_) {}

bool LintRun::prepare() {
  if (!options_.policy_from.empty()) {
    tree_ = open_policy(options_.policy_from, session_.diagnostics());
    if (!tree_) return false;
    base_.take_suppressions_of(from_.emplace(*tree_, std::vector{options_.from.real(options_.from.here())}));
  }
  if (!base_.load(options_) || (from_ && !judge_by_tree())) return false;
  if (!options_.with.empty()) command_line_ = session_.sources().add("<command line>", options_.with);
  return !session_.diagnostics().has_errors();
}

bool LintRun::judge_by_tree() {
  const auto options = policy_options(options_, *from_, session_.diagnostics());
  if (!options) return false;
  const Session& session = tree_session_.emplace(base_inputs(*options), session_);
  LintBase& other = tree_base_.emplace(*tree_session_);
  const bool good = other.load(*options);
  for (const Diagnostic& d : session.diagnostics().sorted()) session_.diagnostics().add(d);
  if (good) base_.judge_by(other), base_.take_site_of(other);
  outcome_.policy_from = options_.policy_from;
  outcome_.added = base_.added();
  return good;
}

lint::CheckSettings LintRun::settings() const {
  lint::Context context{session_.sources(), base_.site(), base_.fleet()};
  context.related = &related_, context.overlays = &overlays_, context.state = base_.fleet_state();
  return {context, options_.selection, options_.as_of, command_line_, base_.accepted()};
}

void LintRun::lint(const lint::Baseline& known) {
  known_ = known;
  Beside beside;
  std::vector<FoundFile> files = discover(options_.files, options_.from, session_.diagnostics(), &beside);
  for (lint::Account& account : beside.not_read) account_for(std::move(account));
  read_overlays(files, options_.from, session_.sources(), overlays_);
  for (FoundFile& file : files) {
    file.resource = overlays_.takes(file.path);
    found_.insert(file.path);
  }
  if (options_.fixes()) learn_needed(files);
  read_related(files);
  merge_overlays();
  for (const FoundFile& file : files) lint_file(file);
  judge_merged();
  settle_accounts();
  needed_.withdraw(outcome_.results, session_.sources());
  drop_repeats(outcome_.results, session_.sources());
  distinguish(outcome_.results);
  mark_known(outcome_.results, known_);
  remarks_.note_repeats(outcome_.results);
  lint::sort_added(outcome_.added);
  if (outcome_.files.empty() && !session_.diagnostics().has_errors() && !options_.allow_empty) report_nothing();
  if (tree_) tree_->is_whole(session_.diagnostics());
}

// A fix must not take away what a file further down needs.
void LintRun::learn_needed(const std::vector<FoundFile>& files) {
  for (const FoundFile& file : files) {
    std::string why;
    if (file.path == "-" || !is_spec(file.path, "")) continue;  // standard input is read once and cannot be imported
    if (auto text = options_.from.read(file.path, largest_file, why)) check_spec(file.path, std::move(*text));
  }
}

// Only folders with an autoscaler are read as a whole: the others have nothing to say of other files.
void LintRun::read_related(const std::vector<FoundFile>& files) {
  std::map<std::string, std::size_t, std::less<>> in_folder;
  for (const FoundFile& file : files) in_folder[std::string(lint::folder_of(file.path))] += is_data(file);
  const auto texts = [&](const auto& wanted, const auto& use) {
    for (const FoundFile& file : files) {
      std::string why;
      if (!is_data(file) || !wanted(std::string(lint::folder_of(file.path)))) continue;
      auto text = options_.from.read(file.path, largest_file, why);
      if (text && text->size() <= largest_file && kind_of(file, *text) == lint::Input::manifest) use(file, *text);
    }
  };
  std::set<std::string> with_scaler;
  texts([&](const std::string& folder) { return in_folder[folder] > 1 && !with_scaler.contains(folder); },
        [&](const FoundFile& file, const std::string& text) {
          if (lint::RelatedManifests::may_scale(text)) with_scaler.emplace(lint::folder_of(file.path));
        });
  texts([&](const std::string& folder) { return with_scaler.contains(folder); },
        [&](const FoundFile& file, std::string& text) {
          const bool scales = lint::RelatedManifests::may_scale(text);
          const std::uint32_t number = session_.sources().add(file.path, std::move(text));
          related_.add(session_.sources(), number);
          if (!scales) session_.sources().forget(number);
        });
}

// As the files are, or, once fixes have changed one, as these leave them.
void LintRun::merge_overlays() {
  const ReadText read = [&](const std::string& path) -> std::optional<std::string> {
    for (const Changed& changed : changed_)
      if (changed.path == path) return std::string(session_.sources().text(changed.after));
    std::string why;
    return options_.from.read(path, largest_file, why);
  };
  merged_ = driver::merge_overlays(overlays_.folders(), roots_of(options_.files, options_.from), options_.from, read,
                                   session_.sources());
  overlays_.set_merged(merged_.merged, merged_.apart);
}

// What is found only in what kustomizations make of their resources. What a file has alone has been found in it.
void LintRun::judge_merged() {
  if (merged_.overlays.empty()) return;
  if (!changed_.empty()) merge_overlays();
  const Sources& sources = session_.sources();
  using Place = std::tuple<std::string, std::uint32_t, lint::RuleId>;
  const auto place_of = [&](const Span& span, lint::RuleId rule) {
    return Place{sources.name(span.file), span.begin, rule};
  };
  std::set<Place> found;
  for (const lint::Result& r : outcome_.results)
    if (r.finding.primary.known()) found.insert(place_of(r.finding.primary, r.finding.rule));
  std::set<std::pair<std::string, std::uint32_t>> needed;
  ResultsByFile more;
  for (const MergedOverlay& overlay : merged_.overlays) {
    lint::CheckSettings how = settings();
    std::vector<lint::Suppression> before;
    for (const std::uint32_t file : overlay.files)
      if (from_)
        for (lint::Suppression& s : from_->suppressions(sources.name(file), options_.from, lint::Input::manifest))
          before.push_back(std::move(s));
    if (from_) how.before = &before;
    std::vector<Span> used;
    auto results = lint::check_merged(
        {overlay.manifest, overlay.changed, overlay.folder, {overlay.files.begin(), overlay.files.end()}}, how, used);
    std::erase_if(results, [&](const lint::Result& r) {
      const Span at = r.finding.primary;
      return !at.known() || !found.insert(place_of(at, r.finding.rule)).second;
    });
    for (const Span& span : used)
      if (span.known()) needed.emplace(sources.name(span.file), span.begin);
    lint::apply_waivers(base_.waivers(), sources, results);
    lint::propose_waivers(base_.proposed_waivers(), sources, results);
    lint::mark_known(results, known_);
    if (options_.changed_only.empty()) remarks_.merge(results);
    Checked checked;
    checked.results = std::move(results);
    if (!is_room_for(checked)) break;
    for (lint::Result& r : checked.results) more[sources.name(r.finding.primary.file)].push_back(std::move(r));
  }
  const std::set<std::string> listed(outcome_.files.begin(), outcome_.files.end());
  for (const auto& [name, own] : more)  // a base may be outside of the folder that was given
    if (!listed.contains(name)) outcome_.files.push_back(name);
  outcome_.results = with_more(std::move(outcome_.results), std::move(more), sources);
  std::erase_if(outcome_.results, [&](const lint::Result& r) {
    const Span at = r.finding.primary;
    return at.known() && lint::is_of(r.finding, lint::RuleId::unused_suppression) &&
           needed.contains({sources.name(at.file), at.begin});
  });
}

void LintRun::report_nothing() {
  session_.diagnostics()
      .add(Code::nothing_to_do, {}, "no batch script, manifest or muster file was found")
      .notes.push_back(
          "a batch script has a line that begins with `#SBATCH`, a manifest has `apiVersion` and `kind`; "
          "use `--allow-empty` if finding nothing is not an error");
}

// A file that nothing is known of is in the reports all the same.
void LintRun::cannot_read(const std::string& path, const std::string& why) {
  const Diagnostic d = session_.diagnostics().add(Code::cannot_read, {}, "cannot read `" + path + "`: " + why);
  lint::Finding f = lint::from_diagnostic(d, true, "");
  f.primary.file = session_.sources().add(path, "");
  std::vector<lint::Result> result{{std::move(f), "", lint::State::open, ""}};
  set_keys(result, session_.sources());
  outcome_.results.push_back(std::move(result[0]));
  outcome_.files.push_back(path);
  account_for({path, lint::Fate::not_read, why});
}

void LintRun::lint_file(const FoundFile& file) {
  std::string why;
  auto text = options_.from.read(file.path, largest_file, why);
  if (!text) return cannot_read(file.path, why);
  if (text->size() <= largest_file) return lint_text(file, std::move(*text));
  lint::Account large = account_of_large(file, options_.from);
  if (large.fate == lint::Fate::data) return account_for(std::move(large));
  if (!kind_of(file, *text) && !is_for_a_cluster(file.path) && !file.named) return;
  session_.diagnostics().add(Code::skipped, {}, "`" + file.path + "` is larger than 4 MiB and was not checked");
  if (file.named) cannot_read(file.path, "it is larger than 4 MiB");
  else account_for(std::move(large));
}

void LintRun::lint_text(const FoundFile& file, std::string text) {
  if (is_spec(file.path, text)) return check(file.path, std::move(text), lint::Input::muster);
  if (is_judged_elsewhere(file, text)) return account_for({file.path, lint::Fate::judged, "it links to " + file.link});
  Recognized known = recognize(file, text);
  if (const std::string why_not = known.kind ? "" : unreadable(file, text); !why_not.empty())
    return cannot_read(file.path, why_not);
  if (!known.kind && file.named)
    return cannot_read(file.path, known.account && known.account->is_unjudged()
                                      ? known.account->why
                                      : "it is not a batch script (no line begins with `#SBATCH`, `#PBS` or `#BSUB`), "
                                        "a manifest or a muster file");
  if (known.account) account_for(std::move(*known.account));
  if (!known.kind) return;
  overlays_.begin(file.path);
  check(file.path, std::move(text), *known.kind);
}

// A link to a file that the run reads is no other file, unless only the link's name shows what it is.
bool LintRun::is_judged_elsewhere(const FoundFile& file, std::string_view text) const {
  if (file.link.empty() || !found_.contains(file.link)) return false;
  return recognize({file.link, false, file.given, "", overlays_.takes(file.link)}, text).kind.has_value();
}

void LintRun::account_for(lint::Account account) {
  if (account.fate == lint::Fate::not_read) outcome_.left_out.push_back(account.file);
  outcome_.accounts.push_back(std::move(account));
}

// In the order of their names; a file that cannot be used is there once, as such.
void LintRun::settle_accounts() {
  lint::settle(outcome_.accounts);
  auto& left = outcome_.left_out;
  std::sort(left.begin(), left.end());
  left.erase(std::unique(left.begin(), left.end()), left.end());
}

void LintRun::check(const std::string& path, std::string text, lint::Input kind) {
  outcome_.files.push_back(path == "-" ? "<stdin>" : path);
  const std::size_t before = session_.sources().count();
  Checked checked = check_once(path, std::move(text), kind);
  const std::uint32_t first = checked.file;
  for (int round = 0; options_.fixes() && round < most_rounds; ++round) {
    auto fixed = lint::apply_fixes(session_.sources(), checked.file, checked.results, options_.unsafe_fixes);
    if (fixed.applied == 0) break;
    outcome_.fixed += fixed.applied;
    checked = check_once(path, std::move(fixed.text), kind);
  }
  if (checked.file != first) changed_.push_back({path, first, checked.file});
  checked.account.file = outcome_.files.back();
  if (!checked.faults.empty())
    checked.account = {outcome_.files.back(), lint::Fate::not_read, fault_text(checked.faults.front())};
  for (Diagnostic& d : checked.faults) session_.diagnostics().add(std::move(d));
  if (!is_room_for(checked))
    return account_for({outcome_.files.back(), lint::Fate::not_read, "the run has more findings than it keeps"});
  account_for(std::move(checked.account));
  if (options_.changed_only.empty()) remarks_.merge(checked.results);
  const bool asked_again = kind == lint::Input::muster || checked.file != first || !checked.faults.empty();
  if (checked.results.empty() && !asked_again) session_.sources().forget(first);
  std::move(checked.results.begin(), checked.results.end(), std::back_inserter(outcome_.results));
  std::move(checked.added.begin(), checked.added.end(), std::back_inserter(outcome_.added));
  if (for_keys_) base_.drop_texts_after(before);
}

LintRun::Checked LintRun::check_once(const std::string& path, std::string text, lint::Input kind) {
  Checked out = kind == lint::Input::muster ? check_spec(path, std::move(text))
                                            : check_raw(path == "-" ? "<stdin>" : path, std::move(text), kind);
  keep_within_limit(out);
  lint::apply_waivers(base_.waivers(), session_.sources(), out.results);
  lint::propose_waivers(base_.proposed_waivers(), session_.sources(), out.results);
  lint::mark_known(out.results, known_);
  return out;
}

// Of more findings than a file may have the first ones are kept, and the file counts as one that cannot be used.
void LintRun::keep_within_limit(Checked& checked) {
  const std::size_t found = checked.results.size(), most = value_of(Limit::findings);
  if (found <= most) return;
  Diagnostics over;
  const Diagnostic& d =
      add_over_limit(over, Limit::findings, checked.results[most].finding.primary,
                     "the file has " + with_thousands(static_cast<std::int64_t>(found)) + " findings or more");
  checked.results.erase(checked.results.begin() + static_cast<std::ptrdiff_t>(most), checked.results.end());
  checked.results.push_back({lint::from_diagnostic(d, true, ""), "", lint::State::open, ""});
  checked.faults.push_back(d);
  sort_results(checked.results);
  set_keys(checked.results, session_.sources());
}

// Whether the run may have the findings of another file besides. The first time it may not, that is reported.
bool LintRun::is_room_for(const Checked& checked) {
  if (outcome_.results.size() + checked.results.size() <= value_of(Limit::all_findings)) return true;
  if (!std::exchange(is_full_, true))
    add_over_limit(session_.diagnostics(), Limit::all_findings, {},
                   "the files have more findings than one run keeps, from `" + outcome_.files.back() + "` on");
  return false;
}

LintRun::Checked LintRun::check_raw(const std::string& name, std::string text, lint::Input kind) {
  Checked out;
  out.file = session_.sources().add(name, std::move(text));
  Diagnostics diagnostics;
  lint::CheckSettings how = settings();
  std::vector<lint::Suppression> before;
  if (from_) before = from_->suppressions(name, options_.from, kind), how.before = &before;
  out.results = lint::check_file(out.file, kind, how, diagnostics, from_ ? &out.added : nullptr, &out.account);
  for (const Diagnostic& d : diagnostics.sorted()) {
    const bool fault = d.severity() == Severity::error;
    if (fault) out.faults.push_back(d);
    out.results.push_back({lint::from_diagnostic(d, fault, ""), "", lint::State::open, ""});
  }
  if (diagnostics.empty()) return out;
  sort_results(out.results);
  set_keys(out.results, session_.sources());
  return out;
}

LintRun::Checked LintRun::check_spec(const std::string& path, std::string text) {
  LintedSpec spec = lint_spec(path, std::move(text), options_.from, base_);
  Checked out{spec.file, lint::judge(std::move(spec.findings), spec.suppressions, settings()), std::move(spec.faults),
              std::move(spec.added)};
  // Whether the suppressions of a file that cannot be used are needed is unknown.
  if (!out.faults.empty())
    std::erase_if(out.results,
                  [](const lint::Result& r) { return lint::is_of(r.finding, lint::RuleId::unused_suppression); });
  needed_.add(spec, session_.sources());
  if (options_.fixes()) needed_.withdraw(out.results, session_.sources());
  keep_in_templates(spec.templates, out.results);
  lint::apply_waivers(spec.waivers, session_.sources(), out.results);
  lint::propose_waivers(spec.proposed_waivers, session_.sources(), out.results);
  return out;
}

}  // namespace muster::driver
