#include "targets/slurm/lift/container.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/imported.h"
#include "targets/shell.h"
#include "targets/slurm/lift/lifter.h"

namespace muster::targets::slurm::lifting {
namespace {

using model::Containers;

class ContainerReader {
 public:
  explicit ContainerReader(Containers runtime) { out_.runtime = runtime; }

  void refuse(std::string why) {
    if (out_.why.empty()) out_.why = std::move(why);
  }

  // A file on the nodes has a name in the site, since pods need another image; a reference says itself.
  void take_image(const Word& word) {
    if (!word.literal || word.text.empty())
      return refuse("`" + printable(word.text, 40) + "` is only known in the run");
    std::string_view image = word.text;
    if (out_.runtime == Containers::shifter) return take_type_and_reference(image, word.span);
    constexpr std::string_view registry = "docker://";
    if (image.starts_with(registry)) return take_reference(image.substr(registry.size()), word.span);
    if (image.find("://") != std::string_view::npos) return refuse("the image is in no registry of containers");
    const bool file = out_.runtime != Containers::pyxis || image.starts_with('/') || image.starts_with("./");
    if (!file) {
      std::string reference(image);
      if (const std::size_t mark = reference.find('#'); mark != std::string::npos) reference[mark] = '/';
      return take_reference(reference, word.span);
    }
    const std::string_view base = base_name(image.ends_with('/') ? image.substr(0, image.size() - 1) : image);
    const std::string name = plain_name(base.substr(0, base.rfind('.')));
    const bool found_as_file = image.starts_with('/') || image.starts_with("./") || image.ends_with(".sif");
    model::ImageName named;
    named.name = name;
    named.ref = {found_as_file ? std::string(image) : "./" + std::string(image), word.span};
    out_.named = std::move(named);
    out_.image = {name, word.span};
  }

  // "/data:/mnt:ro,/scratch".
  void take_binds(const LaunchOption& option) {
    if (!option.value || !option.value->literal) return refuse("a bind has a value of the run");
    for (const std::string_view bind : split(option.value->text, ',')) take_bind(bind, option.span);
  }

  void take_environment(const LaunchOption& option) {
    if (!option.value || !option.value->literal) return refuse("`--env` has a value of the run");
    if (out_.runtime == Containers::shifter) return take_variable(option.value->text, option.span);
    for (const std::string_view pair : split(option.value->text, ',')) take_variable(pair, option.span);
  }

  // Of Shifter: "/data:/mnt;/scratch:/tmp2", without modes; a third part would be a flag such as perNodeCache.
  void take_volumes(std::string_view volumes, Span at) {
    for (const std::string_view volume : split(volumes, ';')) {
      if (std::count(volume.begin(), volume.end(), ':') != 1)
        return refuse("`" + printable(volume, 40) + "` is not a folder and its place in the container");
      take_bind(volume, at);
    }
  }

  void take_folder(const LaunchOption& option) {
    const bool known = option.value && option.value->literal && option.value->text.starts_with('/');
    if (!known) return refuse("the folder of the container has a value of the run");
    out_.folder = option.value->text;
  }

  void take_image_of_job(const model::RawOption& option) {
    take_type_and_reference(option.value.value, option.value.span);
    out_.of_job.emplace_back(option.name);
  }
  void take_volumes_of_job(const model::RawOption& option) {
    take_volumes(option.value.value, option.value.span);
    out_.of_job.emplace_back(option.name);
  }
  bool has_image() const { return !out_.image.value.empty(); }

  void see_gpus() { out_.gpus = true; }

  LiftedContainer result() { return std::move(out_); }

 private:
  void take_variable(std::string_view pair, Span at) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || !is_env_name(pair.substr(0, equals)))
      return refuse("`--env` without a value");
    out_.env.push_back({std::string(pair.substr(0, equals)), model::Text(std::string(pair.substr(equals + 1))), at});
  }

  // "docker:a/b:1" is what "a/b:1" says, "id:…" and "custom:…" are of the site.
  void take_type_and_reference(std::string_view image, Span at) {
    for (const std::string_view type : {"id:", "custom:", "local:"})
      if (image.starts_with(type)) return refuse("only this site has the image `" + printable(image, 40) + "`");
    constexpr std::string_view type = "docker:";
    take_reference(image.starts_with(type) ? image.substr(type.size()) : image, at);
  }

