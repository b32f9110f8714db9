// The image, the program's files, and what runs in the container.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/model/runner.h"
#include "compiler/shell/bash_names.h"
#include "compiler/shell/launchers.h"
#include "targets/contract/checks.h"
#include "targets/contract/launch.h"
#include "targets/contract/resolve.h"
#include "targets/exports.h"
#include "targets/kubernetes/names.h"
#include "targets/kubernetes/pod_draft.h"
#include "targets/lookup.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes {
namespace {

using model::Runner;

// Has git and a shell; `image git { ref = … }` of the site replaces it.
constexpr std::string_view git_image = "docker.io/alpine/git:v2.49.1";

// An image in the site's words: its name for it, its mirror, its secret for pulling.
std::string pulled(PodDraft& pod, const std::string& given) {
  const FoundImage image = find_image(pod.site(), pod.plane(), given);
  if (image.registry == nullptr) return image.ref;
  if (image.registry->pull_secret && pod.spec.get("imagePullSecrets") == nullptr)
    append(pod.spec, "imagePullSecrets", map({{"name", text(image.registry->pull_secret->value)}}));
  return image.registry->mirror ? image.registry->mirror->value + "/" + image.path : image.ref;
}

void refuse_software(PodDraft& pod, const model::SoftwareSpec* spec) {
  const auto* name = std::get_if<std::string>(&pod.role.software->value);
  const std::string which = name != nullptr ? "software `" + *name + "`" : std::string("this software");
  pod.refuse_at(pod.role.software->span, model::Field::software,
                spec == nullptr ? "site `" + pod.site().name + "` has no " + which
                                : which + " of site `" + pod.site().name + "` has no image, which pods require",
                "add `image = \"…\"` to it");
}

// The image that the program runs in; nullptr after a refusal (lacks_image() is the same question).
const model::Located<std::string>* image_of(PodDraft& pod) {
  const model::SoftwareSpec* spec = find_software(pod.role, pod.site(), pod.plane());
  if (pod.role.software && (spec == nullptr || (!spec->image && !pod.role.image))) {
    refuse_software(pod, spec);
    return nullptr;
  }
  if (pod.role.image) {
    if (spec != nullptr && (!spec->modules.empty() || spec->conda || spec->venv || spec->image))
      pod.approximated(model::Field::software, "the workload's own image",
                       "its modules and environments are not in the image");
    else pod.exact(model::Field::software, "lines before the program");
    return &*pod.role.image;
  }
  if (spec != nullptr) {
    pod.exact(model::Field::software, "the site's image of this software");
    return &*spec->image;
  }
  pod.refuse_at(pod.role.span.known() ? pod.role.span : pod.workload.span, model::Field::image,
                "a pod requires an image, but the workload does not set one",
                "set `image = \"…\"`, or `software = NAME` with an image of the site");
  return nullptr;
}

// Text of the site's that runs in the program's shell.
void source_text(PodDraft& pod, const model::Located<model::Script>& script, const std::string& key,
                 const FieldRef& field) {
  if (script.value.interpreter != "bash" && script.value.interpreter != "sh")
    return pod.refuse_at(
        script.span, field,
        "it runs in a shell before the program and must be `<<<bash`, not `<<<" + script.value.interpreter + "`");
  pod.files.push_back({key, key, script.value.bytes, 0});
  pod.line("# shellcheck source=/dev/null");
  pod.line(". " + std::string(files_dir) + "/" + key);
}

// A clone in a volume of its own, made before the program starts.
void check_out(PodDraft& pod, const model::Git& git) {
  const auto* named = pod.site().images.find("git", pod.plane());
  const std::string script = "git clone --quiet -- \"$1\" /code && git -C /code checkout --quiet --detach \"$2\"";
  Node init = map({{"name", text("code")},
                   {"image", text(pulled(pod, named != nullptr ? "git" : std::string(git_image)))},
                   {"command", texts(std::vector<std::string>{"/bin/sh", "-c", script, "code",
                                                              expandable(git.url.value), expandable(git.rev.value)})},
                   {"volumeMounts", list({map({{"name", text("code")}, {"mountPath", text(code_dir)}})})}});
  pod.init_containers.push_back(std::move(init));
  pod.volumes.push_back(map({{"name", text("code")}, {"emptyDir", map({})}}));
  pod.mounts.push_back(map({{"name", text("code")}, {"mountPath", text(code_dir)}}));
  pod.workdir = code_dir;
  pod.exact(model::Field::code, "git checkout by an init container");
}

// The code's folder is where the program starts, unless `workdir` says where.
void report_folder(PodDraft& pod, const std::string& as) {
  if (!pod.role.workdir || !pod.role.workdir->value.is_absolute()) return pod.exact(model::Field::code, as);
  pod.approximated(model::Field::code, "nothing",
                   "the program starts in `workdir` and finds its files by its own arguments");
}

// The site's shared folder lies on a storage that pods reach.
void mount_shared_code(PodDraft& pod, const std::string& path, const std::string& folder) {
  const model::Storage* found = nullptr;
  for (const model::Storage& s : pod.site().storage) {
    const std::string& root = s.path.value;
    const bool inside =
        !root.empty() && path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
    if (inside && (s.pvc || s.host_path) && (s.plane.empty() || s.plane == pod.plane().name)) found = &s;
  }
  if (found == nullptr)
    return pod.refuse(
        model::Field::code,
        "the shared folder `" + path + "` of site `" + pod.site().name + "` is not on a storage that pods can mount",
        "declare `path` and `pvc` of the storage that contains it");
  const std::string name = dns_label("code-" + found->name);
  pod.volumes.push_back(map(
      {{"name", text(name)},
       {found->pvc ? "persistentVolumeClaim" : "hostPath",
        found->pvc ? map({{"claimName", text(found->pvc->value)}}) : map({{"path", text(found->host_path->value)}})}}));
  pod.mounts.push_back(map({{"name", text(name)}, {"mountPath", text(found->path.value)}}));
  pod.workdir = folder == "." ? path : path + "/" + folder;
  report_folder(pod, "the shared folder " + path);
}

void bring_code(PodDraft& pod) {
  constexpr contract::CodeRules rules{
      false, "add `code { by = image }`, `git` or `shared-path` to the site, or remove `code` if the image contains it",
      "add `code { by = image }`, `git` or `shared-path` to the site, or remove `code` if the image contains it"};
  const auto source = contract::code_source(pod, pod.role, pod.site(), pod.plane(), rules);
  if (!source) return;
  if (source->by == contract::CodeSource::By::git) return check_out(pod, *source->git);
  if (source->by == contract::CodeSource::By::shared_path) return mount_shared_code(pod, source->root, source->folder);
  if (!source->root.empty()) pod.workdir = source->folder == "." ? source->root : source->root + "/" + source->folder;
  report_folder(pod, "baked into the image");
}

// `chdir` of a block for Slurm is below the folder of the submission, which pods do not have.
void refuse_folder_of_slurm(PodDraft& pod) {
  for (const model::TargetOptions& block : pod.workload.targets)
    for (const model::RawOption& option : block.options)
      if (block.target == "slurm" && option.name == "chdir")
        pod.refuse_at(option.value.span, {model::Field::target, block.target + "." + option.name},
                      "the program starts in the folder `" + option.value.value + "`, which pods do not have",
                      "write an absolute `workdir` instead of the option");
}

void add_workdir(PodDraft& pod) {
  const auto& workdir = pod.role.workdir;
  if (!workdir) refuse_folder_of_slurm(pod);
  if (!workdir || contract::refuse_nul(pod, workdir->value.bytes, model::Field::workdir, "the folder")) return;
  const bool absolute = workdir->value.is_absolute();
  if (!absolute && pod.workdir.empty())
    return pod.refuse_at(workdir->span, model::Field::workdir,
                         "a relative folder requires `code`, which this pod does not have", "write an absolute path");
  const contract::Pieces folder = pieces_of(pod, workdir->value);
  if (contract::has_variables(folder)) {  // `workingDir` takes no variable
    const bool is_word = !absolute && folder.front().bytes.starts_with('-');
    pod.line("cd " + std::string(is_word ? "./" : "") + contract::quoted(folder));
    return pod.exact(model::Field::workdir, "cd");
  }
  pod.workdir = (absolute ? "" : pod.workdir + "/") + contract::bytes_of(folder);
  pod.exact(model::Field::workdir, "workingDir");
}

// ---- the program

// The words that start the program: in front those of a launcher or an interpreter, as text of sh.
struct ProgramWords {
  std::string front;
  Words words;
  const model::Script* script = nullptr;  // that is all of `words`, and can go on after lines of sh in the same shell

