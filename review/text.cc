// For a terminal.
#include "compiler/base/text.h"
#include "compiler/base/ci_commands.h"
#include "lint/proposed.h"
#include "review/report.h"
#include "review/total.h"
#include "review/wording.h"

namespace muster::review {
namespace {

constexpr std::size_t most_fields = 12, most_text = 160, most_added = 400;

std::string shown(std::string_view text) { return printable(text, most_text); }

class TextWriter {
 public:
  TextWriter(const Review& review, bool colour) : review_(review), colour_(colour) {}

  std::string write() {
    if (const std::string total = total_text(review_); !total.empty()) line(0, total);
    line(0, "review of " + shown(review_.base) + " -> " + shown(review_.head) + ": " + counts_text(review_));
    added();
    for (const Item& item : review_.items) write(item);
    for (const PolicyChange& change : review_.policies) policy(change);
    left_out(review_.left_out_base, review_.base);
    left_out(review_.left_out_head, review_.head);
    for (const lint::Account& account : unjudged_beside_left_out(review_))
      line(0, painted("not judged", "33") + ": " + shown(lint::text_of(account)));
    for (const std::string& note : review_.notes) line(0, "note: " + shown(note));
    return std::move(out_);
  }

 private:
  void line(std::size_t depth, const std::string& text) { out_ += std::string(2 * depth, ' ') + text + "\n"; }

  std::string painted(const std::string& text, const char* colour) const {
    return colour_ ? std::string("\033[") + colour + "m" + text + "\033[0m" : text;
  }

  void write(const Item& item) {
    const std::string status = std::string(name(item.status)) + (item.blocked.empty() ? "" : ", blocked");
    const char* colour = item.blocked.empty() ? "1" : "1;31";
    line(0, "");
    const std::string from = moved_from(item);
    line(0, painted(shown(title(item)), colour) + ": " + status + (from.empty() ? "" : ", was " + shown(from)));
    for (const std::string& why : item.blocked) line(1, painted("blocked: ", "31") + shown(why));
    if (!cause_text(item).empty()) line(1, cause_text(item));
    for (const Change& fact : item.facts) line(1, "fact " + shown(fact.name) + ": " + both(fact) + at(fact.place));
    rows(decision_rows(item), item);
    rows(amount_rows(item), item);
    for (const ObjectChange& object : item.objects) write(item, object);
    for (const Finding& f : item.new_findings) line(1, "new " + finding(f));
    for (const Finding& f : item.fixed_findings) line(1, "fixed " + finding(f));
    for (const Finding& f : item.unknown_findings) line(1, "no longer checked " + finding(f));
    for (const Finding& f : item.allowed_findings) line(1, "allowed " + finding(f) + ": " + shown(f.accepted));
    std::string flips;
    for (const Flip& flip : item.flips) flips += (flips.empty() ? "" : "; or ") + shown(flip_text(flip));
    if (!flips.empty()) line(1, "to undo it: " + flips);
  }

  std::string finding(const Finding& f) const {
    return std::string(severity_name(f.severity)) + " " + shown(finding_text(f)) + at(f.place) +
           (f.proposed.empty() ? "" : "; only the change accepts it: " + shown(f.proposed));
  }

  static std::string at(const Place& place) {
    return place.file.empty() ? std::string() : " (" + shown(place_text(place)) + ")";
  }

  static std::string both(const Change& change) {
    const auto [what, before, after, place] = around_difference(change, most_text);
    return (before ? shown(*before) : "absent") + " -> " + (after ? shown(*after) : "absent");
  }

  void rows(const std::vector<Row>& rows, const Item& item) {
    const auto one = [](const std::string& text) { return text.empty() ? "none" : shown(text); };
    for (const Row& row : rows) {
      if (!item.on_both()) line(1, row.name + ": " + shown(item.after ? row.after : row.before));
      else if (row.changed()) line(1, row.name + ": " + one(row.before) + " -> " + one(row.after));
    }
  }

  void write(const Item& item, const ObjectChange& object) {
    const std::string what = object.status == Status::changed ? "" : " " + std::string(name(object.status));
    line(1, shown(object_text(object)) + what);
    std::size_t n = 0;
    for (const Change& field : object.fields)
      if (!is_generated_line(item, field) && n++ < most_fields) line(2, shown(field.name) + ": " + both(field));
    if (n > most_fields) line(2, "… and " + std::to_string(n - most_fields) + " more; `--format json` lists all");
    if (const std::string lines = generated_lines(item, object); !lines.empty()) line(2, lines);
  }

  void added() {
    if (!review_.suppressions.empty()) line(0, painted("adds ", "33") + shown(added_text(review_)) + ":");
    for (const lint::Added& one : review_.suppressions) line(1, printable(lint::text_of(one), most_added));
    if (!review_.rule_effects.empty())
      line(0, "the rules of " + shown(review_.policy_from) + " decide; the rules of " + shown(review_.head) +
                  " would change:");
    for (const RuleEffect& effect : review_.rule_effects) line(1, printable(effect_text(effect), most_added));
  }

  void policy(const PolicyChange& change) {
    line(0, "");
    line(0, "policy: " + shown(policy_text(change)));
    for (const std::string& text : change.changes) line(1, shown(text));
    for (std::size_t i = 0; i < change.site.size() && i < most_fields; ++i) {
      const SiteChange& one = change.site[i];
      const std::string touches = touches_text(one);
      line(1, shown(one.key.name) + ": " + shown(values_text(one)) +
                  (touches.empty() ? "" : " (touches " + shown(touches) + ")"));
    }
    if (change.site.size() > most_fields)
      line(1, "… and " + std::to_string(change.site.size() - most_fields) + " more keys; `--format json` lists all");
  }

  void left_out(const std::vector<LeftOut>& files, const std::string& side) {
    for (const LeftOut& left : files)
      line(0, painted("left out", "33") + " of " + shown(side) + ": " + shown(left.file) + ": " + shown(left.why));
  }

  const Review& review_;
  bool colour_;
  std::string out_;
};

}  // namespace

std::string write_text(const Review& review, const ReportOptions& options) {
  return safe_to_print(TextWriter(review, options.colour).write(), TextForm::plain, options.colour);
}

}  // namespace muster::review
