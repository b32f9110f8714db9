// Our own JSON; its schema is docs/schemas/lint.json.
#include "lint/report/common.h"
#include "lint/report/json_writer.h"

namespace muster::lint {
namespace {

std::string_view name(State state) {
  return state == State::open ? "open" : state == State::suppressed ? "suppressed" : "known";
}

void write_place(JsonWriter& out, std::string_view name, Span span, const Sources& sources) {
  if (!span.known()) return out.null(name);
  const Position from = sources.position(span.file, span.begin), to = sources.position(span.file, span.end);
  out.open_object(name);
  out.text("file", sources.name(span.file));
  out.number("line", from.line);
  out.number("column", from.column);
  out.number("end_line", to.line);
  out.number("end_column", to.column);
  out.number("begin", span.begin);
  out.number("end", span.end);
  out.close();
}

// A place with a text: a label, or an edit.
void write_placed(JsonWriter& out, Span span, std::string_view text, const Sources& sources) {
  out.open_object();
  write_place(out, "at", span, sources);
  out.text("text", text);
  out.close();
}

void write_fix(JsonWriter& out, const std::optional<Fix>& fix, const Sources& sources) {
  if (!fix) return out.null("fix");
  out.open_object("fix");
  out.text("title", fix->title);
  out.flag("safe", fix->safe);
  out.open_list("edits");
  for (const Edit& edit : fix->edits) write_placed(out, edit.where, edit.text, sources);
  out.close();
  out.close();
}

void write_list(JsonWriter& out, std::string_view name, const std::vector<std::string>& texts) {
  out.open_list(name);
  for (const std::string& text : texts) out.text(text);
  out.close();
}

void write_result(JsonWriter& out, const Result& result, const Sources& sources) {
  const Finding& f = result.finding;
  const Named named = about(f);
  out.open_object();
  out.text("rule", named.id);
  out.text("name", named.name);
  if (f.code) out.text("code", info(*f.code).id);
  else out.null("code");
  out.flag("fault", f.fault);
  out.text("severity", severity_name(f.severity));
  out.text("verdict", f.verdict == Verdict::wrong ? "wrong" : "unclear");
  out.text("state", name(result.state));
  out.text("message", f.message);
  write_place(out, "at", f.primary, sources);
  out.text("label", f.primary_label);
  out.open_list("labels");
  for (const Label& label : f.labels) write_placed(out, label.span, label.text, sources);
  out.close();
  write_list(out, "notes", f.notes);
  write_fix(out, f.fix, sources);
  out.text("subject", f.subject);
  out.text("path", f.path);
  out.text("key", result.key);
  out.text("reason", result.reason);
  if (!result.proposed.empty()) out.text("proposed", result.proposed);
  out.close();
}

void write_added(JsonWriter& out, const Added& added) {
  out.open_object();
  out.text("kind", name(added.kind));
  out.text("rule", added.rule);
  out.text("file", added.file);
  if (added.line == 0) out.null("line");
  else out.number("line", added.line);
  out.text("subject", added.subject);
  out.text("reason", added.reason);
  out.close();
}

void write_account(JsonWriter& out, const Account& account) {
  out.open_object();
  out.text("file", account.file);
  out.text("is", name(account.fate));
  if (account.why.empty()) out.null("why");
  else out.text("why", account.why);
  out.close();
}

void write_summary(JsonWriter& out, const Outcome& outcome) {
  const Counts n = count(outcome);
  out.open_object("summary");
  out.number("files", outcome.files.size());
  out.number("errors", n.errors);
  out.number("warnings", n.warnings);
  out.number("infos", n.infos);
  out.number("unclear", n.unclear);
  out.number("suppressed", n.suppressed);
  out.number("known", n.known);
  out.number("fixed", outcome.fixed);
  out.number("elsewhere", outcome.elsewhere);
  out.close();
}

}  // namespace

void write_json(const View& view, const Write& write) {
  JsonWriter out(write);
  out.open_object();
  out.text("schema", "muster.lint/v1");
  out.text("muster", view.version);
  out.text("profile", view.policy.name);
  out.text("profile_version", view.policy.version);
  out.text("policy_sha256", view.policy.sha256);
  write_summary(out, view.outcome);
  write_list(out, "left_out", view.outcome.left_out);
  out.open_list("files");
  for (const Account& account : view.outcome.accounts) write_account(out, account);
  out.close();
  out.open_list("findings");
  for (const Result& r : view.outcome.results) write_result(out, r, view.sources);
  out.close();
  write_list(out, "stale_baseline", view.outcome.stale);
  if (!view.outcome.policy_from.empty()) {
    out.text("policy_from", view.outcome.policy_from);
    out.open_list("added_suppressions");
    for (const Added& added : view.outcome.added) write_added(out, added);
    out.close();
  }
  out.close();
  out.finish();
}

}  // namespace muster::lint
