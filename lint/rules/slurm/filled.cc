// What is found in a script whatever a program fills in: what is found in each text that it could make of it.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "compiler/base/text.h"
#include "lint/rules/slurm/slurm.h"
#include "lint/rules/text_secrets.h"

namespace muster::lint {
namespace {

namespace slurm = targets::slurm;

using FoundAt = std::tuple<RuleId, std::uint32_t, std::string, std::string>;
FoundAt found_at(const Finding& f) { return {f.rule, f.primary.begin, f.subject, f.path}; }

// The findings of a text that takes the place of a file. What they say of the site and of the command line is of these
// files too, which have their numbers here.
std::map<FoundAt, Finding> found_in(const Context& context, std::uint32_t file, std::uint32_t command_line,
                                    std::string text, CheckText check) {
  Sources sources;
  for (std::uint32_t n = 1; n < file; ++n)
    sources.add(context.sources.name(n), n == command_line ? std::string(context.sources.text(n)) : "");
  const std::uint32_t number = sources.add(context.sources.name(file), std::move(text));
  while (sources.count() < context.sources.count()) sources.add("", "");
  Context other{sources, context.site, context.fleet};
  other.site_files = context.site_files, other.related = context.related, other.overlays = context.overlays;
  AboutScript ignored;
  std::map<FoundAt, Finding> out;
  for (Finding& f : check(other, number, command_line, ignored)) out.emplace(found_at(f), std::move(f));
  return out;
}

// What tells of the blanks themselves stays.
bool is_about_blanks(const Finding& f) { return is_of(f, RuleId::unfilled_template); }

}  // namespace

void report_dependence(const slurm::Blank& blank, std::string_view system, AboutScript& about,
                       std::vector<Finding>& findings) {
  about.purpose = {targets::PurposeKind::templated, blank.engine, blank.why, blank.where, true};
  Finding f = unclear(RuleId::unfilled_template, blank.where,
                      "the placeholder is filled in before " + std::string(system) +
                          " reads the script; what depends on it is not checked");
  f.subject = "job", f.path = "template";
  f.notes.push_back("this is " + described(about.purpose) + ": " + blank.why);
  findings.push_back(std::move(f));
}

std::string left_to_fill_in(const Sources& sources, Span where) {
  return "`" + printable(sources.text(where), 60) + "` is a placeholder to fill in before the script is submitted";
}

// Drops from the findings of a script as it is written those that some text does not have, and adds the errors that all
// of them have in the same words. Whether any was dropped.
bool keep_what_all_have(const std::vector<std::map<FoundAt, Finding>>& texts, std::vector<Finding>& findings) {
  const auto have = [&](const Finding& f, bool same_words) {
    return std::all_of(texts.begin(), texts.end(), [&](const auto& found) {
      const auto other = found.find(found_at(f));
      return other != found.end() && (!same_words || other->second.message == f.message);
    });
  };
  const std::size_t dropped =
      std::erase_if(findings, [&](const Finding& f) { return !is_about_blanks(f) && !have(f, false); });
  std::set<FoundAt> written;
  for (const Finding& f : findings) written.insert(found_at(f));
  for (const auto& [at, f] : texts.front())
    if (f.severity == Severity::error && f.verdict == Verdict::wrong && !written.contains(at) && have(f, true))
      findings.push_back(f);
  return dropped > 0;
}

std::vector<Finding> check_filled_script(const Context& context, std::uint32_t file, std::uint32_t command_line,
                                         AboutScript& about, CheckText check) {
  std::vector<Finding> out = check(context, file, command_line, about);
  const bool judged = about.purpose.is_complete() || about.purpose.in_part;
  if (judged && !about.blanks.empty()) {
    std::vector<std::map<FoundAt, Finding>> texts;
    for (std::string& text : slurm::fillings(context.sources.text(file), about.blanks))
      texts.push_back(found_in(context, file, command_line, std::move(text), check));
    const bool dropped = keep_what_all_have(texts, out);
    // Of a variable that sbatch does not expand, a template would have no finding.
    const auto is_text = [](const slurm::Blank& blank) { return !blank.shell && !blank.apart; };
    const auto blank = std::find_if(about.blanks.begin(), about.blanks.end(), is_text);
    if (about.purpose.is_complete() && dropped && blank != about.blanks.end())
      report_dependence(*blank, "Slurm", about, out);
  }
  if (about.purpose.kind == targets::PurposeKind::templated) {
    // One placeholder stands for all, and an edit may change what the engine reads.
    std::erase_if(out, [](const Finding& f) { return is_about_blanks(f) && f.path != "template"; });
    for (Finding& f : out) f.fix.reset();
  }
  check_text_secrets(context.sources, file, "the script", {out});
  return out;
}

}  // namespace muster::lint
