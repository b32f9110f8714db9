// SLM034 nodes-idle, SLM035 separate-trainings, SLM036 same-rank-everywhere: what runs on the nodes of a job, and as
// which of them.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "compiler/shell/launch_options.h"
#include "compiler/shell/programs.h"
#include "lint/rules/launch/script_job.h"
#include "targets/given_names.h"

namespace muster::lint {
namespace {

using targets::GivenName;

bool is_name_end(std::string_view text, std::size_t at) { return at >= text.size() || !is_name_char(text[at]); }

// ---- SLM034 ------------------------------------------------------------------------------------------

// Files that name the nodes: a finding would need to know who reads them.
constexpr auto node_files =
    std::to_array<std::string_view>({"hostfile", "HOSTFILE", "NODEFILE", "machinefile", "nodefile"});

// Words by which a script knows them: to start something there, or to meet at the first.
constexpr auto knows_nodes = std::to_array<std::string_view>({"hostnames", "NODELIST", "nodelist", "HOSTS"});

// One of small letters must begin where a word does: neither `array` speaks of Ray, nor `--model_parallel_size` of
// parallel, but `SLURM_JOB_NODELIST` does of nodes.
bool has_one_of(std::string_view text, std::span<const std::string_view> words) {
  const auto is_inside = [](char before) { return is_name_char(before) || before == '-'; };
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
      if (is_upper(word[0]) || word.ends_with("file") || at == 0 || !is_inside(text[at - 1])) return true;
    return false;
  });
}

// A program of the user's own, of which nothing is known: it may start something on the other nodes.
bool is_own_script(const shell::Command& c) {
  const std::string_view program = c.program();
  const bool text = shell::has_trait(program, shell::bourne);
  return (text && c.words.size() > 1) || program.ends_with(".sh") || program.starts_with("./");
}

// A step of one node, after which the next one begins.
bool runs_on_one_node(const ScriptJob& job, const slurm::Start& start) {
  const shell::Launch& launch = job.launch(start.launch);
  const shell::Command& c = job.command(launch);
  return launch.kind == shell::Launcher::srun && start.nodes.value == 1 && !c.background && !launch.het &&
         job.body.inside(c, shell::ScopeKind::loop) == nullptr &&
         job.body.inside(c, shell::ScopeKind::subshell) == nullptr;
}

void check_idle_nodes(const ScriptJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (job.meaning.components.size() > 1 || !c.nodes || c.nodes->min < 2 || !job.host.submitted) return;
  if (c.gpus_in_all.value == 0 || job.meaning.starts.empty()) return;
  const std::string_view text = job.sources().text(job.script.body);
  if (!shell::mentioned(text, shell::elsewhere).empty() || has_one_of(text, node_files) ||
      std::any_of(job.body.commands.begin(), job.body.commands.end(), is_own_script))
    return;
  for (const slurm::Start& start : job.meaning.starts)
    if ((start.step && !runs_on_one_node(job, start)) || job.launcher(start).kind == shell::Launcher::ray) return;
  const auto training =
      std::find_if(job.meaning.starts.begin(), job.meaning.starts.end(), [&](const slurm::Start& start) {
        const shell::Launch& launch = job.launcher(start);
        return row_of(launch.kind).trains || launch.kind == shell::Launcher::python;
      });
  if (training == job.meaning.starts.end()) return;
  const shell::Launch& launch = job.launcher(*training);
  const std::string launcher(name(launch.kind));
  const std::int64_t nodes = c.nodes->min, idle = nodes - 1;
  const std::int64_t joined = training->joined.span.known() ? training->joined.value.value_or(1) : 1;
  const bool in_loop = job.body.inside(job.command(launch), shell::ScopeKind::loop) != nullptr;
  if ((joined < 2 || in_loop) && has_one_of(text, knows_nodes)) return;
  Finding& f =
      job.wrong_at(RuleId::nodes_idle, launch.span, launcher,
                   joined > 1 ? "`" + launcher + "` waits for " + std::to_string(joined) +
                                    " nodes, but only the first node of the job runs it"
                              : "`" + launcher + "` only runs on one node; the other " +
                                    (idle == 1 ? "node stays" : std::to_string(idle) + " nodes stay") + " idle");
  f.notes.push_back("the batch script runs on the first node: start the program on all of them with `" +
                    std::string(job.is_of_slurm() ? "srun" : "mpirun") + "`");
  if (const Said* d = job.said(c.nodes.by); d != nullptr)
    f.labels.push_back({d->whole, "requests " + counted(nodes, "node")});
}

