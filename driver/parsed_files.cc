#include "driver/parsed_files.h"

#include "compiler/syntax/spans.h"

namespace muster::driver {
namespace {

constexpr std::size_t most_tree_bytes = std::size_t{4} << 20;  // a tree is some thirty times as large as its text

struct Move {
  std::uint32_t file;

  void operator()(Span& span) const {
    if (span.known()) span.file = file;
  }
  void operator()(ast::Expr&) const {}
};

}  // namespace

std::optional<ast::File> ParsedFiles::find(const std::string& real, const std::string& name, Sources& sources) const {
  const auto known = trees_.find({real, name});
  if (known == trees_.end()) return std::nullopt;
  ast::File out = known->second.tree;
  // A number of its own: what is found is sorted by it, and so is in the same order in every report.
  out.file = sources.add(name, known->second.text);
  syntax::SpanWalk(Move{out.file}).file(out);
  return out;
}

void ParsedFiles::keep(const std::string& real, const std::string& name, const Sources& sources,
                       const ast::File& tree) {
  const std::string_view text = sources.text(tree.file);
  if (text.size() > most_tree_bytes) return;
  if (bytes_ + text.size() > most_tree_bytes) trees_.clear(), bytes_ = 0;
  if (trees_.emplace(std::pair(real, name), Kept{tree, std::string(text)}).second) bytes_ += text.size();
}

}  // namespace muster::driver
