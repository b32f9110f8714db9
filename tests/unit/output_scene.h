// Folders that files are written into, and what tests put there.
#pragma once

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/output.h"
#include "driver/pending_list.h"
#include "tests/catch.h"
#include "tests/temp_folder.h"

namespace muster::tests {

namespace fs = std::filesystem;

inline void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

inline std::string read(const fs::path& file) {
  std::stringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

inline std::vector<std::string> names(const fs::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

inline std::string said(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics.sorted()) {
    out += std::string(info(d.code).id) + " " + d.message;
    for (const std::string& note : d.notes) out += "; " + note;
    out += "\n";
  }
  return out;
}

inline const std::vector<driver::OutputFile> fresh = {{"a", "new a"}, {"b", "new b"}, {"c", "new c"}};

// A folder in which a run was killed after it had renamed `a`. Answers with the list's text.
inline std::string interrupt(const fs::path& folder, const std::vector<std::string>& listed = {"a", "b", "c"}) {
  const fs::path staging = folder / ".muster-killed";
  fs::create_directory(staging);
  write(folder / "a", "new a"), write(folder / "b", "old b");
  write(staging / "1", "new b"), write(staging / "2", "new c");
  struct stat status {};
  REQUIRE(stat(staging.c_str(), &status) == 0);
  const std::string list = driver::pending_head(".muster-killed", status.st_ino) + driver::pending_names(listed);
  write(folder / driver::pending_name, list);
  return list;
}

inline int ended_by(const std::function<void()>& run) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);  // Catch has handlers of its own
    run();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace muster::tests
