// The cases of Slurm: jobs that wait, run or ended, and submissions that were refused.
#include <algorithm>
#include <set>

#include "compiler/base/instant.h"
#include "compiler/base/text.h"
#include "why/decide/amounts.h"
#include "why/decide/refusals.h"
#include "why/decide/scene.h"
#include "why/decide/slurm_ask.h"
#include "why/decide/slurm_nodes.h"

namespace muster::why {
namespace {

constexpr std::size_t most_subjects = 50;

// "277_[2-9%2]", "277_0" and "277" are one job.
std::string base_id(std::string_view id) { return std::string(id.substr(0, id.find('_'))); }

bool is_ended(std::string_view state) {
  return is_one_of(state, {"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "OUT_OF_MEMORY", "NODE_FAIL", "PREEMPTED",
                           "DEADLINE", "BOOT_FAIL"});
}

// A job in all outputs that have it.
struct Job {
  std::string id;
  std::vector<const Object*> seen;  // the most detailed first
  int mentions = 0;                 // how much points at it: its details, its submission, a command with its id

  // The value in the output that says most of the task that matters.
  const Field* find(std::string_view key) const {
    for (const Object* object : seen)
      if (const Field* field = object->find(key)) return field;
    return nullptr;
  }
  std::string_view get(std::string_view key) const {
    const Field* field = find(key);
    return field == nullptr ? std::string_view() : std::string_view(field->value);
  }
};

int detail_of(const Object& object) {
  const std::string_view listed = object.get("listed");
  if (listed.empty()) return 3;
  return listed == "sacct" ? 2 : listed == "json" ? 2 : 1;
}

// A task that waits says more of an array than one that runs.
int order_of(const Object& object) {
  const std::string_view state = object.get("JobState");
  const int waits = state.starts_with("PENDING") ? 10 : state == "RUNNING" ? 0 : 5;
  return waits + detail_of(object);
}

std::vector<Job> jobs_of(const Facts& facts) {
  std::map<std::string, Job> jobs;
  for (const Object* object : facts.of(Kind::job)) {
    const std::string_view array = object->get("Array");
    Job& job = jobs[base_id(array.empty() ? std::string_view(object->name) : array)];
    job.seen.push_back(object);
  }
  std::set<std::string, std::less<>> awaited;
  for (auto& [id, job] : jobs) {
    job.id = id;
    std::stable_sort(job.seen.begin(), job.seen.end(),
                     [](const Object* a, const Object* b) { return order_of(*a) > order_of(*b); });
    // After a requeue sacct has older lines of the same job: what is newest is not ended.
    for (const Object* object : job.seen) job.mentions = std::max(job.mentions, detail_of(*object));
    for (const Field* dependency : {job.find("Dependency")})
      if (dependency != nullptr)
        for (std::size_t i = 0; i < dependency->value.size(); ++i)
          if (is_digit(dependency->value[i])) {
            std::size_t end = i;
            while (end < dependency->value.size() && is_digit(dependency->value[end])) ++end;
            awaited.insert(dependency->value.substr(i, end - i));
            i = end;
          }
  }
  for (const Object* object : facts.of(Kind::submitted))
    if (const auto found = jobs.find(base_id(object->name)); found != jobs.end()) found->second.mentions += 2;
  for (const std::string& command : facts.commands)
    for (const std::string_view word : split(command, ' '))
      if (const auto found = jobs.find(base_id(word)); found != jobs.end()) found->second.mentions += 1;
  std::vector<Job> out;
  for (auto& [id, job] : jobs)
    if (!awaited.contains(id) || job.get("JobState").starts_with("PENDING")) out.push_back(std::move(job));
  return out;
}

// The jobs that the facts are about: those that most points at. Of a mere list, those that wait or failed.
std::vector<Job> chosen(std::vector<Job> jobs, const std::string& id) {
  if (!id.empty()) {
    std::erase_if(jobs, [&](const Job& job) { return job.id != base_id(id); });
    return jobs;
  }
  int most = 0;
  for (const Job& job : jobs) most = std::max(most, job.mentions);
  if (most >= 2)
    std::erase_if(jobs, [&](const Job& job) { return job.mentions < 2 || (most >= 3 && job.mentions < 3); });
  const auto matters = [](const Job& job) {
    const std::string_view state = job.get("JobState");
    return state != "RUNNING" && state != "COMPLETED" && state != "COMPLETING";
  };
  if (most < 3 && std::any_of(jobs.begin(), jobs.end(), matters))
    std::erase_if(jobs, [&](const Job& job) { return !matters(job); });
  return jobs;
}

// The script of a job: the only one, or the one that its name or its command names.
const Object* script_of(const Facts& facts, const Job* job) {
  const auto scripts = facts.of(Kind::script);
  const Object* found = nullptr;
  std::string text;
  for (const Object* script : scripts) {
    std::string all;
    for (const Field& field : script->fields) all += field.key + "=" + field.value + "\n";
    if (found != nullptr && all != text) {
      found = nullptr;
      if (job == nullptr) return nullptr;
      for (const Object* other : scripts)
        if (other->get("job-name") == job->get("JobName") && !other->get("job-name").empty()) {
          if (found != nullptr) return nullptr;
          found = other;
        }
      return found;
    }
    found = script;
    text = all;
  }
  return found;
}

// The number behind a word that names a job in its output: "JOB 247", "StepId=248.batch", "job 255:".
std::string job_of_line(std::string_view text) {
  for (const std::string_view word : {"JOB ", "StepId=", "for job ", "Job "})
    if (const std::size_t at = text.find(word); at != std::string_view::npos) {
      std::size_t end = at + word.size();
      while (end < text.size() && is_digit(text[end])) ++end;
      if (end > at + word.size()) return std::string(text.substr(at + word.size(), end - at - word.size()));
    }
  return {};
}

std::vector<const Object*> log_of(const Facts& facts, const std::string& id, bool alone) {
  std::map<std::uint32_t, std::string> owner;
  for (const Object* line : facts.of(Kind::log))
    if (const std::string job = job_of_line(line->get("text")); !job.empty()) owner.try_emplace(line->segment, job);
  std::vector<const Object*> out;
  for (const Object* line : facts.of(Kind::log)) {
    const auto found = owner.find(line->segment);
    if (found != owner.end() ? found->second == id || (alone && id.empty()) : alone) out.push_back(line);
  }
  return out;
}

void add_state(const Job& job, Case& out) {
  const Field* state = job.find("JobState");
  if (state == nullptr) return;
  std::string word = state->value.substr(0, state->value.find_first_of(" +"));
  out.set("job.state", word, state->place);
  if (word == "PENDING") out.set("job.pending", "1", state->place);
  if (is_ended(word)) out.set("job.ended", word, state->place);
  if (const std::size_t by = state->value.find(" by "); by != std::string::npos)
    out.set("job.cancelled-by", state->value.substr(by + 4), state->place);
  if (const Field* reason = job.find("Reason"); reason != nullptr && word == "PENDING") {
    std::string text = reason->value;
    std::replace(text.begin(), text.end(), '_', ' ');
    out.set("job.reason-text", text, reason->place);
    // A cut word is not a reason.
    out.set("job.reason", text.substr(0, text.find(',')), reason->place);
    if (text.find("Reserved for maintenance") != std::string::npos) out.set("reason.maintenance", "1", reason->place);
  }
  if (const Field* exit = job.find("ExitCode"); exit != nullptr) {
    out.set("job.exit-pair", exit->value, exit->place);
    const std::size_t colon = exit->value.find(':');
    if (is_ended(word) && colon != std::string::npos) {
      out.set("job.exit", exit->value.substr(0, colon), exit->place);
      out.set("job.signal", exit->value.substr(colon + 1), exit->place);
    }
  }
  if (const Field* derived = job.find("DerivedExitCode"); derived != nullptr && is_ended(word))
    out.set("job.derived", derived->value.substr(0, derived->value.find(':')), derived->place);
  for (const auto& [from, to] : {std::pair("Restarts", "job.restarts"), std::pair("Priority", "job.priority"),
                                 std::pair("NodeList", "job.nodes")})
    if (const Field* field = job.find(from)) out.set(to, field->value, field->place);
  // When Slurm looked at it last: from then on the times of reservations count.
  for (const char* key : {"LastSchedEval", "SubmitTime"})
    if (const Field* looked = job.find(key); looked != nullptr && parse_instant(looked->value))
      out.offer("job.looked-at", looked->value, looked->place);
  if (const Field* start = job.find("StartTime");
      start != nullptr && start->value != "Unknown" && start->value != "N/A") {
    out.set("job.start", start->value, start->place);
    const Field* submitted = job.find("SubmitTime");
    const auto from = submitted == nullptr ? std::nullopt : parse_instant(submitted->value),
               to = parse_instant(start->value);
    if (from && to) out.set("begin.hours", (to->seconds - from->seconds) / 3600, start->place);
  }
}

void add_steps(const Facts& facts, const Job& job, Case& out) {
  std::string failed;
  Place place;
  bool any = false;
  for (const Object* step : facts.of(Kind::step)) {
    if (base_id(step->name) != job.id) continue;
    any = true;
    place = step->place;
    const std::string_view exit = step->get("ExitCode");
    if (!exit.empty() && exit != "0:0" && step->type != "batch" && step->type != "extern")
      failed = exit.substr(0, exit.find(':'));
  }
  if (any || out.knows("log.any")) out.set("job.failed-step", failed, place);
  if (!failed.empty()) {
    out.set("step.exit", failed, place);
    if (out.get("job.state") == "COMPLETED") out.offer("job.derived", failed, place);
  }
}

void add_dependency(const std::vector<const Object*>& jobs, const Job& job, Case& out) {
  const Field* dependency = job.find("Dependency");
  if (dependency == nullptr || dependency->value == "(null)" || dependency->value.empty()) return;
  out.set("job.dependency", dependency->value, dependency->place);
  for (const Object* other : jobs) {
    if (dependency->value.find(":" + other->name) == std::string::npos || base_id(other->name) == job.id) continue;
    out.set("dep.id", other->name, other->place);
    if (const Field* state = other->find("JobState")) out.set("dep.state", state->value, state->place);
    if (const Field* exit = other->find("ExitCode")) out.set("dep.exit", exit->value, exit->place);
  }
}

// What earlier runs of the job ended by.
void add_earlier(const Job& job, Case& out) {
  for (const Object* object : job.seen) {
    const std::string_view state = object->get("JobState");
    if (state == "PREEMPTED") out.set("was.preempted", "1", object->place);
    if (state == "REQUEUED") out.set("was.requeued", "1", object->place);
    if (state == "NODE_FAIL") out.set("was.node-failed", "1", object->place);
  }
  for (const auto& [from, to] : {std::pair("log.preemption", "was.preempted"), std::pair("log.requeue", "was.requeued"),
                                 std::pair("log.node-failure", "was.node-failed")})
    if (const Known* known = out.find(from)) out.set(to, "1", known->place);
  // One of them known is the answer to the others too.
  if (out.knows("was.preempted") || out.knows("was.requeued") || out.knows("was.node-failed"))
    for (const char* key : {"was.preempted", "was.requeued", "was.node-failed"}) out.offer(key, "");
}

void add_array(const Job& job, Case& out) {
  std::int64_t running = 0;
  std::set<std::string> counted;
  for (const Object* object : job.seen) {
    std::string tasks(object->get("ArrayTaskId"));
    if (tasks.empty() && object->name.find('_') != std::string::npos)
      tasks = object->name.substr(object->name.find('_') + 1);
    if (const std::size_t percent = tasks.find('%'); percent != std::string::npos) {
      std::size_t end = percent + 1;
      while (end < tasks.size() && is_digit(tasks[end])) ++end;
      out.offer("array.throttle", tasks.substr(percent + 1, end - percent - 1), object->place);
    }
    if (object->get("JobState") == "RUNNING" && !tasks.empty() && counted.insert(tasks).second) {
      ++running;
      out.set("array.running", running, object->place);
    }
  }
}

Subject subject_of(const Facts& facts, const Job& job, bool alone, const Changes& changes) {
  Subject out{job.id, "slurm", {}, {}};
  Case& known = out.facts;
  known.set("job.id", job.id, job.seen.front()->place);
  add_state(job, known);
  out.state = known.get("job.state");
  const std::vector<const Object*> log = log_of(facts, job.id, alone);
  add_log(log, known);
  // In one stream with a script, lines of the log may have been taken for its text.
  for (const Object* script : facts.of(Kind::script))
    for (const Object* line : log)
      if (line->place.file == script->place.file) known.set("log.partial", "1", line->place);
  add_steps(facts, job, known);
  add_dependency(facts.of(Kind::job), job, known);
  add_earlier(job, known);
  add_array(job, known);
  // Fields of the task that matters, the details of others behind them.
  Object whole{Kind::job, {}, job.id, {}, 0, job.seen.front()->place};
  bool detailed = false;
  for (const Object* object : job.seen) {
    detailed |= detail_of(*object) == 3;
    for (const Field& field : object->fields)
      if (whole.find(field.key) == nullptr) whole.fields.push_back(field);
  }
  add_ask(facts, &whole, detailed, script_of(facts, &job), changes, known);
  add_partition(facts, known);
  add_accounting(facts, known);
  add_slurm_nodes(facts, known);
  return out;
}

// The job that was submitted, or that a command names: "49" of `sacct -j 49`.
std::string asked_job(const Facts& facts) {
  std::string out;
  for (const Object* submitted : facts.of(Kind::submitted))
    if (submitted->type != "kubectl") out = base_id(submitted->name);
  for (const std::string& command : facts.commands)
    for (const std::string_view word : split(command, ' '))
      if (all_digits(base_id(word))) out = base_id(word);
  return out;
}

Subject refused(const Facts& facts, const Refusal& refusal, const Changes& changes) {
  Subject out{refusal.id, "slurm", "refused", {}};
  for (const Object* line : refusal.lines) {
    add_line("refused", *line, out.facts);
    std::string_view text = line->get("text");
    if (text.starts_with("error: ")) text.remove_prefix(7);
    if (text.find(' ') == std::string_view::npos) out.facts.offer("refused.reason", std::string(text), line->place);
  }
  // Of several submissions it is not known whose the script is.
  const Object* script = refusal.id.empty() ? script_of(facts, nullptr) : nullptr;
  add_ask(facts, nullptr, false, script, changes, out.facts);
  add_partition(facts, out.facts);
  add_accounting(facts, out.facts);
  add_slurm_nodes(facts, out.facts);
  return out;
}

}  // namespace

std::vector<Subject> slurm_subjects(const Facts& facts, const std::string& id, const Changes& changes) {
  std::vector<Subject> out;
  const std::vector<Refusal> refusals = refusals_of(facts, false);
  std::vector<Job> jobs = chosen(jobs_of(facts), id);
  // Beside a refusal a list of jobs is there to show who else is in the queue.
  if (!refusals.empty()) std::erase_if(jobs, [](const Job& job) { return job.mentions < 3; });
  if (jobs.size() > most_subjects) jobs.resize(most_subjects);
  for (const Refusal& refusal : refusals)
    if (out.size() < most_subjects && (id.empty() || id == refusal.id)) out.push_back(refused(facts, refusal, changes));
  // A job of which nothing is shown but that it was submitted, or a cluster without accounting.
  const auto speaks_of_job = [](const Object& object) {
    return (object.kind == Kind::absent && object.type == "accounting") ||
           (object.kind == Kind::submitted && object.type != "kubectl");
  };
  if (out.empty() && jobs.empty() && id.empty() &&
      std::any_of(facts.objects.begin(), facts.objects.end(), speaks_of_job))
    out.push_back({asked_job(facts), "slurm", {}, {}});
  const auto takes_log = [](const Job& job) { return job.get("JobState") != "PENDING"; };
  const auto logged = std::count_if(jobs.begin(), jobs.end(), takes_log);
  for (const Job& job : jobs)
    out.push_back(subject_of(facts, job, jobs.size() == 1 || (logged == 1 && takes_log(job)), changes));
  return out;
}

}  // namespace muster::why
