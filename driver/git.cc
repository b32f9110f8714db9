#include "driver/git.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace muster::driver {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

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

// A file without a name that holds a text, read from its beginning; nullptr: it could not be made.
File holding(const std::string& text) {
  File out(std::tmpfile());
  if (!out || std::fwrite(text.data(), 1, text.size(), out.get()) != text.size()) return nullptr;
  if (std::fflush(out.get()) != 0 || std::fseek(out.get(), 0, SEEK_SET) != 0) return nullptr;
  return out;
}

// 0, or what the system said.
int start(std::vector<std::string> words, int input, int output, int errors, pid_t& child) {
  words.insert(words.begin(), "git");
  auto variables = environment();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  const int error = posix_spawnp(&child, "git", &actions, nullptr, pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

std::string first_line(std::FILE* file) {
  char line[400] = "";
  std::rewind(file);
  if (std::fgets(line, sizeof line, file) == nullptr) return {};
  line[std::strcspn(line, "\r\n")] = '\0';
  return line;
}

}  // namespace

bool run_git(const std::vector<std::string>& words, const std::string& input,
             const std::function<bool(std::FILE*)>& read, std::string& why) {
  const File given = holding(input), errors = holding("");
  int ends[2];
  if (!given || !errors || pipe2(ends, O_CLOEXEC) != 0) return why = std::strerror(errno), false;
  const File output(fdopen(ends[0], "rb"));
  pid_t child = 0;
  const int error = start(words, fileno(given.get()), ends[1], fileno(errors.get()), child);
  close(ends[1]);
  if (error != 0) return why = "git could not be started: " + std::string(std::strerror(error)), false;
  const bool good = read(output.get());
  char rest[4096];  // a child that still writes would wait forever
  while (std::fread(rest, 1, sizeof rest, output.get()) > 0) {
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return good;
  return why = first_line(errors.get()), false;
}

std::optional<std::string> ask_git(const std::vector<std::string>& words, std::string& why) {
  constexpr std::size_t most = std::size_t{64} << 20;
  std::string out;
  const auto read = [&](std::FILE* file) {
    char buffer[1 << 16];
    std::size_t n = 0;
    while (out.size() <= most && (n = std::fread(buffer, 1, sizeof buffer, file)) > 0) out.append(buffer, n);
    if (out.size() > most) why = "the output of git is larger than 64 MiB";
    return out.size() <= most;
  };
  if (!run_git(words, {}, read, why)) return std::nullopt;
  return out;
}

}  // namespace muster::driver
