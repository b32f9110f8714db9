// SEC001 secret-in-env: literal secrets of scripts and charts, wherever they are: commands, comments, here-documents,
// programs in other languages. Messages never repeat them.
#include "lint/rules/text_secrets.h"

#include <algorithm>

#include "compiler/base/secret.h"
#include "compiler/base/secret_scan.h"
#include "compiler/base/text.h"

namespace muster::lint {

namespace {

// A name alone may deceive; a name and a value that no person thinks up does not.
bool looks_random(std::string_view value) {
  const auto count = [&](auto kind) { return std::count_if(value.begin(), value.end(), kind); };
  return value.size() >= 20 && count(is_digit) >= 3 && count(is_letter) >= 3;
}

}  // namespace

bool is_weak_secret(const Finding& f) { return f.rule == RuleId::secret_in_env && f.severity != Severity::error; }

void check_text_secrets(const Sources& sources, std::uint32_t file, std::string_view what, const Reporter& report) {
  constexpr std::size_t most = 100;
  std::size_t reported = 0;
  for (const SecretPlace& place : find_secrets(sources.text(file))) {
    if (!place.sure) continue;
    if (++reported > most) return;
    const Span where{file, static_cast<std::uint32_t>(place.begin), static_cast<std::uint32_t>(place.end)};
    Finding& f = report.wrong(
        RuleId::secret_in_env, {where, "job", place.what},
        place.what + " is in plain text, and everyone who can read " + std::string(what) + " can read it", "here");
    f.notes.push_back(
        "read it from a file that only you can read, and revoke this one, because it is in the repository's history");
    const std::string_view value = sources.text(where);
    f.secret = value;
    if (!has_secret_form(value) && !looks_random(value)) f.severity = Severity::warning;
  }
}

}  // namespace muster::lint
