// A manifest imported, and the workload compiled again: by the target of its kind at the site that the import wrote, or
// by another one.
#pragma once

#include <string>

#include "compiler/base/text.h"
#include "compiler/model/module.h"
#include "compiler/sema/check/check.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/sema/expand/defaults.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "driver/importer.h"
#include "plan/steps/make_plan.h"
#include "rules/profiles.h"
#include "targets/target.h"

namespace muster::tests {

inline constexpr std::string_view batch_site = "site hpc {\n plane batch { kind = slurm  containers = pyxis }\n}\n";

struct Again {
  std::string workload, site, target;
  std::string report;  // each line of the import: its option, fate, key and note
  std::string why;     // what was reported

  explicit Again(const std::string& yaml) {
    Sources sources;
    Diagnostics found;
    driver::Importer importer(sources, found, {});
    const std::uint32_t file = sources.add("object.yaml", yaml);
    importer.read({"object.yaml", true}, file);
    for (const Diagnostic& d : found.sorted()) why += d.message + "\n";
    if (importer.files().empty() || importer.files().front().text.empty()) return;
    const driver::ImportedFile& made = importer.files().front();
    workload = made.text;
    target = made.imported.target;
    for (const targets::ImportLine& line : made.imported.lines)
      report += line.option + " " + std::string(targets::name(line.fate)) + " " + line.as + " " + line.note + "\n";
    model::Site draft = importer.site();
    draft.name = "site";
    ast::File tree;
    tree.blocks.push_back(sema::to_syntax(draft, found));
    site = syntax::format(tree, Sources());
    give_gang(site);
  }

  // An object that names no gang scheduler gets that of the site, and the draft has none.
  static void give_gang(std::string& text) {
    const std::string kind = "kind = kubernetes";
    const std::size_t at = text.find(kind);
    if (at == text.npos || text.find("gang") != text.npos) return;
    text.insert(at + kind.size(), "  gang = kueue");
    if (text.find("queue ") == text.npos) text.insert(text.find("  plane"), "  queue main { default = true }\n");
  }

  bool imported() const { return !workload.empty(); }
  // What the target of its kind writes.
  std::string same_kind() { return compiled(target, site); }
  std::string on_slurm() { return compiled("slurm", batch_site); }

  // "" where it is refused: `why`.
  std::string compiled(std::string_view name, std::string_view with) {
    why.clear();
    Sources sources;
    Diagnostics found;
    std::vector<ast::File> files;
    for (const std::string& text : {workload, std::string(with)})
      if (auto tree = syntax::parse(sources, sources.add("test.muster", text), found))
        files.push_back(std::move(*tree));
    if (files.size() == 2) sema::lay_defaults(files[1].blocks.front(), files, found);
    const model::Module module = sema::check(files, sources, {}, found);
    if (found.has_errors() || module.sites.empty() || module.workloads.empty()) return said(found);
    const model::Policy policy = rules::profile("default");
    plan::PlanRequest request;
    request.workload = &module.workloads.front();
    request.workloads = plan::Compilation(module.workloads);
    request.site = &module.sites.front();
    request.site_given = true;
    request.policy = &policy;
    request.plane = &module.sites.front().planes.front();
    const plan::PlanResult planned = plan::make_plan(request, found);
    if (!planned.plan || found.has_errors()) return said(found);
    targets::LowerOptions options;
    options.names = targets::Names::fixed;
    const targets::Lowered lowered = targets::lower(*targets::find_target(name), *planned.plan, options, found);
    if (found.has_errors() || lowered.documents.empty()) return said(found);
    std::string out;
    for (const targets::Document& document : lowered.documents) out += document.content;
    return out;
  }

 private:
  std::string said(const Diagnostics& found) {
    for (const Diagnostic& d : found.sorted()) {
      why += d.message + "\n";
      for (const std::string& note : d.notes) why += note + "\n";
    }
    return {};
  }
};

}  // namespace muster::tests
