// Volumes of a pod: scratch, shared memory, the site's storage, small files, secrets.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/contract/resolve.h"
#include "targets/contract/variables.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod_draft.h"
#include "targets/lookup.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::size_t config_limit = 1 << 20;  // bytes of a ConfigMap

void add_volume(PodDraft& pod, const std::string& name, std::string_view kind, Node source) {
  pod.volumes.push_back(map({{"name", text(name)}, {kind, std::move(source)}}));
  pod.volume_names.insert(name);
}

void add_mount(PodDraft& pod, const std::string& name, const std::string& path, bool read_only,
               const std::string& sub_path = {}) {
  pod.mounts.push_back(map({{"name", text(name)},
                            {"mountPath", text(path)},
                            {"subPath", sub_path.empty() ? nothing() : text(sub_path)},
                            {"readOnly", read_only ? truth(true) : nothing()}}));
}

// Disk of the node for MUSTER_TMP, or for the mount that the user calls `scratch`, where something is put there.
void add_scratch(PodDraft& pod) {
  const bool is_at_tmp = pod.wanted.has("MUSTER_TMP") || pod.wanted.has("MUSTER_HOSTFILE") ||
                         model::refers_to(pod.role, model::RefersTo::run, "tmp") ||
                         pod.prelude.find(scratch_dir) != std::string::npos ||
                         std::any_of(pod.exports.begin(), pod.exports.end(),
                                     [](const contract::Variable& variable) { return variable.name == "TMPDIR"; });
  const bool mounted = std::any_of(pod.mounts.begin(), pod.mounts.end(),
                                   [](const Node& mount) { return mount.get("name")->text == "scratch"; });
  if (!is_at_tmp && !mounted) return;
  Node source = map({});
  if (pod.node.disk) put(source, "sizeLimit", amount(*pod.node.disk));
  add_volume(pod, "scratch", "emptyDir", std::move(source));
  if (is_at_tmp) add_mount(pod, "scratch", std::string(scratch_dir), false);
}

// Of all roles of the pod; nothing: one of them has no limit.
std::optional<Size> shared_memory_of(const plan::RolePlan& node) {
  Size out{};
  for (const plan::RolePlan& one : node.programs()) {
    const auto& shm = one.role->resources.shm;
    if (!shm) return std::nullopt;
    out.bytes += shm->value.bytes;
  }
  return out;
}

// Without it a pod has 64 MiB there, too little for NCCL and data loaders.
void add_shared_memory(PodDraft& pod) {
  const auto& shm = pod.role.resources.shm;
  if (!shm && !pod.has_gpus() && pod.shape.processes < 2)
    return pod.read(model::Field::resources_shm, "no volume is needed");
  Node source = map({{"medium", text("Memory")}});
  const std::optional<Size> size = shared_memory_of(pod.node);
  if (size) put(source, "sizeLimit", amount(*size));
  Node volume = map({{"name", text("dshm")}, {"emptyDir", std::move(source)}});
  pod.volumes.push_back(with_comment(std::move(volume), "shared memory; it counts against the memory limit"));
  add_mount(pod, "dshm", "/dev/shm", false);
  if (size) return pod.exact(model::Field::resources_shm, "emptyDir in memory at /dev/shm");
  pod.approximated(model::Field::resources_shm, "emptyDir in memory at /dev/shm",
                   "without a limit, because another program of the pod states none");
}

Node bucket_source(const model::Storage& storage) {
  std::string bucket = storage.bucket->value;
  if (const std::size_t at = bucket.find("://"); at != std::string::npos) bucket.erase(0, at + 3);
  const bool google = storage.bucket->value.starts_with("gs://");
  const std::string driver = storage.csi ? storage.csi->value : google ? "gcsfuse.csi.storage.gke.io" : "";
  if (driver.empty()) return nothing();
  return map({{"driver", text(driver)}, {"volumeAttributes", map({{"bucketName", text(bucket)}})}});
}

// A claim that lives as long as the pod, of a size that only the user knows.
Node ephemeral_source(PodDraft& pod, const model::Storage& storage) {
  if (!pod.role.resources.disk) return nothing();
  Node spec = map({{"accessModes", texts(std::vector<std::string>{"ReadWriteOnce"})},
                   {"storageClassName", text(storage.storage_class->value)},
                   {"resources", map({{"requests", map({{"storage", amount(pod.role.resources.disk->value)}})}})}});
  return map({{"volumeClaimTemplate", map({{"spec", std::move(spec)}})}});
}

struct Source {
  std::string_view kind;
  Node value;
};

// What the storage is to a pod; the kind is "" where it is nothing.
Source source_of(PodDraft& pod, const model::Storage& storage) {
  if (storage.pvc) return {"persistentVolumeClaim", map({{"claimName", text(storage.pvc->value)}})};
  if (storage.host_path)
    return {"hostPath", map({{"path", text(storage.host_path->value)}, {"type", text("Directory")}})};
  if (storage.bucket)
    if (Node source = bucket_source(storage); source.is_map()) return {"csi", std::move(source)};
  if (storage.csi && !storage.bucket) return {"csi", map({{"driver", text(storage.csi->value)}})};
  if (storage.storage_class)
    if (Node source = ephemeral_source(pod, storage); source.is_map()) return {"ephemeral", std::move(source)};
  return {};
}

