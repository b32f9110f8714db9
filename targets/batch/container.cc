#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/runner.h"
#include "targets/batch/sections.h"
#include "targets/contract/launch.h"
#include "targets/contract/resolve.h"
#include "targets/contract/variables.h"
#include "targets/shell.h"

namespace muster::targets::batch {
namespace {

using model::Containers;

// nvcr.io/nvidia/pytorch:24.05 as Pyxis reads it: the registry apart by `#`, else Docker Hub is asked.
std::string pyxis_image(std::string image) {
  if (is_path(image) || image.find('#') != std::string::npos) return image;
  const std::size_t slash = image.find('/');
  const std::string_view host = std::string_view(image).substr(0, slash);
  const bool registry =
      slash != std::string::npos && (host.find_first_of(".:") != std::string_view::npos || host == "localhost");
  if (registry) image[slash] = '#';
  return image;
}

// Singularity and Apptainer have the same options and files.
bool makes_sif(Containers runtime) { return runtime == Containers::apptainer || runtime == Containers::singularity; }

// The file that `enroot import` or `apptainer pull` makes of an image.
std::string squashed(const std::string& folder, std::string rest, Containers runtime) {
  const bool sif = makes_sif(runtime);
  if (sif) rest = rest.substr(rest.rfind('/') + 1);
  std::replace(rest.begin(), rest.end(), '/', '+');
  std::replace(rest.begin(), rest.end(), ':', sif ? '_' : '+');
  return folder + (folder.ends_with('/') ? "" : "/") + rest + (sif ? ".sif" : ".sqsh");
}

void refuse_image(Job& job, Span where, const std::string& message) {
  job.refuse_at(where, job.wrote(Field::image) ? Field::image : Field::software, message);
}

// What the site means by the image: a name of its own, a mirror, a folder of files.
std::string site_image(const Job& job, Containers runtime, const std::string& given) {
  const FoundImage image = find_image(job.site, job.plane, given);
  if (image.registry != nullptr && image.registry->squash_dir)
    return squashed(image.registry->squash_dir->value, image.path, runtime);
  if (image.registry != nullptr && image.registry->mirror) return image.registry->mirror->value + "/" + image.path;
  return image.ref;
}

// The image in the runtime's words; "" after a refusal.
std::string runtime_image(Job& job, Containers runtime, const model::Located<std::string>& given) {
  std::string image = site_image(job, runtime, given.value);
  const auto bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7F; };
  if (image.empty() || image[0] == '-' || std::any_of(image.begin(), image.end(), bad)) {
    refuse_image(job, given.span, "an image name cannot be empty, begin with `-` or contain spaces");
    return {};
  }
  if (runtime == Containers::pyxis) {
    if (!is_path(image) && (image.find('@') != std::string::npos || image.find("//") != std::string::npos)) {
      refuse_image(job, given.span,
                   "Pyxis reads `@` as a user name and cannot use an image by digest; write a tag or a `.sqsh` file");
      return {};
    }
    return pyxis_image(image);
  }
  if (runtime == Containers::shifter) return image;
  if (runtime == Containers::enroot) {
    if (is_path(image)) return image;
    refuse_image(job, given.span, "`enroot start` requires an image file; write the path of a `.sqsh` file");
    return {};
  }
  return is_path(image) || image.ends_with(".sif") ? image : "docker://" + image;
}

// The image that the program runs in: its own, or that of software which is nothing but an image.
const model::Located<std::string>* image_of(const Job& job) {
  if (job.role.image) return &*job.role.image;
  const model::SoftwareSpec* spec = find_software(job.role, job.site, job.plane);
  if (spec == nullptr || !spec->image) return nullptr;
  const bool native = !spec->modules.empty() || spec->conda || spec->venv || spec->prelude;
  return native ? nullptr : &*spec->image;
}

std::string below(std::string path, const model::Mount& mount) {
  if (!mount.sub_path || mount.sub_path->value.empty()) return path;
  return path + (path.ends_with('/') ? "" : "/") + mount.sub_path->value;
}

// Disk of the node, where the site has no storage of that name.
bool is_scratch(const Job& job, const model::Mount& mount) {
  return mount.name == "scratch" && job.site.storage.find(mount.name, job.plane) == nullptr;
}

// `read_only` says that the site has it so.
void report_mount(Job& job, const model::Mount& mount, const std::string& where, bool read_only) {
  const FieldRef field{Field::mount, mount.name};
  // Outside a container nothing of the file says where the file system is, but a name that the program wants.
  const bool said = job.in_container() || job.wanted.has(contract_name("MUSTER_MOUNT_", mount.name)) ||
                    model::refers_to(job.role, model::RefersTo::mount, mount.name);
  const std::string as = said ? where : "nothing";
  const std::string place = "storage `" + mount.name + "` of site `" + job.site.name + "`";
  if (read_only && !mount.read_only)
    job.approximated(field, as, place + " is read-only, but the workload requests `rw`");
  else if (mount.read_only && !read_only && !job.in_container())
    job.approximated(field, as, "read-only is not enforced without a container");
  else if (is_scratch(job, mount) && !job.in_container())
    job.approximated(field, as, "all jobs on a node share it; `${run.tmp}` is a folder of this job alone");
  else if (said) job.exact(field, as);
  else job.read(field, "the file system is at this path on every node");
}

void check_native_mount(Job& job, const model::Mount& mount, const std::string& real, bool read_only) {
  const FieldRef field{Field::mount, mount.name};
  const auto bare = [](std::string_view p) { return p.size() > 1 && p.ends_with('/') ? p.substr(0, p.size() - 1) : p; };
  if (bare(mount.path.value) != bare(real))
    return job.refuse_at(mount.path.span, field,
                         "without a container `" + mount.name + "` is at the site's path `" + real + "`, not at `" +
                             mount.path.value + "`",
                         "write `path = \"" + real + "\"`, or set an `image`");
  report_mount(job, mount, real, read_only);
}

void bind_mount(Job& job, const model::Mount& mount, const std::string& source_word, bool read_only) {
  job.container.binds.push_back({source_word, mount.path.value, mount.read_only || read_only});
  report_mount(job, mount, "bound at " + mount.path.value, read_only);
}

void plan_mount(Job& job, const model::Mount& mount) {
  const model::Storage* storage = job.site.storage.find(mount.name, job.plane);
  if (storage == nullptr && !is_scratch(job, mount))
    return contract::refuse_storage(job, mount, job.site,
                                    "add it to the site: `storage " + mount.name + " { path = \"…\" }`");
  if (storage != nullptr && storage->path.value.empty())
    return job.refuse_at(
        mount.span, {Field::mount, mount.name},
        "storage `" + mount.name + "` of site `" + job.site.name + "` has no `path`; only pods can mount it");
  if (is_scratch(job, mount) && !job.in_container() && !job.batch.scratch)
    return job.refuse_at(mount.span, {Field::mount, mount.name},
                         "plane `" + job.plane.name + "` does not declare where its nodes have scratch space",
                         "add `scratch = \"/path\"` to the plane, or use `$MUSTER_TMP` in the program");
  const std::string root = storage ? storage->path.value : job.batch.scratch ? job.batch.scratch->value : "$TMPDIR";
  const std::string real = below(root, mount);
  const bool read_only = storage != nullptr && storage->read_only;
  for (const std::string& path : {real, mount.path.value}) {
    const bool splits = job.in_container() && path.find_first_of(",:") != std::string::npos;
    const bool enroot_reads =
        job.container.runtime == Containers::enroot && !enroot_carries(path == "$TMPDIR" ? "" : path);
    if (splits || enroot_reads || has_nul(path) || path.empty())
      return job.refuse_at(mount.path.span, {Field::mount, mount.name},
                           "a mount's path cannot be empty or contain NUL and, in a container, `,` or `:`",
                           "use another path; with Enroot without spaces, quotes and `$ # \\` too");
  }
  if (!job.in_container()) return check_native_mount(job, mount, real, read_only);
  if (!is_scratch(job, mount)) return bind_mount(job, mount, sh_word(real), read_only);
  job.own.tmp = true;
  if (mount.sub_path) job.own.below_tmp.push_back(mount.sub_path->value);
  bind_mount(job, mount, "\"$tmp\"" + (mount.sub_path ? sh_word("/" + mount.sub_path->value) : ""), read_only);
}

// The list of mounts is read when the job runs: a folder's own `,` or `:` there would mount something else.
void check_bound(Job& job, const std::optional<model::Located<std::string>>& folder, const FieldRef& field,
                 const char* what) {
  if (!folder) return;
  const bool splits = folder->value.find_first_of(",:") != std::string::npos;
  if (splits || (job.container.runtime == Containers::enroot && !enroot_carries(folder->value)))
    job.refuse_at(folder->span, field,
                  std::string(what) + " is mounted in the container, so its path cannot contain `,` or `:`",
                  "use another path; with Enroot without spaces, quotes and `$ # \\` too");
}

// The folder that the program starts in, where the host has it.
void bind_start_folder(Job& job) {
  job.container.binds.push_back({"\"$PWD\"", "", false});
  if (const model::SiteCode* code = model::code_of(job.site, job.plane))
    check_bound(job, code->path, Field::code, "the folder of the code");
  if (const auto* folder = job.role.code ? std::get_if<std::string>(&job.role.code->value) : nullptr)
    check_bound(job, model::Located<std::string>{*folder, job.role.code->span}, Field::code, "the folder of the code");
  if (const auto& workdir = job.role.workdir; workdir && !workdir->value.is_absolute())
    check_bound(job, model::Located<std::string>{workdir->value.bytes, workdir->span}, Field::workdir, "the folder");
}

// The code's folder is inside only where the host has it.
void bind_job_folders(Job& job) {
  Container& container = job.container;
  check_bound(job, job.site.job_dir, job.wrote(Field::image) ? Field::image : Field::software, "the site's `job-dir`");
  bind_files(job);
  const auto& workdir = job.role.workdir;
  const model::SiteCode* code = model::code_of(job.site, job.plane);
  const bool in_image = code_in_image(job);
  const bool on_host = !in_image && (job.role.code || (workdir && !workdir->value.is_absolute()));
  if (on_host) bind_start_folder(job);
  const bool late = workdir && is_late(job, workdir->value);  // entered in the container
  if (workdir && workdir->value.is_absolute()) container.workdir = late ? "" : text_word(job, workdir->value, false);
  else if (on_host) container.workdir = "\"$PWD\"";
  else if (in_image && code->path) {
    const auto* folder = std::get_if<std::string>(&job.role.code->value);
    std::string at = code->path->value;
    if (folder != nullptr && *folder != ".") at += "/" + *folder;
    if (!workdir || late) container.workdir = sh_word(at);
    else if (workdir->value.is_plain()) container.workdir = sh_word(at + "/" + workdir->value.bytes);
    else container.workdir = sh_word(at + "/") + text_word(job, workdir->value, false);
  }
}

}  // namespace

