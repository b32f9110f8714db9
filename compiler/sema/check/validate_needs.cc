// Checks of a role's keys against each other and against the workload.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "compiler/base/limits.h"
#include "compiler/base/order.h"
#include "compiler/base/text.h"
#include "compiler/model/coupling.h"
#include "compiler/model/engines.h"
#include "compiler/sema/check/validate.h"

namespace muster::sema {
namespace {

using model::Role;
using model::Workload;

// Reports that `a` conflicts with `b`, and labels `b`.
Diagnostic& conflict(Diagnostics& diagnostics, Span a, std::string message, Span b, std::string other) {
  Diagnostic& d = diagnostics.add(Code::conflict, a, std::move(message));
  if (b.known()) d.labels.push_back({b, std::move(other)});
  return d;
}

Span nodes_span(const Role& role) {
  return role.resources.nodes ? role.resources.nodes->span : role.resources.gpus ? role.resources.gpus->span : Span{};
}

// tensor × pipeline × context × data must be the GPUs of a replica. The product stops where it exceeds them, so it
void check_parallelism(const Role& role, Diagnostics& diagnostics) {
  if (!role.parallelism) return;
  const model::Parallelism& p = *role.parallelism;
  const std::int64_t gpus = role.nodes() * role.gpus();
  std::int64_t product = 1;
  std::string terms;
  const std::pair<std::string_view, const model::Optional<std::int64_t>&> degrees[] = {
      {"tensor", p.tensor}, {"pipeline", p.pipeline}, {"context", p.context}, {"data", p.data}};
  for (const auto& [name, degree] : degrees) {
    if (!degree) continue;
    product = product > gpus ? product : product * degree->value;
    terms += (terms.empty() ? "" : " × ") + std::string(name) + " " + std::to_string(degree->value);
  }
  const bool good = p.data ? product == gpus : product > 0 && gpus % product == 0 && gpus > 0;
  if (good || terms.empty()) return;
  conflict(diagnostics, p.span,
           terms + (p.data ? " is not " : " does not divide ") + "the " + counted(gpus, "GPU") + " of a replica",
           nodes_span(role), counted(role.nodes(), "node") + " of " + counted(role.gpus(), "GPU"));
}

void check_gpu_part(const Role& role, Diagnostics& diagnostics) {
  const model::Resources& r = role.resources;
  if (!r.part_of_gpu()) return;
  const Span part = r.gpu_share ? r.gpu_share->span : r.gpu_slice->span;
  if (r.gpus && r.gpus->value > 0)
    conflict(diagnostics, part, "`gpus` cannot be combined with a part of one GPU", r.gpus->span,
             "requests whole GPUs");
  if (r.gpu_share && r.gpu_slice)
    conflict(diagnostics, r.gpu_slice->span, "`gpu-share` and `gpu-slice` cannot be combined", r.gpu_share->span,
             "the share");
  if (role.nodes() > 1)
    conflict(diagnostics, part, "a role with a part of one GPU must have one node", nodes_span(role),
             "requests several nodes");
}

// The path of a file that the job writes: inside its own folder, or absolute in a container.
void check_job_file(const model::Located<std::string>& path, std::string_view what, Diagnostics& diagnostics) {
  if (path.value.starts_with('/')) check_absolute(path, what, diagnostics);
  else check_relative(path, what, diagnostics);
}

void check_secrets(const Role& role, Diagnostics& diagnostics) {
  for (const model::Secret& secret : role.secrets) {
    if (secret.file) check_job_file(*secret.file, "the secret's file", diagnostics);
    if (!secret.env && !secret.file)
      diagnostics.add(Code::needs, secret.span, "secret `" + secret.name + "` requires `env` or `file`",
                      "the program cannot find it");
    if (!secret.env) continue;
    if (secret.env->value.starts_with("MUSTER_"))
      diagnostics.add(Code::name_not_valid, secret.env->span,
                      "`MUSTER_*` names are reserved for the run-time contract");
    for (const model::EnvVar& var : role.env)
      if (var.name == secret.env->value)
        conflict(diagnostics, secret.env->span, "`" + var.name + "` is also set by `env`", var.span, "set here");
  }
}

bool is_mode(std::string_view mode) {
  return (mode.size() == 3 || (mode.size() == 4 && mode[0] == '0')) &&
         std::all_of(mode.begin(), mode.end(), [](char c) { return c >= '0' && c <= '7'; });
}

void check_files(const Role& role, Diagnostics& diagnostics) {
  for (const model::SmallFile& file : role.files) {
    check_job_file(file.path, "the file's path", diagnostics);
    if (file.bytes.size() > value_of(Limit::text_bytes))
      diagnostics.add(Code::out_of_range, file.path.span, "a `file` block is limited to 1 MiB");
    if (file.mode && !is_mode(file.mode->value))
      diagnostics.add(Code::out_of_range, file.mode->span,
                      "invalid permissions; expected a mode such as \"0644\" or \"755\"");
  }
}

const model::Port* find_port(const Role& role, const model::Optional<std::string>& name) {
  if (!name) return role.ports.size() == 1 ? &role.ports.front() : nullptr;
  for (const model::Port& port : role.ports)
    if (port.name == name->value) return &port;
  return nullptr;
}

std::string as_variable(std::string name) {
  for (char& c : name) c = c == '-' || c == '.' ? '_' : to_upper(c);
  return name;
}

// Programs find ports, mounts and roles in the environment: `a-b` and `a_b` are both MUSTER_PORT_A_B.
template <class Named>
void check_variables(const std::vector<Named>& all, const std::string& what, const std::string& prefix,
                     Diagnostics& diagnostics) {
  std::map<std::string, const Named*> seen;
  for (const Named& one : all) {
    const auto [first, fresh] = seen.try_emplace(prefix + as_variable(one.name), &one);
    if (!fresh && first->second->name != one.name)
      conflict(diagnostics, one.span,
               what + "s `" + first->second->name + "` and `" + one.name + "` share the environment variable " +
                   first->first,
               first->second->span, "the other " + what);
  }
}

void check_ports(const Role& role, Diagnostics& diagnostics) {
  check_variables(role.ports, "port", "MUSTER_PORT_", diagnostics);
  for (std::size_t i = 0; i < role.ports.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (role.ports[i].number.value == role.ports[j].number.value) {
        conflict(
            diagnostics, role.ports[i].number.span,
            "port " + std::to_string(role.ports[i].number.value) + " is already used by `" + role.ports[j].name + "`",
            role.ports[j].number.span, "used here");
        break;
      }
}

void check_probes(const Role& role, Diagnostics& diagnostics) {
  for (const model::Probe& probe : role.probes) {
    const int ways = (probe.http ? 1 : 0) + (probe.tcp ? 1 : 0) + (probe.command.empty() ? 0 : 1);
    if (ways != 1)
      diagnostics.add(ways == 0 ? Code::needs : Code::conflict, probe.span,
                      "a probe must have exactly one of `http`, `tcp` and `command`");
    if (probe.http && !probe.http->value.is_absolute())
      diagnostics.add(Code::name_not_valid, probe.http->span, "`http` must be a path that begins with `/`");
    if ((probe.http || probe.tcp || probe.port) && find_port(role, probe.port) == nullptr)
      diagnostics.add(
          Code::needs, probe.port ? probe.port->span : probe.span,
          probe.port ? "port `" + probe.port->value + "` is not declared" : "the probe does not name a port",
          "add `port NAME { number = … }`");
  }
}

const Role* find_role(const Workload& w, std::string_view name) {
  for (const Role& role : w.roles)
    if (role.name == name) return &role;
  return nullptr;
}

bool has_readiness(const Role& role) {
  return std::any_of(role.probes.begin(), role.probes.end(),
                     [](const model::Probe& p) { return p.kind == model::ProbeKind::readiness; });
}

void check_role_order(const Workload& w, Diagnostics& diagnostics) {
  check_variables(w.roles, "role", "MUSTER_ADDR_", diagnostics);
  Graph graph(w.roles.size());
  for (std::size_t i = 0; i < w.roles.size(); ++i)
    for (const model::RoleStart& start : w.roles[i].depends_on) {
      const Role* other = find_role(w, start.role);
      if (other == nullptr) {
        diagnostics.add(Code::unknown_name, start.span, "the workload has no role `" + start.role + "`");
        continue;
      }
      if (start.on == model::StartOn::ready && !has_readiness(*other))
        conflict(diagnostics, start.span, "`on = ready` requires `probe readiness { … }` in role `" + start.role + "`",
                 other->span, "has no readiness probe");
      graph[i].push_back(static_cast<std::size_t>(other - w.roles.data()));
    }
  if (const auto cycle = find_cycle(graph))
    diagnostics.add(Code::conflict, w.roles[*cycle].span, "the roles wait for each other in a cycle");
}

void check_gang(const Workload& w, Diagnostics& diagnostics) {
  if (w.gang && w.gang->value == model::Gang::none && model::couples(w.kind.value))
    conflict(diagnostics, w.gang->span, "`gang = none` is only allowed for kinds `batch`, `sweep`, `serve` and `dev`",
             w.kind.span, "the kind");
  for (const Role& role : w.roles) {
    if (!role.replicas) continue;
    const auto& [count, span] = *role.replicas;
    if (count.low == 0 && !w.scale)
      diagnostics.add(Code::needs, span, "`replicas = 0` requires `scale { … }`", "nothing would run");
    if (w.sweep && count.high > 1)
      conflict(diagnostics, span, "a sweep runs one copy per point, so `replicas` must be 1", w.sweep->span,
               "the sweep");
  }
  if (w.scale && std::none_of(w.roles.begin(), w.roles.end(), [](const Role& r) {
        return r.replicas && r.replicas->value.high > r.replicas->value.low;
      }))
    diagnostics.add(Code::needs, w.scale->span, "`scale` requires a range of `replicas`, such as `replicas = 1..4`");
  // Autoscalers count in thousandths.
  if (w.scale && w.scale->target && std::strtod(w.scale->target->value.c_str(), nullptr) < 0.001)
    diagnostics.add(Code::out_of_range, w.scale->target->span, "`target` must be at least 0.001");
}

void check_services(const Workload& w, Diagnostics& diagnostics) {
  if (w.serve && w.kind.value != model::Kind::serve)
    conflict(diagnostics, w.serve->span, "a `serve` block is only allowed in a workload of kind `serve`", w.kind.span,
             "the kind");
  if (w.dev && w.kind.value != model::Kind::dev)
    conflict(diagnostics, w.dev->span, "a `dev` block is only allowed in a workload of kind `dev`", w.kind.span,
             "the kind");
  if (!w.serve) return;
  if (w.serve->engine && !w.serve->model)
    diagnostics.add(Code::needs, w.serve->engine->span, "`engine` requires `model`");
  if (!w.serve->args.empty() && !w.serve->engine)
    diagnostics.add(Code::needs, w.serve->args.front().span, "`args` of `serve` requires `engine`");
  const bool known = std::any_of(w.roles.begin(), w.roles.end(),
                                 [&](const Role& r) { return find_port(r, w.serve->port) != nullptr; });
  if (w.serve->port && !known)
    diagnostics.add(Code::needs, w.serve->port->span, "port `" + w.serve->port->value + "` is not declared",
                    "add `port NAME { number = … }`");
}

// The server that muster starts uses every GPU of a replica, or what to write is said.
void check_engine(const Workload& w, const Role& role, Diagnostics& diagnostics) {
  if (!w.serve || !w.serve->engine || role.program || role.gpus() == 0) return;
  const model::EngineRow& row = model::row_of(w.serve->engine->value);
  const std::string engine = "engine `" + std::string(model::name(row.engine)) + "`";
  const bool by_ray = row.joins_by_ray && role.launch.runner.value == model::Runner::ray;
  if (role.nodes() > 1 && !by_ray && !model::says(*w.serve, row.joins_nodes)) {
    diagnostics
        .add(Code::needs, nodes_span(role),
             engine + " starts a server of one node, but a replica has " + counted(role.nodes(), "node"))
        .notes.push_back("write `nodes = 1`, or the server's `command` with `${run.head}` and `${run.node-rank}`");
    return;
  }
  const model::ServerDegrees degrees = model::server_degrees(*w.serve, role);
  const std::int64_t gpus = role.gpus() * role.nodes();
  const bool is_written = degrees.data == 1 || !row.data.empty();
  if (degrees.stated_by_args || (degrees.gpus() == gpus && is_written)) return;
  const std::int64_t used = degrees.gpus() / (is_written ? 1 : degrees.data);
  const std::string pipeline = role.nodes() > 1 ? "  pipeline = " + std::to_string(role.nodes()) : "";
  diagnostics
      .add(Code::needs, role.parallelism ? role.parallelism->span : w.serve->engine->span,
           engine + " would use " + std::to_string(used) + " of the " + counted(gpus, "GPU") + " of a replica")
      .notes.push_back("write `parallelism { tensor = " + std::to_string(role.gpus()) + pipeline + " }`");
}

}  // namespace

std::optional<std::size_t> find_cycle(const Graph& graph) {
  const std::vector<std::size_t> order = order_of(graph);
  std::vector<bool> comes(graph.size(), false);
  for (const std::size_t node : order) comes[node] = true;
  for (std::size_t node = 0; node < graph.size(); ++node)
    if (!comes[node]) return node;
  return std::nullopt;
}

void validate_needs(const Workload& w, Diagnostics& diagnostics) {
  check_gang(w, diagnostics);
  check_services(w, diagnostics);
  check_role_order(w, diagnostics);
  if (!w.option.empty() && (w.roles.size() > 1 || w.main().span.known()))
    conflict(diagnostics, w.option_span, "`any-of` cannot be combined with `role` blocks", w.main().span, "a role");
  for (const Role& role : w.roles) {
    check_parallelism(role, diagnostics);
    check_engine(w, role, diagnostics);
    check_gpu_part(role, diagnostics);
    check_secrets(role, diagnostics);
    check_files(role, diagnostics);
    check_ports(role, diagnostics);
    check_variables(role.mounts, "mount", "MUSTER_MOUNT_", diagnostics);
    check_probes(role, diagnostics);
    if (role.preflight && role.gpus() == 0 && !role.resources.part_of_gpu())
      diagnostics.add(Code::needs, role.preflight->span, "`preflight` tests GPUs and requires `gpus`");
  }
}

namespace {

// Task by task, as the systems count them: ids that differ would leave tasks that wait for none.
void check_each(const Workload& w, const Workload& other, const model::After& after, Diagnostics& diagnostics) {
  const std::string names = "`" + w.name + "` and `" + other.name + "`";
  const auto fault = [&](const std::string& message, const std::string& help) {
    diagnostics.add(Code::conflict, after.span, message).notes.push_back(help);
  };
  const std::string whole = "or remove `each`, so that all points wait for all of `" + other.name + "`";
  if (!w.sweep || !other.sweep)
    return fault("`each` orders the points of two sweeps, but `" + (w.sweep ? other.name : w.name) + "` has no sweep",
                 "add `sweep { axes { seed = 1..4 } }` to it, " + whole);
  const std::size_t points = w.sweep->points(), others = other.sweep->points();
  if (points != others)
    return fault("`each` requires as many points in both sweeps: `" + w.name + "` has " + std::to_string(points) +
                     ", `" + other.name + "` has " + std::to_string(others),
                 "give both the same axes, " + whole);
  if (w.sweep->task_ids() != other.sweep->task_ids())
    fault("`each` goes by task ids, and those of " + names + " are not the same",
          "write the same values in both: of a single axis of whole numbers they are the task ids; " + whole);
}

}  // namespace

void validate_order(const std::vector<Workload>& workloads, Diagnostics& diagnostics) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < workloads.size(); ++i) index.emplace(workloads[i].name, i);
  Graph graph(workloads.size());
  std::vector<std::string_view> names;
  for (const Workload& w : workloads) names.push_back(w.name);
  for (std::size_t i = 0; i < workloads.size(); ++i)
    for (const model::After& after : workloads[i].depends_on) {
      if (const auto found = index.find(after.workload); found != index.end()) {
        graph[i].push_back(found->second);
        if (after.each) check_each(workloads[i], workloads[found->second], after, diagnostics);
        continue;
      }
      Diagnostic& d =
          diagnostics.add(Code::unknown_name, after.span, "workload `" + after.workload + "` does not exist");
      if (const std::string near = closest(after.workload, names); !near.empty())
        d.fixes.push_back({after.span, near, "did you mean `" + near + "`?", false});
    }
  if (const auto cycle = find_cycle(graph))
    diagnostics.add(Code::conflict, workloads[*cycle].depends_on.front().span,
                    "the workloads wait for each other in a cycle");
}

}  // namespace muster::sema
