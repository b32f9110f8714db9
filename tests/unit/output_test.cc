// Files are written as a set, whatever is in the way and however the run ends.
#include "driver/output.h"

#include <csignal>
#include <filesystem>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "driver/pending_list.h"
#include "tests/catch.h"
#include "tests/unit/output_scene.h"

namespace output_test {

using namespace muster;
using namespace muster::driver;
using namespace muster::tests;

TEST_CASE("a set is written whole and leaves nothing else behind", "[output]") {
  const TempFolder folder;
  Diagnostics diagnostics;
  REQUIRE(write_files(folder.path() / "new/folder", fresh, diagnostics));
  CHECK(names(folder.path() / "new/folder") == std::vector<std::string>{"a", "b", "c"});
  CHECK(read(folder.path() / "new/folder/b") == "new b");
  CHECK(diagnostics.empty());
}

TEST_CASE("what another process left or made is not in the way and stays", "[output]") {
  const TempFolder folder;
  const std::string old = folder.path() / (".a.muster-" + std::to_string(getpid()) + ".tmp");
  write(old, "of another program");
  fs::create_directory(folder.path() / ".muster-abcdef");
  write(folder.path() / ".muster-abcdef/0", "of another program");
  Diagnostics diagnostics;
  REQUIRE(write_files(folder.path(), fresh, diagnostics));
  CHECK(read(old) == "of another program");
  CHECK(read(folder.path() / ".muster-abcdef/0") == "of another program");
  CHECK(read(folder.path() / "a") == "new a");
}

TEST_CASE("a set with a file that cannot be written leaves the folder as it was", "[output]") {
  const TempFolder folder;
  write(folder.path() / "a", "old a");
  const auto refused = [&](const std::string& why) {
    Diagnostics diagnostics;
    CHECK_FALSE(write_files(folder.path(), fresh, diagnostics));
    INFO(said(diagnostics));
    CHECK(said(diagnostics).find(why) != std::string::npos);
    CHECK(read(folder.path() / "a") == "old a");
    CHECK(names(folder.path()) == std::vector<std::string>{"a", "b"});
    fs::remove(folder.path() / "b");
  };
  fs::create_directory(folder.path() / "b");
  refused("/b`: it is a folder");
  REQUIRE(mkfifo((folder.path() / "b").c_str(), 0666) == 0);
  refused("/b`: it is a named pipe");
}

TEST_CASE("a report is not written into a named pipe, which may have no reader", "[output]") {
  const TempFolder folder;
  REQUIRE(mkfifo((folder.path() / "pipe").c_str(), 0666) == 0);
  Diagnostics diagnostics;
  alarm(20);  // in place of waiting for a reader
  CHECK_FALSE(write_file(
      folder.path(), "pipe", [](const Write& write) { write("text"); }, diagnostics));
  alarm(0);
  CHECK(said(diagnostics).find("it is a named pipe") != std::string::npos);
  CHECK(names(folder.path()) == std::vector<std::string>{"pipe"});
}

TEST_CASE("a report is written into a device below /dev and into nothing behind a link elsewhere", "[output]") {
  const TempFolder folder;
  Diagnostics diagnostics;
  const auto text = [](const Write& write) { write("text"); };
  CHECK(write_file("/dev", "null", text, diagnostics));
  CHECK(fs::is_character_file("/dev/null"));
  CHECK_FALSE(write_file("/dev", "full", text, diagnostics));
  write(folder.path() / "other", "other");
  fs::create_symlink("other", folder.path() / "link");
  fs::create_symlink("/dev/full", folder.path() / "device");
  CHECK(write_file(folder.path(), "link", text, diagnostics));
  CHECK(write_file(folder.path(), "device", text, diagnostics));
  CHECK(read(folder.path() / "other") == "other");
  CHECK(read(folder.path() / "link") == "text");
  CHECK(fs::is_regular_file(fs::symlink_status(folder.path() / "device")));
}

TEST_CASE("a signal ends the run after it has cleaned up", "[output]") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TempFolder folder;
    write(folder.path() / "a", "old a");
    CHECK(ended_by([&] {
            Diagnostics diagnostics;
            const auto content = [&](const Write& out) { out("half"), raise(signal), out("other half"); };
            write_file(folder.path(), "a", content, diagnostics);
          }) == signal);
    CHECK(names(folder.path()) == std::vector<std::string>{"a"});
    CHECK(read(folder.path() / "a") == "old a");
  }
}

