#include "compiler/sema/schema/reformat.h"

#include "compiler/base/text.h"
#include "compiler/sema/schema/schema.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"

namespace muster::sema {
namespace {

void canonical_keys(ast::Block& block, const BlockSchema& schema) {
  for (ast::Item& item : block.items) {
    if (auto* setting = std::get_if<ast::Setting>(&item.value)) {
      std::string name = dashed(setting->key.text);
      if (!schema.extras.any_key && !setting->key.quoted && schema.key(name) != nullptr)
        setting->key.text = std::move(name);
    } else if (auto* inner = std::get_if<ast::Block>(&item.value)) {
      const std::string name = dashed(inner->kind.text);
      const BlockSchema* known = schema.block(name);
      if (known == nullptr) continue;
      if (!inner->kind.quoted) inner->kind.text = name;
      canonical_keys(*inner, *known);
    } else if (auto* conditional = std::get_if<ast::Conditional>(&item.value)) {
      canonical_keys(conditional->body, schema);
      if (conditional->otherwise) canonical_keys(*conditional->otherwise, schema);
    }
  }
}

// The comments of a file in their order, without blanks at their ends.
std::vector<std::string_view> comments(const ast::File& file, const Sources& sources) {
  std::vector<std::string_view> out;
  for (const Span& span : file.comments) {
    const std::string_view text = sources.text(span);
    out.push_back(text.substr(0, text.find_last_not_of(" \t") + 1));
  }
  return out;
}

// Why the result cannot take the place of the file; nullopt: it can.
std::optional<Diagnostic> fault(const ast::File& before, const Sources& sources, const std::string& text) {
  Sources again;
  Diagnostics diagnostics;
  auto after = syntax::parse(again, again.add("formatted", text), diagnostics);
  Diagnostic out;
  out.code = Code::not_preserved;
  out.message = "the file was not changed: ";
  if (!after) {
    // The spaces of the one style may take it over a budget: that is not a fault of ours.
    const Diagnostic first = diagnostics.sorted().front();
    if (is_file_budget(first.code)) out.code = first.code;
    out.message += "the result could not be read: " + first.message;
  } else if (!ast::equal(before, *after)) {
    out.message += "the result has a different meaning";
  } else if (comments(before, sources) != comments(*after, again)) {
    out.message += "the result has different comments";
  } else if (syntax::format(*after, again) != text) {
    out.message += "formatting again would change the result";
  } else {
    return std::nullopt;
  }
  return out;
}

}  // namespace

void canonical_keys(ast::File& file) {
  for (ast::Block& block : file.blocks)
    for (const BlockSchema& top : top_level())
      if (top.name == block.kind.text) canonical_keys(block, top);
  for (ast::Template& t : file.templates) canonical_keys(t.body, workload_schema());
}

std::optional<std::string> reformat(const Sources& sources, std::uint32_t file, Diagnostics& diagnostics) {
  auto tree = syntax::parse(sources, file, diagnostics);
  if (!tree) return std::nullopt;
  canonical_keys(*tree);
  std::string text = syntax::format(*tree, sources);
  auto why = fault(*tree, sources, text);
  if (!why) return text;
  why->primary = {file, 0, 0};
  diagnostics.add(std::move(*why));
  return std::nullopt;
}

}  // namespace muster::sema
