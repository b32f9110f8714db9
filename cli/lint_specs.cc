#include "cli/lint_specs.h"

#include <algorithm>

#include "cli/planning.h"
#include "compiler/twin/twin.h"

namespace muster::cli {
namespace {

int lint_spec(Session& session) {
  if (!session.load() || session.module().workloads.empty()) return session.finish();
  const auto setting = make_setting(session);
  if (!setting) return session.finish();
  for (const model::Workload& workload : session.module().workloads) {
    const std::size_t before = session.diagnostics().size();
    const auto result = plan::make_plan(request_for(&workload, session, *setting), session.diagnostics());
    if (result.plan) may_start(*result.plan, session.diagnostics());
    session.label_origin(workload, before);
  }
  return session.finish();
}

}  // namespace

bool is_spec(std::string_view path, std::string_view text) {
  return path.ends_with(".muster") || twin::form_of(path, text) != twin::Form::muster;
}

int lint_specs(const std::vector<std::string>& files, const CommonOptions& options, const std::string& input) {
  int code = 0;
  for (const std::string& file : files) {
    CommonOptions one = options;
    one.files = {file};
    if (file == one.site_file) one.site_file.clear();
    if (file == "-") one.input = input;
    Session session(one);
    code = std::max(code, lint_spec(session));
  }
  return code;
}

}  // namespace muster::cli
