// What is around the program: its image, software, files, network, secrets and variables.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/bash_names.h"
#include "targets/contract/checks.h"
#include "targets/contract/resolve.h"
#include "targets/exports.h"
#include "targets/lookup.h"
#include "targets/services/task.h"
#include "targets/shell.h"
#include "targets/software.h"

namespace muster::targets::services {
namespace {

constexpr auto parts = {contract::identity, contract::point,   contract::copies,  contract::nodes,
                        contract::head,     contract::amounts, contract::folders, contract::hostfile};

// ---- image and software

const model::SoftwareSpec* software_of(Task& task) {
  if (!task.role.software) return nullptr;
  const model::SoftwareSpec* spec = find_software(task.role, task.site, task.plane);
  if (spec != nullptr) return spec;
  const std::string& name = std::get<std::string>(task.role.software->value);
  std::vector<std::string_view> known;
  for (const auto& [n, own] : task.site.software) known.push_back(n);
  task.refuse_at(task.role.software->span, Field::software,
                 "site `" + task.site.name + "` has no software `" + name + "`",
                 near_or(name, known, "add it to the site: `software " + name + " { image = \"…\" }`"));
  return nullptr;
}

void add_software(Task& task) {
  const model::SoftwareSpec* spec = software_of(task);
  if (spec == nullptr) return;
  const std::string lines = software_lines(*spec);
  task.run += lines;
  if (spec->prelude) {
    const model::Script& prelude = spec->prelude->value;
    if (contract::refuse_nul(task, prelude.bytes, Field::software, "the prelude of the software")) return;
    if (prelude.interpreter != "bash" && prelude.interpreter != "sh")
      return task.refuse_at(spec->prelude->span, Field::software,
                            "a software prelude runs in the shell of `" + std::string(task.dialect.text) +
                                "` and must be `<<<bash`, not `<<<" + prelude.interpreter + "`");
    task.run += sh_source(prelude.bytes, "PRELUDE");
  }
  if (task.role.image && spec->image)
    task.approximated(Field::software, lines.empty() && !spec->prelude ? "nothing" : "the lines before the program",
                      "the task uses the workload's image, not the image of the software");
  else task.exact(Field::software, spec->image ? "the container image" : "the lines before the program");
}

// ---- files

std::string file_word(Task& task, const std::string& path) {
  if (path.starts_with('/')) return sh_word(path);
  task.has_dir = true;
  return "\"$dir\"" + sh_word("/" + path);
}

bool is_possible(Task& task, const std::string& path, Span where, const FieldRef& field) {
  if (contract::refuse_nul(task, path, field, "the path")) return false;
  if (!path.starts_with('/') || !task.image.empty()) return true;
  task.refuse_at(where, field, "without a container a file must have a relative path, below $MUSTER_DIR");
  return false;
}

void add_files(Task& task) {
  for (const model::SmallFile& file : task.role.files) {
    const FieldRef field{Field::file, file.path.value};
    if (contract::refuse_nul(task, file.bytes, field, "the text") ||
        !is_possible(task, file.path.value, file.path.span, field))
      continue;
    if (file.path.value.ends_with('/')) {
      task.refuse_at(file.path.span, field, "a file's path cannot end with `/`");
      continue;
    }
    const std::string word = file_word(task, file.path.value);
    if (file.path.value.find('/') != std::string::npos) task.line("mkdir -p \"$(dirname " + word + ")\"");
    task.run += sh_file(word, file.bytes, "FILE");
    if (file.mode) task.line("chmod " + file.mode->value + " " + word);
    task.exact(field, file.path.value.starts_with('/') ? file.path.value : "$MUSTER_DIR/" + file.path.value);
  }
}

void enter(Task& task, const std::string& folder) {
  if (folder != "." && !folder.empty()) task.line("cd " + sh_word(folder.starts_with('-') ? "./" + folder : folder));
}

void add_code(Task& task) {
  if (!task.role.code) return;
  constexpr contract::CodeRules rules{true, "add `code { by = git }` to the site", ""};
  const auto source = contract::code_source(task, task.role, task.site, task.plane, rules);
  if (!source) return;
  using By = contract::CodeSource::By;
  if (contract::refuse_nul(task, source->folder, Field::code, "the folder")) return;
  switch (source->by) {
    case By::git: task.git = source->git; return task.exact(Field::code, task.dialect.checkout);
    case By::submission: task.folder = source->folder; return task.exact(Field::code, task.dialect.folder);
    case By::image:
      if (task.image.empty())
        return task.refuse(Field::code,
                           "site `" + task.site.name + "` provides the code in the image, but this task has no image");
      [[fallthrough]];
    case By::shared_path: break;
  }
  const std::string folder = source->folder == "." ? source->root : source->root + "/" + source->folder;
  enter(task, folder);
  if (source->by == By::image && folder.empty()) task.read(Field::code, "the image, which contains it");
  else task.exact(Field::code, "cd");
}

void add_workdir(Task& task) {
  const auto& workdir = task.role.workdir;
  if (!workdir || contract::refuse_nul(task, workdir->value.bytes, Field::workdir, "the folder")) return;
  if (!task.dialect.workdir.empty() && !task.role.code && workdir->value.is_plain() && workdir->value.is_absolute()) {
    task.workdir = workdir->value.bytes;
    return task.exact(Field::workdir, task.dialect.workdir);
  }
  const bool option = !workdir->value.is_absolute() && workdir->value.bytes.starts_with('-');
  const std::string word = text_word(task, workdir->value, Field::workdir);
  if (word != ".") task.line("cd " + std::string(option ? "./" : "") + word);
  task.exact(Field::workdir, "cd");
}

// ---- the network

void add_fabric(Task& task) {
  const auto* fabric = find_fabric(task.plan, task.shape);
  if (fabric == nullptr) return;  // the broker has its own words for the network
  for (const model::EnvVar& variable : fabric->env) {
    const std::string why = contract::fault_of_variable(variable.name, variable.value.bytes, contract::Shell::bash);
    if (why.empty()) task.envs.emplace_back(variable.name, variable.value.bytes);
    else
      task.refuse_at(variable.span, Field::fabric, "`" + variable.name + "` of fabric `" + fabric->name + "` " + why);
  }
  if (fabric->prelude) {
    const model::Script& prelude = fabric->prelude->value;
    if (prelude.interpreter != "bash" && prelude.interpreter != "sh")
      return task.refuse_at(
          fabric->prelude->span, Field::fabric,
          "a fabric's prelude runs in the shell of `" + std::string(task.dialect.text) + "` and must be `<<<bash`");
    if (!contract::refuse_nul(task, prelude.bytes, Field::fabric, "the prelude"))
      task.run += sh_source(prelude.bytes, "FABRIC");
  }
  task.exact(Field::fabric, "lines of site `" + task.site.name + "`");
}

// ---- variables

// Why the broker cannot set a variable of the user's; "" where it can.
std::string fault_of(const Task& task, const std::string& name, const std::string& value) {
  if (name.starts_with(task.dialect.prefix)) return "is a variable that " + task.system() + " sets itself";
  if (is_one_of(name, {"dir", "tmp", "pids", "i", "code", "script", "setup"}))
    return "is a variable of the text of `" + std::string(task.dialect.text) + "` itself; use another name";
  return contract::fault_of_variable(name, value, contract::Shell::bash);
}

void add_launcher(Task& task, Exports& exports) {
  const contract::Run run = task.of_run();
  const model::Runner r = task.runner();
  const bool script = task.script() != nullptr;
  if (r == model::Runner::torchrun || r == model::Runner::accelerate) {
    if (!script) return;  // options say it
    if (r == model::Runner::torchrun && !task.has_nodes())
      return contract::add(exports, contract::torchrun_alone(run), task.wanted);
  }
  for (const auto part : {contract::launcher_counts, contract::launcher_address, contract::launcher_rank})
    contract::add(exports, part(run), task.wanted);
}

void add_names(Task& task, Exports& exports) {
  for (const model::Mount& mount : task.role.mounts)
    if (const auto variable = contract::mount(mount, contract::Shell::bash, task))
      contract::add(exports, {*variable}, task.wanted);
  for (const model::Port& port : task.role.ports)
    if (const auto variable = contract::port(port, task)) contract::add(exports, {*variable}, task.wanted);
}

// A variable that the text names and that nothing on the broker's nodes knows.
void refuse_unknown(Task& task, const std::string& lines) {
  if (task.wanted.all()) return;
  for (const std::string& name : task.wanted.names())
    if (lines.find(name + "=") == std::string::npos)
      task.refuse_at(task.role.program ? task.role.program->span : task.workload.span,
                     task.script() != nullptr ? Field::script : Field::command,
                     task.system() + " does not provide a value for " + name, "remove the variable from the text");
}

}  // namespace

void add_image(Task& task) {
  const model::SoftwareSpec* spec = find_software(task.role, task.site, task.plane);
  const bool own = task.role.image.has_value();
  if (!own && (spec == nullptr || !spec->image)) return;
  const auto& given = own ? *task.role.image : *spec->image;
  const FoundImage found = find_image(task.site, task.plane, given.value);
  const bool mirrored = found.registry != nullptr && found.registry->mirror;
  task.image = mirrored ? found.registry->mirror->value + "/" + found.path : found.ref;
  const auto bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7F; };
  const std::string& ref = task.image;
  const FieldRef field = own ? Field::image : Field::software;
  if (ref.empty() || ref[0] == '-' || ref[0] == '/' || ref[0] == '.' || std::any_of(ref.begin(), ref.end(), bad))
    task.refuse_at(given.span, field, "`" + given.value + "` is not a valid image name",
                   is_path(ref) ? "a file is for nodes; give the site a name for it: `image NAME { ref = "
                                  "\"REGISTRY/IMAGE:TAG\" }`"
                                : "");
  if (own) task.exact(Field::image, ref);
}

