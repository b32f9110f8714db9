// muster fmt FILE…: the one style of the language.
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/session.h"
#include "compiler/base/diff.h"
#include "compiler/sema/reformat.h"
#include "compiler/syntax/parse.h"

namespace muster::cli {
namespace {

struct FmtOptions {
  CommonOptions common;
  bool check = false;
  bool diff = false;
};

// One file that differs from its formatted text.
struct Rewritten {
  std::string name;
  std::string before;
  std::string after;
};

class Fmt {
 public:
  explicit Fmt(const FmtOptions& options) : options_(options), session_(options.common) {}

  int run() {
    const auto& files = options_.common.files;
    const bool filter = files.size() == 1 && files[0] == "-";
    if (!filter && std::find(files.begin(), files.end(), "-") != files.end())
      session_.diagnostics().add(Code::cannot_read, {}, "`-` is formatted on its own, not beside files");
    else
      for (const std::string& file : files) format(file);
    // All or none: a file that cannot be formatted leaves the others as they are, too.
    if (session_.diagnostics().has_errors()) return session_.finish();
    if (options_.check || options_.diff) return show();
    if (filter) write_stdout(result_, session_.diagnostics());
    else write();
    return session_.finish();
  }

 private:
  void format(const std::string& file) {
    std::string why;
    auto text = read_file(file, syntax::max_file_bytes, why);
    if (!text) {
      session_.diagnostics().add(Code::cannot_read, {}, "cannot read `" + file + "`: " + why);
      return;
    }
    Sources& sources = session_.sources();
    const std::uint32_t number = sources.add(file == "-" ? "<stdin>" : file, std::move(*text));
    auto formatted = sema::reformat(sources, number, session_.diagnostics());
    if (!formatted) return;
    if (file == "-") result_ = *formatted;
    if (*formatted != sources.text(number))
      changed_.push_back({sources.name(number), std::string(sources.text(number)), std::move(*formatted)});
  }

  int show() {
    std::string out;
    for (const Rewritten& file : changed_)
      out += options_.diff ? unified_diff(file.name, file.before, file.after) : file.name + "\n";
    write_stdout(out, session_.diagnostics());
    return session_.finish(options_.check && !changed_.empty() ? 1 : 0);
  }

  void write() {
    std::vector<OutputFile> files;
    for (Rewritten& file : changed_) files.push_back({std::move(file.name), std::move(file.after)});
    replace_files(files, session_.diagnostics());
  }

  const FmtOptions& options_;
  Session session_;
  std::vector<Rewritten> changed_;
  std::string result_;  // of standard input
};

}  // namespace

int run_fmt(int argc, char** argv) {
  FmtOptions options;
  CLI::App app("Rewrites muster files in the one style; comments are kept, meanings too.", "muster fmt");
  app.add_option("FILE", options.common.files, "muster files; - filters standard input")->required();
  app.add_flag("--check", options.check, "write nothing; list the files that differ, exit 1 if there are any");
  app.add_flag("--diff", options.diff, "write nothing; show what would change");
  add_report_options(app, options.common);
  if (const auto exit = parse_arguments(app, argc, argv)) return *exit;
  return Fmt(options).run();
}

}  // namespace muster::cli
