// PAR001 world-size, PAR002 tp-crosses-node, PAR003 declared-twice, PAR004 tp-serving-gpus, NET002
// nccl-transport-unchecked, NET003 nccl-forced-tcp, NET005 nccl-loopback: the words of a program beside what the
// workload asks for. What `parallelism { }` says of the machines the checker and the planner report.
#include <algorithm>
#include <charconv>

#include "compiler/base/text.h"
#include "compiler/shell/launchers.h"
#include "lint/heuristics.h"
#include "lint/rules/spec/scene.h"
#include "plan/steps/parallel.h"

namespace muster::lint {
namespace {

using model::Role;
using Arguments = std::vector<model::Located<std::string>>;

struct StatedDegree {
  std::int64_t value = 0;
  Span span;
};

// The number behind one of the flags, `--flag 8` or `--flag=8`; nullopt: none of them is there with a number.
std::optional<StatedDegree> number_of(const Arguments& arguments, const std::vector<std::string>& flags) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i].value;
    const std::size_t equals = word.find('=');
    std::string flag = word.substr(0, equals);
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (std::find(flags.begin(), flags.end(), flag) == flags.end()) continue;
    if (equals == std::string::npos && i + 1 == arguments.size()) return std::nullopt;
    const model::Located<std::string>& holder = equals == std::string::npos ? arguments[i + 1] : arguments[i];
    const std::string text = equals == std::string::npos ? holder.value : word.substr(equals + 1);
    StatedDegree out{0, holder.span};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.value);
    if (error != std::errc() || end != text.data() + text.size() || out.value < 1 || out.value > 1'000'000)
      return std::nullopt;
    return out;
  }
  return std::nullopt;
}

std::int64_t value_of(const std::optional<StatedDegree>& degree) { return degree ? degree->value : 1; }

// PAR001. Megatron's programs: tensor × pipeline × context divides the processes.
void check_world(const SpecScene& scene, const Role& role, const Arguments& arguments) {
  const auto tensor = number_of(arguments, {"--tensor-model-parallel-size"});
  const auto pipeline = number_of(arguments, {"--pipeline-model-parallel-size"});
  const auto context = number_of(arguments, {"--context-parallel-size"});
  if ((!tensor && !pipeline && !context) || role.launch.runner.value == model::Runner::none) return;
  const std::int64_t world = plan::demand_of(scene.workload, role).processes_together();
  const std::int64_t first = value_of(tensor) * std::min<std::int64_t>(value_of(pipeline), 1'000'000);
  const std::int64_t product = first > 1'000'000 ? first : first * value_of(context);
  if (world % product == 0) return;
  const Span where = tensor ? tensor->span : pipeline ? pipeline->span : context->span;
  scene.wrong_at(RuleId::world_size, where, model::Field::command,
                 "a model replica needs " + std::to_string(product) + " processes, but " + std::to_string(world) +
                     " start: " + (world < product ? "too few for one" : "not a whole number of replicas"));
}

// PAR002. Of `parallelism { }` the planner says it.
void check_tensor(const SpecScene& scene, const plan::RolePlan& role, const Arguments& arguments) {
  const auto tensor = number_of(arguments, {"--tensor-model-parallel-size"});
  if (!tensor || role.pool == nullptr || (role.role->parallelism && role.role->parallelism->tensor)) return;
  const std::int64_t joined = plan::nvlink_gpus(*role.pool);
  if (joined == 0 || tensor->value <= joined) return;
  scene.wrong_at(RuleId::tp_crosses_node, tensor->span, model::Field::command,
                 "a tensor-parallel group of " + std::to_string(tensor->value) + " GPUs spans more than the " +
                     counted(joined, "GPU") + " that NVLink connects in pool `" + role.pool->name + "`");
}

// PAR003. A program that is given the number of GPUs in words.
void check_twice(const SpecScene& scene, const Role& role, const Arguments& arguments) {
  std::vector<std::string> flags = {"--n-gpus-per-node"};
  for (const shell::LauncherRow& row : shell::launcher_rows())
    if (row.starts == shell::Starts::ranks && !row.of_all_nodes)
      for (const std::string_view name : names_in(row.processes)) flags.push_back("--" + std::string(name));
  const auto processes = number_of(arguments, flags);
  if (!processes || role.gpus() < 2 || processes->value != role.gpus()) return;
  scene
      .wrong_at(RuleId::declared_twice, processes->span, model::Field::command,
                "the " + std::to_string(role.gpus()) + " GPUs per node are repeated here as a number")
      .notes.push_back(
          "use `$MUSTER_GPUS_PER_NODE` in a script; a launcher of `launch { … }` gets the number from muster");
}

