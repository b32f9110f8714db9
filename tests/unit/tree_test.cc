#include "driver/tree.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

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

// What a tree has under a name; what it says instead, if it cannot be read.
std::string read(const Tree& tree, const std::string& name) {
  std::string why;
  return tree.files().read(name, largest_file, why).value_or(why);
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

TEST_CASE("a revision is read as it was, with links in it and without what is too large", "[tree]") {
  const Repository repository;
  Diagnostics diagnostics;
  const auto old = open_tree("HEAD~1", diagnostics), now = open_tree("HEAD", diagnostics);
  REQUIRE(old);
  REQUIRE(now);
  CHECK(old->commit().size() == 40);
  CHECK(read(*old, "specs/a.muster") == "first\n");
  CHECK(read(*now, "specs/a.muster") == "second\n");
  CHECK(read(*old, "with space/tab\there.txt") == std::string("zero\0byte", 9));
  CHECK(read(*now, "./specs/../specs/a.muster") == "second\n");
  CHECK(old->files().is_file("specs/link"));
  CHECK_FALSE(now->files().exists("big"));
  std::string why;
  CHECK(now->files().read("specs/a.muster", 2, why) == "sec");
  CHECK(read(*now, "specs/a.muster") == "second\n");  // of the one before nothing is left over
  CHECK(diagnostics.empty());
}

TEST_CASE("links of a revision lead to what is in it, and nowhere else", "[tree]") {
  const Repository repository;
  write("outside.muster", "on the disk\n");
  fs::create_directories("links/deep");
  for (const auto& [name, target] : {std::pair{"links/file", "../specs/a.muster"},
                                     {"links/folder", "../specs"},
                                     {"links/twice", "folder/link"},
                                     {"links/deep/up", "../.."},
                                     {"links/loop", "loop"},
                                     {"links/out", "../../outside.muster"},
                                     {"links/absolute", "/etc/hostname"},
                                     {"links/nothing", "a"}})
    fs::create_symlink(target, name);
  git({"add", "links"});
  git({"commit", "-q", "-m", "links"});
  Diagnostics diagnostics;
  const auto tree = open_tree("HEAD", diagnostics);
  REQUIRE(tree);
  for (const char* name : {"links/file", "links/folder/a.muster", "links/twice", "links/deep/up/specs/a.muster"})
    CHECK(read(*tree, name) == "second\n");
  CHECK(tree->files().is_folder("links/folder"));
  CHECK(tree->files().own_type("links/folder") == fs::file_type::symlink);
  for (const char* name : {"links/loop", "links/out", "links/absolute", "links/nothing"}) {
    INFO(name);
    CHECK_FALSE(tree->files().exists(name));
    CHECK(tree->files().own_type(name) == fs::file_type::symlink);
  }
}

TEST_CASE("the names of a revision are on no disk, and those of the disk are in no revision", "[tree]") {
  const Repository repository;
  Diagnostics diagnostics;
  const auto tree = open_tree("HEAD~1", diagnostics);
  REQUIRE(tree);
  CHECK_FALSE(fs::exists(tree->folder()));
  write("untracked", "text");
  CHECK_FALSE(tree->files().exists("untracked"));
  CHECK(tree->files().is_file(fs::absolute("untracked")));
  CHECK(read(*tree, fs::absolute("untracked")) == "text");
  const std::string deep = "../../../../../../../../../../.." + fs::absolute("untracked").string();
  CHECK(read(*tree, deep) != "text");
  CHECK_FALSE(tree->files().exists(deep));
}

TEST_CASE("what a revision has is asked as a disk is", "[tree]") {
  const Repository repository;
  Diagnostics diagnostics;
  const auto tree = open_tree("HEAD", diagnostics);
  REQUIRE(tree);
  const Files& files = tree->files();
  const auto names = [&](const std::string& folder) {
    std::string out;
    std::error_code error;
    for (const Entry& entry : files.list(folder, error))
      out += entry.name + (entry.type == fs::file_type::directory ? "/ " : " ");
    return out + (error ? error.message() : "");
  };
  CHECK(names(".") == "specs/ with space/ ");
  CHECK(names("specs/") == "a.muster link ");
  CHECK(names("specs/a.muster") == "Not a directory");
  CHECK(names("specs/none") == "No such file or directory");
  CHECK(files.is_folder("specs"));
  CHECK(files.is_folder("."));
  CHECK(files.is_file("specs/a.muster"));
  CHECK(files.own_type("specs/a.muster") == fs::file_type::regular);
  CHECK(files.size("specs/a.muster") == 7);
  CHECK(files.id("specs/a.muster").size() == 40);
  CHECK(files.id("specs") == "");
  CHECK(files.real("specs/.") == tree->folder() / "specs");
  CHECK(files.at(tree->folder() / "specs").is_file("a.muster"));
  CHECK(read(*tree, "specs") == "it is a folder");
  CHECK(read(*tree, "specs/a.muster/b") == "Not a directory");
  CHECK(read(*tree, "spec") == "No such file or directory");
  std::error_code error;
  files.canonical("specs/b", error);
  CHECK(error == std::errc::no_such_file_or_directory);
  CHECK(files.canonical("specs/a.muster", error) == tree->folder() / "specs/a.muster");
  CHECK_FALSE(error);
}

TEST_CASE("names that no git would write are names all the same", "[tree]") {
  Revision revision("c0ffee", {{"a/x", "1", 1}, {"a", "2", 2}, {"a-b", "3", 3}, {"a/x", "4", 4}, {"a0", "5", 5}});
  std::string names;
  for (const Entry& entry : revision.list("")) names += entry.name + " ";
  CHECK(names == "a a a-b a0 ");
  REQUIRE(revision.find("a/x") != nullptr);
  CHECK(revision.find("a/x")->id == "4");  // as when files are written one after the other
  CHECK(revision.name_of("/dev/null/c0ffee") == "");
  CHECK(revision.name_of("/dev/null/c0ffee/a") == "a");
  CHECK_FALSE(revision.name_of("/dev/null/c0ffee1/a"));
}

TEST_CASE("contents that git does not return make the tree one that cannot be read", "[tree]") {
  const Repository repository;
  Diagnostics diagnostics;
  const auto tree = open_tree("HEAD", diagnostics);
  REQUIRE(tree);
  const std::string id = tree->files().id("specs/a.muster");
  CHECK(read(*tree, "with space/tab\there.txt").size() == 9);
  CHECK(tree->is_whole(diagnostics));
  fs::remove(".git/objects/" + id.substr(0, 2) + "/" + id.substr(2));
  CHECK(read(*tree, "specs/a.muster") == "git does not return `specs/a.muster`");
  CHECK(read(*tree, "with space/tab\there.txt") == "git does not return `specs/a.muster`");
  CHECK(diagnostics.empty());
  CHECK_FALSE(tree->is_whole(diagnostics));
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics.sorted()[0].message == "cannot read the revision `HEAD`: git does not return `specs/a.muster`");
}

TEST_CASE("what a repository puts in the place of an object is not read", "[tree]") {
  const Repository repository;
  git({"replace", "HEAD:specs/a.muster", "HEAD~1:specs/a.muster"});
  git({"replace", "HEAD~1", "HEAD"});
  Diagnostics diagnostics;
  const auto now = open_tree("HEAD", diagnostics), old = open_tree("HEAD~1", diagnostics);
  REQUIRE(now);
  REQUIRE(old);
  CHECK(read(*now, "specs/a.muster") == "second\n");
  CHECK(read(*old, "specs/a.muster") == "first\n");
}

TEST_CASE("below a folder of the repository names are those below it", "[tree]") {
  const Repository repository;
  Diagnostics diagnostics;
  fs::current_path("specs");
  const auto old = open_tree("HEAD~1", diagnostics);
  REQUIRE(old);
  CHECK(read(*old, "a.muster") == "first\n");
}

TEST_CASE("a folder is itself, what is neither folder nor revision is reported", "[tree]") {
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
