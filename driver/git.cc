#include "driver/git.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace muster::driver {
namespace {

// Its messages in one language; no network for what a partial clone lacks; no lock beside the user's own git; the
// objects themselves, not their replacements (`refs/replace`).
std::vector<std::string> environment() {
  static constexpr std::string_view ours[] = {"LC_ALL=C", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0",
                                              "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1"};
  std::vector<std::string> out(std::begin(ours), std::end(ours));
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::strcspn(*entry, "=") + 1);
    bool taken = false;
    for (const std::string_view own : ours) taken = taken || own.starts_with(name);
    if (!taken) out.emplace_back(*entry);
  }
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

// Not one of the three that a program is started with: where muster was started without one of them, what it prints
// would go to git, and git's errors would go where its answers belong.
Descriptor above_standard(int number) {
  if (number < 0) return {};
  const Descriptor given(number);
  return Descriptor(fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

// 0, or what the system said.
int spawn(std::vector<std::string> words, int input_and_output, int errors, pid_t& child) {
  words.insert(words.begin(), "git");
  auto variables = environment();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input_and_output, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, input_and_output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  const int error = posix_spawnp(&child, "git", &actions, nullptr, pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

std::string first_line(int file) {
  char text[400];
  const ssize_t size = pread(file, text, sizeof text, 0);
  if (size <= 0) return {};
  const std::string_view read(text, static_cast<std::size_t>(size));
  return std::string(read.substr(0, read.find_first_of("\r\n")));
}

}  // namespace

// A socket is both ends of git's talk, since a question to a git that has ended must be no signal to muster. Its errors
// are kept in memory: a pipe that is not read meanwhile could fill.
bool Git::start(const std::vector<std::string>& words, std::string& why) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return why = std::strerror(errno), false;
  Descriptor ours = above_standard(ends[0]);
  const Descriptor theirs = above_standard(ends[1]);
  errors_ = above_standard(memfd_create("git", MFD_CLOEXEC));
  if (!ours.is_open() || !theirs.is_open() || !errors_.is_open()) return why = std::strerror(errno), false;
  stream_.reset(fdopen(ours.number(), "rb"));
  if (stream_ == nullptr) return why = std::strerror(errno), false;
  ours.release();
  const int error = spawn(words, theirs.number(), errors_.number(), child_);
  if (error == 0) return true;
  child_ = -1;
  return why = "git could not be started: " + std::string(std::strerror(error)), false;
}

bool Git::ask(std::string_view question) {
  while (!question.empty()) {
    const ssize_t sent = send(fileno(stream_.get()), question.data(), question.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    if (sent > 0) question.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Git::nothing_more_to_ask() { return shutdown(fileno(stream_.get()), SHUT_WR) == 0; }

bool Git::end(std::string& why) {
  stream_.reset();
  if (child_ <= 0) return false;
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  return why = first_line(errors_.number()), false;
}

Git::~Git() {
  std::string ignored;
  end(ignored);
}

std::optional<std::string> ask_git(const std::vector<std::string>& words, std::string& why) {
  constexpr std::size_t most = std::size_t{64} << 20;
  Git git;
  if (!git.start(words, why)) return std::nullopt;
  git.nothing_more_to_ask();
  std::string out;
  char buffer[1 << 16];
  std::size_t n = 0;
  while (out.size() <= most && (n = std::fread(buffer, 1, sizeof buffer, git.answers())) > 0) out.append(buffer, n);
  const bool good = git.end(why);
  if (out.size() > most) why = "the output of git is larger than 64 MiB";
  return good && out.size() <= most ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace muster::driver
