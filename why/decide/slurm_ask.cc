#include "why/decide/slurm_ask.h"

#include <algorithm>
#include <set>

#include "compiler/base/instant.h"
#include "compiler/base/text.h"
#include "targets/slurm/option_table.h"
#include "why/decide/amounts.h"

namespace muster::why {
namespace {

bool is_null(std::string_view value) { return value.empty() || is_one_of(value, {"(null)", "N/A", "None", "none"}); }

std::int64_t first_number(std::string_view text) { return leading_number(text).value; }

// Options of the script under the names that the catalogue and repairs use.
void add_script(const Object& script, Case& out) {
  const auto put = [&](std::string_view option, const char* key) {
    if (const Field* field = script.find(option); field != nullptr && !out.knows(key))
      out.set(key, field->value, field->place);
  };
  for (const auto& [option, key] :
       {std::pair("partition", "ask.partition"), std::pair("account", "ask.account"), std::pair("qos", "ask.qos"),
        std::pair("constraint", "ask.features"), std::pair("reservation", "ask.reservation"),
        std::pair("nodelist", "ask.nodelist"), std::pair("licenses", "ask.licenses"), std::pair("array", "ask.array"),
        std::pair("time", "script.time"), std::pair("chdir", "script.chdir"), std::pair("output", "script.output"),
        std::pair("begin", "script.begin"), std::pair("requeues-itself", "script.requeues-itself"),
        std::pair("dos-lines", "script.dos-lines")})
    put(option, key);
  out.offer("script.known", "1", script.place);
  if (const Field* field = script.find("time"))
    if (const auto minutes = minutes_of(field->value)) out.offer("ask.time", std::to_string(*minutes), field->place);
  // sbatch makes the folder of a pattern's file, not more: what counts is a folder in the text.
  const std::string output(script.get("output"));
  const std::size_t slash = output.rfind('/');
  out.offer("script.output-folder", slash == std::string::npos || slash == 0 ? std::string() : output.substr(0, slash),
            script.place);
  out.offer("script.chdir", "", script.place);
  out.offer("script.requeues-itself", "", script.place);
  if (const Field* unknown = script.find("unknown-option")) {
    std::string near = unknown->value;
    while (near.starts_with("-")) near.erase(0, 1);
    out.offer("option.near", near, unknown->place);
  }
}

// The size of the job as its script says it.
void add_script_size(const Object& script, Case& out) {
  const Field* nodes = script.find("nodes");
  const std::int64_t tasks = script.find("ntasks") != nullptr ? first_number(script.get("ntasks")) : 0;
  const std::int64_t a_task = script.find("cpus-per-task") != nullptr
                                  ? std::max<std::int64_t>(1, first_number(script.get("cpus-per-task")))
                                  : 1;
  const std::int64_t node_tasks = script.find("ntasks-per-node") != nullptr
                                      ? std::max<std::int64_t>(1, first_number(script.get("ntasks-per-node")))
                                      : 1;
  const std::int64_t count = nodes != nullptr ? std::max<std::int64_t>(1, first_number(nodes->value)) : 1;
  out.offer("ask.nodes", std::to_string(count), nodes != nullptr ? nodes->place : script.place);
  const std::int64_t here =
      tasks > 0 && count > 0 && script.find("ntasks-per-node") == nullptr ? (tasks + count - 1) / count : node_tasks;
  const Field* cpus = script.find("cpus-per-task");
  // Tasks without --nodes may spread over nodes: only one task is known to be on one node.
  out.offer("ask.cpus-node",
            std::to_string(nodes == nullptr && script.find("ntasks-per-node") == nullptr ? a_task : here * a_task),
            cpus != nullptr ? cpus->place : script.place);
  out.offer("ask.cpus", std::to_string(std::max(tasks, here * count) * a_task),
            cpus != nullptr ? cpus->place : script.place);
  std::int64_t gpus = 0;
  bool known = true;
  Place place = script.place;
  for (const char* option : {"gpus-per-node", "gres", "gpus-per-task", "gpus"}) {
    const Field* field = script.find(option);
    if (field == nullptr) continue;
    std::string text = field->value;
    if (std::string_view(option) != "gres") text = "gpu:" + text;
    const auto read = gpus_of(text);
    if (!read) continue;
    place = field->place;
    gpus = read->count;
    if (std::string_view(option) == "gpus-per-task") gpus *= here;
    if (std::string_view(option) == "gpus") {
      known = nodes != nullptr && gpus % count == 0;
      gpus = known ? gpus / count : gpus;
    }
    if (!read->type.empty()) out.offer("ask.gpu-type", read->type, field->place);
    break;
  }
  out.offer("ask.gpu-type", "", place);
  if (known) {
    out.offer("ask.gpus-node", std::to_string(gpus), place);
    out.offer("ask.gpus", std::to_string(gpus * count), place);
  }
  if (const Field* memory = script.find("mem")) {
    if (const auto size = megabytes(memory->value)) {
      out.offer("ask.mem-node", std::to_string(*size), memory->place);
      if (*size == 0) out.offer("ask.mem-all", "1", memory->place);
    }
  } else if (const Field* a_cpu = script.find("mem-per-cpu")) {
    if (const auto size = megabytes(a_cpu->value)) {
      out.offer("ask.mem-cpu", std::to_string(*size), a_cpu->place);
      out.offer("ask.mem-node", std::to_string(*size * here * a_task), a_cpu->place);
    }
  } else if (script.find("mem-per-gpu") == nullptr) {
    out.offer("ask.mem-node", "0", script.place);
  }
  if (const Field* exclusive = script.find("exclusive")) out.offer("ask.exclusive", "1", exclusive->place);
  if (const Field* switches = script.find("switches"))
    out.offer("ask.switches", std::to_string(first_number(switches->value)), switches->place);
}

// The size of the job as Slurm says it.
void add_job_size(const Object& job, bool detailed, const Object* script, Case& out) {
  const auto at = [&](std::string_view key) { return job.find(key); };
  const std::string requested(job.get("ReqTRES"));
  if (const Field* nodes = at("NumNodes"))
    out.set("ask.nodes", std::max<std::int64_t>(1, first_number(nodes->value)), nodes->place, "nodes");
  if (const Field* time = at("TimeLimit"))
    if (const auto minutes = minutes_of(time->value)) out.set("ask.time", *minutes, time->place, "minutes");
  for (const auto& [from, to] :
       {std::pair("Partition", "ask.partition"), std::pair("Account", "ask.account"), std::pair("QOS", "ask.qos"),
        std::pair("ReqNodeList", "ask.nodelist"), std::pair("Features", "ask.features"),
        std::pair("Licenses", "ask.licenses"), std::pair("Reservation", "ask.reservation")})
    if (const Field* field = at(from)) out.set(to, is_null(field->value) ? std::string() : field->value, field->place);
  if (const Field* user = at("UserId")) out.set("user", user->value.substr(0, user->value.find('(')), user->place);
  if (!detailed && requested.empty()) return;
  const std::int64_t nodes = out.number("ask.nodes").value_or(1);
  const Field* tres = at("ReqTRES");
  const Place place = tres != nullptr ? tres->place : job.place;
  std::string a_node(job.get("TresPerNode"));
  const auto per_node = gpus_of(a_node);
  const auto total = gpus_of(requested);
  // A record without a field that would name them says nothing of GPUs.
  const bool says = at("ReqTRES") != nullptr || at("TRES") != nullptr || at("Gres") != nullptr;
  if (per_node || total || (detailed && says)) {
    const std::int64_t node_gpus = per_node             ? per_node->count
                                   : total && nodes > 0 ? (total->count + nodes - 1) / nodes
                                                        : 0;
    const Field* source = per_node ? at("TresPerNode") : tres;
    out.set("ask.gpus-node", node_gpus, source != nullptr ? source->place : place, "GPUs");
    out.set("ask.gpus", total ? total->count : node_gpus * nodes, place, "GPUs");
    const std::string type = per_node && !per_node->type.empty() ? per_node->type : total ? total->type : std::string();
    out.set("ask.gpu-type", type, place);
  }
  const std::int64_t cpus = at("NumCPUs") != nullptr    ? first_number(job.get("NumCPUs"))
                            : tres_of(requested, "cpu") ? first_number(*tres_of(requested, "cpu"))
                                                        : 0;
  if (cpus > 0) {
    const std::int64_t least = at("MinCPUsNode") != nullptr ? first_number(job.get("MinCPUsNode")) : 1;
    out.set("ask.cpus", cpus, place, "CPUs");
    out.set("ask.cpus-node", std::max(least, (cpus + nodes - 1) / nodes), place, "CPUs");
  }
  if (const Field* memory = at("MinMemoryNode")) {
    const auto size = megabytes(memory->value);
    const bool says_none =
        script != nullptr && (script->find("mem") != nullptr || script->find("mem-per-cpu") != nullptr ||
                              script->find("mem-per-gpu") != nullptr);
    if (size && *size > 0) {
      out.set("ask.mem-node", *size, memory->place, "MB");
      out.set("ask.mem-default", "", memory->place);
    } else if (size) {
      // 0 is all memory of each node: written as --mem=0, or the default of a cluster that has none.
      const auto all = tres_of(requested, "mem");
      if (all && megabytes(*all)) out.set("ask.mem-node", *megabytes(*all) / nodes, place, "MB");
      out.set("ask.mem-all", "1", memory->place);
      out.set("ask.mem-default", says_none ? "" : "1", memory->place);
    }
  } else if (const Field* a_cpu = at("MinMemoryCPU")) {
    if (const auto size = megabytes(a_cpu->value)) {
      out.set("ask.mem-cpu", *size, a_cpu->place, "MB");
      out.set("ask.mem-node", *size * out.number("ask.cpus-node").value_or(1), a_cpu->place, "MB");
      out.set("ask.mem-default", "", a_cpu->place);
    }
  }
  if (!detailed) return;
  const std::string_view shared = job.get("OverSubscribe");
  const Field* exclusive = at("Exclusive");
  const bool whole = exclusive != nullptr ? exclusive->value != "NO" : shared == "NO";
  out.set("ask.exclusive", whole ? "1" : "", exclusive != nullptr ? exclusive->place : job.place);
  const Field* switches = at("Switches");
  out.set("ask.switches", switches != nullptr ? std::to_string(first_number(switches->value)) : std::string(),
          switches != nullptr ? switches->place : job.place);
}

void add_license_and_array(Case& out) {
  if (const Known* licenses = out.find("ask.licenses"); licenses != nullptr && !licenses->value.empty()) {
    const Known known = *licenses;
    const std::string first = known.value.substr(0, known.value.find(','));
    const std::size_t colon = first.find_first_of(":=");
    out.set("ask.license", first.substr(0, colon).substr(0, first.find('@')), known.place);
    out.set("ask.license-count", colon == std::string::npos ? std::string("1") : first.substr(colon + 1), known.place,
            "licenses");
  }
  const Known* array = out.find("ask.array");
  if (array == nullptr || array->value.empty()) return;
  const Known known = *array;
  std::string list = known.value.substr(0, known.value.find('%'));
  std::int64_t most = 0, tasks = 0;
  for (const std::string_view item : split(list, ',')) {
    const Leading from = leading_number(item);
    const std::size_t dash = item.find('-');
    const std::int64_t to = dash == std::string_view::npos ? from.value : first_number(item.substr(dash + 1));
    const std::size_t colon = item.find(':');
    const std::int64_t step =
        colon == std::string_view::npos ? 1 : std::max<std::int64_t>(1, first_number(item.substr(colon + 1)));
    most = std::max(most, to);
    if (to >= from.value && to < 1'000'000'000) tasks += (to - from.value) / step + 1;
  }
  out.set("ask.array-max", most, known.place);
  out.set("array.tasks", tasks, known.place, "tasks");
  if (const std::size_t percent = known.value.find('%'); percent != std::string::npos)
    out.offer("array.throttle", known.value.substr(percent + 1), known.place);
}

// A repair that is tried: the same job with other options.
void apply(const Changes& changes, Case& out) {
  const auto number = [&](const char* key) { return out.number(key).value_or(0); };
  for (const auto& [option, value] : changes) {
    if (option == "nodes") {
      const std::int64_t before = std::max<std::int64_t>(1, number("ask.nodes")), cpus = number("ask.cpus-node");
      out.set("ask.nodes", value);
      if (out.knows("ask.gpus-node")) out.set("ask.gpus", number("ask.gpus-node") * number("ask.nodes"));
      if (out.knows("ask.cpus-node")) out.set("ask.cpus", cpus * number("ask.nodes"));
      (void)before;
    } else if (option == "gpus-node") {
      out.set("ask.gpus-node", value);
      out.set("ask.gpus", number("ask.gpus-node") * std::max<std::int64_t>(1, number("ask.nodes")));
    } else if (option == "mem") {
      out.set("ask.mem-node", value);
      out.set("ask.mem-default", "");
      out.forget("ask.mem-all");
    } else {
      out.set("ask." + option, value);
      if (option == "cpus-node")
        out.set("ask.cpus", number("ask.cpus-node") * std::max<std::int64_t>(1, number("ask.nodes")));
    }
  }
}

}  // namespace

void add_ask(const Facts&, const Object* job, bool detailed, const Object* script, const Changes& changes, Case& out) {
  if (job != nullptr) add_job_size(*job, detailed, script, out);
  if (script != nullptr) {
    add_script(*script, out);
    // Of a job that Slurm describes in full its script only adds what is not there.
    add_script_size(*script, out);
    if (job == nullptr) {
      for (const char* key : {"ask.nodelist", "ask.features", "ask.exclusive", "ask.switches"})
        out.offer(key, "", script->place);
    }
  }
  add_license_and_array(out);
  apply(changes, out);
  if (const Known* option = out.find("refused.option.option"); option != nullptr && !out.knows("option.near")) {
    const std::string name = option->value.substr(0, option->value.find('='));
    std::vector<std::string_view> names;
    for (const targets::slurm::OptionRow& row : targets::slurm::option_rows(targets::slurm::Tool::sbatch))
      names.push_back(row.name);
    if (const std::string near = closest(name, names); !near.empty()) out.set("option.near", near, option->place);
  }
}

void add_partition(const Facts& facts, Case& out) {
  const auto partitions = facts.of(Kind::partition);
  if (const Known* refused = out.find("refused.partition.partition"))
    out.offer("ask.partition", refused->value, refused->place);
  // Whoever shows one partition shows that of the job.
  std::vector<const Object*> detailed;
  for (const Object* partition : partitions)
    if (partition->get("listed").empty() && (detailed.empty() || detailed.front()->name != partition->name))
      detailed.push_back(partition);
  if (!out.knows("ask.partition") && !out.knows("script.known") && detailed.size() == 1)
    out.set("ask.partition", detailed.front()->name, detailed.front()->place);
  if (!out.knows("ask.partition"))
    for (const Object* partition : partitions)
      if (partition->get("Default") == "YES") out.set("ask.partition", partition->name, partition->place);
  const std::string name(out.get("ask.partition"));
  std::vector<std::string_view> names;
  for (const Object* partition : partitions) {
    names.push_back(partition->name);
    if (partition->name != name) continue;
    const auto put = [&](const char* from, const char* to) {
      if (const Field* field = partition->find(from)) out.offer(to, field->value, field->place);
    };
    put("State", "part.state");
    put("PriorityTier", "part.tier");
    if (const Field* time = partition->find("MaxTime"))
      if (const auto minutes = minutes_of(time->value))
        out.offer("part.max-time", std::to_string(*minutes), time->place);
    if (const Field* nodes = partition->find("MaxNodes"); nodes != nullptr && all_digits(nodes->value))
      out.offer("part.max-nodes", nodes->value, nodes->place);
    if (const Field* memory = partition->find("MaxMemPerCPU"); memory != nullptr && all_digits(memory->value)) {
      out.offer("part.max-mem-cpu", memory->value, memory->place);
      if (out.number("ask.mem-cpu").value_or(0) > first_number(memory->value))
        out.set("part.mem-cpu-exceeded", "1", memory->place);
    }
    if (const Field* groups = partition->find("AllowGroups"); groups != nullptr && groups->value != "ALL")
      out.offer("part.allow-groups", groups->value, groups->place);
    for (const auto& [allow, deny, ask, barred, listed] :
         {std::tuple("AllowAccounts", "DenyAccounts", "ask.account", "part.account-barred", "part.allow-accounts"),
          std::tuple("AllowQos", "DenyQos", "ask.qos", "part.qos-barred", "part.allow-qos")}) {
      const Field* allowed = partition->find(allow);
      const Field* denied = partition->find(deny);
      if (allowed == nullptr && denied == nullptr) continue;
      const std::string mine(out.get(ask));
      const auto lists = [&](const Field* field) {
        const auto items = split(field->value, ',');
        return std::find(items.begin(), items.end(), mine) != items.end();
      };
      const bool restricts = allowed != nullptr && allowed->value != "ALL";
      const bool is_barred = (restricts && !lists(allowed)) || (denied != nullptr && !mine.empty() && lists(denied));
      const Place place = allowed != nullptr ? allowed->place : denied->place;
      out.offer(barred, is_barred ? "1" : "", place);
      if (restricts) out.offer(listed, allowed->value, place);
    }
  }
  // Another partition that is up, to move to.
  for (const Object* partition : partitions)
    if (partition->name != name && partition->get("State") == "UP" &&
        (partition->get("Default") == "YES" || !out.knows("part.other")))
      out.set("part.other", partition->name, partition->place);
  if (out.knows("refused.partition") && !names.empty())
    if (const std::string near = closest(name, names); !near.empty())
      out.set("part.near", near, partitions.front()->place);
  if (out.knows("refused.partition") && !names.empty() && !out.knows("part.near"))
    for (const std::string_view one : names)
      if (equal_ignoring_case(one, name)) out.set("part.near", std::string(one), partitions.front()->place);
  for (const Object* license : facts.of(Kind::license))
    if (license->name == out.get("ask.license")) {
      out.set("license.total", std::string(license->get("Total")), license->place, "licenses");
      out.set("license.used", std::string(license->get("Used")), license->place, "licenses");
      const std::int64_t free = first_number(license->get("Total")) - first_number(license->get("Used"));
      if (free > 0) out.set("fix.licenses", license->name + ":" + std::to_string(free), license->place);
    }
  for (const Object* value : facts.of(Kind::config)) {
    out.offer("config." + value->name, std::string(value->get("value")), value->place);
    if (value->name == "MaxArraySize") {
      const std::int64_t most = first_number(value->get("value")) - 1;
      out.set("array.limit", most, value->place);
      if (out.number("ask.array-max").value_or(0) > most)
        out.set("fix.array", "0-" + std::to_string(most), value->place);
    }
  }
  for (const Object* reservation : facts.of(Kind::reservation)) {
    const bool asked = reservation->name == out.get("ask.reservation");
    const bool maintenance = reservation->get("Flags").find("MAINT") != std::string_view::npos;
    if (asked || maintenance || facts.of(Kind::reservation).size() == 1) {
      out.offer("res.start", std::string(reservation->get("StartTime")), reservation->place);
      if (asked) out.offer("res.users", std::string(reservation->get("Users")), reservation->place);
      // From when the job was looked at last to when the reservation begins.
      const auto begin = parse_instant(reservation->get("StartTime"));
      const std::string_view looked = out.get("job.looked-at");
      const auto from = looked.empty() ? std::nullopt : parse_instant(looked);
      if (begin && from) {
        const std::int64_t minutes = (begin->seconds - from->seconds + 59) / 60;
        out.offer("res.minutes", std::to_string(minutes), reservation->place);
        if (minutes >= 1440) out.offer("res.days", std::to_string((minutes + 720) / 1440), reservation->place);
        if (minutes > 30) out.offer("res.fits", std::to_string(minutes - minutes / 4), reservation->place);
      }
    }
    if (!maintenance && out.get("job.reason") == "ReqNodeNotAvail" && facts.of(Kind::drained).empty())
      out.offer("reserved.only", "1", reservation->place);
  }
}

}  // namespace muster::why
