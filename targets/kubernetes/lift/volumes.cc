// Volumes of a pod as storage of the site, scratch space, shared memory and small files.
#include <algorithm>
#include <map>

#include "compiler/base/text.h"
#include "targets/kubernetes/lift/object_lift.h"
#include "targets/kubernetes/read/cluster.h"

namespace muster::targets::kubernetes::lifting {
namespace {

// A volume and where the program's container mounts it.
struct Mounted {
  Field volume;
  std::vector<Field> mounts;
  bool elsewhere = false;  // another container mounts it too
};

std::map<std::string_view, Mounted> volumes_of(const PodTemplate& pods, const Container& program) {
  std::map<std::string_view, Mounted> out;
  for (const Field& volume : pods.spec.get("volumes").items()) out[volume.get("name").text()].volume = volume;
  for (const Container& container : pods.containers)
    for (const Field& mount : container.field.get("volumeMounts").items()) {
      const auto found = out.find(mount.get("name").text());
      if (found == out.end()) continue;
      if (container.field.node == program.field.node) found->second.mounts.push_back(mount);
      else found->second.elsewhere = true;
    }
  return out;
}

// A mount that has nothing but what a key says.
bool is_plain_mount(const Field& mount) {
  const std::string_view path = mount.get("mountPath").text();
  if (!path.starts_with('/') || path.size() < 2 || path.find(':') != path.npos || path.starts_with("/job"))
    return false;
  for (const Field& member : mount.members())
    if (!is_one_of(member.key, {"name", "mountPath", "subPath", "readOnly"})) return false;
  const std::string_view sub = mount.get("subPath").text();
  return !sub.starts_with('/') && sub.find("..") == sub.npos;
}

bool has_only(const Field& map, std::initializer_list<std::string_view> keys) {
  const auto members = map.members();
  return std::all_of(members.begin(), members.end(), [&](const Field& m) { return is_one_of(m.key, keys); });
}

class VolumeLifter {
 public:
  VolumeLifter(ObjectLift& lift, const PodTemplate& pods, const Container& container, model::Role& role)
      : lift_(lift), pods_(pods), container_(container), role_(role) {}

  void run() {
    const auto mounted = volumes_of(pods_, container_);
    for (const Field& volume : pods_.spec.get("volumes").items()) {
      const auto& one = mounted.at(volume.get("name").text());
      if (one.volume.node != volume.node || one.elsewhere || one.mounts.empty()) continue;
      if (!std::all_of(one.mounts.begin(), one.mounts.end(), is_plain_mount)) continue;
      lift_volume(one);
    }
  }

 private:
  void lift_volume(const Mounted& one) {
    if (const Field source = one.volume.get("persistentVolumeClaim")) return lift_claim(one, source);
    if (const Field source = one.volume.get("hostPath")) return lift_host_path(one, source);
    if (one.volume.node->get("emptyDir") != nullptr) return lift_empty(one, one.volume.get("emptyDir"));
    if (const Field source = one.volume.get("configMap")) lift_files(one, source);
  }

  std::string storage_name(std::string_view from) const {
    std::string out = muster::lower(name_from(from));
    std::replace(out.begin(), out.end(), '.', '-');
    std::replace(out.begin(), out.end(), '_', '-');
    return out == "scratch" ? "scratch-volume" : out.substr(0, 40);
  }

  // Its mounts, each a `mount` of the role. A name is mounted once.
  bool add_mounts(const Mounted& one, const std::string& name, bool read_only) {
    const auto is_it = [&](const model::Mount& m) { return m.name == name; };
    if (one.mounts.size() != 1 || std::any_of(role_.mounts.begin(), role_.mounts.end(), is_it)) return false;
    const Field& from = one.mounts.front();
    model::Mount mount;
    mount.name = name;
    mount.path = model::unplaced(std::string(from.get("mountPath").text()));
    mount.read_only = read_only || from.get("readOnly").is_true();
    if (!from.get("subPath").text().empty()) mount.sub_path = model::unplaced(std::string(from.get("subPath").text()));
    role_.mounts.push_back(std::move(mount));
    return true;
  }

  void account(const Mounted& one, Fate fate, const std::string& as, const std::string& note = {}) {
    lift_.ledger.line(one.volume, fate, as, note);
    for (const Field& mount : one.mounts) lift_.ledger.line(mount, Fate::mapped, as.substr(0, as.find(',')));
  }

  // The site has it under a name that is free, or has the same already.
  void add_storage(model::Storage storage) {
    for (const model::Storage& s : lift_.out.site.storage)
      if (s.name == storage.name) return;
    lift_.out.site.storage.push_back(std::move(storage));
  }

