// How often each rule fired, for those who watch many repositories; its schema is docs/schemas/lint-stats.json.
#include <map>

#include "lint/report/common.h"

namespace muster::lint {
std::string write_stats(const View& view) {
  std::map<std::string_view, Counts> fired;  // by id; codes that no rule stands for are among them
  for (const Rule& rule : all_rules()) fired[rule.id];
  for (const Result& r : view.outcome.results) add(r, fired[about(r.finding).id]);
  Json rules = Json::object();
  for (const auto& [id, n] : fired)
    rules[std::string(id)] = {{"errors", n.errors},   {"warnings", n.warnings},     {"infos", n.infos},
                              {"unclear", n.unclear}, {"suppressed", n.suppressed}, {"known", n.known}};
  return dump({{"schema", "muster.lint-stats/v1"},
               {"muster", view.version},
               {"files", view.outcome.files.size()},
               {"left_out", view.outcome.left_out.size()},
               {"rules", rules}});
}

}  // namespace muster::lint
