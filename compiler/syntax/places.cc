#include "compiler/syntax/places.h"

#include <algorithm>

namespace muster::syntax {
namespace {

constexpr std::string_view white = " \t\r\n";

Span span_of(const ast::Setting& s) { return s.key.span; }
template <class T>
Span span_of(const T& item) {
  return item.span;
}

}  // namespace

std::uint32_t Places::begin(const ast::Item& item) const {
  const Span span = std::visit([](const auto& i) { return span_of(i); }, item.value);
  return span.known() ? span.begin : 0;
}

std::uint32_t Places::end(const ast::Item& item) const {
  if (const auto* setting = std::get_if<ast::Setting>(&item.value)) return end(setting->value);
  return end(std::visit([](const auto& i) { return span_of(i); }, item.value));
}

std::uint32_t Places::end(const ast::Expr& expr) const {
  const ast::Expr* last = &expr;
  const auto open = [](const ast::Expr& e) {
    return !e.grouped && (e.kind == ast::Expr::Kind::operation || e.kind == ast::Expr::Kind::choice);
  };
  while (open(*last)) last = &last->operands.back();
  if (!last->span.known()) return nowhere;
  if (last->kind == ast::Expr::Kind::heredoc && !last->grouped) return heredoc_end(last->span.begin);
  return last->span.end;
}

std::uint32_t Places::end(const ast::Signature& signature) const {
  if (signature.fallback) return end(*signature.fallback);
  return signature.range ? end(*signature.range) : end(signature.span);
}

std::uint32_t Places::end(Span span) const {
  if (!span.known()) return nowhere;
  while (span.end > span.begin && white.find(text_[span.end - 1]) != std::string_view::npos) --span.end;
  return span.end;
}

// The parser has seen that there is such a line.
std::uint32_t Places::heredoc_end(std::uint32_t opener) const {
  for (std::size_t line = text_.find('\n', opener); line != std::string_view::npos; line = text_.find('\n', line + 1)) {
    const std::size_t first = text_.find_first_not_of(" \t", line + 1);
    if (first == std::string_view::npos || !text_.substr(first).starts_with(">>>")) continue;
    const std::size_t rest = text_.find_first_not_of(" \t\r", first + 3);
    if (rest == std::string_view::npos || text_[rest] == '\n') return static_cast<std::uint32_t>(first + 3);
  }
  return static_cast<std::uint32_t>(text_.size());
}

std::uint32_t Places::brace(const ast::Block& block) const {
  if (!block.span.known()) return nowhere;
  std::size_t at = block.span.begin;
  if (block.from) at = block.from->span.end;
  else if (!block.kind.text.empty()) at = block.label ? block.label->span.end : block.kind.span.end;
  return at >= block.span.end ? nowhere : opener(at, '{');
}

std::uint32_t Places::bracket(const ast::Name& after) const {
  return after.span.known() ? opener(after.span.end, '(') : nowhere;
}

// The parser has seen that only comments are before it.
std::uint32_t Places::opener(std::size_t at, char bracket) const {
  while (at < text_.size() && text_[at] != bracket)
    at = text_[at] == '#' ? text_.find_first_of("\r\n", at) : at + 1;  // a lone return ends a comment too
  return static_cast<std::uint32_t>(std::min(at, text_.size()));
}

bool Places::line_break(std::uint32_t begin, std::uint32_t end) const {
  return text_.substr(begin, end - begin).find('\n') != std::string_view::npos;
}

bool Places::blank_line(std::uint32_t begin, std::uint32_t end) const {
  if (begin >= end || end > text_.size()) return false;
  int breaks = 0;
  for (const char c : text_.substr(begin, end - begin)) {
    if (c == '\n' && ++breaks > 1) return true;
    if (white.find(c) == std::string_view::npos) breaks = 0;  // a comma on a line of its own, after a heredoc
  }
  return false;
}

bool Places::spans_lines(Span span) const {
  if (!span.known()) return false;
  constexpr std::uint32_t enough = 4096;
  return span.end - span.begin > enough || line_break(span.begin, span.end);
}

std::string_view Places::comment(Span span) const {
  const std::string_view text = text_.substr(span.begin, span.end - span.begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

}  // namespace muster::syntax
