#include <algorithm>

#include "compiler/base/text.h"
#include "targets/batch/sections.h"
#include "targets/contract/launch.h"
#include "targets/shell.h"

namespace muster::targets::batch {
namespace {

using model::RetryOn;

bool retries(const Job& job) { return job.workload.retry && job.workload.retry->limit.value != 0; }
bool limits_attempts(const Job& job) {
  return retries(job) && job.workload.retry->limit.value != model::Retry::unlimited;
}
bool counts_attempts(const Job& job) { return limits_attempts(job) && !job.dialect.variables.restarts.empty(); }

bool retries_on(const Job& job, RetryOn reason) {
  if (!retries(job)) return false;
  const auto& on = job.workload.retry->on;
  return std::any_of(on.begin(), on.end(), [&](const auto& r) { return r.value == reason; });
}

std::string limit_of(const Job& job) { return std::to_string(job.workload.retry->limit.value); }

bool has_lead(const Job& job) { return job.workload.stop && job.workload.stop->lead.value.ms > 0; }

// Whether the system sends the signal, to the job's shell.
bool leads(const Job& job) { return has_lead(job) && job.dialect.ask_warning != nullptr; }

// Whether the user asks for a signal to the batch shell alone, whose own text then decides what it means.
bool asks_shell_signal(const Job& job) {
  const std::string_view asks = job.dialect.shell_signal;
  return !asks.empty() && !leads(job) &&
         std::any_of(job.directives.begin(), job.directives.end(),
                     [&](const std::string& directive) { return directive.starts_with(asks); });
}

// Whether a preempted program is told to end while its job still has the nodes. The system tells what the steps of the
// job started and, with `lead`, the batch shell; what that shell itself runs goes on until the job is requeued.
bool ends_when_preempted(const Job& job) {
  if (!retries_on(job, RetryOn::preemption) || job.dialect.restart.preempted.empty()) return false;
  if (leads(job) || has_parts(job.plan) || starts_in_step(job) || job.runner() == model::Runner::ray) return true;
  if (job.runner() == model::Runner::batch_script) return !asks_shell_signal(job);
  const auto* script = job.role.program ? std::get_if<model::Script>(&job.role.program->value) : nullptr;
  return script != nullptr && script->bytes.find(job.dialect.starter) != std::string::npos && !asks_shell_signal(job);
}

// The condition under which an ended program gets another attempt, in bash; "" if none.
std::string again_condition(const Job& job, bool step) {
  if (job.dialect.restart.command.empty()) return {};  // the system does, or refuses to
  std::vector<std::string> reasons;
  if (retries_on(job, RetryOn::failure)) reasons.push_back("[ \"$rc\" -ne 0 ]");
  if (retries_on(job, RetryOn::exit_codes)) {
    std::string codes = " ";
    for (const auto& code : job.workload.retry->exit_codes) codes += std::to_string(code.value) + " ";
    reasons.push_back("[[ \"" + codes + "\" == *\" " + (step ? "$code" : "$rc") + " \"* ]]");
  }
  if (retries_on(job, RetryOn::timeout)) reasons.push_back("[ -n \"$stopped\" ]");
  std::string any;
  for (const std::string& reason : reasons) any += (any.empty() ? "" : " || ") + reason;
  if (reasons.size() > 1) any = "{ " + any + "; }";
  return any;
}

std::string requeue_words(const Job& job) {
  return std::string(job.dialect.restart.command) + " " + std::string(job.dialect.restart.id);
}

// The condition that another attempt is allowed, in bash.
std::string attempts_left(const Job& job) {
  if (!counts_attempts(job)) return ":";
  return "[ \"" + std::string(job.dialect.variables.restarts) + "\" -lt " + limit_of(job) + " ]";
}

void add_again(Job& job, const std::string& condition, bool step) {
  // The step's own code may be that of a task which was ended because another one failed.
  const bool recorded = job.keeps_record() && step;
  if (recorded) job.line("code=$(cat \"$record\" 2>/dev/null || echo \"$rc\")  # of the task that failed first");
  const std::string open = leads(job) ? " && [ -z \"$final\" ]" : "";
  // A cancelled program may end before the signal reaches this shell, so the system is asked as well.
  job.line("if " + attempts_left(job) + open + " && " + condition + " &&");
  job.line("  " + std::string(job.dialect.restart.running) + "; then " + requeue_words(job) + "; fi");
  job.line(recorded ? "exit \"$code\"" : "exit \"$rc\"");
}

// USR1 comes to this shell alone and is passed on: to steps through the system, to a process through its
// group. TERM (the time limit, a cancelled job) the system sends to all processes of the job itself; this shell must
// outlive the program, and a job that the system ends gets no other attempt from here.
void add_traps(Job& job, bool step, bool again) {
  const std::string signal = sh_word(job.workload.stop->signal.value);
  const std::string forward =
      step ? job.dialect.signal_steps(signal) + " || :" : "kill -s " + signal + " -- \"-$pid\" 2>/dev/null || :";
  const std::string mark = retries_on(job, RetryOn::timeout) ? "stopped=1; " : "";
  job.line("trap '" + mark + forward + "' USR1; trap " + (again ? "final=1" : ":") + " TERM");
}

void run_with_stop(Job& job, const std::string& command, bool step, const std::string& again) {
  if (!again.empty()) job.line(retries_on(job, RetryOn::timeout) ? "stopped='' final=''" : "final=''");
  // A process group of its own, so that the signal reaches all of the program and not this shell.
  job.line(step ? command + " & pid=$!" : "set -m; " + command + " & pid=$!; set +m");
  add_traps(job, step, !again.empty());
  job.line("while kill -0 \"$pid\" 2>/dev/null; do wait \"$pid\" || :; done  # a trap ends a wait early");
  if (again.empty()) return job.line("wait \"$pid\"");
  job.line("rc=0; wait \"$pid\" || rc=$?");
  add_again(job, again, step);
}

}  // namespace

namespace {

// The exit codes after which the system starts the job again; "": none.
std::string exit_codes(const Job& job) {
  if (retries_on(job, RetryOn::failure)) return std::string(job.dialect.restart.any_failure);
  std::string codes;
  if (retries_on(job, RetryOn::exit_codes))
    for (const auto& code : job.workload.retry->exit_codes)
      codes += (codes.empty() ? "" : " ") + std::to_string(code.value);
  return codes;
}

// Of a system that starts a job again after exit codes, but counts no attempts. False: refused.
bool report_restarts_by_code(Job& job) {
  const std::string codes = exit_codes(job), as = spelt(job.dialect.restart.on_exit, codes);
  if (codes.empty()) return true;
  if (limits_attempts(job)) {
    job.refuse(Field::retry_limit, job.system() + " restarts a job after its exit code without a limit of its own",
               "write `limit = unlimited`, or restart the program in the script");
    return false;
  }
  if (retries_on(job, RetryOn::exit_codes)) job.exact(Field::retry_exit_codes, as);
  return true;
}

// Of a system that starts a job again for its own reasons alone.
void report_restarts_of_system(Job& job) {
  const std::string flag(job.dialect.restart.again);
  const bool by_code = !job.dialect.restart.on_exit.empty();
  for (const auto& [reason, field] : {std::pair{RetryOn::failure, Field::retry_on},
                                      {RetryOn::timeout, Field::retry_on},
                                      {RetryOn::exit_codes, Field::retry_exit_codes}})
    if (retries_on(job, reason) && (!by_code || reason == RetryOn::timeout)) {
      job.refuse(field,
                 job.system() + " starts a job again after a node failure" +
                     (by_code ? ", a preemption or an exit code only" : " or a preemption only"),
                 "write `on = [node-failure, preemption]`, or restart the program in the script");
      return;
    }
  if (!report_restarts_by_code(job)) return;
  if (limits_attempts(job))
    job.approximated(Field::retry_limit, flag, job.system() + " does not report to a job how often it was restarted");
  else job.exact(Field::retry_limit, flag);
  job.approximated(Field::retry_on, flag, job.system() + " does not distinguish node failure and preemption");
}

// Of a system that writes the files of a job anew each time.
void report_log_mode(Job& job) {
  const auto& logs = job.workload.logs;
  if (!logs || !logs->append || job.dialect.restart.adds_to_logs) return;
  if (logs->append->value)
    job.refuse_at(logs->append->span, Field::logs_append, job.system() + " does not append to the files of a job",
                  "remove `append`; `{id}` in the name keeps the files of each job");
  else job.read(Field::logs_append, job.system() + ", which writes the files of each job anew");
}

// Where the system sends no signal before the end.
void report_timer(Job& job, const model::Stop& stop) {
  const auto limit = model::limit_of(job.workload, job.plan.queue);
  if (!limit)
    return job.refuse_at(
        stop.lead.span, Field::stop_lead,
        job.system() + " " + std::string(job.dialect.no_warning) + ", and `timeout` needs to know the time limit",
        "write `time-limit`");
  std::string note = job.system() + " " + std::string(job.dialect.no_warning) +
                     "; that of `timeout` does not come before a preemption";
  for (const plan::RolePlan& role : job.plan.roles)
    if (const std::string torch =
            contract::torch_note(job.workload, role.role->launch.runner.value, stop.lead.value.seconds_up());
        !torch.empty() && note.find(torch) == std::string::npos)
      note += "; " + torch;
  job.approximated(Field::stop_lead, "timeout", note);
}

}  // namespace

void report_retry(Job& job) {
  if (!job.workload.retry) return;
  const model::Retry& retry = *job.workload.retry;
  if (retry.backoff)
    job.refuse_at(retry.backoff->span, Field::retry_backoff,
                  job.system() + " does not support a backoff before it requeues", "remove `backoff`");
  if (!retries(job)) return;
  if (job.dialect.restart.command.empty()) return report_restarts_of_system(job);
  if (retries_on(job, RetryOn::timeout) && !leads(job))
    job.refuse(Field::retry_on, "a job ends at its time limit, so it must get a signal before",
               "add `stop { lead = 5m }` with the time that the program needs to save and exit");
  const std::string flag(job.dialect.restart.again), command(job.dialect.restart.command);
  const bool asks = ends_when_preempted(job) || !again_condition(job, false).empty();
  const std::string as = asks ? flag + " and " + command : flag;
  std::string limit =
      "node failure and preemption requeue without a limit; the job script ends an attempt above the limit";
  if (retries_on(job, RetryOn::preemption) && asks_shell_signal(job))
    limit += "; a preempted script that exits within the partition's grace time is not retried";
  std::string on = job.system() + " does not distinguish node failure and preemption; both requeue";
  if (retries_on(job, RetryOn::timeout)) on += "; a program that does not exit within `lead` is not retried";
  if (counts_attempts(job)) job.approximated(Field::retry_limit, as, limit);
  else if (limits_attempts(job))
    job.approximated(Field::retry_limit, as, job.system() + " does not report to a job how often it was restarted");
  else job.exact(Field::retry_limit, as);
  job.approximated(Field::retry_on, as, on);
  job.exact(Field::retry_exit_codes, command);
}

// Another attempt has the same job id and would write over the log of the one before. Attempts that
// muster does not count are the system's, and so is what becomes of their logs.
bool appends_logs(const Job& job) {
  const auto& logs = job.workload.logs;
  return logs && logs->append ? logs->append->value : counts_attempts(job);
}

void add_retry_directives(Job& job) {
  const auto& logs = job.workload.logs;
  const Restart& restart = job.dialect.restart;
  if (job.workload.retry_default) {
    job.read(Field::retry, "nothing is written, so the cluster's own setting holds");
  } else {
    const std::size_t before = job.directives.size();
    job.dialect.add_flag(job, retries(job) ? restart.again : restart.once, Field::retry_limit);
    if (!retries(job) && job.directives.size() > before) job.exact(Field::retry_limit, restart.once);
    else if (!retries(job))
      job.approximated(Field::retry_limit, "nothing",
                       "after a node failure " + job.system() + " runs the task of an array again");
    if (!retries(job)) report_no_retry(job);
    if (const std::string codes = exit_codes(job); !codes.empty() && !restart.on_exit.empty())
      job.dialect.add_option(job, restart.on_exit, codes, Field::retry_on);
  }
  if (restart.log_mode.empty()) return report_log_mode(job);
  const bool append = appends_logs(job);
  const std::string_view mode = append ? restart.append : restart.truncate;
  if (append || (logs && logs->append)) job.dialect.add_option(job, restart.log_mode, mode, Field::logs_append);
  job.exact(Field::logs_append, std::string(restart.log_mode) + "=" + std::string(mode));
}

std::string signal_before_end(const Job& job) {
  const auto limit = model::limit_of(job.workload, job.plan.queue);
  if (!has_lead(job) || leads(job) || !limit) return {};
  const std::int64_t seconds = limit->value.seconds_up() - job.workload.stop->lead.value.seconds_up();
  return "timeout --preserve-status -s " + sh_word(job.workload.stop->signal.value) + " $((" + std::to_string(seconds) +
         " - SECONDS)) ";
}

void add_stop_directives(Job& job) {
  if (!job.workload.stop) return;
  const model::Stop& stop = *job.workload.stop;
  const auto letter = [](char c) { return is_upper(c) || is_digit(c) || c == '+' || c == '-'; };
  if (stop.signal.value.empty() || !std::all_of(stop.signal.value.begin(), stop.signal.value.end(), letter))
    return job.refuse_at(stop.signal.span, Field::stop_signal,
                         "write the signal in capitals without `SIG`: `TERM`, `USR1`");
  const std::int64_t seconds = stop.lead.value.seconds_up();
  if (seconds > 0 && job.dialect.ask_warning == nullptr) {
    report_timer(job, stop);
  } else if (seconds > 0 && !job.dialect.ask_warning(job, seconds)) {
    return;
  }
  if (seconds == 0) job.read(Field::stop_lead, "no signal before the time limit");
  const std::string own(job.dialect.end_signal);
  if (seconds > 0 || stop.signal.value == own)
    seconds > 0 ? job.exact(Field::stop_signal, leads(job) ? "the trap" : "timeout -s " + stop.signal.value)
                : job.read(Field::stop_signal, job.system() + "'s own " + own);
  else
    job.approximated(Field::stop_signal, "nothing",
                     "without `lead`, " + job.system() + " ends the program with " + own);
  job.approximated(Field::stop_grace, "nothing",
                   "the time between TERM and KILL is the site's " + std::string(job.dialect.after_term));
}

void add_attempt_guard(Job& job) {
  if (!counts_attempts(job)) return;
  job.line("if [ \"" + std::string(job.dialect.variables.restarts) + "\" -gt " + limit_of(job) +
           " ]; then echo 'no attempts left' >&2; exit 1; fi");
}

std::string requeue_when_preempted(const Job& job) {
  if (!ends_when_preempted(job)) return {};
  const std::string left = counts_attempts(job) ? attempts_left(job) + " && " : "";
  return "if " + left + std::string(job.dialect.restart.preempted) + "; then " + requeue_words(job) + "; fi";
}

bool ends_with_program(const Job& job) { return !leads(job) && again_condition(job, false).empty(); }

void add_run(Job& job, const std::string& command, bool step) {
  job.launched = command;
  if (job.part.is_part()) return job.line(command);  // the job as a whole gets the signal and is retried
  const std::string again = again_condition(job, step);
  if (leads(job)) return run_with_stop(job, command, step, again);
  // A batch script takes the shell's place, so that signals meant for it (--signal=B:…) reach its own traps.
  // A shell with a folder to remove stays beside it, unless the user asks for a signal to the batch shell.
  const bool replaces = job.runner() == model::Runner::batch_script && !ends_when_preempted(job) &&
                        (!job.own.tmp || asks_shell_signal(job));
  if (again.empty()) return job.line(replaces ? "exec " + command : command);
  job.line("rc=0");
  // Left of `||` bash would not end a role's shell at its first error: as a process of its own it does.
  job.line(has_parts(job.plan) ? command + " & wait \"$!\" || rc=$?" : command + " || rc=$?");
  add_again(job, again, step);
}

}  // namespace muster::targets::batch
