#include "targets/elsewhere.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/asks.h"
#include "targets/kubernetes/own_block.h"
#include "targets/shell.h"

namespace muster::targets {
namespace {

// How a resource is called, the keys that say it too, and an example of one.
struct AskRow {
  Asks asks;
  std::string_view what;
  std::vector<Field> keys;
  std::string_view example;
};

const AskRow& row_of(Asks asks) {
  static const AskRow rows[] = {
      {Asks::nothing, "nothing", {}, ""},
      {Asks::nodes, "nodes", {Field::resources_nodes}, "nodes = 2"},
      {Asks::whole_nodes, "whole nodes", {Field::resources_exclusive}, "resources { exclusive = true }"},
      {Asks::tasks, "processes", {Field::launch_processes, Field::resources_cpus}, "launch { processes = 4 }"},
      {Asks::cpus, "CPUs", {Field::resources_cpus}, "cpus = 4"},
      {Asks::gpus, "GPUs", {Field::resources_gpus, Field::resources_gpu_share, Field::resources_gpu_slice}, "gpus = 1"},
      {Asks::memory, "memory", {Field::resources_memory}, "memory = 16GiB"},
      {Asks::disk, "disk space", {Field::resources_disk}, "resources { disk = 100GiB }"},
      {Asks::time, "time", {Field::time_limit}, "time-limit = 4h"}};
  return *std::find_if(std::begin(rows), std::end(rows), [&](const AskRow& row) { return row.asks == asks; });
}

bool reads_block(const Target& target, const model::TargetOptions& block) {
  return block.target == target.name || block.target == target.capabilities.plane_name();
}

class Elsewhere {
 public:
  Elsewhere(const Target& target, const plan::Plan& plan, Diagnostics& diagnostics)
      : target_(target), workload_(*plan.workload), diagnostics_(diagnostics) {}

  void check(const model::TargetOptions& block) {
    const Target* owner = find_target(block.target);
    if (owner == nullptr || reads_block(target_, block)) return;
    const bool pods = model::traits_of(owner->capabilities.plane).family == model::PlaneFamily::pods;
    for (const model::RawOption& option : block.options) {
      if (pods && option.name == kubernetes::gives_option) check_names(block, option);
      else if (kubernetes::is_template_option(block.target, option.name)) refuse_program(block, option);
      else if (pods) check_amounts(block, option, kubernetes::asks_of(block.target, option));
      else if (owner->capabilities.plane == model::PlaneKind::slurm)
        check_amounts(block, option, slurm::asks_of(option));
    }
  }

 private:
  std::string name() const { return "target `" + std::string(target_.name) + "`"; }

  Diagnostic& refuse(Code code, Span at, const std::string& message, const std::string& help) {
    Diagnostic& d = diagnostics_.add(code, at, message);
    d.notes.push_back(help);
    return d;
  }

  // `cpus = default` answers a question for CPUs, and is no count of processes.
  bool is_no_count(Field field) const {
    return field == Field::resources_cpus &&
           std::all_of(workload_.roles.begin(), workload_.roles.end(),
                       [](const model::Role& role) { return model::is_left_to_site(role.resources.cpus); });
  }

  bool says(const AskRow& row) const {
    return std::any_of(workload_.written.begin(), workload_.written.end(), [&](const model::WrittenField& written) {
      const Field field = written.field.field;
      return std::find(row.keys.begin(), row.keys.end(), field) != row.keys.end() &&
             (row.asks != Asks::tasks || !is_no_count(field));
    });
  }

  void check_amounts(const model::TargetOptions& block, const model::RawOption& option, const std::vector<Asks>& asks) {
    for (const Asks one : asks) {
      const AskRow& row = row_of(one);
      if (one == Asks::nothing || says(row)) continue;
      refuse(Code::asks_elsewhere, option.value.span,
             "`" + option.name + "` of `target " + block.target + "` asks for " + std::string(row.what) + ", which " +
                 name() + " does not read",
             "write `" + std::string(row.example) + "` with your amount, and remove the option; or use target `" +
                 block.target + "`");
    }
  }

  void refuse_program(const model::TargetOptions& block, const model::RawOption& option) {
    refuse(Code::target_refuses, option.value.span,
           "the pods of `" + option.name + "` run another program, which only target `" + block.target + "` writes",
           "remove the option if all pods may run the same program, or make it a workload of its own");
  }

  // ---- names

  void check_names(const model::TargetOptions& block, const model::RawOption& option) {
    for (const std::string& given : kubernetes::names_given(option.value.value))
      for (const model::Role& role : workload_.roles) check_name(block, option.value.span, role, given);
  }

  void refuse_name(const model::TargetOptions& block, Span at, const std::string& given, const std::string& where) {
    refuse(Code::not_given, at,
           "`" + given + "`" + where + " is provided by target `" + block.target + "`, not by " + name(),
           "write a run reference such as `${run.node-rank}` or `${run.head}`, or set it in `env`");
  }

  static bool sets(const model::Role& role, std::string_view name) {
    return std::any_of(role.env.begin(), role.env.end(), [&](const model::EnvVar& v) { return v.name == name; }) ||
           std::any_of(role.secrets.begin(), role.secrets.end(),
                       [&](const model::Secret& s) { return s.env && s.env->value == name; });
  }

  // At the first place that reads it; of a text at the list, which has the name.
  void check_name(const model::TargetOptions& block, Span listed, const model::Role& role, const std::string& given) {
    if (sets(role, given)) return;
    for (const model::Text* text : model::run_texts(role)) {
      for (const model::Reference& reference : text->references)
        if (reference.to == model::RefersTo::env && reference.name == given)
          return refuse_name(block, reference.span.known() ? reference.span : listed, given, "");
      const bool there = text->bytes.find(given) != std::string::npos;
      if (there && (!is_env_name(given) || base_name(text->bytes) == given))
        return refuse_name(block, listed, given, " in `command`");
    }
    const auto* script = role.program ? std::get_if<model::Script>(&role.program->value) : nullptr;
    if (script == nullptr) return;
    const std::size_t at = word_in(script->bytes, given);
    if (at == std::string::npos) return;
    const auto line =
        1 + std::count(script->bytes.begin(), script->bytes.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    refuse_name(block, listed, given, " in line " + std::to_string(line) + " of the script");
  }

  // Where a text has it as a word of its own.
  static std::size_t word_in(std::string_view text, std::string_view word) {
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at) {
      const std::size_t end = at + word.size();
      if ((at == 0 || !is_name_char(text[at - 1])) && (end == text.size() || !is_name_char(text[end]))) return at;
    }
    return std::string_view::npos;
  }

  const Target& target_;
  const model::Workload& workload_;
  Diagnostics& diagnostics_;
};

}  // namespace

void refuse_what_is_elsewhere(const Target& target, const plan::Plan& plan, Diagnostics& diagnostics) {
  Elsewhere elsewhere(target, plan, diagnostics);
  for (const model::TargetOptions& block : plan.workload->targets) elsewhere.check(block);
}

}  // namespace muster::targets
