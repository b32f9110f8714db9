#include "why/decide/decide.h"

#include <algorithm>
#include <set>

#include "compiler/base/secret.h"
#include "compiler/base/text.h"

namespace muster::why {
namespace {

struct Candidate {
  const Cause* cause;
  std::string code;
  Answer answer;
};

std::string code_of(const Cause& cause, const Case& facts) {
  return cause.code == "limit" ? std::string(facts.get("limit.code")) : std::string(cause.code);
}

// Causes whose symptom is seen and whose proof is not false.
std::vector<Candidate> candidates_of(const Case& facts) {
  std::vector<Candidate> out;
  for (const Cause& cause : causes()) {
    Answer found = answer(cause.when, facts);
    if (found.seen != Truth::yes || found.known == Truth::no) continue;
    if (std::string code = code_of(cause, facts); !code.empty())
      out.push_back({&cause, std::move(code), std::move(found)});
  }
  return out;
}

bool is_arithmetic(std::string_view when) {
  const std::size_t semicolon = when.find(';');
  return semicolon != std::string_view::npos && when.substr(semicolon).find_first_of("<>") != std::string_view::npos;
}

// The proven cause that speaks loudest; nullptr: none is, or two are and neither is louder.
const Candidate* proven(const std::vector<Candidate>& candidates) {
  const Candidate* best = nullptr;
  bool tie = false;
  for (const Candidate& one : candidates) {
    if (one.answer.known != Truth::yes) continue;
    if (best == nullptr || one.cause->rank > best->cause->rank) {
      best = &one;
      tie = false;
    } else if (one.cause->rank == best->cause->rank && one.code != best->code) {
      tie = true;
    }
  }
  if (best == nullptr || tie) return nullptr;
  // What is louder and not known yet might be the cause instead.
  for (const Candidate& one : candidates)
    if (one.answer.known == Truth::unknown && one.cause->rank > best->cause->rank && one.code != best->code)
      return nullptr;
  return best;
}

// A command to paste. nullopt: a fact of it is not known, or it is a text that a shell would not take as a name.
std::optional<std::string> command_of(std::string_view text, const Case& facts) {
  std::vector<std::string> read;
  auto out = fill(text, facts, &read);
  for (const std::string& key : read)
    for (const char c : facts.get(key))
      if (!is_alnum(c) && std::string_view("._-/ ").find(c) == std::string_view::npos) return std::nullopt;
  return out;
}

void add_asks(const std::vector<Candidate>& candidates, Finding& out) {
  const Case& facts = out.subject.facts;
  std::vector<Ask> asks;
  for (const Candidate& one : candidates) {
    if (std::find(out.candidates.begin(), out.candidates.end(), one.code) == out.candidates.end())
      out.candidates.push_back(one.code);
    for (const std::string& lack : one.answer.lacks) {
      const std::string_view row = command_for(lack);
      if (row.empty()) continue;
      std::string command;
      for (const std::string_view one_of : split(row, '|'))
        if (command.empty()) command = command_of(one_of, facts).value_or(std::string());
      if (command.empty()) continue;
      auto found = std::find_if(asks.begin(), asks.end(), [&](const Ask& ask) { return ask.command == command; });
      if (found == asks.end()) found = asks.insert(asks.end(), Ask{command, {}});
      if (std::find(found->separates.begin(), found->separates.end(), one.code) == found->separates.end())
        found->separates.push_back(one.code);
    }
  }
  // What separates most comes first; all of it is one line to paste.
  std::stable_sort(asks.begin(), asks.end(),
                   [](const Ask& a, const Ask& b) { return a.separates.size() > b.separates.size(); });
  if (asks.size() > 4) asks.resize(4);
  for (Ask& ask : asks) {
    if (&ask == &asks[0]) continue;
    asks[0].command += "; " + ask.command;
    for (std::string& code : ask.separates)
      if (std::find(asks[0].separates.begin(), asks[0].separates.end(), code) == asks[0].separates.end())
        asks[0].separates.push_back(std::move(code));
  }
  if (asks.size() > 1) asks.resize(1);
  out.asks = std::move(asks);
}

// Nothing is seen that the catalogue knows: what shows more of it.
void add_default_ask(Finding& out) {
  const Subject& subject = out.subject;
  const Case& facts = subject.facts;
  std::string command;
  if (subject.system == "slurm") {
    if (subject.state == "refused" || subject.id.empty()) command = "sbatch job.sbatch";
    else if (facts.get("job.state") == "CANCELLED") command = "sacct -j " + subject.id + " -o JobID,State%30,ExitCode";
    else if (!facts.get("job.ended").empty() && !facts.knows("log.any")) command = "cat slurm-" + subject.id + ".out";
    else if (!facts.get("job.ended").empty())
      command = "sacct -j " + subject.id + " -o JobID,State%30,ExitCode,DerivedExitCode,ReqMem,MaxRSS";
    else command = "scontrol show job " + subject.id;
  } else if (subject.system == "kubernetes") {
    const std::string_view wanted =
        facts.knows("next.owner")  ? "kubectl describe {next.owner}[ -n {next.space}]"
        : facts.knows("next.pods") ? "kubectl describe pods[ -n {next.space}]"
                                   : "kubectl get events[ -n {next.space}]; kubectl get pods[ -n {next.space}] -o yaml";
    command = command_of(wanted, facts).value_or("kubectl describe pods");
  } else {
    command = "sacct -j JOB -o JobID,State%30,ExitCode,ReqMem,MaxRSS (or kubectl describe pod POD)";
  }
  out.asks.push_back({command, {}});
}

// A text of the input without its secrets and mail addresses; it may come from any program.
std::string harmless(std::string text) {
  text = mask_line(std::move(text));
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1)) {
    std::size_t begin = at, end = at + 1;
    while (begin > 0 && (is_alnum(text[begin - 1]) || is_one_of(text.substr(begin - 1, 1), {".", "_", "-", "+"})))
      --begin;
    while (end < text.size() && (is_alnum(text[end]) || text[end] == '.' || text[end] == '-')) ++end;
    if (begin < at && text.substr(at, end - at).find('.') != std::string::npos)
      for (std::size_t i = begin; i < end; ++i) text[i] = '*';
  }
  return printable(text, 400);
}