void add_surroundings(Task& task) {
  const bool several = task.has_nodes();
  task.names.shell = contract::Shell::bash;
  task.names.id = task.dialect.id;
  task.names.replica = "0";
  task.names.rank = several ? std::string(task.dialect.rank) : "0";
  task.names.head = task.dialect.head;
  task.names.address = several ? "$(" + std::string(task.dialect.hosts) + " | sed -n \"$((" +
                                     std::string(task.dialect.rank.substr(1)) + " + 1))p\")"
                               : task.names.head;
  task.names.port = "29500";
  task.names.cpus = "$(nproc)";
  task.names.memory = "$(free --mebi | awk '/^Mem:/ {print $2}')";
  task.names.dir = "$dir";
  task.names.tmp = "$tmp";
  task.names.hostfile = "$dir/hosts";
  add_software(task);
  add_files(task);
  add_code(task);
  add_fabric(task);
  add_workdir(task);
}

void add_secrets(Task& task) {
  for (const model::Secret& secret : task.role.secrets) {
    const FieldRef field{Field::secret, secret.name};
    const auto* known = contract::site_secret(task, secret, task.site, task.plane,
                                              "add it to the site: `secret " + secret.name + " { env = \"…\" }`");
    if (known == nullptr) continue;
    // What no variable names is passed under the name of the secret.
    const std::string name = secret.env ? secret.env->value : contract_name("", secret.name);
    if (const std::string why = fault_of(task, name, ""); !why.empty()) {
      task.refuse_at(secret.env ? secret.env->span : secret.span, field, "`" + name + "` " + why);
      continue;
    }
    std::string from = known->env ? known->env->value : std::string();
    if (!from.empty() && !is_env_name(from)) {
      task.refuse_at(known->env->span, field, "`" + from + "` is not a valid name of a shell variable");
      continue;
    }
    const std::string kept = known->object ? known->object->value : secret.name;
    if (known->env || !task.dialect.keeps_secrets) task.passed.push_back({name, from == name ? std::string() : from});
    else if (is_env_name(kept)) task.passed.push_back({name, {}, kept});
    else {
      task.refuse_at(known->object ? known->object->span : secret.span, field,
                     "`" + printable(kept) + "` cannot be referred to as a secret of " + task.system(),
                     "name it with letters, digits and `_`, in the site: `name = \"…\"`");
      continue;
    }
    if (secret.file && is_possible(task, secret.file->value, secret.file->span, {Field::secret_file, secret.name})) {
      const std::string word = file_word(task, secret.file->value);
      task.line("mkdir -p \"$(dirname " + word + ")\"; (umask 077; printf '%s' \"$" + name + "\" > " + word + ")");
    }
    task.exact(field, name);
  }
}