std::string processes(std::int64_t n) { return std::to_string(n) + (n == 1 ? " process" : " processes"); }

// ---- SLM035, K8S034 ----------------------------------------------------------------------------------

// Whether a command has a value that differs from task to task: it is then meant to run by itself in each.
bool differs_by_task(const ScriptJob& job, const shell::Launch& launch) {
  const std::string_view text = job.sources().text(job.command(launch).span);
  const auto has = [&](std::string_view name) { return text.find(name) != std::string_view::npos; };
  const auto differs = [&](const GivenName& name) { return tells_apart(name) && has(name.name); };
  const std::span<const GivenName> names = given_names(targets::BatchSystem::slurm);
  return has("hostname") || has("HOSTNAME") || std::any_of(names.begin(), names.end(), differs);
}

void train_apart(const ScriptJob& job, const shell::Launch& launch, std::int64_t pods) {
  if (!job.pods_apart || job.mentions("PET_") || job.mentions("MASTER_ADDR")) return;
  Finding& f =
      job.wrong_at(RuleId::pods_train_alone, launch.span, "torchrun",
                   "torchrun has no `--nnodes`, so each of the " + std::to_string(pods) + " pods trains by itself",
                   "the default is one node");
  if (const Said* d = job.said(job.meaning.job().nodes.by); d != nullptr)
    f.labels.push_back({d->whole, counted(pods, "pod")});
}

void check_separate(const ScriptJob& job, const slurm::Start& start) {
  const shell::Launch& inner = job.launcher(start);
  if (inner.kind != shell::Launcher::torchrun || !start.step || start.tasks_per_node.value != 1) return;
  const bool says_so =
      start.joined.span.known() || inner.option("standalone") != nullptr || may_have_more_options(inner);
  const std::int64_t nodes = start.nodes.value.value_or(1);
  if (nodes < 2 || start.joined.value != 1 || says_so || !start.forks.value || differs_by_task(job, inner)) return;
  if (job.host.is_container()) return train_apart(job, inner, nodes);
  const std::int64_t forks = *start.forks.value;
  Finding& f = job.wrong_at(RuleId::separate_trainings, inner.span, "torchrun",
                            "each of the " + std::to_string(nodes) + " nodes trains by itself, with a world of " +
                                processes(forks) + " instead of " + std::to_string(nodes * forks));
  f.notes.push_back("without `--nnodes`, `torchrun` takes 1");
  f.notes.push_back("write `--nnodes=" + (job.is_of_slurm() ? "$SLURM_NNODES" : std::to_string(nodes)) +
                    "`, and a `--rdzv-endpoint` on the first node");
  if (!job.surely_runs(start)) f.severity = Severity::warning;
}

// ---- SLM036 ------------------------------------------------------------------------------------------

// Where a text of double quotes or none has `$NAME` that the shell which reads the line replaces; npos if nowhere.
std::size_t replaced_here(std::string_view word, std::string_view name) {
  bool quoted = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '\\') ++i;
    else if (word[i] == '"') quoted = !quoted;
    else if (word[i] == '\'' && !quoted) i = std::min(word.find('\'', i + 1), word.size());
    else if (word[i] == '$' && i + 1 < word.size()) {
      const std::size_t at = i + 1 + (word[i + 1] == '{' ? 1 : 0);
      if (word.substr(at).starts_with(name) && is_name_end(word, at + name.size())) return i;
    }
  }
  return std::string_view::npos;
}

// A rendezvous that elects the ranks by itself, and ignores the option.
bool elects_ranks(const shell::Launch& launch) {
  const shell::LaunchOption* backend = launch.option("rdzv-backend");
  return backend != nullptr && !(backend->value && backend->value->literal && backend->value->text == "static");
}

// The value of such an option: nothing reads it.
bool is_unread_rank(const shell::Launch& inner, const shell::Word& word) {
  return elects_ranks(inner) &&
         std::any_of(inner.options.begin(), inner.options.end(), [&](const shell::LaunchOption& o) {
           return lists_name(shell::node_names(inner.kind).rank, o.name) && o.value &&
                  o.value->span.begin >= word.span.begin && o.value->span.begin < word.span.end;
         });
}

