#include "driver/lint_changes.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "compiler/base/diff.h"
#include "driver/lint_run.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

// A path as it is to be read from the tree: there, or, outside the current folder, where it is now. "": nowhere.
std::string there(const std::string& path, const Files& now, const Files& before) {
  if (path.empty() || fs::path(path).is_absolute()) return path;
  const bool outside = *fs::path(path).lexically_normal().begin() == "..";
  if (outside) return (now.here() / path).string();
  return before.exists(path) ? path : "";
}

LintSettings options_at(const LintSettings& options, const Files& before) {
  LintSettings out = options;
  const auto at = [&](const std::string& path) { return there(path, options.from, before); };
  out.from = before;
  out.files.clear();
  for (const std::string& file : options.files)
    if (const std::string path = at(file); file != "-" && !path.empty()) out.files.push_back(path);
  out.site_file = at(options.site_file);
  out.policy_folder = at(options.policy_folder);
  out.fix = out.unsafe_fixes = out.diff = false;
  out.allow_empty = true;
  out.policy_from.clear();  // what was found before may be suppressed: it is no part of the change
  return out;
}

// Which lines of a file are other than in the tree.
class ChangedLines {
 public:
  ChangedLines(const Tree& tree, const Sources& sources) : tree_(tree), sources_(sources) {}

  bool has(Span span) {
    const std::string& name = sources_.name(span.file);
    const auto [known, fresh] = lines_.try_emplace(name);
    if (fresh) known->second = changed_lines(before(name), sources_.text(span.file));
    return std::binary_search(known->second.begin(), known->second.end(),
                              sources_.position(span.file, span.begin).line);
  }

 private:
  std::string before(const std::string& name) const {
    std::string why;
    if (name == "<stdin>" || fs::path(name).is_absolute()) return {};
    return tree_.files().read(name, largest_file, why).value_or("");
  }

  const Tree& tree_;
  const Sources& sources_;
  std::map<std::string, std::vector<std::uint32_t>> lines_;
};

}  // namespace

std::optional<FoundBefore> findings_at(const Tree& tree, const LintSettings& options, Diagnostics& diagnostics) {
  FoundBefore before;
  std::vector<std::string>& out = before.keys;
  const LintSettings there = options_at(options, tree.files());
  LintRun run(there);
  run.judge_for_keys();
  if (!there.files.empty() && run.prepare()) run.lint({});
  for (lint::Result& r : run.outcome().results)
    if (!r.finding.fault) out.push_back(std::move(r.key));
  std::sort(out.begin(), out.end());
  before.accounts = std::move(run.outcome().accounts);
  return tree.is_whole(diagnostics) ? std::optional(std::move(before)) : std::nullopt;
}

std::size_t keep_changed(const Tree& tree, const std::vector<std::string>& before, const Sources& sources,
                         std::vector<lint::Result>& results) {
  ChangedLines lines(tree, sources);
  return std::erase_if(results, [&](const lint::Result& r) {
    return !r.finding.fault && std::binary_search(before.begin(), before.end(), r.key) &&
           !(r.finding.primary.known() && lines.has(r.finding.primary));
  });
}

}  // namespace muster::driver
