// A task of SkyPilot 0.14: https://docs.skypilot.co/en/latest/reference/yaml-spec.html
#include "targets/services/skypilot/skypilot.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "targets/contract/references.h"
#include "targets/contract/resolve.h"
#include "targets/services/skypilot/infra.h"
#include "targets/shell.h"

namespace muster::targets::skypilot {
namespace {

using kubernetes::list;
using kubernetes::map;
using kubernetes::nothing;
using kubernetes::number;
using kubernetes::put;
using kubernetes::text;
using kubernetes::truth;
using services::Said;
using As = Said::As;

constexpr Said says[] = {
    {As::reported, Field::title, "SkyPilot shows the name of the task only"},
    {As::reported, Field::resources_shm, "SkyPilot has no value for the size of /dev/shm"},
    {As::reported, Field::logs, "SkyPilot keeps the output: `sky logs`"},
    {As::reported, Field::stop_grace, "SkyPilot ends the processes of a task in its own time"},
    {As::reported, Field::probe, "SkyPilot probes the readiness of services only"},
    {As::read, Field::fabric, "no setting of the network is written"},
    {As::refused, Field::serve_router, "SkyPilot's load balancer is the only router of its services"},
};

// `${NAME}` and `$NAME` in these keys of the file are replaced by values of `envs`.
bool is_filled_in(Task& task, std::string_view value, Span where, const FieldRef& field) {
  if (value.find('$') == std::string_view::npos) return false;
  task.refuse_at(where, field, "SkyPilot replaces names behind `$` in this value, which would change it");
  return true;
}

// ---- what only SkyPilot cannot take

void check_name(Task& task) {
  const std::string& name = task.workload.name;
  const bool ends = !name.empty() && is_alnum(name.front()) && is_alnum(name.back());
  const bool rows = name.find("---") == std::string::npos && name.find("___") == std::string::npos;
  const auto valid = [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; };
  if (!ends || !rows || !std::all_of(name.begin(), name.end(), valid))
    task.refuse_at(task.workload.span, Field::workload, "`" + printable(name) + "` is not a valid name of a task",
                   "names have letters, digits, `-`, `_` and `.`, and begin and end with a letter or digit");
}

// A service needs a path that says when a replica is ready, and pods or machines that the world reaches.
void check_service(Task& task, const Infra& infra) {
  if (!task.serves()) return;
  if (infra.only_slurm())
    task.refuse(Field::kind, "SkyPilot does not open ports on Slurm, which a service needs",
                "add a cloud or Kubernetes to `infra` of the plane");
  const auto& probes = task.role.probes;
  const bool asks = std::any_of(probes.begin(), probes.end(), [](const model::Probe& probe) {
    return probe.kind == model::ProbeKind::readiness && probe.http;
  });
  if (!asks)
    task.refuse(task.role.probes.empty() ? FieldRef(Field::kind) : FieldRef(Field::probe),
                "a service of SkyPilot requires a path by which it is probed",
                "write `probe readiness { http = \"/health\" }`");
  if (task.role.ports.empty())
    task.refuse(Field::kind, "a service of SkyPilot requires the port that it listens on",
                "write `port api { number = 8000 }`");
}

void check(Task& task) {
  check_name(task);
  check_service(task, infra_of(task.service, task.plan.queue));
  if (task.role.resources.exclusive && !task.role.resources.exclusive->value)
    task.read(Field::resources_exclusive, "SkyPilot's default");
}

// ---- the parts of the file

data::Node workdir(Task& task) {
  if (task.git != nullptr) {
    for (const auto& [located, key] :
         {std::pair(&task.git->url, Field::code_git_url), std::pair(&task.git->rev, Field::code_git_rev)})
      if (!is_filled_in(task, located->value, located->span, key)) task.exact(key, "workdir");
    return map({{"url", text(task.git->url.value)}, {"ref", text(task.git->rev.value)}});
  }
  if (task.folder.empty() || is_filled_in(task, task.folder, task.span_of(Field::code), Field::code)) return nothing();
  return text(task.folder);
}

// A bucket is mounted, a claim is a volume, and a folder of the nodes of Slurm is where it is.
void add_mount(Task& task, const Infra& infra, const model::Mount& mount, data::Node& buckets, data::Node& volumes) {
  const FieldRef field{Field::mount, mount.name};
  const std::string& path = mount.path.value;
  if (mount.name == "scratch") {
    task.line("mkdir -p " + sh_word(path));
    return task.exact(field, "run");
  }
  const model::Storage* found = task.site.storage.find(mount.name, task.plane);
  if (found == nullptr)
    return contract::refuse_storage(task, mount, task.site,
                                    "add it to the site: `storage " + mount.name + " { bucket = \"s3://…\" }`");
  if (is_filled_in(task, path, mount.path.span, field)) return;
  const std::string below = mount.sub_path ? "/" + mount.sub_path->value : std::string();
  if (found->bucket) {
    if (is_filled_in(task, found->bucket->value + below, mount.span, field)) return;
    put(buckets, path, map({{"source", text(found->bucket->value + below)}, {"mode", text("MOUNT")}}));
    task.exact({Field::mount_path, mount.name}, "file_mounts");
    task.exact({Field::mount_sub_path, mount.name}, "file_mounts");
    if (mount.read_only)
      task.approximated({Field::mount_mode, mount.name}, "nothing", "SkyPilot mounts buckets for reading and writing");
    else task.exact({Field::mount_mode, mount.name}, "mode");
    return;
  }
  if (found->pvc && infra.only_kubernetes()) {
    if (mount.sub_path)
      return task.refuse_at(mount.sub_path->span, {Field::mount_sub_path, mount.name}, "SkyPilot mounts volumes whole",
                            "remove `sub-path`, or use a `bucket`");
    if (is_filled_in(task, found->pvc->value, mount.span, field)) return;
    put(volumes, path, text(found->pvc->value));
    task.exact({Field::mount_path, mount.name}, "volumes");
    if (mount.read_only)
      task.approximated({Field::mount_mode, mount.name}, "nothing", "SkyPilot mounts volumes for reading and writing");
    else task.exact({Field::mount_mode, mount.name}, "volumes");
    return;
  }
  const bool is_there =
      infra.only_slurm() && task.image.empty() && !found->path.value.empty() && path == found->path.value + below;
  if (is_there) {
    task.read({Field::mount_path, mount.name}, "the nodes, which have it there");
    task.read({Field::mount_sub_path, mount.name}, "the nodes, which have it there");
    return task.approximated({Field::mount_mode, mount.name}, "nothing", "a folder of the nodes is as it is");
  }
  task.refuse_at(
      mount.span, field,
      "storage `" + mount.name + "` of site `" + task.site.name + "` is not a bucket that SkyPilot can mount",
      "add `bucket = \"s3://NAME\"` to the storage");
}

// How long a replica may fail its probe at first: as long as its startup probe lasts, else before the first attempt.
std::optional<std::int64_t> initial_delay(Task& task, const model::Probe& readiness) {
  for (const model::Probe& probe : task.role.probes) {
    if (probe.kind != model::ProbeKind::startup) continue;
    task.approximated_each({Field::probe, "startup"}, "initial_delay_seconds",
                           "SkyPilot probes the path of readiness, and for so long takes no failure into account");
    task.approximated({Field::probe_after, "readiness"}, "nothing", "the startup probe says how long SkyPilot waits");
    const std::int64_t every = probe.every ? probe.every->value.ms : 10'000;
    const std::int64_t times = probe.failures ? probe.failures->value : 3;
    return Duration{(probe.after ? probe.after->value.ms : 0) + every * times}.seconds_up();
  }
  task.exact({Field::probe_after, "readiness"}, "initial_delay_seconds");
  return readiness.after ? std::optional(readiness.after->value.seconds_up()) : std::nullopt;
}

data::Node readiness_probe(Task& task) {
  for (const model::Probe& probe : task.role.probes) {
    if (probe.kind != model::ProbeKind::readiness || !probe.http) continue;
    const FieldRef path{Field::probe_http, "readiness"};
    const auto known =
        contract::known_text(task, task.of_run(), probe.http->value, path, "and SkyPilot takes no variable");
    if (!known || is_filled_in(task, *known, probe.http->span, path)) return nothing();
    task.exact(path, "readiness_probe");
    const auto delay = initial_delay(task, probe);
    task.exact({Field::probe_timeout, "readiness"}, "timeout_seconds");
    task.exact({Field::probe_every, "readiness"}, "endpoint_probe_interval_seconds");
    task.read({Field::probe_port, "readiness"}, "the port of the service");
    if (!delay && !probe.timeout && !probe.every) return text(*known);
    return map({{"path", text(*known)},
                {"initial_delay_seconds", delay ? number(*delay) : nothing()},
                {"endpoint_probe_interval_seconds", probe.every ? number(probe.every->value.seconds_up()) : nothing()},
                {"timeout_seconds", probe.timeout ? number(probe.timeout->value.seconds_up()) : nothing()}});
  }
  return nothing();
}

data::Node replica_policy(Task& task, const model::Scale& scale) {
  const auto& replicas = task.role.replicas;
  const model::Count range = replicas ? replicas->value : model::Count{};
  const bool rate = scale.metric == "requests-per-second";
  if (!rate)
    task.refuse_at(scale.span, Field::scale_metric, "SkyPilot scales services by their requests per second only",
                   "write `scale { metric = requests-per-second  target = 10 }`");
  task.exact(Field::scale_metric, "target_qps_per_replica");
  task.exact(Field::scale_target, "target_qps_per_replica");
  task.exact(Field::scale_cooldown, "downscale_delay_seconds");
  task.exact(Field::replicas, "replica_policy");
  data::Node target = nothing();
  if (scale.target) {
    target.kind = data::plain_kind(scale.target->value);
    target.text = scale.target->value;
  }
  return map({{"min_replicas", number(range.low)},
              {"max_replicas", number(range.high)},
              {"target_qps_per_replica", std::move(target)},
              {"downscale_delay_seconds", scale.cooldown ? number(scale.cooldown->value.seconds_up()) : nothing()}});
}

data::Node service(Task& task) {
  if (!task.serves()) return nothing();
  task.exact(Field::kind, "service");
  const model::Serve* serve = task.workload.serve ? &*task.workload.serve : nullptr;
  task.exact(Field::serve_port, serve != nullptr && serve->engine && !task.role.program ? "run" : "ports");
  data::Node out = map({{"readiness_probe", readiness_probe(task)}});
  if (task.workload.scale) {
    put(out, "replica_policy", replica_policy(task, *task.workload.scale));
    return out;
  }
  const auto& replicas = task.role.replicas;
  put(out, "replicas", number(std::max<std::int64_t>(1, replicas ? replicas->value.low : 1)));
  if (replicas && replicas->value.high > replicas->value.low)
    task.approximated(Field::replicas, "replicas", "without `scale` the lower bound of the range is used");
  else task.exact(Field::replicas, "replicas");
  return out;
}

// What only Slurm knows is said to Slurm, where the task can run nowhere else.
data::Node sbatch_options(Task& task, const Infra& infra) {
  const bool slurm = infra.only_slurm();
  const model::Workload& w = task.workload;
  data::Node out = map({});
  const auto limit = model::limit_of(w, task.plan.queue);
  if (slurm && limit) {
    const std::int64_t minutes = (limit->value.ms + 59'999) / 60'000;
    put(out, "time", text(std::to_string(minutes)));
    task.exact(Field::time_limit, "time");
  } else if (slurm) {
    task.read(Field::time_limit, "the default of the partition");
  }
  if (slurm && w.account) {
    put(out, "account", text(w.account->value));
    task.exact(Field::account, "account");
  }
  const auto& exclusive = task.role.resources.exclusive;
  if (slurm && exclusive && exclusive->value) {
    put(out, "exclusive", truth(true));
    task.exact(Field::resources_exclusive, "exclusive");
  }
  if (slurm) return out;
  task.approximated(Field::time_limit, "nothing",
                    "SkyPilot has no time limit; where `infra` has only Slurm, Slurm gets it");
  task.approximated(Field::account, "nothing", "SkyPilot has no accounts; where `infra` has only Slurm, Slurm gets it");
  if (!exclusive || !exclusive->value) return out;
  if (!infra.slurm && !infra.kubernetes)
    task.read(Field::resources_exclusive, "the cloud, whose machines are not shared");
  else
    task.approximated(Field::resources_exclusive, "nothing",
                      "other jobs of a Kubernetes or Slurm cluster may share the nodes");
  return out;
}

void report_queue(Task& task, const Infra& infra) {
  if (task.plan.queue == nullptr) return task.read(Field::queue, "SkyPilot's default");
  const std::string& name = task.plan.queue->plane_name;
  if (!name.empty() && (infra.only_kubernetes() || infra.only_slurm()) && !task.service.infra.empty())
    return task.exact(Field::queue, name);
  task.approximated(Field::queue, "nothing", "clouds have no queues");
}

data::Node config(Task& task, const Infra& infra) {
  data::Node slurm = sbatch_options(task, infra), kubernetes = map({});
  report_queue(task, infra);
  const model::Queue* queue = task.plan.queue;
  if (infra.only_kubernetes() && queue != nullptr && !queue->plane_name.empty())
    put(kubernetes, "kueue", map({{"local_queue_name", text(queue->plane_name)}}));
  data::Node out = map({});
  if (!slurm.members.empty()) put(out, "slurm", map({{"sbatch_options", std::move(slurm)}}));
  if (!kubernetes.members.empty()) put(out, "kubernetes", std::move(kubernetes));
  return out.members.empty() ? nothing() : out;
}

void report_dev(Task& task) {
  if (!task.workload.dev) return;
  task.approximated(Field::dev_interface, "run", "people connect with `ssh " + task.workload.name + "`");
}

// `NAME: null` says that a value must come with the command that submits.
data::Node secrets_of(const Task& task) {
  data::Node out = map({});
  for (const services::Passed& secret : task.passed) {
    data::Node null;
    out.members.push_back({secret.name, {}, std::move(null)});
  }
  return out.members.empty() ? nothing() : out;
}

void write(Task& task) {
  const Infra infra = infra_of(task.service, task.plan.queue);
  data::Node resources = resources_of(task, infra), buckets = map({}), volumes = map({});
  std::string run = std::exchange(task.run, {});
  for (const model::Mount& mount : task.role.mounts) add_mount(task, infra, mount, buckets, volumes);
  task.run += run;
  const bool nodes = task.has_nodes() || task.wrote(Field::resources_nodes);
  task.document = map({{"name", text(task.workload.name)},
                       {"resources", std::move(resources)},
                       {"num_nodes", nodes ? number(task.shape.nodes) : nothing()},
                       {"workdir", workdir(task)},
                       {"envs", services::variables(task.envs)},
                       {"secrets", secrets_of(task)},
                       {"file_mounts", buckets.members.empty() ? nothing() : std::move(buckets)},
                       {"volumes", volumes.members.empty() ? nothing() : std::move(volumes)},
                       {"service", service(task)},
                       {"config", config(task, infra)},
                       {"setup", task.setup.empty() ? nothing() : text(task.setup)},
                       {"run", text(task.run)}});
  services::merge_block(task);
  if (task.workload.dev)
    task.approximated(Field::kind, "a task", "it stays until it is taken down, or stopped as idle");
  else if (!task.serves()) task.exact(Field::kind, "a task");
  report_dev(task);
  services::report_checkpoint(task);
}

// A managed job is started again; a service has replicas; else the machines go when the task has ended.
std::string submit(const Task& task, const std::string& file) {
  std::string out = "sky ";
  const bool again = task.workload.retry && task.workload.retry->limit.value != 0;
  const std::string name = sh_word(task.workload.name);
  if (task.serves()) out += "serve up --service-name " + name;
  else if (task.workload.dev) out += "launch --cluster " + name;
  else if (again) out += "jobs launch";
  else out += "launch --cluster " + name + " --down";
  for (const services::Passed& secret : task.passed)
    out += " --secret " + secret.name + (secret.from.empty() ? "" : "=\"$" + secret.from + "\"");
  return out + " " + sh_word(file);
}

constexpr services::Dialect dialect = {
    .system = "SkyPilot",
    .target = "skypilot",
    .plane = model::PlaneKind::skypilot,
    .suffix = "skypilot.yaml",
    .prefix = "SKYPILOT_",
    .text = "run",
    .setup = "setup",
    .nodes = "num_nodes",
    .folder = "workdir",
    .checkout = "workdir",
    .workdir = "",
    .id = "$SKYPILOT_TASK_ID",
    .rank = "$SKYPILOT_NODE_RANK",
    .hosts = "printf '%s\\n' \"$SKYPILOT_NODE_IPS\"",
    .head = "$(head -n1 <<< \"$SKYPILOT_NODE_IPS\")",
    .unit = "job",
    .together = "zone",
    .no_signal = "sends no signal before it ends a task",
    .one_role = "a task of SkyPilot has one program on nodes of one kind",
    .no_ranks = "`mpirun` has to reach the other nodes by ssh",
    .says = says,
    .check = check,
    .write = write,
    .submit = submit,
};

}  // namespace

bool keeps_time_limit(const model::Plane& plane) {
  return plane.kind() != dialect.plane || infra_of(*plane.service(), nullptr).only_slurm();
}

Lowered lower_skypilot(const Target&, const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics) {
  return services::lower(dialect, plan, options, diagnostics);
}

}  // namespace muster::targets::skypilot
