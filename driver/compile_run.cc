#include "driver/compile_run.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/model/plane_traits.h"
#include "driver/choose.h"
#include "lint/fit_as_read.h"
#include "plan/run/place_all.h"
#include "plan/steps/pin.h"
#include "targets/shell.h"

namespace muster::driver {
namespace {

class CompileRun {
 public:
  CompileRun(Session& session, const Setting& setting, const CompileQuestion& question)
      : session_(session), setting_(setting), question_(question), named_(targets::find_target(question.target)) {}

  std::vector<Compiled> run(const std::vector<const model::Workload*>& workloads) {
    if (question_.pin) place_together(workloads);
    for (const model::Workload* w : workloads) compile(*w);
    return std::move(compiled_);
  }

 private:
  struct Planned {
    Chosen chosen;
    Diagnostics reports;
  };

  // What is pinned is pinned beside the others of the file, as `muster fit` shows it.
  void place_together(const std::vector<const model::Workload*>& workloads) {
    std::vector<plan::Plan*> plans;
    for (const model::Workload* w : workloads) {
      Planned& planned = planned_[w];
      planned.chosen = choose(request(*w), options(*w), named_, planned.reports);
      if (planned.chosen.result.plan) plans.push_back(&*planned.chosen.result.plan);
    }
    if (setting_.fleet != nullptr) plan::place_all(*setting_.state, plans);
  }

  plan::PlanRequest request(const model::Workload& workload) const {
    return request_for(&workload, session_, setting_);
  }

  // The choice for a workload that was placed with the others, lowered again once it is pinned; without a plan:
  // reported.
  Chosen pinned(const targets::Target* named, const model::Workload& workload, Diagnostics& diagnostics) {
    Planned& planned = planned_[&workload];
    for (Diagnostic& d : planned.reports.sorted()) diagnostics.add(std::move(d));
    Chosen out = std::move(planned.chosen);
    std::optional<plan::Plan>& plan = out.result.plan;
    if (!plan || plan->plane == nullptr || startable(plan->fit) == plan::Verdict::does_not_fit) return out;
    if (const auto why = plan::pin(*plan)) {
      diagnostics.add(Code::cannot_pin, workload.span, "`" + workload.name + "` cannot be pinned: " + *why);
      plan.reset();
    } else if (const targets::Target* target = named != nullptr ? named : out.target) {
      out.reports = {};
      out.lowered = targets::lower(*target, *plan, options(workload), out.reports);
    }
    return out;
  }

  void compile(const model::Workload& workload) {
    Diagnostics& diagnostics = session_.diagnostics();
    const std::size_t before = diagnostics.size();
    if (question_.target == "all") compile_to_all(workload);
    else if (auto made = compile_to(named_, workload, diagnostics)) compiled_.push_back(std::move(*made));
    name_takers(workload, before);
    session_.label_origin(workload, before);
  }

  // Every target; those that refuse are passed over, unless all do.
  void compile_to_all(const model::Workload& workload) {
    Diagnostics refusals;
    bool taken = false;
    for (const targets::Target& target : targets::all_targets()) {
      Diagnostics attempt;
      auto made = compile_to(&target, workload, attempt);
      const bool refused = attempt.has_errors();
      if (!refused && made) compiled_.push_back(std::move(*made));
      taken = taken || !refused;
      for (Diagnostic& d : attempt.sorted()) (refused ? refusals : session_.diagnostics()).add(std::move(d));
    }
    if (!taken)
      for (Diagnostic& d : refusals.sorted()) session_.diagnostics().add(std::move(d));
  }

  // Where a target refused: the others that take the workload, by name, or why none does.
  void name_takers(const model::Workload& workload, std::size_t before) {
    const auto reported = session_.diagnostics().since(before);
    const auto refused = std::find_if(reported.begin(), reported.end(), [](const Diagnostic& d) {
      return d.code == Code::target_refuses || d.code == Code::asks_elsewhere || d.code == Code::not_given ||
             d.code == Code::name_not_valid || d.code == Code::target_not_written;
    });
    if (refused == reported.end() || question_.target == "all" || question_.pin) return;
    std::vector<std::string_view> takers;
    for (const targets::Target& target : targets::all_targets()) {
      Diagnostics attempt;
      compile_to(&target, workload, attempt);
      if (!attempt.has_errors()) takers.push_back(target.name);
    }
    if (takers.empty()) return name_reasons(workload, *refused);
    refused->notes.push_back("it can be written for " + std::string(takers.size() == 1 ? "target " : "targets ") +
                             quoted_list(takers));
  }

