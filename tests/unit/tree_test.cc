#include "driver/tree.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "driver/git.h"
#include "tests/catch.h"
#include "tests/temp_folder.h"

namespace tree_test {

using namespace muster;
using namespace muster::driver;
using tests::TempFolder;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(fs::absolute(file).parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

void git(std::vector<std::string> words) {
  std::string why;
  words.insert(words.begin(), {"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"});
  INFO(why);
  REQUIRE(ask_git(words, why));
}

// The current folder is a repository with two commits; back where it was at the end.
struct Repository {
  TempFolder folder;
  fs::path before = fs::current_path();

  Repository() {
    fs::current_path(folder.path());
    git({"init", "-q", "."});
    write("specs/a.muster", "first\n");
    write("with space/tab\there.txt", std::string("zero\0byte", 9));
    fs::create_symlink("a.muster", "specs/link");
    git({"add", "."});
    git({"commit", "-q", "-m", "one"});
    write("specs/a.muster", "second\n");
    write("big", std::string((std::size_t{4} << 20) + 1, 'x'));
    git({"add", "."});
    git({"commit", "-q", "-m", "two"});
  }
  ~Repository() { fs::current_path(before); }
};

}  // namespace

TEST_CASE("a revision is read as it was, without links and without what is too large", "[tree]") {
  const Repository repository;
  Diagnostics diagnostics;
  fs::path folder;
  {
    const auto old = open_tree("HEAD~1", diagnostics);
    REQUIRE(old);
    folder = old->folder();
    CHECK(old->commit().size() == 40);
    CHECK(read(folder / "specs/a.muster") == "first\n");
    CHECK(read(folder / "with space/tab\there.txt") == std::string("zero\0byte", 9));
    CHECK_FALSE(fs::exists(fs::symlink_status(folder / "specs/link")));
    const auto now = open_tree("HEAD", diagnostics);
    REQUIRE(now);
    CHECK(read(now->folder() / "specs/a.muster") == "second\n");
    CHECK_FALSE(fs::exists(now->folder() / "big"));
  }
  CHECK_FALSE(fs::exists(folder));  // it goes with the tree
  CHECK(diagnostics.empty());
}

TEST_CASE("what a repository puts in the place of an object is not read", "[tree]") {
  const Repository repository;
  git({"replace", "HEAD:specs/a.muster", "HEAD~1:specs/a.muster"});
  git({"replace", "HEAD~1", "HEAD"});
  Diagnostics diagnostics;
  const auto now = open_tree("HEAD", diagnostics), old = open_tree("HEAD~1", diagnostics);
  REQUIRE(now);
  REQUIRE(old);
  CHECK(read(now->folder() / "specs/a.muster") == "second\n");
  CHECK(read(old->folder() / "specs/a.muster") == "first\n");
}

TEST_CASE("below a folder of the repository names are those below it", "[tree]") {
  const Repository repository;
  Diagnostics diagnostics;
  fs::current_path("specs");
  const auto old = open_tree("HEAD~1", diagnostics);
  REQUIRE(old);
  CHECK(read(old->folder() / "a.muster") == "first\n");
}

TEST_CASE("a folder is itself; what is neither folder nor revision is reported", "[tree]") {
  const Repository repository;
  Diagnostics diagnostics;
  const auto folder = open_tree("specs", diagnostics);
  REQUIRE(folder);
  CHECK(folder->commit().empty());
  CHECK(folder->folder() == fs::canonical("specs"));
  for (const char* word : {"no-such-revision", "--output=stolen", "$(touch stolen)", "HEAD; touch stolen", ""}) {
    Diagnostics diagnostics;
    INFO(word);
    CHECK_FALSE(open_tree(word, diagnostics));
    CHECK(diagnostics.has_errors());
  }
  CHECK_FALSE(fs::exists("stolen"));
}

}  // namespace tree_test
