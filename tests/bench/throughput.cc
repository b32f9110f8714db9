// Parse, check and decide 10,000 generated specs in one process.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "compiler/sema/check/check.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/syntax/parse.h"
#include "plan/decide/decide.h"
#include "plan/decide/facts.h"
#include "rules/profiles.h"
#include "tests/bench/bench.h"
#include "tests/bench/specs.h"

namespace muster::bench {
namespace {

// Resident memory in kB, as the kernel says.
long resident() {
  std::ifstream in("/proc/self/statm");
  long total = 0, pages = 0;
  in >> total >> pages;
  return pages * 4;
}

bool decide_one(std::string text, const model::Policy& policy) {
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t file = sources.add("generated.muster", std::move(text));
  auto tree = syntax::parse(sources, file, diagnostics);
  if (!tree) return false;
  std::vector<ast::File> files;
  files.push_back(std::move(*tree));
  sema::ExpandOptions options;
  options.roots = {file};
  const model::Module module =
      sema::check(sema::expand(std::move(files), options, diagnostics), sources, {}, diagnostics);
  plan::FactRequest request;
  request.workload = &module.workloads.at(0);
  request.workloads = module.workloads;
  request.declared = policy.facts;
  const plan::Facts facts = plan::derive_facts(request, diagnostics);
  return !diagnostics.has_errors() && plan::decide(policy, facts, nullptr, diagnostics).has_value();
}

}  // namespace

int throughput(std::uint32_t seed) {
  constexpr int total = 10'000;
  const model::Policy policy = rules::profile("default");
  Specs specs(seed);
  std::size_t bytes = 0;
  long after_first = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < total; ++i) {
    std::string text = specs.next();
    bytes += text.size();
    if (!decide_one(std::move(text), policy)) {
      std::fprintf(stderr, "bench: spec %d was not decided\n", i);
      return 1;
    }
    if (i == total / 10) after_first = resident();
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("parse, check and decide: %.0f specs/s of %zu bytes on one core (to be at least 3,000)\n",
              total / seconds, bytes / total);
  std::printf("memory: %ld kB after a tenth, %ld kB at the end\n", after_first, resident());
  return 0;
}

}  // namespace muster::bench
