// scontrol show node, partition, config and topology.
#include <algorithm>

#include "compiler/base/instant.h"
#include "compiler/base/text.h"
#include "targets/slurm/read/fields.h"
#include "targets/slurm/read/records.h"

namespace muster::targets::slurm {
namespace {

std::vector<std::string> states_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('+'), text.size());
    std::string_view word = text.substr(0, end);
    while (!word.empty() && !is_letter(word.back())) word.remove_suffix(1);  // IDLE*
    if (!word.empty()) out.emplace_back(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

void not_valid(const Fields& fields, std::string_view key, std::string_view value, Diagnostics& diagnostics) {
  diagnostics.add(Code::damaged_record, fields.span,
                  "`" + std::string(key) + "` has no valid value: `" + printable(value, 40) + "`");
}

std::optional<NodeRecord> node_of(const Fields& fields, Diagnostics& diagnostics) {
  NodeRecord out;
  out.name = fields.get("NodeName");
  out.span = fields.span;
  if (!good_host(out.name, fields.span, diagnostics)) return std::nullopt;
  const auto cpus = fields.number("CPUTot"), memory = fields.number("RealMemory");
  if (!good_amount(cpus, "CPUTot", out.name, fields.span, diagnostics)) return std::nullopt;
  if (!good_amount(memory, "RealMemory", out.name, fields.span, diagnostics)) return std::nullopt;
  out.cpus = *cpus;
  out.threads = threads_of(fields, *cpus);
  out.memory_mib = *memory;
  out.spec_cpus = std::clamp<std::int64_t>(*cpus - fields.number("CPUEfctv").value_or(*cpus), 0, *cpus);
  out.spec_memory_mib = std::min(fields.number("MemSpecLimit").value_or(0), *memory);
  out.disk_mib = std::min(fields.number("TmpDisk").value_or(0), most_mebibytes);
  out.arch = fields.get("Arch");
  out.gres = read_gres(fields.get("Gres"));
  out.features = read_list(fields.get("AvailableFeatures"));
  out.states = states_of(fields.get("State"));
  out.reason = fields.get("Reason");
  out.live = true;
  out.used_cpus = std::min(fields.number("CPUAlloc").value_or(0), *cpus);
  out.used_memory_mib = std::min(fields.number("AllocMem").value_or(0), *memory);
  if (const std::string_view used = fields.get("GresUsed"); !used.empty()) out.used_gres = read_gres(used);
  fields.get("CPUSpecList");  // CPUEfctv says how many these are
  out.unread = fields.unread(silent_keys(ClusterFile::nodes));
  return out;
}

// A number of a partition; UNLIMITED, NONE and what is not there are none. Others are damaged.
std::optional<std::int64_t> limit_of(const Fields& fields, std::string_view key, Diagnostics& diagnostics) {
  const std::string_view text = fields.get(key);
  if (is_no_limit(text)) return std::nullopt;
  const auto value = whole_number(text);
  if (!value) not_valid(fields, key, text, diagnostics);
  return value;
}

std::optional<Duration> time_of(const Fields& fields, std::string_view key, Diagnostics& diagnostics) {
  const std::string_view text = fields.get(key);
  if (is_no_limit(text)) return std::nullopt;
  const auto value = read_time(text);
  if (!value) not_valid(fields, key, text, diagnostics);
  return value;
}

std::string_view one_of(const Fields& fields, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const std::string_view value = fields.get(key); !value.empty()) return value;
  return {};
}

}  // namespace

bool NodeRecord::is(std::string_view state) const {
  return std::any_of(states.begin(), states.end(), [&](const std::string& s) { return equal_ignoring_case(s, state); });
}

std::optional<PartitionRecord> partition_of(const Fields& fields, Diagnostics& diagnostics) {
  PartitionRecord out;
  out.name = fields.get("PartitionName");
  out.span = fields.span;
  if (!good_host(out.name, fields.span, diagnostics)) return std::nullopt;
  const std::string_view nodes = fields.get("Nodes");
  out.all_nodes = equal_ignoring_case(nodes, "ALL");
  if (!out.all_nodes) out.hosts = nodes;
  out.is_default = equal_ignoring_case(fields.get("Default"), "YES");
  out.root_only = equal_ignoring_case(fields.get("RootOnly"), "YES");
  if (const std::string_view state = fields.get("State"); !state.empty()) out.state = state;
  out.max_time = time_of(fields, "MaxTime", diagnostics);
  out.default_time = time_of(fields, "DefaultTime", diagnostics);
  out.max_nodes = limit_of(fields, "MaxNodes", diagnostics);
  out.accounts = read_list(fields.get("AllowAccounts"));
  out.qos = read_list(fields.get("AllowQos"));
  out.own_qos = fields.get("QoS");
  out.oversubscribe = one_of(fields, {"OverSubscribe", "Shared"});
  out.memory_a_node = limit_of(fields, "DefMemPerNode", diagnostics);
  out.memory_a_cpu = limit_of(fields, "DefMemPerCPU", diagnostics);
  out.job_defaults = fields.get("JobDefaults");
  out.preempt_mode = fields.get("PreemptMode");
  out.priority_tier = limit_of(fields, "PriorityTier", diagnostics).value_or(1);
  out.unread = fields.unread(silent_keys(ClusterFile::partitions));
  return out;
}

