#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "targets/shell.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

constexpr std::string_view not_followed = "# shellcheck source=/dev/null";

bool refuse_nul(Job& job, std::string_view bytes, std::string_view field, std::string_view what) {
  if (!has_nul(bytes)) return false;
  const std::string message = std::string(what) + " holds a NUL byte, which no shell can carry";
  job.diagnostics.add(Code::name_not_valid, job.span_of(field), message);
  job.loss.refused(std::string(field), message);
  return true;
}

void refuse_software(Job& job) {
  const std::string& name = std::get<std::string>(job.role.software->value);
  std::vector<std::string_view> known;
  for (const auto& [n, spec] : job.site.software) known.push_back(n);
  job.refuse_at(job.role.software->span, "software", "site `" + job.site.name + "` has no software `" + name + "`",
                near_or(name, known, "add it to the site: `software " + name + " { modules = [\"…\"] }`"));
}

void load_modules(Job& job, const model::SoftwareSpec& spec) {
  const auto words = [](const auto& items) {
    std::string out;
    for (const auto& item : items) out += " " + sh_word(item.value);
    return out;
  };
  if (spec.purge) job.line("module purge");
  if (!spec.module_use.empty()) job.line("module use" + words(spec.module_use));
  if (!spec.modules.empty()) job.line("module load" + words(spec.modules));
}

void activate(Job& job, const model::SoftwareSpec& spec) {
  if (spec.conda) {
    job.line(not_followed);
    job.line("source \"$(conda info --base)/etc/profile.d/conda.sh\"");
    job.line("conda activate " + sh_word(spec.conda->value));
  }
  if (spec.venv) {
    job.line(not_followed);
    job.line("source " + sh_word(spec.venv->value + "/bin/activate"));
  }
  if (!spec.prelude) return;
  const model::Script& prelude = spec.prelude->value;
  if (refuse_nul(job, prelude.bytes, "software", "the prelude of the software")) return;
  if (prelude.interpreter != "bash" && prelude.interpreter != "sh")
    return job.refuse_at(
        spec.prelude->span, "software",
        "a software prelude runs in the job's own shell: `<<<bash`, not `<<<" + prelude.interpreter + "`");
  job.body += sh_source(prelude.bytes, "PRELUDE");
}

// The words below are right sides of `export`, which bash neither splits nor expands to file names.

// "$VARIABLE" as the site wrote it, or a path.
std::string path_word(const std::string& path) {
  if (path.starts_with('$') && is_env_name(path.substr(1))) return "${" + path.substr(1) + ":?}";
  return sh_word(path);
}

void add_nodes(Job& job, Exports& exports) {
  const std::int64_t nodes = job.shape.nodes;
  exports.add("MUSTER_NODES", std::to_string(nodes));
  if (nodes == 1 && !job.part.is_part()) {
    exports.add("MUSTER_NODE_RANK", "0");
    exports.add("MUSTER_NODE_ADDR", "$SLURMD_NODENAME");
    exports.add("MUSTER_HEAD_ADDR", "$SLURMD_NODENAME");
  } else {
    exports.add("MUSTER_HEAD_ADDR", "${nodes[0]:?no nodes}");
  }
  exports.add("MUSTER_PORT", "$((10000 + 10 * (SLURM_JOB_ID % 2000)))");
}

// A job that asks for all has no number in its environment.
std::string memory_word(Job& job) {
  const plan::RolePlan& shape = job.shape;
  if (shape.memory) return std::to_string(shape.memory->mebibytes_up());
  if (!shape.all_memory) return "${SLURM_MEM_PER_NODE:-0}";
  if (shape.pool != nullptr) return std::to_string(shape.pool->usable_memory().bytes >> 20);
  job.line("memory=$(free --mebi | awk '/^Mem:/ {print $2}')");
  return "$memory";
}

void add_amounts(const Job& job, Exports& exports, const std::string& memory) {
  const plan::RolePlan& shape = job.shape;
  exports.add("MUSTER_GPUS_PER_NODE", std::to_string(shape.gpus));
  exports.add("MUSTER_CPUS", shape.cpus ? std::to_string(*shape.cpus) : "$SLURM_CPUS_ON_NODE");
  exports.add("MUSTER_MEMORY_MB", memory);
  exports.add("MUSTER_PROCS_PER_NODE", std::to_string(shape.processes));
  exports.add("MUSTER_WORLD_SIZE", std::to_string(shape.nodes * shape.processes));
}