  void lift_claim(const Mounted& one, const Field& source) {
    const std::string claim(source.get("claimName").text());
    const bool read_only = source.get("readOnly").is_true();
    if (claim.empty() || !has_only(source, {"claimName", "readOnly"})) return;
    const std::string name = storage_name(claim);
    if (!add_mounts(one, name, read_only)) return;
    model::Storage storage;
    storage.name = name;
    storage.pvc = model::unplaced(claim);
    add_storage(std::move(storage));
    account(one, Fate::moved, "mount." + name + ", storage " + name + " of the site",
            read_only ? "read-only by its mount" : "");
  }

  void lift_host_path(const Mounted& one, const Field& source) {
    const std::string path(source.get("path").text()), type(source.get("type").text());
    if (!path.starts_with('/') || !(type.empty() || type == "Directory")) return;
    if (one.mounts.front().get("mountPath").text() == "/dev/shm") return;
    const std::string name = storage_name("node" + path);
    if (!add_mounts(one, name, false)) return;
    model::Storage storage;
    storage.name = name;
    storage.host_path = model::unplaced(path);
    add_storage(std::move(storage));
    account(one, Fate::moved, "mount." + name + ", storage " + name + " of the site",
            type.empty() ? "the folder has to be there: muster writes `type: Directory`" : "");
  }

  void lift_empty(const Mounted& one, const Field& source) {
    const Field size = source.get("sizeLimit");
    const std::string_view path = one.mounts.front().get("mountPath").text();
    const bool alone =
        one.mounts.size() == 1 && !one.mounts.front().get("subPath") && !one.mounts.front().get("readOnly");
    if (source.get("medium").text() == "Memory") {
      if (path != "/dev/shm" || !alone) return;
      const auto amount = size ? read_quantity(size.text()) : std::nullopt;
      if (size && (!amount || *amount < 1000 || *amount % 1000 != 0)) return;
      if (!size && role_.gpus() == 0 && !role_.resources.part_of_gpu()) return;
      if (size) role_.resources.shm = model::unplaced(Size{*amount / 1000});
      return account(one, Fate::mapped, size ? "resources.shm" : "shared memory, which muster gives to pods with GPUs");
    }
    const auto is_scratch = [](const model::Mount& m) { return m.name == "scratch"; };
    if (size || !alone || source.get("medium") || role_.resources.disk ||
        std::any_of(role_.mounts.begin(), role_.mounts.end(), is_scratch))
      return;
    if (add_mounts(one, "scratch", false)) account(one, Fate::mapped, "mount.scratch");
  }

  // A ConfigMap of the same file, with all its keys, as small files.
  void lift_files(const Mounted& one, const Field& source) {
    if (!has_only(source, {"name", "defaultMode"}) || one.mounts.size() != 1) return;
    const auto found =
        lift_.manifest.by_name.find(reference(lift_.object.name_space, "ConfigMap", source.get("name").text()));
    if (found == lift_.manifest.by_name.end()) return;
    const Field data = found->second->root.get("data"), mount = one.mounts.front();
    if (found->second->root.get("binaryData") || data.members().empty()) return;
    const std::string folder(mount.get("mountPath").text()), key(mount.get("subPath").text());
    std::vector<model::SmallFile> files;
    for (const Field& entry : data.members()) {
      if (!key.empty() && entry.key != key) continue;
      model::SmallFile file;
      file.path = model::unplaced(key.empty() ? folder + "/" + std::string(entry.key) : folder);
      file.bytes = std::string(entry.text());
      const auto mode = source.get("defaultMode").whole();
      if (mode && (*mode & 0111) != 0) file.mode = model::unplaced(std::string("0755"));
      files.push_back(std::move(file));
    }
    if (files.empty() || folder.find("..") != std::string::npos) return;
    for (model::SmallFile& file : files) role_.files.push_back(std::move(file));
    account(one, Fate::lifted, "file", "muster writes a ConfigMap of its own, with each file at its path");
    lift_.ledger.say(found->second->root.span(), found->second->subject(), Fate::lifted, "file", "");
  }

  ObjectLift& lift_;
  const PodTemplate& pods_;
  const Container& container_;
  model::Role& role_;
};

}  // namespace

void lift_volumes(ObjectLift& lift, const PodTemplate& pods, const Container& container, model::Role& role) {
  VolumeLifter(lift, pods, container, role).run();
}

}  // namespace muster::targets::kubernetes::lifting
