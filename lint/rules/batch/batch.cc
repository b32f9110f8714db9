#include "lint/rules/batch/batch.h"

#include <algorithm>

#include "lint/rules/batch/job.h"
#include "lint/rules/text_secrets.h"
#include "targets/lsf/read/script.h"

namespace muster::lint {

bool is_filled_in(std::string_view value) { return value.find_first_of("$<{@") != std::string_view::npos; }

bool is_in_document(const BatchJob& job, Span place) {
  return std::any_of(job.body.commands.begin(), job.body.commands.end(), [&](const shell::Command& command) {
    return std::any_of(command.redirects.begin(), command.redirects.end(), [&](const shell::Redirect& r) {
      return r.text.known() && r.text.begin <= place.begin && place.begin < r.text.end;
    });
  });
}

Fix without(const BatchJob& job, Span span, std::string title) {
  const std::string_view text = job.sources().text(span.file);
  while (span.begin > 0 && (text[span.begin - 1] == ' ' || text[span.begin - 1] == '\t')) --span.begin;
  return Fix{std::move(title), true, {{span, ""}}};
}

std::vector<Finding> check_batch_script(const Context& context, std::uint32_t file, batch::System system) {
  std::vector<Finding> out;
  check_text_secrets(context.sources, file, "the script", {out});
  if (system == batch::System::pbs) {
    const pbs::Script script = pbs::read_script(context.sources, file);
    const shell::Body body = targets::slurm::read_body(context.sources, script.job.text);
    check_pbs({context, script.job, body, {out}}, script.dialect);
  } else {
    const batch::JobScript script = targets::lsf::read_script(context.sources, file);
    const shell::Body body = targets::slurm::read_body(context.sources, script.text);
    check_lsf({context, script, body, {out}});
  }
  return out;
}

}  // namespace muster::lint
