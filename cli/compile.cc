// muster compile: a workload to the file that the orchestrator takes.
#include <algorithm>
#include <cstdio>
#include <map>
#include <unordered_map>

#include <unistd.h>

#include "cli/command.h"
#include "cli/emit.h"
#include "compiler/base/text.h"
#include "driver/output.h"
#include "driver/planning.h"
#include "plan/pin.h"
#include "plan/place_all.h"
#include "targets/shell.h"
#include "targets/target.h"

namespace muster::cli {
namespace {

struct CompileOptions {
  CommonOptions common;
  std::string target = "auto";
  std::string workload;
  std::string run;
  std::string folder;
  std::string loss;
  std::string emit;
  std::string names = "digest";
  std::string layout = "flat";
  bool bundle = false;
  bool verbose = false;
  bool pin = false;
};

// A workload that a target took, and the command that submits it alone.
struct Job {
  const targets::Target* target;
  targets::Submission submission;
  std::string submit;
};

// What one run of `compile` produces; written at the end, whole or not at all.
struct Product {
  std::vector<OutputFile> files;
  std::vector<std::string> submit;
  std::vector<Job> jobs;
  std::string loss_text;
  Json loss = Json::array();
  Json emitted = Json::array();
};

class Compiler {
 public:
  explicit Compiler(const CompileOptions& options) : options_(options), session_(options.common) {}

  int run() {
    if (!session_.parse()) return session_.finish();
    if (options_.emit == "ast") keep_syntax();
    if (!session_.check()) return session_.finish();
    if (options_.emit == "ast") return deliver();
    if (!known_target()) return session_.finish();
    auto setting = make_setting(session_);
    if (!setting) return session_.finish();
    const auto workloads = session_.workloads(options_.workload);
    if (options_.pin) place_together(workloads, *setting);
    for (const model::Workload* w : workloads) {
      if (options_.emit == "model") product_.emitted.push_back(to_json(*w, session_.sources()));
      else compile(*w, *setting);
    }
    return deliver();
  }

 private:
  Diagnostics& diagnostics() { return session_.diagnostics(); }

  bool known_target() {
    if (options_.target == "auto" || options_.target == "all" || targets::find_target(options_.target) != nullptr)
      return true;
    Diagnostic& d = diagnostics().add(Code::unknown_target, {}, "there is no target `" + options_.target + "`");
    for (const targets::Target& t : targets::all_targets())
      d.notes.push_back(std::string(t.name) + ": " + std::string(t.summary));
    return false;
  }

  // What is pinned is pinned beside the others of the file, as `muster fit` shows it.
  void place_together(const std::vector<const model::Workload*>& workloads, const Setting& setting) {
    const targets::Target* named = targets::find_target(options_.target);
    std::vector<plan::Plan*> plans;
    for (const model::Workload* w : workloads) {
      Planned& planned = planned_[w];
      plan::PlanRequest request = request_for(w, session_, setting);
      if (named != nullptr) request.plane_kind = named->capabilities.plane;
      planned.result = plan::make_plan(request, planned.reports);
      if (planned.result.plan) plans.push_back(&*planned.result.plan);
    }
    if (setting.fleet != nullptr) plan::place_all(*setting.state, plans);
  }

  // The plan of a workload that was placed with the others, if it can be pinned.
  std::optional<plan::Plan> pinned(const model::Workload& workload, Diagnostics& diagnostics) {
    Planned& planned = planned_[&workload];
    for (Diagnostic& d : planned.reports.sorted()) diagnostics.add(std::move(d));
    std::optional<plan::Plan> out = std::move(planned.result.plan);
    if (!out || out->plane == nullptr || startable(out->fit) == plan::Verdict::does_not_fit) return out;
    const auto why = plan::pin(*out);
    if (!why) return out;
    diagnostics.add(Code::cannot_pin, workload.span, "`" + workload.name + "` cannot be pinned: " + *why);
    return std::nullopt;
  }

  void keep_syntax() {
    for (const ast::File& file : session_.files()) product_.emitted.push_back(to_json(file, session_.sources()));
  }

