// Each file that could start something is judged, or named with the reason: spellings, places and names, generated.
#include "lint/account.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "tests/unit/linted.h"

namespace account_test {

using namespace muster;
using lint::Fate;
using tests::Linted;
using tests::TempFolder;
namespace fs = std::filesystem;

namespace {

// A privileged pod with a GPU, which SEC002 finds wherever it is read.
const std::string pod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  hostPID: true\n  containers:\n  - name: c\n    image: "
    "b/a:v1\n    securityContext: {privileged: true}\n    resources: {limits: {nvidia.com/gpu: 1}}\n";
const std::string json =
    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"p\"}, \"spec\": {\"hostPID\": true, "
    "\"containers\": [{\"name\": \"c\", \"image\": \"b/a:v1\", \"securityContext\": {\"privileged\": true}, "
    "\"resources\": {\"limits\": {\"nvidia.com/gpu\": 1}}}]}}\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string indented(const std::string& text, const std::string& by) { return by + replaced(text, "\n", "\n" + by); }

struct Spelling {
  const char* name;
  std::string text;
};

std::vector<Spelling> spellings() {
  const std::string value = pod.substr(pod.find('\n') + 1);
  return {
      {"plain", pod},
      {"quoted keys", replaced(replaced(pod, "kind:", "\"kind\":"), "apiVersion:", "\"apiVersion\":")},
      {"single quotes", replaced(replaced(pod, "kind:", "'kind':"), "apiVersion:", "'apiVersion':")},
      {"an indent of one", indented(pod, " ")},
      {"an indent of four", indented(pod, "    ")},
      {"blank in front of the colon", replaced(replaced(pod, "kind:", "kind :"), "apiVersion:", "apiVersion  :")},
      {"explicit key", replaced(pod, "kind: Pod", "? kind\n: Pod")},
      {"binary key", replaced(pod, "apiVersion:", "!!binary YXBpVmVyc2lvbg==:")},
      {"escaped letter", replaced(pod, "kind:", "\"k\\x69nd\":")},
      {"escaped key", replaced(pod, "apiVersion:", "\"\\u0061piVersion\":")},
      {"anchored value", replaced(pod, "kind: Pod", "kind: &k Pod")},
      {"tagged key", replaced(pod, "kind:", "!!str kind:")},
      {"merged key", "base: &b {kind: Pod}\n<<: *b\n" + replaced(pod, "kind: Pod\n", "")},
      {"flow",
       "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {hostPID: true, containers: [{name: c, image: "
       "'b/a:v1', securityContext: {privileged: true}, resources: {limits: {nvidia.com/gpu: 1}}}]}}\n"},
      {"JSON", json},
      {"JSON below a comment", "# made by a program\n" + json},
      {"JSON below a document mark", "---\n" + json},
      {"JSON with an escape", replaced(json, "\"kind\"", "\"ki\\u006ed\"")},
      {"a directive in a comment", "#SBATCH --nodes=1\n" + pod},
      {"a directive of PBS in a comment", pod + "#PBS -l nodes=1\n"},
      {"a shebang in a comment", "#!/bin/bash\n#SBATCH --nodes=1\n" + pod},
      {"CR line ends", replaced(pod, "\n", "\r")},
      {"CRLF line ends", replaced(pod, "\n", "\r\n")},
      {"U+0085", replaced(pod, "kind: Pod\n", "kind: Pod\xC2\x85")},
      {"U+2028", replaced(pod, "kind: Pod\n", "kind: Pod\xE2\x80\xA8")},
      {"a byte order mark", "\xEF\xBB\xBF" + pod},
      {"a version of YAML", "%YAML 1.1\n---\n" + pod},
      {"the second document", "a: 1\n---\n" + pod},
      {"a list",
       "apiVersion: v1\nkind: List\nitems:\n- " + replaced(pod.substr(0, pod.size() - 1), "\n", "\n  ") + "\n"},
      {"the key last", value + "apiVersion: v1\n"},
  };
}

// Puts a file into a folder. `name` is where lint must name it.
struct Place {
  const char* name;
  std::function<void(const fs::path&, const std::string&)> put;
};

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::vector<Place> places() {
  const auto plain = [](const char* name) {
    return Place{name, [name](const fs::path& folder, const std::string& text) { write(folder / name, text); }};
  };
  const auto resource = [](const char* name) {
    return Place{name, [name](const fs::path& folder, const std::string& text) {
                   write(folder / name, text);
                   const fs::path path(name);
                   write(folder / path.parent_path() / "kustomization.yaml",
                         "resources: [" + path.filename().string() + "]\n");
                 }};
  };
  return {plain("x.yaml"),
          plain("x.yml"),
          plain("x.json"),
          plain("X.YAML"),
          plain(".x.yaml"),
          plain(".yaml"),
          plain(".hidden/x.yaml"),
          plain("old/x.yaml"),
          plain("archive/deep/x.yml"),
          plain("fixtures/x.json"),
          plain("a/b/c/d/e/f/x.yaml"),
          resource("pod.txt"),
          resource("k/pod"),
          resource("k/.pod.yaml.disabled"),
          {"l.yaml", [](const fs::path& folder, const std::string& text) {
             write(folder / "target.txt", text);
             fs::create_symlink("target.txt", folder / "l.yaml");
           }}};
}

const lint::Account* account_of(Linted& linted, const fs::path& folder, const std::string& name) {
  for (const lint::Account& account : linted.run.outcome().accounts)
    if (account.file == (folder / name).string() || account.file == (folder / name).string() + "/") return &account;
  return nullptr;
}

bool has_finding(Linted& linted, const std::string& name, lint::RuleId rule) {
  return std::any_of(linted.results().begin(), linted.results().end(), [&](const lint::Result& r) {
    return linted.sources().name(r.finding.primary.file).ends_with(name) && r.finding.verdict == lint::Verdict::wrong &&
           lint::is_of(r.finding, rule);
  });
}

}  // namespace

TEST_CASE("a manifest is judged however it is spelt and wherever it is", "[lint][account]") {
  std::size_t judged = 0, named = 0, all = 0;
  for (const Spelling& spelling : spellings())
    for (const Place& place : places()) {
      INFO(spelling.name << " in " << place.name);
      const TempFolder folder;
      place.put(folder.path(), spelling.text);
      Linted linted(folder.path());
      const lint::Account* account = account_of(linted, folder.path(), place.name);
      ++all;
      REQUIRE(account != nullptr);
      CHECK((account->fate == Fate::judged || account->fate == Fate::not_read));
      judged += account->fate == Fate::judged && has_finding(linted, place.name, lint::RuleId::privileged);
      named += account->fate == Fate::not_read;
    }
  std::cout << "manifests: " << judged << " judged and " << named << " named of " << all << "\n";
  CHECK(judged + named == all);
}

TEST_CASE("what is not a file that can be read is named with the reason, at once", "[lint][account]") {
  const TempFolder folder, outside;
  const fs::path& here = folder.path();
  const auto put = [&](const std::string& name, const std::string& text) { write(here / name, text); };
  put("a.yaml", pod);
  put("lfs.yaml", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n");
  put("lfs.sbatch", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n");
  put("large.yaml", pod + std::string(std::size_t{5} << 20, '#'));
  put("broken.json", "{\"apiVersion\": \"v1\", \"kind\": \"Pod\"");
  put("tab.yaml", "\"apiVersion\": v1\n\tkind: Pod\n");
  put("flux.job", "#!/bin/bash\n#flux: -N1\nflux run a\n");
  write(outside.path() / "o.yaml", pod);
  fs::create_symlink(outside.path() / "o.yaml", here / "out.yaml");
  fs::create_symlink(outside.path(), here / "folder-outside");
  fs::create_symlink("nowhere", here / "dangling.yaml");
  fs::create_symlink("loop.yaml", here / "loop.yaml");
  mkfifo((here / "fifo.yaml").c_str(), 0600);
  mkfifo((here / "fifo.txt").c_str(), 0600);  // which could start nothing
  std::string deep = "d";
  for (int i = 0; i < 101; ++i) deep += "/d";
  put(deep + "/x.yaml", pod);
  put(".gitmodules", "[submodule \"m\"]\n\tpath = modules/m\n\turl = https://example.org/m\n");
  fs::create_directories(here / "modules/m");
  const std::pair<const char*, const char*> expected[] = {
      {"lfs.yaml", "LFS"},          {"lfs.sbatch", "LFS"},    {"large.yaml", "4 MiB"}, {"broken.json", "parsed"},
      {"tab.yaml", "parsed"},       {"flux.job", "Flux"},     {"out.yaml", "outside"}, {"folder-outside", "outside"},
      {"dangling.yaml", "nothing"}, {"loop.yaml", "nothing"}, {"fifo.yaml", "FIFO"},   {"modules/m", "submodule"}};
  Linted linted(here);
  for (const auto& [name, why] : expected) {
    INFO(name);
    const lint::Account* account = account_of(linted, here, name);
    REQUIRE(account != nullptr);
    CHECK(account->fate == Fate::not_read);
    CHECK(account->why.find(why) != std::string::npos);
    const auto& left = linted.run.outcome().left_out;
    CHECK(std::find(left.begin(), left.end(), account->file) != left.end());
  }
  CHECK(account_of(linted, here, "fifo.txt") == nullptr);
  CHECK(lint::count(linted.run.outcome().accounts, Fate::not_read) == std::size(expected) + 1);  // and what is too deep
}

TEST_CASE("data is read to its end and is no surprise", "[lint][account]") {
  const TempFolder folder;
  write(folder.path() / "a.yaml", pod);
  for (const char* name : {"values.yaml", ".github/workflows/ci.yml", "package.json", "empty.yaml"})
    write(folder.path() / name, name == std::string("empty.yaml") ? "" : "{\"a\": [1, \"b\"]}\n");
  write(folder.path() / "notebook.json", "{\"source\": \"apiVersion: v1\\nkind: Pod\\n\"}\n");
  write(folder.path() / "large.json", "[\"" + std::string(std::size_t{5} << 20, 'x') + "\"]\n");
  write(folder.path() / ".git/x.yaml", pod);
  write(folder.path() / "README.md", pod);
  Linted linted(folder.path());
  CHECK(lint::beside_judged(linted.run.outcome().accounts) == "6 data files");
  CHECK(lint::count(linted.run.outcome().accounts, Fate::judged) == 1);
}

TEST_CASE("a link to a file that is judged is not judged twice", "[lint][account]") {
  const TempFolder folder;
  write(folder.path() / "b/a.yaml", pod);
  fs::create_symlink("b/a.yaml", folder.path() / "current.yaml");
  fs::create_symlink("b", folder.path() / "folder");
  fs::create_symlink("..", folder.path() / "b/up");
  Linted linted(folder.path());
  CHECK(linted.count("SEC002") == 2);  // of the one file
  CHECK(lint::count(linted.run.outcome().accounts, Fate::judged) == 2);
}

TEST_CASE("what was judged and is not any more is named", "[lint][account]") {
  const std::vector<lint::Account> before = {{"a"}, {"b", Fate::templated}, {"c", Fate::data}};
  const std::vector<lint::Account> after = {
      {"a", Fate::not_read}, {"b", Fate::not_read}, {"c", Fate::templated}, {"d", Fate::templated}, {"e", Fate::data}};
  std::string names;
  for (const lint::Account& account : lint::newly_unjudged(before, after)) names += account.file;
  CHECK(names == "acd");
}

}  // namespace account_test