// CPUs are hardware threads where there are as many of them; else Slurm was told to count cores.
std::int64_t threads_of(const Fields& fields, std::int64_t cpus) {
  const std::int64_t threads = fields.number("ThreadsPerCore").value_or(1);
  if (threads < 2 || threads > 64 || cpus % threads != 0) return 1;
  std::int64_t cores = 1;
  bool sockets = false;
  for (const std::string_view key : {"Boards", "Sockets", "SocketsPerBoard", "CoresPerSocket"}) {
    const auto number = fields.number(key);
    sockets |= number && (key == "Sockets" || key == "SocketsPerBoard");
    const std::int64_t factor = std::clamp<std::int64_t>(number.value_or(1), 1, 100'000);
    if (cores > 100'000 / factor) return 1;
    cores *= factor;
  }
  return !sockets || cpus == cores * threads ? threads : 1;
}

std::vector<ReservationRecord> read_reservations(const ClusterText& text, Diagnostics& diagnostics) {
  std::vector<ReservationRecord> out;
  for (const Fields& fields : read_records(text, "ReservationName")) {
    ReservationRecord r;
    r.name = fields.get("ReservationName");
    r.span = fields.span;
    r.hosts = fields.get("Nodes");
    r.from = fields.get("StartTime"), r.until = fields.get("EndTime");
    r.features = fields.get("Features"), r.licenses = fields.get("Licenses");
    r.node_count = fields.number("NodeCnt").value_or(0), r.core_count = fields.number("CoreCnt").value_or(0);
    r.users = read_list(fields.get("Users")), r.accounts = read_list(fields.get("Accounts"));
    r.groups = read_list(fields.get("Groups")), r.flags = read_list(fields.get("Flags"));
    if (!parse_instant(r.from) || !parse_instant(r.until)) {
      diagnostics.add(Code::damaged_record, r.span,
                      "reservation `" + printable(r.name) + "` has no valid StartTime and EndTime");
      continue;
    }
    r.unread = fields.unread(silent_keys(ClusterFile::reservations));
    if (!good_hosts(r.hosts, r.span, diagnostics)) continue;
    out.push_back(std::move(r));
  }
  return out;
}

std::vector<NodeRecord> read_nodes(const ClusterText& text, Diagnostics& diagnostics) {
  std::vector<NodeRecord> out;
  for (const Fields& fields : read_records(text, "NodeName")) {
    if (out.size() == max_nodes) {
      too_many_nodes(fields.span, diagnostics);
      break;
    }
    if (auto node = node_of(fields, diagnostics)) out.push_back(std::move(*node));
  }
  return out;
}

std::vector<PartitionRecord> read_partitions(const ClusterText& text, Diagnostics& diagnostics) {
  std::vector<PartitionRecord> out;
  for (const Fields& fields : read_records(text, "PartitionName"))
    if (auto partition = partition_of(fields, diagnostics)) out.push_back(std::move(*partition));
  return out;
}

ConfigRecord read_config(const ClusterText& text) {
  ConfigRecord out;
  constexpr std::string_view head = "Configuration data as of ";
  for (const Line& line : lines_of(text)) {
    if (line.text.starts_with(head)) {
      out.taken = line.text.substr(head.size());
      continue;
    }
    const std::size_t equals = line.text.find('=');
    if (equals == std::string_view::npos) continue;
    const auto bare = [](std::string_view s) {
      const std::size_t first = s.find_first_not_of(" \t"), last = s.find_last_not_of(" \t");
      return first == std::string_view::npos ? std::string() : std::string(s.substr(first, last - first + 1));
    };
    out.values.emplace_back(bare(line.text.substr(0, equals)), bare(line.text.substr(equals + 1)));
  }
  return out;
}

std::string_view ConfigRecord::get(std::string_view key) const {
  for (const auto& [name, value] : values)
    if (equal_ignoring_case(name, key)) return value == "(null)" ? std::string_view() : std::string_view(value);
  return {};
}

std::vector<SwitchRecord> read_topology(const ClusterText& text, Diagnostics& diagnostics) {
  std::vector<SwitchRecord> out;
  std::vector<std::string> joined;
  std::size_t nodes = 0;
  for (const Fields& fields : read_statements(text, joined)) {
    SwitchRecord record;
    record.block = !fields.get("BlockName").empty();
    record.name = one_of(fields, {"SwitchName", "BlockName"});
    record.span = fields.span;
    if (record.name.empty()) continue;  // BlockSizes=…
    // A switch of switches lists all nodes below it; only leaves count.
    const bool leaf = fields.get("Switches").empty() && fields.number("Level").value_or(0) == 0;
    if (leaf) record.nodes = hosts_of(fields.get("Nodes"), fields.span, diagnostics);
    nodes += record.nodes.size();
    if (nodes > max_nodes) {
      too_many_nodes(fields.span, diagnostics);
      break;
    }
    out.push_back(std::move(record));
  }
  return out;
}

}  // namespace muster::targets::slurm
