// `site NAME { … }` to model::Site.
#include <algorithm>
#include <span>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/check/builders.h"
#include "compiler/sema/check/validate.h"

namespace muster::sema {
namespace {

model::Version version_of(const Value& v) { return {static_cast<int>(v.low), static_cast<int>(v.high)}; }

constexpr std::string_view batch_keys[] = {"containers",  "topology",    "mpi",     "export",
                                           "login-shell", "user-signal", "scratch", "directives",
                                           "accounting",  "array-max",   "smt"};
constexpr std::string_view slurm_keys[] = {"topology", "user-signal", "smt", "gpu-request"};
constexpr std::string_view pbs_keys[] = {"dialect"};
constexpr std::string_view pod_keys[] = {
    "namespace",     "gang",   "gates",  "gpu-labels", "runtime-class", "service-account", "training-kind",
    "wait-for-pods", "scaler", "expose", "pod",        "security",      "metrics",         "keep-finished"};
constexpr std::string_view pod_blocks[] = {"operator", "flavor"};
// Of a cluster that is there, and of a broker, which looks for machines.
constexpr std::string_view cluster_keys[] = {"address"};
constexpr std::string_view skypilot_keys[] = {"infra"};
constexpr std::string_view dstack_keys[] = {"backends", "regions", "fleets"};

// Keys that mean something on one family of planes only are errors on the others.
void check_family(const Node& node, const model::Plane& plane, Diagnostics& diagnostics) {
  const auto stranger = [&](std::string_view name, Span span, std::string_view family) {
    diagnostics
        .add(Code::conflict, span, "`" + std::string(name) + "` is only valid on " + std::string(family) + " planes")
        .labels.push_back({plane.kind_span(), "this plane has kind " + std::string(plane.traits().name)});
  };
  const auto keys = [&](std::span<const std::string_view> names, std::string_view family) {
    for (const std::string_view key : names)
      if (const Entry* entry = node.entry(key)) stranger(entry->name, entry->name_span, family);
  };
  const bool pods = plane.pods() != nullptr;
  if (const Entry* entry = node.entry("gpu-request"))
    if (const bool of_pods = entry->value.text == "device-plugin" || entry->value.text == "dra"; of_pods != pods)
      stranger("gpu-request = " + entry->value.text, entry->name_span, of_pods ? "Kubernetes" : "Slurm");
  const bool slurm = plane.kind() == model::PlaneKind::slurm;
  if (plane.batch() == nullptr) keys(batch_keys, "Slurm");
  const bool broker = plane.service() != nullptr && plane.traits().starts_gangs;
  if (plane.service() == nullptr || broker) keys(cluster_keys, "Ray");
  if (plane.kind() != model::PlaneKind::skypilot) keys(skypilot_keys, "SkyPilot");
  if (plane.kind() != model::PlaneKind::dstack) keys(dstack_keys, "dstack");
  if (plane.batch() != nullptr && !slurm) keys(slurm_keys, "Slurm");
  if (plane.kind() != model::PlaneKind::pbs) keys(pbs_keys, "PBS");
  if (pods) return;
  keys(pod_keys, "Kubernetes");
  for (const std::string_view name : pod_blocks)
    if (const Node* block = node.one(name)) stranger(name, block->span, "Kubernetes");
  if (const Node* block = node.one("level"); block != nullptr && (slurm || plane.batch() == nullptr))
    stranger("level", block->span, "Kubernetes, PBS and LSF");
}

// What a batch system has of the keys that are Slurm's too.
void check_values_of_slurm(const Node& node, std::string_view system, Diagnostics& diagnostics) {
  const auto refuse = [&](std::string_view key, std::string_view value, const std::string& why) {
    if (const Value* v = node.get(key); v != nullptr && v->text == value)
      diagnostics.add(Code::conflict, v->span,
                      "`" + std::string(key) + " = " + std::string(value) + "` is only valid on Slurm planes", why);
  };
  refuse("containers", "pyxis", "Pyxis is a plugin of srun");
  for (const char* way : {"pmix", "pmi2"}) refuse("mpi", way, std::string(system) + " starts MPI ranks with mpirun");
}

std::vector<model::TopologyLevel> levels_of(const Node& node) {
  std::vector<model::TopologyLevel> out;
  for (const Node* l : node.all("level"))
    out.push_back({l->label, l->text("label"), l->integer("tier"), l->label_span});
  return out;
}

model::BatchPlane build_batch(const Node& node, model::BatchPlane out) {
  out.containers = symbol_of(node, "containers", model::Containers::none);
  out.topology = symbol_of(node, "topology", model::SlurmTopology::none);
  out.mpi = symbol_of(node, "mpi", out.mpi);
  out.dialect = symbol_of(node, "dialect", model::PbsDialect::openpbs);
  out.levels = levels_of(node);
  if (const Value* v = node.get("export")) out.export_all = v->text == "all";
  if (auto flag = node.boolean("smt")) out.smt = flag->value;
  if (auto flag = node.boolean("login-shell")) out.login_shell = flag->value;
  if (auto flag = node.boolean("user-signal")) out.user_signal = flag->value;
  if (auto flag = node.boolean("accounting")) out.accounting = flag->value;
  out.array_max = node.integer("array-max");
  out.scratch = node.text("scratch");
  out.directives = node.texts("directives");
  return out;
}

std::vector<model::Located<model::FeatureGate>> gates_of(const Node& node) {
  std::vector<model::Located<model::FeatureGate>> out;
  if (const Value* gates = node.get("gates"))
    for (const Value& gate : gates->list)
      out.push_back({enumerator<model::FeatureGate>(gate.text, *node.schema->key("gates")), gate.span});
  return out;
}

// Kubernetes starts gangs itself since 1.36, where the gates for it are on.
void check_native_gangs(const Node& node, const model::Plane& plane, Diagnostics& diagnostics) {
  using enum model::FeatureGate;
  const model::PodPlane& pods = *plane.pods();
  if (pods.gang != model::GangProvider::kube_scheduler) return;
  const Span where = node.get("gang")->span;
  const std::string version = model::version_text(plane.kind(), plane.version.value);
  if (plane.version.value < model::Version{1, 36}) {
    diagnostics.add(Code::needs, where, "`gang = kube-scheduler` requires version 1.36, but this plane has " + version)
        .labels.push_back({plane.version.span.known() ? plane.version.span : plane.kind_span(), "the version"});
    return;
  }
  const bool separate = plane.version.value < model::Version{1, 37};
  for (const model::FeatureGate gate : {generic_workload, gang_scheduling})
    if (!pods.has_gate(gate) && (gate == generic_workload || separate))
      diagnostics
          .add(Code::needs, where,
               "`gang = kube-scheduler` requires the gate `" + std::string(name(gate)) + "` in version " + version)
          .notes.push_back("once it is on, add it to the plane: `gates = [" + std::string(name(gate)) + "]`");
}

model::PodPlane build_pods(const Node& node) {
  model::PodPlane out;
  out.name_space = node.text("namespace");
  out.gang = symbol_of(node, "gang", model::GangProvider::none);
  out.gates = gates_of(node);
  out.gpu_labels = node.text("gpu-labels");
  out.runtime_class = node.text("runtime-class");
  out.service_account = node.text("service-account");
  if (const Value* v = node.get("training-kind")) out.training_kind = v->text;
  for (const Node* o : node.all("operator"))
    out.operators.push_back({o->label, o->text("version"), o->texts("flags"), o->label_span});
  out.levels = levels_of(node);
  for (const Node* f : node.all("flavor")) out.flavors.push_back({f->label, f->label_span, f->texts("pools")});
  out.wait_for_pods = node.boolean("wait-for-pods");
  if (const Value* v = node.get("keep-finished"))  // a time, or `forever`
    out.keep_finished = v->text.empty() ? std::optional(Duration{v->low}) : std::nullopt;
  out.scaler = node.text("scaler");
  out.expose = node.text("expose");
  out.security = node.text("security");
  out.metrics = node.text("metrics");
  out.pod = node.text("pod");
  return out;
}

std::optional<model::SiteCode> build_code(const Node* block, Diagnostics& diagnostics) {
  if (block == nullptr) return std::nullopt;
  model::SiteCode code;
  if (const Value* v = block->get("by")) code.by = {symbol_of(*block, "by", model::CodeBy::shared_path), v->span};
  code.path = block->text("path");
  if (code.by.value == model::CodeBy::shared_path && !code.path && code.by.span.known())
    diagnostics.add(Code::needs, code.by.span, "`by = shared-path` requires `path`");
  if (code.path) check_absolute(*code.path, "the code's path", diagnostics);
  return code;
}

model::Plane build_plane(const Node& node, Diagnostics& diagnostics) {
  model::Plane out;
  out.name = node.label;
  out.span = node.label_span;
  if (const Value* v = node.get("kind")) {
    out.set_kind(symbol_of(node, "kind", model::PlaneKind::slurm), v->span);
    check_family(node, out, diagnostics);
  }
  if (auto version = node.located("version", version_of)) out.version = *version;
  out.pools = node.texts("pools");
  out.gpu_request = symbol_of(node, "gpu-request", model::GpuRequest::gpus_per_node);
  out.code = build_code(node.one("code"), diagnostics);
  if (model::BatchPlane* batch = out.batch()) *batch = build_batch(node, *batch);
  if (out.batch() != nullptr && out.kind() != model::PlaneKind::slurm)
    check_values_of_slurm(node, out.traits().title, diagnostics);
  if (model::PodPlane* pods = out.pods()) {
    *pods = build_pods(node);
    check_native_gangs(node, out, diagnostics);
  }
  if (model::ServicePlane* service = out.service()) {
    service->address = node.text("address");
    service->infra = node.texts("infra");
    service->backends = node.texts("backends");
    service->regions = node.texts("regions");
    service->fleets = node.texts("fleets");
  }
  return out;
}

model::Queue build_queue(const Node& node, Diagnostics& diagnostics) {
  model::Queue out;
  out.name = node.label;
  out.span = node.label_span;
  const auto name = node.text("name");
  out.plane_name = name ? name->value : node.label;
  out.qos = node.text("qos");
  out.reservation = node.text("reservation");
  out.constraint = node.text("constraint");
  out.pools = node.texts("pools");
  if (const Value* hosts = node.get("nodes")) out.nodes = HostNames::read(hosts->text).value_or(HostNames());
  out.max_time = node.located("max-time", [](const Value& v) { return Duration{v.low}; });
  out.max_nodes = node.integer("max-nodes");
  out.max_gpus = node.integer("max-gpus");
  out.max_cpus = node.integer("max-cpus");
  out.max_memory = node.located("max-memory", [](const Value& v) { return Size{v.low}; });
  out.max_jobs = node.integer("max-jobs");
  out.max_jobs_user = node.integer("max-jobs-user");
  if (out.max_jobs_user && (!out.max_jobs || out.max_jobs_user->value < out.max_jobs->value))
    out.max_jobs = out.max_jobs_user;
  out.max_jobs_account = node.integer("max-jobs-account");
  out.default_time = node.located("default-time", [](const Value& v) { return Duration{v.low}; });
  out.default_memory = node.located("default-memory", [](const Value& v) {
    return model::Amount<Size>{v.all, Size{v.low}, Size{v.high}};
  });
  out.default_memory_cpu = node.located("default-memory-cpu", [](const Value& v) { return Size{v.low}; });
  if (out.default_memory && out.default_memory_cpu)
    diagnostics.add(Code::conflict, out.default_memory_cpu->span,
                    "`default-memory-cpu` and `default-memory` cannot be combined", "keep one of the two");
  if (auto flag = node.boolean("exclusive")) out.exclusive = flag->value;
  out.tolerates = node.texts("tolerates");
  if (auto flag = node.boolean("default")) out.is_default = flag->value;
  if (auto flag = node.boolean("preemptible")) out.preemptible = flag->value;
  out.pod = node.text("pod");
  return out;
}

model::Storage build_storage(const Node& node, Diagnostics& diagnostics) {
  model::Storage out;
  out.name = node.label;
  out.span = node.label_span;
  if (auto path = node.text("path")) out.path = *path;
  if (const Value* v = node.get("mode")) out.read_only = v->text == "ro";
  out.pvc = node.text("pvc");
  out.host_path = node.text("host-path");
  out.storage_class = node.text("class");
  out.bucket = node.text("bucket");
  out.csi = node.text("csi");
  if (out.path.span.known()) check_absolute(out.path, "the storage's path", diagnostics);
  else if (node.entries.empty() || (node.entries.size() == 1 && node.get("mode") != nullptr))
    diagnostics.add(Code::missing_key, out.span, "storage `" + out.name + "` does not have a location",
                    "add `path = …`");
  if (out.name == "scratch")
    diagnostics.add(Code::name_not_valid, out.span,
                    "`scratch` is reserved for node-local scratch space and cannot name a storage");
  return out;
}

model::FabricAttachment build_fabric(const Node& node) {
  model::FabricAttachment out;
  out.name = node.label;
  out.span = node.label_span;
  out.pools = node.texts("pools");
  out.resource = node.text("resource");
  out.per_node = node.integer("per-node");
  out.env = build_env(node.one("env"));
  out.prelude = node.located("prelude", script_of);
  out.pod = node.text("pod");
  out.job = node.text("job");
  if (auto flag = node.boolean("domain-claim")) out.domain_claim = flag->value;
  return out;
}

// What is allowed in the site or in one plane, whose name is then `plane`.
void build_named(const Node& node, const std::string& plane, model::Site& site, Diagnostics& diagnostics) {
  const auto add = [&](auto& list, auto entry) {
    entry.plane = plane;
    list.push_back(std::move(entry));
  };
  for (const Node* b : node.all("queue")) add(site.queues, build_queue(*b, diagnostics));
  for (const Node* b : node.all("storage")) add(site.storage, build_storage(*b, diagnostics));
  for (const Node* b : node.all("software")) {
    site.software.emplace_back(b->label, build_software(*b));
    site.software.back().second.plane = plane;
  }
  for (const Node* b : node.all("secret"))
    add(site.secrets,
        model::SiteSecret{
            b->label, b->label_span, b->text("name"), b->text("key"), b->text("file"), b->text("env"), {}});
  for (const Node* b : node.all("image"))
    add(site.images,
        model::ImageName{b->label, b->label_span, b->text("ref").value_or(model::Located<std::string>{}), {}});
  for (const Node* b : node.all("fabric")) add(site.fabrics, build_fabric(*b));
  for (const Node* b : node.all("priority"))
    add(site.priorities,
        model::Priority{
            b->label, b->label_span, b->text("class"), b->text("queue-class"), b->text("qos"), b->integer("nice"), {}});
  for (const Node* b : node.all("license")) {
    const Value* count = b->get("count");
    add(site.licenses, model::License{b->label, b->label_span, count != nullptr ? count->low : 0, {}});
  }
  for (const Node* b : node.all("gpu"))
    add(site.gpus, model::GpuDialect{lower(b->label),
                                     b->text("gres"),
                                     b->text("feature"),
                                     b->text("label"),
                                     b->text("resource"),
                                     b->text("slice-resource"),
                                     {}});
}

// What is in the site alone.
void build_customs(const Node& node, model::Site& site, Diagnostics& diagnostics) {
  for (const Node* b : node.all("registry"))
    site.registries.push_back(
        {b->label, b->label_span, b->text("mirror"), b->text("pull-secret"), b->text("squash-dir")});
  if (const Node* b = node.one("notify")) site.mail_domain = b->text("domain");
  if (const Node* b = node.one("access")) site.jupyter = b->text("jupyter"), site.vscode = b->text("vscode");
  if (const Node* b = node.one("identity")) {
    site.identity = {b->integer("uid"), b->integer("gid"), {}, b->span};
    if (const Value* v = b->get("groups"))
      for (const Value& group : v->list) site.identity->groups.push_back({group.low, group.span});
  }
  if (const Node* b = node.one("submit-filter"))
    site.submit_filter = {b->texts("requires"), b->texts("refuses"), b->span};
  site.allows = build_allows(node, diagnostics);
}

// Keys of a queue that only batch systems have, where no plane of the queue is one.
void check_queues(const Node& node, const model::Site& site, Diagnostics& diagnostics) {
  for (const Node* queue : node.all("queue")) {
    const auto found = std::find_if(site.queues.begin(), site.queues.end(), [&](const model::Queue& q) {
      return q.span.file == queue->label_span.file && q.span.begin == queue->label_span.begin;
    });
    if (found == site.queues.end()) continue;
    const auto is_of = [&](const model::Plane& p) { return found->plane.empty() || found->plane == p.name; };
    const auto takes = [&](const model::Plane& p) { return is_of(p) && p.batch() != nullptr; };
    const auto first = std::find_if(site.planes.begin(), site.planes.end(), is_of);
    if (first == site.planes.end() || std::any_of(site.planes.begin(), site.planes.end(), takes)) continue;
    for (const std::string_view key : {"constraint", "qos", "reservation"})
      if (const Entry* entry = queue->entry(key))
        diagnostics
            .add(Code::conflict, entry->name_span, "`" + entry->name + "` of a queue is only valid on Slurm planes")
            .labels.push_back({first->kind_span(), "this plane has kind " + std::string(first->traits().name)});
  }
}

// Only one queue can be the default.
void check_defaults(const model::Site& site, Diagnostics& diagnostics) {
  const model::Queue* first = nullptr;
  for (const model::Queue& queue : site.queues) {
    if (!queue.is_default) continue;
    if (first != nullptr && (first->plane == queue.plane || first->plane.empty() || queue.plane.empty()))
      diagnostics.add(Code::conflict, queue.span, "two queues are marked as default")
          .labels.push_back({first->span, "also marked here"});
    first = &queue;
  }
}

}  // namespace

model::Site build_site(const Node& node, const Sources& sources, Diagnostics& diagnostics) {
  model::Site site;
  site.name = node.label;
  site.span = node.label_span;
  check_name(site.name, site.span, "site", diagnostics);
  site.fleet = node.text("fleet");
  for (const Node* b : node.all("plane")) {
    site.planes.push_back(build_plane(*b, diagnostics));
    build_named(*b, b->label, site, diagnostics);
  }
  build_named(node, "", site, diagnostics);
  build_tenants(node, site, diagnostics);
  build_customs(node, site, diagnostics);
  site.code = build_code(node.one("code"), diagnostics);
  site.job_dir = node.text("job-dir");
  if (site.job_dir) check_absolute(*site.job_dir, "the job folder", diagnostics);
  site.rules = node.text("rules");
  if (const Node* b = node.one("defaults")) site.defaults = build_defaults(*b, sources);
  if (const Node* logs = node.one("logs")) site.log_dir = logs->text("dir");
  if (const Node* facts = node.one("facts"))
    for (const Entry& e : facts->entries) site.facts.push_back({e.name, {e.value.fact, e.value.span}});
  check_queues(node, site, diagnostics);
  for (const Node* b : node.all("plane")) check_queues(*b, site, diagnostics);
  check_defaults(site, diagnostics);
  return site;
}

}  // namespace muster::sema
