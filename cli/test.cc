// muster test FILE…: the `test` blocks of the files.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include <unistd.h>

#include "cli/answers.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/output.h"
#include "cli/render.h"
#include "compiler/base/render.h"
#include "compiler/base/text.h"
#include "compiler/sema/expand/judge.h"

namespace muster::cli {
namespace {

struct TestOptions {
  CommonOptions common;
  std::string format = "text";
};

// One test that ran.
struct Outcome {
  std::string file;
  std::string name;
  Span span;
  std::vector<Diagnostic> failures;
};

// Each reads the whole of the files anew.
constexpr std::size_t most_checks = 1'000;

class Tester {
 public:
  explicit Tester(const TestOptions& options) : options_(options), session_(options.common) {}

  int run() {
    if (!session_.parse()) return session_.finish();
    for (const ast::File& file : session_.files())
      if (session_.is_input(file))
        for (const ast::Block& block : file.blocks)
          if (block.kind.text == "test") tests_.emplace_back(&file, &block);
    if (tests_.empty()) session_.diagnostics().add(Code::nothing_to_do, {}, "the files declare no test");
    for (const auto& [file, test] : tests_) {
      if (session_.diagnostics().has_errors()) return session_.finish();
      run(*file, *test);
    }
    if (session_.diagnostics().has_errors()) return session_.finish();
    write_stdout(report(), session_.diagnostics());
    const bool failed =
        std::any_of(outcomes_.begin(), outcomes_.end(), [](const Outcome& o) { return !o.failures.empty(); });
    return session_.finish(failed ? 1 : 0);
  }

 private:
  Diagnostics& diagnostics() { return session_.diagnostics(); }

  void run(const ast::File& file, const ast::Block& test) {
    const auto set = sema::settings_of(test, diagnostics());
    if (diagnostics().has_errors() || !checked(test, set)) return;
    bool site_named = false;
    const model::Site* site = site_of(test, site_named);
    const auto setting = make_setting(session_, "default", site);
    if (!setting) return;
    Diagnostics reports;
    const auto answers = answer(test, *setting, site_named, reports);
    if (diagnostics().has_errors()) return;
    Outcome outcome{session_.sources().name(file.file), test.label ? test.label->text : "", test.span, {}};
    for (const sema::Failure& failure : sema::judge(file, test, set, answers, diagnostics())) {
      Diagnostic d;
      d.code = Code::assertion_failed;
      d.message = printable(failure.assertion->message.text);
      d.primary = failure.assertion->condition.span;
      d.primary_label = "this does not hold";
      if (!failure.sides.empty()) d.notes.push_back(failure.sides);
      outcome.failures.push_back(std::move(d));
    }
    // Why there is no plan is worth reading only where a test did not expect it.
    if (!outcome.failures.empty())
      for (Diagnostic& d : reports.sorted()) outcome.failures.push_back(std::move(d));
    outcomes_.push_back(std::move(outcome));
  }

  // Files are checked anew only where a test sets other values than the one before it.
  bool checked(const ast::Block& test, const std::vector<sema::Given>& set) {
    if (set.empty() && unset_) return true;
    unset_ = set.empty();
    if (++checks_ > most_checks) {
      diagnostics().add(Code::budget, test.kind.span, "more than 1,000 tests set values of their own");
      return false;
    }
    return session_.check_with(set);
  }

  const model::Site* site_of(const ast::Block& test, bool& named) {
    const ast::Setting* wanted = nullptr;
    for (const ast::Item& item : test.items)
      if (const auto* s = std::get_if<ast::Setting>(&item.value); s != nullptr && s->key.text == "site") wanted = s;
    if (wanted == nullptr) return session_.site();
    named = true;
    const std::string& path = wanted->value.text;
    const std::string name = path.substr(path.find('.') + 1);  // `lab.hpc` of an import
    std::vector<std::string_view> names;
    for (const model::Site& site : session_.module().sites) {
      if (site.name == name) return &site;
      names.push_back(site.name);
    }
    Diagnostic& d = diagnostics().add(Code::unknown_name, wanted->value.span, "there is no site `" + name + "`");
    const std::string near = closest(name, names);
    if (!near.empty()) d.notes.push_back("did you mean `" + near + "`?");
    return nullptr;
  }

  // What the assertions ask for, workload by workload.
  std::map<std::string, ast::Expr> answer(const ast::Block& test, const Setting& setting, bool site_named,
                                          Diagnostics& reports) {
    std::map<std::string, ast::Expr> out;
    std::map<std::string, Answers> known;
    for (const sema::Question& question : sema::questions_of(test)) {
      const std::size_t dot = question.path.rfind('.');
      const std::string name = question.path.substr(0, dot);
      const model::Workload* workload = workload_named(name, question);
      if (workload == nullptr) continue;
      auto& answers = known.try_emplace(name, *workload, session_, setting, site_named).first->second;
      if (auto value = answers.get(question.path.substr(dot + 1))) out.emplace(question.path, std::move(*value));
      else unknown_attribute(question, dot);
    }
    for (auto& [name, answers] : known)
      for (Diagnostic& d : answers.reports().sorted()) reports.add(std::move(d));
    return out;
  }

