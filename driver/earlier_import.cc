#include "driver/earlier_import.h"

#include <algorithm>
#include <filesystem>

#include "compiler/base/limits.h"
#include "compiler/base/text.h"
#include "compiler/model/module.h"
#include "compiler/sema/check/check.h"
#include "compiler/sema/expand/defaults.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/syntax/parse.h"
#include "driver/choose.h"
#include "driver/read_file.h"
#include "plan/steps/make_plan.h"
#include "rules/profiles.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view site_name = "site.muster";

std::optional<ast::File> tree_of(const std::string& name, const std::string& text, Sources& sources,
                                 Diagnostics& found) {
  return syntax::parse(sources, sources.add(name, text), found);
}

// Parameters without a value get their own name as one.
std::vector<sema::Given> values_for(const ast::File& file) {
  std::vector<sema::Given> out;
  for (const ast::Signature& parameter : file.parameters)
    if (!parameter.fallback) out.push_back({parameter.name.text, {}, parameter.name.text, {}});
  return out;
}

// All that is written for the workloads of a file with a site; what prevents that, where something does.
std::string compiled(const OutputFile& workload, const std::string& site) {
  Sources sources;
  Diagnostics found;
  std::vector<ast::File> files;
  for (const auto& [name, text] : {std::pair{workload.name, workload.content}, {std::string(site_name), site}})
    if (auto tree = tree_of(name, text, sources, found)) files.push_back(std::move(*tree));
  if (found.has_errors() || files.size() != 2) return "cannot be read\n";
  sema::ExpandOptions how;
  how.roots = {files[0].file, files[1].file};
  how.set = values_for(files[0]);
  files = sema::expand(std::move(files), how, found);
  for (const ast::File& file : std::vector<ast::File>(files))
    for (const ast::Block& block : file.blocks)
      if (block.kind.text == "site") sema::lay_defaults(block, files, found);
  const model::Module module = sema::check(files, sources, {}, found);
  if (found.has_errors() || module.sites.empty()) return found.sorted().front().message + "\n";
  const model::Policy policy = rules::profile("default");
  targets::LowerOptions options;
  options.source = workload.name;
  options.names = targets::Names::fixed;
  std::string out;
  for (const model::Workload& one : module.workloads) {
    plan::PlanRequest request;
    request.workload = &one;
    request.workloads = plan::Compilation(module.workloads);
    request.site = &module.sites.front();
    request.site_given = true;
    request.policy = &policy;
    const Chosen chosen = choose(request, options, nullptr, found);
    for (const targets::Document& document : chosen.lowered.documents) out += document.content;
    if (!chosen.written)
      for (const Diagnostic& d : chosen.reports.sorted()) out += d.message + "\n";
  }
  return out;
}

// The first line of each that the other does not have at that place.
std::pair<std::string, std::string> first_difference(const std::string& before, const std::string& after) {
  const auto a = split(before, '\n'), b = split(after, '\n');
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string_view one = i < a.size() ? a[i] : "", other = i < b.size() ? b[i] : "";
    if (one != other) return {printable(trimmed(one, " \t"), 80), printable(trimmed(other, " \t"), 80)};
  }
  return {};
}

}  // namespace

std::optional<EarlierImport> earlier_import(const std::string& folder, Diagnostics& diagnostics) {
  const fs::path path = fs::path(folder) / site_name;
  if (!fs::exists(path)) return std::nullopt;
  std::string why;
  const auto text = read_file(path.string(), value_of(Limit::checked_bytes), why);
  Sources sources;
  Diagnostics found;
  std::optional<ast::File> tree;
  if (text) tree = tree_of(path.string(), *text, sources, found);
  const bool plain = tree && tree->blocks.size() == 1 && tree->blocks.front().kind.text == "site" &&
                     tree->imports.empty() && tree->parameters.empty() && tree->templates.empty();
  if (plain) {
    std::vector<ast::File> files;
    files.push_back(std::move(*tree));
    model::Module module = sema::check(files, sources, {}, found);
    if (!found.has_errors() && module.sites.size() == 1) {
      EarlierImport out{std::move(module.sites.front()), *text, {}};
      std::vector<fs::path> others;
      for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".muster" && entry.path().filename() != site_name)
          others.push_back(entry.path());
      std::sort(others.begin(), others.end());
      for (const fs::path& other : others)
        if (auto content = read_file(other.string(), value_of(Limit::checked_bytes), why))
          out.workloads.push_back({other.filename().string(), std::move(*content)});
      return out;
    }
  }
  diagnostics.add(Code::cannot_write, {}, "`" + path.string() + "` is not one site, so nothing can be added to it")
      .notes.push_back("import into another folder, and copy what you need");
  return std::nullopt;
}

bool keeps_workloads(const EarlierImport& earlier, const std::string& site, const std::vector<OutputFile>& written,
                     Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  for (const OutputFile& workload : earlier.workloads) {
    const auto is_it = [&](const OutputFile& file) { return file.name == workload.name; };
    if (std::any_of(written.begin(), written.end(), is_it)) continue;
    const std::string own = compiled(workload, earlier.text), now = compiled(workload, site);
    if (own == now) continue;
    const auto [one, other] = first_difference(own, now);
    Diagnostic& d = diagnostics.add(Code::cannot_write, {},
                                    "the site of this import would change what `" + workload.name + "` becomes");
    d.notes.push_back("now it becomes `" + one + "`; then `" + other + "`");
    d.notes.push_back("import into another folder");
  }
  return diagnostics.size() == before;
}

}  // namespace muster::driver