void add_folders(Job& job, Exports& exports) {
  if (!job.part.is_part()) exports.add("MUSTER_DIR", folder_word(job));
  exports.add("MUSTER_TMP", job.plane.scratch ? path_word(job.plane.scratch->value) : "${TMPDIR:-/tmp}");
  exports.end();  // what follows names MUSTER_DIR
  exports.add("MUSTER_HOSTFILE",
              job.part.is_part() ? "$MUSTER_DIR/slots." + job.role.name + "." + job.part.replica : "$MUSTER_DIR/hosts");
  const auto& checkpoint = job.workload.checkpoint;
  if (checkpoint && checkpoint->path && !refuse_nul(job, checkpoint->path->value, "checkpoint.path", "the path"))
    exports.add("MUSTER_CHECKPOINT", sh_word(checkpoint->path->value));
}

// What the launcher reads from the environment on every node; the rest is set inside the step.
void add_launcher_names(Job& job, Exports& exports) {
  if (job.runner() == model::Runner::torchrun) {
    exports.add("PET_NNODES", std::to_string(job.shape.nodes));
    exports.add("PET_NPROC_PER_NODE", std::to_string(job.shape.processes));
    exports.add("PET_MASTER_ADDR", "$MUSTER_HEAD_ADDR");
    exports.add("PET_MASTER_PORT", "$MUSTER_PORT");
    if (job.shape.nodes == 1) exports.add("PET_NODE_RANK", "0");
  } else if (job.runner() == model::Runner::processes) {
    exports.add("WORLD_SIZE", std::to_string(job.shape.nodes * job.shape.processes));
    exports.add("MASTER_ADDR", "$MUSTER_HEAD_ADDR");
    exports.add("MASTER_PORT", "$MUSTER_PORT");
  }
}

void clone_code(Job& job, const model::Git& git) {
  const std::string& url = git.url.value;
  const std::string& rev = git.rev.value;
  const bool known = url.starts_with("https://") || url.starts_with("ssh://") || url.starts_with("git@");
  if (!known || url.find_first_of(" \t\r\n") != std::string::npos || has_nul(url))
    return job.refuse_at(git.url.span, "code",
                         "a repository's url begins with `https://`, `ssh://` or `git@` and holds no blanks");
  const auto allowed = [](char c) { return is_env_name(std::string("a") + c) || c == '.' || c == '/' || c == '-'; };
  if (rev.empty() || rev[0] == '-' || !std::all_of(rev.begin(), rev.end(), allowed))
    return job.refuse_at(git.rev.span, "code",
                         "a revision is made of letters, digits and `. _ / -` and does not begin with `-`");
  // Parts start at the same time, so each has a clone of its own.
  const std::string folder =
      "\"$MUSTER_DIR/code" + (job.part.is_part() ? "." + job.role.name + "." + job.part.replica : "") + "\"";
  job.line("[ -d " + folder + " ] || git clone --quiet -- " + sh_word(url) + " " + folder);
  job.line("git -C " + folder + " checkout --quiet --detach " + sh_word(rev));
  job.line("cd " + folder);
  job.exact("code", "git clone");
}

void enter(Job& job, const std::string& folder) {
  if (folder != "." && !folder.empty()) job.line("cd " + sh_word(folder.starts_with('-') ? "./" + folder : folder));
}

// Where the site brings code to; nothing said: the folder of the submission is the root.
void enter_code(Job& job, const std::string& folder) {
  if (refuse_nul(job, folder, "code", "the folder")) return;
  if (!job.site.code) {
    enter(job, folder);
    return job.exact("code", "the folder of the submission");
  }
  const model::SiteCode& code = *job.site.code;
  if (code.by.value == model::CodeBy::git)
    return job.refuse("code", "site `" + job.site.name + "` brings code from git only",
                      "write `code { git { url = … rev = … } }`");
  if (code.by.value == model::CodeBy::image) {
    if (job.in_container()) return job.exact("code", "the image");
    return job.refuse("code", "site `" + job.site.name + "` has the code in the image, and this job has no image");
  }
  if (!code.path)
    return job.refuse_at(code.by.span, "code",
                         "site `" + job.site.name + "` says `code { by = shared-path }` without a `path`");
  enter(job, folder == "." ? code.path->value : code.path->value + "/" + folder);
  job.exact("code", "cd");
}

}  // namespace

void add_software(Job& job) {
  if (!job.role.software) return;
  const model::SoftwareSpec* spec = find_software(job.role, job.site, job.plane);
  if (spec == nullptr) return refuse_software(job);
  const std::size_t before = job.body.size();
  load_modules(job, *spec);
  activate(job, *spec);
  const bool native = job.body.size() > before;
  if (native && job.in_container())
    job.approximated("software", "the lines before the container", "its modules and environments are not in the image");
  else if (!native && job.role.image)
    job.approximated("software", "nothing", "the workload's own image is run, not that of the software");
  else job.exact("software", native ? "the lines before the program" : "the container image");
}

std::string folder_word(const Job& job) {
  return job.site.job_dir ? sh_word(job.site.job_dir->value) + "/$SLURM_JOB_ID"
                          : "$SLURM_SUBMIT_DIR/.muster/$SLURM_JOB_ID";
}