  void compile(const model::Workload& workload, const Setting& setting) {
    const std::size_t before = diagnostics().size();
    if (options_.target == "all") compile_to_all(workload, setting);
    else compile_to(targets::find_target(options_.target), workload, setting, diagnostics());
    name_takers(workload, setting, before);
    session_.label_origin(workload, before);
  }

  // Every target; those that refuse are passed over, unless all do.
  void compile_to_all(const model::Workload& workload, const Setting& setting) {
    Diagnostics refusals;
    bool taken = false;
    for (const targets::Target& target : targets::all_targets()) {
      const Product before = product_;
      Diagnostics attempt;
      compile_to(&target, workload, setting, attempt);
      if (attempt.has_errors()) product_ = before;
      taken = taken || !attempt.has_errors();
      for (Diagnostic& d : attempt.sorted()) (attempt.has_errors() ? refusals : diagnostics()).add(std::move(d));
    }
    if (!taken)
      for (Diagnostic& d : refusals.sorted()) diagnostics().add(std::move(d));
  }

  // Where a target refused: the others that take the workload, by name.
  void name_takers(const model::Workload& workload, const Setting& setting, std::size_t before) {
    const auto reported = diagnostics().since(before);
    const auto refused = std::find_if(reported.begin(), reported.end(), [](const Diagnostic& d) {
      return d.code == Code::target_refuses || d.code == Code::name_not_valid;
    });
    if (refused == reported.end() || options_.target == "all" || options_.pin) return;
    std::vector<std::string_view> takers;
    for (const targets::Target& target : targets::all_targets()) {
      const Product kept = product_;
      Diagnostics attempt;
      compile_to(&target, workload, setting, attempt);
      product_ = kept;
      if (!attempt.has_errors()) takers.push_back(target.name);
    }
    refused->notes.push_back(takers.empty()
                                 ? "no target of this site takes it"
                                 : "it is taken by " + std::string(takers.size() == 1 ? "target " : "targets ") +
                                       quoted_list(takers));
  }

  // `named` is nullptr where the decision chooses the target.
  void compile_to(const targets::Target* named, const model::Workload& workload, const Setting& setting,
                  Diagnostics& diagnostics) {
    plan::PlanRequest request = request_for(&workload, session_, setting);
    if (named != nullptr) request.plane_kind = named->capabilities.plane;
    const std::optional<plan::Plan> planned =
        options_.pin ? pinned(workload, diagnostics) : plan::make_plan(request, diagnostics).plan;
    if (!planned) return;
    const plan::Plan& plan = *planned;
    if (options_.emit == "facts")
      return emit({{"id", workload.id}, {"facts", to_json(plan.facts, session_.sources())}}, setting);
    if (options_.emit == "decision")
      return product_.emitted.push_back({{"id", workload.id}, {"decision", to_json(plan.decision, setting.policy)}});
    if (options_.emit == "placement") return emit(to_json(plan.fit, workload), setting);
    if (!may_start(plan, diagnostics)) return;
    const targets::Target* target = named != nullptr ? named : targets::find_target(plan.decision.target);
    if (target == nullptr || plan.plane == nullptr) no_target(plan, diagnostics);
    else lower(*target, plan, setting, diagnostics);
  }

  // What a stage says of a workload, with the policy under which it says so.
  void emit(Json stage, const Setting& setting) {
    stage.update(policy_json(setting.policy));
    product_.emitted.push_back(std::move(stage));
  }

  void no_target(const plan::Plan& plan, Diagnostics& diagnostics) {
    const model::Workload& w = *plan.workload;
    Diagnostic& d = diagnostics.add(Code::target_not_written, w.span,
                                    "`" + w.name + "` belongs on " + plan.decision.control_plane + " (target " +
                                        plan.decision.target + "), which this version does not write");
    d.notes.push_back("name one that it writes, as in `--target slurm`, or give the site it is for with `--site FILE`");
  }

