// Where a field is found in a file of dstack.
#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "tests/loss/task.h"

namespace muster::loss {
namespace {

// "8h" and "90m" as seconds.
std::int64_t seconds_of(const std::string& text) {
  if (text.empty()) return -1;
  const std::int64_t amount = std::strtoll(text.c_str(), nullptr, 10);
  switch (text.back()) {
    case 'd': return amount * 86'400;
    case 'h': return amount * 3'600;
    case 'm': return amount * 60;
    default: return amount;
  }
}

bool lasts(const Tree& at, Duration time) { return at.there() && seconds_of(at.text) == seconds(time); }

// A value of `env` as dstack reads it: `$$` is `$` where it looks for names at all.
std::string read_by_dstack(const std::string& value) {
  if (value.find("${{") == std::string::npos && value.find("$$") == std::string::npos) return value;
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '$' && i + 1 < value.size() && value[i + 1] == '$') ++i;
    out += value[i];
  }
  return out;
}

// A map of names, or a list of `NAME=VALUE`, in which a bare name is passed by the submitter.
Tree variable(const Task& t, const std::string& name) {
  const Tree& env = t.file["env"];
  for (const Tree& item : env.items) {
    const std::size_t at = item.text.find('=');
    if (item.text.substr(0, at) != name) continue;
    Tree out;
    out.is = Tree::Is::scalar;
    if (at != std::string::npos) out.text = item.text.substr(at + 1);
    return out;
  }
  return env[name];
}

std::string find_env(const Task& t) {
  for (const model::EnvVar& e : t.role.env)
    if (e.name == t.asked.name) {
      const Tree value = variable(t, e.name);
      return when(value ? read_by_dstack(value.text) == e.value.bytes : t.word(e.name + "=" + e.value.bytes), "env");
    }
  return {};
}

std::string find_secret(const Task& t) {
  const model::Secret* secret = named(t.role.secrets, t.asked.name);
  if (t.asked.key == "secret.file") return when(t.holds(secret->file->value), "a file below MUSTER_DIR");
  const Tree value = variable(t, secret->env->value);
  return when(value && (value.text.empty() || value.text.starts_with("${{ secrets.")), "env");
}

std::string find_code(const Task& t) {
  const Tree& repo = t.file["repos"].items.empty() ? t.file["repos"] : t.file["repos"].items.front();
  if (t.asked.key == "code.git.url")
    return when(repo["url"].text == std::get<model::Git>(t.role.code->value).url.value, "repos");
  if (t.asked.key == "code.git.rev") {
    const std::string& rev = std::get<model::Git>(t.role.code->value).rev.value;
    return when(repo["branch"].text == rev || repo["hash"].text == rev, "repos");
  }
  const std::string folder = std::get<std::string>(t.role.code->value);
  if (any(t.file["files"], [&](const std::string&, const Tree& at) { return at.text == folder + ":/workflow"; }))
    return when(t.file["working_dir"].text == "/workflow", "files");
  return when(std::any_of(t.words.begin(), t.words.end(),
                          [&](const std::string& w) { return w == folder || w.ends_with("/" + folder); }),
              "cd");
}

std::string find_software(const Task& t) {
  const std::string& name = std::get<std::string>(t.role.software->value);
  for (const auto& [key, spec] : t.asked.site.software) {
    if (key != name) continue;
    if (!spec.modules.empty()) return when(in_a_row(t.words, values_of(spec.modules)), "module load");
    return when(spec.image && t.file["image"].text == spec.image->value, "image");
  }
  return {};
}

std::string find_workdir(const Task& t) {
  const std::string& folder = t.role.workdir->value.bytes;
  if (t.file["working_dir"].text == folder) return "working_dir";
  return when(in_a_row(t.words, {"cd", folder}), "cd");
}

std::string find_mount(const Task& t) {
  const model::Mount* mount = named(t.role.mounts, t.asked.name);
  for (const Tree& item : t.file["volumes"].items) {
    if (!item.text.ends_with(":" + mount->path.value)) continue;
    const std::string from = item.text.substr(0, item.text.size() - mount->path.value.size() - 1);
    if (t.asked.key == "mount.sub-path") return when(from.ends_with("/" + mount->sub_path->value), "volumes");
    return "volumes";
  }
  return {};
}

