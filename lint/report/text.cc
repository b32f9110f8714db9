// Reports for people: text, and one line a finding.
#include <algorithm>
#include <set>
#include <utility>

#include "compiler/base/ci_commands.h"
#include "compiler/base/render.h"
#include "compiler/base/text.h"
#include "lint/proposed.h"
#include "lint/report/common.h"

namespace muster::lint {
namespace {

constexpr std::size_t longest_name = 4'096;  // of a file, or of the key of a finding

Notice notice(const Finding& finding) {
  Notice out{finding.severity,      title(about(finding)), finding.message, finding.primary,
             finding.primary_label, finding.labels,        finding.notes,   {}};
  if (finding.fix) out.helps.push_back(finding.fix->title + (finding.fix->safe ? " (--fix)" : " (--unsafe-fixes)"));
  return out;
}

// What its page says to write: of a finding that neither has a fix nor a note with something to paste.
std::string correction(const Finding& finding) {
  const auto pastes = [](const std::string& note) { return note.find('`') != std::string::npos; };
  if (finding.code || finding.fix || std::any_of(finding.notes.begin(), finding.notes.end(), pastes)) return {};
  std::string out(info(finding.rule).instead);
  if (out.ends_with('.')) out.pop_back();
  if (out.size() > 1 && !is_upper(out[1])) out[0] = lower(out.substr(0, 1))[0];
  return out;
}

bool shown(const Result& result, const View& view) {
  if (result.state != State::open || result.finding.fault) return false;  // a fault is on standard error
  if (view.quiet) return counts_at(result, Severity::error);
  return result.finding.verdict == Verdict::wrong || view.verbose;
}

// Where secrets stand: what another rule says of such a line shows them no more than their own does.
class SecretLines {
 public:
  explicit SecretLines(const View& view) : sources_(view.sources) {
    for (const Result& r : view.outcome.results)
      if (is_of(r.finding, RuleId::secret_in_env) && r.finding.primary.known()) lines_.insert(line(r.finding.primary));
  }
  bool hold(Span place) const { return !lines_.empty() && place.known() && lines_.contains(line(place)); }

 private:
  std::pair<std::uint32_t, std::size_t> line(Span place) const {
    return {place.file, sources_.position(place.file, place.begin).line};
  }

  const Sources& sources_;
  std::set<std::pair<std::uint32_t, std::size_t>> lines_;
};

// What cannot be told is named once for all files: a site would tell most of it.
std::string unclear_rules(const Outcome& outcome) {
  std::set<std::string> rules;
  for (const Result& r : outcome.results)
    if (r.state == State::open && r.finding.verdict == Verdict::unclear) rules.insert(title(about(r.finding)));
  std::string out;
  for (const std::string& rule : rules) out += (out.empty() ? "" : ", ") + rule;
  return out;
}

// Each file that is not judged, then how many there are of each kind.
std::string not_judged(const Outcome& outcome) {
  std::string out;
  std::set<std::string_view> named;
  for (const Account& account : outcome.accounts)
    if (account.fate == Fate::not_read && named.insert(account.file).second)
      out += "not checked, completely or in part: " + printable(account.file, longest_name) +
             (account.why.empty() ? "" : ": " + printable(account.why, longest_name)) + "\n";
  for (const std::string& file : outcome.left_out)
    if (!named.contains(file)) out += "not checked, completely or in part: " + printable(file, longest_name) + "\n";
  const std::string beside = beside_judged(outcome.accounts);
  const auto is_named = [](const Account& a) { return a.fate == Fate::judged || a.fate == Fate::not_read; };
  if (std::all_of(outcome.accounts.begin(), outcome.accounts.end(), is_named)) return out;
  return out + "beside what was checked: " + beside + "\n";
}

}  // namespace

std::string write_text(const View& view) {
  std::string out;
  const SecretLines secrets(view);
  std::set<std::string> said;  // once a run
  for (const Result& r : view.outcome.results) {
    if (!shown(r, view)) continue;
    Notice shown = notice(r.finding);
    if (std::string help = correction(r.finding); !help.empty() && said.insert(help).second)
      shown.helps.push_back(std::move(help));
    shown.secret = secrets.hold(shown.primary);
    out += render_human(shown, view.sources, view.colour);
  }
  if (view.quiet) return out;
  const std::string unclear = unclear_rules(view.outcome);
  if (!unclear.empty() && !view.verbose) out += "undetermined from the files alone (-v lists each): " + unclear + "\n";
  out += not_judged(view.outcome);
  if (!view.outcome.added.empty())
    out += "the change adds " + count_added(view.outcome.added) + " that `" +
           printable(view.outcome.policy_from, longest_name) + "` does not have and that do not count:\n";
  for (const Added& added : view.outcome.added) out += "  " + printable(text_of(added), longest_name) + "\n";
  for (const std::string& key : view.outcome.stale)
    out += "stale in the baseline: " + printable(key, longest_name) + "\n";
  return safe_to_print(out + summary(view.outcome) + "\n", TextForm::plain, view.colour);
}

std::string write_short(const View& view) {
  std::string out;
  for (const Result& r : view.outcome.results)
    if (shown(r, view)) out += render_short(notice(r.finding), view.sources);
  return safe_to_print(std::move(out));
}

}  // namespace muster::lint
