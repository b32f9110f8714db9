#include <algorithm>
#include <functional>

#include "tests/loss/pods.h"

namespace muster::loss {
namespace {

// The template of the role: the first map below the object with containers, and the role's label beside it.
const Tree& find_template(const Tree& main, const model::Role& role) {
  const std::string& name = role.with ? role.with->value : role.name;
  const Tree *labelled = nullptr, *first = nullptr;
  each(main, "", [&](const std::string&, const Tree& at) {
    const Tree& spec = at["spec"];
    if (!spec["containers"] && !spec["volumes"]) return;
    if (first == nullptr) first = &at;
    if (labelled == nullptr && at["metadata"]["labels"]["app.kubernetes.io/component"].text == dns(name))
      labelled = &at;
  });
  return labelled != nullptr ? *labelled : first != nullptr ? *first : nothing;
}

// A TrainJob says the program itself and the rest as a patch of its runtime, which has the image and the folder.
Tree find_container(const Output& output, const Tree& main, const Tree& pod, const model::Role& role) {
  if (role.with)
    if (const Tree* beside = container_named(pod, dns(role.name))) return *beside;
  Tree out = pod["containers"].items.empty() ? Tree{Tree::Is::map, {}, {}, {}} : pod["containers"].items[0];
  for (const auto& [key, value] : main["spec"]["trainer"].members)
    out.members.emplace_back(key == "resourcesPerNode" ? "resources" : key, value);
  for (const Tree& object : output.objects)
    if (object["kind"].text == "TrainingRuntime")
      for (const auto& [key, value] : find_template(object, role)["spec"]["containers"].items.at(0).members)
        if (!out[key]) out.members.emplace_back(key, value);
  return out;
}

// The lines of sh in front of the program: muster's shell has nothing else, that of a script has the script behind
// them.
std::string lines_of(const Pods& p) {
  const std::vector<Tree>& command = p.container["command"].items;
  if (command.size() < 3 || scalar(command[1]) != "-c") return {};
  const std::string text = expanded(scalar(command[2]));
  if (scalar(command[0]) == "/bin/sh") return text;
  const auto* script = p.role.program ? std::get_if<model::Script>(&p.role.program->value) : nullptr;
  const bool behind = script != nullptr && text.ends_with("\n" + script->bytes);
  return behind ? text.substr(0, text.size() - script->bytes.size()) : std::string();
}

void find_prelude(Pods& p) {
  p.start = lines_of(p);
  p.words = shell_words(p.start);
  for (const Tree& volume : p.pod["volumes"].items) {
    if (scalar(volume["name"]) != (p.role.with ? "job-files-" + dns(p.role.name) : "job-files")) continue;
    for (const Tree& source : volume["projected"]["sources"].items)
      if (source["configMap"])
        for (const Tree& o : p.objects)
          if (scalar(o["kind"]) == "ConfigMap" &&
              scalar(o["metadata"]["name"]) == scalar(source["configMap"]["name"])) {
            p.start = scalar(o["data"]["start"]);
            p.words = shell_words(p.start);
            for (const std::string& word : shell_words(scalar(o["data"]["program"]))) p.words.push_back(word);
          }
  }
  for (const std::string& word : shell_words(scalar(p.main["spec"]["entrypoint"]))) p.words.push_back(word);
}

using Find = std::string (*)(const Pods&);

std::string find_kind(const Pods& p) {
  const std::string kind = scalar(p.main["kind"]);
  const bool service = kind == "Deployment" || kind == "RayService" || kind == "LeaderWorkerSet",
             people = kind == "Pod" || kind == "RayCluster";
  const model::Kind asked = p.work.kind.value;
  return when(service == (asked == model::Kind::serve) && people == (asked == model::Kind::dev), kind);
}

std::string find_queue(const Pods& p) {
  // Of a list the first that the site has.
  for (const auto& asked : p.work.queues)
    if (const model::Queue* queue = named(p.asked.site.queues, asked.value)) {
      for (const Tree& o : p.objects)
        if (any(o, [&](const std::string& key, const Tree& at) {
              return key.find("queue") != std::string::npos && scalar(at) == queue->plane_name;
            }))
          return "the queue's label or annotation";
      return {};
    }
  return {};
}

std::string find_preemptible(const Pods& p) {
  for (const model::Queue& queue : p.asked.site.queues)
    if (queue.preemptible && p.text.find(": " + queue.plane_name + "\n") != std::string::npos) return "the queue";
  return when(p.text.find("L4") != std::string::npos || p.text.find("-l4") != std::string::npos ||
                  p.text.find(")l4(") != std::string::npos,
              "the pool's GPUs");
}

// Of Kubernetes itself: the Job is a gang, or each pod names the PodGroup. A target that is a provider's name is its.
bool is_native_group(const Pods& p) {
  const bool native = p.asked.plane.pods()->gang == model::GangProvider::kube_scheduler;
  if (!native || p.target == "volcano" || p.target == "kueue") return true;
  if (p.main["spec"]["scheduling"]["schedulingPolicy"]["gang"].is == Tree::Is::map) return true;
  for (const Tree& o : p.objects)
    if (scalar(o["kind"]) == "PodGroup")
      return scalar(p.pod["schedulingGroup"]["podGroupName"]) == scalar(o["metadata"]["name"]);
  return false;
}

// Some object says to its scheduler that it is a gang: a queue that admits it whole, or a number of members.
bool is_admitted(const Pods& p) {
  constexpr std::string_view words[] = {"kueue.x-k8s.io/queue-name",
                                        "minMember",
                                        "minAvailable",
                                        "minCount",
                                        "gang",
                                        "schedulingPolicy",
                                        "kai.scheduler/batch-min-member",
                                        "yunikorn.apache.org/task-groups",
                                        "ray.io/scheduler-name"};
  return std::any_of(p.objects.begin(), p.objects.end(), [&](const Tree& o) {
    return any(o, [&](const std::string& key, const Tree&) {
      return std::find(std::begin(words), std::end(words), key) != std::end(words);
    });
  });
}

std::string find_gang(const Pods& p) {
  if (p.target == "volcano" && !p.main["spec"]["minAvailable"]) return {};
  const bool remark = p.text.find("# to check that the whole gang was admitted") != std::string::npos;
  const bool several = p.work.starts() == model::Gang::all
                           ? p.role.copies() * p.role.nodes() > 1 || p.work.roles.size() > 1
                           : p.role.nodes() > 1 && p.work.starts() != model::Gang::none;
  return when(remark == several && (!several || (is_native_group(p) && is_admitted(p))), "the provider's words");
}

std::string find_replicas(const Pods& p) {
  const auto& asked = p.role.replicas->value;
  const std::int64_t pods = asked.low * p.role.nodes();
  for (const char* key : {"replicas", "completions", "minReplicas", "minReplicaCount"})
    for (const Tree& o : p.objects)
      if ((scalar(o["kind"]) != "JobSet" || key == std::string_view("replicas")) &&
          (says(o, key, asked.low) || says(o, key, pods) || says(o, key, asked.high)))
        return key;
  return {};
}

std::string find_primary(const Pods& p) {
  if (p.target == "volcano")
    for (const Tree& task : p.main["spec"]["tasks"].items)
      if (scalar(task["name"]) == dns(p.role.name))
        return when(says(task, "action", "CompleteJob"), "the task's policies");
  const Tree& policy = p.main["spec"]["successPolicy"];
  return when(policy && holds(policy, dns(p.role.name)), "successPolicy");
}

std::string find_waits(const Pods& p) {
  for (const Tree& job : p.main["spec"]["replicatedJobs"].items)
    if (scalar(job["name"]) == dns(p.role.name) && job["dependsOn"])
      for (const model::RoleStart& start : p.role.depends_on)
        if (start.role == p.asked.name)
          return when(says(job["dependsOn"], "name", dns(start.role)) &&
                          says(job["dependsOn"], "status", start.on == model::StartOn::complete ? "Complete" : "Ready"),
                      "dependsOn");
  for (const model::RoleStart& start : p.role.depends_on)
    if (const Tree* beside = container_named(p.pod, dns(start.role)); beside != nullptr && start.role == p.asked.name)
      return when(scalar((*beside)["restartPolicy"]) == "Always" &&
                      (start.on != model::StartOn::ready || (*beside)["startupProbe"]),
                  "the sidecar");
  return {};
}

std::string find_code(const Pods& p) {
  const auto* git = std::get_if<model::Git>(&p.role.code->value);
  if (git != nullptr)
    return when(holds(p.pod["initContainers"], p.asked.key == "code.git.url" ? git->url.value : git->rev.value),
                "an init container");
  const std::string& root = code_of(p.asked.site, p.asked.plane)->path->value;
  const std::string folder = std::get<std::string>(p.role.code->value), at = folder == "." ? root : root + "/" + folder;
  return when(any(p.container,
                  [&](const std::string& key, const Tree& word) {
                    return (key == "workingDir" || key == "args" || key == "command") && scalar(word).starts_with(at);
                  }) ||
                  (p.words.size() > 1 && p.words[0] == "cd" && p.words[1].starts_with(at)),
              "workingDir");
}

std::string find_software(const Pods& p) {
  if (p.asked.key == "software.prelude")
    return when(in_config(p, std::get<model::SoftwareSpec>(p.role.software->value).prelude->value.bytes), "ConfigMap");
  for (const auto& [name, spec] : p.asked.site.software)
    if (name == std::get<std::string>(p.role.software->value) && spec.image)
      return when(scalar(p.container["image"]).find(spec.image->value) != std::string::npos, "image");
  return {};
}

std::string find_image(const Pods& p) {
  return when(scalar(p.container["image"]).ends_with(image_path(p.asked)), "image");
}

std::string find_workdir(const Pods& p) {
  const std::string& at = p.role.workdir->value.bytes;
  const std::string folder = scalar(p.container["workingDir"]);
  const bool relative = !at.starts_with('/');
  return when(folder == at || (relative && folder.ends_with("/" + at)) ||
                  any(p.container["args"],
                      [&](const std::string&, const Tree& word) {
                        return scalar(word) == at || (relative && scalar(word).ends_with("/" + at));
                      }) ||
                  (p.words.size() > 1 && p.words[0] == "cd" &&
                   (p.words[1] == at || (relative && p.words[1].ends_with("/" + at)))),
              "workingDir");
}

std::string find_env(const Pods& p) {
  for (const model::EnvVar& e : p.role.env) {
    if (e.name != p.asked.name) continue;
    if (!e.from_axis()) {
      for (const Tree& item : p.container["env"].items)
        if (scalar(item["name"]) == e.name) return when(expanded(scalar(item["value"])) == e.value.bytes, "env");
      return {};
    }
    const model::Axis* axis = named(p.work.sweep->axes, *e.value.axis());
    return when(std::all_of(axis->values.begin(), axis->values.end(),
                            [&](const std::string& v) {
                              return std::find(p.words.begin(), p.words.end(), e.name + "=" + v) != p.words.end();
                            }),
                "the table of points");
  }
  return {};
}

std::string find_secret(const Pods& p) {
  const model::Secret* secret = named(p.role.secrets, p.asked.name);
  if (p.asked.key == "secret.file")
    return when(
        any(p.pod["volumes"],
            [&](const std::string& key, const Tree& at) { return key == "path" && scalar(at) == secret->file->value; }),
        "a projected Secret");
  for (const Tree& item : p.container["env"].items)
    if (scalar(item["name"]) == secret->env->value && item["valueFrom"]) return "secretKeyRef";
  return {};
}

std::string find_mount(const Pods& p) {
  const model::Mount* mount = named(p.role.mounts, p.asked.name);
  for (const Tree& at : p.container["volumeMounts"].items) {
    if (scalar(at["mountPath"]) != mount->path.value) continue;
    if (p.asked.key == "mount.mode") return when(scalar(at["readOnly"]) == "true", "readOnly");
    if (p.asked.key == "mount.sub-path") return when(scalar(at["subPath"]) == mount->sub_path->value, "subPath");
    return "mountPath";
  }
  return {};
}

std::string find_file(const Pods& p) {
  for (const model::SmallFile& file : p.role.files) {
    if (file.path.value != p.asked.name) continue;
    if (p.asked.key == "file.text")
      return when(in_config(p, file.bytes) && holds(p.pod["volumes"], file.path.value), "ConfigMap");
    return when(says(p.pod["volumes"], "mode", std::stoll(file.mode->value, nullptr, 8)), "mode");
  }
  return {};
}

std::string find_fabric(const Pods& p) {
  for (const model::FabricAttachment& fabric : p.asked.site.fabrics)
    if ((fabric.resource && p.container["resources"]["limits"][fabric.resource->value]) ||
        (!fabric.env.empty() && says(p.container["env"], "name", fabric.env.front().name)))
      return "limits or env";
  return {};
}

// By the kind of the object: under Kueue it may be any.
std::string find_nodes(const Pods& p) {
  const std::int64_t n = p.role.nodes(), copies = std::max<std::int64_t>(1, p.role.copies());
  const Tree& spec = p.main["spec"];
  const std::string kind = scalar(p.main["kind"]);
  if (kind == "PyTorchJob") {
    if (const Tree& elastic = spec["elasticPolicy"])
      return when(says(elastic, "minReplicas", n) && says(elastic, "maxReplicas", p.role.resources.nodes->value.high),
                  "elasticPolicy");
    return when(says(spec["pytorchReplicaSpecs"]["Worker"], "replicas", n - 1), "Worker");
  }
  if (kind == "MPIJob") return when(says(spec["mpiReplicaSpecs"]["Worker"], "replicas", n), "Worker");
  if (kind == "TrainJob") return when(says(spec["trainer"], "numNodes", n), "numNodes");
  if (kind == "LeaderWorkerSet") return when(says(spec["leaderWorkerTemplate"], "size", n), "size");
  if (kind.starts_with("Ray"))
    return when(any(spec,
                    [&](const std::string& key, const Tree& at) {
                      return key == "workerGroupSpecs" && at.is == Tree::Is::list && !at.items.empty() &&
                             says(at.items[0], "replicas", n - 1);
                    }),
                "workerGroupSpecs");
  if (p.target == "volcano") return when(says(spec["tasks"], "replicas", n * copies), "replicas of the task");
  return when(says(spec, "completions", n) || says(spec, "completions", n * copies), "completions");
}

// The template of the claim that the pod names for the container.
const Tree& claim_of(const Pods& p) {
  for (const Tree& claim : p.pod["resourceClaims"].items)
    if (says(p.container["resources"]["claims"], "name", scalar(claim["name"])))
      for (const Tree& o : p.objects)
        if (scalar(o["kind"]) == "ResourceClaimTemplate" &&
            scalar(o["metadata"]["name"]) == scalar(claim["resourceClaimTemplateName"]))
          return o;
  return nothing;
}

// Of the GPUs' model and memory: what selects their nodes.
std::string find_gpu(const Pods& p) {
  const auto& asked = p.role.resources.gpu;
  const std::vector<std::string> models = asked ? asked->value : std::vector<std::string>{"h100"};
  const auto names = [&](const std::string&, const Tree& at) {
    for (const model::GpuDialect& words : p.asked.site.gpus)
      if (words.label && scalar(at) == words.label->value) return true;
    std::string value = scalar(at);
    for (char& c : value) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return std::any_of(models.begin(), models.end(),
                       [&](const std::string& m) { return value.find(m) != std::string::npos; });
  };
  const bool label = (p.pod["nodeSelector"] && any(p.pod["nodeSelector"], names)) ||
                     (p.pod["affinity"] && any(p.pod["affinity"], names));
  const Tree& claim = claim_of(p);
  return when(label || (claim && any(claim, names)), "a label of nodes, or the claim");
}

std::string find_gpus(const Pods& p) {
  const Tree& limits = p.container["resources"]["limits"];
  if (p.asked.key == "resources.gpu-share") return when(p.meta && says(p.meta, "gpu-fraction", "0.50"), "gpu-fraction");
  const std::string wanted = p.asked.key == "resources.gpu-slice" ? p.role.resources.gpu_slice->value : "gpu";
  const std::string count = p.asked.key == "resources.gpu-slice" ? "1" : std::to_string(p.role.gpus());
  const Tree& claim = claim_of(p);
  if (p.asked.key == "resources.gpus" && says(claim, "count", count)) return "the claim";
  return when(limits && any(limits,
                            [&](const std::string& key, const Tree& at) {
                              return key.find(wanted) != std::string::npos && scalar(at) == count;
                            }),
              "limits");
}

std::string find_amount(const Pods& p) {
  const Tree& limits = p.container["resources"]["limits"];
  if (!limits) return {};
  // A limit stands for a request that is not there.
  const auto asked = [&](const char* name) -> const Tree& {
    const Tree& request = p.container["resources"]["requests"][name];
    return request ? request : limits[name];
  };
  if (p.asked.key == "resources.cpus") {
    const auto& cpus = p.role.resources.cpus->value;
    if (cpus.all) return when(std::atoll(scalar(limits["cpu"]).c_str()) > 16, "limits");
    return when(scalar(asked("cpu")) == std::to_string(cpus.low) && says(limits, "cpu", cpus.high),
                "requests and limits");
  }
  const auto& memory = p.role.resources.memory->value;
  const std::int64_t low = bytes_of(scalar(asked("memory"))), high = bytes_of(scalar(limits["memory"]));
  return when(memory.all ? high > (100LL << 30) : low == memory.low.bytes && high == memory.high.bytes,
              "requests and limits");
}

std::string find_volume(const Pods& p) {
  const bool shm = p.asked.key == "resources.shm";
  if (!shm) {
    const Tree& amount = p.container["resources"]["limits"]["ephemeral-storage"];
    return when(amount.there() && bytes_of(scalar(amount)) == p.role.resources.disk->value.bytes, "ephemeral-storage");
  }
  for (const Tree& volume : p.pod["volumes"].items) {
    const Tree& empty = volume["emptyDir"];
    if (!empty || scalar(volume["name"]) != "dshm") continue;
    const auto& asked = p.role.resources.shm;
    return when(!asked || bytes_of(scalar(empty["sizeLimit"])) == asked->value.bytes, "emptyDir");
  }
  return {};
}

bool word(const Pods& p, const std::string& wanted) {
  return std::find(p.words.begin(), p.words.end(), wanted) != p.words.end();
}

std::string find_sweep(const Pods& p) {
  const model::Sweep& sweep = *p.work.sweep;
  if (p.asked.key == "sweep.max-parallel")
    return when(says(p.main, "parallelism", sweep.max_parallel->value), "parallelism");
  return when(says(p.main, "completions", static_cast<std::int64_t>(sweep.points())), "completions");
}

std::string find_own_words(const Pods& p) {
  return when(p.asked.name == "pod" ? p.meta && says(p.meta, "own", "word") : says(p.main["metadata"], "own", "word"),
              "merged");
}

std::string find_own_options(const Pods& p) {
  const auto words = scalar(p.main["kind"]) == "MPIJob" ? launcher_words(p) : program_arguments(p);
  for (const model::TargetOptions& target : p.work.targets)
    if (target.target == p.asked.name) return when(in_a_row(words, values_of(target.launch)), "args");
  return {};
}

constexpr std::pair<std::string_view, Find> readers[] = {
#include "tests/loss/manifest_readers.inc"
};

constexpr std::string_view kinds[] = {"Job",      "JobSet",     "Pod",        "Deployment",      "RayJob", "RayService",
                                      "TrainJob", "PyTorchJob", "RayCluster", "LeaderWorkerSet", "MPIJob"};

}  // namespace

std::string find_in_manifests(const Output& output, const Asked& asked) {
  const auto found =
      std::find_if(std::begin(readers), std::end(readers), [&](const auto& r) { return r.first == asked.key; });
  if (found == std::end(readers)) return {};
  const auto main = std::find_if(output.objects.begin(), output.objects.end(), [](const Tree& o) {
    return std::find(std::begin(kinds), std::end(kinds), o["kind"].text) != std::end(kinds);
  });
  if (main == output.objects.end()) return {};
  const Tree& whole = (*main)["kind"].text == "Pod" ? *main : find_template(*main, asked.role);
  if (!whole["spec"]) return {};
  Pods pods{asked,         asked.workload,
            asked.role,    output.target,
            output.text,   output.objects,
            *main,         whole["metadata"],
            whole["spec"], find_container(output, *main, whole["spec"], asked.role)};
  find_prelude(pods);
  return found->second(pods);
}

}  // namespace muster::loss