  const model::Workload* workload_named(const std::string& name, const sema::Question& question) {
    std::vector<std::string_view> names;
    for (const model::Workload& w : session_.module().workloads) {
      if (w.name == name) return &w;
      names.push_back(w.name);
    }
    Diagnostic& d = diagnostics().add(Code::unknown_name, question.span, "there is no workload `" + name + "`");
    const std::string near = closest(name, names);
    if (!near.empty()) d.notes.push_back("did you mean `" + near + "`?");
    return nullptr;
  }

  void unknown_attribute(const sema::Question& question, std::size_t dot) {
    const std::string attribute = question.path.substr(dot + 1);
    Diagnostic& d =
        diagnostics().add(Code::unknown_fact, question.span, "a workload has no `" + attribute + "` to ask for");
    const std::string near = closest(attribute, attributes());
    if (!near.empty()) d.notes.push_back("did you mean `" + near + "`?");
    d.notes.push_back("a test asks for " + quoted_list(attributes()));
  }

  std::string report() const {
    if (options_.format == "json") return json();
    return options_.format == "junit" ? junit() : text();
  }

  std::string text() const {
    std::string out;
    std::size_t failed = 0;
    for (const Outcome& o : outcomes_) {
      out += (o.failures.empty() ? "ok    " : "FAIL  ") + printable(o.name) + "\n";
      failed += o.failures.empty() ? 0 : 1;
      for (const Diagnostic& d : o.failures) out += render_human(d, sources(), colour_wanted(stdout));
    }
    return out + counted(static_cast<long long>(outcomes_.size()), "test") + ", " + std::to_string(failed) +
           " failed\n";
  }

  std::string json() const {
    Json out = Json::array();
    for (const Outcome& o : outcomes_) {
      Json failures = Json::array();
      for (const Diagnostic& d : o.failures)
        failures.push_back({{"code", info(d.code).id},
                            {"message", d.message},
                            {"at", sources().place(d.primary)},
                            {"notes", d.notes}});
      out.push_back({{"file", o.file}, {"test", o.name}, {"passed", o.failures.empty()}, {"failures", failures}});
    }
    return print(out);
  }

  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '&') out += "&amp;";
      else if (c == '<') out += "&lt;";
      else if (c == '"') out += "&quot;";
      else if (static_cast<unsigned char>(c) < 0x20) out += ' ';
      else out += c;
    }
    return out;
  }

  std::string junit() const {
    const auto failed =
        std::count_if(outcomes_.begin(), outcomes_.end(), [](const Outcome& o) { return !o.failures.empty(); });
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"muster\" tests=\"" +
                      std::to_string(outcomes_.size()) + "\" failures=\"" + std::to_string(failed) + "\">\n";
    for (const Outcome& o : outcomes_) {
      out += "  <testcase classname=\"" + escaped(o.file) + "\" name=\"" + escaped(o.name) + "\"";
      if (o.failures.empty()) {
        out += "/>\n";
        continue;
      }
      out += ">\n";
      for (const Diagnostic& d : o.failures)
        out += "    <failure message=\"" + escaped(d.message) + "\">" +
               escaped(sources().place(d.primary) + (d.notes.empty() ? "" : ": " + d.notes[0])) + "</failure>\n";
      out += "  </testcase>\n";
    }
    return out + "</testsuite>\n";
  }

  const Sources& sources() const { return session_.sources(); }

  const TestOptions& options_;
  Session session_;
  std::vector<std::pair<const ast::File*, const ast::Block*>> tests_;
  std::vector<Outcome> outcomes_;
  std::size_t checks_ = 0;
  bool unset_ = false;  // what is checked has every parameter at its default
};

}  // namespace

int run_test(int argc, char** argv) {
  TestOptions options;
  CLI::App app("Runs the `test` blocks of muster files; exit 1 where one fails.", "muster test");
  app.add_option("FILE", options.common.files, "muster files")->required();
  app.add_option("--root", options.common.root, "folder that ids and imports start from")->type_name("DIR");
  app.add_option("--format", options.format, "text, json or junit")
      ->check(CLI::IsMember({"text", "json", "junit"}))
      ->type_name("FORMAT");
  add_report_options(app, options.common);
  if (const auto exit = parse_arguments(app, argc, argv)) return *exit;
  return Tester(options).run();
}

}  // namespace muster::cli
