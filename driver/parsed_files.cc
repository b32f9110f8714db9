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
  ast::File out = known->second;
  // A number of its own: what is found is sorted by it, and so is in the same order in every report.
  out.file = sources.add(name, std::string(sources.text(out.file)));
  syntax::SpanWalk(Move{out.file}).file(out);
  return out;
}

void ParsedFiles::keep(const std::string& real, const std::string& name, const Sources& sources,
                       const ast::File& tree) {
  const std::size_t size = sources.text(tree.file).size();
  if (size > most_tree_bytes) return;
  if (bytes_ + size > most_tree_bytes) trees_.clear(), bytes_ = 0;
  if (trees_.emplace(std::pair(real, name), tree).second) bytes_ += size;
}

}  // namespace muster::driver
