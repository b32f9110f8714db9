#include "lint/suppress.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "compiler/base/limits.h"
#include "compiler/base/text.h"

namespace muster::lint {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::size_t most_suppressions = value_of(Limit::suppressions);
constexpr const char* form = "write `# muster: allow RULE[, RULE] [until=YYYY-MM-DD] -- reason`";
constexpr const char* block_form = "write `allow RULE { reason = \"…\"  until = \"YYYY-MM-DD\" }`; `until` is optional";

Span span_of(std::uint32_t file, std::size_t begin, std::size_t end) {
  return {file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

// What is after `allow`: where it is, what it is for, and how its places follow from offsets in it.
struct Clause {
  std::string_view text;
  Span where;  // the whole clause; a word's place is exact only where the text is in the file as it is
  bool exact = true;
  Span scope;
  Span comment;
  std::string anchor = {};

  Span place(std::string_view word) const {
    if (!exact) return where;
    const auto begin = where.begin + static_cast<std::uint32_t>(word.data() - text.data());
    return {where.file, begin, begin + static_cast<std::uint32_t>(word.size())};
  }
};

Finding bad(RuleId rule, Span where, std::string message) {
  Finding f = finding(rule, where, std::move(message));
  f.subject = "suppression";
  f.notes.push_back(form);
  return f;
}

Finding unknown_rule(const Clause& clause, std::string_view word) {
  Finding f = bad(RuleId::unreadable_suppression, clause.place(word), "unknown rule `" + printable(word) + "`");
  f.path = std::string(word);
  const std::string near = nearest_rule(word);
  if (!near.empty()) f.primary_label = "did you mean `" + near + "`?";
  return f;
}

void read_clause(const Clause& clause, Suppressions& out) {
  const std::size_t dashes = clause.text.find("--");
  std::string_view head = clause.text.substr(0, dashes);
  const std::string reason(dashes == std::string_view::npos ? "" : trimmed(clause.text.substr(dashes + 2)));
  std::vector<Suppression> read;
  std::string until;
  while (!head.empty()) {
    const std::size_t begin = std::min(head.find_first_not_of(" \t\r,"), head.size());
    const std::size_t end = std::min(head.find_first_of(" \t\r,", begin), head.size());
    const std::string_view word = head.substr(begin, end - begin);
    head.remove_prefix(end);
    if (word.empty()) continue;
    if (word.starts_with("until=")) {
      until = word.substr(6);
      if (!is_date(until))
        out.findings.push_back(bad(RuleId::unreadable_suppression, clause.place(word),
                                   "`" + std::string(word) + "` is not a valid date; expected `until=YYYY-MM-DD`"));
    } else if (const Rule* rule = find_rule(word)) {
      read.push_back({static_cast<RuleId>(rule - all_rules().data()), clause.place(word), clause.scope, clause.comment,
                      reason, "", false});
      read.back().anchor = clause.anchor;
    } else {
      out.findings.push_back(unknown_rule(clause, word));
      return;
    }
  }
  if (read.empty())
    out.findings.push_back(bad(RuleId::unreadable_suppression, clause.where, "the suppression does not name a rule"));
  else if (reason.empty())
    out.findings.push_back(
        bad(RuleId::suppression_without_reason, clause.where, "the suppression does not give a reason"));
  else if (until.empty() || is_date(until))
    for (Suppression& s : read) s.until = until, out.items.push_back(std::move(s));
}

// What a comment that begins with `muster:` says: the clause after `allow`, or nothing.
std::string_view clause_of(std::string_view comment, std::uint32_t file, std::size_t at, Suppressions& out) {
  const std::string_view text_of_comment = trimmed(comment);
  const std::string_view verb = text_of_comment.substr(0, text_of_comment.find_first_of(" \t"));
  if (verb == "allow") return text_of_comment.substr(verb.size());
  const std::string_view known[] = {"allow", "ignore", "disable"};
  if (!closest(verb, known).empty())
    out.findings.push_back(bad(RuleId::unreadable_suppression, span_of(file, at, at + comment.size()),
                               "`" + std::string(verb.substr(0, 40)) + "` is not `allow`"));
  return {};
}

// Goes through the comments of one file.
class CommentReader {
 public:
  CommentReader(const Sources& sources, std::uint32_t file, Input kind)
      : text_(sources.text(file)),
        file_(file),
        head_end_(kind == Input::script ? first_directive() : first_content()) {}

  Suppressions read() {
    constexpr std::string_view word = "muster:";
    for (std::size_t at = text_.find(word); at != std::string_view::npos; at = text_.find(word, at + word.size())) {
      const std::size_t hash = comment_marker_before(at);
      if (hash != std::string_view::npos) comment(hash, at + word.size());
      if (out_.findings.size() > value_of(Limit::findings)) break;  // over what a file may have
      if (out_.items.size() < most_suppressions) continue;
      out_.findings.push_back(bad(RuleId::unreadable_suppression, span_of(file_, at, at + word.size()),
                                  "the file has more than 1,000 suppressions; the rest is ignored"));
      break;
    }
    return std::move(out_);
  }

 private:
  std::size_t line_begin(std::size_t at) const { return at == 0 ? 0 : text_.rfind('\n', at - 1) + 1; }
  std::size_t line_end(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()); }
  bool blank(std::size_t begin, std::size_t end) const { return trimmed(text_.substr(begin, end - begin)).empty(); }

  // Where the script's first `#SBATCH`, `#PBS` or `#BSUB` line begins; 0 if it has none.
  std::size_t first_directive() const {
    for (const std::string_view mark : {"\n#SBATCH", "\n#PBS", "\n#BSUB"}) {
      if (text_.starts_with(mark.substr(1))) return 0;
      if (const std::size_t at = text_.find(mark); at != std::string_view::npos) return at + 1;
    }
    return 0;
  }

  // Where the first line begins that is neither blank, a comment nor `---`.
  std::size_t first_content() const {
    std::size_t at = 0;
    while (at < text_.size()) {
      const std::string_view line = trimmed(text_.substr(at, line_end(at) - at));
      if (!line.empty() && line[0] != '#' && !line.starts_with("---")) break;
      at = line_end(at) + 1;
    }
    return std::min(at, text_.size());
  }

  // The `#` before `muster:` if it begins a comment.
  std::size_t comment_marker_before(std::size_t at) const {
    const std::size_t hash = at == 0 ? std::string_view::npos : text_.find_last_not_of(" \t", at - 1);
    if (hash == std::string_view::npos || text_[hash] != '#') return std::string_view::npos;
    return hash == 0 || text_[hash - 1] == '\n' || blanks.find(text_[hash - 1]) != std::string_view::npos
               ? hash
               : std::string_view::npos;
  }

  // The line below that is not a comment of ours: several may be above one line.
  Span line_below(std::size_t at) const {
    std::size_t begin = std::min(line_end(at) + 1, text_.size());
    while (begin < text_.size()) {
      const std::string_view line = trimmed(text_.substr(begin, line_end(begin) - begin));
      if (line.empty() || line[0] != '#' || !trimmed(line.substr(1)).starts_with("muster:")) break;
      begin = std::min(line_end(begin) + 1, text_.size());
    }
    return span_of(file_, begin, std::min(line_end(begin) + 1, text_.size()));
  }

  void comment(std::size_t hash, std::size_t after) {
    const std::size_t begin = line_begin(hash), end = line_end(hash);
    Clause clause;
    clause.text = clause_of(text_.substr(after, end - after), file_, after, out_);
    if (clause.text.data() == nullptr) return;
    const auto clause_begin = static_cast<std::size_t>(clause.text.data() - text_.data());
    clause.where = span_of(file_, clause_begin, clause_begin + clause.text.size());
    const bool alone = blank(begin, hash);
    const std::size_t before = hash == 0 ? 0 : text_.find_last_not_of(" \t", hash - 1) + 1;
    clause.comment = alone ? span_of(file_, begin, std::min(end + 1, text_.size())) : span_of(file_, before, end);
    clause.scope = hash < head_end_ ? span_of(file_, 0, text_.size() + 1)
                   : alone          ? line_below(hash)
                                    : span_of(file_, begin, end + 1);
    const std::string_view line = alone ? text_.substr(clause.scope.begin, clause.scope.end - clause.scope.begin)
                                        : text_.substr(begin, hash - begin);
    clause.anchor = hash < head_end_ ? "file" : "line " + std::string(trimmed(line, " \t\r\n"));
    read_clause(clause, out_);
  }

  std::string_view text_;
  std::uint32_t file_;
  std::size_t head_end_;
  Suppressions out_;
};

std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> key_of(Span span) { return {span.file, span.begin, span.end}; }

}  // namespace

Suppressions read_comments(const Sources& sources, std::uint32_t file, Input kind) {
  return CommentReader(sources, file, kind).read();
}

void read_annotation(std::string_view value, Span where, Span object, const std::string& owner, const Sources& sources,
                     Suppressions& out) {
  const std::size_t items = out.items.size(), findings = out.findings.size();
  Clause clause;
  clause.exact = sources.text(where) == value;  // no quotes around it
  clause.text = value;
  clause.where = where;
  clause.scope = object;
  read_clause(clause, out);
  for (Suppression& s : std::span(out.items).subspan(items)) s.owner = owner;
  for (Finding& f : std::span(out.findings).subspan(findings)) f.subject = owner;
}

void leave_out(const std::vector<Span>& texts, Suppressions& suppressions) {
  const auto within = [&](Span place) {
    return std::any_of(texts.begin(), texts.end(), [&](Span text) {
      return place.file == text.file && place.begin >= text.begin && place.begin < text.end;
    });
  };
  std::erase_if(suppressions.items, [&](const Suppression& s) { return s.comment.known() && within(s.where); });
  std::erase_if(suppressions.findings, [&](const Finding& f) { return within(f.primary); });
}

void read_allows(std::span<const model::Allow> allows, const std::string& subject, const std::string& path,
                 bool elsewhere, Suppressions& out) {
  for (const model::Allow& allow : allows) {
    const std::size_t before = out.items.size();
    read_allow(allow, {}, elsewhere, out);
    for (Suppression& s : std::span(out.items).subspan(before)) s.block = true, s.subject = subject, s.path = path;
  }
}

void read_allow(const model::Allow& allow, Span scope, bool elsewhere, Suppressions& out) {
  Clause clause;
  clause.text = allow.code;
  clause.where = allow.span;
  clause.exact = false;
  const Rule* rule = find_rule(allow.code);
  if (rule == nullptr) {
    out.findings.push_back(unknown_rule(clause, allow.code));
    out.findings.back().notes = {block_form};
    return;
  }
  Suppression s{static_cast<RuleId>(rule - all_rules().data()), allow.span, scope, {}, allow.reason.value, "", false};
  if (allow.until) s.until = allow.until->value;
  s.placed = scope.known(), s.elsewhere = elsewhere;
  out.items.push_back(std::move(s));
}

std::vector<Finding> leftovers(const Suppressions& suppressions, const Selection& selection, std::string_view as_of,
                               bool site_given) {
  std::vector<Finding> out;
  const auto place = [](const Suppression& s) { return std::tuple(s.where.file, s.where.begin, s.rule); };
  std::set<std::tuple<std::uint32_t, std::uint32_t, RuleId>> used;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> rules_of_comment;
  for (const Suppression& s : suppressions.items) {
    if (s.used) used.insert(place(s));
    ++rules_of_comment[key_of(s.comment)];
  }
  for (const Suppression& s : suppressions.items) {
    const std::string rule(info(s.rule).id);
    const bool expired = !s.until.empty() && !as_of.empty() && s.until < as_of;
    const bool may_be_used = (!site_given && needs_site(s.rule)) || s.rule == RuleId::replicas_with_hpa;
    if (!expired && (s.elsewhere || used.contains(place(s)) || !selection.contains(s.rule) || may_be_used)) continue;
    Finding f = expired ? finding(RuleId::expired_suppression, s.where,
                                  "the suppression of `" + rule + "` expired on " + s.until)
                        : finding(RuleId::unused_suppression, s.where,
                                  "`" + rule + "` does not occur here, so the suppression has no effect");
    f.subject = s.owner;
    f.path = rule;
    // Without the rule; the whole comment where it is its only one.
    if (!expired && s.comment.known() && rules_of_comment[key_of(s.comment)] == 1)
      f.fix = Fix{"delete the suppression", true, {{s.comment, ""}}};
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace muster::lint
