#include "compiler/sema/check/check.h"

#include <unordered_map>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/check/builders.h"
#include "compiler/sema/check/check_rules.h"
#include "compiler/sema/check/validate.h"

namespace muster::sema {
namespace {

constexpr std::size_t most_reports = 1'000;

void unknown_declaration(const ast::Block& block, Diagnostics& diagnostics) {
  std::vector<std::string_view> names;
  for (const BlockSchema& top : top_level()) names.push_back(top.name);
  Diagnostic& d =
      diagnostics.add(Code::unknown_block, block.kind.span, "unknown declaration `" + block.kind.text + "`");
  const std::string near = closest(block.kind.text, names);
  if (!near.empty()) d.fixes.push_back({block.kind.span, near, "did you mean `" + near + "`?", false});
  else d.notes.push_back("declarations are " + quoted_list(names));
}

const BlockSchema* find_top(std::string_view name) {
  for (const BlockSchema& top : top_level())
    if (top.name == name) return &top;
  return nullptr;
}

// A name is declared once over all files of a kind.
template <class T>
void unique_names(const std::vector<T>& items, std::string_view kind, Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, Span> seen;
  for (const T& item : items) {
    const auto [first, fresh] = seen.try_emplace(item.name, item.span);
    if (fresh) continue;
    diagnostics
        .add(Code::duplicate_name, item.span, "there are two " + std::string(kind) + "s named `" + item.name + "`",
             "declared again here")
        .labels.push_back({first->second, "first declared here"});
  }
}

}  // namespace

void label_origin(Span own, Span made_at, std::span<Diagnostic> found) {
  if (!made_at.known()) return;
  for (Diagnostic& d : found) {
    const bool inside = d.primary.file == own.file && d.primary.begin >= own.begin && d.primary.end <= own.end;
    if (d.primary.known() && !inside) d.labels.push_back({made_at, "instantiated here"});
  }
}

model::Module check(const std::vector<ast::File>& files, const Sources& sources, const CheckOptions& options,
                    Diagnostics& diagnostics) {
  model::Module module;
  std::vector<Node> rules;
  for (const ast::File& file : files) {
    const auto folder = options.folders.find(file.file);
    for (const ast::Block& block : file.blocks) {
      if (diagnostics.size() >= most_reports) break;  // a template may repeat its faults without end
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
        const std::string id =
            folder == options.folders.end() || folder->second.empty() ? w.name : folder->second + "/" + w.name;
        for (model::Workload& option : w.options) option.id = id;
        w.id = id;
      } else if (schema->name == "fleet") {
        module.fleets.push_back(build_fleet(node, diagnostics));
      } else if (schema->name == "site") {
        module.sites.push_back(build_site(node, sources, diagnostics));
      } else if (schema->name == "rules") {
        rules.push_back(node);
      } else if (schema->name == "case") {
        module.cases.push_back(build_case(node, diagnostics));
      }
      label_origin(block.span, block.made_at, diagnostics.since(before));
    }
  }
  module.policies = build_policies(rules, options.profiles, sources, diagnostics);
  unique_names(module.workloads, "workload", diagnostics);
  validate_order(module.workloads, diagnostics);
  unique_names(module.fleets, "fleet", diagnostics);
  unique_names(module.sites, "site", diagnostics);
  unique_names(module.policies, "rule", diagnostics);
  return module;
}

}  // namespace muster::sema
