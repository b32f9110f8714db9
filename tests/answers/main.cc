// muster_answers ROOT [--pairs N] [--seed N] [--faults N]
#include <cstdio>
#include <cstdlib>

#include "tests/answers/judge.h"

using namespace muster;

int main(int argc, char** argv) {
  answers::Options options;
  std::size_t most = 5;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto next = [&] { return std::strtoul(i + 1 < argc ? argv[++i] : "", nullptr, 10); };
    if (word == "--pairs") options.pairs = next();
    else if (word == "--seed") options.seed = static_cast<std::uint32_t>(next());
    else if (word == "--faults") most = next();
    else options.root = word;
  }
  const answers::Report report = answers::judge(options);
  for (std::size_t i = 0; i < report.faults.size() && i < most; ++i)
    std::printf("FAULT %s\n", report.faults[i].c_str());
  std::printf(
      "%zu examples at their sites, %zu pairs: %zu written, %zu answers not by the first candidate; %zu faults\n",
      report.examples, report.pairs, report.written, report.passed_over, report.faults.size());
  return report.faults.empty() && 2 * report.written >= report.pairs ? 0 : 1;
}
