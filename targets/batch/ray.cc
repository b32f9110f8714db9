// A Ray cluster inside the job: a head, workers, and the driver.
#include <algorithm>
#include <cstdio>
#include <iterator>

#include "targets/batch/sections.h"
#include "targets/shell.h"

namespace muster::targets::batch {
namespace {

// Every port that a node of Ray listens on is one of the job's ten: two clusters may share a node. Its workers take
// what the kernel has free.
constexpr std::string_view head_ports[] = {"port", "ray-client-server-port", "dashboard-port"};
constexpr std::string_view usual_port = "6379";  // Ray's own, on nodes that the job has for itself
constexpr std::string_view node_ports[] = {"node-manager-port",         "object-manager-port",
                                           "dashboard-agent-grpc-port", "dashboard-agent-listen-port",
                                           "metrics-export-port",       "runtime-env-agent-port"};

// `--NAME=PORT`: the port of the job with that number.
std::string port_flag(std::string_view name, std::size_t number) {
  const std::string sum = "$((port + " + std::to_string(number) + "))";
  return "--" + std::string(name) + "=" + (number == 0 ? "\"$port\"" : sum);
}

// Ray 2.7.1 learnt where the last of them is to be (ray-project/ray, pull request 39919).
bool is_old_ray(const Job& job) {
  const auto& version = job.role.launch.version;
  int major = 0, minor = 0;
  return version && std::sscanf(version->value.c_str(), "%d.%d", &major, &minor) == 2 &&
         model::Version{major, minor} < model::Version{2, 8};
}

// `ray_ports=(…)`: what every node is started with.
std::string port_array(const Job& job) {
  std::string out = "ray_ports=(";
  const std::size_t known = std::size(node_ports) - (is_old_ray(job) ? 1 : 0);
  for (std::size_t i = 0; i < known; ++i)
    out += (i % 3 == 0 ? "\n  " : " ") + port_flag(node_ports[i], std::size(head_ports) + i);
  return out + "\n  --min-worker-port=0 --max-worker-port=0)";
}

// Whether another cluster may be on a node of the job: its ports are then the job's own.
bool shares_nodes(const Job& job) {
  const model::Pool* pool = job.shape.pool;
  return !job.shape.exclusive &&
         !(pool != nullptr && pool->gpu && job.shape.gpus > 0 && job.shape.gpus >= pool->gpu->count);
}

// One process asks until all nodes are there, and so one container. A node's `ray start` that ends is an end, too.
void wait_for_ray(Job& job, std::string_view in_container) {
  const std::string ready =
      "until [ \"$(ray status 2>/dev/null | grep -cE \"^ +1 node_\")\" -ge " +
      (job.is_elastic() ? std::string(job.dialect.variables.node_count) : std::to_string(job.shape.nodes)) +
      " ]; do sleep 5; done";
  const std::string_view blank = in_container.empty() || in_container.ends_with(' ') ? "" : " ";
  job.line("# shellcheck disable=SC2016  # expanded where it runs");
  job.line(std::string(in_container) + std::string(blank) + "timeout 600 sh -c " + sh_word(ready) + " &");
  job.line("wait -n || { echo 'the Ray cluster did not start' >&2; exit 1; }");
}

}  // namespace

bool reads_ray_address(const Job& job, const model::EnvVar& variable) {
  const auto& references = variable.value.references;
  return job.runner() == model::Runner::ray &&
         std::any_of(references.begin(), references.end(),
                     [](const model::Reference& r) { return r.to == model::RefersTo::env && r.name == "RAY_ADDRESS"; });
}

void add_ray(Job& job, const std::string& program) {
  const bool pyxis = job.container.runtime == model::Containers::pyxis;
  const std::string cpus =
      job.shape.cpus ? std::to_string(*job.shape.cpus) : "\"" + std::string(job.dialect.variables.cpus) + "\"";
  const std::string flags = launcher_option_words(job), own = program_options(job);
  const std::string head = job.head();
  const bool shared = shares_nodes(job);
  const std::string port = shared ? job.port() : std::string(usual_port);
  std::string head_flags = shared ? "" : " --port=" + port;
  for (std::size_t i = 0; shared && i < std::size(head_ports); ++i) head_flags += " " + port_flag(head_ports[i], i);
  const std::string amounts = std::string(shared ? " \"${ray_ports[@]}\"" : "") + " --num-cpus=" + cpus +
                              " --num-gpus=" + std::to_string(job.shape.gpus) + (flags.empty() ? "" : " " + flags) +
                              " --block &";
  const std::string on_head = job.dialect.step(job, {1, 1, On::head, false});
  job.line("head_ip=$(getent ahostsv4 \"" + head + "\" | awk 'NR == 1 {print $1}')");
  job.line("export RAY_ADDRESS=\"${head_ip:?the head node has no address}:" + port + "\"");
  for (const model::EnvVar& variable : job.role.env)
    if (reads_ray_address(job, variable))
      job.line("export " + variable.name + "=" + text_word(job, variable.value, false));
  if (shared) job.line(port_array(job));
  job.line(start_with(
      on_head + own, container_prefix(job) + "ray start --head --node-ip-address=\"$head_ip\"" + head_flags + amounts));
  if (job.shape.nodes > 1)
    job.line(start_with(job.dialect.step(job, {job.shape.nodes - 1, 1, On::others, false}) + own,
                        container_prefix(job) + "ray start --address=\"$RAY_ADDRESS\"" + amounts));
  wait_for_ray(job, pyxis ? on_head : container_prefix(job));
  add_rank_0(job);
  add_run(job, start_with(pyxis ? on_head + own : "", signal_before_end(job) + container_prefix(job) + program), false);
}

}  // namespace muster::targets::batch