  // `"$@"` stands for the words where they are the container's arguments.
  std::string text(bool in_place) const {
    std::string out = front;
    if (!in_place) return out + (out.empty() ? "" : " ") + "\"$@\"";
    for (const contract::Pieces& word : words) out += (out.empty() ? "" : " ") + sh_word_of(word);
    return out;
  }
};

void add_words(PodDraft& pod, Words& out, const std::vector<model::Text>& words, const FieldRef& field) {
  for (const model::Text& word : words)
    if (contract::check_argument(pod, word.bytes, field)) out.push_back(pieces_of(pod, word));
}

// The words that run a script of the user's, which is in the ConfigMap as it was written.
std::string script_words(PodDraft& pod, const model::Script& script, const std::string& key,
                         const std::vector<model::Located<std::string>>& flags = {}) {
  std::string out = script.interpreter == "python" ? "python3" : sh_text(script.interpreter);
  for (const auto& flag : flags) out += " " + sh_text(flag.value);
  pod.files.push_back({key, key, script.bytes, 0});
  return out + " " + std::string(files_dir) + "/" + key;
}

void add_setup(PodDraft& pod) {
  if (!pod.role.setup) return;
  if (has_nul(pod.role.setup->value.bytes))
    return pod.refuse(model::Field::setup, "the value contains a NUL byte, which a ConfigMap cannot contain");
  std::string words = script_words(pod, pod.role.setup->value, "setup");
  Words arguments;
  if (contract::reads_arguments(pod.role.setup->value))
    add_words(pod, arguments, texts_of(pod.role.args), model::Field::args);
  for (const contract::Pieces& word : arguments) {
    words += " " + sh_word_of(word);
    for (const contract::Piece& piece : word)
      if (piece.is_variable()) pod.wanted.add(piece.variable);
  }
  pod.line(words);
  pod.exact(model::Field::setup, "run before the program");
}

// p programs side by side; the first that fails ends all.
void fork_processes(PodDraft& pod, const std::string& program) {
  pod.line("# Starts the processes; the first that fails ends all, with its exit code.");
  pod.line("end() { trap '' TERM INT; kill -TERM 0; wait; exit \"$(cat " + std::string(scratch_dir) +
           "/exit 2>/dev/null || echo 143)\"; }");
  pod.line("trap end TERM INT");
  const std::string processes = std::to_string(pod.shape.processes), exit_file = std::string(scratch_dir) + "/exit";
  pod.line("i=0 rank=" + pod.names.rank);
  pod.line("while [ \"$i\" -lt " + processes + " ]; do");
  pod.line("  (");
  pod.line("    trap - TERM INT");
  const bool as_slurm = pod.role.launch.compat.value == model::Compat::slurm;
  pod.line("    export RANK=$((rank * " + processes + " + i)) LOCAL_RANK=\"$i\"" +
           (as_slurm ? " SLURM_PROCID=$((rank * " + processes + " + i)) SLURM_LOCALID=\"$i\"" : ""));
  pod.line("    " + program + " || { rc=$?; (set -C; echo \"$rc\" > " + exit_file +
           ") 2>/dev/null || :; kill -TERM $$; }");
  pod.line("  ) &");
  pod.line("  i=$((i + 1))");
  pod.line("done");
  pod.line("wait");
}

bool has_lead(const PodDraft& pod) {
  return pod.workload.stop && pod.workload.stop->lead.value.ms > 0 && pod.draft.limit;
}

std::int64_t seconds_before_lead(const PodDraft& pod) {
  return (pod.draft.limit->value.ms - pod.workload.stop->lead.value.ms) / 1000;
}

// A signal other than TERM, also one that comes before the time is over: the shell stays and passes it on.
void run_and_signal(PodDraft& pod, const std::string& program) {
  const model::Stop& stop = *pod.workload.stop;
  const std::string& signal = stop.signal.value;
  pod.line(program + " & child=$!");
  pod.line("trap 'kill -" + signal + " \"$child\" 2>/dev/null || :' TERM");
  if (has_lead(pod)) {
    pod.line("(sleep " + std::to_string(seconds_before_lead(pod)) + "; kill -" + signal +
             " \"$child\") > /dev/null 2>&1 & timer=$!");
  }
  pod.line("rc=0; wait \"$child\" || rc=$?");
  pod.line(
      "while kill -0 \"$child\" 2>/dev/null; do rc=0; wait \"$child\" || rc=$?; done  # a signal ends a wait early");
  if (has_lead(pod)) pod.line("kill \"$timer\" 2>/dev/null || :");
  pod.line("exit \"$rc\"");
}

bool stays_in_front(const PodDraft& pod) { return pod.workload.stop && pod.workload.stop->signal.value != "TERM"; }

bool forks(const PodDraft& pod) { return pod.runner() == Runner::processes && pod.shape.processes > 1; }

// Whether words are written into the lines of sh: where only these fill them in, and where they read well.
bool belong_in_text(const Words& words) {
  const auto is_easy = [](const contract::Pieces& word) {
    const std::string bytes = contract::bytes_of(word);
    return std::none_of(bytes.begin(), bytes.end(), [](char c) { return c == '\'' || is_control(c); });
  };
  return std::any_of(words.begin(), words.end(), contract::has_variables) ||
         std::all_of(words.begin(), words.end(), is_easy);
}

// The lines that start it.
void run(PodDraft& pod, ProgramWords program) {
  // TERM before the time is over; in between `timeout` passes on what Kubernetes sends, and in the end the exit code.
  if (has_lead(pod) && !stays_in_front(pod))
    program.front = "timeout --foreground --preserve-status " + std::to_string(seconds_before_lead(pod)) +
                    (program.front.empty() ? "" : " " + program.front);
  const bool stays = forks(pod) || stays_in_front(pod), strict = !only_sets(pod.prelude);
  if (!stays && program.front.empty() && start_directly(pod, program.words, "command")) return;
  if (!stays && program.front.empty() && program.script != nullptr && continue_in_shell(pod, *program.script)) return;
  const bool in_place = belong_in_text(program.words);
  // Where the shell stays, a word of the user's is never one of its own.
  const std::string text = (stays && program.front.empty() ? "env " : "") + program.text(in_place);
  if (in_place) program.words.clear();
  if (forks(pod)) fork_processes(pod, text);
  else if (stays) run_and_signal(pod, text);
  start_in_shell(pod, program.words, stays ? "" : "exec " + text, strict);
}

// Whether a word was cut at a single quote, which is hard to read.
bool in_pieces(std::string_view text) { return text.find("'\\''") != text.npos; }

// Whether a shell runs something of its own for this word, or none knows it before.
bool starts_otherwise(const contract::Pieces& word) {
  return contract::has_variables(word) || shell::bash_runs(contract::bytes_of(word));
}

// The program as text of sh with its words in it, or as a file of that: no other program quotes them again.
void write_program(PodDraft& pod, const ProgramWords& program) {
  for (const contract::Pieces& word : program.words)
    for (const contract::Piece& piece : word)
      if (piece.is_variable()) pod.wanted.add(piece.variable);
  const std::string text = program.text(true);
  if (pod.options.program_text != nullptr && text.size() <= longest_word && reads_well(text) && !in_pieces(text)) {
    const bool own_word = program.front.empty() && !program.words.empty() && starts_otherwise(program.words.front());
    *pod.options.program_text = (own_word ? "exec " : "") + text;
    return;
  }
  pod.files.push_back({"program", "program", "exec " + text + "\n", 0});
}

// `launch` of the target's own blocks; report.cc refuses what no role takes.
void report_own_options(PodDraft& pod, bool takes) {
  for (const model::TargetOptions& block : pod.workload.targets)
    if (takes && !block.launch.empty() && is_own_block(pod.draft, block))
      pod.exact({model::Field::target_launch, block.target}, "options of the launcher");
}

void report_launch(PodDraft& pod, bool script) {
  const Runner r = pod.runner();
  const bool takes = (row_of(r).opens_file && !script) || !pod.options.launch_args.empty();
  report_own_options(pod, takes);
  if (!pod.role.launch.args.empty() && !takes)
    pod.refuse(model::Field::launch_args, script
                                              ? "the script starts the launcher itself, so these flags have no effect"
                                              : "there is no launcher that takes these flags");
  if (r == Runner::batch_script)
    pod.refuse(model::Field::launch_runner, "runner `batch-script` starts steps with Slurm, which pods do not have",
               "use target `slurm`, or another runner");
  pod.exact(model::Field::launch_runner, "the container's start");
  pod.exact(model::Field::launch_processes, "the number of processes");
  pod.exact(model::Field::launch_args,
            pod.options.launch_args.empty() ? "arguments of the launcher" : pod.options.launch_args);
  if (pod.options.launch_version.empty())
    pod.approximated(model::Field::launch_version, "nothing", "the version depends on the software in the image");
  else pod.exact(model::Field::launch_version, pod.options.launch_version);
  pod.approximated(model::Field::launch_export, "nothing", "pods do not inherit the submitter's environment");
}

// Over words that only a shell fills in.
std::string accelerate_words(const PodDraft& pod) {
  const contract::RunNames& names = pod.names;
  return "accelerate launch --num_machines " + std::to_string(pod.shape.nodes) + " --num_processes " +
         std::to_string(pod.shape.processes_of_replica()) + " --machine_rank " + names.rank + " --main_process_ip " +
         names.head + " --main_process_port " + names.port;
}

std::vector<std::string> interpreter_of(const model::Script& script, const std::vector<std::string>& flags) {
  std::vector<std::string> out = {script.interpreter == "python" ? "python3" : script.interpreter};
  out.insert(out.end(), flags.begin(), flags.end());
  return out;
}

// Whether the script is a word of the command: text that a manifest holds as it is, and not too much of it. The C
// shells read their structures only from a file.
bool is_short(const PodDraft& pod, const model::Script& script) {
  constexpr std::size_t longest = 32 * 1024;
  const bool is_word = pod.options.instead.empty() ||
                       (pod.options.program_text != nullptr && script.bytes.find('\'') == std::string::npos);
  return is_word && !script.bytes.empty() && script.bytes.size() <= longest && !script.interpreter.ends_with("csh") &&
         reads_well(script.bytes);
}

std::vector<model::Text> as_texts(const std::vector<std::string>& words) { return {words.begin(), words.end()}; }

ProgramWords program_of(PodDraft& pod) {
  const model::Argv argv = model::started_command(pod.workload, pod.role);
  const auto* script = pod.role.program ? std::get_if<model::Script>(&pod.role.program->value) : nullptr;
  report_launch(pod, script != nullptr);
  if (!pod.role.program && argv.empty()) {
    pod.refuse(model::Field::command, "the workload has neither `command` nor `script`");
    return {};
  }
  ProgramWords program;
  Words& words = program.words;
  if (script != nullptr && is_short(pod, *script)) {
    add_words(pod, words, as_texts(interpreter_of(*script, texts_of(pod.role.script_flags))),
              model::Field::script_flags);
    words.push_back({{"-c"}});
    words.push_back({{script->bytes}});
    if (!pod.role.args.empty() && script->interpreter != "python") words.push_back({{pod.workload.name}});
    const bool of_sh = script->interpreter == "bash" || script->interpreter == "sh";
    if (of_sh && pod.role.args.empty() && pod.role.script_flags.empty()) program.script = script;
    pod.exact(model::Field::script, "a word of the command");
    pod.exact(model::Field::script_flags, "flags of the interpreter");
  } else if (script != nullptr) {
    if (has_nul(script->bytes))
      pod.refuse(model::Field::script, "the script contains a NUL byte, which a ConfigMap cannot contain");
    program.front = script_words(pod, *script, "script", pod.role.script_flags);
    pod.exact(model::Field::script, "ConfigMap, run by the container");
    pod.exact(model::Field::script_flags, "flags of the interpreter");
  } else {
    const bool launcher = row_of(pod.runner()).opens_file;
    const std::string first = argv.empty() ? std::string() : model::spelling(argv[0]);
    if (first.empty() || (!launcher && (first[0] == '-' || first.find('=') != std::string::npos)))
      pod.refuse(model::Field::command, argv.empty() && pod.role.program && pod.workload.kind.value == model::Kind::dev
                                            ? "this runner starts a program on its own, not a shell to type in"
                                            : "a command must begin with a program");
    if (pod.runner() == Runner::accelerate) program.front = accelerate_words(pod);
    if (pod.runner() == Runner::torchrun) words.push_back({{"torchrun"}});  // the rest is in PET_*
    if (launcher) {
      add_words(pod, words, as_texts(texts_of(pod.role.launch.args)), model::Field::launch_args);
      for (const model::TargetOptions& block : pod.workload.targets)
        if (is_own_block(pod.draft, block))
          add_words(pod, words, as_texts(texts_of(block.launch)), {model::Field::target_launch, block.target});
    }
    add_words(pod, words, argv, model::Field::command);
    pod.exact(model::Field::command, "args");
  }
  add_words(pod, words, texts_of(pod.role.args), model::Field::args);
  pod.exact(model::Field::args, "args");
  return program;
}

// What is done by lines of sh in front of the program; nullopt: nothing that a key asks for.
std::optional<FieldRef> needs_lines(const PodDraft& pod) {
  const model::SoftwareSpec* spec = find_software(pod.role, pod.site(), pod.plane());
  if (pod.role.setup) return FieldRef(model::Field::setup);
  if (spec != nullptr && spec->prelude) return FieldRef(model::Field::software);
  if (pod.role.preflight) return FieldRef(model::Field::preflight);
  if (stays_in_front(pod)) return FieldRef(model::Field::stop);
  if (has_lead(pod) && pod.options.instead.empty()) return FieldRef(model::Field::stop_lead);
  if (pod.prelude.find("/fabric\n") != std::string::npos) return FieldRef(model::Field::fabric);
  return std::nullopt;
}

// The image's own entrypoint, with the arguments of the role. Only the image knows it, so no line is in front of it.
void run_entrypoint(PodDraft& pod) {
  report_launch(pod, false);
  Words words;
  add_words(pod, words, texts_of(pod.role.args), model::Field::args);
  pod.exact(model::Field::args, "args");
  constexpr std::string_view help = "write `command`";
  const auto cause = needs_lines(pod);
  if (cause)
    return pod.refuse(*cause, "it is done by a shell in front of the program, but only the image knows its entrypoint",
                      help);
  if (pod.prelude.empty() && start_directly(pod, words, "args")) return;
  pod.refuse(pod.role.args.empty() ? model::Field::image : model::Field::args,
             "a shell in front of the program fills in what it needs, but only the image knows its entrypoint", help);
}

}  // namespace

