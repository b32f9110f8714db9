// Images, resources, shared memory and volumes of pods.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "lint/heuristics.h"
#include "lint/overlays.h"
#include "lint/rules/manifest/scene.h"
#include "lint/yaml_edit.h"

namespace muster::lint {
namespace {

using k8s::Work;

// No name of an image has capital letters; those of its registry may be left to fill in.
bool is_name_to_fill_in(std::string_view image) {
  const std::string_view last = image.substr(image.find_last_of('/') + 1);
  return blank_in(image, In::yaml) || blank_in(last.substr(0, last.find(':')), In::refused);
}

// What computes or serves: of a helper, or of a program without accelerators, another version is no loss.
bool is_main_work(const Object& object, const Container& c, PodFacts& facts) {
  const k8s::Program program = program_of(c);
  if (c.has_accelerator()) return !only_waits(c) && !is_burn_in(c);
  const bool ranks = object.known->work == Work::training || object.known->work == Work::ray;
  const std::string_view image = c.field.get("image").text();
  const bool shell = image == "busybox" || image == "alpine" || image.starts_with("busybox:");
  if (is_server(program)) return true;
  return (is_launcher(program) || (ranks && !c.init && !shell)) && wants_gpu(object) && !facts.is_trial();
}

// `my-model:latest`, `localhost:5000/a`: it was built where it runs. Docker's own images have names without a slash
// too.
bool is_built_locally(std::string_view image) {
  constexpr auto official = std::to_array<std::string_view>({
#define OFFICIAL_IMAGE(name) name,
#include "lint/rules/manifest/official_images.def"
#undef OFFICIAL_IMAGE
  });
  const std::string_view name = image.substr(0, image.find(':'));
  if (image.starts_with("localhost:") || image.starts_with("127.0.0.1:")) return true;
  return image.find('/') == std::string_view::npos &&
         std::find(official.begin(), official.end(), name) == official.end();
}

void check_image(const ManifestScene& scene, const Object& object, const Field& image, std::string_view pull_policy,
                 bool main_work) {
  const std::string_view text = image.text();
  if (text.empty() || text.find("://") != std::string_view::npos) return;
  if (is_name_to_fill_in(text) || is_to_be_replaced(scene.context.sources, image.span())) return;
  // `controller` is what kubebuilder's kustomization replaces; Never is an image that was loaded by hand.
  if (text.starts_with("controller:") || text == "controller" || pull_policy == "Never") return;
  const Context& context = scene.context;
  const std::string& file = context.sources.name(object.root.span().file);
  if (context.overlays != nullptr && context.overlays->replaces_image(file, text)) return;
  const Pin pin = pin_of(text);
  if (pin == Pin::pinned) return;
  const bool named = pin != Pin::tagged && has_version_in_name(text);
  main_work = main_work && !is_built_locally(text) && !says_above(context.sources, image.span(), "latest");
  Finding& f = pin == Pin::no_tag ? scene.wrong(RuleId::image_unpinned, object, image,
                                                "the image " + quoted(text) + " has no tag", "`latest` is pulled")
               : pin == Pin::latest
                   ? scene.wrong(RuleId::image_unpinned, object, image,
                                 "the image " + quoted(text) + " uses the tag `latest`, which changes over time")
                   : scene.wrong(RuleId::image_unpinned, object, image,
                                 "the image " + quoted(text) + " has a tag but no digest", "a tag can be moved");
  if (pin == Pin::tagged || named || !main_work) f.severity = Severity::info, f.since = Profile::strict;
}

// "0.5" or "500m" of a thing that is counted.
bool is_fraction(std::string_view quantity) {
  const std::size_t dot = quantity.find('.');
  if (quantity.ends_with('m')) return true;
  if (dot == std::string_view::npos) return false;
  return quantity.find_first_of("123456789", dot) != std::string_view::npos;
}

// Writes the limit that the request implies. Only exact for block style.
std::optional<Fix> limit_from_request(const ManifestScene& scene, const Field& resources, const Field& request) {
  const Sources& sources = scene.context.sources;
  const std::string entry =
      std::string(sources.text(request.key_span)) + ": " + std::string(sources.text(request.span()));
  const Field limits = resources.get("limits");
  const auto edit = limits ? add_to_map(sources, limits, {entry})
                    : resources.node->get("limits") != nullptr
                        ? std::nullopt
                        : add_to_map(sources, resources, {"limits:", "  " + entry});
  if (!edit || request.aliased) return std::nullopt;
  return Fix{"set the limit to the request", true, {*edit}};
}

void check_extended(const ManifestScene& scene, const Object& object, const Field& resources) {
  const Field limits = resources.get("limits"), requests = resources.get("requests");
  for (const Field& request : requests.members()) {
    if (!k8s::is_extended_resource(request.key) || blank_in(request.text(), In::yaml)) continue;
    const Field limit = limits.get(request.key);
    if (!limit) {
      Finding& f = scene.wrong(RuleId::gpu_limit_request, object, request,
                               quoted(request.key) + " is requested without a limit", "the API server rejects the pod");
      f.fix = limit_from_request(scene, resources, request);
    } else if (const auto n = request.whole(), m = limit.whole(); n && m && *n != *m) {
      Finding& f = scene.wrong(
          RuleId::gpu_limit_request, object, request,
          quoted(request.key) + " is requested " + std::to_string(*n) + " times with a limit of " + std::to_string(*m),
          "must be equal to the limit");
      f.labels.push_back({limit.span(), "the limit"});
      if (!request.aliased)
        f.fix = Fix{"set the request to the limit",
                    false,
                    {{request.span(), std::string(scene.context.sources.text(limit.span()))}}};
    }
  }
  for (const Field& part : {limits, requests})
    for (const Field& f : part.members())
      if (k8s::is_extended_resource(f.key) && !blank_in(f.text(), In::yaml) && is_fraction(f.text()))
        scene.wrong(RuleId::gpu_limit_request, object, f, quoted(f.key) + " is not a whole number",
                    "extended resources are whole numbers");
}

void check_requests(const ManifestScene& scene, const Object& object, const Container& c, PodFacts& facts) {
  if (c.init || !c.has_accelerator() || !object.known->complete) return;
  std::vector<std::string_view> missing;
  for (const std::string_view name : {"cpu", "memory"})
    if (!c.request(name) && !c.limit(name)) missing.push_back(name);
  if (missing.empty() || only_waits(c) || facts.is_for_tpus() || facts.is_trial()) return;
  scene.wrong(RuleId::no_cpu_memory, object, c.resources(),
              "the container " + quoted(c.name) + " requests accelerators, but no " + quoted_list(missing, "and no"));
}

std::string_view without_slash(std::string_view path) {
  return path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

bool mounts(const Container& c, std::string_view path) {
  for (const Field& mount : c.field.get("volumeMounts").items())
    if (without_slash(mount.get("mountPath").text()) == path) return true;
  return false;
}

// The volume that is to be at /dev/shm: one of memory that nothing mounts, or a name that is free.
struct MemoryVolume {
  std::string name;
  bool declared = false;
};

MemoryVolume memory_volume(const PodTemplate& pods) {
  std::set<std::string_view> used, taken;
  for (const Container& c : pods.containers)
    for (const Field& mount : c.field.get("volumeMounts").items()) used.insert(mount.get("name").text());
  for (const Field& volume : pods.spec.get("volumes").items()) {
    const std::string_view name = volume.get("name").text();
    if (volume.at("emptyDir.medium").text() == "Memory" && used.count(name) == 0) return {std::string(name), true};
    taken.insert(name);
  }
  std::string name = "dshm";
  while (taken.count(name) != 0) name += "-shm";
  return {name, false};
}

std::optional<Fix> mount_memory(const ManifestScene& scene, const PodTemplate& pods, const Container& c,
                                const MemoryVolume& volume) {
  const Sources& sources = scene.context.sources;
  std::vector<std::optional<Edit>> edits;
  const auto append = [&](const Field& holder, const char* key, std::vector<std::string> lines) {
    if (const Field list = holder.get(key)) return edits.push_back(add_to_list(sources, list, lines));
    if (holder.node->get(key) != nullptr) return edits.push_back(std::nullopt);  // `volumes:` with nothing in it
    for (std::string& line : lines) line = (&line == &lines.front() ? "- " : "  ") + line;
    lines.insert(lines.begin(), std::string(key) + ":");
    edits.push_back(add_to_map(sources, holder, lines));
  };
  if (!volume.declared) append(pods.spec, "volumes", {"name: " + volume.name, "emptyDir:", "  medium: Memory"});
  append(c.field, "volumeMounts", {"name: " + volume.name, "mountPath: /dev/shm"});
  Fix fix{"mount a memory-backed emptyDir at /dev/shm", true, {}};
  for (const auto& edit : edits) {
    if (!edit) return std::nullopt;
    fix.edits.push_back(*edit);
  }
  // Both would land on one spot where the container is the last thing of the pod, in an order that is not ours.
  if (fix.edits.size() == 2 && fix.edits[0].where == fix.edits[1].where) {
    fix.edits[0].text.insert(0, fix.edits[1].text);
    fix.edits.pop_back();
  }
  return fix;
}

// A program that is configured to load its data in the process itself.
bool loads_alone(const Container& c) {
  constexpr std::array<std::string_view, 2> none = {"workers=0", "workers 0"};
  std::string all;
  for (const k8s::Word& word : c.words) all += word.text + " ";
  const auto stated = [&](std::string_view text) {
    const std::size_t at = all.find(text);
    return at != std::string::npos && (at + text.size() == all.size() || all[at + text.size()] == ' ');
  };
  return std::any_of(none.begin(), none.end(), stated);
}

// Whether only a script of the image or another program is named, so that nothing shows processes that share memory.
bool is_unknown_program(const Container& c) {
  const k8s::Program program = program_of(c);
  if (c.words.empty() || is_launcher(program) || is_server(program)) return false;
  return std::none_of(c.words.begin(), c.words.end(), [](const k8s::Word& word) {
    const std::string_view name = base_name(word.text);
    return name.starts_with("python") || name.ends_with(".py") || name == "ray" || name == "sshd";
  });
}

// One process computes on all GPUs: nothing goes through shared memory.
bool is_one_process(const Container& c) {
  const std::string_view image = c.field.get("image").text();
  return image.find("ollama") != std::string_view::npos || image.find("llama.cpp") != std::string_view::npos;
}

void check_shm(const ManifestScene& scene, const Object& object, const PodTemplate& pods, const Container& c,
               const MemoryVolume& volume) {
  const std::int64_t gpus = c.gpus();
  const bool several = gpus > 1 || (gpus == 1 && is_launcher(program_of(c)) && !loads_alone(c));
  if (!several || c.init || is_idle(c) || is_burn_in(c) || is_one_process(c) || mounts(c, "/dev/shm") ||
      mounts(c, "/dev"))
    return;
  // KubeRay mounts memory there in the first container itself.
  const auto first =
      std::find_if(pods.containers.begin(), pods.containers.end(), [](const Container& x) { return !x.init; });
  if (object.known->work == Work::ray && first->field.path == c.field.path) return;
  Finding& f = scene.wrong(RuleId::shm_small, object, c.gpu_field(),
                           "the container " + quoted(c.name) + " runs " +
                               (gpus > 1 ? "on " + std::to_string(gpus) + " GPUs" : quoted(name(program_of(c)))) +
                               " with 64 MiB of shared memory",
                           "no volume is mounted at /dev/shm");
  f.fix = mount_memory(scene, pods, c, volume);
  if (is_unknown_program(c)) f.severity = Severity::info, f.since = Profile::strict;
}

// Volumes for containers that an admission webhook adds.
bool is_for_injected(std::string_view volume) {
  constexpr std::array<std::string_view, 4> prefixes = {"gke-gcsfuse", "istio", "vault-", "workload-"};
  return blank_in(volume, In::yaml) ||
         std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return volume.starts_with(p); });
}

// Names of the volumes that containers mount; nullopt where a template fills one in.
std::optional<std::set<std::string_view>> mounted(const Object& object, const PodTemplate& pods) {
  std::set<std::string_view> names;
  const auto take = [&](const Field& holder) {
    for (const char* part : {"volumeMounts", "volumeDevices"})
      for (const Field& mount : holder.get(part).items()) names.insert(mount.get("name").text());
  };
  for (const Container& c : pods.containers) take(c.field);
  for (const char* ray : {"spec", "spec.rayClusterSpec", "spec.rayClusterConfig"})
    take(object.root.at(ray).get("autoscalerOptions"));
  if (std::any_of(names.begin(), names.end(), [](std::string_view n) { return blank_in(n, In::yaml); }))
    return std::nullopt;
  return names;
}

// The Secrets and ConfigMaps from which variables of the containers have their values: "secret a", "map b".
std::set<std::string> read_by_variables(const PodTemplate& pods) {
  std::set<std::string> out;
  const auto take = [&](const Field& source, std::string_view of_secret, std::string_view of_map) {
    out.insert("secret " + std::string(source.get(of_secret).get("name").text()));
    out.insert("map " + std::string(source.get(of_map).get("name").text()));
  };
  for (const Container& c : pods.containers) {
    for (const Field& source : c.field.get("envFrom").items()) take(source, "secretRef", "configMapRef");
    for (const Field& variable : c.field.get("env").items())
      take(variable.get("valueFrom"), "secretKeyRef", "configMapKeyRef");
  }
  return out;
}

// What a volume is made of, in the words of read_by_variables; "" of another volume.
std::string source_of(const Field& volume) {
  if (const Field secret = volume.at("secret.secretName")) return "secret " + std::string(secret.text());
  const Field map = volume.at("configMap.name");
  return map ? "map " + std::string(map.text()) : std::string();
}

// The words of a file's comments that are lines of their own.
class CommentWords {
 public:
  explicit CommentWords(std::string_view text) : text_(text) {}

