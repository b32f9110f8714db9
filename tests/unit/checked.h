// A muster text, parsed and checked.
#pragma once

#include <string>
#include <string_view>

#include "compiler/sema/check/check.h"
#include "compiler/syntax/parse.h"
#include "tests/catch.h"

namespace muster::test {

struct Checked {
  Sources sources;
  Diagnostics diagnostics;
  model::Module module;

  explicit Checked(const std::string& text) {
    const auto tree = syntax::parse(sources, sources.add("text", text), diagnostics);
    REQUIRE(tree);
    module = sema::check({*tree}, sources, {}, diagnostics);
  }

  const model::Workload& workload() const { return module.workloads.at(0); }
  // The first message; "" of a text without fault.
  std::string fault() const { return diagnostics.empty() ? "" : diagnostics.sorted().front().message; }
  bool says(std::string_view part) const {
    for (const Diagnostic& d : diagnostics.sorted())
      if (d.message.find(part) != std::string::npos) return true;
    return false;
  }
};

}  // namespace muster::test