void add_contract(Job& job) {
  if (job.part.is_part()) job.line("nodes=(" + job.part.hosts + ")");
  else if (job.shape.nodes > 1) job.line("mapfile -t nodes < <(scontrol show hostnames \"$SLURM_JOB_NODELIST\")");
  const std::string memory = memory_word(job);
  Exports exports(job);
  exports.add("MUSTER_NAME", sh_word(job.workload.name));
  exports.add("MUSTER_ROLE", sh_word(job.role.name));
  const bool array = job.workload.sweep || job.copies_in_array();
  exports.add("MUSTER_ID", array ? "$SLURM_ARRAY_JOB_ID" : "$SLURM_JOB_ID");
  if (!job.part.is_part()) exports.add("MUSTER_ATTEMPT", "${SLURM_RESTART_COUNT:-0}");
  if (job.workload.sweep) {
    exports.add("MUSTER_POINT", "$SLURM_ARRAY_TASK_ID");
    exports.add("MUSTER_POINTS", std::to_string(job.workload.sweep->points()));
  }
  const std::string replica = job.copies_in_array() ? "$SLURM_ARRAY_TASK_ID"
                              : job.part.is_part()  ? job.part.replica
                                                    : "0";
  exports.add("MUSTER_REPLICA", replica);
  exports.add("MUSTER_REPLICAS", std::to_string(std::max<std::int64_t>(job.role.copies(), 1)));
  add_nodes(job, exports);
  add_amounts(job, exports, memory);
  add_folders(job, exports);
  add_launcher_names(job, exports);
  add_mount_names(job, exports);
  add_port_names(job, exports);
  exports.end();
  const std::string hosts = job.shape.nodes > 1 || job.part.is_part() ? "\"${nodes[@]}\"" : "\"$MUSTER_HEAD_ADDR\"";
  job.line(std::string(job.part.is_part() ? "" : "mkdir -p \"$MUSTER_DIR\"; ") +
           "printf '%s slots=" + std::to_string(job.shape.processes) + "\\n' " + hosts + " > \"$MUSTER_HOSTFILE\"");
}

void add_code(Job& job) {
  const auto& code = job.role.code;
  const bool starts_elsewhere = job.role.workdir && job.role.workdir->value.starts_with('/');
  if (code) {
    if (const auto* git = std::get_if<model::Git>(&code->value)) {
      if (!job.site.code)
        job.refuse("code", "site `" + job.site.name + "` does not say how code arrives",
                   "add `code { by = git }` to the site");
      else if (job.site.code->by.value != model::CodeBy::git)
        job.refuse("code", "site `" + job.site.name + "` does not bring code from git");
      else clone_code(job, *git);
    } else if (!starts_elsewhere) {
      enter_code(job, std::get<std::string>(code->value));
    } else {
      job.approximated("code", "nothing", "the program starts in `workdir`, and its own words say where its files are");
    }
  }
  if (!job.role.workdir || refuse_nul(job, job.role.workdir->value, "workdir", "the folder")) return;
  if (job.part.is_part()) job.exact("workdir", job.in_container() ? "the container's working directory" : "cd");
  if (job.part.is_part() && starts_elsewhere && !job.in_container()) return enter(job, job.role.workdir->value);
  if (!starts_elsewhere && code_in_image(job)) return;  // below the code's folder, in the container
  if (!starts_elsewhere) enter(job, job.role.workdir->value);
  else if (code && std::holds_alternative<model::Git>(code->value) && !job.in_container())
    enter(job, job.role.workdir->value);
}

void add_user_environment(Job& job) {
  add_points(job);
  for (const model::EnvVar& variable : job.role.env) {
    const std::string field = "env." + variable.name;
    std::string why;
    if (!is_env_name(variable.name)) why = "is no name that a shell can export";
    else if (bash_owns(variable.name)) why = "is a name of bash's own, an export would not carry it";
    else if (has_nul(variable.value)) why = "holds a NUL byte, which no environment can carry";
    else if (variable.value.size() >= 128 * 1024 - 1 - variable.name.size())
      why = "holds more than 128 KiB, the kernel's limit";
    else if (job.container.runtime == model::Containers::enroot && !enroot_carries(variable.value))
      why = "has a value that Enroot would change: a blank, a quote or one of `$ # \\`";
    if (why.empty()) {
      if (variable.from_axis) continue;  // add_points did
      job.line("export " + variable.name + "=" + sh_word(variable.value));
      continue;
    }
    const std::string message = "`" + variable.name + "` " + why;
    job.diagnostics.add(Code::name_not_valid, variable.span, message);
    job.loss.refused(field, message);
  }
  job.exact("env", "export lines");
}

}  // namespace muster::targets::slurm