  bool has(std::string_view word) {
    if (!words_) read();
    return words_->contains(word);
  }

 private:
  void read() {
    constexpr std::string_view of_names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    words_.emplace();
    for (const std::string_view line : split(text_, '\n')) {
      if (!trimmed(line).starts_with('#')) continue;
      for (std::size_t at = 0; (at = line.find_first_of(of_names, at)) != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_not_of(of_names, at), line.size());
        words_->insert(line.substr(at, end - at));
        at = end;
      }
    }
  }

  std::string_view text_;
  std::optional<std::set<std::string_view>> words_;
};

void check_pod_volumes(const ManifestScene& scene, const Object& object, const PodTemplate& pods,
                       CommentWords& comments) {
  const auto names = mounted(object, pods);
  if (!names || pods.containers.empty()) return;
  std::optional<std::set<std::string>> read;
  const auto is_read = [&](const std::string& source) {
    if (!source.empty() && !read) read = read_by_variables(pods);
    return !source.empty() && read->contains(source);
  };
  for (const Field& volume : pods.spec.get("volumes").items()) {
    const Field name = volume.get("name");
    // A CSI volume is published to the pod even if no container mounts it: secret stores rely on that.
    if (!name || names->count(name.text()) != 0 || is_for_injected(name.text()) || volume.get("csi")) continue;
    Finding& f = scene.wrong(RuleId::volume_unmounted, object, name,
                             "the volume " + quoted(name.text()) + " is not mounted by a container");
    // A folder of the node holds nothing that the pod waits for: left over, mostly. With `hostIPC` the pod has the
    // node's shared memory, and needs no other.
    const bool memory = volume.at("emptyDir.medium").text() == "Memory";
    if (volume.get("hostPath") || (memory && pods.spec.get("hostIPC").is_true())) f.severity = Severity::info;
    // `# - name: data` where it was mounted, or why it is not. What variables have already is not missing.
    if (comments.has(name.text()) || is_read(source_of(volume))) f.severity = Severity::info;
  }
}