void refuse_source(PodDraft& pod, const model::Mount& mount, const model::Storage& storage) {
  const std::string which = "storage `" + storage.name + "` of site `" + pod.site().name + "`";
  if (storage.storage_class)
    return pod.refuse_at(mount.span, {model::Field::mount, mount.name},
                         which + " creates new claims, but the workload does not request a size",
                         "write `disk` in the workload's resources");
  if (storage.bucket)
    return pod.refuse_at(mount.span, {model::Field::mount, mount.name},
                         which + " is a bucket without a driver for pods", "add `csi = \"…\"` to the storage");
  pod.refuse_at(mount.span, {model::Field::mount, mount.name},
                which + " is a path on the nodes, which pods cannot reach",
                "add `pvc = \"…\"` to the storage, or `host-path` where every node has it");
}

// The volume of a storage, made once.
bool ensure_volume(PodDraft& pod, const model::Mount& mount, const model::Storage& storage) {
  const std::string name = dns_label("storage-" + storage.name);
  if (pod.volume_names.contains(name)) return true;
  Source source = source_of(pod, storage);
  if (source.kind.empty()) {
    refuse_source(pod, mount, storage);
    return false;
  }
  if (!is_dns_label(name)) {
    pod.refuse_at(mount.span, {model::Field::mount, mount.name},
                  "`" + name + "` is not a valid volume name; use a shorter name for the storage");
    return false;
  }
  add_volume(pod, name, source.kind, std::move(source.value));
  return true;
}

bool mount_path_valid(PodDraft& pod, const model::Mount& mount) {
  const std::string& path = mount.path.value;
  const bool good = path.starts_with('/') && path.size() > 1 && path.find(':') == std::string::npos && !has_nul(path);
  const bool ours = path == files_dir || path.starts_with(std::string(files_dir) + "/");
  const std::string& sub = mount.sub_path ? mount.sub_path->value : "";
  const bool sub_good = !sub.starts_with('/') && sub.find("..") == std::string::npos && !has_nul(sub);
  if (good && !ours && sub_good) return true;
  pod.refuse_at(mount.path.span, {model::Field::mount, mount.name},
                ours   ? "`" + std::string(files_dir) + "` is the folder of the job's own files"
                : good ? "a sub-path must be relative and cannot contain `..`"
                       : "in a pod a mount's path must be absolute and cannot contain `:`",
                ours ? "use another path" : "");
  return false;
}

void add_storage(PodDraft& pod, const model::Mount& mount) {
  const FieldRef field{model::Field::mount, mount.name};
  const auto variable = contract::mount(mount, contract::Shell::posix, pod);
  if (!variable || !mount_path_valid(pod, mount)) return;
  pod.exports.push_back(*variable);
  const model::Storage* storage = pod.site().storage.find(mount.name, pod.plane());
  const std::string sub = mount.sub_path ? mount.sub_path->value : std::string();
  if (storage == nullptr && mount.name == "scratch") {
    add_mount(pod, "scratch", mount.path.value, mount.read_only, sub);
    return pod.exact(field, "emptyDir at " + mount.path.value);
  }
  if (storage == nullptr)
    return contract::refuse_storage(pod, mount, pod.site(),
                                    "add it to the site: `storage " + mount.name + " { pvc = \"…\" }`");
  if (!ensure_volume(pod, mount, *storage)) return;
  const bool read_only = mount.read_only || storage->read_only;
  add_mount(pod, dns_label("storage-" + storage->name), mount.path.value, read_only, sub);
  const std::string as = "volume at " + mount.path.value;
  if (storage->read_only && !mount.read_only)
    pod.approximated(
        field, as,
        "storage `" + mount.name + "` of site `" + pod.site().name + "` is read-only, but the workload requests `rw`");
  else pod.exact(field, as);
}

int permissions(const model::Optional<std::string>& mode) {
  int out = 0;
  for (const char c : mode ? mode->value : std::string("0644")) out = out * 8 + (c - '0');
  return out;
}

void add_small_file(PodDraft& pod, const model::SmallFile& file, std::size_t index) {
  const FieldRef field{model::Field::file, file.path.value};
  const std::string key = "file-" + std::to_string(index);
  const std::string& path = file.path.value;
  const auto refuse = [&](const std::string& why) { pod.refuse_at(file.path.span, field, why); };
  if (has_nul(file.bytes) || has_nul(path))
    return refuse("the file contains a NUL byte, which a ConfigMap cannot contain");
  if (path.ends_with('/')) return refuse("a file's path cannot end with `/`");
  if (path.find("..") != std::string::npos || path.find(':') != std::string::npos)
    return refuse("in a pod a file's path cannot contain `..` or `:`");
  const bool absolute = path.starts_with('/');
  pod.files.push_back({key, absolute ? "" : path, file.bytes, permissions(file.mode)});
  if (absolute) {
    pod.files.back().path = ".files/" + key;
    add_mount(pod, "job-files", path, true, ".files/" + key);
  }
  pod.exact(field, "ConfigMap, at " + (absolute ? path : std::string(files_dir) + "/" + path));
}

