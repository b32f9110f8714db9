// muster compile: a workload to the file that the orchestrator takes.
#include <algorithm>
#include <cstdio>
#include <optional>

#include <unistd.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/emit.h"
#include "cli/loss_report.h"
#include "cli/site_ranking.h"
#include "cli/standard_output.h"
#include "compiler/base/text.h"
#include "compiler/syntax/ast.h"
#include "driver/compile_run.h"
#include "targets/shell.h"
#include "targets/target.h"

namespace muster::cli {
namespace {

struct CompileOptions {
  CommonOptions common;
  driver::CompileQuestion question;
  std::string workload;
  std::string folder;
  std::string loss;
  std::vector<std::string> sites;
  std::string emit;
  std::string names = "digest";
  std::string layout = "flat";
  bool bundle = false;
  bool verbose = false;
};

class Compiler {
 public:
  explicit Compiler(const CompileOptions& options) : options_(options), session_(options.common) {}

  // `best`: of several sites the one that is compiled for.
  int run(const std::optional<BestSite>& best) {
    if (!session_.parse()) return finish();
    if (best)
      diagnostics().add(Code::site_chosen, {}, "the files are written for site `" + best->site + "`").notes =
          best->others;
    if (options_.emit == "ast")
      for (const ast::File& file : session_.files()) emitted_.push_back(to_json(file, session_.sources()));
    if (!session_.check()) return finish();
    if (options_.emit == "ast") return print_emitted();
    if (!driver::is_known_target(options_.question.target, diagnostics())) return finish();
    const auto setting = driver::make_setting(session_);
    if (!setting || !driver::fabrics_attach(*setting, diagnostics())) return finish();
    const auto workloads = session_.workloads(options_.workload);
    if (options_.emit == "model") {
      for (const model::Workload* w : workloads) emitted_.push_back(to_json(*w, session_.sources()));
      return print_emitted();
    }
    auto compiled = driver::compile(workloads, session_, *setting, options_.question);
    if (!options_.emit.empty()) {
      if (!options_.loss.empty()) print_loss(compiled, *setting, {}, {});
      for (const driver::Compiled& one : compiled) emitted_.push_back(stage(one, setting->policy));
      return print_emitted();
    }
    std::vector<std::string> names;
    for (const driver::Compiled& one : compiled)
      names.push_back(one.lowered.documents.empty() ? "" : one.lowered.documents.front().name);
    const driver::Delivery delivery = driver::deliver(compiled, options_.question, diagnostics());
    if (!options_.loss.empty()) print_loss(compiled, *setting, names, delivery.files);
    return write(delivery);
  }

 private:
  Diagnostics& diagnostics() { return session_.diagnostics(); }
  int finish() { return cli::finish(session_, options_.common); }

  int print_emitted() {
    if (diagnostics().has_errors()) return finish();
    return cli::finish(session_, options_.common, 0, print(emitted_));
  }

  // What a stage says of a workload, with the policy under which it says so.
  Json stage(const driver::Compiled& one, const model::Policy& policy) const {
    if (options_.emit == "decision")
      return {{"id", one.workload->id}, {"decision", to_json(one.plan->decision, policy)}};
    Json out;
    if (options_.emit == "facts")
      out = {{"id", one.workload->id}, {"facts", to_json(one.plan->facts, session_.sources())}};
    else if (options_.emit == "placement") out = to_json(one.plan->fit, *one.workload);
    else out = to_json(one.lowered);
    out.update(policy_json(policy));
    return out;
  }

  // `names`: of the documents of each; they are in `files` once these are to be delivered.
  void print_loss(const std::vector<driver::Compiled>& compiled, const driver::Setting& setting,
                  const std::vector<std::string>& names, const std::vector<driver::OutputFile>& files) {
    std::string text;
    Json json = Json::array();
    for (std::size_t i = 0; i < compiled.size(); ++i) {
      const driver::Compiled& one = compiled[i];
      if (one.target == nullptr) continue;
      std::vector<targets::Document> documents = one.lowered.documents;
      for (const driver::OutputFile& file : files)
        if (file.name == names[i] || file.name.ends_with(".sh")) documents.push_back({file.name, file.content});
      if (options_.loss == "text") {
        text += loss_text(one, documents, *setting.site);
        continue;
      }
      json.push_back({{"id", one.taken->id},
                      {"target", one.target->name},
                      {"fields", loss_json(one, documents, *setting.site, session_.sources())}});
      json.back().update(policy_json(setting.policy));
    }
    if (options_.loss == "text") print_error(std::move(text));
    else if (to_folder()) loss_file_ = print(json);
    else print_error(print(json));
  }

  bool to_folder() const { return !options_.folder.empty() && options_.folder != "-"; }

  int write(const driver::Delivery& delivery) {
    if (diagnostics().has_errors()) return finish();
    if (to_folder()) write_folder(delivery.files);
    else write_stream(delivery.files);
    const int code = finish();
    if (code == 0 && to_folder() && (options_.verbose || isatty(STDERR_FILENO) != 0)) print_submit(delivery.submit);
    return code;
  }