bool lacks_image(const plan::Plan& plan) {
  return std::any_of(plan.roles.begin(), plan.roles.end(), [&](const plan::RolePlan& shape) {
    const model::SoftwareSpec* spec = find_software(*shape.role, *plan.site, *plan.plane);
    if (shape.role->image) return shape.role->software && spec == nullptr;
    return spec == nullptr || !spec->image;
  });
}

void add_image(PodDraft& pod) {
  const auto* image = image_of(pod);
  if (image == nullptr) return;
  const std::string ref = pulled(pod, image->value);
  const auto bad = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7F; };
  if (ref.empty() || ref[0] == '-' || ref[0] == '/' || std::any_of(ref.begin(), ref.end(), bad))
    return pod.refuse_at(
        image->span, pod.wrote(model::Field::image) ? model::Field::image : model::Field::software,
        "`" + image->value + "` is not a valid image name",
        ref.starts_with('/')
            ? "a file is for nodes; give the site a name for it: `image NAME { ref = \"REGISTRY/IMAGE:TAG\" }`"
            : "");
  put(pod.container, "image", text(ref));
  pod.exact(model::Field::image, ref);
}

void add_code(PodDraft& pod) {
  bring_code(pod);
  add_workdir(pod);
}

void add_program(PodDraft& pod) {
  const model::SoftwareSpec* spec = find_software(pod.role, pod.site(), pod.plane());
  if (spec != nullptr && spec->prelude) source_text(pod, *spec->prelude, "software", model::Field::software);
  add_setup(pod);
  if (model::runs_entrypoint(pod.workload, pod.role)) return run_entrypoint(pod);
  if (pod.options.instead.empty()) return run(pod, program_of(pod));
  if (pod.options.has_program) write_program(pod, program_of(pod));
  else report_launch(pod, false);
  start_in_shell(pod, {}, "exec " + pod.options.instead, !pod.prelude.empty());
}

}  // namespace muster::targets::kubernetes
