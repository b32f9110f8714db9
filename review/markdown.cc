// A comment on a pull request.
#include "review/markdown.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "compiler/base/ci_commands.h"
#include "compiler/base/text.h"
#include "lint/proposed.h"
#include "review/mermaid.h"
#include "review/report.h"
#include "review/total.h"
#include "review/wording.h"

namespace muster::review {
namespace {

// How much is shown of one thing. `brief`: policy and findings on a line each, so that one changed workload with all
// that can be said of it stays within 25 lines.
struct Shown {
  std::size_t fields, findings, policy_changes, left_out;
  bool brief;
};
constexpr Shown of_one{3, 1, 0, 1, true}, of_many{8, 50, 20, 10, false};
constexpr std::size_t most_facts = 4, most_value = 80, most_path = 90, most_others = 20, most_added = 20, frame = 900;

struct Section {
  enum class Kind : std::uint8_t { details, policy, findings, chart } kind;
  std::string text;
  std::size_t workloads = 0;  // that it is about
};

// What occurs several times is listed once, with those that it is about, where it came first.
template <class Of>
class Groups {
 public:
  void add(const std::string& what, const Of* one) {
    const auto [at, is_new] = places_.try_emplace(what, items_.size());
    if (is_new) items_.push_back({what, {}});
    items_[at->second].second.push_back(one);
  }
  const std::vector<std::pair<std::string, std::vector<const Of*>>>& items() const { return items_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::pair<std::string, std::vector<const Of*>>> items_;
};

class Comment {
 public:
  Comment(const Review& review, const ReportOptions& options)
      : review_(review),
        options_(options),
        dialect_(options.host),
        shown_(review.items.size() == 1 ? of_one : of_many) {
    for (const Budget& budget : budgets())
      if (budget.host == options.host) left_ = {budget.characters - frame, budget.bytes - frame};
  }

  std::string write() {
    if (review_.nothing())
      return dialect_.marker(options_.key, true) +
             "muster: nothing is decided, placed, costed or emitted differently.\n";
    const std::string left_out = left_out_text() + unjudged_text();
    take(extent_of(left_out));
    const std::string blocked = rows(blocked_rows(), "blocked", {}, 2);
    const std::string added = rows(added_rows(), "suppressions", added_head(), 4) + effects();
    columns_ = columns();
    const std::string table = rows(table_rows(), "workloads", table_head(), 1);
    std::string body;
    for (Section& section : fitting(sections())) body += "\n" + section.text;
    return dialect_.marker(options_.key, false) + heading() + left_out + blocked + added + table + body + "\n" +
           footer();
  }

 private:
  // Whether so much is still left; then it is used.
  bool take(Extent extent) {
    if (extent.characters > left_.characters || extent.bytes > left_.bytes) return false;
    left_.characters -= extent.characters;
    left_.bytes -= extent.bytes;
    return true;
  }

  std::string heading() const {
    const std::string total = total_text(review_);
    return "### muster: " + counts_text(review_) + (cut_.empty() ? "" : " (shortened: without " + cut_ + ")") +
           (total.empty() ? "" : ": " + dialect_.message(total)) + "\n\n";
  }

  void note_cut(const std::string& what) { cut_ += (cut_.empty() ? "" : ", ") + what; }

  // As many rows as fit into a part of what is left, then how many more there are.
  std::string rows(const std::vector<std::string>& all, const std::string& what, const std::string& head,
                   std::size_t part) {
    if (all.empty()) return {};
    const Extent before = left_;
    left_ = {before.characters / part, before.bytes / part};
    std::string out = head;
    take(extent_of(head));
    std::size_t n = 0;
    while (n < all.size() && take(extent_of(all[n]))) out += all[n++];
    left_ = {before.characters - (before.characters / part - left_.characters),
             before.bytes - (before.bytes / part - left_.bytes)};
    if (n < all.size()) {
      const std::string more = std::to_string(all.size() - n);
      out += "\n… and " + more + " more; `muster review --format json` lists all\n";
      note_cut(more + " " + what);
    }
    return head.empty() ? out + "\n" : out;
  }

  std::string unjudged_text() const {
    std::string out;
    std::size_t n = 0;
    const std::vector<lint::Account> files = unjudged_beside_left_out(review_);
    for (const lint::Account& account : files)
      if (n++ < shown_.left_out)
        out += "> **Not judged**: " + dialect_.code(account.file) + ": " + std::string(lint::name(account.fate)) +
               (account.why.empty() ? "" : ": " + dialect_.message(account.why, 160)) + "\n\n";
    if (n > shown_.left_out)
      out += "> … and " + counted(static_cast<long long>(n - shown_.left_out), "more file") + " not judged\n\n";
    return out;
  }