bool code_in_image(const Job& job) {
  const model::SiteCode* code = model::code_of(job.site, job.plane);
  return job.role.code && job.in_container() && code != nullptr && code->by.value == model::CodeBy::image;
}

void plan_container(Job& job) {
  if (const auto* image = image_of(job)) {
    if (job.batch.containers == Containers::none) {
      refuse_image(job, image->span, "plane `" + job.plane.name + "` does not run containers");
    } else {
      job.container.runtime = job.batch.containers;
      job.container.image = runtime_image(job, job.batch.containers, *image);
      bind_job_folders(job);
      job.exact(Field::image, job.container.image);
    }
  }
  for (const model::Mount& mount : job.role.mounts) plan_mount(job, mount);
  if (job.in_container() && job.runner() == model::Runner::batch_script)
    job.refuse(Field::image,
               "a batch-script starts its own steps, but there is no " + std::string(job.dialect.starter) +
                   " in the container",
               "start the container in the script's own " + std::string(job.dialect.starter) + " lines");
}

std::string bind_words(const Container& container, const Bind& bind) {
  const std::string target = bind.target.empty() ? bind.source : sh_word(bind.target);
  // Enroot takes the fields of fstab; options given replace its defaults.
  const std::string read_only = container.runtime == Containers::enroot ? ":none:rbind,ro,x-create=auto" : ":ro";
  return bind.source + ":" + target + (bind.read_only ? read_only : "");
}

