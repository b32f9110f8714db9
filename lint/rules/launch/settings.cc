// NET002 nccl-transport-unchecked, NET003 nccl-forced-tcp, NET005 nccl-loopback, CKP002 checkpoint-not-shared: what
// single words of a script say of its network and its checkpoints. All rest on its text.
#include <algorithm>

#include "compiler/base/text.h"
#include "lint/heuristics.h"
#include "lint/rules/launch/script_job.h"

namespace muster::lint {
namespace {

// ---- NET002, NET003, NET005 ----------------------------------------------------------------------------------

// Names that programs read which see or say what NCCL talks over.
bool checks_transport(const ScriptJob& job) {
  return std::any_of(transport_checks.begin(), transport_checks.end(),
                     [&](std::string_view w) { return job.mentions(w); });
}

// A program that mpirun starts has NCCL only where it is one of Python, as far as the script shows.
bool has_nccl(const ScriptJob& job) {
  return std::any_of(job.body.launches.begin(), job.body.launches.end(), [](const shell::Launch& l) {
    return row_of(l.kind).trains || (l.kind == shell::Launcher::mpirun && program_of(l).starts_with("python"));
  });
}

void check_transport(const ScriptJob& job) {
  if (!couples_nodes(job) || !has_nccl(job) || checks_transport(job)) return;
  const slurm::Component& c = job.meaning.job();
  job.wrong(RuleId::nccl_transport_unchecked, c.nodes.by,
            "nothing in the script shows which network NCCL uses, so a fallback to TCP goes unnoticed");
}

// EFA is no InfiniBand: NCCL's own support of it is switched off there on purpose.
bool uses_efa(const ScriptJob& job) {
  const auto one = [](const std::string& name, const shell::Word& value) { return selects_efa(name, value.text); };
  for (const shell::Export& e : job.body.exports)
    if (e.value && one(e.name, *e.value)) return true;
  for (const shell::Command& c : job.body.commands)
    for (const shell::Assignment& a : c.assignments)
      if (one(a.name, a.value)) return true;
  return false;
}

// `export NCCL_IB_DISABLE=1  # this cluster has no InfiniBand`
bool is_commented(const ScriptJob& job, Span where) {
  const std::string line = lower(job.sources().text(whole_line(job.sources(), where)));
  const std::size_t comment = line.find(" #");
  return comment != std::string::npos && line.find("infiniband", comment) != std::string::npos &&
         (line.find(" no ", comment) != std::string::npos || line.find(" not ", comment) != std::string::npos);
}

void add_forced(const ScriptJob& job, std::string_view name, const shell::Word& value, Span where) {
  if (!value.literal || !forces_tcp(name, value.text)) return;
  if (name == "NCCL_IB_DISABLE" && (uses_efa(job) || is_commented(job, where))) return;
  const auto pools = pools_of(job);
  if (!pools.empty() && std::none_of(pools.begin(), pools.end(), [](const model::Pool* p) { return has_rdma(*p); }))
    return;
  Finding& f = job.wrong_at(RuleId::nccl_forced_tcp, where, std::string(name),
                            "`" + std::string(name) + "=" + printable(value.text, 40) + "` sends the traffic of " +
                                std::to_string(job.meaning.job().nodes->min) + " nodes over TCP");
  if (pools.empty()) f.severity = Severity::warning;  // the cluster may have nothing else
  else f.labels.push_back({job.head(), "its nodes have " + pools.front()->fabric});
}

// NET005. Not an error where a branch may leave it out.
void add_loopback(const ScriptJob& job, std::string_view name, const shell::Word& value, Span where, bool sure) {
  if (!value.literal || !is_local_interface(name, value.text)) return;
  Finding& f = job.wrong_at(RuleId::nccl_loopback, where, std::string(name),
                            "`" + std::string(name) + "` selects `" + printable(value.text, 40) +
                                "`, which the other nodes of the job cannot reach");
  if (!sure) f.severity = Severity::warning;
}

void check_network_settings(const ScriptJob& job) {
  if (!couples_nodes(job)) return;
  for (const shell::Export& e : job.body.exports)
    if (e.value) {
      add_forced(job, e.name, *e.value, e.span);
      add_loopback(job, e.name, *e.value, e.span, e.unconditional);
    }
  for (const shell::Command& c : job.body.commands)
    if (!c.words.empty() && c.program() != "export")
      for (const shell::Assignment& a : c.assignments) {
        add_forced(job, a.name, a.value, a.value.span);
        add_loopback(job, a.name, a.value, a.value.span, job.body.unconditional(c));
      }
}

// ---- CKP002 ------------------------------------------------------------------------------------------

void check_saved_where(const ScriptJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (!c.nodes || c.nodes->min < 2) return;
  for (const shell::Launch& launch : job.body.launches)
    for (std::size_t i = 0; i < launch.program.size(); ++i) {
      const shell::Word& word = launch.program[i];
      const std::size_t equals = word.text.find('=');
      const bool last = equals == std::string::npos && i + 1 == launch.program.size();
      if (!is_checkpoint_option(std::string_view(word.text).substr(0, equals)) || last) continue;
      const shell::Word& value = equals == std::string::npos ? launch.program[i + 1] : word;
      const std::string_view path =
          equals == std::string::npos ? std::string_view(value.text) : std::string_view(word.text).substr(equals + 1);
      if (!is_node_local(path)) continue;
      job.wrong_at(RuleId::checkpoint_not_shared, value.span, "checkpoint",
                   "`" + printable(path, 80) + "` is a different folder on each of the " +
                       std::to_string(c.nodes->min) + " nodes and is lost when the job ends")
          .severity = Severity::warning;
    }
}

}  // namespace

void check_settings(const ScriptJob& job) {
  check_transport(job);
  check_network_settings(job);
  check_saved_where(job);
}

}  // namespace muster::lint