  std::string left_out_text() const {
    std::string out;
    std::size_t n = 0;
    std::set<std::pair<std::string_view, std::string_view>> old, both;
    for (const LeftOut& left : review_.left_out_base) old.insert({left.file, left.why});
    const auto add = [&](const LeftOut& left, const char* side) {
      if (n++ < shown_.left_out)
        out += std::string("> **Left out** of ") + side + ": " + dialect_.code(left.file) + ": " +
               dialect_.message(left.why, 160) + "\n\n";
    };
    for (const LeftOut& left : review_.left_out_head) {
      const bool in_both = old.contains({left.file, left.why});
      if (in_both) both.insert({left.file, left.why});
      add(left, in_both ? "both trees" : "the new tree");
    }
    for (const LeftOut& left : review_.left_out_base)
      if (!both.contains({left.file, left.why})) add(left, "the old tree");
    if (n > shown_.left_out)
      out += "> … and " + counted(static_cast<long long>(n - shown_.left_out), "more file") + " left out\n\n";
    return out;
  }

  // "`train/a` and 9 more".
  std::string called(const std::vector<const Item*>& items) const {
    return dialect_.code(title(*items[0])) +
           (items.size() == 1 ? "" : " and " + std::to_string(items.size() - 1) + " more");
  }

  std::vector<std::string> blocked_rows() const {
    Groups<Item> reasons;
    for (const Item& item : review_.items) {
      if (item.blocked.empty()) break;  // they come first
      std::string more;
      if (item.blocked.size() > 1)
        more = " (and " + counted(static_cast<long long>(item.blocked.size() - 1), "other reason") + ")";
      reasons.add(dialect_.message(item.blocked[0]) + more, &item);
    }
    std::vector<std::string> out;
    for (const auto& [reason, items] : reasons.items())
      out.push_back("- **Blocked:** " + called(items) + ": " + reason + "\n");
    return out;
  }

  std::string added_head() const {
    if (review_.suppressions.empty()) return {};
    return "**This pull request adds " + dialect_.message(added_text(review_)) + ":**\n\n";
  }

  std::vector<std::string> added_rows() const {
    std::vector<std::string> out;
    for (const lint::Added& one : review_.suppressions)
      if (out.size() < most_added) out.push_back("- " + dialect_.message(lint::text_of(one), 400) + "\n");
    const std::size_t more = review_.suppressions.size() - out.size();
    if (more > 0) out.push_back("- … and " + std::to_string(more) + " more\n");
    if (!out.empty()) out.back() += "\n";
    return out;
  }

  // What the rules of the new tree would change once they are in force.
  std::string effects() {
    if (review_.rule_effects.empty()) return {};
    std::string out =
        "The rules of " + dialect_.code(review_.policy_from) + " decide here. With the rules of this pull request:\n\n";
    std::size_t shown = 0;
    for (; shown < review_.rule_effects.size() && shown < most_added; ++shown)
      out += "- " + dialect_.message(effect_text(review_.rule_effects[shown]), 400) + "\n";
    if (shown < review_.rule_effects.size())
      out += "- … and " + std::to_string(review_.rule_effects.size() - shown) + " more\n";
    return take(extent_of(out)) ? out + "\n" : std::string();
  }

  // What is always of interest, and of the rest the columns in which some workload differs: a comment is not wide.
  std::vector<std::string> columns() const {
    constexpr std::array<std::pair<const char*, bool>, 9> wanted = {{{"control plane", true},
                                                                     {"runtime", false},
                                                                     {"target", false},
                                                                     {"requires", false},
                                                                     {"fit", false},
                                                                     {"pool", false},
                                                                     {"GPUs", true},
                                                                     {"GPU-hours", true},
                                                                     {"cost", true}}};
    std::vector<std::string> out;
    for (const auto& [name, always] : wanted)
      if (std::any_of(review_.items.begin(), review_.items.end(),
                      [&, name = std::string_view(name), always = always](const Item& item) {
                        const Row row = find_row(item, name);
                        return always ? !row.name.empty() : item.on_both() && row.changed();
                      }))
        out.push_back(name);
    return out;
  }