  void lower(const targets::Target& target, const plan::Plan& plan, const Setting& setting, Diagnostics& diagnostics) {
    targets::LowerOptions options;
    options.source = session_.sources().name(plan.workload->span.file);
    options.run = options_.run;
    options.names = options_.names == "fixed"      ? targets::Names::fixed
                    : options_.names == "generate" ? targets::Names::generate
                                                   : targets::Names::digest;
    targets::Lowered lowered = targets::lower(target, plan, options, diagnostics);
    if (options_.emit == "documents") emit(to_json(lowered), setting);
    if (!lowered.documents.empty())
      product_.jobs.push_back(
          {&target, {plan.workload, lowered.documents.front().name, lowered.object}, lowered.submit});
    if (options_.loss == "json") add_loss(lowered.loss, target, plan, setting);
    if (options_.loss == "text")
      product_.loss_text += loss_text(plan.workload->id + " → " + std::string(target.name), lowered.loss);
    for (targets::Document& d : lowered.documents) product_.files.push_back({std::move(d.name), std::move(d.content)});
  }

  void add_loss(const targets::Loss& loss, const targets::Target& target, const plan::Plan& plan,
                const Setting& setting) {
    product_.loss.push_back({{"id", plan.workload->id},
                             {"target", target.name},
                             {"fields", to_json(loss, *plan.workload, session_.sources())}});
    product_.loss.back().update(policy_json(setting.policy));
  }

  static std::string loss_text(const std::string& title, const targets::Loss& loss) {
    constexpr const char* names[] = {"exact", "approximated", "refused", "read"};
    std::size_t counts[4] = {};
    std::string lines;
    for (const targets::LossEntry& e : loss.entries()) {
      const auto status = static_cast<std::size_t>(e.status);
      ++counts[status];
      const std::string field = to_string(e.field);
      lines += "  " + std::string(names[status]) + std::string(13 - std::string(names[status]).size(), ' ') + field +
               std::string(field.size() < 22 ? 22 - field.size() : 1, ' ') + e.as +
               (e.note.empty() ? "" : (e.as.empty() ? "" : "  (") + e.note + (e.as.empty() ? "" : ")")) + "\n";
    }
    return title + ": " + std::to_string(counts[0]) + " exact, " + std::to_string(counts[1]) + " approximated, " +
           std::to_string(counts[2]) + " refused, " + std::to_string(counts[3]) + " read by muster itself\n" + lines;
  }

  // What `kubectl apply -k` reads: the list of the manifests beside it.
  void add_kustomization() {
    if (options_.layout != "kustomize" || product_.files.empty()) return;
    std::string list = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n";
    bool any = false;
    for (const OutputFile& file : product_.files) {
      if (!file.name.ends_with(".yaml")) continue;
      list += "  - " + file.name + "\n";
      any = true;
    }
    if (!any) return;
    product_.files.push_back({"kustomization.yaml", list});
    product_.submit = {"kubectl apply -k ."};
  }

  int deliver() {
    add_submit_scripts();
    add_kustomization();
    if (options_.loss == "text") std::fputs(product_.loss_text.c_str(), stderr);
    if (options_.loss == "json" && !to_folder()) std::fputs(print(product_.loss).c_str(), stderr);
    if (diagnostics().has_errors()) return session_.finish();
    if (!options_.emit.empty()) write_stdout(print(product_.emitted), diagnostics());
    else if (to_folder()) write_folder();
    else write_stream();
    const int code = session_.finish();
    if (code == 0 && to_folder() && (options_.verbose || isatty(STDERR_FILENO) != 0)) say_submit();
    return code;
  }

  bool to_folder() const { return !options_.folder.empty() && options_.folder != "-"; }

  void write_folder() {
    std::vector<OutputFile> files = product_.files;
    if (options_.loss == "json") files.push_back({"loss.json", print(product_.loss)});
    write_files(options_.folder, files, diagnostics());
  }

  void write_stream() {
    if (product_.files.size() > 1 && !options_.bundle) {
      Diagnostic& d = diagnostics().add(
          Code::ambiguous_choice, {},
          "there are " + std::to_string(product_.files.size()) + " files, and standard output carries one");
      d.notes.push_back("give `-o DIR` or `--bundle`, or name one with `--workload NAME`");
      return;
    }
    std::string out;
    for (const OutputFile& file : product_.files)
      out += (options_.bundle ? "# ==> " + file.name + " <==\n" : "") + file.content;
    write_stdout(out, diagnostics());
  }

  void say_submit() {
    for (const std::string& command : product_.submit)
      std::fprintf(stderr, "cd %s && %s\n", targets::sh_word(options_.folder).c_str(), command.c_str());
  }