void add_mount_names(Job& job, Exports& exports) {
  for (const model::Mount& mount : job.role.mounts) {
    auto variable = contract::mount(mount, contract::Shell::bash, job);
    if (!variable) continue;
    // Its path may be a variable of the site's: `scratch = "$SCRATCH"`.
    if (is_scratch(job, mount) && !job.in_container())
      variable->word = scratch_word(job) + (mount.sub_path ? sh_word("/" + mount.sub_path->value) : "");
    contract::add(exports, {*variable}, job.wanted);
  }
}

bool enroot_carries(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7F && std::string_view("$#\\\"'`").find(c) == std::string_view::npos;
  });
}

void add_passed_names(Job& job) {
  if (job.container.runtime != Containers::enroot) return;
  std::string names = "\"${!" + std::string(job.dialect.variables.prefix) + "@}\" CUDA_VISIBLE_DEVICES";
  if (!job.wanted.none()) names += " \"${!MUSTER_@}\"";
  if (job.keeps_record()) names += " record";
  const model::RunnerVariables& launcher = row_of(job.runner()).variables;
  if (launcher.nodes.starts_with("PET_")) names += " \"${!PET_@}\"";
  else
    for (const std::string_view name : {launcher.world, launcher.address, launcher.port})
      if (!name.empty()) names += " " + std::string(name);
  if (contract::is_torch_launcher(job.runner()) && job.workload.stop) names += " \"${!TORCH@}\"";
  for (const std::string& variable : variables_of(job)) names += " " + variable;
  job.line("names=(" + names + ")  # enroot passes only these");
}

