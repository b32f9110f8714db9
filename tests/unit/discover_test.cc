// Which files of a folder are read: what documentation and programs quote is none of them.
#include "driver/discover.h"

#include <algorithm>
#include <fstream>

#include "tests/catch.h"
#include "tests/temp_folder.h"

namespace discover_test {

using namespace muster;
using driver::FoundFile;
using driver::kind_of;
using lint::Input;

namespace {

constexpr const char* pod = "apiVersion: v1\nkind: Pod\n";
constexpr const char* quoted = "#!/usr/bin/env python3\nprint()\n#SBATCH -n 1\n";

}  // namespace

TEST_CASE("the order of the arguments makes no difference", "[lint]") {
  const tests::TempFolder folder;
  for (const char* name : {"a.txt", "b.sh", "c.yaml"}) std::ofstream(folder.path() / name) << "text";
  std::vector<std::string> given = {folder.path().string()};
  for (const char* name : {"c.yaml", "a.txt"}) given.push_back((folder.path() / name).string());
  std::sort(given.begin(), given.end());
  do {
    Diagnostics diagnostics;
    std::string found;
    for (const FoundFile& file : driver::discover(given, {}, diagnostics))
      found += file.path.substr(folder.path().string().size()) + (file.named ? "!" : "") + " ";
    CHECK(found == "/a.txt! /b.sh /c.yaml! ");
  } while (std::next_permutation(given.begin(), given.end()));
}

TEST_CASE("a manifest in a folder is named like one", "[lint]") {
  for (const char* name : {"a.yaml", "k8s/a.yml", "a.YAML", "a.json"}) CHECK(kind_of({name}, pod) == Input::manifest);
  for (const char* name : {"README.md", "deploy.sh", "a_test.go", "a.yaml.j2", "a.tpl", "Dockerfile", "yaml"})
    CHECK_FALSE(kind_of({name}, pod));
  CHECK(kind_of({"a.yaml.j2", true}, pod) == Input::manifest);
  CHECK(kind_of({"-", true}, pod) == Input::manifest);
  CHECK_FALSE(kind_of({"a.yaml"}, "name: x\n"));
}

TEST_CASE("a batch script in a folder is a shell's, or has its options where sbatch looks", "[lint]") {
  const char* below = "echo\n#SBATCH -n 1\n";
  for (const char* name : {"a.sh", "a.slurm", "A.SBATCH", "a.sub", "a.job"})
    CHECK(kind_of({name}, below) == Input::script);
  for (const char* name : {"README.md", "a.py", "a", "a.txt"}) CHECK_FALSE(kind_of({name}, below));
  for (const char* first : {"#!/bin/bash\n", "#!/bin/bash -l\n", "#!/usr/bin/env zsh\n", "#!/bin/sh\r\n"})
    CHECK(kind_of({"a"}, std::string(first) + below) == Input::script);
  CHECK(kind_of({"a.py"}, "#!/usr/bin/python3\n\n  # a comment\n#SBATCH -n 1\nprint()\n") == Input::script);
  CHECK(kind_of({"a"}, "#SBATCH -n 1\n") == Input::script);
  CHECK_FALSE(kind_of({"a.py"}, quoted));
  CHECK(kind_of({"a.py", true}, quoted) == Input::script);
}

}  // namespace discover_test