  // "kubernetes → **slurm**"; requirements as what goes and what comes.
  std::string cell(const Item& item, std::string_view column) const {
    const Row row = find_row(item, column);
    if (row.name.empty()) return {};
    if (!item.before) return dialect_.value(row.after);
    if (!row.changed() || !item.after) return dialect_.value(row.before);
    return dialect_.value(row.before) + " → **" + dialect_.value(row.after) + "**";
  }

  std::string table_head() const {
    std::string head = "| | workload |", line = "|---|---|";
    for (const std::string& column : columns_) {
      head += " " + column + " |";
      line += "---|";
    }
    return head + "\n" + line + "\n";
  }

  std::string was(const Item& item) const {
    const std::string from = moved_from(item);
    return from.empty() ? from : ", was " + dialect_.code(from);
  }

  std::vector<std::string> table_rows() const {
    std::vector<std::string> out;
    for (const Item& item : review_.items) {
      std::string row = "| " + std::string(item.blocked.empty() ? name(item.status) : "**blocked**") + " | " +
                        dialect_.code(title(item)) + was(item) + " |";
      for (const std::string& column : columns_) row += " " + cell(item, column) + " |";
      out.push_back(row + "\n");
    }
    return out;
  }

  std::string before_and_after(const std::optional<std::string>& before,
                               const std::optional<std::string>& after) const {
    const Change shown = around_difference({{}, before, after, {}}, most_value);
    return (before ? dialect_.value(*shown.before, most_value) : "–") + " → " +
           (after ? "**" + dialect_.value(*shown.after, most_value) + "**" : "–");
  }
  std::string change(const Change& c) const {
    return dialect_.code(path_end(c.name, most_path)) + " " + before_and_after(c.before, c.after);
  }

  std::string facts(const Item& item) const {
    std::string out;
    for (std::size_t i = 0; i < item.facts.size() && i < most_facts; ++i) {
      const Change& fact = item.facts[i];
      out += (i == 0 ? "- Facts: " : "; ") + change(fact);
      if (!fact.place.file.empty()) out += " (" + dialect_.code(place_text(fact.place)) + ")";
    }
    if (item.facts.size() > most_facts) out += "; and " + std::to_string(item.facts.size() - most_facts) + " more";
    return out.empty() ? out : out + "\n";
  }

  std::string cause(const Item& item) const {
    std::string out = cause_text(item);
    if (!out.empty()) out[0] = to_upper(out[0]), out += ".";
    std::string flips;
    for (const Flip& flip : item.flips) flips += (flips.empty() ? "" : " or ") + dialect_.code(flip_text(flip));
    if (!flips.empty()) out += (out.empty() ? "" : " ") + std::string("To undo it: ") + flips + ".";
    return out.empty() ? out : "- " + out + "\n";
  }

  std::string amounts(const Item& item) const {
    std::string out;
    for (const auto& rows : {decision_rows(item), amount_rows(item)})
      for (const Row& row : rows)
        if (row.changed())
          out += (out.empty() ? "- " : ", ") + row.name + " " +
                 before_and_after(or_nothing(row.before), or_nothing(row.after));
    return out.empty() ? unchanged_amounts(item) : out + "\n";
  }

  std::string unchanged_amounts(const Item& item) const {
    const std::string text = amounts_text(item.shown());
    return text.empty() ? text : "- Unchanged: " + dialect_.value(text) + "\n";
  }

  static std::optional<std::string> or_nothing(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  }

  std::string objects(const Item& item) const {
    std::string out;
    std::size_t n = 0;
    const auto add = [&](const std::string& line) {
      if (n++ < shown_.fields) out += "- " + line + "\n";
    };
    for (const ObjectChange& object : item.objects) {
      const std::string what = dialect_.code(object_text(object));
      if (object.status != Status::changed) add(what + " " + std::string(name(object.status)));
      for (const Change& field : object.fields)
        if (!is_generated_line(item, field)) add(what + " " + change(field));
      if (const std::string lines = generated_lines(item, object); !lines.empty()) add(what + " " + lines);
    }
    if (n > shown_.fields)
      out += "- … and " + std::to_string(n - shown_.fields) + " more differences in emitted files\n";
    return out;
  }

  // What one that is new is and takes, beside what the table says.
  std::string described(const Item& item) const {
    std::string out;
    for (const auto& rows : {decision_rows(item), amount_rows(item)})
      for (const Row& row : rows)
        if (std::find(columns_.begin(), columns_.end(), row.name) == columns_.end())
          out += (out.empty() ? "- " : ", ") + row.name + " " + dialect_.value(row.after, most_value);
    return out.empty() ? out : out + "\n";
  }

