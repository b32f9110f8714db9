// One form to another, with the proof that nothing but comments was lost.
#include <algorithm>
#include <utility>

#include "compiler/sema/schema/reformat.h"
#include "compiler/syntax/format.h"
#include "compiler/twin/comments.h"
#include "compiler/twin/places.h"
#include "compiler/twin/twin.h"

namespace muster::twin {
namespace {

// The result as the tree that it was made of; a diagnostic says why not.
std::optional<Diagnostic> fault(const ast::File& before, const std::string& text, Form form) {
  Sources again;
  Diagnostics diagnostics;
  auto after = read(again, again.add("converted", text), form, diagnostics);
  Diagnostic out;
  out.code = Code::not_preserved;
  if (after) {
    normalise(*after);
    if (ast::equal(before, *after)) return std::nullopt;
    out.message = "the result has a different meaning";
    return out;
  }
  // The one thing that may be: a result over a budget of its form.
  const Diagnostic first = diagnostics.sorted().front();
  if (is_file_budget(first.code)) out.code = first.code;
  out.message = "the result could not be read: " + first.message;
  return out;
}

}  // namespace

std::optional<Converted> convert(const Sources& sources, std::uint32_t file, Form from, Form to,
                                 Diagnostics& diagnostics) {
  if (from == Form::muster && to == Form::muster) {
    auto text = sema::reformat(sources, file, diagnostics);
    if (!text) return std::nullopt;
    return Converted{std::move(*text), 0};
  }
  auto tree = read(sources, file, from, diagnostics);
  if (!tree) return std::nullopt;
  Converted out;
  out.comments = from == Form::yaml ? count_comments(sources, file) : tree->comments.size();
  normalise(*tree);
  if (from != Form::muster) drop_places(*tree);
  out.text = to == Form::muster ? syntax::format(*tree, sources) : write(*tree, sources, to);
  if (auto why = fault(*tree, out.text, to)) {
    why->primary = {file, 0, 0};
    diagnostics.add(std::move(*why));
    return std::nullopt;
  }
  return out;
}

}  // namespace muster::twin