// Where the site keeps a secret; nullptr after a refusal.
const model::SiteSecret* known_secret(PodDraft& pod, const model::Secret& secret) {
  const FieldRef field{model::Field::secret, secret.name};
  const auto* known =
      contract::site_secret(pod, secret, pod.site(), pod.plane(),
                            "add it to the site: `secret " + secret.name + " { name = \"…\"  key = \"…\" }`");
  if (known == nullptr) return nullptr;
  const std::string object = known->object ? known->object->value : known->name;
  if (is_dns_name(object)) return known;
  pod.refuse_at(secret.span, field, "`" + object + "` is not a valid name of a Kubernetes Secret",
                "declare it in the site: `secret " + secret.name + " { name = \"…\"  key = \"…\" }`");
  return nullptr;
}

Node secret_key(const model::SiteSecret& known, const model::Secret& secret) {
  const std::string object = known.object ? known.object->value : known.name;
  const std::string key = known.key ? known.key->value : secret.env ? secret.env->value : secret.name;
  return map({{"name", text(object)}, {"key", text(key)}});
}

void add_secret(PodDraft& pod, const model::Secret& secret) {
  const model::SiteSecret* known = known_secret(pod, secret);
  if (known == nullptr) return;
  const Node key = secret_key(*known, secret);
  if (secret.env) {
    if (!is_env_name(secret.env->value))
      return pod.refuse_at(secret.env->span, {model::Field::secret_env, secret.name},
                           "`" + secret.env->value + "` is not a valid name of an environment variable");
    pod.variables.push_back(map({{"name", text(secret.env->value)}, {"valueFrom", map({{"secretKeyRef", key}})}}));
  }
  if (secret.file) {
    const std::string& path = secret.file->value;
    if (has_nul(path) || path.find("..") != std::string::npos || path.find(':') != std::string::npos ||
        path.ends_with('/'))
      return pod.refuse_at(secret.file->span, {model::Field::secret_file, secret.name},
                           "in a pod a file's path cannot contain `..` or `:` or end with `/`");
    const std::string inside = path.starts_with('/') ? ".secrets/" + secret.name : path;
    Node item = map({{"key", *key.get("key")}, {"path", text(inside)}});
    pod.secret_files.push_back(
        map({{"secret", map({{"name", *key.get("name")}, {"items", list({std::move(item)})}})}}));
    if (path.starts_with('/')) add_mount(pod, "job-files", path, true, inside);
  }
  pod.exact({model::Field::secret, secret.name}, "Secret " + key.get("name")->text + ", by reference");
}

// The pod's ConfigMap, and it as a source of the volume at /muster.
Node config_map(PodDraft& pod) {
  Node config = pod.draft.object("v1", "ConfigMap", pod.object_name), data = map({}), items = list({});
  std::size_t bytes = 0;
  for (const ConfigFile& file : pod.files) {
    put(data, file.key, text(file.bytes));
    Node item = map({{"key", text(file.key)}, {"path", text(file.path)}});
    if (file.mode != 0) put(item, "mode", number(file.mode));
    items.items.push_back(std::move(item));
    bytes += file.key.size() + file.bytes.size();
  }
  if (bytes > config_limit)
    pod.refuse_at(
        pod.role.program ? pod.role.program->span : pod.workload.span, model::Field::script,
        "the files and scripts of the pod are " + std::to_string(bytes) + " bytes, but a ConfigMap is limited to 1 MiB",
        "put them into the image or on a storage");
  put(config, "data", std::move(data));
  if (!pod.draft.keeps_name) put(config, "immutable", truth(true));  // as the job: the kubelet does not watch it
  pod.draft.add(std::move(config));
  return map({{"configMap", map({{"name", text(pod.object_name)}, {"items", std::move(items)}})}});
}

}  // namespace

void add_volumes(PodDraft& pod) {
  pod.exact(model::Field::resources_disk, "ephemeral-storage");
  add_shared_memory(pod);
  for (const model::Mount& mount : pod.role.mounts) add_storage(pod, mount);
  for (std::size_t i = 0; i < pod.role.files.size(); ++i) add_small_file(pod, pod.role.files[i], i);
  for (const model::Secret& secret : pod.role.secrets) add_secret(pod, secret);
}

void mount_config(PodDraft& pod) {
  add_scratch(pod);
  if (pod.has_start_file) pod.files.insert(pod.files.begin(), {"start", "start", "#!/bin/sh\n" + pod.prelude, 0});
  Node sources = list({});
  if (!pod.files.empty()) sources.items.push_back(config_map(pod));
  for (Node& secret : pod.secret_files) sources.items.push_back(std::move(secret));
  if (sources.items.empty()) return;
  add_volume(pod, "job-files", "projected", map({{"sources", std::move(sources)}}));
  add_mount(pod, "job-files", std::string(files_dir), true);
}

}  // namespace muster::targets::kubernetes