  // Of items with the same report, but for their names: of the first, and who the others are.
  Section details(const std::vector<const Item*>& items) const {
    const Item& item = *items[0];
    std::string others;
    for (std::size_t i = 1; i < items.size() && i <= most_others; ++i)
      others += (i == 1 ? "- The same for " : ", ") + dialect_.code(title(*items[i]));
    if (items.size() > most_others + 1) others += " and " + std::to_string(items.size() - most_others - 1) + " more";
    if (!others.empty()) others += "\n";
    const std::string body =
        item.on_both() ? facts(item) + cause(item) + amounts(item) + objects(item) : described(item);
    return {Section::Kind::details,
            dialect_.folded(called(items) + (item.on_both() ? ": differences and their causes" : ": details"),
                            others + body),
            items.size()};
  }

  std::string site_table(const PolicyChange& change) const {
    std::string out = change.site.empty() ? "" : "\n| key | before | after | touches |\n|---|---|---|---|\n";
    const std::size_t shown = std::min(change.site.size(), shown_.policy_changes), more = change.site.size() - shown;
    const auto value = [&](const auto& of) { return dialect_.code(of.value_or("absent")) + " | "; };
    for (const SiteChange& one : std::span(change.site).first(shown))
      out += "| " + dialect_.code(one.key.name) + " | " + value(one.key.before) + value(one.key.after) +
             dialect_.message(touches_text(one), 160) + " |\n";
    return more == 0 ? out : out + "\n… and " + std::to_string(more) + " more keys\n";
  }

  Section policy(const PolicyChange& change) const {
    const std::string title = "Policy: " + dialect_.message(policy_text(change));
    std::string body;
    for (std::size_t i = 0; i < change.changes.size() && i < shown_.policy_changes; ++i)
      body += "- " + dialect_.message(change.changes[i]) + "\n";
    if (change.changes.size() > shown_.policy_changes)
      body += "- … and " + std::to_string(change.changes.size() - shown_.policy_changes) + " more\n";
    body += site_table(change);
    if (!shown_.brief) return {Section::Kind::policy, dialect_.folded(title, body)};
    std::vector<std::string> all = change.changes;
    for (const SiteChange& one : change.site) all.push_back(one.key.name + ": " + values_text(one));
    const std::size_t more = all.size();
    return {Section::Kind::policy, title + (more == 0 ? "" : ": " + dialect_.message(all[0], 160)) +
                                       (more < 2 ? "" : ", and " + std::to_string(more - 1) + " more") + "\n"};
  }

  std::string finding_line(const Finding& f) const {
    return std::string(severity_name(f.severity)) + " " + dialect_.message(finding_text(f)) + " (" +
           dialect_.code(place_text(f.place)) + ")" +
           (f.accepted.empty() ? "" : ", **allowed**: " + dialect_.message(f.accepted)) +
           (f.proposed.empty() ? "" : ", **only the change accepts it**: " + dialect_.message(f.proposed));
  }

  // Findings of all workloads: new ones, then those that are allowed from now on; each worst first.
  Section findings() const {
    std::vector<const Finding*> listed;
    std::size_t allowed = 0, fixed = 0, unknown = 0, kept = 0;
    for (const Item& item : review_.items) {
      for (const Finding& f : item.new_findings) listed.push_back(&f);
      for (const Finding& f : item.allowed_findings) listed.push_back(&f);
      allowed += item.allowed_findings.size();
      fixed += item.fixed_findings.size();
      unknown += item.unknown_findings.size();
      kept += item.kept_findings;
    }
    std::stable_sort(listed.begin(), listed.end(), [](const Finding* a, const Finding* b) {
      return std::make_pair(!a->accepted.empty(), a->severity) < std::make_pair(!b->accepted.empty(), b->severity);
    });
    if (listed.empty() && fixed + unknown == 0) return {Section::Kind::findings, {}};
    const std::string title =
        "Findings: " + std::to_string(listed.size() - allowed) + " new, " + std::to_string(fixed) + " fixed" +
        (unknown == 0 ? "" : ", " + std::to_string(unknown) + " no longer checked") +
        (allowed == 0 ? "" : ", " + std::to_string(allowed) + " allowed") + " (" + std::to_string(kept) + " unchanged)";
    if (listed.empty()) return {Section::Kind::findings, title + "\n"};
    if (shown_.brief)
      return {Section::Kind::findings, title + ": " + finding_line(*listed[0]) + rest_of(listed) + "\n"};
    Groups<Finding> lines;
    for (const Finding* f : listed) lines.add(finding_line(*f), f);
    std::string body;
    std::size_t shown = 0, left = listed.size();
    for (const auto& [line, of] : lines.items()) {
      if (shown++ == shown_.findings) break;
      body += "- " + line + (of.size() > 1 ? ", " + std::to_string(of.size()) + " times" : "") + "\n";
      left -= of.size();
    }
    if (left > 0) body += "- … and " + std::to_string(left) + " more\n";
    return {Section::Kind::findings, dialect_.folded(title, body)};
  }

