// What the base of a change judged, or did not have, its head cannot hide: ways to hide a file, generated.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "driver/review_run.h"
#include "tests/catch.h"
#include "tests/temp_folder.h"

namespace review_account_test {

using namespace muster;
namespace fs = std::filesystem;

namespace {

const std::string script = "#!/bin/bash\n#SBATCH --nodes=1 --time=1:00:00\nsrun a\n";
const std::string pod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - {name: c, image: 'b/a:v1'}\n";
const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n";

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  fs::remove(file);
  std::ofstream(file, std::ios::binary) << text;
}

std::string names(const std::vector<lint::Account>& accounts) {
  std::string out;
  for (const lint::Account& account : accounts) out += account.file + " ";
  return out;
}

std::string unjudged(const fs::path& folder) {
  driver::ReviewQuestion question;
  question.base = (folder / "base").string(), question.head = (folder / "head").string();
  std::string unknown;
  question.settings.selection = lint::select_rules({}, {}, false, unknown, lint::Profile::normal);
  driver::ReviewRun run(question);
  const auto review = run.run();
  REQUIRE(review);
  return names(review->unjudged);
}

using Change = std::function<void(const fs::path& file)>;
struct Way {
  const char* name;
  Change change;
};

Change to(const std::string& text) {
  return [text](const fs::path& file) { write(file, text); };
}

Change link_to(const std::string& target) {
  return [target](const fs::path& file) { fs::remove(file), fs::create_symlink(target, file); };
}

// Of a script and of a manifest.
std::vector<Way> ways_to_hide(bool manifest) {
  std::vector<Way> out = {{"a pointer", to(pointer)},
                          {"a link to the outside", link_to("/etc/hostname")},
                          {"a link to nothing", link_to("nowhere")},
                          {"a FIFO", [](const fs::path& file) { fs::remove(file), mkfifo(file.c_str(), 0600); }},
                          {"too large", to((manifest ? pod : script) + std::string(std::size_t{5} << 20, '#'))}};
  if (manifest) {
    out.push_back({"an unclosed list", to("\"apiVersion\": v1\nkind: Pod\nspec: [\n")});
    out.push_back({"a tab", to("'apiVersion': v1\n\tkind: Pod\n")});
    for (const char* line : {"{{- if .Values.x }}\n", "{% if x %}\n", "a: {{ x }}\n", "a: {x}/y\n"})
      out.push_back({line, to(pod + line)});
  } else {
    for (const char* line : {"#SBATCH --mem={{ x }}\n", "#SBATCH --mem=__MEM__\n", "#SBATCH --cpus-per-task=@NCPUS@\n",
                             "#SBATCH --mem=${MEM}\n", "#SBATCH --mem=%(mem)s\n", "#SBATCH --mem=##MEM##\n"})
      out.push_back({line, to("#!/bin/bash\n#SBATCH --nodes=1\n" + std::string(line) + "srun a\n")});
    for (const char* line : {"{% if x %}\n", "<% x %>\n", "{{ x }}\n", "python {{ x }}\n", "% if x:\n"})
      out.push_back({line, to(script + line)});
  }
  return out;
}

}  // namespace

TEST_CASE("a file that the head hides is named, whether the base has it or not", "[review][account]") {
  std::size_t named = 0, all = 0;
  for (const bool manifest : {true, false})
    for (const Way& way : ways_to_hide(manifest))
      for (const char* folder_name : {"", "jobs/", "old/", ".hidden/"})
        for (const bool is_new : {true, false}) {
          const std::string name = std::string(folder_name) + (manifest ? "x.yaml" : "x.sbatch");
          INFO(name << ": " << way.name << (is_new ? ", new" : ""));
          const tests::TempFolder folder;
          for (const char* side : {"base/", "head/"}) write(folder.path() / side / "other.sbatch", script);
          if (!is_new) write(folder.path() / "base" / name, manifest ? pod : script);
          write(folder.path() / "head" / name, "");
          way.change(folder.path() / "head" / name);
          ++all;
          const std::string found = unjudged(folder.path());
          CHECK(found == name + " ");
          named += found == name + " ";
        }
  std::cout << "files that the head hides: " << named << " of " << all << " named\n";
}

TEST_CASE("a change that hides nothing names nothing", "[review][account]") {
  const std::string form = "#!/bin/bash\n#SBATCH --mem={{ x }}\nsrun a\n";
  const std::vector<std::pair<const char*, std::vector<std::string>>> cases = {
      {"x.sbatch", {script, script + "srun b\n"}},
      {"x.sbatch", {script, script + "# {{ x }}\n"}},
      {"x.sbatch", {script, script + "echo '{{ x }}'\n"}},
      {"x.sbatch", {script, ""}},
      {"x.sbatch", {form, form + "srun b\n"}},  // it was a template before
      {"x.yaml", {pod, pod + "  nodeName: a\n"}},
      {"x.yaml", {pod, "a: 1\n"}},
      {"x.yaml", {"a: 1\n", "a: 2\n"}},
      {"x.json", {"", "{\"a\": \"\\u00e9\"}\n"}},
      {".github/workflows/ci.yml", {"", "on: push\njobs: {a: {steps: [{run: 'echo ${{ github.sha }}'}]}}\n"}},
      {"README.md", {"", "#SBATCH --nodes={{ x }}\n"}},
      {"values.yaml.gotmpl", {"", "a: {{ x }}\n"}},
      {"build.sh", {"", "#!/bin/bash\necho {{ x }}\n"}}};
  for (const auto& [name, texts] : cases) {
    INFO(name << ": " << texts[1]);
    const tests::TempFolder folder;
    for (const char* side : {"base/", "head/"}) write(folder.path() / side / "other.sbatch", script);
    if (!texts[0].empty()) write(folder.path() / "base" / name, texts[0]);
    if (!texts[1].empty()) write(folder.path() / "head" / name, texts[1]);
    CHECK(unjudged(folder.path()).empty());
  }
}

}  // namespace review_account_test
