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

const ast::Setting* setting_of(const std::vector<ast::Item>& items, std::string_view key) {
  for (const ast::Item& item : items)
    if (const auto* setting = std::get_if<ast::Setting>(&item.value);
        setting != nullptr && dashed(setting->key.text) == key)
      return setting;
  return nullptr;
}

// Whether the software that these keys name, or describe, is an image.
bool software_is_image(const std::vector<ast::Item>& items, const ast::Block& site) {
  const ast::Setting* named = setting_of(items, "software");
  const auto has_image = [](const ast::Block& block) { return setting_of(block.items, "image") != nullptr; };
  for (const ast::Item& item : named == nullptr ? items : site.items) {
    const auto* block = std::get_if<ast::Block>(&item.value);
    if (block == nullptr || block->kind.text != "software" || !has_image(*block)) continue;
    const bool is_it =
        named == nullptr ? !block->label.has_value() : block->label && block->label->text == named->value.text;
    if (is_it) return true;
  }
  return false;
}

// The image of the defaults is for what has no other: a workload's own software is nearer than it. Where the software
// of a role is an image, only the other roles get that of the defaults.
std::vector<ast::Item> defaults_for(const ast::Block& defaults, ast::Block& workload, const ast::Block& site) {
  std::vector<ast::Item> out = defaults.items;
  const ast::Setting* image = setting_of(out, "image");
  if (image == nullptr || setting_of(workload.items, "image") != nullptr) return out;
  const auto is_image = [](const ast::Item& item) {
    const auto* setting = std::get_if<ast::Setting>(&item.value);
    return setting != nullptr && dashed(setting->key.text) == "image";
  };
  std::vector<ast::Block*> others;
  bool of_role = false;
  for (ast::Item& item : workload.items) {
    auto* role = std::get_if<ast::Block>(&item.value);
    if (role == nullptr || role->kind.text != "role") continue;
    const bool own = software_is_image(role->items, site);
    of_role |= own;
    if (!own && setting_of(role->items, "image") == nullptr) others.push_back(role);
  }
  if (!of_role && !software_is_image(workload.items, site)) return out;
  if (of_role && !software_is_image(workload.items, site))
    for (ast::Block* role : others) role->items.push_back({*image});
  std::erase_if(out, is_image);
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
      if (block.kind.text == "workload") {
        std::vector<ast::Item> base = defaults_for(*defaults, block, site);
        block.items = overlay(std::move(base), std::move(block.items), workload_schema(), diagnostics);
      }
}

}  // namespace muster::sema
