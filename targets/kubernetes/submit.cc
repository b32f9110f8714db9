// One script that submits workloads in the order of their `depends-on`: Kubernetes has no queue of things that wait for
// each other, so the script does the waiting.
#include <algorithm>
#include <unordered_set>

#include "targets/kubernetes/builders.h"
#include "targets/kubernetes/kinds.h"
#include "targets/lookup.h"
#include "targets/shell.h"
#include "targets/submission.h"

namespace muster::targets::kubernetes {
namespace {

using model::AfterOn;

// Of a workload that is submitted elsewhere the kind is not known.
constexpr kubernetes::Ending any_ending = {"{.status.conditions[?(@.status==\"True\")].type} {.status.phase}",
                                           "*' Complete '*|*' Completed '*|*' Succeeded '*", "*' Failed '*"};

// nullptr: the object stays until it is deleted.
const kubernetes::Ending* ending_of(std::string_view kubectl_name) {
  const kubernetes::Kind* kind = kubernetes::find_kubectl_name(kubectl_name);
  return kind == nullptr || kind->ending.path.empty() ? nullptr : &kind->ending;
}

std::string kubectl(const ObjectName& object) {
  return "kubectl" + (object.name_space.empty() ? "" : " -n " + sh_word(object.name_space));
}

// What tells the workloads apart in names of functions and variables.
std::string word_of(const Submissions& all, const std::string& workload) {
  const auto found = all.find(workload);
  return found ? std::to_string(*found + 1) : contract_name("", workload);
}

// A function that waits for what a workload is waited for and prints success or failure. One that was not submitted
// itself has failed; one that is submitted elsewhere is looked for beside the workload's own object.
std::string wait_function(const Submissions& all, const Submission& own, const std::string& workload, bool start) {
  const auto found = all.find(workload);
  const std::string word = word_of(all, workload);
  std::string get, path, cases;
  if (start) {
    const ObjectName& object = all[*found].object;
    const kubernetes::Kind& kind = *kubernetes::find_kubectl_name(object.kind);
    const std::string label(kind.pod_label.empty() ? "app.kubernetes.io/name" : kind.pod_label);
    get = kubectl(object) + " get " + (kind.state.empty() ? "pods -l " + label + "=" : object.kind + "/") + object.name;
    path = kind.state.empty() ? "{.items[*].status.phase}" : kind.state;
    cases = "      *' Running '*|*' ready '*|*' Succeeded '*|*' Complete '*|*' Failed '*) echo success; return ;;\n";
  } else {
    const kubernetes::Ending& ending = found ? *ending_of(all[*found].object.kind) : any_ending;
    const std::string object = found ? all[*found].object.kind + "/" + all[*found].object.name
                                     : "\"$" + contract_name("OBJECT_", workload) + "\"";
    get = kubectl((found ? all[*found] : own).object) + " get " + object;
    path = ending.path;
    cases = "      " + std::string(ending.good) + ") echo success; return ;;\n      " + std::string(ending.bad) +
            ") echo failure; return ;;\n";
  }
  const std::string skipped = found ? "  [ \"$submitted" + word + "\" = yes ] || { echo failure; return; }\n" : "";
  return (start ? "start_of_" : "end_of_") + word + "() {\n" + skipped + "  while :; do\n    state=$(" + get +
         " -o jsonpath='" + path + "') || state=\n    case \" $state \" in\n" + cases +
         "    esac\n    sleep 10\n  done\n}\n";
}

std::string test_of(const Submissions& all, const model::After& after) {
  const std::string word = word_of(all, after.workload), end = "\"$(end_of_" + word + ")\"";
  switch (after.on) {
    case AfterOn::success: return "[ " + end + " = success ]";
    case AfterOn::failure: return "[ " + end + " = failure ]";
    case AfterOn::finish: return "[ -n " + end + " ]";
    case AfterOn::start: return "[ \"$(start_of_" + word + ")\" = success ]";
  }
  return "false";
}

// What no script can wait for.
void check(const Submissions& all, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const model::After& after : all[i].workload->depends_on) {
      const auto other = all.find(after.workload);
      const auto refuse = [&](const std::string& why, const std::string& help) {
        diagnostics.add(Code::target_refuses, after.span, why).notes.push_back(help);
      };
      if (!other && after.on == AfterOn::start)
        refuse("`" + after.workload + "` is submitted elsewhere, so the names of its pods are not known",
               "compile both workloads together");
      if (other && after.on != AfterOn::start && !all[*other].object.name.empty() &&
          ending_of(all[*other].object.kind) == nullptr)
        refuse("`" + after.workload + "` runs until it is deleted, so another workload cannot wait for its end",
               "set `on = start`");
    }
}

// The functions that the workload needs and are not there yet, then its own lines. `waited`: others wait for it.
std::string submit_lines(const Submissions& all, std::size_t i, bool waited, std::unordered_set<std::string>& known) {
  const Submission& own = all[i];
  const std::string apply = "kubectl apply -f " + sh_word(own.file), submitted = "submitted" + std::to_string(i + 1);
  std::string functions, tests;
  for (const model::After& after : own.workload->depends_on) {
    const bool start = after.on == AfterOn::start;
    const std::string variable = contract_name("OBJECT_", after.workload);
    if (!all.find(after.workload) && known.insert(variable).second)
      functions += ": \"${" + variable + ":?the kubectl name of " + after.workload + ", as in job.batch/NAME}\"\n";
    if (known.insert((start ? "start_of_" : "end_of_") + after.workload).second)
      functions += wait_function(all, own, after.workload, start);
    tests += (tests.empty() ? "" : " && ") + test_of(all, after);
  }
  const auto& waits = own.workload->depends_on;  // what comes after a failure is not missed where there is none
  const bool after_failure =
      std::any_of(waits.begin(), waits.end(), [](const model::After& a) { return a.on == AfterOn::failure; });
  const auto note = [&](const char* word) { return waited ? "  " + submitted + "=" + word + "\n" : std::string(); };
  if (tests.empty()) return apply + "\n" + (waited ? submitted + "=yes\n" : "");
  return functions + "if " + tests + "; then\n  " + apply + "\n" + note("yes") + "else\n  echo " +
         sh_text(own.workload->name + " is not submitted, because its condition is not met") + " >&2\n" + note("no") +
         (after_failure ? "" : "  missed=1\n") + "fi\n";
}

}  // namespace

std::optional<Document> submit_script(std::span<const Submission> submissions, Diagnostics& diagnostics) {
  const Submissions all(submissions);
  if (!all.is_chained()) return std::nullopt;
  all.check_variables(diagnostics);
  check(all, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  std::string out = submit_head(
      "Submits the workloads of this folder, each after those that it depends on; runs until all are submitted.");
  out += "missed=0\n";
  std::unordered_set<std::string> known;
  std::vector<bool> waited(all.size());
  for (const Submission& each : submissions)
    for (const model::After& after : each.workload->depends_on)
      if (const auto other = all.find(after.workload)) waited[*other] = true;
  const std::vector<std::size_t> order = all.in_order();
  for (const bool waits : {false, true})  // what waits for nothing is not kept by what does
    for (const std::size_t i : order)
      if (all[i].workload->depends_on.empty() != waits) out += submit_lines(all, i, waited[i], known);
  return Document{"submit.kubernetes.sh", out + "exit \"$missed\"\n"};
}

}  // namespace muster::targets::kubernetes
