// muster test FILE…: the `test` blocks of the files.
#include <algorithm>
#include <map>

#include <unistd.h>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/emit.h"
#include "cli/render.h"
#include "cli/standard_output.h"
#include "compiler/base/ci_commands.h"
#include "compiler/base/render.h"
#include "compiler/base/text.h"
#include "compiler/model/module.h"
#include "compiler/sema/expand/judge.h"
#include "compiler/syntax/ast.h"
#include "driver/answers.h"

namespace muster::cli {
namespace {

struct TestOptions {
  CommonOptions common;
};

// One test that ran.
struct Outcome {
  std::string file;
  std::string name;
  Span span;
  std::vector<Diagnostic> failures;
  Json policy;  // what decided
};

// Each reads all of the files anew.
constexpr std::size_t most_checks = 1'000;

class Tester {
 public:
  explicit Tester(const TestOptions& options) : options_(options), session_(options.common) {}

  int run() {
    if (!session_.parse()) return finish(session_, options_.common);
    for (const ast::File& file : session_.files())
      if (session_.is_input(file))
        for (const ast::Block& block : file.blocks)
          if (block.kind.text == "test") tests_.emplace_back(&file, &block);
    if (tests_.empty()) session_.diagnostics().add(Code::nothing_to_do, {}, "the files declare no test");
    for (const auto& [file, test] : tests_) {
      if (session_.diagnostics().has_errors()) return finish(session_, options_.common);
      run(*file, *test);
    }
    if (session_.diagnostics().has_errors()) return finish(session_, options_.common);
    print_text(report(), session_.diagnostics(), colour_wanted(stdout));
    const bool failed =
        std::any_of(outcomes_.begin(), outcomes_.end(), [](const Outcome& o) { return !o.failures.empty(); });
    return finish(session_, options_.common, failed ? 1 : 0, "");
  }

 private:
  Diagnostics& diagnostics() { return session_.diagnostics(); }

  void run(const ast::File& file, const ast::Block& test) {
    const auto set = sema::settings_of(test, diagnostics());
    const ast::Setting* wanted = site_wanted(test);
    const bool site_named = wanted != nullptr;
    if (diagnostics().has_errors() || !checked(test, set, site_named ? name_of(*wanted) : "")) return;
    const model::Site* site = site_named ? site_of(*wanted) : session_.site();
    const auto setting = driver::make_setting(session_, "", site);
    if (!setting) return;
    Diagnostics reports;
    const auto answers = answer(test, *setting, site_named, reports);
    if (diagnostics().has_errors()) return;
    Outcome outcome{session_.sources().name(file.file),
                    test.label ? test.label->text : "",
                    test.span,
                    {},
                    policy_json(setting->policy)};
    for (const sema::Failure& failure : sema::judge(file, test, set, answers, diagnostics())) {
      Diagnostic d;
      d.code = Code::assertion_failed;
      d.message = printable(failure.message);
      d.primary = failure.assertion->condition.span;
      d.primary_label = "this is false";
      if (!failure.sides.empty()) d.notes.push_back(failure.sides);
      outcome.failures.push_back(std::move(d));
    }
    // Why there is no plan is worth reading only where a test did not expect it.
    if (!outcome.failures.empty())
      for (Diagnostic& d : reports.sorted()) outcome.failures.push_back(std::move(d));
    outcomes_.push_back(std::move(outcome));
  }

  // Files are checked anew only where a test sets other values, or names another site, than the one before it.
  bool checked(const ast::Block& test, const std::vector<sema::Given>& set, const std::string& site) {
    if (set.empty() && checked_for_ == site) return true;
    checked_for_ = set.empty() ? std::optional(site) : std::nullopt;
    if (++checks_ > most_checks) {
      diagnostics().add(Code::budget, test.kind.span, "more than 1,000 tests set values or name sites of their own");
      return false;
    }
    return session_.check_with(set, site);
  }

  static const ast::Setting* site_wanted(const ast::Block& test) {
    for (const ast::Item& item : test.items)
      if (const auto* s = std::get_if<ast::Setting>(&item.value); s != nullptr && s->key.text == "site") return s;
    return nullptr;
  }

  static std::string name_of(const ast::Setting& wanted) {
    const std::string& path = wanted.value.text;
    return path.substr(path.find('.') + 1);  // `lab.hpc` of an import
  }

  const model::Site* site_of(const ast::Setting& wanted) {
    const std::string name = name_of(wanted);
    std::vector<std::string_view> names;
    for (const model::Site& site : session_.module().sites) {
      if (site.name == name) return &site;
      names.push_back(site.name);
    }
    Diagnostic& d = diagnostics().add(Code::unknown_name, wanted.value.span, "unknown site `" + name + "`");
    const std::string near = closest(name, names);
    if (!near.empty()) d.notes.push_back("did you mean `" + near + "`?");
    return nullptr;
  }

