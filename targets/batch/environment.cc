#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "targets/batch/sections.h"
#include "targets/contract/checks.h"
#include "targets/contract/resolve.h"
#include "targets/contract/variables.h"
#include "targets/shell.h"
#include "targets/software.h"

namespace muster::targets::batch {
namespace {

// The parts of the contract in the order of their lines.
constexpr auto parts = {contract::identity, contract::point,   contract::copies,  contract::nodes,
                        contract::head,     contract::amounts, contract::folders, contract::hostfile};

void refuse_software(Job& job) {
  const std::string& name = std::get<std::string>(job.role.software->value);
  std::vector<std::string_view> known;
  for (const auto& [n, spec] : job.site.software) known.push_back(n);
  job.refuse_at(job.role.software->span, Field::software, "site `" + job.site.name + "` has no software `" + name + "`",
                near_or(name, known, "add it to the site: `software " + name + " { modules = [\"…\"] }`"));
}

void activate(Job& job, const model::SoftwareSpec& spec) {
  job.body += software_lines(spec);
  if (!spec.prelude) return;
  const model::Script& prelude = spec.prelude->value;
  if (contract::refuse_nul(job, prelude.bytes, Field::software, "the prelude of the software")) return;
  if (prelude.interpreter != "bash" && prelude.interpreter != "sh")
    return job.refuse_at(
        spec.prelude->span, Field::software,
        "a software prelude runs in the job's shell and must be `<<<bash`, not `<<<" + prelude.interpreter + "`");
  job.body += sh_source(prelude.bytes, "PRELUDE");
}

// The words below are right sides of `export`, which bash neither splits nor expands to file names.

// "$VARIABLE" as the site wrote it, or a path.
std::string path_word(const std::string& path) {
  if (path.starts_with('$') && is_env_name(path.substr(1))) return "${" + path.substr(1) + ":?}";
  return sh_word(path);
}

// Ten ports of the head for each of 2,000 jobs; this is the first.
std::string port_of(const JobVariables& variables) {
  return "$((10000 + 10 * (" + std::string(variables.job_number) + " % 2000)))";
}

// What the node has, where the job does not say: a job that asks for all has no number in its environment.
std::string memory_word(const Job& job) {
  const plan::RolePlan& shape = job.shape;
  if (!shape.all_memory) return std::string(job.dialect.variables.memory);
  if (shape.pool != nullptr) return std::to_string(shape.pool->usable_memory(shape.family).bytes >> 20);
  return "$(free --mebi | awk '/^Mem:/ {print $2}')";
}

}  // namespace

contract::RunNames run_names(const Job& job) {
  const JobVariables& known = job.dialect.variables;
  const bool part = job.part.is_part(), array = job.workload.sweep || job.copies_in_array();
  contract::RunNames names;
  names.id = array ? known.array_id : known.job_id;
  names.attempt = known.restarts;
  if (job.workload.sweep) names.point = index_word(job);
  names.replica = job.copies_in_array() ? index_word(job) : part ? job.part.replica : "0";
  names.head = job.head_word();
  if (job.is_elastic()) names.nodes = known.node_count;
  if (!job.may_have_nodes() && !part) {
    names.rank = "0";
    names.address = job.head_word();
  }
  names.port = job.port_word();
  names.cpus = known.cpus;
  names.memory = memory_word(job);
  names.dir = "$dir";
  names.tmp = "$tmp";
  names.hostfile = part ? "$dir/slots." + job.role.name + "." + job.part.replica : "$dir/hosts";
  return names;
}

void ask_for(Job& job, std::string_view lines) {
  const auto named = [&](std::string_view word) { return lines.find(word) != std::string_view::npos; };
  if (named("${nodes[")) job.own.nodes = true;
  if (named("$port") || named("$((port + ")) job.own.port = true;
  if (named("$dir")) job.own.dir = true;
}

namespace {

// For a script, which calls the launcher itself: what it would be told by options.
contract::Variables torchrun_names(const Job& job, const contract::Run& run) {
  if (!job.may_have_nodes()) return contract::torchrun_alone(run);
  const std::string nodes = run.names.nodes.empty() ? std::to_string(run.shape.nodes) : run.names.nodes;
  return {{"PET_NNODES", nodes},
          {"PET_NPROC_PER_NODE", std::to_string(run.shape.processes)},
          {"PET_RDZV_BACKEND", "c10d"},
          {"PET_RDZV_ID", std::string(job.dialect.variables.job_id)},
          {"PET_RDZV_ENDPOINT", run.names.head + ":" + run.names.port}};
}

void add_launcher(Job& job, const contract::Run& run, Exports& exports) {
  const bool script = job.role.program && std::holds_alternative<model::Script>(job.role.program->value);
  if (job.runner() != model::Runner::torchrun) {
    for (const auto part : {contract::launcher_counts, contract::launcher_address})
      contract::add(exports, part(run), job.wanted);
  } else if (script) {
    contract::add(exports, torchrun_names(job, run), job.wanted);
  }
  if (job.workload.stop && job.workload.stop->lead.value.ms > 0)
    contract::add(exports, contract::launcher_stop(run, job.workload.stop->lead.value.seconds_up()), job.wanted);
}

void clone_code(Job& job, const model::Git& git) {
  // Parts start at the same time, so each has a clone of its own.
  const std::string folder =
      "\"" + job.dir() + "/code" + (job.part.is_part() ? "." + job.role.name + "." + job.part.replica : "") + "\"";
  job.line("[ -d " + folder + " ] || git clone --quiet -- " + sh_word(git.url.value) + " " + folder);
  job.line("git -C " + folder + " checkout --quiet --detach " + sh_word(git.rev.value));
  job.line("cd " + folder);
  job.exact(Field::code, "git clone");
}

void enter(Job& job, const std::string& folder) {
  if (folder != "." && !folder.empty()) job.line("cd " + sh_word(folder.starts_with('-') ? "./" + folder : folder));
}

void enter(Job& job, const model::Text& folder) {
  const contract::Pieces pieces = pieces_of(job, folder);
  if (!contract::has_variables(pieces)) return enter(job, contract::bytes_of(pieces));
  job.line("cd " + std::string(pieces.front().bytes.starts_with('-') ? "./" : "") + text_word(job, folder, false));
}

// The program's files, where the nodes find them.
void enter_code(Job& job, const contract::CodeSource& code) {
  using By = contract::CodeSource::By;
  if (code.by == By::git) return clone_code(job, *code.git);
  if (contract::refuse_nul(job, code.folder, Field::code, "the folder")) return;
  if (code.by == By::submission) {
    enter(job, code.folder);
    return job.read(Field::code, "the folder of the submission, where the job starts");
  }
  if (code.by == By::image) {
    if (job.in_container()) return job.exact(Field::code, "the image");
    return job.refuse(Field::code,
                      "site `" + job.site.name + "` provides the code in the image, but this job has no image");
  }
  enter(job, code.folder == "." ? code.root : code.root + "/" + code.folder);
  job.exact(Field::code, "cd");
}

}  // namespace

void enter_submission(Job& job) {
  const auto& workdir = job.role.workdir;
  const bool moves = workdir && workdir->value.is_absolute() && workdir->value.is_plain() && !has_parts(job.plan) &&
                     !job.in_container() && !job.role.code && !job.role.setup && !job.role.software;
  const bool starts_there = moves && job.redirect.empty();
  if (job.dialect.starts_at_home && !starts_there)
    job.line("cd \"" + std::string(job.dialect.variables.submit_dir) + "\" || exit");
  if (!job.redirect.empty()) job.line(job.redirect);
}

void add_software(Job& job) {
  if (!job.role.software) return;
  const model::SoftwareSpec* spec = find_software(job.role, job.site, job.plane);
  if (spec == nullptr) return refuse_software(job);
  const std::size_t before = job.body.size();
  activate(job, *spec);
  const bool native = job.body.size() > before;
  if (native && job.in_container())
    job.approximated(Field::software, "the lines before the container",
                     "its modules and environments are not in the image");
  else if (!native && job.role.image)
    job.approximated(Field::software, "nothing", "the job uses the workload's image, not the image of the software");
  else job.exact(Field::software, native ? "the lines before the program" : "the container image");
}

std::string folder_word(const Job& job) {
  const JobVariables& known = job.dialect.variables;
  const std::string id(known.job_id);
  return job.site.job_dir ? sh_word(job.site.job_dir->value) + "/" + id
                          : std::string(known.submit_dir) + "/.jobs/" + id;
}

std::string scratch_word(const Job& job) {
  return job.batch.scratch ? path_word(job.batch.scratch->value) : "${TMPDIR:-/tmp}";
}

namespace {

// A name below the disk of a node that nobody else can guess: on many nodes its folder belongs to all users.
std::string new_name(const Job& job) {
  const std::string scratch = scratch_word(job), disk = (scratch.starts_with('-') ? "./" : "") + scratch,
                    name = "/" + std::string(job.dialect.variables.job_id) + ".XXXXXX";
  const bool in_quotes = disk.find_first_of("'\"\\") == std::string::npos;
  return in_quotes ? "\"" + disk + name + "\"" : disk + "\"" + name + "\"";
}

bool has_one_node(const Job& job) { return !job.may_have_nodes() && !job.het; }

// What the batch shell does when it ends, wherever that is.
void add_exit_trap(Job& job) {
  const std::string remove = "rm -rf \"$tmp\"", again = requeue_when_preempted(job);
  std::string text;
  if (job.own.tmp) text = has_one_node(job) ? remove : job.dialect.on_each_node(job, remove);
  text += (text.empty() || again.empty() ? "" : "\n") + again;
  if (!again.empty()) job.line("# " + job.system() + " does not requeue a preempted job whose program has ended.");
  if (!text.empty()) job.line("trap " + sh_word(text) + " EXIT");
}

// The folders in the job's own one on the disk of each node, which is there for as long as the job runs.
void make_folders(Job& job) {
  std::string folders;
  for (const std::string& folder : job.own.below_tmp) folders += " \"$tmp\"" + sh_word("/" + folder);
  if (!has_one_node(job)) job.line(job.dialect.on_each_node(job, "mkdir -p -m 700 \"$tmp\"" + folders));
  else if (!folders.empty()) job.line("mkdir -p" + folders);
}

}  // namespace

void add_own_variables(Job& job) {
  const bool part = job.part.is_part();
  if (job.own.nodes)
    job.line(part ? "nodes=(" + job.part.hosts + ")"
                  : "mapfile -t nodes < <(" + std::string(job.dialect.variables.hosts) + ")");
  if (part) return;
  if (job.own.port) job.line("port=" + port_of(job.dialect.variables));
  if (job.own.dir) job.line("dir=" + folder_word(job) + "; mkdir -p \"$dir\"");
  if (job.own.tmp) job.line("tmp=$(mktemp " + std::string(has_one_node(job) ? "-d " : "-u ") + new_name(job) + ")");
  add_exit_trap(job);
  if (job.own.tmp) make_folders(job);
}

std::string contract_word(Job& job, std::string_view variable) {
  const contract::RunNames names = run_names(job);
  for (const auto part : parts)
    for (const contract::Variable& known : part({job.workload, job.role, job.shape, names}))
      if (known.name == variable) return known.word;
  return {};
}

void add_contract(Job& job) {
  const contract::RunNames names = run_names(job);
  plan::RolePlan granted = job.shape;
  if (granted.cpus && job.dialect.granted_cpus != nullptr) granted.cpus = job.dialect.granted_cpus(job);
  const contract::Run run{job.workload, job.role, granted, names};
  std::string lines;
  {
    Exports exports(lines);
    for (const auto part : parts) contract::add(exports, part(run), job.wanted);
    contract::add(exports, contract::checkpoint(run, job), job.wanted);
    add_mount_names(job, exports);
    add_port_names(job, exports);
    add_launcher(job, run, exports);
    for (const auto& [name, word] : slurm_names(job, false)) exports.add(name, word);
  }
  ask_for(job, lines);
  const bool hostfile = job.wanted.has("MUSTER_HOSTFILE");
  job.own.nodes = job.own.nodes || (hostfile && (job.may_have_nodes() || job.part.is_part()));
  add_own_variables(job);
  job.body += lines;
  if (!hostfile) return;
  const std::string hosts = job.own.nodes ? "\"${nodes[@]}\"" : "\"" + job.head_word() + "\"";
  job.line("printf '%s slots=" + std::to_string(job.shape.processes) + "\\n' " + hosts + " > \"$MUSTER_HOSTFILE\"");
}

// Where the program starts, unless an option of the job or of its container says it.
void enter_workdir(Job& job) {
  const auto& workdir = job.role.workdir;
  if (!workdir || contract::refuse_nul(job, workdir->value.bytes, Field::workdir, "the folder") ||
      !can_fill_in(job, {workdir->value}, Field::workdir))
    return;
  const bool absolute = workdir->value.is_absolute(), late = is_late(job, workdir->value);
  if (job.part.is_part())
    job.exact(Field::workdir, job.in_container() && !late ? "the container's working directory" : "cd");
  if (late) return;  // entered on the node, in front of the program
  if (absolute ? job.in_container() : code_in_image(job)) return;
  const auto& code = job.role.code;
  const bool cloned = code && std::holds_alternative<model::Git>(code->value);
  const bool by_option = !job.option_of(Request::folder).empty() && absolute && !job.part.is_part() &&
                         !contract::has_variables(pieces_of(job, workdir->value));
  if (cloned || !by_option) enter(job, workdir->value);
}

void add_code(Job& job) {
  const auto& code = job.role.code;
  const bool starts_elsewhere = job.role.workdir && job.role.workdir->value.is_absolute();
  if (code) {
    const bool git = std::holds_alternative<model::Git>(code->value);
    constexpr contract::CodeRules rules{true, "add `code { by = git }` to the site", ""};
    if (!git && starts_elsewhere)
      job.approximated(Field::code, "nothing",
                       "the program starts in `workdir` and finds its files by its own arguments");
    else if (const auto source = contract::code_source(job, job.role, job.site, job.plane, rules))
      enter_code(job, *source);
  }
  enter_workdir(job);
}

void add_user_environment(Job& job) {
  add_points(job);
  Exports exports(job.body, job.exports_end != 0 && job.exports_end == job.body.size());
  for (const model::EnvVar& variable : job.role.env) {
    const FieldRef field{Field::env, variable.name};
    std::string why = contract::fault_of_variable(variable.name, variable.value.bytes, contract::Shell::bash);
    // Options of the command line would win without a word.
    const bool told = variable.name.starts_with("PET_RDZV_") || variable.name == "PET_STANDALONE";
    if (why.empty() && told && job.runner() == model::Runner::torchrun)
      why = "is set by muster; write the option of torchrun in `launch { args }`, which wins";
    if (why.empty() && is_own_name(variable.name)) why = "is a variable of the job script itself; use another name";
    if (why.empty() && job.container.runtime == model::Containers::enroot &&
        !enroot_carries(contract::bytes_of(pieces_of(job, variable.value))))
      why = "has a value that Enroot would change, with a space, a quote or one of `$ # \\`";
    if (why.empty()) {
      if (variable.from_axis()) continue;                                                        // add_points did
      if (!can_fill_in(job, {variable.value}, field) || is_late(job, variable.value)) continue;  // on the node
      if (reads_ray_address(job, variable)) continue;                                            // add_ray does
      const std::string word = text_word(job, variable.value, false);
      if (!is_given(job, variable.name, word)) exports.add(variable.name, word);
      continue;
    }
    job.refuse_as(Code::name_not_valid, variable.span, field, "`" + variable.name + "` " + why);
  }
  job.exact(Field::env, "export lines");
}

}  // namespace muster::targets::batch