  void take_reference(std::string_view reference, Span at) {
    const bool usable = !reference.empty() && reference.find_first_of("@#$ ") == std::string_view::npos;
    if (!usable) return refuse("`" + printable(reference, 40) + "` is not a plain name of an image");
    out_.image = {std::string(reference), at};
  }

  // Folders of data; what belongs to the node, such as /dev and /etc, is not storage of a site.
  static bool is_storage(std::string_view path) {
    if (!path.starts_with('/') || path.find("..") != std::string_view::npos || path.find('$') != std::string_view::npos)
      return false;
    const std::string_view top = path.substr(1, path.find('/', 1) - 1);
    return !is_one_of(top, {"", "dev", "etc", "proc", "sys", "run", "var", "usr", "opt", "bin", "lib", "lib64", "tmp",
                            "root", "boot", "cm", "job"});
  }

  void take_bind(std::string_view bind, Span at) {
    const auto parts = split(bind, ':');
    const std::string_view source = parts.empty() ? std::string_view{} : parts[0];
    const std::string_view target = parts.size() > 1 ? parts[1] : source;
    const std::string_view mode = parts.size() > 2 ? parts[2] : std::string_view("rw");
    if (parts.size() > 3 || !is_one_of(mode, {"rw", "ro"}) || !is_storage(source) || !is_storage(target))
      return refuse("`" + printable(bind, 40) + "` is not a folder of data");
    const auto same = [&](const model::Storage& s) { return s.path.value == source; };
    const auto there = [&](const model::Mount& m) { return m.path.value == target; };
    if (std::any_of(out_.storage.begin(), out_.storage.end(), same) ||
        std::any_of(out_.mounts.begin(), out_.mounts.end(), there))
      return refuse("a folder is bound twice");
    const std::string name = free_name(plain_name(source.substr(1)));
    model::Storage storage;
    storage.name = name;
    storage.span = at;
    storage.path = {std::string(source), at};
    out_.storage.push_back(std::move(storage));
    out_.mounts.push_back({name, {std::string(target), at}, mode == "ro", {}, at});
  }

  // One that is written without quotes.
  static std::string plain_name(std::string_view text) {
    std::string name = muster::lower(name_from(text));
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '_' || c == '.'; }, '-');
    return name;
  }

  std::string free_name(const std::string& name) const {
    const auto taken = [&](const std::string& n) {
      return n == "scratch" || std::any_of(out_.storage.begin(), out_.storage.end(),
                                           [&](const model::Storage& s) { return s.name == n; });
    };
    std::string free = name;
    for (int number = 2; taken(free); ++number) free = name + "-" + std::to_string(number);
    return free;
  }

  LiftedContainer out_;
};

}  // namespace

bool sets_variables_inside(const Body& body) {
  return std::any_of(body.exports.begin(), body.exports.end(), [](const Export& e) {
    return e.name.starts_with("SHIFTER_") || names_in_container(e.name).size() > 1;
  });
}

std::vector<std::string> names_in_container(const std::string& name) {
  std::vector<std::string> out = {name};
  for (const std::string_view start : {"SINGULARITYENV_", "APPTAINERENV_"})
    if (name.starts_with(start)) out.push_back(name.substr(start.size()));
  return out;
}

