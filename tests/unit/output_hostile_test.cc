// What others do to a folder while a set is written into it, and what they leave there for the next run.
#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/held_signals.h"
#include "driver/output_folder.h"
#include "tests/catch.h"
#include "tests/unit/output_scene.h"

namespace output_hostile_test {

using namespace muster;
using namespace muster::driver;
using namespace muster::tests;

namespace {

constexpr uid_t other_user = 65534;
const std::string file_end("\0\n", 2);

// A set that is under way in a folder.
struct Writing {
  TempFolder folder;
  Diagnostics diagnostics;
  HeldSignals signals;
  OutputFolder out{folder.path(), signals, diagnostics};

  explicit Writing(std::size_t count = 2) { REQUIRE(out.open(count)); }

  fs::path staging() const {
    for (const std::string& name : names(folder.path()))
      if (name.starts_with(".muster-") && name != pending_name) return folder.path() / name;
    return {};
  }
  bool add(const std::string& name) {
    Descriptor file = out.create(name);
    return file.is_open() && ::write(file.number(), "new", 3) == 3 && file.close() == 0;
  }
};

bool refused(const fs::path& folder, const std::vector<OutputFile>& files, const std::string& why) {
  Diagnostics diagnostics;
  const bool written = write_files(folder, files, diagnostics);
  INFO(said(diagnostics));
  CHECK(said(diagnostics).find(why) != std::string::npos);
  return !written;
}

const Content text = [](const Write& write) { write("text"); };

// A list that is locked by another process until `end`.
class OtherWriter {
 public:
  explicit OtherWriter(const fs::path& folder)
      : list_(open((folder / pending_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    REQUIRE(list_ >= 0);
    REQUIRE(flock(list_, LOCK_EX) == 0);
  }
  ~OtherWriter() { end(); }
  void end() {
    if (list_ >= 0) close(list_);
    list_ = -1;
  }

 private:
  int list_;
};

void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(150)); }

}  // namespace

TEST_CASE("the name of the private folder is not known before it is there", "[output]") {
  std::set<std::string> seen;
  for (int i = 0; i < 8; ++i) {
    const Writing writing;
    CHECK(seen.insert(writing.staging().filename()).second);
  }
}

TEST_CASE("a file or a link that another puts into the private folder is not written into", "[output]") {
  for (const bool link : {false, true}) {
    Writing writing;
    const fs::path other = writing.folder.path() / "other", planted = writing.staging() / "0";
    tests::write(other, "other");
    if (link) fs::create_symlink(other, planted);
    else fs::create_hard_link(other, planted);
    CHECK_FALSE(writing.add("a"));
    CHECK(read(other) == "other");
  }
}

TEST_CASE("a link that takes the place of a written file is not put into the folder", "[output]") {
  Writing writing;
  REQUIRE(writing.add("a"));
  fs::remove(writing.staging() / "0");
  fs::create_symlink("/etc/hostname", writing.staging() / "0");
  CHECK_FALSE(writing.out.prepare());
}

TEST_CASE("the list is on disk before the first file is renamed, and nothing else is in it", "[output]") {
  const TempFolder folder;
  interrupt(folder.path());  // a longer list was there
  Diagnostics diagnostics;
  const HeldSignals signals;
  OutputFolder out(folder.path(), signals, diagnostics);
  REQUIRE(out.open(2));
  std::optional<PendingList> list = read_pending(read(folder.path() / pending_name));
  REQUIRE(list);
  CHECK_FALSE(list->complete);
  const fs::path staging = folder.path() / list->staging;
  struct stat status {};
  REQUIRE(stat(staging.c_str(), &status) == 0);
  CHECK(list->inode == status.st_ino);
  for (const char* name : {"x", "y"}) REQUIRE(out.create(name).is_open());
  REQUIRE(out.prepare());
  list = read_pending(read(folder.path() / pending_name));
  REQUIRE(list);
  CHECK(list->complete);
  CHECK(list->names == std::vector<std::string>{"x", "y"});
  CHECK_FALSE(fs::exists(folder.path() / "x"));
}

TEST_CASE("where a file cannot be renamed the list stays, and a later run finishes it", "[output]") {
  const TempFolder folder;
  {
    Diagnostics diagnostics;
    const HeldSignals signals;
    OutputFolder out(folder.path(), signals, diagnostics);
    REQUIRE(out.open(2));
    for (const char* name : {"a", "b"}) REQUIRE(out.create(name).is_open());
    REQUIRE(out.prepare());
    fs::create_directory(folder.path() / "b");
    CHECK_FALSE(out.commit());
  }
  CHECK(fs::exists(folder.path() / pending_name));
  CHECK(refused(folder.path(), {{"c", "c"}}, "to discard it, remove `.muster-pending`"));
  CHECK(fs::exists(folder.path() / pending_name));
  fs::remove(folder.path() / "b");
  Diagnostics diagnostics;
  REQUIRE(write_files(folder.path(), {{"c", "c"}}, diagnostics));
  CHECK(names(folder.path()) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("a link in the private folder of a killed run is not put into the folder", "[output]") {
  const TempFolder folder;
  interrupt(folder.path());
  fs::remove(folder.path() / ".muster-killed/1");
  fs::create_symlink("/etc/hostname", folder.path() / ".muster-killed/1");
  Diagnostics diagnostics;
  REQUIRE(write_files(folder.path(), {{"d", "d"}}, diagnostics));
  CHECK(read(folder.path() / "b") == "old b");
  CHECK(read(folder.path() / "c") == "new c");
}

TEST_CASE("a list does not lead out of the folder by a link", "[output]") {
  const TempFolder folder, elsewhere;
  interrupt(elsewhere.path());
  fs::rename(elsewhere.path() / pending_name, folder.path() / pending_name);
  fs::create_symlink(elsewhere.path() / ".muster-killed", folder.path() / ".muster-killed");
  Diagnostics diagnostics;
  REQUIRE(write_files(folder.path(), {{"d", "d"}}, diagnostics));
  CHECK(names(elsewhere.path() / ".muster-killed") == std::vector<std::string>{"1", "2"});
  CHECK_FALSE(fs::exists(folder.path() / "b"));
}

TEST_CASE("what another user left is neither finished nor removed", "[output]") {
  if (geteuid() != 0) return;  // root alone can make files of another user
  const auto given = [](const fs::path& path) { REQUIRE(lchown(path.c_str(), other_user, other_user) == 0); };
  const TempFolder list;
  interrupt(list.path()), given(list.path() / pending_name);
  CHECK(refused(list.path(), fresh, "it belongs to another user"));
  Diagnostics diagnostics;
  CHECK(write_files(list.path(), {{"d", "d"}}, diagnostics));
  CHECK(fs::exists(list.path() / pending_name));
  CHECK(read(list.path() / "b") == "old b");
  const TempFolder staging;
  interrupt(staging.path()), given(staging.path() / ".muster-killed");
  CHECK(write_files(staging.path(), {{"d", "d"}}, diagnostics));
  CHECK(read(staging.path() / "b") == "old b");
  CHECK(fs::exists(staging.path() / ".muster-killed/1"));
}

TEST_CASE("a list that is a pipe, too large or of another program is refused and stays", "[output]") {
  const TempFolder folder;
  const fs::path list = folder.path() / pending_name;
  REQUIRE(mkfifo(list.c_str(), 0600) == 0);
  alarm(20);  // in place of waiting for a writer
  CHECK(refused(folder.path(), fresh, "it is not a regular file"));
  alarm(0);
  fs::remove(list);
  for (const bool large : {false, true}) {
    tests::write(list, large ? "muster pending 1" + file_end : "hello");
    if (large) fs::resize_file(list, (std::uintmax_t{64} << 20) + (1 << 17));
    CHECK(refused(folder.path(), fresh, large ? "File too large" : "muster did not write its contents"));
    CHECK(fs::exists(list));
  }
}

TEST_CASE("a list is read to its last byte, or it is none of ours", "[output]") {
  const std::string title = "muster pending 1" + file_end, folder = "folder 7 .muster-abc" + file_end;
  const std::string good = title + folder + "file a" + file_end + "end 1" + file_end;
  REQUIRE(read_pending(good));
  CHECK(read_pending(good)->complete);
  for (const std::string& bad :
       {"muster pending 2" + file_end + folder, std::string("hello"), title + "folder 7 abc" + file_end,
        title + "folder 7 .muster-/../abc" + file_end, title + "folder x .muster-abc" + file_end,
        title + "folder 7" + file_end, title + folder + "file " + pending_name + file_end,
        title + folder + "file a" + file_end + "end 2" + file_end, good + "file b" + file_end,
        title + folder + "rm a" + file_end}) {
    INFO(bad);
    CHECK_FALSE(read_pending(bad));
  }
}

TEST_CASE("a folder that another process writes into is waited for", "[output]") {
  const TempFolder folder;
  OtherWriter other(folder.path());
  Diagnostics diagnostics;
  bool written = false;
  std::thread run([&] { written = write_files(folder.path(), fresh, diagnostics); });
  pause();
  const std::vector<std::string> meanwhile = names(folder.path());
  other.end();
  run.join();
  CHECK(meanwhile == std::vector<std::string>{pending_name});
  CHECK(written);
  CHECK(names(folder.path()) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("a signal ends a run that waits for another one", "[output]") {
  const TempFolder folder;
  const OtherWriter other(folder.path());
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGTERM, SIG_DFL);
    Diagnostics diagnostics;
    write_files(folder.path(), fresh, diagnostics);
    _exit(0);
  }
  pause();
  kill(child, SIGTERM);
  int status = 0, ended = 0;
  for (int i = 0; i < 40 && (ended = waitpid(child, &status, WNOHANG)) == 0; ++i) pause();
  if (ended == 0) kill(child, SIGKILL), waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("after a signal nothing more is written, and nothing is renamed", "[output]") {
  const TempFolder folder;
  const auto staged = [&] {
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
      if (entry.path().filename() == "0") return fs::file_size(entry.path());
    return std::uintmax_t{0};
  };
  CHECK(ended_by([&] {
          Diagnostics diagnostics;
          const Content content = [&](const Write& out) {
            out("half"), raise(SIGTERM), out("other half");
            if (staged() != 4) _exit(3);
          };
          write_file(folder.path(), "a", content, diagnostics);
        }) == SIGTERM);
  CHECK(ended_by([&] {
          Diagnostics diagnostics;
          const HeldSignals signals;
          OutputFolder out(folder.path(), signals, diagnostics);
          if (!out.open(1) || !out.create("a").is_open()) _exit(3);
          raise(SIGTERM);
          if (out.prepare()) _exit(4);
        }) == SIGTERM);
  CHECK(names(folder.path()).empty());
}

TEST_CASE("a socket or a device is not replaced by a file", "[output]") {
  const TempFolder folder;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (folder.path() / "a").string().copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
  const int bound = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(bind(bound, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(refused(folder.path(), fresh, "it is a socket"));
  CHECK(fs::is_socket(folder.path() / "a"));
  close(bound);
  fs::remove(folder.path() / "a");
  if (mknod((folder.path() / "a").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) return;  // root alone may
  CHECK(refused(folder.path(), fresh, "it is a device"));
  Diagnostics diagnostics;
  CHECK_FALSE(write_file(folder.path(), "a", text, diagnostics));
  CHECK(fs::is_character_file(folder.path() / "a"));
}

TEST_CASE("what the shell opened is added to, waited for, and is no named pipe", "[output]") {
  const TempFolder folder;
  Diagnostics diagnostics;
  const auto into = [&](int file, const Content& content) {
    return write_file("/dev/fd", std::to_string(file), content, diagnostics);
  };
  tests::write(folder.path() / "log", "before ");
  const int log = open((folder.path() / "log").c_str(), O_RDWR);
  CHECK(into(log, text));
  CHECK(read(folder.path() / "log") == "before text");
  close(log);

  int ends[2];
  REQUIRE(pipe(static_cast<int*>(ends)) == 0);
  std::size_t arrived = 0;
  std::thread reader([&] {
    pause();
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(ends[0], static_cast<char*>(buffer), sizeof buffer)) > 0;)
      arrived += static_cast<std::size_t>(n);
  });
  const std::string large(1 << 20, 'x');
  CHECK(into(ends[1], [&](const Write& write) { write(large); }));
  close(ends[1]);
  reader.join();
  close(ends[0]);
  CHECK(arrived == large.size());

  REQUIRE(mkfifo((folder.path() / "pipe").c_str(), 0600) == 0);
  for (const int how : {O_RDWR, O_PATH}) {  // with a reader, and without
    const int named = open((folder.path() / "pipe").c_str(), how);
    alarm(20);
    CHECK_FALSE(into(named, text));
    alarm(0);
    close(named);
  }
}

TEST_CASE("a file that is rewritten keeps its mode and its links", "[output]") {
  const TempFolder folder;
  const fs::path file = folder.path() / "file", link = folder.path() / "link", odd = folder.path() / "pipe";
  tests::write(file, "old");
  fs::create_symlink("file", link);
  REQUIRE(chmod(file.c_str(), 0751) == 0);
  Diagnostics diagnostics;
  REQUIRE(replace_files({{link, "new"}, {file, "new"}}, diagnostics));
  CHECK(fs::is_symlink(link));
  CHECK(read(file) == "new");
  CHECK(fs::status(file).permissions() == static_cast<fs::perms>(0751));
  REQUIRE(mkfifo(odd.c_str(), 0600) == 0);
  CHECK_FALSE(replace_files({{odd, "new"}}, diagnostics));
  CHECK(said(diagnostics).find("it is not a regular file") != std::string::npos);
  if (geteuid() == 0) return;  // it may write what is read-only
  REQUIRE(chmod(file.c_str(), 0444) == 0);
  CHECK_FALSE(replace_files({{file, "newer"}}, diagnostics));
  CHECK(read(file) == "new");
}

}  // namespace output_hostile_test