void add_user_environment(Task& task) {
  Exports exports(task.run);
  for (const model::EnvVar& variable : task.role.env) {
    const FieldRef field{Field::env, variable.name};
    const std::string why = fault_of(task, variable.name, variable.value.bytes);
    if (!why.empty()) {
      task.refuse_as(Code::name_not_valid, variable.span, field, "`" + variable.name + "` " + why);
      continue;
    }
    const contract::Pieces pieces = contract::pieces_of(task.of_run(), variable.value);
    if (!contract::has_variables(pieces)) task.envs.emplace_back(variable.name, contract::bytes_of(pieces));
    else exports.add(variable.name, text_word(task, variable.value, field));
    task.exact(field, variable.name);
  }
}

std::string with_contract(Task& task) {
  std::string lines;
  {
    Exports exports(lines);
    for (const auto part : parts) contract::add(exports, part(task.of_run()), task.wanted);
    contract::add(exports, contract::checkpoint(task.of_run(), task), task.wanted);
    add_names(task, exports);
    add_launcher(task, exports);
  }
  refuse_unknown(task, lines);
  const bool hostfile = task.wanted.has("MUSTER_HOSTFILE");
  std::string out;
  if (task.has_dir || hostfile || task.wanted.has("MUSTER_DIR")) out += "dir=$(mktemp -d)\n";
  if (task.has_tmp || task.wanted.has("MUSTER_TMP")) out += "tmp=$(mktemp -d)\n";
  out += lines;
  if (hostfile)
    out += std::string(task.dialect.hosts) + " | sed 's/$/ slots=" + std::to_string(task.shape.processes) +
           "/' > \"$MUSTER_HOSTFILE\"\n";
  return out;
}

}  // namespace muster::targets::services