namespace {

// The option of the job has a key now, and a line that says so.
void forget_raw(Imported& imported, std::string_view option) {
  for (model::TargetOptions& target : imported.workload.targets)
    std::erase_if(target.options, [&](const model::RawOption& o) { return o.name == option; });
  std::erase_if(imported.workload.targets, [](const model::TargetOptions& target) {
    return target.options.empty() && target.srun.empty() && target.launch.empty();
  });
  std::erase_if(imported.lines,
                [&](const ImportLine& line) { return line.fate == Fate::raw && line.option == option; });
}

// `shifter --image=docker:a/b:1 …`; what it does not say, options of the job may: `#SBATCH --image=docker:a/b:1`. Their
// `--module=gpu`, the libraries of the nodes, stays an option of Slurm: pods have them without it.
LiftedContainer container_of_shifter(const Launch& container, std::span<const model::RawOption> of_job) {
  ContainerReader reader(Containers::shifter);
  reader.see_gpus();
  if (container.program.empty()) reader.refuse("no program follows");
  bool volumes = false;
  for (const LaunchOption& o : container.options) {
    const bool literal = o.value && o.value->literal;
    if (is_one_of(o.name, {"image", "i"})) continue;
    if (is_one_of(o.name, {"env", "e"})) reader.take_environment(o);
    else if (is_one_of(o.name, {"workdir", "w"})) reader.take_folder(o);
    else if (is_one_of(o.name, {"volume", "V"}) && literal) reader.take_volumes(o.value->text, o.span), volumes = true;
    else if (is_one_of(o.name, {"volume", "V"})) reader.refuse("a volume has a value of the run");
    else reader.refuse("`--" + o.name + "` of the container has no key");
  }
  if (container.image) reader.take_image(*container.image);
  for (const model::RawOption& option : of_job) {
    if (option.name == "image" && !container.image) reader.take_image_of_job(option);
    else if (option.name == "volume" && !volumes) reader.take_volumes_of_job(option);
    else if (option.name == "volume") reader.refuse("the job and its program each have a `--volume`");
  }
  if (!reader.has_image()) reader.refuse("no image is named");
  return reader.result();
}

}  // namespace

LiftedContainer lifted_container(const Launch& container, std::span<const model::RawOption> of_job) {
  if (container.tool == "shifter") return container_of_shifter(container, of_job);
  const bool apptainer = container.tool == "apptainer exec";
  ContainerReader reader(apptainer ? Containers::apptainer : Containers::singularity);
  if (!apptainer && container.tool != "singularity exec") reader.refuse("another tool for containers");
  if (container.program.empty()) reader.refuse("no program follows");
  for (const LaunchOption& o : container.options) {
    if (is_one_of(o.name, {"nv", "rocm"})) reader.see_gpus();
    else if (is_one_of(o.name, {"B", "bind"})) reader.take_binds(o);
    else if (o.name == "env") reader.take_environment(o);
    else if (is_one_of(o.name, {"pwd", "cwd"})) reader.take_folder(o);
    else reader.refuse("`--" + o.name + "` of the container has no key");
  }
  if (container.image) reader.take_image(*container.image);
  else reader.refuse("no image follows");
  return reader.result();
}

std::optional<LiftedContainer> container_of_step(const Launch& step) {
  const LaunchOption* image = step.option("container-image");
  if (image == nullptr) return std::nullopt;
  ContainerReader reader(Containers::pyxis);
  reader.see_gpus();
  if (image->value) reader.take_image(*image->value);
  else reader.refuse("no image follows");
  for (const LaunchOption& o : step.options) {
    if (o.name == "container-mounts") reader.take_binds(o);
    else if (o.name == "container-workdir") reader.take_folder(o);
    else if (o.name.starts_with("container-") && o.name != "container-image")
      reader.refuse("`--" + o.name + "` of the container has no key");
  }
  return reader.result();
}

void write_container(Lifter& lifter, const LiftedContainer& container, Span at) {
  model::Role& role = lifter.role();
  for (const std::string& option : container.of_job) forget_raw(lifter.out, option);
  role.image = container.image;
  role.mounts = container.mounts;
  if (container.folder) role.workdir = model::Located<model::Text>{*container.folder, at};
  for (model::Plane& plane : lifter.out.site.planes) plane.batch()->containers = container.runtime;
  if (container.named) lifter.out.site.images.push_back(*container.named);
  for (const model::Storage& storage : container.storage) {
    lifter.out.site.storage.push_back(storage);
    lifter.line(storage.span, "bind", Fate::lifted,
                "mount." + storage.name + ", storage " + storage.name + " of the site");
  }
  lifter.line(container.image.span, "container", Fate::lifted,
              container.named ? "image `" + container.named->name + "` of the site" : "image");
  if (!container.gpus && lifter.shape.gpus > 0)
    lifter.line(at, "gpus", Fate::mended, "image", "the container sees the GPUs of the job",
                {"gpus", "CUDA_VISIBLE_DEVICES"});
}

bool is_of_container(const LaunchOption& option) {
  return is_one_of(option.name, {"container-image", "container-mounts", "container-workdir"});
}

}  // namespace muster::targets::slurm::lifting