std::string find_port(const Task& t) {
  const std::string number = std::to_string(named(t.role.ports, t.asked.name)->number.value);
  return when(t.file["port"].text == number || holds(t.file["ports"], number), "ports");
}

std::string find_serve_port(const Task& t) {
  const std::string number = std::to_string(named(t.role.ports, t.work.serve->port->value)->number.value);
  if (t.work.serve->engine && !t.role.program) return when(in_a_row(t.words, {"--port", number}), "commands");
  return when(t.file["port"].text == number, "port");
}

std::string find_probe(const Task& t) {
  const Tree& list = t.file["probes"];
  const Tree& at = list.items.empty() ? list : list.items.front();
  for (const model::Probe& probe : t.role.probes) {
    if (model::name(probe.kind) != t.asked.name || probe.kind != model::ProbeKind::readiness) continue;
    if (t.asked.key == "probe.http") return when(probe.http && at["url"].text == probe.http->value.bytes, "url");
    if (t.asked.key == "probe.every") return when(lasts(at["interval"], probe.every->value), "interval");
    if (t.asked.key == "probe.timeout") return when(lasts(at["timeout"], probe.timeout->value), "timeout");
  }
  return {};
}

std::string find_replicas(const Task& t) {
  const model::Count range = t.role.replicas->value;
  const std::string low = std::to_string(std::max<std::int64_t>(1, range.low));
  const std::string both = std::to_string(range.low) + ".." + std::to_string(range.high);
  return when(t.file["replicas"].text == low || t.file["replicas"].text == both, "replicas");
}

std::string find_scale(const Task& t) {
  const Tree& at = t.file["scaling"];
  const model::Scale& scale = *t.work.scale;
  if (t.asked.key == "scale.cooldown") return when(lasts(at["scale_down_delay"], scale.cooldown->value), "delay");
  if (t.asked.key == "scale.metric") return when(at["metric"].text == "rps", "metric");
  return when(says(at, "target", scale.target->value), "target");
}

// "H100,A100:80GB:8": names, memory and number, each where it is there.
std::string find_gpus(const Task& t) {
  std::string gpu = ":" + t.resources["gpu"].text + ":";
  std::replace(gpu.begin(), gpu.end(), ',', ':');
  const auto part = [&](const std::string& one) { return gpu.find(":" + one + ":") != std::string::npos; };
  if (t.asked.key == "resources.gpu-memory")
    return when(part(std::to_string(t.role.resources.gpu_memory->value.bytes / 1'000'000'000) + "GB.."), "gpu");
  if (t.asked.key == "resources.gpu")
    for (std::string model : t.role.resources.gpu->value) {
      for (char& c : model) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      if (!part(model)) return {};
    }
  return when(part(std::to_string(t.role.gpus())), "gpu");
}

std::string find_retry(const Task& t) {
  const Tree& events = t.file["retry"]["on_events"];
  if (t.asked.key == "retry.limit") return when(events.there(), "on_events");
  bool all = !t.work.retry->on.empty();
  for (const auto& reason : t.work.retry->on) {
    if (reason.value == model::RetryOn::timeout) continue;
    const bool lost = reason.value == model::RetryOn::node_failure || reason.value == model::RetryOn::preemption;
    all = all && holds(events, lost ? "interruption" : "error");
  }
  return when(all && events.there(), "on_events");
}

std::string find_queue(const Task& t) {
  for (const auto& asked : t.work.queues)
    if (const model::Queue* queue = named(t.asked.site.queues, asked.value))
      return when(holds(t.file["fleets"], queue->plane_name), "fleets");
  return {};
}

constexpr std::pair<std::string_view, Find> readers[] = {
#include "tests/loss/dstack_readers.inc"
};

}  // namespace

Find reader_of_dstack(std::string_view key) {
  for (const auto& [own, find] : readers)
    if (own == key) return find;
  return nullptr;
}

}  // namespace muster::loss
