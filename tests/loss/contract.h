// The loss contract: each field that a workload sets is found in what a target wrote, or its loss report says what
// became of it, or the compilation was refused by a sentence that the report has too. What is carried is not found in a
// file without the lines that the report names.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster::loss {

struct Options {
  std::string root;          // of the source tree
  std::size_t specs = 2000;  // each at two sites
  std::size_t step = 1;      // through values and sites: a sample takes every so many
  std::uint32_t seed = 1;
  std::size_t mutants = 1000;  // at most so many of a key and a target
};

struct Report {
  std::size_t specs = 0;     // that the checker took
  std::size_t compiled = 0;  // written by a target
  std::size_t refused = 0;
  std::size_t mutants = 0;
  std::size_t noticed = 0;
  std::size_t lines = 0;   // files without the lines that carry a field
  std::size_t missed = 0;  // of these, where it was found all the same
  // By key and the number of the target: how often a field came to what, by the letter of targets::Carriage.
  std::map<std::string, std::vector<std::map<char, std::size_t>>> seen;
  std::vector<std::string> faults;
  std::vector<std::string> not_in_table, not_seen;  // against the table of targets/carriage.h
  std::vector<std::string> no_mutant;               // a key that a target carries and no mutant was without
};

// Generated specs over the sites of examples/ and tests/loss/, and every example over the sites of examples/, each
// for every target, with their mutants.
Report judge(const Options& options);

}  // namespace muster::loss