// `worker_$SLURM_PROCID.sh`, a file that the batch script names alike elsewhere.
bool is_own_file(const ScriptJob& job, std::string_view spelling) {
  if (spelling.find_first_of("./") == std::string_view::npos) return false;
  const std::size_t first = job.text.find(spelling);
  return first != std::string_view::npos && job.text.find(spelling, first + 1) != std::string_view::npos;
}

// What counts the nodes or processes that have such a rank, which is 0 in the batch script; nullptr: it is no rank.
const shell::Count* counted_by(const slurm::Start& start, targets::Given rank) {
  switch (rank) {
    case targets::Given::node_rank: return &start.nodes;
    case targets::Given::local_rank: return &start.tasks_per_node;
    case targets::Given::process_rank: return &start.tasks;
    default: return nullptr;
  }
}

// `srun program --rank $SLURM_PROCID`: the batch script's shell fills it in before `srun` starts.
void check_early_rank(const ScriptJob& job, const shell::Launch& launch, const slurm::Start& start) {
  if (job.command(launch).inside >= 0 || job.script.expanded) return;
  for (const shell::Word& word : launch.program) {
    if (!word.span.known() || word.span.file != job.script.file) continue;
    const std::string_view spelling = job.sources().text(word.span);
    for (const GivenName& row : given_names(targets::BatchSystem::slurm)) {
      const std::string_view rank = row.name;
      const shell::Count* differs = counted_by(start, row.meaning);
      if (differs == nullptr) continue;
      const std::size_t at = replaced_here(spelling, rank);
      const std::int64_t several = differs->value.value_or(1);
      if (at == std::string_view::npos || several < 2) continue;
      if (is_unread_rank(job.launcher(start), word) || is_own_file(job, spelling)) continue;
      const auto begin = word.span.begin + static_cast<std::uint32_t>(at);
      const std::uint32_t end =
          begin + static_cast<std::uint32_t>(spelling[at + 1] == '{' ? 3 : 1) + static_cast<std::uint32_t>(rank.size());
      Finding& f = job.wrong_at(
          RuleId::same_rank_everywhere, {word.span.file, begin, std::min(end, word.span.end)}, std::string(rank),
          "the batch script replaces `$" + std::string(rank) + "` with 0 before `srun` starts its " +
              counted(start.tasks.value.value_or(several), "task"));
      f.notes.push_back("let a shell of each task replace it: srun bash -c '… $" + std::string(rank) + "'");
      return;
    }
  }
}

// `--node_rank=0`, on each of several nodes that meet at one address.
void check_fixed_rank(const ScriptJob& job, const slurm::Start& start) {
  const shell::Launch& inner = job.launcher(start);
  if (!start.step || start.nodes.value.value_or(1) < 2 || start.joined.value == 1) return;
  if (elects_ranks(inner)) return;
  for (const std::string_view name : names_in(shell::node_names(inner.kind).rank)) {
    const shell::LaunchOption* option = inner.option(name);
    if (option == nullptr || !option->value || !option->value->literal || !all_digits(option->value->text)) continue;
    Finding& f = job.wrong_at(RuleId::same_rank_everywhere, option->span, std::string(name),
                              "each of the " + std::to_string(*start.nodes.value) + " " + std::string(job.host.node()) +
                                  "s runs with `--" + std::string(name) + "` " + option->value->text);
    f.notes.push_back(
        job.is_of_slurm()
            ? "the rank of a node is `$SLURM_NODEID`, which a shell on the node must replace: srun bash -c '…'"
        : job.pod_rank.empty()
            ? "each " + std::string(job.host.node()) + " needs a rank of its own, which a shell there must fill in"
            : "the rank of a pod is `$(" + std::string(job.pod_rank) + ")`");
    if (!job.surely_runs(start)) f.severity = Severity::warning;
  }
}

}  // namespace

void check_nodes(const ScriptJob& job) {
  if (!job.host.is_container()) check_idle_nodes(job);
  const bool joined_elsewhere = job.mentions("PET_NNODES");
  std::vector<bool> seen(job.body.launches.size());
  for (const slurm::Start& start : job.meaning.starts) {
    if (start.launch < 0) continue;
    if (!joined_elsewhere) check_separate(job, start);
    check_fixed_rank(job, start);
    if (seen[static_cast<std::size_t>(start.launch)] || !start.step) continue;
    seen[static_cast<std::size_t>(start.launch)] = true;
    if (job.launch(start.launch).kind == shell::Launcher::srun) check_early_rank(job, job.launch(start.launch), start);
  }
}

}  // namespace muster::lint