  void write_folder(std::vector<driver::OutputFile> files) {
    if (options_.loss == "json") files.push_back({"loss.json", loss_file_});
    driver::write_files(options_.folder, files, diagnostics());
  }

  void write_stream(const std::vector<driver::OutputFile>& files) {
    if (files.size() > 1 && !options_.bundle) {
      Diagnostic& d = diagnostics().add(
          Code::ambiguous_choice, {}, "standard output takes one file, but there are " + std::to_string(files.size()));
      d.notes.push_back("write `-o DIR` or `--bundle`, or select one with `--workload NAME`");
      return;
    }
    std::string out;
    for (const driver::OutputFile& file : files)
      out += (options_.bundle ? "# ==> " + file.name + " <==\n" : "") + file.content;
    write_stdout(out, diagnostics());
  }

  void print_submit(const std::vector<std::string>& commands) const {
    for (const std::string& command : commands)
      print_error("cd " + targets::sh_word(options_.folder) + " && " + command + "\n");
  }

  const CompileOptions& options_;
  driver::Session session_;
  Json emitted_ = Json::array();
  std::string loss_file_;
};

// It goes into job names, so it is held to what they take everywhere.
std::string why_no_run(const std::string& run) {
  const auto good = [](unsigned char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; };
  const bool fits = !run.empty() && run.size() <= 40 && std::all_of(run.begin(), run.end(), good);
  return fits ? "" : "`" + run + "` has something other than letters, digits, ., _ and -, or more than 40";
}

std::vector<std::string> target_choices() {
  std::vector<std::string> names = names_of(targets::all_targets());
  names.insert(names.begin(), {"auto", "all"});
  return names;
}

}  // namespace

int run_compile(const CommandLine& line) {
  CompileOptions options;
  Arguments app("Writes the job script or manifests of a workload.", "muster compile");
  options.common.existing = driver::Existing::as_read;
  add_common(app, options.common, true);
  add_sites(app, options.sites,
            "file with the site to plan for, and its fleet; of several sites the one that ranks first is taken");
  app.add_option("--target", options.question.target, "target: one of `muster targets`, auto (default) or all")
      .suggest(target_choices())
      .type_name("TARGET");
  app.add_option("--workload", options.workload, "compile only this workload").type_name("NAME");
  app.add_option("--run", options.question.run,
                 "identifier of the run, appended to the job's name: letters, digits, ., _ and -")
      .check(why_no_run)
      .type_name("NAME");
  app.add_option("--names", options.names, "names of Kubernetes objects: digest (default), fixed or generate")
      .one_of({"digest", "fixed", "generate"})
      .type_name("HOW");
  app.add_option("--layout", options.layout, "kustomize adds a kustomization.yaml to the manifests; flat (default)")
      .one_of({"flat", "kustomize"})
      .type_name("HOW");
  app.add_option("-o,--output", options.folder, "write the files to this folder; - is standard output (default)")
      .type_name("DIR");
  app.add_flag(
      "--pin", options.question.pin,
      "write the nodes of the placement that `muster fit` shows into the file, so that the job runs only there");
  app.add_flag("--bundle", options.bundle, "print several files to standard output, each after `# ==> NAME <==`");
  app.add_option("--loss", options.loss, "print the loss report, the result for every field: text or json")
      .one_of({"text", "json"})
      .type_name("FORMAT");
  app.add_option("--emit", options.emit, "print the result of a stage as JSON instead")
      .one_of({"ast", "model", "facts", "decision", "placement", "documents"})
      .type_name("STAGE");
  app.add_flag("-v,--verbose", options.verbose, "print the submit command even if stderr is not a terminal");
  if (const auto code = app.parse(line)) return *code;
  if (options.question.pin && options.question.target == "all") {
    std::fputs("muster compile: --pin requires one target\n", stderr);
    return 2;
  }
  if (options.layout == "kustomize" && options.names == "generate") {
    std::fputs(
        "muster compile: `--layout kustomize` requires names, but `--names generate` leaves them to the API server\n",
        stderr);
    return 2;
  }
  options.question.names = options.names == "fixed"      ? targets::Names::fixed
                           : options.names == "generate" ? targets::Names::generate
                                                         : targets::Names::digest;
  options.question.kustomize = options.layout == "kustomize";
  if (!options.emit.empty()) options.common.format = "json";
  options.question.lower = options.emit.empty() || options.emit == "documents";
  if (options.question.lower) options.common.existing = driver::Existing::ported;
  if (targets::find_target(options.question.target) != nullptr) options.common.port_to = options.question.target;
  std::optional<BestSite> best;
  if (options.sites.size() > 1) {
    SitesRequest request{options.common, {}, options.workload, options.sites};
    request.only = targets::find_target(options.question.target);
    std::vector<SiteAnswer> answers;
    if (const auto code = ask_sites(request, answers)) return *code;
    if (!answers.empty()) best = best_site(answers);
  }
  if (!options.sites.empty()) options.common.site_file = best ? best->file : options.sites[0];
  return Compiler(options).run(best);
}

}  // namespace muster::cli
