// A syntax tree to text, in the one style of the language.
//
// Two spaces a level; `key = value` with `=` aligned over consecutive settings of one line, and the
// braces of one-line blocks with them; what stood on one line and fits 100 columns stays there; at
// most one blank line; one between declarations. Numbers and texts stay as they were spelt, the bytes
// of a heredoc stay what they are, `Gi` becomes `GiB`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"

namespace muster::syntax {

constexpr std::size_t line_width = 100;  // columns, counted in code points

// A remark for a tree that no file holds: lines of `# text` above the item at `path`, which is made of
// keys and of kinds with their labels: "site lab", "site lab.queue gpu-long",
// "site lab.plane batch.containers". A path that names nothing is cut at its last dots until it does, so
// that no remark is lost; what is left over is at the top of the file.
struct Note {
  std::string path;
  std::string text;  // may have several lines
};

// Nodes with a place are spelt as `sources` has them, the others (made by sema/to_syntax) in the
// shortest way that reads back the same. Comments of the file stay with what they stood at.
std::string format(const ast::File& file, const Sources& sources, const std::vector<Note>& notes = {});

// The same for declarations that no file holds.
std::string format(std::vector<ast::Block> blocks, const std::vector<Note>& notes = {});

// Whether a heredoc can hold these bytes: lines that all end in a line feed, none of them `>>>`, no CR.
bool fits_heredoc(std::string_view bytes);

// Whether a "…" can hold them (with escapes): UTF-8 without NUL.
bool fits_text(std::string_view bytes);

// A text in quotes: '…' where that saves escapes, else "…".
std::string quote(std::string_view text);
// A text with its ${variables} in "…".
std::string interpolated(const ast::Expr& text);

// Whether a name can be without quotes: a word of the grammar that is not reserved.
bool is_word(std::string_view text);
// The same of a key: `from = …` is one, as no template can be meant.
bool is_key(std::string_view text);

}  // namespace muster::syntax
