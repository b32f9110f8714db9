// Where the parts of a tree begin and end in their file, and what lies between them. Inside
// compiler/syntax only.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"

namespace muster::syntax {

// Offsets of one file. What no file holds begins at 0 and ends at `nowhere`.
constexpr std::uint32_t nowhere = 0xFFFF'FFFF;

class Places {
 public:
  Places(const Sources& sources, std::uint32_t file) : text_(file == 0 ? std::string_view() : sources.text(file)) {}

  std::uint32_t begin(const ast::Item& item) const;
  std::uint32_t begin(const ast::Expr& expr) const { return expr.span.known() ? expr.span.begin : 0; }
  // After the last byte; of a heredoc, after its `>>>`.
  std::uint32_t end(Span span) const;  // without white space at its end
  std::uint32_t end(const ast::Item& item) const;
  std::uint32_t end(const ast::Block& block) const { return end(block.span); }
  std::uint32_t end(const ast::Signature& signature) const;
  std::uint32_t end(const ast::Expr& expr) const;

  // The brace that opens a block, and the bracket that closes a block or a list. `nowhere` for what has no
  // body (`workload a from t()`).
  std::uint32_t brace(const ast::Block& block) const;
  // The bracket that opens the parameters of a template or the arguments of an instance.
  std::uint32_t bracket(const ast::Name& after) const;
  std::uint32_t close(Span span) const { return span.known() ? span.end - 1 : nowhere; }

  bool line_break(std::uint32_t begin, std::uint32_t end) const;
  bool blank_line(std::uint32_t begin, std::uint32_t end) const;
  // Whether a block was written over several lines (or over more bytes than a line can have).
  bool spans_lines(Span span) const;
  // The text of a comment, without blanks at its end.
  std::string_view comment(Span span) const;

 private:
  std::uint32_t heredoc_end(std::uint32_t opener) const;
  std::uint32_t opener(std::size_t at, char bracket) const;

  std::string_view text_;
};

}  // namespace muster::syntax