// A PodTemplate says what nodes are asked for; no pod is made of it.
template <class Check>
void each_pod(const ManifestScene& scene, const Check& check) {
  for (const Object& object : scene.manifest.objects)
    if (!object.is("", "PodTemplate"))
      for (const PodTemplate& pods : object.pods) check(object, pods);
}

}  // namespace

void check_images(const ManifestScene& scene) {
  each_pod(scene, [&](const Object& object, const PodTemplate& pods) {
    PodFacts facts(object, pods);
    for (const Container& c : pods.containers)
      check_image(scene, object, c.field.get("image"), c.field.get("imagePullPolicy").text(),
                  is_main_work(object, c, facts));
  });
  for (const Object& object : scene.manifest.objects)
    if (const Field trainer = trainer_field(object))
      check_image(scene, object, trainer.get("image"), "", !only_waits(k8s::trainer_container(trainer)));
}

void check_resources(const ManifestScene& scene) {
  each_pod(scene, [&](const Object& object, const PodTemplate& pods) {
    PodFacts facts(object, pods);
    for (const Container& c : pods.containers) {
      check_extended(scene, object, c.resources());
      check_requests(scene, object, c, facts);
    }
  });
  for (const Object& object : scene.manifest.objects)
    if (const Field trainer = trainer_field(object)) check_extended(scene, object, trainer.get("resourcesPerNode"));
}

void check_shared_memory(const ManifestScene& scene) {
  each_pod(scene, [&](const Object& object, const PodTemplate& pods) {
    if (!object.known->complete || pods.spec.get("hostIPC").is_true()) return;
    const MemoryVolume volume = memory_volume(pods);
    for (const Container& c : pods.containers) check_shm(scene, object, pods, c, volume);
  });
}

void check_volumes(const ManifestScene& scene) {
  std::map<std::uint32_t, CommentWords> comments;  // by file
  each_pod(scene, [&](const Object& object, const PodTemplate& pods) {
    const std::uint32_t file = object.root.span().file;
    if (object.known->complete)
      check_pod_volumes(scene, object, pods,
                        comments.try_emplace(file, scene.context.sources.text(file)).first->second);
  });
}

}  // namespace muster::lint
