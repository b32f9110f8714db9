#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "compiler/base/text.h"
#include "tests/loss/sbatch.h"

namespace muster::loss {
namespace {

// What the step of a role says that shares its nodes; "" of others.
std::string of_step(const Sbatch& s, const std::string& option) {
  if (std::find(s.words.begin(), s.words.end(), "--exact") == s.words.end()) return {};
  for (const std::string& word : s.words)
    if (word.starts_with(option + "=")) return word.substr(option.size() + 1);
  return {};
}

using Find = std::string (*)(const Sbatch&);

std::string when(bool found, std::string place) { return found ? std::move(place) : std::string(); }

std::string directive(const Sbatch& s, const std::string& name, const std::string& value) {
  return when(!value.empty() && s.any(name, value), name + "=" + value);
}

std::string mebibytes(Size size) { return std::to_string((size.bytes + (1 << 20) - 1) >> 20) + "M"; }

std::int64_t seconds_of(const std::string& time) {  // D-HH:MM:SS
  long long d = 0, h = 0, m = 0, s = 0;
  return std::sscanf(time.c_str(), "%lld-%lld:%lld:%lld", &d, &h, &m, &s) == 4 ? ((d * 24 + h) * 60 + m) * 60 + s : -1;
}

template <class List>
auto named(const List& all, const std::string& name) -> decltype(&*all.begin()) {
  for (const auto& item : all)
    if (item.name == name) return &item;
  return nullptr;
}

const model::SoftwareSpec* software(const Sbatch& s) {
  if (!s.role.software) return nullptr;
  if (const auto* own = std::get_if<model::SoftwareSpec>(&s.role.software->value)) return own;
  for (const auto& [name, spec] : s.asked.site.software)
    if (name == std::get<std::string>(s.role.software->value)) return &spec;
  return nullptr;
}

std::string find_software(const Sbatch& s) {
  const model::SoftwareSpec* spec = software(s);
  if (spec == nullptr) return {};
  if (!spec->modules.empty()) return when(in_a_row(s.words, values_of(spec->modules)), "module load");
  if (spec->image) return when(s.holds(spec->image->value), "the image");
  return {};
}

std::string inline_software(const Sbatch& s) {
  const model::SoftwareSpec& spec = std::get<model::SoftwareSpec>(s.role.software->value);
  if (s.asked.key.ends_with(".modules")) return when(in_a_row(s.words, values_of(spec.modules)), "module load");
  if (s.asked.key.ends_with(".module-use"))
    return when(in_a_row(s.words, {"module", "use", spec.module_use.front().value}), "module use");
  if (s.asked.key.ends_with(".purge")) return when(in_a_row(s.words, {"module", "purge"}), "module purge");
  if (s.asked.key.ends_with(".conda"))
    return when(in_a_row(s.words, {"conda", "activate", spec.conda->value}), "conda");
  if (s.asked.key.ends_with(".venv"))
    return when(in_a_row(s.words, {"source", spec.venv->value + "/bin/activate"}), "source");
  return when(spec.prelude && s.holds(spec.prelude->value.bytes), "lines before the program");
}

std::string find_queue(const Sbatch& s) {
  for (const auto& asked : s.work.queues)
    if (const model::Queue* queue = named(s.asked.site.queues, asked.value))
      return directive(s, "--partition", queue->plane_name);  // of a list the first that the site has
  return {};
}

std::string find_priority(const Sbatch& s) {
  const model::Priority* p = named(s.asked.site.priorities, s.work.priority->value);
  if (p == nullptr) return {};
  if (p->qos) return directive(s, "--qos", p->qos->value);
  return p->nice ? directive(s, "--nice", std::to_string(p->nice->value)) : std::string();
}

std::string find_preemptible(const Sbatch& s) {
  for (const model::Queue& queue : s.asked.site.queues)
    if (queue.preemptible && s.any("--partition", queue.plane_name)) return "--partition";
  return when(
      (s.option("--gpus-per-node") + s.option("--gres") + s.option("--constraint")).find("l4") != std::string::npos,
      "the GPUs of the pool");
}

// Of a range: the low end of what runs at once, else all.
std::int64_t copies_of(const Sbatch& s) {
  const bool least = s.work.starts() == model::Gang::all || s.work.kind.value == model::Kind::serve;
  return least || !s.role.replicas ? s.role.copies() : s.role.replicas->value.high;
}

std::string find_gang(const Sbatch& s) {
  const bool whole = s.work.starts() == model::Gang::all || copies_of(s) < 2;
  if (!whole) return when(s.has("--array"), "--array");
  const bool single = copies_of(s) < 2 && s.role.nodes() == 1;
  return when(!s.has("--array") && (single || s.has("--nodes")), "one allocation");
}

std::string find_replicas(const Sbatch& s) {
  const std::string n = std::to_string(copies_of(s));
  if (copies_of(s) < 2) return {};
  const bool steps = s.holds("replica < " + n + ";") || s.word("--ntasks=" + n);
  const std::string ids = s.is_lsf ? "1-" + n : "0-" + std::to_string(copies_of(s) - 1);
  return when(steps || s.option("--array") == ids, "steps, or an array");
}

std::vector<std::string> program(const Sbatch& s) {
  const auto* argv = s.role.program ? std::get_if<model::Argv>(&s.role.program->value) : nullptr;
  return argv == nullptr ? std::vector<std::string>() : model::spellings(*argv);
}

std::string find_script(const Sbatch& s) {
  const auto* script = s.role.program ? std::get_if<model::Script>(&s.role.program->value) : nullptr;
  return when(script != nullptr && s.holds(script->bytes), "a here-document");
}

std::string find_code(const Sbatch& s) {
  if (s.asked.key == "code.git.url")
    return when(s.word(std::get<model::Git>(s.role.code->value).url.value), "git clone");
  if (s.asked.key == "code.git.rev")
    return when(s.word(std::get<model::Git>(s.role.code->value).rev.value), "git checkout");
  const std::string folder = std::get<std::string>(s.role.code->value);
  const auto enters = [&](const std::string& at) {
    const auto below = [&](const std::string& word) {
      return word.starts_with("--container-workdir=" + at + "/") || (s.is_other && word.starts_with(at + "/"));
    };
    return in_a_row(s.words, {"cd", at}) || s.word("--container-workdir=" + at) || s.word(at) ||
           std::any_of(s.words.begin(), s.words.end(), below);
  };
  const model::SiteCode* code = code_of(s.asked.site, s.asked.plane);
  const std::string root = code != nullptr && code->path ? code->path->value : "";
  // The root is where the job is submitted, and starts.
  if (folder == "." && root.empty()) return when(!s.has("--chdir") && !s.word("cd"), "the folder of the submission");
  return when(enters(folder == "." ? root : root.empty() ? folder : root + "/" + folder), "cd");
}

std::string find_workdir(const Sbatch& s) {
  const std::string& at = s.role.workdir->value.bytes;
  const bool below = std::any_of(s.words.begin(), s.words.end(), [&](const std::string& word) {
    return (word.starts_with("--container-workdir=") || s.word("--pwd")) && word.ends_with("/" + at);
  });
  const bool found = s.any("--chdir", at) || in_a_row(s.words, {"--pwd", at}) || in_a_row(s.words, {"cd", at}) ||
                     s.word("--container-workdir=" + at) || below;
  return when(found, "--chdir, cd or the container's");
}

std::string find_env(const Sbatch& s) {
  for (const model::EnvVar& e : s.role.env) {
    if (e.name != s.asked.name) continue;
    if (!e.from_axis()) return when(s.word(e.name + "=" + e.value.bytes), "export");
    const model::Axis* axis = named(s.work.sweep->axes, *e.value.axis());
    const bool each = s.holds(e.name + "=${") && std::all_of(axis->values.begin(), axis->values.end(), [&](auto& v) {
                        const auto is_it = [&](const std::string& w) {
                          const std::size_t at = w.find("_values=(");
                          const std::string word = at == w.npos ? w : w.substr(at + 9);
                          return word == v || word == v + ")";
                        };
                        return std::any_of(s.words.begin(), s.words.end(), is_it);
                      });
    const bool number = s.word(e.name + "=$SLURM_ARRAY_TASK_ID") || s.word(e.name + "=$PBS_ARRAY_INDEX") ||
                        s.word(e.name + "=$PBS_ARRAYID");
    return when(each || number, "a value for each task");
  }
  return {};
}

std::string find_secret(const Sbatch& s) {
  const model::Secret* secret = named(s.role.secrets, s.asked.name);
  if (s.asked.key == "secret.env") return when(in_a_row(s.words, {"export", secret->env->value}), "export");
  return when(s.holds("/" + secret->file->value), "a file below MUSTER_DIR");
}

std::string find_mount(const Sbatch& s) {
  const model::Mount* mount = named(s.role.mounts, s.asked.name);
  const std::string& at = mount->path.value;
  const bool bound = s.holds(":" + at);
  if (s.asked.key == "mount.mode") return when(s.holds(":" + at + ":ro"), "bound read-only");
  // The folder that is bound, not the path where it is bound, which may end alike.
  if (s.asked.key == "mount.sub-path")
    return when(s.holds(mount->sub_path->value + (bound ? ":" + at : "")), "the bound folder");
  std::string name = "MUSTER_MOUNT_";
  for (const char c : mount->name)
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const bool referred = model::refers_to(s.role, model::RefersTo::mount, mount->name) && s.holds(at);
  return when(bound || referred || s.word(name + "=" + at), "MUSTER_MOUNT_*");
}

std::string find_file(const Sbatch& s) {
  for (const model::SmallFile& file : s.role.files) {
    if (file.path.value != s.asked.name) continue;
    if (s.asked.key == "file.mode") return when(in_a_row(s.words, {"chmod", file.mode->value}), "chmod");
    return when(s.holds(file.bytes) && s.holds(file.path.value), "a here-document");
  }
  return {};
}

std::string find_port(const Sbatch& s) {
  const model::Port* port = named(s.role.ports, s.asked.name);
  const std::string number = "=" + std::to_string(port->number.value);
  return when(std::any_of(s.words.begin(), s.words.end(),
                          [&](const std::string& w) { return w.starts_with("MUSTER_PORT_") && w.ends_with(number); }),
              "MUSTER_PORT_*");
}

bool shares_nodes(const Sbatch& s) {
  const auto runs_with_it = [&](const model::Role& other) { return other.with && other.with->value == s.role.name; };
  return s.role.with || std::any_of(s.work.roles.begin(), s.work.roles.end(), runs_with_it);
}

std::string find_gpus(const Sbatch& s) {
  const auto said = [&](const std::string& option) { return shares_nodes(s) ? of_step(s, option) : s.option(option); };
  const std::string count = said("--gpus-per-node").empty() ? said("--gres") : said("--gpus-per-node");
  if (s.asked.key == "resources.gpus") {
    const std::string n = std::to_string(s.role.gpus());
    for (const char* option : {"--gpus-per-node", "--gres"})
      if (const std::string own = of_step(s, option); own == n || own.ends_with(":" + n)) return "its step";
    for (const auto& [name, value] : s.options)
      if ((name == "--gpus-per-node" || name == "--gres") && (value == n || value.ends_with(":" + n))) return name;
    return {};
  }
  if (s.asked.key == "resources.gpu-share")
    return when(count.starts_with("mps:") || count.starts_with("shard:"), "--gres");
  if (s.asked.key == "resources.gpu-slice")
    return when(count.find(s.role.resources.gpu_slice->value) != count.npos ||
                    (s.is_lsf && !count.empty() && s.role.resources.gpu_slice->value.starts_with(count)),
                "--gres");
  const std::string stated = count + s.option("--constraint");
  const auto& asked = s.role.resources.gpu;
  const std::vector<std::string> models =
      asked && s.asked.key == "resources.gpu" ? asked->value : std::vector<std::string>{"h100", "l4"};
  return when(std::any_of(models.begin(), models.end(), [&](const auto& m) { return stated.find(m) != stated.npos; }),
              "the type");
}

std::string find_require(const Sbatch& s) {
  return when(s.has("--nodelist") || s.has("--exclude") || !find_gpus(s).empty(), "--nodelist, --exclude or the type");
}

std::string find_cpus(const Sbatch& s) {
  const auto& cpus = s.role.resources.cpus->value;
  if (cpus.all && s.is_other) return when(s.has("--cpus-per-task"), "ncpus");
  if (cpus.all) return when(s.has("--exclusive"), "--exclusive");
  if (of_step(s, "--cpus-per-task") == std::to_string(cpus.high)) return "its step";
  for (const auto& [name, value] : s.options) {
    if (name != "--cpus-per-task") continue;
    const auto tasks = s.option("--ntasks-per-node");
    const std::int64_t each = std::atoll(value.c_str());
    if (s.is_other && each == cpus.high) return name;
    const std::int64_t ranks = std::max<std::int64_t>(1, s.role.processes());  // each has a slot, and slots are alike
    if (s.is_lsf && each == (cpus.high + ranks - 1) / ranks * ranks) return name;
    if (each * std::max<std::int64_t>(1, std::atoll(tasks.c_str())) == cpus.high || each == cpus.high) return name;
  }
  return {};
}

std::string find_memory(const Sbatch& s) {
  const auto& memory = s.role.resources.memory->value;
  if (!memory.all && of_step(s, "--mem") == mebibytes(memory.high)) return "its step";
  if (memory.all && s.is_other) return when(s.has("--mem"), "mem");
  return directive(s, "--mem", memory.all ? "0" : mebibytes(memory.high));
}

bool holds_program(const Sbatch& s) {
  if (!s.role.program) return true;  // the image's own, or a server
  return !find_script(s).empty() || in_a_row(s.words, program(s));
}

std::string find_processes(const Sbatch& s) {
  const std::string n = std::to_string(s.role.launch.processes->value);
  for (const char* word : {"--nproc_per_node=", "PET_NPROC_PER_NODE=", "--ntasks-per-node=", "MUSTER_PROCS_PER_NODE="})
    if (s.word(word + n)) return word;
  const std::int64_t all = s.role.launch.processes->value * s.role.nodes();
  if (in_a_row(s.words, {"--num_processes", std::to_string(all)})) return "--num_processes";
  return when(s.option("--ntasks-per-node") == n || s.option("--mpiprocs") == n, "--ntasks-per-node");
}

// Whether a function of the file starts it on the nodes; their health check is started so too.
bool starts_on_nodes(const Sbatch& s, const std::string& program) {
  std::size_t begin = s.body.rfind('\n', s.body.find(program));
  while (begin != s.body.npos && begin > 0 && s.body[begin - 1] == '\\') begin = s.body.rfind('\n', begin - 1);
  const std::string line = s.body.substr(begin + 1);
  return line.starts_with("each_node ") || line.starts_with("on_nodes ");
}

std::string find_runner(const Sbatch& s) {
  switch (s.role.launch.runner.value) {
    case model::Runner::torchrun:
      return when(s.holds("torchrun --") || s.holds("PET_NPROC_PER_NODE="), "options, or PET_*");
    case model::Runner::accelerate: return when(s.holds("accelerate launch"), "accelerate launch");
    case model::Runner::mpi: return when(s.holds("--mpi=") || s.word("mpirun"), "srun or mpirun");
    case model::Runner::ray: return when(in_a_row(s.words, {"ray", "start", "--head"}), "ray start");
    case model::Runner::processes: return when(s.holds("LOCAL_RANK="), "LOCAL_RANK");
    case model::Runner::batch_script:
      return when((!s.has("--ntasks-per-node") || (s.role.launch.processes && !find_processes(s).empty())) &&
                      holds_program(s) && s.holds(" -c \"$script\"") && !starts_on_nodes(s, " -c \"$script\""),
                  "the batch shell");
    case model::Runner::none: return when(holds_program(s), "the program itself");
  }
  return {};
}

std::string find_nodes(const Sbatch& s) {
  const std::string low = std::to_string(s.role.nodes());
  const auto& nodes = s.role.resources.nodes;
  // Of a role, what starts it; copies of one node may be one step.
  if (s.body.find("\n# role ") != s.body.npos)
    return when(s.word("--nodes=" + low) || s.word("--nodes=" + std::to_string(s.role.nodes() * s.role.copies())),
                "srun");
  const bool in_step = s.role.copies() > 1 && s.word("--nodes=" + low);
  if (s.option("--nodes") == low || in_step) return "--nodes";
  return nodes && s.option("--nodes") == low + "-" + std::to_string(nodes->value.high) ? "--nodes" : "";
}

std::string find_retry(const Sbatch& s) {
  const model::Retry& retry = *s.work.retry;
  if (s.asked.key == "retry.exit-codes") {
    std::string codes = " ";
    for (const auto& code : retry.exit_codes) codes += std::to_string(code.value) + " ";
    return when(s.holds("\"" + codes + "\"") || " " + s.option("-Q") + " " == codes, "the script's own requeue");
  }
  if (retry.limit.value == 0) return when(s.has("--no-requeue"), "--no-requeue");
  if (s.is_other) return when(s.has("--requeue"), "-r y");
  if (retry.limit.value < 0) return when(s.has("--requeue") && !s.holds("no attempts left"), "--requeue");
  return when(s.has("--requeue") && s.holds("-gt " + std::to_string(retry.limit.value) + " ]"),
              "--requeue, the first line");
}

std::string find_stop(const Sbatch& s) {
  const model::Stop& stop = *s.work.stop;
  if (s.asked.key == "stop.lead")
    return directive(s, "--signal", "B:USR1@" + std::to_string(stop.lead.value.ms / 1000));
  const std::string& name = stop.signal.value;
  return when(s.holds("timeout --preserve-status -s " + name + " ") || s.holds("--signal=" + name + " ") ||
                  s.holds("kill -s " + name + " "),
              "the trap");
}

std::string find_topology(const Sbatch& s) {
  if (s.has("--segment")) {
    const auto& segment = s.role.topology->segment;
    return when(!segment || s.option("--segment") == std::to_string(segment->value), "--segment");
  }
  return when(s.has("--switches") || (s.has("--near") && s.asked.key == "topology.within"), "--switches");
}

// How many tasks an array has: "0-4:2,9%2".
std::size_t count_of(std::string array) {
  std::size_t out = 0;
  array = array.substr(0, array.find('%')) + ",";
  for (std::size_t at = 0; at < array.size(); at = array.find(',', at) + 1) {
    long long first = 0, last = 0, step = 1;
    const int found = std::sscanf(array.c_str() + at, "%lld-%lld:%lld", &first, &last, &step);
    out += found < 2 ? 1 : static_cast<std::size_t>((last - first) / step) + 1;
  }
  return out;
}

std::string find_sweep(const Sbatch& s) {
  const std::string array = s.option("--array");
  const model::Sweep& sweep = *s.work.sweep;
  if (s.asked.key == "sweep.max-parallel")
    return when(array.ends_with("%" + std::to_string(sweep.max_parallel->value)), "--array");
  return when(!array.empty() && count_of(array) == sweep.points(), "--array");
}

std::string find_notify(const Sbatch& s) {
  if (s.asked.key == "notify.on") {
    const auto& on = s.work.notify->on;
    const std::string types = s.option("--mail-type");
    if (s.is_lsf) return when(!types.empty(), "-B, -N");
    return when(static_cast<std::size_t>(std::count(types.begin(), types.end(), ',')) + 1 == on.size() &&
                    !types.empty() && types.find("END") != std::string::npos,
                "--mail-type");
  }
  const std::string users = s.option("--mail-user");
  const auto& email = s.work.notify->email;
  return when(std::all_of(email.begin(), email.end(),
                          [&](const auto& e) { return users.find(e.value) != std::string::npos; }) &&
                  !users.empty(),
              "--mail-user");
}

// The pieces of a pattern outside of its braces, each in the value.
bool has_pieces(const std::string& value, const std::string& pattern) {
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t end = std::min(pattern.find('{', at), pattern.size());
    if (value.find(pattern.substr(at, end - at)) == std::string::npos) return false;
    at = std::min(pattern.find('}', end), pattern.size() - 1) + 1;
  }
  return !value.empty();
}

std::string find_log(const Sbatch& s) {
  const model::Logs& logs = *s.work.logs;
  if (s.asked.key == "logs.append") return directive(s, "--open-mode", logs.append->value ? "append" : "truncate");
  const bool error = s.asked.key == "logs.error";
  const std::string name = error ? "--error" : "--output";
  return when(has_pieces(s.option(name), error ? logs.error->value : logs.output->value), name);
}

std::string find_serve(const Sbatch& s) {
  const model::Serve& serve = *s.work.serve;
  if (s.asked.key == "serve.model") return when(s.word(serve.model->value), "a word of the command");
  if (s.asked.key == "serve.args") return when(in_a_row(s.words, values_of(serve.args)), "words of the command");
  const bool vllm = serve.engine->value == model::Engine::vllm;
  return when(s.word(vllm ? "vllm" : "sglang.launch_server"), "the command");
}

std::string find_waits(const Sbatch& s) {  // role.depends-on
  for (const model::RoleStart& start : s.role.depends_on) {
    if (start.role != s.asked.name) continue;
    const std::size_t other = s.submit.find(marker_of(start.role)), own = s.submit.find(marker_of(s.role.name));
    const std::size_t end = std::min(s.submit.find("\n# role ", own + 1), s.submit.size());
    const std::string part = own == std::string::npos ? "" : s.submit.substr(own, end - own);
    if (start.on == model::StartOn::ready) return when(part.find("\nuntil ") != part.npos, "a wait loop");
    if (start.on == model::StartOn::complete)
      return when(part.find("wait \"$" + start.role + "\"") != part.npos, "wait");
    return when(other < own && own != std::string::npos, "the order of start");
  }
  return {};
}

std::string find_raw(const Sbatch& s) {
  for (const model::TargetOptions& target : s.work.targets)
    for (const model::RawOption& option : target.options)
      if (target.target == "slurm" && option.name == s.asked.name)
        return directive(s, "--" + option.name, option.value.value);
  return {};
}

// The words of the user's between srun and the program, or between the launcher and what it starts.
std::string find_own_options(const Sbatch& s) {
  for (const model::TargetOptions& target : s.work.targets)
    if (target.target == s.asked.name)
      return when(in_a_row(s.words, values_of(s.asked.key == "target.srun" ? target.srun : target.launch)), "options");
  return {};
}

constexpr std::pair<std::string_view, Find> readers[] = {
#include "tests/loss/sbatch_readers.inc"
};

}  // namespace

std::string find_in_sbatch(const Output& output, const Asked& asked) {
  const auto found =
      std::find_if(std::begin(readers), std::end(readers), [&](const auto& r) { return r.first == asked.key; });
  if (found == std::end(readers)) return {};
  Sbatch sbatch = read(output, asked);
  // What starts the roles stands behind their functions, outside of each.
  if (asked.key.starts_with("role.")) sbatch.submit = output.text.substr(output.text.find("\nroles() (") + 1);
  return found->second(sbatch);
}

}  // namespace muster::loss
