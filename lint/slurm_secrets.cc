// SEC001 secret-in-env: literal secrets of scripts. Messages never repeat them.
#include <algorithm>
#include <cctype>

#include "compiler/base/text.h"
#include "lint/secrets.h"
#include "lint/slurm_job.h"

namespace muster::lint {
namespace {

Finding secret(const SlurmJob& job, Span where, const std::string& name, bool sure) {
  Finding f = finding(RuleId::secret_in_env, where, name + " is written out: whoever reads the script has it", "here");
  f.notes.push_back(
      "read it from a file that only you may read, and make this one invalid: it is in the history of the repository");
  if (!sure) f.severity = Severity::warning;
  return job.about(std::move(f), name);
}

void check_value(const SlurmJob& job, const std::string& name, const slurm::Word& value, Span where, Findings& out) {
  if (!value.literal) return;
  const Secrecy secrecy = secrecy_of(name, value.text);
  if (secrecy != Secrecy::none) out.push_back(secret(job, where, "`" + name + "`", secrecy == Secrecy::sure));
}

// The word of a command line that is a token by its form.
void check_words(const SlurmJob& job, const slurm::Command& c, Findings& out) {
  for (std::size_t i = 0; i < c.words.size(); ++i) {
    const std::string& text = c.words[i].text;
    const std::size_t equals = text.starts_with('-') ? text.find('=') : std::string::npos;
    const bool login = c.program() == "wandb" && i == 2 && c.words[1].text == "login" && is_hex(text, 40);
    if (c.words[i].literal &&
        (login || is_token(text) || (equals != std::string::npos && is_token(text.substr(equals + 1)))))
      out.push_back(secret(job, c.words[i].span, "a token", true));
  }
}

}  // namespace

void check_secrets(const SlurmJob& job, Findings& out) {
  constexpr std::size_t most = 100;
  const std::size_t before = out.size();
  for (const slurm::Export& e : job.body.exports)
    if (e.value && out.size() - before < most) check_value(job, e.name, *e.value, e.value->span, out);
  for (const slurm::Command& c : job.body.commands) {
    if (out.size() - before >= most) return;
    for (const slurm::Assignment& a : c.assignments) check_value(job, a.name, a.value, a.value.span, out);
    if (c.program() != "export") check_words(job, c, out);
  }
}

}  // namespace muster::lint
