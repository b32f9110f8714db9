// Our own JSON; its schema is docs/schemas/lint.json.
#include "lint/report/common.h"

namespace muster::lint {
namespace {

Json fix_json(const Fix& fix, const Sources& sources) {
  Json edits = Json::array();
  for (const Edit& edit : fix.edits) edits.push_back({{"at", place_json(edit.where, sources)}, {"text", edit.text}});
  return {{"title", fix.title}, {"safe", fix.safe}, {"edits", edits}};
}

std::string_view name(State state) {
  return state == State::open ? "open" : state == State::suppressed ? "suppressed" : "known";
}

Json result_json(const Result& result, const Sources& sources) {
  const Finding& f = result.finding;
  const Named named = about(f);
  Json out = {{"rule", named.id},
              {"name", named.name},
              {"code", f.code ? Json(info(*f.code).id) : Json(nullptr)},
              {"fault", f.fault},
              {"severity", severity_name(f.severity)},
              {"verdict", f.verdict == Verdict::wrong ? "wrong" : "unclear"},
              {"state", name(result.state)},
              {"message", f.message},
              {"at", place_json(f.primary, sources)},
              {"label", f.primary_label}};
  out["labels"] = Json::array();
  for (const Label& label : f.labels)
    out["labels"].push_back({{"at", place_json(label.span, sources)}, {"text", label.text}});
  out["notes"] = f.notes;
  out["fix"] = f.fix ? fix_json(*f.fix, sources) : Json(nullptr);
  out["subject"] = f.subject;
  out["path"] = f.path;
  out["key"] = result.key;
  out["reason"] = result.reason;
  return out;
}

}  // namespace

std::string write_json(const View& view) {
  const Counts n = count(view.outcome);
  Json out = {{"schema", "muster.lint/v1"},
              {"muster", view.version},
              {"profile", view.policy.name},
              {"profile_version", view.policy.version},
              {"policy_sha256", view.policy.sha256}};
  out["summary"] = {{"files", view.outcome.files.size()},
                    {"errors", n.errors},
                    {"warnings", n.warnings},
                    {"infos", n.infos},
                    {"unclear", n.unclear},
                    {"suppressed", n.suppressed},
                    {"known", n.known},
                    {"fixed", view.outcome.fixed},
                    {"elsewhere", view.outcome.elsewhere}};
  out["left_out"] = view.outcome.left_out;
  out["findings"] = Json::array();
  for (const Result& r : view.outcome.results) out["findings"].push_back(result_json(r, view.sources));
  out["stale_baseline"] = view.outcome.stale;
  return dump(out);
}

}  // namespace muster::lint
