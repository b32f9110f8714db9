// muster_emitted ROOT [--cases FILE] [--specs N] [--seed N] [--faults N]: all lint rules over the examples, the
// recorded facts and generated specs, and over what is emitted for them.
#include <cstdio>
#include <cstdlib>

#include "lint/rule.h"
#include "tests/emitted/judge.h"

using namespace muster;

namespace {

// "12", "12+3?" with those that the file alone cannot tell, "." for none.
std::string words(const std::map<std::string, emitted::Fired>& in, const std::string& rule) {
  const auto found = in.find(rule);
  if (found == in.end()) return ".";
  const emitted::Fired& fired = found->second;
  return std::to_string(fired.wrong) + (fired.unclear == 0 ? "" : "+" + std::to_string(fired.unclear) + "?");
}

void print_counts(const emitted::Report& report) {
  std::printf("%-8s %-28s %12s %12s\n", "rule", "", "in specs", "in output");
  for (const lint::Rule& rule : lint::all_rules()) {
    const std::string id(rule.id);
    std::printf("%-8s %-28s %12s %12s\n", id.c_str(), rule.name.c_str(), words(report.in_specs, id).c_str(),
                words(report.in_files, id).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  emitted::Options options;
  std::size_t most = 5;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (word == "--specs") options.specs = std::strtoul(next().c_str(), nullptr, 10);
    else if (word == "--seed") options.seed = static_cast<std::uint32_t>(std::strtoul(next().c_str(), nullptr, 10));
    else if (word == "--faults") most = std::strtoul(next().c_str(), nullptr, 10);
    else if (word == "--cases") options.cases = next();
    else options.root = word;
  }
  const emitted::Report report = emitted::judge(options);
  print_counts(report);
  for (std::size_t i = 0; i < report.faults.size() && i < most; ++i)
    std::printf("FAULT %s\n", report.faults[i].c_str());
  std::printf("%zu examples, %zu cases, %zu generated specs at their sites: %zu workloads, %zu files; %zu faults\n",
              report.examples, report.cases, report.generated, report.workloads, report.files, report.faults.size());
  return report.faults.empty() && report.files > 0 ? 0 : 1;
}