  // What the assertions ask for, workload by workload.
  std::map<std::string, ast::Expr> answer(const ast::Block& test, const driver::Setting& setting, bool site_named,
                                          Diagnostics& reports) {
    std::map<std::string, ast::Expr> out;
    std::map<std::string, driver::Answers> known;
    for (const sema::Question& question : sema::questions_of(test)) {
      const auto subject = subject_of(question);
      if (!subject) continue;
      const model::Workload& workload = *subject->workload;
      auto& answers = known.try_emplace(workload.name, workload, session_, setting, site_named).first->second;
      if (auto value = answers.get(subject->attribute, *subject->role)) out.emplace(question.path, std::move(*value));
      else unknown_attribute(question, subject->attribute);
    }
    for (auto& [name, answers] : known)
      for (Diagnostic& d : answers.reports().sorted()) reports.add(std::move(d));
    return out;
  }

  // What a question is about: `titan.nodes`, or `titan.trainer.nodes` of a role.
  struct Subject {
    const model::Workload* workload;
    const model::Role* role;  // the only one where none is named
    std::string attribute;
  };

  std::optional<Subject> subject_of(const sema::Question& question) {
    const std::size_t dot = question.path.rfind('.');
    const std::string name = question.path.substr(0, dot), attribute = question.path.substr(dot + 1);
    if (const model::Workload* workload = workload_named(name)) {
      if (workload->roles.size() == 1 || !driver::is_of_role(attribute))
        return Subject{workload, &workload->main(), attribute};
      Diagnostic& d = diagnostics().add(Code::ambiguous_choice, question.span,
                                        "workload `" + name + "` has several roles, each with its `" + attribute + "`");
      d.notes.push_back("write `" + name + "." + workload->roles.front().name + "." + attribute + "`");
      return std::nullopt;
    }
    const std::size_t before = name.rfind('.');
    const model::Workload* workload = before == name.npos ? nullptr : workload_named(name.substr(0, before));
    if (workload == nullptr) return unknown(question, "workload `" + name + "`", name, session_.module().workloads);
    const std::string role = name.substr(before + 1);
    for (const model::Role& r : workload->roles)
      if (r.name == role) return Subject{workload, &r, attribute};
    return unknown(question, "role `" + role + "` in workload `" + workload->name + "`", role, workload->roles);
  }

  const model::Workload* workload_named(const std::string& name) {
    for (const model::Workload& w : session_.module().workloads)
      if (w.name == name) return &w;
    return nullptr;
  }

  template <class Named>
  std::nullopt_t unknown(const sema::Question& question, const std::string& what, const std::string& name,
                         const std::vector<Named>& all) {
    std::vector<std::string_view> names;
    for (const Named& one : all) names.push_back(one.name);
    Diagnostic& d = diagnostics().add(Code::unknown_name, question.span, "there is no " + what);
    const std::string near = closest(name, names);
    if (!near.empty()) d.notes.push_back("did you mean `" + near + "`?");
    return std::nullopt;
  }

  void unknown_attribute(const sema::Question& question, const std::string& attribute) {
    Diagnostic& d =
        diagnostics().add(Code::unknown_fact, question.span, "tests cannot use `" + attribute + "` of a workload");
    const std::string near = closest(attribute, driver::attributes());
    if (!near.empty()) d.notes.push_back("did you mean `" + near + "`?");
    d.notes.push_back("a test can use " + quoted_list(driver::attributes()));
  }

  std::string report() const {
    if (options_.common.format == "json") return json();
    return options_.common.format == "junit" ? junit() : text();
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
      out.back().update(o.policy);
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
    return without_ci_commands(out + "</testsuite>\n", TextForm::xml);
  }

  const Sources& sources() const { return session_.sources(); }

  const TestOptions& options_;
  driver::Session session_;
  std::vector<std::pair<const ast::File*, const ast::Block*>> tests_;
  std::vector<Outcome> outcomes_;
  std::size_t checks_ = 0;
  std::optional<std::string> checked_for_;  // the site; every parameter is at its default. nullopt: other values
};

}  // namespace

int run_test(const CommandLine& line) {
  TestOptions options;
  Arguments app("Runs the `test` blocks of muster files; exits 1 if one fails.", "muster test");
  app.add_option("FILE", options.common.files, "muster files").required();
  app.add_option("--root", options.common.root, "root folder of imports and of paths in ids").type_name("DIR");
  app.add_option("--format", options.common.format, "text, json or junit")
      .one_of({"text", "json", "junit"})
      .type_name("FORMAT");
  add_report_options(app, options.common);
  if (const auto exit = app.parse(line)) return *exit;
  return Tester(options).run();
}

}  // namespace muster::cli