UsedFact used_fact(const std::string& key, const Known& known) {
  return {key, harmless(known.value), known.unit, known.place};
}

void add_used(const std::vector<std::string>& keys, Finding& out) {
  for (const std::string& key : keys) {
    const Known* known = out.subject.facts.find(key);
    if (known == nullptr || known->value.empty() || known->place.file == 0) continue;
    if (std::none_of(out.used.begin(), out.used.end(), [&](const UsedFact& one) { return one.key == key; }))
      out.used.push_back(used_fact(key, *known));
  }
}

// "nodes=4 gpus-node=2" with facts: the changes of an edit. Empty: a fact is not known.
Changes changes_of(std::string_view text, const Case& facts) {
  const auto filled = fill(text, facts);
  Changes out;
  if (!filled) return out;
  for (const std::string_view word : split(*filled, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos)
      out[std::string(word.substr(0, equals))] = std::string(word.substr(equals + 1));
  }
  return out;
}

// Whether no row of the cause, nor another that blocks as much, is proven or left open with the changes.
bool removes(const Facts& facts, const Finding& finding, const Changes& changes) {
  for (const Subject& subject : subjects_of(facts, finding.subject.id, changes)) {
    if (subject.id != finding.subject.id || subject.system != finding.subject.system) continue;
    for (const Cause& cause : causes()) {
      if (code_of(cause, subject.facts) != finding.code) continue;
      const Answer found = answer(cause.when, subject.facts);
      if (found.seen == Truth::yes && found.known != Truth::no) return false;
    }
    // Another cause of arithmetic would only take its place.
    for (const Candidate& one : candidates_of(subject.facts))
      if (one.answer.known == Truth::yes && one.cause->rank >= 8 && one.code != finding.code) return false;
    return true;
  }
  return false;
}

// The partition, QOS and the like that are not listed cannot be checked by arithmetic: a name that exists is.
bool names_what_exists(const Changes& changes, const Case& facts) {
  for (const auto& [option, value] : changes) {
    if (value.empty()) continue;
    if (option == "partition" && (value == facts.get("part.other") || value == facts.get("part.near"))) continue;
    if (option == "account" && value == facts.get("assoc.first")) continue;
    return false;
  }
  return true;
}

