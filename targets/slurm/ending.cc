#include <algorithm>

#include "targets/shell.h"
#include "targets/slurm/options.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

using model::RetryOn;

bool retries(const Job& job) { return job.workload.retry && job.workload.retry->limit.value > 0; }

bool retries_on(const Job& job, RetryOn reason) {
  if (!retries(job)) return false;
  const auto& on = job.workload.retry->on;
  return std::any_of(on.begin(), on.end(), [&](const auto& r) { return r.value == reason; });
}

std::string limit_of(const Job& job) { return std::to_string(job.workload.retry->limit.value); }

// The condition under which an ended program gets another attempt, in bash; "" if none.
std::string again_condition(const Job& job, bool step) {
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

void add_again(Job& job, const std::string& condition, bool step) {
  if (job.keeps_record() && step)
    job.line(
        "code=$(cat \"$MUSTER_DIR/exit.$MUSTER_ATTEMPT\" 2>/dev/null || echo \"$rc\")  # of the task that failed "
        "first");
  job.line("if [ \"$MUSTER_ATTEMPT\" -lt " + limit_of(job) + " ] && " + condition +
           "; then scontrol requeue \"$SLURM_JOB_ID\"; fi");
  job.line("exit \"$rc\"");
}

// A step is signalled through Slurm, which leaves the batch shell alone; a process through its group.
void add_traps(Job& job, bool step) {
  const std::string signal = sh_word(job.workload.stop->signal.value);
  const std::string forward = step ? "scancel --signal=" + signal + " \"$SLURM_JOB_ID\" || :"
                                   : "kill -s " + signal + " -- \"-$pid\" 2>/dev/null || :";
  const bool lead = job.workload.stop->lead.value.ms > 0;
  const bool marks = retries_on(job, RetryOn::timeout);
  // At the time limit Slurm sends TERM to the steps and to this shell, which must outlive the program.
  const std::string at_term = step && job.workload.stop->signal.value == "TERM" ? ":" : forward;
  if (lead && !marks && at_term == forward) return job.line("trap '" + forward + "' USR1 TERM");
  const std::string early = "trap '" + std::string(marks ? "stopped=1; " : "") + forward + "' USR1";
  job.line((lead ? early + "; " : "") + "trap " + (at_term == ":" ? ":" : "'" + at_term + "'") + " TERM");
}

void run_with_stop(Job& job, const std::string& command, bool step, const std::string& again) {
  if (!again.empty() && retries_on(job, RetryOn::timeout)) job.line("stopped=");
  // A process group of its own, so that the signal reaches all of the program and not this shell.
  job.line(step ? command + " & pid=$!" : "set -m; " + command + " & pid=$!; set +m");
  add_traps(job, step);
  job.line("while kill -0 \"$pid\" 2>/dev/null; do wait \"$pid\" || :; done  # a trap ends a wait early");
  if (again.empty()) return job.line("wait \"$pid\"");
  job.line("rc=0; wait \"$pid\" || rc=$?");
  add_again(job, again, step);
}

void check_retry(Job& job) {
  const model::Retry& retry = *job.workload.retry;
  if (retry.backoff)
    job.refuse_at(retry.backoff->span, "retry.backoff",
                  "Slurm requeues at once or when the scheduler likes: there is no backoff", "drop `backoff`");
  if (!retries(job)) return;
  const bool lead = job.workload.stop && job.workload.stop->lead.value.ms > 0;
  if (retries_on(job, RetryOn::timeout) && !lead)
    job.refuse("retry.on", "a job that reaches its time limit is over: it must be told before",
               "add `stop { lead = 5m }`: the time the program needs to save and leave");
  const bool only_slurms =
      !retries_on(job, RetryOn::failure) && !retries_on(job, RetryOn::exit_codes) && !retries_on(job, RetryOn::timeout);
  const std::string as = only_slurms ? "--requeue" : "--requeue and scontrol requeue";
  job.approximated(
      "retry.limit", as,
      "node failure and preemption requeue without a limit; the job's first line ends an attempt too many");
  job.approximated("retry.on", as, "Slurm does not tell node failure from preemption: both requeue");
  job.exact("retry.exit-codes", "scontrol requeue");
}

}  // namespace

void add_retry_directives(Job& job) {
  const auto& logs = job.workload.logs;
  if (job.workload.retry) {
    check_retry(job);
    add_flag(job, retries(job) ? "--requeue" : "--no-requeue", "retry.limit");
    if (!retries(job)) job.exact("retry", "--no-requeue");
  }
  // Another attempt has the same job id and would write over the log of the one before.
  const bool append = logs && logs->append ? logs->append->value : retries(job);
  if (append) add_option(job, "--open-mode", "append", "logs.append");
  else if (logs && logs->append) add_option(job, "--open-mode", "truncate", "logs.append");
  job.exact("logs.append", append ? "--open-mode=append" : "--open-mode=truncate");
}

void add_stop_directives(Job& job) {
  if (!job.workload.stop) return;
  const model::Stop& stop = *job.workload.stop;
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '-'; };
  if (stop.signal.value.empty() || !std::all_of(stop.signal.value.begin(), stop.signal.value.end(), letter))
    return job.refuse_at(stop.signal.span, "stop.signal",
                         "a signal is named in capitals, without `SIG`: `TERM`, `USR1`");
  const std::int64_t seconds = stop.lead.value.seconds_up();
  if (seconds > 65535)
    return job.refuse_at(stop.lead.span, "stop.lead", "Slurm signals at most 65535 seconds before the end",
                         "write `lead = 18h` or less");
  if (seconds > 0) {
    add_option(job, "--signal", "B:USR1@" + std::to_string(seconds), "stop.lead");
    std::string note = "Slurm may be up to a minute early";
    if (job.plane.user_signal) note += "; the signal also comes at preemption";
    if (job.shape.nodes > 1) note += "; once a task has left with an error, the others have the site's KillWait";
    job.approximated("stop.lead", "--signal=B:USR1@" + std::to_string(seconds), note);
  }
  if (seconds == 0) job.exact("stop.lead", "no signal before the time limit");
  job.exact("stop.signal", "the traps around the program");
  job.approximated("stop.grace", "nothing", "the time between TERM and KILL is the site's KillWait");
}

void add_attempt_guard(Job& job) {
  if (!retries(job)) return;
  job.line("if [ \"${SLURM_RESTART_COUNT:-0}\" -gt " + limit_of(job) +
           " ]; then echo 'muster: no attempts left' >&2; exit 1; fi");
}

void add_run(Job& job, const std::string& command, bool step) {
  const std::string again = again_condition(job, step);
  if (job.workload.stop) return run_with_stop(job, command, step, again);
  if (again.empty()) return job.line(command);
  job.line("rc=0");
  job.line(command + " || rc=$?");
  add_again(job, again, step);
}

}  // namespace muster::targets::slurm
