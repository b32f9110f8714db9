// SLM003 rdzv-endpoint, SLM012 fixed-master-port: how the processes of a job find each other.
#include <algorithm>
#include <map>

#include "compiler/base/text.h"
#include "lint/rules/launch/script_job.h"

namespace muster::lint {
namespace {

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1" || host == "0.0.0.0";
}

// "node1:29500" without its port.
std::string_view host_of(std::string_view endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  return colon == std::string_view::npos || endpoint.find(':') != colon ? endpoint : endpoint.substr(0, colon);
}

bool is_port(std::string_view text) { return text.size() >= 4 && text.size() <= 5 && all_digits(text); }

// The start that each launch belongs to; nullptr if none.
std::vector<const slurm::Start*> starts_of(const ScriptJob& job) {
  std::vector<const slurm::Start*> out(job.body.launches.size());
  for (const slurm::Start& start : job.meaning.starts)
    for (const std::int32_t index : {start.launch, start.inner})
      if (index >= 0 && out[static_cast<std::size_t>(index)] == nullptr) out[static_cast<std::size_t>(index)] = &start;
  return out;
}

// ---- SLM003 ------------------------------------------------------------------------------------------

constexpr std::string_view own_host_forms[] = {"$(hostname", "`hostname", "$HOSTNAME", "${HOSTNAME}"};

bool names_own_host(std::string_view value) {
  return std::any_of(std::begin(own_host_forms), std::end(own_host_forms),
                     [&](std::string_view form) { return value.find(form) != std::string_view::npos; });
}

// The texts for `bash -c` of which a shell on each of several nodes fills in `$(hostname)`, and the number of nodes. In
// double quotes the batch script's shell does it before, which is right, unless a backslash keeps it from that.
std::map<std::int32_t, std::int64_t> texts_on_nodes(const ScriptJob& job) {
  std::map<std::int32_t, std::int64_t> out;
  for (const slurm::Start& start : job.meaning.starts) {
    if (start.launch < 0) continue;
    const shell::Launch& launch = job.body.launches[static_cast<std::size_t>(start.launch)];
    if (launch.kind == shell::Launcher::srun && start.nodes.value.value_or(1) > 1)
      out[static_cast<std::int32_t>(launch.command)] = *start.nodes.value;
  }
  std::erase_if(out, [&](const auto& entry) {
    const shell::Command& outer = job.body.commands[static_cast<std::size_t>(entry.first)];
    return std::none_of(outer.words.begin(), outer.words.end(), [&](const shell::Word& word) {
      const std::string_view text = job.sources().text(word.span);
      if (text.starts_with('\'')) return names_own_host(text);
      return std::any_of(std::begin(own_host_forms), std::end(own_host_forms), [&](std::string_view form) {
        return text.find("\\" + std::string(form)) != std::string_view::npos;
      });
    });
  });
  return out;
}

void check_own_host(const ScriptJob& job, const shell::Command& command, std::string_view name,
                    const shell::Word& value, const std::map<std::int32_t, std::int64_t>& texts) {
  const auto nodes = name == "MASTER_ADDR" ? texts.find(command.inside) : texts.end();
  if (nodes == texts.end() || !names_own_host(value.text)) return;
  Finding& f = job.wrong_at(RuleId::rdzv_endpoint, value.span, std::string(name),
                            "`" + printable(value.text, 60) + "` resolves to a different host on each of the " +
                                std::to_string(nodes->second) + " nodes");
  if (!job.body.unconditional(command)) f.severity = Severity::warning;  // one node alone may run it
  f.notes.push_back(
      "in the batch script, before `srun`: head=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)");
}

void check_own_hosts(const ScriptJob& job, const std::map<std::int32_t, std::int64_t>& texts) {
  if (texts.empty()) return;
  for (const shell::Command& c : job.body.commands)
    for (const shell::Assignment& a : c.assignments) check_own_host(job, c, a.name, a.value, texts);
  for (const shell::Export& e : job.body.exports)
    if (e.value) check_own_host(job, job.body.commands[e.command], e.name, *e.value, texts);
}

// A command that prints the name of the job's first node.
std::string_view first_node(const ScriptJob& job) {
  return job.is_of_slurm() ? "scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1"
         : job.host.system == targets::batch::System::lsf ? "head -n 1 \"$LSB_DJOB_HOSTFILE\""
                                                          : "head -n 1 \"$PBS_NODEFILE\"";
}

// A launcher that joins processes of several nodes at an address that each node takes for itself.
void check_endpoint(const ScriptJob& job, const shell::Launch& launch, const slurm::Start* start,
                    const std::map<std::int32_t, std::int64_t>& texts) {
  if (start == nullptr || !start->nodes.value || *start->nodes.value < 2) return;
  if (launch.nodes.stated() && launch.nodes.value.value_or(2) < 2) return;  // each node for itself, and it says so
  if (launch.kind == shell::Launcher::torchrun && !launch.nodes.stated()) return;  // one node is torchrun's default
  for (const std::string_view name : names_in(row_of(launch.kind).addresses)) {
    const shell::LaunchOption* option = launch.option(name);
    if (option == nullptr || !option->value) continue;
    const shell::Word& word = *option->value;
    const bool fallback = !word.literal && (word.text.find(":-localhost") != std::string::npos ||
                                            word.text.find(":-127.0.0.1") != std::string::npos);
    const bool own = texts.contains(job.command(launch).inside) && names_own_host(word.text);
    if (!fallback && !own && !(word.literal && is_loopback(host_of(word.text)))) continue;
    const std::string nodes = std::to_string(*start->nodes.value);
    Finding& f = job.wrong_at(RuleId::rdzv_endpoint, word.span, std::string(name),
                              fallback ? "the address falls back to the local host, so on " + nodes + " " +
                                             std::string(job.host.node()) + "s each waits for the others"
                                       : "`" + word.text + "` resolves to a different host on each of the " + nodes +
                                             " " + std::string(job.host.node()) + "s");
    f.notes.push_back(job.host.is_container() ? "use the name of the first pod, which a headless Service gives it"
                                              : "use the first node: `$(" + std::string(first_node(job)) + ")`");
    if (fallback || !start->unconditional) f.severity = Severity::warning;
  }
}

// ---- SLM012 ------------------------------------------------------------------------------------------

// The port at the end of an endpoint, whose host may be `$head_node`; empty if a variable or nothing is there.
std::string_view fixed_port(std::string_view endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view port = endpoint.substr(colon + 1);
  return is_port(port) ? port : std::string_view{};
}

// Whether several jobs or tasks can share a node.
enum class Shares { no, yes, unknown };

Shares shares_nodes(const ScriptJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (c.exclusive && *c.exclusive == slurm::Exclusive::node) return Shares::no;
  if (c.memory && c.memory->all) return Shares::no;
  if (c.array && c.array->count > 1 && c.array->throttle != 1) return Shares::yes;
  if (job.context.fleet == nullptr || !c.gpus_a_node.value) return Shares::unknown;
  std::int64_t smallest = 0;
  for (const model::Pool& pool : job.context.fleet->pools)
    if (pool.gpu && (smallest == 0 || pool.gpu->count < smallest)) smallest = pool.gpu->count;
  return smallest > *c.gpus_a_node.value ? Shares::yes : Shares::unknown;
}

void add_port(const ScriptJob& job, std::string_view port, Span where) {
  const Shares shares = shares_nodes(job);
  if (shares == Shares::no || (shares == Shares::unknown && !job.is_of_slurm())) return;
  const std::string text = "port `" + std::string(port) + "` is fixed: ";
  Finding& f =
      shares == Shares::yes
          ? job.wrong_at(RuleId::fixed_master_port, where, "MASTER_PORT",
                         text + "two of these jobs on the same node conflict")
          : job.cannot_tell_at(
                RuleId::fixed_master_port, where, "MASTER_PORT",
                text + "whether another job can share the node cannot be checked without a site or `--exclusive`");
  f.needs_site = f.verdict == Verdict::unclear;
  f.notes.push_back(job.is_of_slurm() ? "derive the port from the job: `MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))`"
                                      : "derive the port from the index of the task in its array");
}

void check_ports(const ScriptJob& job) {
  for (const shell::Export& e : job.body.exports)
    if (e.name == "MASTER_PORT" && e.value && e.value->literal && is_port(e.value->text))
      return add_port(job, e.value->text, e.span);
  for (const shell::Launch& launch : job.body.launches) {
    const shell::LauncherRow& row = row_of(launch.kind);
    for (const std::string_view name : names_in(row.ports)) {
      const shell::LaunchOption* option = launch.option(name);
      if (option != nullptr && option->value && option->value->literal && is_port(option->value->text))
        return add_port(job, option->value->text, option->span);
    }
    const shell::LaunchOption* endpoint = row.ports.empty() ? nullptr : launch.option("rdzv-endpoint");
    if (endpoint == nullptr || !endpoint->value) continue;
    const std::string_view port = fixed_port(endpoint->value->text);
    if (!port.empty()) return add_port(job, port, endpoint->span);
  }
}

}  // namespace

void check_network(const ScriptJob& job) {
  const std::vector<const slurm::Start*> starts = starts_of(job);
  const auto texts = texts_on_nodes(job);
  for (std::size_t i = 0; i < starts.size(); ++i) check_endpoint(job, job.body.launches[i], starts[i], texts);
  check_own_hosts(job, texts);
  if (!job.host.is_container()) check_ports(job);  // a pod has ports of its own
}

}  // namespace muster::lint
