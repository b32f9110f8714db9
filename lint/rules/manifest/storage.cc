// K8S025 host-root, K8S026 claim-of-one-node, CKP002 checkpoint-not-shared of manifests: where pods read and write.
#include <algorithm>
#include <array>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/heuristics.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

// ---- K8S025 ------------------------------------------------------------------------------------------

// Agents of the nodes (a DaemonSet) manage the node.
void check_host_root(const ManifestScene& scene, const Object& object, const PodTemplate& pods) {
  if (object.kind == "DaemonSet" || !pods.has_accelerator()) return;
  for (const Field& volume : pods.spec.get("volumes").items()) {
    const Field path = volume.at("hostPath.path");
    if (path.text() != "/") continue;
    scene.wrong(RuleId::host_root, object, path,
                "the volume " + quoted(volume.get("name").text()) + " is the whole file system of the node",
                "its programs can read and change everything on the node");
  }
}

// ---- K8S026 ------------------------------------------------------------------------------------------

// The claim of the file by that name; false if it is elsewhere.
Field claim_of(const ManifestScene& scene, const Object& object, std::string_view name) {
  const auto found = scene.manifest.by_name.find(k8s::reference(object.name_space, "PersistentVolumeClaim", name));
  return found == scene.manifest.by_name.end() ? Field{} : found->second->root;
}

// Whether all that a claim may do is to be mounted on one node.
bool is_of_one_node(const Field& claim) {
  const auto modes = claim.at("spec.accessModes").items();
  return !modes.empty() && std::all_of(modes.begin(), modes.end(), [](const Field& mode) {
    return mode.text() == "ReadWriteOnce" || mode.text() == "ReadWriteOncePod";
  });
}

void check_claims(const ManifestScene& scene, const Object& object) {
  std::map<std::string_view, std::pair<std::int64_t, Field>> users;  // pods that mount it, and the first mention
  for (const PodTemplate& pods : object.pods)
    for (const Field& volume : pods.spec.get("volumes").items()) {
      const Field name = volume.at("persistentVolumeClaim.claimName");
      if (!name || !pods.count) continue;
      auto& [count, where] = users[name.text()];
      count += std::min<std::int64_t>(*pods.count, 1'000'000);
      if (!where) where = name;
    }
  for (const auto& [name, user] : users) {
    const Field claim = claim_of(scene, object, name);
    if (user.first < 2 || !claim || !is_of_one_node(claim)) continue;
    const Field mode = claim.at("spec.accessModes").items().front();
    Finding& f = scene.wrong(RuleId::claim_of_one_node, object, user.second,
                             counted(user.first, "pod") + " mount " + quoted(name) + ", which is `" +
                                 std::string(mode.text()) + "`: only one node can mount it",
                             "pods on other nodes do not start");
    f.labels.push_back({mode.span(), "the access mode"});
  }
}

// ---- CKP002 ------------------------------------------------------------------------------------------

bool is_save_option(std::string_view option) {
  if (is_checkpoint_option(option)) return true;
  const std::string name = dashed(lower(option));
  return name == "--output-dir" || name == "--default-root-dir";
}

// The mount that holds a path of a container: the longest one; false: the path is the container's own.
Field mount_of(const Container& c, std::string_view path) {
  Field best;
  std::size_t longest = 0;
  for (const Field& mount : c.field.get("volumeMounts").items()) {
    std::string_view at = mount.get("mountPath").text();
    while (at.size() > 1 && at.ends_with('/')) at.remove_suffix(1);
    const bool inside = path.starts_with(at) && (path.size() == at.size() || path[at.size()] == '/' || at == "/");
    if (inside && at.size() > longest && !at.empty()) best = mount, longest = at.size();
  }
  return best;
}

// Why what is saved at a path is lost with its pod; "" if it is not.
std::string loss_at(const PodTemplate& pods, const Container& c, std::string_view path) {
  const Field mount = mount_of(c, path);
  if (!mount) return "the container's own file system";
  for (const Field& volume : pods.spec.get("volumes").items())
    if (volume.get("name").text() == mount.get("name").text() && volume.node->get("emptyDir") != nullptr)
      return "an emptyDir";
  return {};
}

// Whether a command may change to another folder before its program starts, or is not known.
bool changes_folder(const Container& c) {
  return std::any_of(c.words.begin(), c.words.end(), [](const k8s::Word& w) {
    return w.text == "cd" || w.text == "pushd" || w.text == "--chdir" || w.text == "--wdir" || w.text == "-wdir";
  });
}

