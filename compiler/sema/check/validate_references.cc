// That the run references of a workload name what it has.
#include <algorithm>
#include <array>
#include <map>

#include "compiler/base/text.h"
#include "compiler/sema/check/validate.h"

namespace muster::sema {
namespace {

using model::Reference;
using model::RefersTo;

constexpr std::array<std::string_view, 7> set_in_process = {
    "RANK", "LOCAL_RANK", "GROUP_RANK", "ROLE_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "TORCHELASTIC_RESTART_COUNT"};

bool is_variable(std::string_view name) {
  return !name.empty() && is_name_start(name[0]) && std::all_of(name.begin(), name.end(), is_name_char);
}

class References {
 public:
  References(const model::Workload& workload, const model::Role& role, Diagnostics& diagnostics)
      : workload_(workload), role_(role), diagnostics_(diagnostics) {
    for (const model::EnvVar& variable : role.env) env_.try_emplace(variable.name, &variable);
  }

  void check(const model::Text& text) {
    for (const Reference& reference : text.references) check(reference);
  }

  // A variable of `env` is what the program finds, so that the order of the entries says nothing.
  void check_env(const model::EnvVar& var) {
    for (const Reference& reference : var.value.references) {
      if (reference.to != RefersTo::env || reference.name == var.name) continue;
      if (const auto other = env_.find(reference.name); other != env_.end())
        diagnostics_
            .add(Code::conflict, reference.span, "`" + var.name + "` refers to another entry of the same `env`",
                 "`" + reference.name + "` is one of them")
            .labels.push_back({other->second->span, "set here"});
    }
  }

 private:
  void check(const Reference& r) {
    switch (r.to) {
      case RefersTo::env:
        if (!is_variable(r.name)) unknown(r, "is not a name of an environment variable", {});
        else if (is_of_process(r.name)) of_process(r);
        return;
      case RefersTo::mount: return among(r, "mount", role_.mounts);
      case RefersTo::port: return among(r, "port", role_.ports);
      case RefersTo::address: return address(r);
      case RefersTo::checkpoint: return checkpoint(r);
      case RefersTo::run: return of_the_run(r);
      case RefersTo::axis: return axis(r);
    }
  }

  // What a launcher with processes of its own sets in each of them.
  bool is_of_process(std::string_view name) const {
    const model::Runner runner = role_.launch.runner.value;
    return (runner == model::Runner::torchrun || runner == model::Runner::accelerate) &&
           std::find(set_in_process.begin(), set_in_process.end(), name) != set_in_process.end();
  }

  void of_process(const Reference& r) {
    diagnostics_
        .add(Code::conflict, r.span,
             "`" + r.name + "` is set by the launcher in each process, after its command line is read",
             "not known here")
        .notes.push_back("read `" + r.name +
                         "` in the program, or write `${run.node-rank}` for the number of the node");
  }

  void unknown(const Reference& r, const std::string& why, const std::vector<std::string_view>& known) {
    const std::string first(model::name(r.to));
    Diagnostic& d = diagnostics_.add(Code::unknown_variable, r.span, "`${" + first + "." + r.name + "}` " + why);
    const std::string near = closest(r.name, known);
    if (!near.empty()) d.notes.push_back("did you mean `${" + first + "." + near + "}`?");
    else if (!known.empty())
      d.notes.push_back("there " + std::string(known.size() == 1 ? "is " : "are ") + quoted_list(known));
  }

  void among(const Reference& r, const std::string& noun, const auto& items) {
    std::vector<std::string_view> known;
    for (const auto& item : items) known.push_back(item.name);
    if (std::find(known.begin(), known.end(), r.name) == known.end())
      unknown(r, "names a " + noun + " that the workload does not have", known);
  }

  void address(const Reference& r) {
    if (workload_.roles.size() > 1) return among(r, "role", workload_.roles);
    unknown(r, "names a role, but the workload has none; write `${run.head}` for its first node", {});
  }

  void checkpoint(const Reference& r) {
    if (r.name != "path") return unknown(r, "is not known", {"path"});
    if (!workload_.checkpoint || !workload_.checkpoint->path)
      unknown(r, "requires `checkpoint { path = … }`, which the workload does not have", {});
  }

  void of_the_run(const Reference& r) {
    const std::vector<std::string_view> known(model::run_names.begin(), model::run_names.end());
    if (std::find(known.begin(), known.end(), r.name) == known.end()) return unknown(r, "is not known of a run", known);
    if (r.name == "point" && !workload_.sweep) unknown(r, "requires a `sweep`, which the workload does not have", {});
  }

  void axis(const Reference& r) {
    const auto is_it = [&](const model::Axis& a) { return a.name == r.name; };
    if (workload_.sweep && std::any_of(workload_.sweep->axes.begin(), workload_.sweep->axes.end(), is_it)) return;
    Diagnostic& d = diagnostics_.add(Code::unknown_variable, r.span, "axis `" + r.name + "` is not declared");
    if (r.name.find('.') != std::string::npos)
      d.notes.push_back("a run reference begins with `env`, `mount`, `port`, `address`, `checkpoint` or `run`");
    d.notes.push_back("for a literal dollar sign, write '$" + r.name + "' or \"\\$" + r.name + "\"");
  }

  const model::Workload& workload_;
  const model::Role& role_;
  Diagnostics& diagnostics_;
  std::map<std::string_view, const model::EnvVar*> env_;  // by name
};

}  // namespace

void validate_references(const model::Workload& workload, const model::Role& role, Diagnostics& diagnostics) {
  References references(workload, role, diagnostics);
  for (const model::Text* text : model::run_texts(role)) references.check(*text);
  for (const model::EnvVar& var : role.env) references.check_env(var);
}

}  // namespace muster::sema
