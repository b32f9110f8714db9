// SLM038 background-not-awaited, SLM040 wait-for-server: programs that a script starts with `&`.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

using shell::Command;

// Nothing of the work: messages, the end of a script, lines that only set something.
bool is_silent(const Command& c) {
  return c.words.empty() ||
         is_one_of(c.program(), {"echo", "printf", "date", ":", "true", "exit", "set", "unset", "disown"});
}

// The outermost function, substitution or here-document aside: a command that the shell reaches from top to bottom.
bool is_main(const SlurmJob& job, const Command& c) {
  return c.inside < 0 && !c.after_exit && job.body.inside(c, shell::ScopeKind::function) == nullptr &&
         job.body.inside(c, shell::ScopeKind::substitution) == nullptr;
}

std::int32_t outermost(const SlurmJob& job, const Command& c) {
  std::int32_t at = c.scope;
  while (at >= 0 && job.body.scopes[static_cast<std::size_t>(at)].parent >= 0)
    at = job.body.scopes[static_cast<std::size_t>(at)].parent;
  return at;
}

// It runs beside the rest of the script: `c &`, `( c ) &`, `done &`.
bool runs_beside(const SlurmJob& job, const Command& c) {
  if (c.background) return true;
  for (std::int32_t s = c.scope; s >= 0; s = job.body.scopes[static_cast<std::size_t>(s)].parent)
    if (job.body.scopes[static_cast<std::size_t>(s)].background) return true;
  return false;
}

bool has_word(const SlurmJob& job, std::string_view word) {
  if (!job.triples.may_hold(word)) return false;
  const std::string_view text = job.text();
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_name_char(text[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || !is_name_char(text[end]))) return true;
  }
  return false;
}

// ---- SLM038 ------------------------------------------------------------------------------------------

// What a job runs beside its work; that it ends with the job is meant.
bool is_monitor(const Command& c) {
  return std::any_of(c.words.begin(), c.words.end(), [](const shell::Word& w) {
    return is_one_of(base_name(w.text), {"nvidia-smi", "tail", "sleep", "top", "vmstat", "dstat", "sar", "watch",
                                         "tensorboard", "gpustat", "iostat", "free", "rocm-smi"});
  });
}

void check_not_awaited(const SlurmJob& job) {
  if (!job.script.batch || has_word(job, "wait")) return;
  std::vector<const Command*> work;
  for (const Command& c : job.body.commands)
    if (is_main(job, c) && !is_silent(c) && !c.condition) work.push_back(&c);
  std::stable_sort(work.begin(), work.end(),
                   [](const Command* a, const Command* b) { return a->span.begin < b->span.begin; });
  if (work.empty() || !runs_beside(job, *work.back()) || is_monitor(*work.back())) return;
  // A loop or branch at the end may hold other commands, which run in the foreground.
  const std::int32_t last = outermost(job, *work.back());
  const bool alone = last < 0 || std::all_of(work.begin(), work.end(), [&](const Command* c) {
                       return outermost(job, *c) != last || runs_beside(job, *c) ||
                              is_one_of(c->program(), {"cd", "export", "mkdir", "let"});
                     });
  if (!alone) return;
  const Command& c = *work.back();
  Finding& f = job.wrong_at(RuleId::background_not_awaited, c.span, std::string(base_name(c.program())),
                            "the script ends without waiting for `" + printable(base_name(c.program()), 40) +
                                "`, so Slurm ends the job and kills it");
  f.notes.push_back("a job ends when its script does: add `wait` as the last line");
  if (job.body.inside(c, shell::ScopeKind::branch) != nullptr || c.conditional) f.severity = Severity::warning;
}

// ---- SLM040 ------------------------------------------------------------------------------------------

// A program that serves until it is ended.
bool is_server(const Command& c) {
  for (std::size_t i = 0; i < c.words.size(); ++i) {
    const std::string_view word = c.words[i].text, name = base_name(word);
    const std::string_view next = i + 1 < c.words.size() ? std::string_view(c.words[i + 1].text) : std::string_view{};
    if (is_one_of(name, {"vllm", "ollama", "mlflow", "trtllm-serve"}) && is_one_of(next, {"serve", "server"}))
      return true;
    if (word.starts_with("vllm.entrypoints.openai") || word == "sglang.launch_server" || word == "http.server")
      return true;
    if (is_one_of(name, {"redis-server", "tritonserver", "text-generation-launcher", "llama-server", "tensorboard",
                         "uvicorn", "gunicorn", "memcached", "mongod"}))
      return true;
    if (name == "ray" && next == "start")
      return std::any_of(c.words.begin(), c.words.end(), [](const shell::Word& w) { return w.text == "--block"; });
    if (name == "nvidia-smi")
      return std::any_of(c.words.begin(), c.words.end(), [](const shell::Word& w) {
        return is_one_of(w.text, {"-l", "dmon", "pmon", "-lms"}) || w.text.starts_with("--loop") ||
               w.text.starts_with("-l=");
      });
  }
  return false;
}

bool ends_programs(const SlurmJob& job) {
  for (const std::string_view word : {"kill", "pkill", "killall", "scancel", "trap", "jobs"})
    if (has_word(job, word)) return true;
  // `--timeout=30` is an option of a program that runs.
  if (!job.mentions("timeout")) return false;
  const std::string_view text = job.text();
  for (std::size_t at = text.find("timeout"); at != std::string_view::npos; at = text.find("timeout", at + 1)) {
    const std::size_t end = at + 7;
    const bool whole = (at == 0 || !is_name_char(text[at - 1])) && (end == text.size() || !is_name_char(text[end]));
    if (whole && (at == 0 || text[at - 1] != '-')) return true;
  }
  return false;
}

void check_wait_for_server(const SlurmJob& job) {
  if (ends_programs(job)) return;
  const Command* server = nullptr;
  std::vector<bool> starts(job.body.commands.size());
  for (const shell::Launch& l : job.body.launches) starts[l.command] = true;
  bool client = false;  // something that ends, behind the server
  for (const Command& c : job.body.commands) {
    if (!is_main(job, c)) continue;
    const bool whole_wait = c.program() == "wait" && c.words.size() == 1 && c.scope < 0;
    if (whole_wait && server != nullptr && client) {
      Finding& f =
          job.wrong_at(RuleId::wait_for_server, c.span, "wait",
                       "`wait` also waits for the server, which never ends, so the job runs until its time limit");
      f.labels.push_back({server->span, "started here"});
      f.notes.push_back(
          "end the server when the work is done: `server=$!` behind it, and `kill \"$server\"` in place of `wait`");
      return;
    }
    if (server == nullptr && runs_beside(job, c) && is_server(c)) server = &c;
    else if (server != nullptr && starts[static_cast<std::size_t>(&c - job.body.commands.data())] && !is_server(c))
      client = true;
  }
}

}  // namespace

void check_background(const SlurmJob& job) {
  if (job.meaning.components.empty() || !job.body.shell) return;
  check_not_awaited(job);
  check_wait_for_server(job);
}

}  // namespace muster::lint
