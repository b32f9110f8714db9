#include "compiler/sema/expand/points.h"

#include <algorithm>
#include <charconv>

namespace muster::sema {
namespace {

using Kind = ast::Expr::Kind;

constexpr std::int64_t most = 1'000'000;

std::int64_t whole(const ast::Expr& e) {
  std::int64_t out = 0;
  std::from_chars(e.text.data(), e.text.data() + e.text.size(), out);
  return std::clamp<std::int64_t>(out, 0, most);
}

std::int64_t values_of(const ast::Expr& axis) {
  if (axis.kind == Kind::list) return static_cast<std::int64_t>(axis.operands.size());
  const bool range = axis.kind == Kind::operation && axis.op == ast::Op::range;
  return range ? std::max<std::int64_t>(0, whole(axis.operands[1]) - whole(axis.operands[0]) + 1) : 1;
}

const ast::Block* block_in(const ast::Block& block, std::string_view kind) {
  for (const ast::Item& item : block.items)
    if (const auto* inner = std::get_if<ast::Block>(&item.value); inner != nullptr && inner->kind.text == kind)
      return inner;
  return nullptr;
}

bool zipped(const ast::Block& sweep) {
  return std::any_of(sweep.items.begin(), sweep.items.end(), [](const ast::Item& item) {
    const auto* s = std::get_if<ast::Setting>(&item.value);
    return s != nullptr && s->key.text == "zip" && s->value.text == "true";
  });
}

}  // namespace

std::int64_t points_of(const ast::Block& block) {
  const ast::Block* sweep = block_in(block, "sweep");
  const ast::Block* axes = sweep == nullptr ? nullptr : block_in(*sweep, "axes");
  if (axes == nullptr) return 1;
  std::int64_t grid = 1, last = 1;
  for (const ast::Item& item : axes->items) {
    const auto* axis = std::get_if<ast::Setting>(&item.value);
    if (axis == nullptr) continue;
    last = values_of(axis->value);
    grid = std::min(grid * last, most);
  }
  return zipped(*sweep) ? last : grid;
}

ast::Expr with_points(ast::Expr expr, std::int64_t points) {
  if (expr.kind == Kind::path && expr.text == "sweep.points") {
    expr.kind = Kind::number;
    expr.text = std::to_string(points);
  }
  for (ast::Expr& operand : expr.operands) operand = with_points(std::move(operand), points);
  return expr;
}

}  // namespace muster::sema
