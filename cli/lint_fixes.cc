#include "cli/lint_fixes.h"
#include "cli/standard_output.h"

#include <cerrno>
#include <cstring>

#include <sys/stat.h>

#include "compiler/base/diff.h"
#include "driver/output.h"

namespace muster::cli {
namespace {

void write_fixed(const std::string& path, std::string text, Diagnostics& diagnostics) {
  struct stat status {};
  std::string why;
  if (path == "-") why = "standard input cannot be written; `--diff` shows what would change";
  else if (lstat(path.c_str(), &status) != 0) why = std::strerror(errno);
  else if (S_ISLNK(status.st_mode)) why = "it is a symbolic link; name the file it points to";
  if (why.empty()) driver::replace_files({{path, std::move(text)}}, diagnostics);
  else diagnostics.add(Code::cannot_write, {}, "cannot write `" + path + "`: " + why);
}

}  // namespace

void write_fixes(const std::vector<driver::Changed>& changed, bool as_difference, driver::Session& session) {
  const Sources& sources = session.sources();
  std::string differences;
  for (const driver::Changed& change : changed)
    if (as_difference)
      differences += unified_diff(sources.name(change.after), sources.text(change.before), sources.text(change.after));
    else write_fixed(change.path, std::string(sources.text(change.after)), session.diagnostics());
  if (!differences.empty()) print_text(std::move(differences), session.diagnostics());
}

}  // namespace muster::cli
