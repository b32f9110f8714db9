#include "tests/loss/mutate.h"

#include <algorithm>

namespace muster::loss {
namespace {

Span span_of(const ast::Item& item) {
  if (const auto* setting = std::get_if<ast::Setting>(&item.value)) return setting->key.span;
  if (const auto* need = std::get_if<ast::Requirement>(&item.value)) return need->span;
  if (const auto* request = std::get_if<ast::Preference>(&item.value)) return request->span;
  return {};
}

enum class Found { no, here, below };

Found take_out(ast::Block& block, Span where, bool whole) {
  for (std::size_t i = 0; i < block.items.size(); ++i) {
    const auto at = block.items.begin() + static_cast<std::ptrdiff_t>(i);
    if (span_of(*at) == where) {
      if (!whole) block.items.erase(at);
      return whole ? Found::here : Found::below;
    }
    auto* inner = std::get_if<ast::Block>(&at->value);
    if (inner == nullptr) continue;
    const Found found = take_out(*inner, where, whole);
    if (found == Found::here) block.items.erase(at);
    if (found != Found::no) return Found::below;
  }
  return Found::no;
}

}  // namespace

bool take_out(std::vector<ast::File>& files, Span where, bool whole) {
  for (ast::File& file : files)
    for (ast::Block& block : file.blocks)
      if (take_out(block, where, whole) == Found::below) return true;
  return false;
}

}  // namespace muster::loss
