// The outputs of Slurm: `Key=Value` records of scontrol, tables of squeue, sinfo, sacct, sacctmgr and sprio.
#include <algorithm>
#include <array>
#include <utility>

#include "compiler/base/text.h"
#include "why/read/read.h"
#include "why/read/table.h"

namespace muster::why {
namespace {

struct RecordForm {
  std::string_view head;
  Kind kind;
};
constexpr std::array record_forms = {RecordForm{"JobId=", Kind::job},
                                     RecordForm{"NodeName=", Kind::node},
                                     RecordForm{"PartitionName=", Kind::partition},
                                     RecordForm{"ReservationName=", Kind::reservation},
                                     RecordForm{"LicenseName=", Kind::license},
                                     RecordForm{"SwitchName=", Kind::leaf}};

// Values of these are free text to the end of their line.
bool is_free_text(std::string_view key) {
  return is_one_of(
      key, {"Comment", "AdminComment", "SystemComment", "Command", "SubmitLine", "OS", "Extra", "JobName", "WorkDir"});
}

// `Key=Value` words of a line. A word without `=` goes on with the value before it: "Reason=NHC: GPU 3 fell off".
void add_words(Object& object, std::string_view line, Place place) {
  std::string key, value;
  const auto put = [&] {
    if (!key.empty() && object.find(key) == nullptr)
      object.add(std::exchange(key, {}), std::exchange(value, {}), place);
    key.clear();
    value.clear();
  };
  for (std::size_t at = 0; at < line.size();) {
    while (at < line.size() && line[at] == ' ') ++at;
    std::size_t end = line.find(' ', at);
    if (end == std::string_view::npos) end = line.size();
    const std::string_view word = line.substr(at, end - at);
    const std::size_t equals = word.find('=');
    const bool begins = equals != std::string_view::npos && equals > 0 && is_letter(word[0]) &&
                        word.substr(0, equals).find_first_of("(,[\"'") == std::string_view::npos;
    if (begins && !is_free_text(key)) {
      put();
      key = std::string(word.substr(0, equals));
      value = std::string(word.substr(equals + 1));
    } else if (begins && key == "JobName") {
      put();
      key = std::string(word.substr(0, equals));
      value = std::string(word.substr(equals + 1));
    } else if (!word.empty()) {
      value += (value.empty() ? "" : " ") + std::string(word);
    }
    at = end;
  }
  put();
}

std::size_t read_records(Reading& reading, std::size_t at) {
  for (const RecordForm& form : record_forms) {
    if (!reading.text(at).starts_with(form.head)) continue;
    Object& object = reading.add(form.kind, {}, at);
    std::size_t end = at;
    do {
      add_words(object, reading.text(end), reading.place(end));
      ++end;
    } while (end < reading.lines.size() && !reading.is_command(end) && reading.text(end).starts_with(" ") &&
             reading.text(end).find('=') != std::string_view::npos);
    object.name = object.get(form.head.substr(0, form.head.size() - 1));
    // Tasks of an array have their own ids, and the id that people type.
    if (form.kind == Kind::job)
      if (const auto array = object.get("ArrayJobId"); !array.empty() && array != "0")
        object.add("Array", std::string(array), object.place);
    return end - at;
  }
  return 0;
}

// The short states of squeue.
std::string_view whole_state(std::string_view state) {
  constexpr std::pair<std::string_view, std::string_view> states[] = {
      {"PD", "PENDING"},     {"R", "RUNNING"},         {"CG", "COMPLETING"},  {"CD", "COMPLETED"},
      {"F", "FAILED"},       {"TO", "TIMEOUT"},        {"CA", "CANCELLED"},   {"NF", "NODE_FAIL"},
      {"PR", "PREEMPTED"},   {"OOM", "OUT_OF_MEMORY"}, {"CF", "CONFIGURING"}, {"S", "SUSPENDED"},
      {"DL", "DEADLINE"},    {"RQ", "REQUEUED"},       {"BF", "BOOT_FAIL"},   {"RH", "REQUEUE_HOLD"},
      {"SE", "SPECIAL_EXIT"}};
  for (const auto& [brief, whole] : states)
    if (state == brief) return whole;
  return state;
}

struct Meaning {
  std::initializer_list<std::string_view> columns;
  std::string_view key;
};

void put(Object& object, const Row& row, Place place, std::initializer_list<Meaning> meanings) {
  for (const Meaning& meaning : meanings)
    if (const std::string_view value = row.get(meaning.columns); !value.empty())
      object.add(std::string(meaning.key), std::string(value), place);
}

void add_queued(Reading& reading, const Row& row, std::size_t at) {
  Object& job = reading.add(Kind::job, std::string(row.get({"JOBID", "JOBID_TASKID"})), at);
  put(job, row, job.place,
      {{{"PARTITION"}, "Partition"},
       {{"NAME"}, "JobName"},
       {{"USER"}, "UserId"},
       {{"ACCOUNT"}, "Account"},
       {{"QOS"}, "QOS"},
       {{"NODES"}, "NumNodes"},
       {{"TIME_LIMIT"}, "TimeLimit"},
       {{"START_TIME"}, "StartTime"}});
  job.add("JobState", std::string(whole_state(row.get({"ST", "STATE"}))), job.place);
  std::string_view reason = row.get({"REASON"});
  if (const std::string_view both = row.get({"NODELIST(REASON)"}); !both.empty()) {
    if (both.starts_with("(")) reason = both.substr(1, both.size() - (both.ends_with(")") ? 2 : 1));
    else job.add("NodeList", std::string(both), job.place);
  }
  if (!reason.empty()) job.add("Reason", std::string(reason), job.place);
  job.add("listed", "squeue", job.place);
}

void add_accounted(Reading& reading, const Row& row, std::size_t at) {
  const std::string id(row.get({"JobID", "JobIDRaw"}));
  if (id.empty()) return;
  const std::size_t dot = id.find('.');
  Object& job = reading.add(dot == std::string::npos ? Kind::job : Kind::step, id.substr(0, dot), at);
  if (dot != std::string::npos) job.type = id.substr(dot + 1);
  put(job, row, job.place,
      {{{"Partition"}, "Partition"},
       {{"JobName"}, "JobName"},
       {{"User"}, "UserId"},
       {{"Account"}, "Account"},
       {{"ExitCode"}, "ExitCode"},
       {{"DerivedExitCode"}, "DerivedExitCode"},
       {{"Timelimit"}, "TimeLimit"},
       {{"Restarts"}, "Restarts"},
       {{"ReqMem"}, "ReqMem"},
       {{"MaxRSS"}, "MaxRSS"},
       {{"Reason"}, "Reason"},
       {{"NodeList"}, "NodeList"},
       {{"NNodes"}, "NumNodes"},
       {{"Elapsed"}, "Elapsed"}});
  job.add("JobState", std::string(row.get({"State"})), job.place);
  job.add("listed", "sacct", job.place);
}

void add_nodes(Reading& reading, const Row& row, std::size_t at) {
  const auto names = expand_hosts(row.get({"NODELIST", "HOSTNAMES", "NODELIST(HOSTNAMES)"}), 20000);
  if (!names) return;
  for (const std::string& name : *names) {
    Object& node = reading.add(Kind::node, name, at);
    put(node, row, node.place,
        {{{"STATE"}, "State"},
         {{"CPUS(A/I/O/T)"}, "CPUsState"},
         {{"CPUS"}, "CPUTot"},
         {{"ALLOCMEM"}, "AllocMem"},
         {{"MEMORY"}, "RealMemory"},
         {{"GRES"}, "Gres"},
         {{"GRES_USED"}, "GresUsed"},
         {{"AVAIL_FEATURES", "FEATURES"}, "AvailableFeatures"}});
    if (const std::string_view partition = row.get({"PARTITION"}); !partition.empty() && row.get({"AVAIL"}).empty())
      node.add("Partitions",
               std::string(partition.ends_with("*") ? partition.substr(0, partition.size() - 1) : partition),
               node.place);
  }
}

void add_partition(Reading& reading, const Row& row, std::size_t at) {
  std::string name(row.get({"PARTITION"}));
  Object& partition = reading.add(Kind::partition, {}, at);
  if (name.ends_with("*")) {
    name.pop_back();
    partition.add("Default", "YES", partition.place);
  }
  partition.name = name;
  put(partition, row, partition.place, {{{"TIMELIMIT"}, "MaxTime"}, {{"NODELIST"}, "Nodes"}, {{"STATE"}, "NodeState"}});
  std::string_view state = row.get({"AVAIL"});
  partition.add("State", state == "inact" ? "INACTIVE" : upper(state), partition.place);
  partition.add("listed", "sinfo", partition.place);
  if (const auto hosts = expand_hosts(row.get({"NODELIST"}), 20000))
    for (const std::string& host : *hosts) {
      Object& node = reading.add(Kind::node, host, at);
      node.add("State", std::string(row.get({"STATE"})), node.place);
    }
}

void add_drained(Reading& reading, const Row& row, std::size_t at) {
  const auto names = expand_hosts(row.get({"NODELIST"}), 20000);
  if (!names) return;
  for (const std::string& name : *names)
    reading.add(Kind::drained, name, at).add("Reason", std::string(row.get({"REASON"})), reading.place(at));
}

void add_limits(Reading& reading, const Row& row, std::size_t at, Kind kind) {
  Object& object = reading.add(kind, std::string(row.get({kind == Kind::qos ? "Name" : "Account"})), at);
  if (kind == Kind::association) object.type = row.get({"User"});
  for (const auto& [column, value] : row.cells)
    if (!column.empty()) object.add(column, value, object.place);
}

using AddRow = void (*)(Reading&, const Row&, std::size_t);
void add_qos(Reading& reading, const Row& row, std::size_t at) { add_limits(reading, row, at, Kind::qos); }
void add_association(Reading& reading, const Row& row, std::size_t at) {
  add_limits(reading, row, at, Kind::association);
}
void add_priority(Reading& reading, const Row& row, std::size_t at) {
  Object& object = reading.add(Kind::priority, std::string(row.get({"JOBID"})), at);
  put(object, row, object.place, {{{"PRIORITY"}, "Priority"}});
}
void add_nothing(Reading&, const Row&, std::size_t) {}

// What a table is, by the columns that only it has; nullptr: it is none of Slurm's.
AddRow table_of(std::string_view header) {
  const bool bars = header.find('|') != std::string_view::npos;
  std::vector<std::string> names;
  if (bars)
    for (const std::string_view name : split(header, '|')) names.emplace_back(trimmed(name));
  else names = header_names(header);
  const auto has = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (names.size() < 2) return nullptr;
  if (has("JOBID") && (has("ST") || has("STATE") || has("NODELIST(REASON)") || has("REASON"))) return add_queued;
  if (has("JOBID") && has("PRIORITY")) return add_priority;
  if ((has("JobID") || has("JobIDRaw")) && (has("State") || has("ExitCode"))) return add_accounted;
  if (has("PARTITION") && has("AVAIL")) return add_partition;
  if (has("REASON") && has("USER") && has("TIMESTAMP")) return add_drained;
  if (names[0] == "NODELIST" || names[0] == "HOSTNAMES" || (has("NODELIST") && (has("GRES") || has("CPUS(A/I/O/T)"))))
    return add_nodes;
  if (bars && has("Account")) return add_association;
  if (bars && names[0] == "Name") return add_qos;
  if (has("Account") && has("User") && has("RawShares")) return add_nothing;
  return nullptr;
}

std::size_t read_tables(Reading& reading, std::size_t at) {
  const AddRow add = table_of(reading.text(at));
  if (add == nullptr) return 0;
  std::size_t end = at + 1;
  while (end < reading.lines.size() && !reading.is_command(end) && !reading.text(end).empty() &&
         (reading.text(end) == reading.text(at) || table_of(reading.text(end)) == nullptr)) {
    const std::string_view line = reading.text(end);
    if (std::any_of(record_forms.begin(), record_forms.end(),
                    [&](const RecordForm& form) { return line.starts_with(form.head); }))
      break;
    if (line.find(": error:") != std::string_view::npos) break;
    ++end;
  }
  const Table table = read_table(reading.lines.subspan(at, end - at));
  for (const Row& row : table.rows) {
    const std::size_t line = at + (row.line - reading.lines[at].number);
    if (reading.text(line) != reading.text(at)) add(reading, row, line);
  }
  // A table with a header alone says that there is nothing.
  if (table.rows.empty()) {
    Object& none = reading.add(Kind::absent, std::string(called_program(reading.command)), at);
    none.type = add == add_queued ? "job" : add == add_association ? "association" : "row";
  }
  return end - at;
}

// `MaxArraySize            = 1001` of scontrol show config.
std::size_t read_config(Reading& reading, std::size_t at) {
  const std::string_view line = reading.text(at);
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || equals < 5 || line[equals - 1] != ' ' || !is_upper(line[0])) return 0;
  const std::string_view key = trimmed(line.substr(0, equals));
  if (!std::all_of(key.begin(), key.end(), is_alnum) || line.substr(equals).substr(0, 2) != "= ") return 0;
  reading.add(Kind::config, std::string(key), at)
      .add("value", std::string(trimmed(line.substr(equals + 1))), reading.place(at));
  return 1;
}

}  // namespace

bool opens_slurm_output(std::string_view line) {
  for (const RecordForm& form : record_forms)
    if (line.starts_with(form.head)) return true;
  return line.starts_with("Submitted batch job ") || table_of(line) != nullptr || line.starts_with("slurmstepd") ||
         line.starts_with("srun: ") || line.starts_with("sbatch: ") || line.starts_with("Slurm accounting storage");
}

std::size_t read_slurm_output(Reading& reading, std::size_t at) {
  for (const auto reader : {read_records, read_tables, read_config})
    if (const std::size_t taken = reader(reading, at)) return taken;
  const std::string_view line = reading.text(at);
  if (constexpr std::string_view said = "Submitted batch job "; line.starts_with(said)) {
    reading.add(Kind::submitted, std::string(line.substr(said.size(), line.find(' ', said.size()) - said.size())), at);
    return 1;
  }
  if (line.starts_with("Slurm accounting storage is disabled")) {
    reading.add(Kind::absent, {}, at).type = "accounting";
    return 1;
  }
  if (line.starts_with("uid=") && line.find(" gid=") != std::string_view::npos) {
    reading.add(Kind::config, "id", at).add("value", std::string(line), reading.place(at));
    return 1;
  }
  return 0;
}

}  // namespace muster::why
