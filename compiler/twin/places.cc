#include "compiler/twin/places.h"

#include "compiler/syntax/spans.h"

namespace muster::twin {
namespace {

struct Drop {
  void operator()(Span& span) const { span = {}; }
  void operator()(ast::Expr& expr) const { expr.grouped = false; }
};

}  // namespace

ast::Expr without_places(ast::Expr expr) {
  syntax::SpanWalk(Drop()).walk(expr);
  return expr;
}

void drop_places(ast::File& file) {
  file.file = 0;
  file.comments.clear();
  syntax::SpanWalk(Drop()).file(file);
}

}  // namespace muster::twin
