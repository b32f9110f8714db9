// The whole loss contract as a judge: muster_loss ROOT [--specs N] [--seed N] [--table] [--faults N]
#include <cstdio>
#include <cstring>
#include <string>

#include "targets/carriage.h"
#include "targets/target.h"
#include "tests/loss/contract.h"

using namespace muster;

namespace {

std::string letters(const std::map<char, std::size_t>& cell) {
  std::string out;
  for (const char letter : std::string_view("=~-mx"))
    if (cell.contains(letter)) out += letter;
  return out;
}

// How often each field came to what: carried, approximated, reported, read and refused, target by target.
void print_counts(const loss::Report& report) {
  for (const auto& [key, cells] : report.seen) {
    std::printf("%-26s", key.c_str());
    for (const auto& cell : cells) {
      std::string text;
      for (const auto& [letter, count] : cell) text += letter + std::to_string(count);
      std::printf(" %-12s", text.empty() ? "." : text.c_str());
    }
    std::printf("\n");
  }
}

// Each target's column, as its file has it.
void print_columns(const loss::Report& report) {
  for (std::size_t t = 0; t < targets::all_targets().size(); ++t) {
    std::map<std::string, std::string> column;
    for (const auto& [key, cells] : report.seen)
      if (!cells[t].empty()) column[letters(cells[t])] += " " + key;
    std::printf("%s\n", std::string(targets::all_targets()[t].name).c_str());
    for (const auto& [outcomes, keys] : column)
      std::printf("  {\"%s\", \"%s\"},\n", outcomes.c_str(), keys.c_str() + 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  loss::Options options;
  bool table = false;
  std::size_t most = 5;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto number = [&] { return static_cast<std::size_t>(i + 1 < argc ? std::atoll(argv[++i]) : 0); };
    if (word == "--specs") options.specs = number();
    else if (word == "--seed") options.seed = static_cast<std::uint32_t>(number());
    else if (word == "--mutants") options.mutants = number();
    else if (word == "--faults") most = number();
    else if (word == "--table") table = true;
    else options.root = word;
  }
  const loss::Report report = loss::judge(options);
  if (table) print_columns(report);
  else print_counts(report);
  for (std::size_t i = 0; i < report.faults.size() && i < most; ++i)
    std::printf("FAULT %s\n", report.faults[i].c_str());
  if (!table) {
    for (const std::string& cell : report.not_in_table) std::printf("not in its target's column: %s\n", cell.c_str());
    for (const std::string& cell : report.not_seen)
      std::printf("note: in a target's column, not seen with this seed: %s\n", cell.c_str());
  }
  for (const std::string& cell : report.no_mutant) std::printf("no mutant of %s\n", cell.c_str());
  std::printf("%zu specs, %zu files, %zu refusals, %zu faults; %zu of %zu mutants noticed\n", report.specs,
              report.compiled, report.refused, report.faults.size(), report.noticed, report.mutants);
  std::printf("%zu files without the lines of a field, %zu of them not noticed\n", report.lines, report.missed);
  const bool good = report.faults.empty() && report.not_in_table.empty() && report.no_mutant.empty() &&
                    report.noticed == report.mutants && report.mutants > 0;
  return good ? 0 : 1;
}
