#include "cli/describe.h"
#include "compiler/base/text.h"
#include "targets/slurm/option_table.h"

namespace muster::cli {
namespace {

void add(Section& out, std::string_view name, const model::Optional<std::string>& text) {
  if (text) add(out, name, text->value);
}

std::string list(const std::vector<model::Located<std::string>>& words, std::string_view between = ", ") {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : std::string(between)) + word.value;
  return out;
}

// Of what only one plane has.
std::string of_plane(const std::string& plane) { return plane.empty() ? "" : " (" + plane + ")"; }

// How the program's files come to the nodes: "on a shared path, /shared/src".
void add_code(Section& out, const std::optional<model::SiteCode>& code) {
  if (!code) return;
  const bool shared = code->by.value == model::CodeBy::shared_path;
  const bool image = code->by.value == model::CodeBy::image;
  const std::string from = shared ? "on a shared path" : image ? "in the image" : "from git";
  add(out, "code", from + (code->path ? ", " + code->path->value : ""));
}

void describe(const model::BatchPlane& plane, Section& out) {
  if (plane.containers != model::Containers::none) add(out, "containers", std::string(name(plane.containers)));
  add(out, "every job", list(plane.directives, " "));
}

void describe(const model::PodPlane& plane, Section& out) {
  if (plane.gang != model::GangProvider::none) add(out, "gangs", std::string(name(plane.gang)));
  std::string gates;
  for (const auto& gate : plane.gates) gates += (gates.empty() ? "" : ", ") + std::string(name(gate.value));
  add(out, "feature gates", gates);
  add(out, "namespace", plane.name_space);
  for (const model::Operator& op : plane.operators) {
    const std::string flags = list(op.flags, " ");
    add(out, "operator " + op.name,
        (op.version ? op.version->value : "of any version") + (flags.empty() ? "" : " with " + flags));
  }
}

Section describe(const model::Plane& plane) {
  Section out{"plane " + plane.name, {}};
  add(out, "kind", std::string(plane.traits().name) + " " + model::version_text(plane.kind(), plane.version.value));
  add(out, "pools", plane.pools.empty() ? "all" : list(plane.pools));
  add_code(out, plane.code);
  if (const model::BatchPlane* batch = plane.batch()) describe(*batch, out);
  if (const model::PodPlane* pods = plane.pods()) describe(*pods, out);
  if (const model::ServicePlane* service = plane.service()) {
    add(out, "address", service->address);
    for (const auto& [key, places] : {std::pair("infra", &service->infra), std::pair("backends", &service->backends),
                                      std::pair("regions", &service->regions), std::pair("fleets", &service->fleets)})
      if (!places->empty()) add(out, key, list(*places));
  }
  return out;
}

Section describe(const model::Queue& queue) {
  Section out{"queue " + queue.name + of_plane(queue.plane), {}};
  add(out, "called", queue.plane_name.empty() ? "the cluster's default" : queue.plane_name);
  add(out, "pools", list(queue.pools));
  add(out, "nodes", compress_hosts(queue.nodes.all()));
  if (queue.max_time) add(out, "time limit", "at most " + to_string(queue.max_time->value));
  const std::pair<std::string_view, const model::Optional<std::int64_t>*> bounds[] = {
      {"node", &queue.max_nodes}, {"GPU", &queue.max_gpus}, {"CPU", &queue.max_cpus}, {"job", &queue.max_jobs}};
  for (const auto& [what, most] : bounds)
    if (*most) add(out, std::string(what) + "s", "at most " + std::to_string((*most)->value));
  if (queue.max_memory) add(out, "memory", "at most " + to_string(queue.max_memory->value));
  if (const auto& memory = queue.default_memory)
    add(out, "without a request",
        memory->value.all ? "all memory of each node" : to_string(memory->value.high) + " of memory");
  if (queue.default_memory_cpu)
    add(out, "without a request", to_string(queue.default_memory_cpu->value) + " of memory per CPU");
  if (queue.exclusive) add(out, "exclusive", "each job has its nodes alone");
  add(out, "tolerates", list(queue.tolerates));
  if (queue.preemptible) add(out, "preemptible", "its jobs can be preempted");
  if (queue.is_default) add(out, "default", "for jobs that name no queue");
  return out;
}

template <class Amounts>
std::string amounts_text(const Amounts& amounts) {
  std::string text;
  const auto part = [&](const std::string& amount) { text += (text.empty() ? "" : ", ") + amount; };
  if (amounts.gpus) part(counted(amounts.gpus->value, "GPU"));
  if (amounts.nodes) part(counted(amounts.nodes->value, "node"));
  if (amounts.cpus) part(counted(amounts.cpus->value, "CPU"));
  if (amounts.memory) part(to_string(amounts.memory->value) + " of memory");
  if (amounts.pods) part(counted(amounts.pods->value, "pod"));
  return text;
}

void add_quotas(Section& out, const std::vector<model::Quota>& quotas) {
  for (const model::Quota& quota : quotas) {
    std::string text = "at most " + amounts_text(quota);
    if (const std::string borrow = amounts_text(quota.borrow_limit); !borrow.empty())
      text += "; borrows at most " + borrow;
    if (const std::string lend = amounts_text(quota.lend_limit); !lend.empty()) text += "; lends at most " + lend;
    if (!quota.pools.empty()) text += "; of " + list(quota.pools);
    add(out, "quota of " + (quota.pool.value == model::all_pools ? "all pools" : quota.pool.value), text);
  }
}

Section describe(const model::Cohort& cohort) {
  Section out{"cohort " + cohort.name, {}};
  if (cohort.parent) add(out, "parent", cohort.parent->value);
  add_quotas(out, cohort.quotas);
  return out;
}

Section describe(const model::Tenant& tenant) {
  Section out{"tenant " + tenant.name, {}};
  add(out, "accounts", list(tenant.accounts));
  add(out, "namespace", tenant.name_space);
  add(out, "queues", tenant.queues.empty() ? "all" : list(tenant.queues));
  add_quotas(out, tenant.quotas);
  if (tenant.cohort) add(out, "cohort", tenant.cohort->value);
  if (tenant.max_time_account) add(out, "time of a job", "at most " + to_string(tenant.max_time_account->value));
  const auto at_most = [&](const std::string& what, const model::Optional<std::int64_t>& most, std::string_view noun) {
    if (most) add(out, what, "at most " + counted(most->value, noun));
  };
  at_most("nodes of a job", tenant.max_nodes, "node");
  at_most("GPUs of a job", tenant.max_gpus, "GPU");
  at_most("CPUs of a job", tenant.max_cpus, "CPU");
  if (tenant.max_memory) add(out, "memory of a job", "at most " + to_string(tenant.max_memory->value));
  at_most("jobs of a user", tenant.max_jobs_user, "job");
  at_most("jobs of an account", tenant.max_jobs_account, "job");
  add(out, "share", tenant.share);
  if (tenant.borrow)
    add(out, "borrows", tenant.borrow->value ? "capacity that other tenants leave idle" : "nothing above its quota");
  return out;
}

// The names that workloads may use, and what each is here.
Section names(const model::Site& site) {
  Section out{"names", {}};
  for (const model::Storage& s : site.storage)
    add(out, "storage " + s.name + of_plane(s.plane),
        (!s.path.value.empty() ? s.path.value
         : s.pvc               ? "claim " + s.pvc->value
         : s.host_path         ? "host path " + s.host_path->value
         : s.bucket            ? "bucket " + s.bucket->value
                               : "a volume of the plane") +
            (s.read_only ? ", read-only" : ""));
  for (const auto& [name, spec] : site.software) {
    std::string text = list(spec.modules, " ");
    if (spec.venv) text += (text.empty() ? "" : ", ") + std::string("venv ") + spec.venv->value;
    if (spec.conda) text += (text.empty() ? "" : ", ") + std::string("conda ") + spec.conda->value;
    if (spec.image) text += (text.empty() ? "" : ", ") + std::string("image ") + spec.image->value;
    add(out, "software " + name + of_plane(spec.plane), text.empty() ? "a prelude" : text);
  }
  for (const model::ImageName& image : site.images)
    add(out, "image " + image.name + of_plane(image.plane), image.ref.value);
  for (const model::SiteSecret& secret : site.secrets)
    add(out, "secret " + secret.name + of_plane(secret.plane),
        secret.object ? "object " + secret.object->value
        : secret.file ? "file " + secret.file->value
        : secret.env  ? "variable " + secret.env->value
                      : "with the same name");
  for (const model::FabricAttachment& fabric : site.fabrics)
    add(out, "fabric " + fabric.name + of_plane(fabric.plane),
        fabric.pools.empty() ? "for every pool that has it" : "for " + list(fabric.pools));
  for (const model::License& license : site.licenses)
    add(out, "license " + license.name + of_plane(license.plane), std::to_string(license.count));
  for (const model::Priority& priority : site.priorities)
    add(out, "priority " + priority.name + of_plane(priority.plane),
        priority.qos              ? "qos " + priority.qos->value
        : priority.priority_class ? "class " + priority.priority_class->value
        : priority.queue_class    ? "queue class " + priority.queue_class->value
        : priority.nice           ? "nice " + std::to_string(priority.nice->value)
                                  : "with the same name");
  return out;
}

}  // namespace

Section exceptions(const std::vector<model::Allow>& allows) {
  Section out{"allowed", {}};
  for (const model::Allow& allow : allows)
    out.rows.emplace_back(allow.code, allow.reason.value + (allow.until ? ", until " + allow.until->value : ""));
  return out;
}

std::vector<Section> describe(const model::Site& site) {
  Section general{"in general", {}};
  add(general, "fleet", site.fleet);
  add(general, "rules", site.rules);
  add(general, "job files", site.job_dir);
  add(general, "logs", site.log_dir);
  add_code(general, site.code);
  std::vector<Section> out = {general};
  for (const model::Plane& plane : site.planes) out.push_back(describe(plane));
  for (const model::Queue& queue : site.queues) out.push_back(describe(queue));
  for (const model::Tenant& tenant : site.tenants) out.push_back(describe(tenant));
  for (const model::Cohort& cohort : site.cohorts) out.push_back(describe(cohort));
  out.push_back(names(site));
  out.push_back(exceptions(site.allows));
  std::erase_if(out, [](const Section& section) { return section.rows.empty(); });
  return out;
}

}  // namespace muster::cli
