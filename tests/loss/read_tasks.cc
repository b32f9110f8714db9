// Where a field is found in the file of a task of SkyPilot.
#include <algorithm>
#include <cctype>

#include "tests/loss/task.h"

namespace muster::loss {
namespace {

// The partition of Slurm or the queue of Kueue.
std::string find_queue(const Task& t) {
  for (const auto& asked : t.work.queues)
    if (const model::Queue* queue = named(t.asked.site.queues, asked.value)) {
      const bool place = any(t.resources, [&](const std::string& key, const Tree& at) {
        return key == "infra" && at.text.ends_with("/" + queue->plane_name);
      });
      return when(place || says(t.file["config"], "local_queue_name", queue->plane_name), "infra or config");
    }
  return {};
}

std::string find_replicas(const Task& t) {
  const model::Count range = t.role.replicas->value;
  const Tree& policy = t.file["service"]["replica_policy"];
  if (policy)
    return when(says(policy, "min_replicas", range.low) && says(policy, "max_replicas", range.high), "policy");
  return when(says(t.file["service"], "replicas", std::max<std::int64_t>(1, range.low)), "replicas");
}

std::vector<std::string> program(const Task& t) {
  const auto* argv = t.role.program ? std::get_if<model::Argv>(&t.role.program->value) : nullptr;
  return argv == nullptr ? std::vector<std::string>() : model::spellings(*argv);
}

std::string find_code(const Task& t) {
  const Tree& workdir = t.file["workdir"];
  if (t.asked.key == "code.git.url")
    return when(workdir["url"].text == std::get<model::Git>(t.role.code->value).url.value, "workdir");
  if (t.asked.key == "code.git.rev")
    return when(workdir["ref"].text == std::get<model::Git>(t.role.code->value).rev.value, "workdir");
  const std::string folder = std::get<std::string>(t.role.code->value);
  if (workdir.text == folder) return "workdir";
  return when(std::any_of(t.words.begin(), t.words.end(),
                          [&](const std::string& w) { return w == folder || w.ends_with("/" + folder); }),
              "cd");
}

const model::SoftwareSpec* software(const Task& t) {
  if (const auto* own = std::get_if<model::SoftwareSpec>(&t.role.software->value)) return own;
  for (const auto& [name, spec] : t.asked.site.software)
    if (name == std::get<std::string>(t.role.software->value)) return &spec;
  return nullptr;
}

std::string find_software(const Task& t) {
  const model::SoftwareSpec* spec = software(t);
  if (spec == nullptr) return {};
  if (!spec->modules.empty()) return when(in_a_row(t.words, values_of(spec->modules)), "module load");
  return when(spec->image && t.resources["image_id"].text == "docker:" + spec->image->value, "image_id");
}

std::string inline_software(const Task& t) {
  const model::SoftwareSpec& spec = std::get<model::SoftwareSpec>(t.role.software->value);
  const std::string& key = t.asked.key;
  if (key.ends_with(".modules")) return when(in_a_row(t.words, values_of(spec.modules)), "module load");
  if (key.ends_with(".module-use"))
    return when(in_a_row(t.words, {"module", "use", spec.module_use.front().value}), "module use");
  if (key.ends_with(".purge")) return when(in_a_row(t.words, {"module", "purge"}), "module purge");
  if (key.ends_with(".conda")) return when(in_a_row(t.words, {"conda", "activate", spec.conda->value}), "conda");
  if (key.ends_with(".venv")) return when(in_a_row(t.words, {"source", spec.venv->value + "/bin/activate"}), "source");
  return when(spec.prelude && t.holds(spec.prelude->value.bytes), "run");
}

std::string find_env(const Task& t) {
  for (const model::EnvVar& e : t.role.env)
    if (e.name == t.asked.name) {
      const Tree& value = t.file["envs"][e.name];
      return when(value ? value.text == e.value.bytes : t.word(e.name + "=" + e.value.bytes), "envs");
    }
  return {};
}

std::string find_secret(const Task& t) {
  const model::Secret* secret = named(t.role.secrets, t.asked.name);
  const auto passed = [&](const std::string& name) {
    const auto& all = t.file["secrets"].members;
    return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.first == name; });
  };
  if (t.asked.key == "secret.env") return when(passed(secret->env->value), "secrets");
  return when(t.holds(secret->file->value), "a file below MUSTER_DIR");
}

