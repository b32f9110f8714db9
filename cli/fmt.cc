// muster fmt FILE…: the one style of the language.
#include <cerrno>
#include <cstring>
#include <map>

#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/render.h"
#include "cli/standard_output.h"
#include "compiler/base/diff.h"
#include "compiler/base/text.h"
#include "compiler/twin/twin.h"
#include "driver/output.h"
#include "driver/read_file.h"
#include "driver/session.h"

namespace muster::cli {
namespace {

struct FmtOptions {
  CommonOptions common;
  bool check = false;
  bool diff = false;
  std::optional<twin::Form> to;
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
    if (options_.to && files.size() != 1)
      session_.diagnostics().add(Code::cannot_read, {}, "`--to` takes exactly one file");
    else if (!filter && std::find(files.begin(), files.end(), "-") != files.end())
      session_.diagnostics().add(Code::cannot_read, {}, "`-` cannot be combined with files");
    else
      for (const std::string& file : files) format(file);
    // All or none: a file that cannot be formatted leaves the others as they are, too.
    if (session_.diagnostics().has_errors()) return finish(session_, options_.common);
    if (options_.check || options_.diff) return show();
    if (prints()) write_stdout(result_, session_.diagnostics());
    else write();
    return finish(session_, options_.common);
  }

 private:
  void format(const std::string& file) {
    std::string why;
    auto text = driver::read_file(file, twin::max_bytes, why);
    if (!text) {
      session_.diagnostics().add(Code::cannot_read, {}, "cannot read `" + file + "`: " + why);
      return;
    }
    Sources& sources = session_.sources();
    const twin::Form from = twin::form_of(file, *text), to = options_.to.value_or(from);
    const std::uint32_t number = sources.add(file == "-" ? "<stdin>" : file, std::move(*text));
    auto formatted = twin::convert(sources, number, from, to, session_.diagnostics());
    if (!formatted) return;
    if (formatted->comments > 0) say_comments(sources.name(number), formatted->comments);
    if (formatted->comments > 0 && !prints()) return;
    if (prints()) result_ = formatted->text;
    if (formatted->text != sources.text(number))
      changed_.push_back({sources.name(number), std::string(sources.text(number)), std::move(formatted->text)});
  }

  // Whether the result goes to standard output; otherwise each file is written anew.
  bool prints() const { return options_.to || options_.common.files[0] == "-"; }

  void say_comments(const std::string& name, std::size_t count) {
    const std::string comments = counted(static_cast<long long>(count), "comment");
    session_.diagnostics().add(Code::comments_left_out, {},
                               prints() ? "the output does not contain the " + comments + " of `" + name + "`"
                                        : "`" + name + "` was not changed, because its " + comments + " would be lost");
  }

  int show() {
    std::string out;
    for (const Rewritten& file : changed_)
      if (options_.diff) out += unified_diff(file.name, file.before, file.after);
      else out += printable(file.name, longest_name) + "\n";
    print_text(std::move(out), session_.diagnostics());
    return finish(session_, options_.common, options_.check && !changed_.empty() ? 1 : 0);
  }

  void write() {
    std::vector<driver::OutputFile> files;
    for (Rewritten& file : changed_) files.push_back({std::move(file.name), std::move(file.after)});
    driver::replace_files(files, session_.diagnostics());
  }

  const FmtOptions& options_;
  driver::Session session_;
  std::vector<Rewritten> changed_;
  std::string result_;  // for standard output
};

}  // namespace

int run_fmt(const CommandLine& line) {
  FmtOptions options;
  Arguments app("Formats muster files; keeps comments and meaning.", "muster fmt");
  app.add_option("FILE", options.common.files, "muster files; - formats standard input to standard output").required();
  app.add_flag("--check", options.check, "write nothing; list the files that would change and exit 1 if there are any");
  app.add_flag("--diff", options.diff, "write nothing; print the changes as a diff");
  const std::map<std::string, twin::Form> forms = {
      {"muster", twin::Form::muster}, {"yaml", twin::Form::yaml}, {"json", twin::Form::json}};
  std::string to;
  app.add_option("--to", to, "convert one FILE and print it as muster, yaml or json")
      .one_of({"muster", "yaml", "json"})
      .type_name("FORM");
  add_report_options(app, options.common);
  if (const auto exit = app.parse(line)) return *exit;
  if (!to.empty()) options.to = forms.at(to);
  return Fmt(options).run();
}

}  // namespace muster::cli
