// `site NAME { … }` to model::Site.
#include <algorithm>
#include <span>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/builders.h"
#include "compiler/sema/validate.h"

namespace muster::sema {
namespace {

// Keys that mean something on one family of planes only are errors on the other.
void check_family(const Node& node, const model::Plane& plane, Diagnostics& diagnostics) {
  constexpr std::string_view slurm[] = {"containers", "gpu-request", "topology",    "mpi",
                                        "export",     "login-shell", "user-signal", "scratch",
                                        "directives", "accounting",  "array-max",   "smt"};
  constexpr std::string_view kubernetes[] = {"namespace", "gang"};
  const bool pods = is_kubernetes(plane.kind.value);
  for (const std::string_view key : pods ? std::span<const std::string_view>(slurm) : kubernetes)
    if (const Entry* entry = node.entry(key))
      diagnostics
          .add(Code::conflict, entry->name_span,
               "`" + entry->name + "` is a key of " + (pods ? "Slurm" : "Kubernetes") + " planes")
          .labels.push_back({plane.kind.span, "this plane is of kind " + std::string(name(plane.kind.value))});
}

model::Plane build_plane(const Node& node, Diagnostics& diagnostics) {
  model::Plane out;
  out.name = node.label;
  out.span = node.label_span;
  if (const Value* v = node.get("kind")) out.kind = {symbol_of(node, "kind", model::PlaneKind::slurm), v->span};
  if (out.kind.span.known()) check_family(node, out, diagnostics);
  if (is_kubernetes(out.kind.value)) out.version.value = {1, 36};
  if (const Value* v = node.get("version"))
    out.version = {{static_cast<int>(v->low), static_cast<int>(v->high)}, v->span};
  out.pools = node.texts("pools");
  out.containers = symbol_of(node, "containers", model::Containers::none);
  out.gpu_request = symbol_of(node, "gpu-request", model::GpuRequest::gpus_per_node);
  out.topology = symbol_of(node, "topology", model::SlurmTopology::none);
  out.mpi = symbol_of(node, "mpi", model::Mpi::pmix);
  if (const Value* v = node.get("export")) out.export_all = v->text == "all";
  if (auto flag = node.boolean("smt")) out.smt = flag->value;
  if (auto flag = node.boolean("login-shell")) out.login_shell = flag->value;
  if (auto flag = node.boolean("user-signal")) out.user_signal = flag->value;
  out.scratch = node.text("scratch");
  out.directives = node.texts("directives");
  out.array_max = node.integer("array-max");
  if (auto flag = node.boolean("accounting")) out.accounting = flag->value;
  out.name_space = node.text("namespace");
  out.gang = symbol_of(node, "gang", model::GangProvider::none);
  return out;
}

model::Queue build_queue(const Node& node) {
  model::Queue out;
  out.name = node.label;
  out.span = node.label_span;
  const auto name = node.text("name");
  out.plane_name = name ? name->value : node.label;
  out.qos = node.text("qos");
  out.reservation = node.text("reservation");
  out.constraint = node.text("constraint");
  out.pools = node.texts("pools");
  if (const Value* hosts = node.get("nodes"))
    out.nodes = expand_hosts(hosts->text).value_or(std::vector<std::string>{});
  std::sort(out.nodes.begin(), out.nodes.end());
  out.max_time = node.located("max-time", [](const Value& v) { return Duration{v.low}; });
  out.max_nodes = node.integer("max-nodes");
  out.max_gpus = node.integer("max-gpus");
  out.max_jobs = node.integer("max-jobs");
  out.default_time = node.located("default-time", [](const Value& v) { return Duration{v.low}; });
  out.tolerates = node.texts("tolerates");
  if (auto flag = node.boolean("default")) out.is_default = flag->value;
  return out;
}

model::Tenant build_tenant(const Node& node) {
  model::Tenant out;
  out.name = node.label;
  out.span = node.label_span;
  out.accounts = node.texts("accounts");
  out.name_space = node.text("namespace");
  out.queues = node.texts("queues");
  for (const Node* quota : node.all("quota"))
    out.quotas.push_back({{quota->label, quota->label_span}, quota->integer("gpus"), quota->integer("nodes")});
  return out;
}

model::Storage build_storage(const Node& node, Diagnostics& diagnostics) {
  model::Storage out;
  out.name = node.label;
  out.span = node.label_span;
  if (auto path = node.text("path")) out.path = *path;
  if (const Value* v = node.get("mode")) out.read_only = v->text == "ro";
  if (out.path.span.known()) check_absolute(out.path, "the storage's path", diagnostics);
  if (out.name == "scratch")
    diagnostics.add(Code::name_not_valid, out.span, "`scratch` is the node-local scratch of a plane, not a storage");
  return out;
}

void build_code(const Node& node, model::Site& site, Diagnostics& diagnostics) {
  model::SiteCode code;
  if (const Value* v = node.get("by")) code.by = {symbol_of(node, "by", model::CodeBy::shared_path), v->span};
  code.path = node.text("path");
  if (code.by.value == model::CodeBy::shared_path && !code.path && code.by.span.known())
    diagnostics.add(Code::needs, code.by.span, "`by = shared-path` needs `path`");
  if (code.path) check_absolute(*code.path, "the code's path", diagnostics);
  site.code = code;
}

// Only one queue can be the default.
void check_defaults(const model::Site& site, Diagnostics& diagnostics) {
  const model::Queue* first = nullptr;
  for (const model::Queue& queue : site.queues) {
    if (!queue.is_default) continue;
    if (first != nullptr)
      diagnostics.add(Code::conflict, queue.span, "two queues are the default")
          .labels.push_back({first->span, "this one too"});
    first = &queue;
  }
}

void check_tenants(const model::Site& site, Diagnostics& diagnostics) {
  std::vector<std::string_view> names;
  for (const model::Queue& queue : site.queues) names.push_back(queue.name);
  for (const model::Tenant& tenant : site.tenants)
    for (const auto& queue : tenant.queues) {
      if (std::find(names.begin(), names.end(), queue.value) != names.end()) continue;
      Diagnostic& d = diagnostics.add(Code::unknown_name, queue.span, "the site has no queue `" + queue.value + "`");
      const std::string near = closest(queue.value, names);
      if (!near.empty()) d.fixes.push_back({queue.span, near, "did you mean `" + near + "`?", false});
    }
}

}  // namespace

model::Site build_site(const Node& node, Diagnostics& diagnostics) {
  model::Site site;
  site.name = node.label;
  site.span = node.label_span;
  check_name(site.name, site.span, "site", diagnostics);
  site.fleet = node.text("fleet");
  for (const Node* b : node.all("plane")) site.planes.push_back(build_plane(*b, diagnostics));
  for (const Node* b : node.all("queue")) site.queues.push_back(build_queue(*b));
  for (const Node* b : node.all("tenant")) site.tenants.push_back(build_tenant(*b));
  for (const Node* b : node.all("storage")) site.storage.push_back(build_storage(*b, diagnostics));
  for (const Node* b : node.all("software")) site.software.emplace_back(b->label, build_software(*b));
  for (const Node* b : node.all("gpu")) site.gpus.push_back({lower(b->label), b->text("gres"), b->text("feature")});
  if (const Node* b = node.one("code")) build_code(*b, site, diagnostics);
  site.job_dir = node.text("job-dir");
  if (site.job_dir) check_absolute(*site.job_dir, "the job folder", diagnostics);
  if (const Node* logs = node.one("logs")) site.log_dir = logs->text("dir");
  if (const Node* facts = node.one("facts"))
    for (const Entry& e : facts->entries) site.facts.push_back({e.name, {e.value.fact, e.value.span}});
  check_defaults(site, diagnostics);
  check_tenants(site, diagnostics);
  return site;
}

}  // namespace muster::sema
