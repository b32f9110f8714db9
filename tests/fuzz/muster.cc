// Any bytes: the parser reports or gives a tree; a tree is formatted, and the proof of the formatter
// (same meaning, same comments, and stable) holds for it. What the checker makes of the tree comes back
// from the text that is written of it. Built with -DMUSTER_FUZZ=ON and clang:
//   fuzz_muster -max_len=4096 -dict=tests/fuzz/muster.dict CORPUS examples/workloads
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compiler/sema/check/check.h"
#include "compiler/sema/check/to_syntax.h"
#include "compiler/sema/schema/reformat.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"

using namespace muster;

namespace {

std::string written(const model::Module& module, Diagnostics& diagnostics) {
  std::vector<ast::Block> blocks;
  for (const auto& fleet : module.fleets) blocks.push_back(sema::to_syntax(fleet, diagnostics));
  for (const auto& site : module.sites) blocks.push_back(sema::to_syntax(site, diagnostics));
  for (const auto& workload : module.workloads) blocks.push_back(sema::to_syntax(workload, diagnostics));
  return syntax::format(std::move(blocks));
}

model::Module checked(const std::string& text, Diagnostics& diagnostics) {
  Sources sources;
  const auto tree = syntax::parse(sources, sources.add("text", text), diagnostics);
  return tree ? sema::check({*tree}, sources, {}, diagnostics) : model::Module();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Sources sources;
  Diagnostics diagnostics;
  sema::reformat(sources, sources.add("input", text), diagnostics);
  for (const Diagnostic& d : diagnostics.sorted())
    if (d.code == Code::not_preserved) std::abort();

  Diagnostics found;
  const model::Module module = checked(text, found);
  if (found.has_errors()) return 0;
  const std::string once = written(module, found);
  const std::string twice = written(checked(once, found), found);
  if (found.has_errors() || once != twice) std::abort();
  return 0;
}