void add_repairs(const Facts& facts, Finding& out) {
  const Case& known = out.subject.facts;
  const bool is_limit = known.get("limit.code") == out.code;
  for (const Repair& row : repairs()) {
    if (row.code != out.code && !(is_limit && row.code == "limit")) continue;
    if (row.kind == RepairKind::wait && out.verdict == Verdict::unknown) continue;  // it may wait for ever
    FoundRepair repair{.kind = row.kind};
    if (row.kind == RepairKind::edit) {
      const auto filled = fill(row.text, known);
      if (!filled) continue;
      repair.changes = changes_of(*filled, known);
      if (repair.changes.empty()) continue;
      bool positive = true;
      for (const auto& [option, value] : repair.changes)
        if (value == "0") positive = false;
      if (!positive) continue;
      // What Slurm says in words stays so whatever is changed: there the change itself is what removes it.
      repair.checked = removes(facts, out, repair.changes) ||
                       (out.confidence == Confidence::stated && names_what_exists(repair.changes, known));
      if (!repair.checked && out.confidence == Confidence::proved) continue;
      repair.text = *filled;
    } else {
      const auto text = fill(row.text, known);
      if (!text) continue;
      // An alternative to an edit that is known to do is not needed.
      if (row.kind == RepairKind::advice && !out.repairs.empty()) continue;
      repair.text = *text;
    }
    out.repairs.push_back(std::move(repair));
  }
}

// What keeps a job from its start may be followed by another such cause; how one ended has a single first cause.
bool blocks(Verdict verdict) { return verdict == Verdict::never || verdict == Verdict::later; }

// Rows of the proven cause that a missing fact leaves open.
std::vector<Candidate> open_of(const std::vector<Candidate>& candidates, const Candidate& best) {
  std::vector<Candidate> out;
  for (const Candidate& one : candidates)
    if (one.code == best.code && one.answer.known == Truth::unknown) out.push_back(one);
  return out;
}

// Whether it may be the other of never and later: a limit whose value is not in the input.
bool is_undecided(const std::vector<Candidate>& candidates, const Candidate& best) {
  const std::vector<Candidate> open = open_of(candidates, best);
  return std::any_of(open.begin(), open.end(), [&](const Candidate& one) {
    return one.cause->verdict != best.cause->verdict && one.cause->rank > best.cause->rank;
  });
}

Finding find(const Facts& facts, Subject subject) {
  Finding out{.subject = std::move(subject)};
  const std::vector<Candidate> candidates = candidates_of(out.subject.facts);
  const Candidate* best = proven(candidates);
  std::optional<std::string> sentence;
  std::vector<std::string> keys;
  if (best != nullptr) sentence = fill(best->cause->sentence, out.subject.facts, &keys);
  if (!sentence) {
    out.sentence = candidates.empty() ? "this input does not show the cause" : "the cause is not known yet";
    add_asks(candidates, out);
    if (out.asks.empty()) add_default_ask(out);
    return out;
  }
  out.verdict = best->cause->verdict;
  out.code = best->code;
  out.sentence = harmless(*sentence);
  out.who = best->cause->who;
  out.confidence = is_arithmetic(best->cause->when) ? Confidence::proved : Confidence::stated;
  add_used(keys, out);
  add_used(best->answer.read, out);
  // What was counted is in the words of the scheduler.
  if (std::any_of(out.used.begin(), out.used.end(), [](const UsedFact& one) { return one.key.starts_with("sched."); }))
    add_used({"sched.message"}, out);
  if (is_undecided(candidates, *best)) {
    out.verdict = Verdict::unknown;
    add_asks(open_of(candidates, *best), out);
    out.candidates.clear();
  }
  for (const Candidate& one : candidates)
    if (blocks(best->cause->verdict) && blocks(one.cause->verdict) && one.answer.known == Truth::yes &&
        one.code != out.code && std::find(out.then.begin(), out.then.end(), one.code) == out.then.end())
      out.then.push_back(one.code);
  add_repairs(facts, out);
  return out;
}

}  // namespace

std::string_view name(Confidence confidence) { return confidence == Confidence::proved ? "proved" : "stated"; }

std::vector<Subject> subjects_of(const Facts& facts, const std::string& id, const Changes& changes) {
  std::vector<Subject> out = slurm_subjects(facts, id, changes);
  for (Subject& subject : kubernetes_subjects(facts, id)) out.push_back(std::move(subject));
  if (out.empty() && id.empty()) {
    const auto lines = facts.of(Kind::log);
    if (lines.empty()) return out;
    Subject log{"", "log", {}, {}};
    add_log(lines, log.facts);
    out.push_back(std::move(log));
  }
  return out;
}

std::vector<Finding> decide(const Facts& facts, const std::string& id) {
  std::vector<Finding> out;
  for (Subject& subject : subjects_of(facts, id)) out.push_back(find(facts, std::move(subject)));
  return out;
}

}  // namespace muster::why
