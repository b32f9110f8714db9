// The formatter beside the parser, which has to read the file in any case.
#include <chrono>
#include <cstdio>
#include <string>

#include "compiler/sema/schema/reformat.h"
#include "compiler/syntax/format.h"
#include "compiler/syntax/parse.h"
#include "tests/bench/bench.h"
#include "tests/bench/specs.h"

namespace muster::bench {
namespace {

// Megabytes a second of `work`, done until half a second has passed.
template <class Work>
double speed(std::size_t bytes, Work work) {
  const auto start = std::chrono::steady_clock::now();
  double seconds = 0, done = 0;
  for (; seconds < 0.5; done += static_cast<double>(bytes)) {
    work();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return done / 1e6 / seconds;
}

}  // namespace

int format(std::uint32_t seed) {
  Specs specs(seed);
  std::string text;
  while (text.size() < 900'000) text += specs.next();
  Sources sources;
  Diagnostics diagnostics;
  const std::uint32_t file = sources.add("generated.muster", text);
  const auto tree = syntax::parse(sources, file, diagnostics);
  if (!tree || !sema::reformat(sources, file, diagnostics)) {
    std::fprintf(stderr, "bench: the generated file was not formatted\n");
    return 1;
  }
  const double parse = speed(text.size(), [&] { syntax::parse(sources, file, diagnostics); });
  const double format = speed(text.size(), [&] { syntax::format(*tree, sources); });
  const double whole = speed(text.size(), [&] { sema::reformat(sources, file, diagnostics); });
  std::printf("fmt with its proof, which parses and formats twice: %.1f MB/s (to be at least 5); ", whole);
  std::printf("formatting alone %.1f, %.1f times the parser's %.1f\n", format, format / parse, parse);
  return whole >= 5 ? 0 : 1;
}

}  // namespace muster::bench
