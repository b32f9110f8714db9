#include "compiler/sema/check.h"

#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/builders.h"
#include "compiler/sema/check_rules.h"

namespace muster::sema {
namespace {

void unknown_declaration(const ast::Block& block, Diagnostics& diagnostics) {
  std::vector<std::string_view> names;
  for (const BlockSchema& top : top_level()) names.push_back(top.name);
  Diagnostic& d =
      diagnostics.add(Code::unknown_block, block.kind.span, "unknown declaration `" + block.kind.text + "`");
  const std::string near = closest(block.kind.text, names);
  if (!near.empty()) d.fixes.push_back({block.kind.span, near, "did you mean `" + near + "`?", false});
  else d.notes.push_back("a file declares " + quoted_list(names, "or"));
}

const BlockSchema* find_top(std::string_view name) {
  for (const BlockSchema& top : top_level())
    if (top.name == name) return &top;
  return nullptr;
}

// A name is declared once over all files of a kind.
template <class T>
void unique_names(const std::vector<T>& items, std::string_view kind, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < items.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (items[i].name == items[j].name) {
        diagnostics
            .add(Code::duplicate_name, items[i].span,
                 "there are two " + std::string(kind) + "s named `" + items[i].name + "`", "declared again here")
            .labels.push_back({items[j].span, "first declared here"});
        break;
      }
}

// On what is wrong in the body of a template: who asked for it.
void label_origin(const ast::Block& block, std::size_t before, Diagnostics& diagnostics) {
  if (!block.made_at.known()) return;
  for (Diagnostic& d : diagnostics.since(before)) {
    const bool own =
        d.primary.file == block.span.file && d.primary.begin >= block.span.begin && d.primary.end <= block.span.end;
    if (!own) d.labels.push_back({block.made_at, "instantiated here"});
  }
}

}  // namespace

model::Module check(const std::vector<ast::File>& files, const Sources& sources, const CheckOptions& options,
                    Diagnostics& diagnostics) {
  model::Module module;
  for (const ast::File& file : files) {
    const auto folder = options.folders.find(file.file);
    for (const ast::Block& block : file.blocks) {
      const BlockSchema* schema = find_top(block.kind.text);
      if (schema == nullptr) {
        unknown_declaration(block, diagnostics);
        continue;
      }
      const std::size_t before = diagnostics.size();
      const Node node = read_block(block, *schema, diagnostics);
      if (schema->name == "workload") {
        module.workloads.push_back(build_workload(node, sources, diagnostics));
        model::Workload& w = module.workloads.back();
        w.id = folder == options.folders.end() || folder->second.empty() ? w.name : folder->second + "/" + w.name;
      } else if (schema->name == "fleet") {
        module.fleets.push_back(build_fleet(node, diagnostics));
      } else if (schema->name == "site") {
        module.sites.push_back(build_site(node, diagnostics));
      } else if (schema->name == "rules") {
        module.policies.push_back(build_policy(node, sources, diagnostics));
      }
      label_origin(block, before, diagnostics);
    }
  }
  unique_names(module.workloads, "workload", diagnostics);
  unique_names(module.fleets, "fleet", diagnostics);
  unique_names(module.sites, "site", diagnostics);
  return module;
}

}  // namespace muster::sema
