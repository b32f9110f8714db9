// The page of a lint rule, lint/rules/FOLDER/RULE.md: its row of the catalogue, what it says to people, its example,
// and its test cases. CONTRIBUTING.md says how one is written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::lint::tool {

struct Source {
  std::string title, address;  // of a web page, or of a document of this repository: "docs/reference/lint.md"
};

struct File {
  std::string name, text;  // "wrong.sbatch"
};

// What a test case must find in one of its lines; `severity` may be `unclear`.
struct Mark {
  std::size_t line;  // of the text of the case, from 1
  std::string rule, severity;
};

// A fenced block below `## Tests`: a file, and what lint finds in it.
struct Case {
  std::string name;        // "fires"
  std::string form;        // "sbatch", "pbs", "lsf", "yaml" or "muster"
  std::string site, with;  // a file of tests/lint/sites without its ending; options of the command line; "" for none
  std::string text;        // without the comments that mark lines
  std::vector<Mark> marks;
};

struct Page {
  std::string path, id, slug, severity, profile, stage, fix, thresholds, summary;
  std::string places;      // "spec, target-block"
  std::string needs_site;  // "yes": without a site it finds nothing, not even that it cannot be told
  std::string checks, why, instead;
  std::vector<Source> sources;
  std::vector<File> example;  // "wrong.sbatch", "corrected.sbatch" and those beside them
  std::vector<Case> cases;
  std::vector<File> beside;  // files that the cases find beside them
};

struct Fault {
  std::size_t line;
  std::string message;
};

// The page in a file, or the first thing that is wrong with it.
std::variant<Page, Fault> read_page(const std::string& path, std::string_view text);

}  // namespace muster::lint::tool