// Volumes that do not outlive the pod, or are the node's own or not for data: an image does not work in them.
bool is_no_home(const PodTemplate& pods, const Field& mount) {
  const std::string_view at = mount.get("mountPath").text();
  if (at.starts_with("/dev/") || at.starts_with("/etc/") || at.starts_with("/var/") || at.starts_with("/root/."))
    return true;
  for (const Field& volume : pods.spec.get("volumes").items()) {
    if (volume.get("name").text() != mount.get("name").text()) continue;
    for (const char* kind : {"emptyDir", "configMap", "secret", "downwardAPI", "projected"})
      if (volume.node->get(kind) != nullptr) return true;
    return at.starts_with("/local") && volume.at("hostPath.path");
  }
  return false;
}

// Why what is saved below the working folder is lost with the pod; "" if it is not, or not known.
std::string loss_in_folder(const PodTemplate& pods, const Container& c) {
  if (changes_folder(c)) return {};
  if (const Field folder = c.field.get("workingDir")) {
    const std::string_view path = folder.text();
    return path.starts_with('/') && !blank_in(path, In::yaml) ? loss_at(pods, c, path) : std::string();
  }
  for (const Field& mount : c.field.get("volumeMounts").items())
    if (!is_no_home(pods, mount)) return {};
  return "the container's own file system";
}

// `./checkpoints`, `out/ckpt`: a path in the working folder, and not the name of something.
bool is_relative_path(std::string_view path) {
  return path.starts_with("./") || (path.find('/') != std::string_view::npos && !path.starts_with('/') &&
                                    path.find(':') == std::string_view::npos && !path.starts_with(".."));
}

// A checkpoint that training goes on from, if it is not what the command itself fetches.
bool is_resumed(const Container& c, std::string_view option, std::string_view path) {
  if (dashed(lower(option)) != "--resume" || path.find("://") != std::string_view::npos) return false;
  if (!path.starts_with('/') && !path.starts_with("./")) return false;
  const auto mentions = std::count_if(c.words.begin(), c.words.end(),
                                      [&](const k8s::Word& w) { return w.text.find(path) != std::string::npos; });
  return mentions == 1;
}

// `aws s3 sync /output/ s3://…` behind the program: what is saved there goes on to where it stays.
bool is_taken_away(const Container& c, const k8s::Word& named, std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const auto is_tool = [](const k8s::Word& w) { return shell::has_effect(w.text, shell::Effect::transfers); };
  const auto behind = c.words.begin() + (&named - c.words.data()) + 1;
  const auto from = std::find_if(behind, c.words.end(), is_tool);
  return std::any_of(from, c.words.end(), [&](const k8s::Word& w) {
    const std::string_view text = w.text;
    return text == path || (text.starts_with(path) && text[path.size()] == '/');
  });
}

void check_saves(const ManifestScene& scene, const Object& object, const PodTemplate& pods, const Container& c) {
  if (c.init || !c.has_accelerator()) return;
  for (const k8s::Word& word : c.words) {
    const std::size_t equals = word.text.find('=');
    const std::string_view option = std::string_view(word.text).substr(0, equals);
    if (!option.starts_with("--")) continue;
    const auto value = option_of(c, {option});
    if (!value || blank_in(value->value, In::yaml)) continue;
    const std::string_view path = value->value;
    const bool resumes = is_resumed(c, option, path);
    if (!resumes && !is_save_option(option)) continue;
    const bool relative = !path.starts_with('/');
    // `--output-dir out` of a program that trains for minutes is not a checkpoint.
    if (relative && (!is_relative_path(path) || (!resumes && !is_checkpoint_option(option)))) continue;
    const std::string loss = relative ? loss_in_folder(pods, c) : loss_at(pods, c, path);
    if (loss.empty() || is_taken_away(c, *value->word, path)) continue;
    Finding& f =
        scene.wrong(RuleId::checkpoint_not_shared, object, *value->word,
                    "`" + std::string(option) + (resumes ? "` reads " : "` saves to ") + muster::quoted(value->value) +
                        (resumes ? " from " : " on ") + loss,
                    resumes ? "a pod that starts again has no checkpoint there" : "it is lost when the pod ends");
    f.severity = Severity::warning;
    f.notes.push_back("mount a volume that outlives the pod at that path");
    return;
  }
}

}  // namespace

void check_storage(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    check_claims(scene, object);
    const bool trains = object.known != nullptr && object.known->complete && object.known->work != k8s::Work::service &&
                        object.known->work != k8s::Work::ray;
    for (const PodTemplate& pods : object.pods) {
      check_host_root(scene, object, pods);
      if (trains)
        for (const Container& c : pods.containers) check_saves(scene, object, pods, c);
    }
  }
}

}  // namespace muster::lint
