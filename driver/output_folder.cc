#include "driver/output_folder.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/base/text.h"

namespace muster::driver {
namespace {

constexpr auto longest_wait = std::chrono::minutes(10);
constexpr auto between_tries = std::chrono::milliseconds(20);
constexpr std::size_t largest_list = std::size_t{64} << 20;
constexpr std::size_t most_listed = 5;  // names in a message

// What is at a name, without following a link; errno says why nothing is.
bool status_of(const Descriptor& folder, const std::string& name, struct stat& status) {
  return fstatat(folder.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

// Why a file cannot take the place of what is at its name; nullptr: it can. A link is replaced, not followed.
const char* why_in_the_way(const struct stat& status) {
  switch (status.st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFLNK: return nullptr;
    case S_IFDIR: return "it is a folder";
    case S_IFIFO: return "it is a named pipe";
    case S_IFSOCK: return "it is a socket";
    default: return "it is a device";
  }
}

// 0 or the error.
int read_list(int file, std::string& out) {
  char buffer[1 << 16];
  ssize_t n = 0;
  while (out.size() <= largest_list && (n = ::pread(file, buffer, sizeof buffer, static_cast<off_t>(out.size()))) > 0)
    out.append(buffer, static_cast<std::size_t>(n));
  return n < 0 ? errno : n > 0 ? EFBIG : 0;
}

// 0 or the error.
int write_whole(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

// Only the folder with this inode, and only if it is this user's: a list is input that another user may have written.
Descriptor open_staging(const Descriptor& folder, const PendingList& list) {
  if (list.staging.empty()) return Descriptor();
  Descriptor out(openat(folder.number(), list.staging.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  const bool ours =
      out.is_open() && fstat(out.number(), &status) == 0 && status.st_ino == list.inode && status.st_uid == geteuid();
  return ours ? std::move(out) : Descriptor();
}

// Removes the files 0, 1, 2, … of a private folder, and it; a folder that holds anything else stays.
void remove_staging(const Descriptor& folder, const Descriptor& staging, const std::string& name) {
  for (std::size_t i = 0; unlinkat(staging.number(), std::to_string(i).c_str(), 0) == 0; ++i) {
  }
  unlinkat(folder.number(), name.c_str(), AT_REMOVEDIR);
}

std::string first_names(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < most_listed; ++i)
    out += (i > 0 ? ", `" : "`") + printable(names[i], 100) + "`";
  return names.size() > most_listed ? out + " and " + std::to_string(names.size() - most_listed) + " more" : out;
}

}  // namespace

OutputFolder::~OutputFolder() {
  if (keep_list_) return;
  if (staging_.is_open()) {
    for (std::size_t i = 0; i < names_.size(); ++i) unlinkat(staging_.number(), std::to_string(i).c_str(), 0);
    unlinkat(folder_.number(), staging_name_.c_str(), AT_REMOVEDIR);
  }
  if (list_.is_open()) remove_list();
}

bool OutputFolder::failed(const std::string& name, const std::string& why) {
  diagnostics_.add(Code::cannot_write, {},
                   "cannot write `" + printable(path_ + (name.empty() ? "" : "/" + name), 400) + "`: " + why);
  return false;
}

bool OutputFolder::failed(const std::string& name, int error) { return failed(name, std::strerror(error)); }

bool OutputFolder::open(std::size_t count) {
  folder_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.is_open()) return failed("", errno);
  if (count > 1 ? !lock_list() : !lock_list_if_there()) return false;
  if (list_.is_open() && !finish_list()) return false;
  if (count > 1) return make_staging();
  if (list_.is_open()) remove_list();
  return make_staging();
}

// Opens and locks the list. False: reported; `locked` is false where another process has it, or it is gone again.
bool OutputFolder::try_lock(bool& locked) {
  locked = false;
  constexpr int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  Descriptor list(openat(folder_.number(), pending_name, flags, 0600));
  struct stat opened {
  }, there{};
  if (!list.is_open() || fstat(list.number(), &opened) != 0) return failed(pending_name, errno);
  if (!S_ISREG(opened.st_mode)) return failed(pending_name, "it is not a regular file");
  if (opened.st_uid != geteuid()) return failed(pending_name, "it belongs to another user");
  if (flock(list.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return true;
  locked = status_of(folder_, pending_name, there) && there.st_ino == opened.st_ino;
  if (locked) list_ = std::move(list);
  return true;
}

bool OutputFolder::lock_list() {
  const auto last = std::chrono::steady_clock::now() + longest_wait;
  for (bool locked = false; !signals_.arrived(); std::this_thread::sleep_for(between_tries)) {
    if (!try_lock(locked)) return false;
    if (locked) return true;
    if (std::chrono::steady_clock::now() > last)
      return failed("", "another process has been writing into the folder for 10 minutes");
  }
  return failed("", EINTR);
}

// One file needs no list: renaming it is one step. It only finishes what a killed run has left.
bool OutputFolder::lock_list_if_there() {
  struct stat status {};
  const bool ours = status_of(folder_, pending_name, status) && S_ISREG(status.st_mode) && status.st_uid == geteuid();
  bool locked = false;
  return !ours || try_lock(locked);
}

// Finishes what the list of a killed run says. False: reported, and the list is as it was.
bool OutputFolder::finish_list() {
  std::string text;
  if (const int error = read_list(list_.number(), text); error != 0)
    return keep_list_ = true, failed(pending_name, error);
  const auto list = read_pending(text);
  keep_list_ = !list;
  if (!list) return failed(pending_name, "muster did not write its contents; remove it");
  const Descriptor staging = open_staging(folder_, *list);
  if (staging.is_open() && list->complete && !finish_files(*list, staging)) return false;
  if (!staging.is_open() && list->complete && !list->names.empty()) {
    struct stat status {};
    if (status_of(folder_, list->staging, status))
      diagnostics_.add(Code::interrupted_write, {},
                       "cannot finish writing " + first_names(list->names) + " in `" + printable(path_, 400) + "`: `" +
                           printable(list->staging, 100) + "` was changed after the interrupted run");
  }
  if (staging.is_open()) remove_staging(folder_, staging, list->staging);
  return ftruncate(list_.number(), 0) == 0 || failed(pending_name, errno);
}

bool OutputFolder::finish_files(const PendingList& list, const Descriptor& staging) {
  std::vector<std::string> finished;
  for (std::size_t i = 0; i < list.names.size(); ++i) {
    struct stat status {};
    const std::string from = std::to_string(i);
    if (!status_of(staging, from, status) || !S_ISREG(status.st_mode)) continue;  // it was renamed in time
    keep_list_ = renameat(staging.number(), from.c_str(), folder_.number(), list.names[i].c_str()) != 0;
    if (keep_list_) {
      failed(list.names[i], errno);
      diagnostics_.since(diagnostics_.size() - 1)[0].notes.push_back(
          std::string("an interrupted run did not finish it; to discard it, remove `") + pending_name + "`");
      return false;
    }
    finished.push_back(list.names[i]);
  }
  fsync(folder_.number());
  if (!finished.empty())
    diagnostics_
        .add(Code::interrupted_write, {},
             "finished an interrupted write into `" + printable(path_, 400) +
                 "`: " + counted(static_cast<long long>(finished.size()), "file"))
        .notes.push_back(first_names(finished));
  return true;
}

bool OutputFolder::make_staging() {
  std::string path = path_ + "/.muster-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return failed("", errno);
  staging_name_ = path.substr(path_.size() + 1);
  staging_ =
      Descriptor(openat(folder_.number(), staging_name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!staging_.is_open() || fstat(staging_.number(), &status) != 0) return failed(staging_name_, errno);
  if (!list_.is_open()) return true;
  const int error = write_whole(list_.number(), pending_head(staging_name_, status.st_ino));
  return error == 0 || failed(pending_name, error);
}

Descriptor OutputFolder::create(const std::string& name) {
  struct stat status {};
  const bool there = status_of(folder_, name, status);
  if (!there && errno != ENOENT) return failed(name, errno), Descriptor();
  if (const char* why = there ? why_in_the_way(status) : nullptr; why != nullptr)
    return failed(name, why), Descriptor();
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Descriptor out(openat(staging_.number(), std::to_string(names_.size()).c_str(), flags, 0666));
  if (!out.is_open()) failed(name, errno);
  else names_.push_back(name);
  return out;
}

// All at the end: the first waits for what is to be written of all of them, and the others find little to do.
bool OutputFolder::sync_files() {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (signals_.arrived()) return failed(names_[i], EINTR);
    const Descriptor file(openat(staging_.number(), std::to_string(i).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file.is_open() || (fsync(file.number()) != 0 && errno != EINVAL)) return failed(names_[i], errno);
  }
  return true;
}

bool OutputFolder::prepare() {
  if (!sync_files()) return false;
  if (!list_.is_open()) return true;
  int error = write_whole(list_.number(), pending_names(names_));
  for (const Descriptor* one : {&staging_, &list_, &folder_})
    if (error == 0 && fsync(one->number()) != 0 && errno != EINVAL) error = errno;
  return error == 0 || failed(pending_name, error);
}

bool OutputFolder::commit() {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (renameat(staging_.number(), std::to_string(i).c_str(), folder_.number(), names_[i].c_str()) == 0) continue;
    keep_list_ = i > 0 && list_.is_open();
    return failed(names_[i], errno);
  }
  fsync(folder_.number());
  names_.clear();
  return true;
}

// While it is locked: whoever waits for it sees that it is gone, and makes another one.
void OutputFolder::remove_list() {
  unlinkat(folder_.number(), pending_name, 0);
  list_ = Descriptor();
}

}  // namespace muster::driver