  // Why the other candidates of the site refuse it.
  void name_reasons(const model::Workload& workload, Diagnostic& refused) const {
    Diagnostics ignored;
    std::vector<plan::Skipped> others = choose(request(workload), options(workload), nullptr, ignored).result.skipped;
    std::erase_if(others, [&](const plan::Skipped& s) { return s.why == refused.message; });
    if (others.empty()) refused.notes.push_back("no target of this site can express it");
    for (std::string& reason : reasons_of(others)) refused.notes.push_back(std::move(reason));
  }

  // The stages of a job script or a manifest as it is read; what is lowered was ported. nullopt: reported.
  std::optional<Compiled> plan_existing(const targets::AsRead& read, const model::Workload& workload,
                                        Diagnostics& diagnostics) {
    plan::PlanResult result = lint::plan_as_read(read, request(workload));
    if (result.plan) return Compiled{&workload, std::move(result.plan)};
    diagnostics.add(Code::does_not_fit, workload.span, "`" + workload.name + "` does not fit: " + result.no_pool->text);
    return std::nullopt;
  }

  // `named` is nullptr where the decision chooses the target. nullopt: reported.
  std::optional<Compiled> compile_to(const targets::Target* named, const model::Workload& workload,
                                     Diagnostics& diagnostics) {
    if (const targets::AsRead* read = session_.as_read(workload)) return plan_existing(*read, workload, diagnostics);
    Chosen chosen = question_.pin ? pinned(named, workload, diagnostics)
                                  : choose(request(workload), options(workload), named, diagnostics);
    if (!chosen.result.plan) return std::nullopt;
    plan::Plan& plan = *chosen.result.plan;
    if (!question_.lower) return Compiled{&workload, std::move(plan)};
    if (!may_start(plan, diagnostics)) return std::nullopt;
    if (chosen.target == nullptr) {
      report_no_target(plan, named, diagnostics);
      return std::nullopt;
    }
    for (Diagnostic& d : chosen.reports.sorted()) diagnostics.add(std::move(d));
    if (named == nullptr && chosen.written) report_passed_over(chosen, diagnostics);
    return Compiled{&workload, std::nullopt, chosen.target, plan.workload, std::move(chosen.lowered)};
  }

  // That it is not written for what the rules or the site prefer, and why.
  static void report_passed_over(const Chosen& chosen, Diagnostics& diagnostics) {
    const plan::Plan& plan = *chosen.result.plan;
    std::vector<plan::Skipped> others = chosen.result.skipped;  // a list of queues says itself which comes first
    std::erase_if(others, [&](const plan::Skipped& s) { return s.plane == plan.plane->name && s.target.empty(); });
    if (others.empty()) return;
    Diagnostic& d =
        diagnostics.add(Code::passed_over, plan.workload->span,
                        "`" + plan.workload->name + "` is written for target `" + std::string(chosen.target->name) +
                            "` on plane `" + plan.plane->name + "`, because other candidates cannot take it");
    d.notes = reasons_of(others);
  }

  // A target that was named, of which the site has no plane. False: that is not it.
  static bool report_no_such_plane(const plan::Plan& plan, const targets::Target& named, Diagnostics& diagnostics) {
    const auto family = [](model::PlaneKind kind) { return model::traits_of(kind).control_plane; };
    std::vector<std::string_view> kinds, own;
    for (const model::PlaneTraits& kind : model::plane_kinds)
      if (kind.control_plane == family(named.capabilities.plane)) kinds.push_back(kind.name);
    for (const model::Plane& plane : plan.site->planes) {
      if (family(plane.kind()) == family(named.capabilities.plane)) return false;
      if (std::find(own.begin(), own.end(), plane.traits().name) == own.end()) own.push_back(plane.traits().name);
    }
    diagnostics
        .add(Code::target_not_written, plan.workload->span,
             "target `" + std::string(named.name) + "` is for planes of kind " + quoted_list(kinds, "or") +
                 ", but site `" + plan.site->name + "` has " +
                 (own.empty() ? std::string("no plane") : "only planes of kind " + quoted_list(own)))
        .notes.push_back("name a target of its planes, or pass a site that has such a plane with `--site FILE`");
    return true;
  }

  static void report_no_target(const plan::Plan& plan, const targets::Target* named, Diagnostics& diagnostics) {
    const model::Workload& w = *plan.workload;
    if (named != nullptr && plan.plane == nullptr && report_no_such_plane(plan, *named, diagnostics)) return;
    const std::string decided = "`" + w.name + "` is decided for " + plan.decision.control_plane;
    if (plan.plane == nullptr) {
      Diagnostic& d = diagnostics.add(Code::target_not_written, w.span, decided + ", and the site has no such plane");
      d.notes.push_back("pass the site with `--site FILE`, declare the plane in it, or name a target of its planes");
      return;
    }
    Diagnostic& d = diagnostics.add(Code::target_not_written, w.span,
                                    decided + ", and muster does not write its target " + plan.decision.target);
    d.notes.push_back("name another target, as in `--target slurm`");
  }

