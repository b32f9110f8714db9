#include <algorithm>

#include "tests/loss/pods.h"

namespace muster::loss {

// The words that the container runs, those in the file of the program too.
std::vector<std::string> program_arguments(const Pods& p) {
  std::vector<std::string> out;
  for (const Tree& word : p.container["command"].items)
    if (const std::string text = expanded(scalar(word)); text != "/bin/sh" && text != "/job/start") out.push_back(text);
  for (const Tree& word : p.container["args"].items) out.push_back(expanded(scalar(word)));
  out.insert(out.end(), p.words.begin(), p.words.end());
  return out;
}

// What the launcher of an MPIJob runs.
std::vector<std::string> launcher_words(const Pods& p) {
  std::vector<std::string> out;
  for (const Tree& container : p.main["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"].items)
    for (const Tree& word : container["command"].items) out.push_back(expanded(scalar(word)));
  return out;
}

bool in_config(const Pods& p, const std::string& bytes) {
  return std::any_of(p.objects.begin(), p.objects.end(),
                     [&](const Tree& o) { return scalar(o["kind"]) == "ConfigMap" && holds(o["data"], bytes); });
}

std::string find_command(const Pods& p) {
  const auto* argv = p.role.program ? std::get_if<model::Argv>(&p.role.program->value) : nullptr;
  return when(argv != nullptr && in_a_row(program_arguments(p), model::spellings(*argv)), "args");
}

std::string find_script(const Pods& p) {
  const auto* script = p.role.program ? std::get_if<model::Script>(&p.role.program->value) : nullptr;
  if (script == nullptr) return {};
  const std::vector<std::string> words = program_arguments(p);
  const auto has_it = [&](const std::string& word) {  // behind lines that set variables, or alone
    return word == script->bytes || word.ends_with("\n" + script->bytes);
  };
  return when(std::any_of(words.begin(), words.end(), has_it) || in_config(p, script->bytes),
              "the command, or a ConfigMap");
}

std::string told(const Pods& p, const std::string& variable) {
  for (const Tree& item : p.container["env"].items)
    if (scalar(item["name"]) == variable) return item["valueFrom"] ? "a field of the pod" : scalar(item["value"]);
  for (const std::string& word : p.words)
    if (word.starts_with(variable + "=")) return word.substr(variable.size() + 1);
  return {};
}

std::string find_processes(const Pods& p) {
  const std::int64_t each = p.role.launch.processes->value;
  const std::string n = std::to_string(each), all = std::to_string(each * p.role.nodes());
  if (told(p, "PET_NPROC_PER_NODE") == n || told(p, "MUSTER_PROCS_PER_NODE") == n) return "the environment";
  for (const char* key : {"nprocPerNode", "numProcPerNode", "nProcPerNode", "slotsPerWorker"})
    if (says(p.main, key, each)) return key;
  const bool counted = p.start.find("-lt " + n + " ]") != std::string::npos;
  return when(counted || p.start.find("--num_processes " + all + " ") != std::string::npos, "the prelude");
}

namespace {

bool holds_program(const Pods& p) {
  if (!p.role.program && p.work.serve && p.work.serve->engine) return !program_arguments(p).empty();
  if (!p.role.program) return p.container["image"].there();  // its own
  return !find_command(p).empty() || !find_script(p).empty();
}

// Whether the container, or its prelude, starts this launcher.
bool runs(const Pods& p, const std::string& launcher) {
  const std::vector<std::string> words = program_arguments(p);
  const auto is_it = [&](const std::string& word) { return word == launcher; };
  return std::any_of(words.begin(), words.end(), is_it) || holds(p.container["command"], launcher);
}

}  // namespace

std::string find_runner(const Pods& p) {
  const std::string per_node = std::to_string(p.role.processes());
  switch (p.role.launch.runner.value) {
    case model::Runner::torchrun:
      // A script starts it itself.
      if (find_script(p).empty() && !runs(p, "torchrun")) return {};
      if (const auto& nodes = p.role.resources.nodes;
          scalar(p.main["kind"]) == "PyTorchJob" && nodes && nodes->value.high > nodes->value.low)
        return when(scalar(p.main["spec"]["elasticPolicy"]["nProcPerNode"]) == per_node, "elasticPolicy");
      return when(scalar(p.main["spec"]["nprocPerNode"]) == per_node ||
                      scalar(p.main["spec"]["trainer"]["numProcPerNode"]) == per_node ||
                      !told(p, "PET_NPROC_PER_NODE").empty(),
                  "PET_*");
    case model::Runner::accelerate: return when(p.start.find("accelerate launch") != std::string::npos, "the prelude");
    case model::Runner::processes: return when(p.start.find("LOCAL_RANK=") != std::string::npos, "the prelude");
    case model::Runner::mpi:
      return when(scalar(p.main["spec"]["slotsPerWorker"]) == per_node &&
                      in_a_row(launcher_words(p), {"-np", std::to_string(p.role.nodes() * p.role.processes())}),
                  "mpirun and its slots");
    case model::Runner::ray: return when(scalar(p.main["kind"]).starts_with("Ray"), "the kind of object");
    case model::Runner::none: return when(holds_program(p), "the container's start");
    default: return {};
  }
}

}  // namespace muster::loss
