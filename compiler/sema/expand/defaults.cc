#include "compiler/sema/expand/defaults.h"

#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/expand/budget.h"
#include "compiler/sema/schema/overlay.h"
#include "compiler/sema/schema/schema.h"

namespace muster::sema {
namespace {

const ast::Block* defaults_of(const ast::Block& site) {
  for (const ast::Item& item : site.items)
    if (const auto* block = std::get_if<ast::Block>(&item.value);
        block != nullptr && dashed(block->kind.text) == "defaults")
      return block;
  return nullptr;
}

Weight weigh(const ast::Block& block);

Weight weigh(const ast::Item& item) {
  if (const auto* inner = std::get_if<ast::Block>(&item.value)) return weigh(*inner);
  if (const auto* setting = std::get_if<ast::Setting>(&item.value)) return sema::weigh(setting->value);
  if (const auto* require = std::get_if<ast::Requirement>(&item.value)) return sema::weigh(require->condition);
  if (const auto* prefer = std::get_if<ast::Preference>(&item.value)) return sema::weigh(prefer->condition);
  return {};
}

Weight weigh(const ast::Block& block) {
  Weight out{1, 0, 0};
  for (const ast::Item& item : block.items) {
    const Weight inner = weigh(item);
    out.nodes += inner.nodes + 1;
    out.bytes += inner.bytes;
    out.depth = std::max(out.depth, inner.depth + 1);
  }
  return out;
}

}  // namespace

void lay_defaults(const ast::Block& site, std::vector<ast::File>& files, Diagnostics& diagnostics) {
  const ast::Block* defaults = defaults_of(site);
  if (defaults == nullptr) return;
  const Weight weight = weigh(*defaults);
  Budget budget(diagnostics);
  for (const ast::File& file : files)
    for (const ast::Block& block : file.blocks) {
      budget.renew();
      if (block.kind.text == "workload" && !budget.spend(weight, defaults->kind.span)) return;
    }
  for (ast::File& file : files)
    for (ast::Block& block : file.blocks)
      if (block.kind.text == "workload")
        block.items = overlay(defaults->items, std::move(block.items), workload_schema(), diagnostics);
}

}  // namespace muster::sema