  // Jobs that wait for each other are submitted by a script, one a scheduler; the others by a command each.
  void add_submit_scripts() {
    using SubmitAll = decltype(targets::Target::submit_all);
    std::vector<SubmitAll> done;
    if (options_.target != "all") refuse_orders_across();
    for (const Job& job : product_.jobs) {
      const SubmitAll submit_all = job.target->submit_all;
      if (std::find(done.begin(), done.end(), submit_all) != done.end()) continue;
      done.push_back(submit_all);
      std::vector<targets::Submission> together;
      std::vector<std::string> commands;
      for (const Job& other : product_.jobs) {
        if (other.target->submit_all != submit_all) continue;
        together.push_back(other.submission);
        commands.push_back(other.submit);
      }
      if (options_.target != "all" && submit_all != nullptr)
        if (auto script = submit_all(together, diagnostics())) {
          commands = {"sh " + targets::sh_word(script->name)};
          product_.files.push_back({std::move(script->name), std::move(script->content)});
        }
      product_.submit.insert(product_.submit.end(), commands.begin(), commands.end());
    }
  }

  // No scheduler sees the jobs of another.
  void refuse_orders_across() {
    std::unordered_map<std::string_view, const targets::Target*> target_of;
    for (const Job& job : product_.jobs) target_of.emplace(job.submission.workload->name, job.target);
    for (const Job& job : product_.jobs)
      for (const model::After& after : job.submission.workload->depends_on) {
        const auto other = target_of.find(after.workload);
        if (other == target_of.end() || other->second->submit_all == job.target->submit_all) continue;
        diagnostics()
            .add(Code::target_refuses, after.span,
                 "`" + job.submission.workload->name + "` waits for `" + after.workload + "`, which goes to target `" +
                     std::string(other->second->name) + "`: no scheduler sees both")
            .notes.push_back("name one target for both with `--target`, or submit one after the other by hand");
      }
  }

  struct Planned {
    plan::PlanResult result;
    Diagnostics reports;
  };

  const CompileOptions& options_;
  Session session_;
  std::map<const model::Workload*, Planned> planned_;  // with --pin
  Product product_;
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
  Arguments app("Writes the file that your orchestrator takes.", "muster compile");
  add_common(app, options.common, true);
  app.add_option("--target", options.target, "a target of `muster targets`, auto (default) or all")
      .suggest(target_choices())
      .type_name("TARGET");
  app.add_option("--workload", options.workload, "only this one").type_name("NAME");
  app.add_option("--run", options.run, "the run's identity, added to the job's name: letters, digits, ., _ and -")
      .check(why_no_run)
      .type_name("NAME");
  app.add_option("--names", options.names, "names of Kubernetes objects: digest (default), fixed or generate")
      .one_of({"digest", "fixed", "generate"})
      .type_name("HOW");
  app.add_option("--layout", options.layout, "kustomize: a kustomization.yaml beside the manifests; flat (default)")
      .one_of({"flat", "kustomize"})
      .type_name("HOW");
  app.add_option("-o,--output", options.folder, "folder for the files; - is standard output (default)")
      .type_name("DIR");
  app.add_flag("--pin", options.pin,
               "write the nodes that `muster fit` shows into the file: it runs there and nowhere else");
  app.add_flag("--bundle", options.bundle, "several files on standard output, each after `# ==> NAME <==`");
  app.add_option("--loss", options.loss, "print what became of every field: text or json")
      .one_of({"text", "json"})
      .type_name("FORMAT");
  app.add_option("--emit", options.emit, "print a stage as JSON instead")
      .one_of({"ast", "model", "facts", "decision", "placement", "documents"})
      .type_name("STAGE");
  app.add_flag("-v,--verbose", options.verbose, "say the submit command even where stderr is no terminal");
  if (const auto code = app.parse(line)) return *code;
  if (options.pin && options.target == "all") {
    std::fputs("muster compile: --pin is for one target: a node is pinned once\n", stderr);
    return 2;
  }
  if (options.layout == "kustomize" && options.names == "generate") {
    std::fputs("muster compile: kustomize needs names: `--names generate` leaves them to the API server\n", stderr);
    return 2;
  }
  return Compiler(options).run();
}

}  // namespace muster::cli