  targets::LowerOptions options(const model::Workload& workload) const {
    return {.source = session_.sources().name(workload.span.file),
            .run = question_.run,
            .names = question_.names,
            .sources = &session_.sources()};
  }

  Session& session_;
  const Setting& setting_;
  const CompileQuestion& question_;
  const targets::Target* named_;                       // nullptr: auto or all
  std::map<const model::Workload*, Planned> planned_;  // to be pinned
  std::vector<Compiled> compiled_;
};

// A workload that a target took, and the command that submits it alone.
struct Job {
  const targets::Target* target;
  targets::Submission submission;
  std::string submit;
};

// No scheduler sees the jobs of another.
void refuse_orders_across(const std::vector<Job>& jobs, Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, const targets::Target*> target_of;
  for (const Job& job : jobs) target_of.emplace(job.submission.workload->name, job.target);
  for (const Job& job : jobs)
    for (const model::After& after : job.submission.workload->depends_on) {
      const auto other = target_of.find(after.workload);
      if (other == target_of.end() || other->second->submit_all == job.target->submit_all) continue;
      diagnostics
          .add(Code::target_refuses, after.span,
               "`" + job.submission.workload->name + "` waits for `" + after.workload +
                   "`, which is written for target `" + std::string(other->second->name) +
                   "`; no scheduler can order the two")
          .notes.push_back("select one target for both with `--target`, or submit them one after the other by hand");
    }
}

// Jobs that wait for each other are submitted by a script, one a scheduler; the others by a command each.
void add_submission(const std::vector<Job>& jobs, bool in_order, Delivery& out, Diagnostics& diagnostics) {
  using SubmitAll = decltype(targets::Target::submit_all);
  std::vector<SubmitAll> done;
  for (const Job& job : jobs) {
    const SubmitAll submit_all = job.target->submit_all;
    if (std::find(done.begin(), done.end(), submit_all) != done.end()) continue;
    done.push_back(submit_all);
    std::vector<targets::Submission> together;
    std::vector<std::string> commands;
    for (const Job& other : jobs) {
      if (other.target->submit_all != submit_all) continue;
      together.push_back(other.submission);
      commands.push_back(other.submit);
    }
    if (in_order && submit_all != nullptr)
      if (auto script = submit_all(together, diagnostics)) {
        commands = {"sh " + targets::sh_word(script->name)};
        out.files.push_back({std::move(script->name), std::move(script->content)});
      }
    out.submit.insert(out.submit.end(), commands.begin(), commands.end());
  }
}

// What `kubectl apply -k` reads: the list of the manifests beside it.
void add_kustomization(Delivery& out) {
  std::string list = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n";
  bool any = false;
  for (const OutputFile& file : out.files) {
    if (!file.name.ends_with(".yaml")) continue;
    list += "  - " + file.name + "\n";
    any = true;
  }
  if (!any) return;
  out.files.push_back({"kustomization.yaml", list});
  out.submit = {"kubectl apply -k ."};
}

}  // namespace

bool is_known_target(const std::string& name, Diagnostics& diagnostics) {
  if (name == "auto" || name == "all" || targets::find_target(name) != nullptr) return true;
  Diagnostic& d = diagnostics.add(Code::unknown_target, {}, "unknown target `" + name + "`");
  for (const targets::Target& t : targets::all_targets())
    d.notes.push_back(std::string(t.name) + ": " + std::string(t.summary));
  return false;
}

std::vector<Compiled> compile(const std::vector<const model::Workload*>& workloads, Session& session,
                              const Setting& setting, const CompileQuestion& question) {
  return CompileRun(session, setting, question).run(workloads);
}

Delivery deliver(std::vector<Compiled>& compiled, const CompileQuestion& question, Diagnostics& diagnostics) {
  Delivery out;
  std::vector<Job> jobs;
  for (Compiled& one : compiled) {
    targets::Lowered& made = one.lowered;
    if (one.target == nullptr || made.documents.empty()) continue;
    jobs.push_back({one.target, {one.taken, made.documents.front().name, made.object}, made.submit});
    for (targets::Document& d : made.documents) out.files.push_back({std::move(d.name), std::move(d.content)});
    made.documents.clear();
  }
  const bool in_order = question.target != "all";
  if (in_order) refuse_orders_across(jobs, diagnostics);
  add_submission(jobs, in_order, out, diagnostics);
  if (question.kustomize) add_kustomization(out);
  return out;
}

}  // namespace muster::driver
