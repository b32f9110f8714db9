#include "lint/check.h"

#include "lint/suppress.h"

namespace muster::lint {
namespace {

bool has_line_start(std::string_view text, std::string_view start) {
  for (std::size_t at = text.find(start); at != std::string_view::npos; at = text.find(start, at + 1))
    if (at == 0 || text[at - 1] == '\n') return true;
  return false;
}

// Holds findings against the file's suppressions.
std::vector<Result> judged(std::vector<Finding> findings, Suppressions suppressions, const CheckSettings& settings) {
  std::vector<Result> out;
  const auto add = [&](Finding f) {
    if (!settings.selection.contains(f.rule)) return;
    out.push_back({std::move(f), "", State::open, ""});
    const Suppression* s = find_suppression(out.back().finding, suppressions, settings.as_of);
    if (s != nullptr) out.back().state = State::suppressed, out.back().reason = s->reason;
  };
  for (Finding& f : findings) add(std::move(f));
  for (Finding& f : leftovers(suppressions, settings.selection, settings.as_of)) add(std::move(f));
  for (Finding& f : suppressions.findings) add(std::move(f));
  return out;
}

}  // namespace

std::optional<Input> kind_of(std::string_view text) {
  if (has_line_start(text, "#SBATCH")) return Input::script;
  if (has_line_start(text, "apiVersion:") && has_line_start(text, "kind:")) return Input::manifest;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{' &&
                    text.find("\"apiVersion\"") != std::string_view::npos &&
                    text.find("\"kind\"") != std::string_view::npos;
  return json ? std::optional(Input::manifest) : std::nullopt;
}

std::vector<Result> check_file(std::uint32_t file, Input kind, const CheckSettings& settings) {
  std::vector<Finding> findings;
  Suppressions suppressions = read_comments(settings.context.sources, file, kind);
  std::vector<Result> results = judged(std::move(findings), std::move(suppressions), settings);
  sort_results(results);
  set_keys(results, settings.context.sources);
  return results;
}

}  // namespace muster::lint
