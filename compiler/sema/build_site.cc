// `site NAME { … }` to model::Site.
#include <algorithm>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/builders.h"
#include "compiler/sema/validate.h"

namespace muster::sema {
namespace {

model::Plane build_plane(const Node& node) {
  model::Plane out;
  out.name = node.label;
  out.span = node.label_span;
  if (const Value* v = node.get("kind")) out.kind = {symbol_of(node, "kind", model::PlaneKind::slurm), v->span};
  if (const Value* v = node.get("version"))
    out.version = {{static_cast<int>(v->low), static_cast<int>(v->high)}, v->span};
  out.pools = node.texts("pools");
  out.containers = symbol_of(node, "containers", model::Containers::none);
  out.gpu_request = symbol_of(node, "gpu-request", model::GpuRequest::gpus_per_node);
  out.topology = symbol_of(node, "topology", model::SlurmTopology::none);
  out.mpi = symbol_of(node, "mpi", model::Mpi::pmix);
  if (const Value* v = node.get("export")) out.export_all = v->text == "all";
  if (auto flag = node.boolean("login-shell")) out.login_shell = flag->value;
  if (auto flag = node.boolean("user-signal")) out.user_signal = flag->value;
  out.scratch = node.text("scratch");
  out.directives = node.texts("directives");
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
  out.max_time = node.located("max-time", [](const Value& v) { return Duration{v.low}; });
  out.max_nodes = node.integer("max-nodes");
  out.max_gpus = node.integer("max-gpus");
  if (auto flag = node.boolean("default")) out.is_default = flag->value;
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

}  // namespace

model::Site build_site(const Node& node, Diagnostics& diagnostics) {
  model::Site site;
  site.name = node.label;
  site.span = node.label_span;
  check_name(site.name, site.span, "site", diagnostics);
  site.fleet = node.text("fleet");
  for (const Node* b : node.all("plane")) site.planes.push_back(build_plane(*b));
  for (const Node* b : node.all("queue")) site.queues.push_back(build_queue(*b));
  for (const Node* b : node.all("tenant")) site.tenants.push_back({b->label, b->label_span, b->texts("accounts")});
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
  return site;
}

}  // namespace muster::sema
