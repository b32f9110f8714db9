// Turns rule files into rules/profiles_table.cc: muster_rules_tool OUT FILE…
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "rules/tool/write_table.h"

namespace {

using namespace muster;

void print(const Sources& sources, const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    const CodeInfo& code = info(diagnostic.code);
    std::fprintf(stderr, "%s: %s %s: %s\n", sources.place(diagnostic.primary).c_str(),
                 std::string(severity_name(code.severity)).c_str(), std::string(code.id).c_str(),
                 diagnostic.message.c_str());
    if (!diagnostic.primary_label.empty()) std::fprintf(stderr, "    %s\n", diagnostic.primary_label.c_str());
    for (const std::string& note : diagnostic.notes) std::fprintf(stderr, "    %s\n", note.c_str());
  }
}

std::optional<std::string> read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The policies of one file; false if anything is wrong with it.
bool load(const std::string& path, std::vector<model::Policy>& policies) {
  auto text = read(path);
  if (!text) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return false;
  }
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t file = sources.add(path, std::move(*text));
  if (const auto tree = syntax::parse(sources, file, diagnostics)) {
    model::Module module = sema::check({*tree}, sources, {}, diagnostics);
    std::move(module.policies.begin(), module.policies.end(), std::back_inserter(policies));
  }
  print(sources, diagnostics);
  return diagnostics.empty();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: muster_rules_tool OUT FILE...\n");
    return 2;
  }
  std::vector<model::Policy> policies;
  bool good = true;
  for (int i = 2; i < argc; ++i) good = load(argv[i], policies) && good;
  if (!good) return 1;
  std::ofstream out(argv[1], std::ios::binary);
  out << rules::tool::write_table(policies);
  return out.flush() ? 0 : 2;
}
