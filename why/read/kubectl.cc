// kubectl get in its tables, and what refuses an object or a job at submission.
#include <algorithm>
#include <array>
#include <utility>

#include "compiler/base/text.h"
#include "why/read/read.h"
#include "why/read/table.h"

namespace muster::why {
namespace {

struct TableForm {
  std::string_view column;  // that only tables of this kind have
  std::string_view type;
  bool of_cluster = false;  // of no namespace
};
constexpr std::array table_forms = {TableForm{"RESERVED IN", "workload"},
                                    TableForm{"CLUSTERQUEUE", "localqueue"},
                                    TableForm{"MINMEMBER", "podgroup"},
                                    TableForm{"TERMINALSTATE", "jobset"},
                                    TableForm{"ROLES", "node", true},
                                    TableForm{"RESTARTS", "pod"},
                                    TableForm{"STORAGECLASS", "persistentvolumeclaim"},
                                    TableForm{"PROVISIONER", "storageclass", true},
                                    TableForm{"COMPLETIONS", "job"},
                                    TableForm{"PENDING WORKLOADS", "clusterqueue", true},
                                    TableForm{"UP-TO-DATE", "deployment"},
                                    TableForm{"GLOBAL-DEFAULT", "priorityclass", true},
                                    TableForm{"SECRETS", "serviceaccount"},
                                    TableForm{"APIVERSION", "api-resource", true}};

std::string singular(std::string kind) {
  if (kind.ends_with("sses")) kind.resize(kind.size() - 2);
  else if (kind.ends_with("ies")) kind = kind.substr(0, kind.size() - 3) + "y";
  else if (kind.ends_with("s") && !kind.ends_with("ss")) kind.pop_back();
  return kind;
}

// "pod" of `kubectl get pods -n x`; without a command what the file is called: "pods.txt", "get-pods.out".
std::string asked_kind(const Reading& reading) {
  std::vector<std::string_view> words = split(reading.command, ' ');
  std::erase_if(words, [](std::string_view word) { return word.empty() || word[0] == '-'; });
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (is_one_of(words[i], {"get", "describe"}))
      return singular(lower(words[i + 1].substr(0, words[i + 1].find_first_of(",./"))));
  if (!reading.command.empty()) return {};
  std::string_view file = base_name(reading.sources.name(reading.file));
  file = file.substr(0, file.rfind('.'));
  for (const std::string_view head : {"kubectl-", "get-", "describe-"})
    if (file.starts_with(head)) file.remove_prefix(head.size());
  return singular(lower(file));
}

void add_event(Reading& reading, const Row& row, std::size_t line, std::uint32_t order) {
  Object& event = reading.add(Kind::event, std::string(row.get({"OBJECT"})), line);
  event.type = row.get({"REASON"});
  event.name_space = row.get({"NAMESPACE"});
  event.add("type", std::string(row.get({"TYPE"})), event.place);
  event.add("age", std::string(row.get({"LAST SEEN"})), event.place);
  event.add("message", std::string(row.get({"MESSAGE"})), event.place);
  event.add("order", std::to_string(order), event.place);
}

}  // namespace

bool opens_kubectl_output(std::string_view line) {
  const bool header = is_one_of(line.substr(0, line.find(' ')), {"NAME", "NAMESPACE", "LAST"}) &&
                      line.find("  ") != std::string_view::npos && std::none_of(line.begin(), line.end(), is_lower);
  return header || line.starts_with("No resources found") || line.starts_with("Error from server") ||
         line.starts_with("Name:  ");
}

std::size_t read_kubectl_table(Reading& reading, std::size_t at) {
  const std::string_view first = reading.text(at);
  if (first.starts_with("No resources found")) {
    Object& none = reading.add(Kind::absent, {}, at);
    none.type = asked_kind(reading);
    const std::size_t in = first.find(" in "), end = first.find(" namespace");
    if (in != std::string_view::npos && end != std::string_view::npos && end > in + 4)
      none.name_space = first.substr(in + 4, end - in - 4);
    return 1;
  }
  if (!opens_kubectl_output(first) && first != "NAME") return 0;
  if (first.starts_with("Error") || first.starts_with("Name:")) return 0;
  std::size_t end = at + 1;
  while (end < reading.lines.size() && !reading.is_command(end) && !reading.text(end).empty() &&
         !reading.text(end).starts_with("No resources found") && !reading.text(end).starts_with("Name:  ")) {
    const std::string_view next = reading.text(end);
    if (next != first && is_one_of(next.substr(0, next.find(' ')), {"NAME", "NAMESPACE", "LAST"}) &&
        std::none_of(next.begin(), next.end(), is_lower))
      break;
    ++end;
  }
  const Table table = read_table(reading.lines.subspan(at, end - at));
  std::string type = asked_kind(reading);
  bool of_cluster = false;
  const bool events = std::find(table.columns.begin(), table.columns.end(), "LAST SEEN") != table.columns.end();
  for (const TableForm& form : table_forms)
    if (std::find(table.columns.begin(), table.columns.end(), form.column) != table.columns.end()) {
      type = form.type;
      of_cluster = form.of_cluster;
      break;
    }
  std::uint32_t order = 0;
  for (const Row& row : table.rows) {
    const std::size_t line = at + (row.line - reading.lines[at].number);
    if (reading.text(line) == first) continue;
    if (events) {
      add_event(reading, row, line, order++);
      continue;
    }
    Object& object = reading.add(Kind::row, std::string(row.get({"NAME"})), line);
    object.type = type;
    object.name_space = row.get({"NAMESPACE"});
    if (of_cluster) object.add("of-cluster", "true", object.place);
    for (const auto& [column, value] : row.cells) object.add(lower(column), value, object.place);
  }
  return end - at;
}

namespace {

struct Bare {
  std::string_view reason, message;
};

// "0/5 nodes are available: …", "3/3 tasks in gang unschedulable: …", whatever a person left in front of it.
Bare counted_message(std::string_view line) {
  for (const auto& [words, reason] : {std::pair(" nodes are available: ", "FailedScheduling"),
                                      std::pair(" nodes are unavailable: ", "FailedScheduling"),
                                      std::pair(" tasks in gang unschedulable: ", "Unschedulable")}) {
    const std::size_t at = line.find(words);
    if (at == std::string_view::npos) continue;
    std::size_t begin = at;
    while (begin > 0 && (is_digit(line[begin - 1]) || line[begin - 1] == '/')) --begin;
    if (line.substr(begin, at - begin).find('/') != std::string_view::npos) return {reason, line.substr(begin)};
  }
  return {};
}

Bare row_of_event(std::string_view line) {
  if (line.starts_with("queue resource quota insufficient")) return {"Unschedulable", line};
  if (!line.starts_with("Warning  ") && !line.starts_with("Normal  ")) return {};
  const std::size_t begin = line.find_first_not_of(' ', line.find(' '));
  const std::size_t end = line.find("  ", begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  return {line.substr(begin, end - begin), line.substr(line.rfind("  ") + 2)};
}

// A message of a scheduler that was copied without its event: what it is about is not known.
std::size_t read_bare_event(Reading& reading, std::size_t at) {
  const std::string_view line = reading.text(at);
  Bare found = counted_message(line);
  if (found.reason.empty()) found = row_of_event(line);
  if (found.reason.empty()) return 0;
  Object& event = reading.add(Kind::event, {}, at);
  event.type = found.reason;
  event.add("message", std::string(found.message), event.place);
  return 1;
}

}  // namespace

// The job that salloc and srun wait for: "4412" of "salloc: Pending job allocation 4412". "": none.
std::string_view allocated_job(std::string_view line) {
  for (const std::string_view head :
       {"salloc: Pending job allocation ", "salloc: Granted job allocation ", "salloc: job ", "srun: job "})
    if (line.starts_with(head)) {
      const std::string_view id = line.substr(head.size(), line.find(' ', head.size()) - head.size());
      if (all_digits(id)) return id;
    }
  return {};
}

std::size_t read_refusal(Reading& reading, std::size_t at) {
  const std::string_view line = reading.text(at);
  if (const std::string_view job = allocated_job(line); !job.empty()) {
    reading.add(Kind::submitted, std::string(job), at);
    return 1;
  }
  if (const std::size_t taken = read_bare_event(reading, at)) return taken;
  std::string_view program;
  for (const std::string_view submitter : {"sbatch", "salloc"})
    if (line.starts_with(submitter) && line.substr(submitter.size()).starts_with(": ")) program = submitter;
  if (line.starts_with("srun: error: Unable to allocate resources")) program = "srun";
  const bool created =
      line.ends_with(" created") && line.find(' ') == line.size() - 8 && line.find('/') != std::string_view::npos;
  if (created) {
    reading.add(Kind::submitted, std::string(line.substr(0, line.size() - 8)), at).type = "kubectl";
    return 1;
  }
  if (line.starts_with("Error from server") || line.starts_with("error: ") || line.starts_with("error validating") ||
      (line.starts_with("The ") && line.find("\" is invalid:") != std::string_view::npos) ||
      line.starts_with("* spec") || line.starts_with("from server for: ") || line.starts_with("ensure CRDs"))
    program = "kubectl";
  if (line.starts_with("Warning: would violate")) return 1;
  if (program.empty()) return 0;
  Object& refused = reading.add(Kind::refused, {}, at);
  refused.type = program;
  refused.add("text", std::string(program == "kubectl" ? line : trimmed(line.substr(program.size() + 1))),
              refused.place);
  if (reading.lines[at].at_edge()) refused.add("at-edge", "true", refused.place);
  return 1;
}

}  // namespace muster::why
