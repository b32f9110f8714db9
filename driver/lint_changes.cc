#include "driver/lint_changes.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/base/diff.h"
#include "driver/lint_run.h"
#include "driver/read_file.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

// A path as it is to be read from the tree: there, or, outside the current folder, where it is now. "": nowhere.
std::string there(const std::string& path, const fs::path& folder) {
  std::error_code error;
  if (path.empty() || fs::path(path).is_absolute()) return path;
  const bool outside = *fs::path(path).lexically_normal().begin() == "..";
  if (outside) return fs::absolute(path, error).string();
  return fs::exists(folder / path, error) ? path : "";
}

LintSettings options_at(const LintSettings& options, const fs::path& folder) {
  LintSettings out = options;
  out.files.clear();
  for (const std::string& file : options.files)
    if (const std::string path = there(file, folder); file != "-" && !path.empty()) out.files.push_back(path);
  out.site_file = there(options.site_file, folder);
  out.policy_folder = there(options.policy_folder, folder);
  out.fix = out.unsafe_fixes = out.diff = false;
  out.allow_empty = true;
  out.policy_from.clear();  // what was found before may be suppressed: it is no part of the change
  return out;
}

// In a process of its own, since file names mean what they mean below its folder: keys, each with a line end.
void write_keys(const LintSettings& options, const fs::path& folder, std::FILE* out) {
  std::error_code error;
  fs::current_path(folder, error);
  LintRun run(options);
  if (error || options.files.empty() || !run.prepare()) return;
  run.lint({});
  for (const lint::Result& r : run.outcome().results)
    if (!r.finding.fault) std::fputs((r.key + "\n").c_str(), out);
}

std::vector<std::string> read_keys(std::FILE* in) {
  std::string text;
  char buffer[1 << 16];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, in)) > 0;) text.append(buffer, n);
  std::vector<std::string> out;
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != text.npos; at = end + 1)
    out.push_back(text.substr(at, end - at));
  std::sort(out.begin(), out.end());
  return out;
}

// Which lines of a file are other than in the tree.
class ChangedLines {
 public:
  ChangedLines(const Tree& tree, const Sources& sources) : tree_(tree), sources_(sources) {}

  bool has(Span span) {
    const std::string& name = sources_.name(span.file);
    const auto [known, fresh] = lines_.try_emplace(name);
    if (fresh) known->second = changed_lines(before(name), sources_.text(span.file));
    return std::binary_search(known->second.begin(), known->second.end(),
                              sources_.position(span.file, span.begin).line);
  }

 private:
  std::string before(const std::string& name) const {
    std::string why;
    if (name == "<stdin>" || fs::path(name).is_absolute()) return {};
    return read_file((tree_.folder() / name).string(), largest_file, why).value_or("");
  }

  const Tree& tree_;
  const Sources& sources_;
  std::map<std::string, std::vector<std::uint32_t>> lines_;
};

}  // namespace

std::optional<std::vector<std::string>> findings_at(const Tree& tree, const LintSettings& options,
                                                    Diagnostics& diagnostics) {
  int ends[2];
  std::fflush(nullptr);  // the child has a copy of what is not written yet
  const pid_t child = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
  if (child < 0) {
    diagnostics.add(Code::cannot_read, {}, std::string("the base tree cannot be checked: ") + std::strerror(errno));
    return std::nullopt;
  }
  if (child == 0) {
    std::FILE* out = fdopen(ends[1], "wb");
    write_keys(options_at(options, tree.folder()), tree.folder(), out);
    _exit(std::fflush(out) == 0 ? 0 : 1);
  }
  close(ends[1]);
  std::FILE* in = fdopen(ends[0], "rb");
  std::vector<std::string> out = read_keys(in);
  std::fclose(in);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return out;
  diagnostics.add(Code::cannot_read, {}, "the base tree cannot be checked");
  return std::nullopt;
}

std::size_t keep_changed(const Tree& tree, const std::vector<std::string>& before, const Sources& sources,
                         std::vector<lint::Result>& results) {
  ChangedLines lines(tree, sources);
  return std::erase_if(results, [&](const lint::Result& r) {
    return !r.finding.fault && std::binary_search(before.begin(), before.end(), r.key) &&
           !(r.finding.primary.known() && lines.has(r.finding.primary));
  });
}

}  // namespace muster::driver