std::vector<Bind> binds_of(const Job& job) {
  std::vector<Bind> binds = job.container.binds;
  if (job.own.tmp_is_named) binds.insert(binds.begin(), {"\"$tmp\"", "", false});
  if (job.own.dir) binds.insert(binds.begin(), {"\"$dir\"", "", false});
  return binds;
}

namespace {

std::string prefix_of(const Job& job, bool entrypoint) {
  const Container& container = job.container;
  if (makes_sif(container.runtime)) {
    std::string out = std::string(model::name(container.runtime)) + (entrypoint ? " run" : " exec");
    if (job.shape.gpus > 0)
      out += job.shape.pool && job.shape.pool->gpu && job.shape.pool->gpu->vendor == "amd" ? " --rocm" : " --nv";
    for (const Bind& bind : binds_of(job)) out += " --bind " + bind_words(container, bind);
    if (!container.workdir.empty()) out += " --pwd " + container.workdir;
    return out + " " + sh_word(container.image) + " ";
  }
  if (container.runtime == Containers::shifter) {
    // Shifter takes the submitter's file systems as they are; a workdir is entered, other places are volumes.
    std::string out = "shifter --image=" + sh_word(container.image);
    for (const Bind& bind : binds_of(job))
      if (!bind.target.empty()) out += " --volume=" + bind_words(container, bind);
    if (!container.workdir.empty()) out += " --workdir=" + container.workdir;
    return out + (entrypoint ? " --entrypoint -- " : " ");
  }
  if (container.runtime != Containers::enroot) return {};
  std::string out = "enroot start --rw";
  for (const Bind& bind : binds_of(job)) out += " --mount " + bind_words(container, bind);
  return out + " \"${names[@]/#/--env=}\" " + sh_word(container.image) + " ";  // its /etc/rc starts the entrypoint
}

}  // namespace

std::string container_prefix(const Job& job) { return prefix_of(job, false); }

std::string entrypoint_prefix(Job& job) {
  if (job.container.runtime == Containers::pyxis)
    job.refuse(Field::image, "Pyxis does not start the image's own entrypoint as the program",
               "write the entrypoint and its arguments in `command`");
  // Enroot has no option for the folder, and a shell that enters it would be an argument of the entrypoint.
  if (job.container.runtime == Containers::enroot && !job.container.workdir.empty())
    job.refuse(job.wrote(Field::workdir) ? Field::workdir : Field::code,
               "Enroot starts the image's own entrypoint in the image's own folder", "write `command`");
  return prefix_of(job, true);
}

}  // namespace muster::targets::batch