  // What the others than the first are: their rules.
  std::string rest_of(const std::vector<const Finding*>& listed) const {
    std::string out;
    for (std::size_t i = 1; i < listed.size() && i <= most_facts; ++i)
      out += (i == 1 ? "; also " : ", ") + dialect_.message(listed[i]->code + " " + listed[i]->name);
    if (listed.size() > most_facts + 1) out += " and " + std::to_string(listed.size() - most_facts - 1) + " more";
    return out;
  }

  Section chart() const {
    std::size_t left = 0;
    const std::string source = options_.chart && draws_charts(options_.host) ? mermaid_chart(review_, left) : "";
    if (source.empty()) return {Section::Kind::chart, {}};
    const std::string more =
        left == 0 ? std::string() : "\n… and " + counted(static_cast<long long>(left), "workload") + " more\n";
    return {Section::Kind::chart, dialect_.folded("Where they run", "```mermaid\n" + source + "```\n" + more)};
  }

  // In the order of the comment; what does not fit is dropped from the end.
  std::vector<Section> sections() const {
    std::vector<Section> out;
    Groups<Item> alike;
    for (const Item& item : review_.items)
      if (item.on_both() ? item.differs() : item.after && item.after->runs && !described(item).empty())
        alike.add(wording_of(item), &item);
    for (const auto& [wording, items] : alike.items()) out.push_back(details(items));
    for (const PolicyChange& change : review_.policies) out.push_back(policy(change));
    if (Section found = findings(); !found.text.empty()) out.push_back(std::move(found));
    if (Section last = chart(); !last.text.empty()) out.push_back(std::move(last));
    return out;
  }

  std::vector<Section> fitting(std::vector<Section> all) {
    std::size_t n = 0;
    while (n < all.size() && take(extent_of("\n" + all[n].text))) ++n;
    const auto dropped = [&](Section::Kind kind) {
      return std::count_if(all.begin() + static_cast<std::ptrdiff_t>(n), all.end(),
                           [&](const Section& s) { return s.kind == kind; });
    };
    long long workloads = 0;
    for (std::size_t i = n; i < all.size(); ++i) workloads += static_cast<long long>(all[i].workloads);
    if (workloads > 0) note_cut("the details of " + counted(workloads, "workload"));
    if (dropped(Section::Kind::policy) > 0) note_cut("the policy");
    if (dropped(Section::Kind::findings) > 0) note_cut("the findings");
    if (dropped(Section::Kind::chart) > 0) note_cut("the chart");
    all.resize(n, {Section::Kind::details, {}});
    return all;
  }

  std::string footer() const {
    std::string notes;
    if (!review_.notes.empty()) notes = " · " + dialect_.message(review_.notes.front(), 200);
    return dialect_.small("muster " + options_.version + " · " + dialect_.code(review_.base, 60) + " → " +
                          dialect_.code(review_.head, 60) + notes);
  }

  const Review& review_;
  const ReportOptions& options_;
  Dialect dialect_;
  Shown shown_;
  Extent left_;
  std::string cut_;
  std::vector<std::string> columns_;
};

}  // namespace

// What hosts take, less a margin: GitHub 65,536 characters or 262,144 bytes (both are reported), GitLab 1,000,000,
// Azure DevOps 150,000, Bitbucket 32,768.
std::span<const Budget> budgets() {
  static constexpr Budget all[] = {{"github", 60'000, 240'000},
                                   {"gitlab", 900'000, 900'000},
                                   {"azure", 140'000, 140'000},
                                   {"bitbucket", 30'000, 30'000}};
  return all;
}

std::string write_markdown(const Review& review, const ReportOptions& options) {
  return safe_to_print(Comment(review, options).write());
}

}  // namespace muster::review
