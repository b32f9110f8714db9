// SEC001 secret-in-env: literal secrets of scripts. Messages never repeat them.
#include <algorithm>

#include "compiler/base/secret.h"
#include "compiler/base/text.h"
#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

void report_secret(const SlurmJob& job, Span where, const std::string& name, bool sure) {
  Finding& f = job.wrong_at(RuleId::secret_in_env, where, name,
                            name + " is in plain text, and everyone who can read the script can read it", "here");
  f.notes.push_back(
      "read it from a file that only you can read, and revoke this one, because it is in the repository's history");
  if (!sure) f.severity = Severity::warning;
}

// A name alone may deceive; a name and a value that no person thinks up does not.
bool looks_random(std::string_view value) {
  const auto count = [&](auto kind) { return std::count_if(value.begin(), value.end(), kind); };
  const auto digits = count(is_digit);
  const auto letters = count(is_letter);
  return value.size() >= 20 && digits >= 3 && letters >= 3;
}

void check_value(const SlurmJob& job, const std::string& name, const slurm::Word& value, Span where) {
  if (!value.literal || !is_secret(name, value.text)) return;
  report_secret(job, where, "`" + name + "`", has_secret_form(value.text) || looks_random(value.text));
}

bool is_hex(std::string_view text, std::size_t length) {
  return text.size() == length && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// The words of a command line that are tokens by their form.
void check_arguments(const SlurmJob& job, const slurm::Command& c) {
  for (std::size_t i = 0; i < c.words.size(); ++i) {
    const slurm::Word& word = c.words[i];
    const bool login = c.program() == "wandb" && i == 2 && c.words[1].text == "login" && is_hex(word.text, 40);
    if (word.literal && word.text.size() >= 20 && (login || has_secret_form(word.text)))
      report_secret(job, word.span, "a token", true);
  }
}

}  // namespace

void check_secrets(const SlurmJob& job) {
  constexpr std::size_t most = 100;
  const auto reported = [&, before = job.report.findings.size()] { return job.report.findings.size() - before; };
  for (const slurm::Export& e : job.body.exports)
    if (e.value && reported() < most) check_value(job, e.name, *e.value, e.value->span);
  for (const slurm::Command& c : job.body.commands) {
    if (reported() >= most) return;
    for (const slurm::Assignment& a : c.assignments) check_value(job, a.name, a.value, a.value.span);
    if (c.program() != "export") check_arguments(job, c);
  }
}

}  // namespace muster::lint
