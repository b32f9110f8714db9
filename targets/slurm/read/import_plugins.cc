// Options that no Slurm has: a plugin of the cluster may add them, so they stay as they are written.
#include <algorithm>
#include <vector>

#include "compiler/shell/parse.h"
#include "targets/slurm/option_table.h"
#include "targets/slurm/read/importer.h"

namespace muster::targets::slurm {
namespace {

// `--name=value`; also `--name`, where no word behind it could be its value.
std::optional<Directive> option_of(const Sources& sources, const Refusal& refusal) {
  const std::string_view word = sources.text(refusal.span);
  if (!may_be_of_plugin(refusal) || refusal.component > 0 || !word.starts_with("--")) return std::nullopt;
  const std::size_t equals = word.find('=');
  Directive d;
  d.name = word.substr(2, equals == std::string_view::npos ? equals : equals - 2);
  d.whole = refusal.span;
  if (equals != std::string_view::npos) d.value = shell::raw::unquoted(word.substr(equals + 1));
  const std::string_view behind = sources.text(refusal.span.file).substr(refusal.span.end);
  const std::size_t next = behind.find_first_not_of(" \t");
  const bool alone =
      next == std::string_view::npos || std::string_view("\n-#").find(behind[next]) != std::string_view::npos;
  const bool read = d.value ? !d.value->empty() : alone;
  const bool is_key = d.name == "srun" || d.name == "launch";  // `target slurm` has keys of these names
  return read && !is_key && is_option_name(d.name) ? std::optional(d) : std::nullopt;
}

}  // namespace

bool keeps_option(const Sources& sources, const Refusal& refusal) { return option_of(sources, refusal).has_value(); }

void import_plugins(Importer& import) {
  std::vector<Directive> found;
  for (const Refusal& refusal : import.script.refusals)
    if (auto d = option_of(import.sources, refusal)) found.push_back(std::move(*d));
  for (auto d = found.begin(); d != found.end(); ++d) {
    const bool again = std::any_of(d + 1, found.end(), [&](const Directive& later) { return later.name == d->name; });
    if (again) import.lost(*d, "it is given again below");
    else import.raw(*d, "Slurm has no such option; sbatch takes it only where a plugin of the cluster adds it");
  }
}

}  // namespace muster::targets::slurm