std::string find_mount(const Task& t) {
  const model::Mount* mount = named(t.role.mounts, t.asked.name);
  const Tree& bucket = t.file["file_mounts"][mount->path.value];
  const Tree& volume = t.file["volumes"][mount->path.value];
  if (t.asked.key == "mount.sub-path") return when(bucket["source"].text.ends_with(mount->sub_path->value), "source");
  return when(bucket || volume, "file_mounts or volumes");
}

std::string find_file(const Task& t) {
  for (const model::SmallFile& file : t.role.files) {
    if (file.path.value != t.asked.name) continue;
    if (t.asked.key == "file.mode") return when(in_a_row(t.words, {"chmod", file.mode->value}), "chmod");
    return when(t.holds(file.bytes) && t.holds(file.path.value), "a here-document");
  }
  return {};
}

std::string find_port(const Task& t) {
  const std::string number = std::to_string(named(t.role.ports, t.asked.name)->number.value);
  return when(any(t.resources["ports"], [&](const std::string&, const Tree& at) { return at.text == number; }),
              "ports");
}

std::string find_probe(const Task& t) {
  const Tree& at = t.file["service"]["readiness_probe"];
  const std::string& key = t.asked.key;
  for (const model::Probe& probe : t.role.probes) {
    if (model::name(probe.kind) != t.asked.name) continue;
    if (probe.kind == model::ProbeKind::startup) {
      const std::int64_t every = probe.every ? probe.every->value.ms : 10'000;
      const std::int64_t all =
          (probe.after ? probe.after->value.ms : 0) + every * (probe.failures ? probe.failures->value : 3);
      return when(says(at, "initial_delay_seconds", seconds(Duration{all})), "delay");
    }
    if (key == "probe.http")
      return when(at.text == probe.http->value.bytes || says(at, "path", probe.http->value.bytes), "path");
    if (key == "probe.after") return when(says(at, "initial_delay_seconds", seconds(probe.after->value)), "delay");
    if (key == "probe.every")
      return when(says(at, "endpoint_probe_interval_seconds", seconds(probe.every->value)), "interval");
    if (key == "probe.timeout") return when(says(at, "timeout_seconds", seconds(probe.timeout->value)), "timeout");
  }
  return {};
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// How many, and of which of the models that the role names.
std::string find_gpus(const Task& t) {
  const std::string count = std::to_string(t.role.gpus());
  if (t.asked.key == "resources.gpu")
    for (const std::string& model : t.role.resources.gpu->value) {
      const std::string name = upper(model);
      const bool there = any(t.resources, [&](const std::string& key, const Tree& at) {
        return key == name || at.text == name + ":" + count;
      });
      if (!there) return {};
    }
  return when(any(t.resources,
                  [&](const std::string& key, const Tree& at) {
                    if (key == "accelerators" && at.text.ends_with(":" + count)) return true;
                    return key == "accelerators" && std::any_of(at.members.begin(), at.members.end(),
                                                                [&](const auto& m) { return m.second.text == count; });
                  }),
              "accelerators");
}

std::string find_processes(const Task& t) {
  const std::int64_t each = t.role.launch.processes->value;
  const std::string n = std::to_string(each), all = std::to_string(each * t.role.nodes());
  const bool told = t.word("--nproc_per_node=" + n) || t.word("PET_NPROC_PER_NODE=" + n) ||
                    t.word("MUSTER_PROCS_PER_NODE=" + n) || in_a_row(t.words, {"--num_processes", all}) ||
                    t.holds("i < " + n + ";") || (each == 1 && t.holds("LOCAL_RANK=0"));
  return when(told, "run");
}

std::string find_runner(const Task& t) {
  switch (t.role.launch.runner.value) {
    case model::Runner::torchrun:
      return when(std::holds_alternative<model::Script>(t.role.program->value) ? t.holds("PET_NPROC_PER_NODE=")
                                                                               : t.word("torchrun"),
                  "torchrun");
    case model::Runner::accelerate:
      return when(in_a_row(t.words, {"accelerate", "launch"}) || t.holds("MASTER_ADDR="), "accelerate");
    case model::Runner::processes: return when(t.holds("LOCAL_RANK="), "LOCAL_RANK");
    default: return when(!t.words.empty(), "run");
  }
}

// A managed job is started again by itself; after failures as often as its file says.
std::string find_retry(const Task& t) {
  const Tree& at = t.resources["job_recovery"];
  const model::Retry& retry = *t.work.retry;
  const bool managed = t.text.find("# sky jobs launch ") != std::string::npos;
  if (t.asked.key == "retry.exit-codes")
    return when(std::all_of(retry.exit_codes.begin(), retry.exit_codes.end(),
                            [&](const auto& code) {
                              return any(at["recover_on_exit_codes"], [&](const std::string&, const Tree& one) {
                                return one.text == std::to_string(code.value);
                              });
                            }),
                "recover_on_exit_codes");
  const bool failures = std::any_of(retry.on.begin(), retry.on.end(),
                                    [](const auto& reason) { return reason.value == model::RetryOn::failure; });
  if (!failures) return when(managed && !at["max_restarts_on_errors"], "a managed job");
  const std::int64_t limit = retry.limit.value == model::Retry::unlimited ? 1000 : retry.limit.value;
  return when(says(at, "max_restarts_on_errors", limit), "max_restarts_on_errors");
}

std::string find_scale(const Task& t) {
  const Tree& at = t.file["service"]["replica_policy"];
  const model::Scale& scale = *t.work.scale;
  if (t.asked.key == "scale.cooldown")
    return when(says(at, "downscale_delay_seconds", seconds(scale.cooldown->value)), "delay");
  return when(says(at, "target_qps_per_replica", scale.target->value), "target_qps_per_replica");
}

std::string find_serve(const Task& t) {
  const model::Serve& serve = *t.work.serve;
  if (t.asked.key == "serve.model") return when(t.word(serve.model->value), "run");
  if (t.asked.key == "serve.args") return when(in_a_row(t.words, values_of(serve.args)), "run");
  if (t.asked.key == "serve.engine")
    return when(t.word(serve.engine->value == model::Engine::vllm ? "vllm" : "sglang.launch_server"), "run");
  if (serve.engine && !t.role.program)
    return when(in_a_row(t.words, {"--port", std::to_string(named(t.role.ports, serve.port->value)->number.value)}),
                "run");
  return when(says(t.resources, "ports", named(t.role.ports, serve.port->value)->number.value), "ports");
}

std::string find_own_options(const Task& t) {
  for (const model::TargetOptions& target : t.work.targets)
    if (target.target == t.asked.name) return when(in_a_row(t.words, values_of(target.launch)), "run");
  return {};
}

std::string find_own_words(const Task& t) { return when(says(t.file, "own", std::string("word")), "merged"); }

// What runs on a node: `run` of SkyPilot, the one command of dstack.
std::string text_of(const Tree& file) {
  for (const char* key : {"commands", "init"})
    if (!file[key].items.empty()) return file[key].items.front().text;
  return file["run"].text;
}

constexpr std::pair<std::string_view, Find> readers[] = {
#include "tests/loss/task_readers.inc"
};

}  // namespace

std::string find_in_task(const Output& output, const Asked& asked) {
  const auto found =
      std::find_if(std::begin(readers), std::end(readers), [&](const auto& r) { return r.first == asked.key; });
  const Find own = output.target == "dstack" ? reader_of_dstack(asked.key) : nullptr;
  if (own == nullptr && found == std::end(readers)) return {};
  const std::string run = text_of(output.task);
  return (own != nullptr ? own : found->second)(
      {asked, asked.workload, asked.role, output.text, output.task, output.task["resources"], run, shell_words(run)});
}

}  // namespace muster::loss