TEST_CASE("a signal that the process ignores does not stop it", "[output]") {
  const TempFolder folder;
  CHECK(ended_by([&] {
          std::signal(SIGHUP, SIG_IGN);
          Diagnostics diagnostics;
          write_file(
              folder.path(), "a", [](const Write& out) { raise(SIGHUP), out("new a"); }, diagnostics);
        }) == 0);
  CHECK(read(folder.path() / "a") == "new a");
}

TEST_CASE("a set that a killed run left is finished by the next write into the folder", "[output]") {
  for (const std::vector<OutputFile>& next : {std::vector<OutputFile>{{"d", "d"}}, {{"d", "d"}, {"e", "e"}}}) {
    const TempFolder folder;
    interrupt(folder.path());
    Diagnostics diagnostics;
    REQUIRE(write_files(folder.path(), next, diagnostics));
    for (const OutputFile& file : fresh) CHECK(read(folder.path() / file.name) == file.content);
    CHECK(names(folder.path()).size() == 3 + next.size());
    CHECK(said(diagnostics) ==
          "W0808 finished an interrupted write into `" + folder.path().string() + "`: 2 files; `b`, `c`\n");
  }
}

TEST_CASE("of a list that was cut off nothing is renamed, and its files go", "[output]") {
  const TempFolder whole;
  const std::size_t size = interrupt(whole.path()).size();
  for (std::size_t kept = 0; kept < size; ++kept) {
    const TempFolder folder;
    write(folder.path() / pending_name, interrupt(folder.path()).substr(0, kept));
    Diagnostics diagnostics;
    INFO(kept);
    REQUIRE(write_files(folder.path(), {{"d", "d"}}, diagnostics));
    CHECK(read(folder.path() / "b") == "old b");
    CHECK_FALSE(fs::exists(folder.path() / "c"));
    CHECK_FALSE(fs::exists(folder.path() / pending_name));
    CHECK(diagnostics.empty());
  }
}

TEST_CASE("a list that muster did not write moves nothing", "[output]") {
  for (const char* name : {"../c", "x/c", "..", ".", "", "/c"}) {
    const TempFolder outer;
    const fs::path folder = outer.path() / "folder";
    fs::create_directory(folder);
    interrupt(folder, {"a", "b", name});
    Diagnostics diagnostics;
    CHECK_FALSE(write_files(folder, fresh, diagnostics));
    CHECK(said(diagnostics).find("muster did not write its contents") != std::string::npos);
    CHECK(read(folder / "b") == "old b");
    CHECK(fs::exists(folder / pending_name));
    CHECK(names(outer.path()) == std::vector<std::string>{"folder"});
  }
}

TEST_CASE("files of a copied or committed list are left alone and named", "[output]") {
  const TempFolder folder, original;
  interrupt(original.path());
  fs::copy(original.path(), folder.path(), fs::copy_options::recursive);
  Diagnostics diagnostics;
  REQUIRE(write_files(folder.path(), {{"d", "d"}}, diagnostics));
  CHECK(read(folder.path() / "b") == "old b");
  CHECK(read(folder.path() / ".muster-killed/1") == "new b");
  CHECK(said(diagnostics).find("W0808 cannot finish writing `a`, `b`, `c`") == 0);
}

TEST_CASE("a link in place of the list is not followed", "[output]") {
  const TempFolder folder;
  write(folder.path() / "other", "other");
  fs::create_symlink("other", folder.path() / pending_name);
  Diagnostics diagnostics;
  CHECK_FALSE(write_files(folder.path(), fresh, diagnostics));
  CHECK(read(folder.path() / "other") == "other");
}

}  // namespace output_test
