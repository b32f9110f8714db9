// What a spec may read of the disk: muster files and texts below its root, nothing hidden.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "driver/git.h"
#include "driver/imports.h"
#include "driver/session.h"
#include "driver/tree.h"
#include "tests/catch.h"
#include "tests/in_folder.h"
#include "tests/temp_folder.h"

namespace imports_test {

using namespace muster;
namespace fs = std::filesystem;

namespace {

void put(const fs::path& file, const std::string& text) {
  if (file.has_parent_path()) fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

// What is wrong with a file of the current folder, or of other files; "" if nothing is.
std::string fault_of(const std::string& file, const std::string& root = "", const driver::Files& from = {}) {
  driver::Inputs inputs;
  inputs.from = from;
  inputs.files = {file};
  inputs.root = root;
  driver::Session session(inputs);
  session.load();
  std::string out;
  for (const Diagnostic& d : session.diagnostics().sorted()) {
    out += d.message + "\n";
    for (const std::string& note : d.notes) out += note + "\n";
  }
  return out;
}

class Home {
 public:
  explicit Home(const fs::path& folder) : before_(std::getenv("HOME") != nullptr ? std::getenv("HOME") : "") {
    setenv("HOME", folder.c_str(), 1);
  }
  ~Home() { setenv("HOME", before_.c_str(), 1); }

 private:
  std::string before_;
};

constexpr const char* library = "fleet f { pool p { nodes = 1  node { cpus = 4  memory = 8GiB } } }\n";

}  // namespace

TEST_CASE("an import and file() read nothing that is hidden") {
  const tests::TempFolder folder;
  const tests::InFolder here(folder.path());
  put(".git/config.muster", "url = https://token@host");
  put(".env", "TOKEN=secret");
  put("lib/.secret/run.sh", "echo secret");
  put("plain.sh", "echo");
  fs::create_symlink(".env", "link.sh");
  const auto with = [](const std::string& text) {
    put("w.muster", text);
    return fault_of("w.muster");
  };
  const auto taking = [&](const std::string& path) {
    return with("workload w { kind = batch  image = 'a'  script = file('" + path + "') }");
  };
  for (const std::string& fault : {with("import \".git/config.muster\" as x"), taking(".env"), taking("link.sh"),
                                   taking("lib/.secret/run.sh"), taking("lib/../.env")}) {
    CHECK(fault.find("is hidden") != fault.npos);
    CHECK(fault.find("token") == fault.npos);
    CHECK(fault.find("secret\n") == fault.npos);
  }
  CHECK(taking("plain.sh") == "");
  CHECK(taking("./plain.sh") == "");
}

TEST_CASE("an import reads muster files alone, so no line of another file is quoted") {
  const tests::TempFolder folder;
  const tests::InFolder here(folder.path());
  put("notes.txt", "password: 12345");
  put("w.muster", "import \"notes.txt\" as x");
  CHECK(fault_of("w.muster").find("is not a muster file") != std::string::npos);
  CHECK(fault_of("w.muster").find("12345") == std::string::npos);
  put("lib.muster", library);
  put("w.muster", "import \"lib.muster\" as x");
  CHECK(fault_of("w.muster") == "");
}

TEST_CASE("a file that is not there is named with the path that was tried") {
  const tests::TempFolder folder;
  const tests::InFolder here(folder.path());
  put("jobs/w.muster", "import \"lib/gone.muster\" as x");
  CHECK(fault_of("jobs/w.muster").find("tried `jobs/lib/gone.muster`") != std::string::npos);
}

TEST_CASE("neither the whole disk nor a home folder is a root by itself") {
  const tests::TempFolder folder;
  const fs::path home = fs::canonical(folder.path());
  const Home is_home(home);
  put(home / "lib.muster", library);
  put(home / "jobs/w.muster", "import \"../lib.muster\" as x");
  put(home / "w.muster", "import \"lib.muster\" as x");
  const tests::InFolder here(home);
  CHECK(driver::import_root("jobs/w.muster", "", {}) == home / "jobs");
  CHECK(driver::import_root("jobs/w.muster", ".", {}) == home);
  CHECK(driver::import_root("w.muster", "", {}) == "");
  CHECK(fault_of("jobs/w.muster").find("leaves the root") != std::string::npos);
  CHECK(fault_of("w.muster").find("`--root DIR`") != std::string::npos);
  CHECK(fault_of("w.muster", ".") == "");
  const tests::InFolder disk("/");
  CHECK(driver::import_root(home / "jobs/w.muster", "", {}) == home / "jobs");
  CHECK(driver::import_root(home / "jobs/w.muster", "/", {}) == "/");
}

TEST_CASE("at a revision a spec may read what it may read on the disk, and no file of the disk") {
  const tests::TempFolder folder;
  const tests::InFolder here(folder.path());
  const auto git = [](std::vector<std::string> words) {
    std::string why;
    words.insert(words.begin(), {"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"});
    REQUIRE(driver::ask_git(words, why));
  };
  const auto taking = [](const std::string& path) {
    return "workload w { kind = batch  image = 'a'  script = file('" + path + "') }";
  };
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {taking(".env"), "is hidden"},
      {taking("lib/.secret/run.sh"), "is hidden"},
      {taking("../../../../../../../../etc/hostname"), "leaves the root `.`"},
      {taking("untracked.sh"), "tried `jobs/untracked.sh`"},
      {taking("run.sh/run.sh"), "Not a directory"},
      {taking("lib"), "is not a regular file"},
      {"import \"lib/notes.txt\" as x", "is not a muster file"},
      {"import \"../../lib.muster\" as x", "leaves the root"},
  };
  put("jobs/.env", "TOKEN=secret"), put("jobs/lib/.secret/run.sh", "echo"), put("jobs/lib/notes.txt", "");
  put("jobs/run.sh", "echo"), put("lib.muster", library);
  fs::create_symlink("run.sh", "jobs/link.sh");
  put("jobs/right.muster", "import \"../lib.muster\" as lib\n" + taking("run.sh"));
  put("jobs/linked.muster", taking("link.sh"));
  for (std::size_t i = 0; i < wrong.size(); ++i) put("jobs/wrong" + std::to_string(i) + ".muster", wrong[i].first);
  git({"init", "-q", "."}), git({"add", "."}), git({"commit", "-q", "-m", "one"});
  put("jobs/untracked.sh", "echo");
  fs::remove("lib.muster"), fs::remove("jobs/run.sh");
  Diagnostics diagnostics;
  const auto tree = driver::open_tree("HEAD", diagnostics);
  REQUIRE(tree);
  CHECK(fault_of("jobs/right.muster", "", tree->files()) == "");
  CHECK(fault_of("jobs/linked.muster", "", tree->files()) == "");
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const std::string fault = fault_of("jobs/wrong" + std::to_string(i) + ".muster", "", tree->files());
    INFO(wrong[i].first << ": " << fault);
    CHECK(fault.find(wrong[i].second) != fault.npos);
    CHECK(fault.find(tree->commit()) == fault.npos);  // nor does a message name the folder that is not there
  }
}

}  // namespace imports_test