// PAR004. The server's degree beside the GPUs of a replica.
void check_server(const SpecScene& scene, const Role& role, const Arguments& arguments, bool surely) {
  if (scene.workload.kind.value != model::Kind::serve || role.gpus() == 0) return;
  const auto tensor = number_of(arguments, {"--tensor-parallel-size", "--tp-size", "--tp", "-tp"});
  const auto pipeline = number_of(arguments, {"--pipeline-parallel-size", "--pp-size", "--pp", "-pp"});
  const auto data = number_of(arguments, {"--data-parallel-size", "--dp-size", "--dp", "-dp"});
  if (!tensor) return;
  const std::int64_t product = tensor->value * std::min<std::int64_t>(value_of(pipeline), 1'000'000);
  const std::int64_t degree = product > 1'000'000 ? product : product * value_of(data),
                     gpus = plan::demand_of(scene.workload, role).gpus_of_replica();
  if (degree == gpus) return;
  Finding& f =
      scene.wrong_at(RuleId::tp_serving_gpus, tensor->span, surely ? model::Field::serve_args : model::Field::command,
                     "the server uses " + counted(degree, "GPU") + ", but a replica has " + std::to_string(gpus),
                     degree > gpus ? "it fails at start" : "the others are reserved but idle");
  if (degree < gpus) f.severity = Severity::warning;
  const std::int64_t rest = degree / tensor->value, fitting = gpus / rest;
  const std::string_view spelling = scene.context.sources.text(tensor->span);
  if (surely && fitting * rest == gpus && spelling == "\"" + std::to_string(tensor->value) + "\"")
    f.fix = Fix{"use the GPUs of the replica", true, {{tensor->span, "\"" + std::to_string(fitting) + "\""}}};
}

}  // namespace

Arguments arguments_of(const Role& role) {
  Arguments out;
  const auto* argv = role.program ? std::get_if<model::Argv>(&role.program->value) : nullptr;
  if (argv != nullptr)
    for (const model::Text& word : *argv) out.push_back({model::spelling(word), role.program->span});
  if (argv != nullptr)
    for (const auto& arg : role.args) out.push_back({model::spelling(arg.value), arg.span});
  return out;
}

std::string_view script_of(const Role& role) {
  const auto* script = role.program ? std::get_if<model::Script>(&role.program->value) : nullptr;
  return script == nullptr ? std::string_view() : std::string_view(script->bytes);
}

void check_parallel(const SpecScene& scene) {
  for (const Role& role : scene.workload.roles) {
    const Arguments arguments = arguments_of(role);
    check_world(scene, role, arguments);
    check_twice(scene, role, arguments);
    check_server(scene, role, arguments, false);
    if (scene.workload.serve && &role == &scene.workload.main())
      check_server(scene, role, scene.workload.serve->args, true);
  }
  if (!scene.result.plan) return;
  for (const plan::RolePlan& role : scene.result.plan->roles) check_tensor(scene, role, arguments_of(*role.role));
}

namespace {

// NET002. Programs of MPI alone have no NCCL; a benchmark of it shows what it is about.
bool shows_transport(const SpecScene& scene, const Role& role) {
  if (scene.workload.kind.value == model::Kind::mpi || (role.preflight && role.preflight->nccl)) return true;
  const auto is_log = [](const model::EnvVar& v) { return v.name == "NCCL_DEBUG"; };
  if (std::any_of(role.env.begin(), role.env.end(), is_log)) return true;
  const Arguments arguments = arguments_of(role);
  return std::any_of(transport_checks.begin(), transport_checks.end(), [&](std::string_view sign) {
    const auto has = [&](const auto& word) { return word.value.find(sign) != std::string::npos; };
    return script_of(role).find(sign) != std::string_view::npos || std::any_of(arguments.begin(), arguments.end(), has);
  });
}

}  // namespace

// Of a gang over nodes: what NCCL talks over, and what the environment tells it.
void check_transport(const SpecScene& scene) {
  if (!scene.result.plan || decided(*scene.result.plan, "coupled") != "multi-node") return;
  bool reported = false;  // the roles of one job are alike in this
  for (const plan::RolePlan& role : scene.result.plan->roles) {
    if (role.total() < 2 || role.gpus == 0) continue;
    const bool fast = role.pool != nullptr && has_rdma(*role.pool);
    for (const model::EnvVar& variable : role.role->env) {
      if (is_local_interface(variable.name, variable.value.bytes))
        scene.wrong_at(RuleId::nccl_loopback, variable.span,
                       scene.field_in(*role.role, {model::Field::env, variable.name}),
                       "`" + variable.name + "` selects `" + variable.value.bytes +
                           "`, which the other nodes of the job cannot reach");
      if (!forces_tcp(variable.name, variable.value.bytes) || (role.pool != nullptr && !fast)) continue;
      Finding& f = scene.wrong_at(
          RuleId::nccl_forced_tcp, variable.span, scene.field_in(*role.role, {model::Field::env, variable.name}),
          "`" + variable.name + "` sends the traffic of " + std::to_string(role.total()) + " nodes over TCP",
          fast ? "the nodes have " + role.pool->fabric : "");
      if (!fast) f.severity = Severity::warning;  // the cluster may have nothing else
    }
    if (!fast || reported || shows_transport(scene, *role.role)) continue;
    reported = true;
    scene
        .wrong(RuleId::nccl_transport_unchecked, scene.field_in(*role.role, model::Field::resources_nodes),
               "nothing verifies that NCCL uses " + role.pool->fabric + ", so a fallback to TCP goes unnoticed")
        .notes.push_back("add `preflight { nccl = required }` to test it before the program starts");
  }
}

}  // namespace muster::lint
