// slurm.conf and gres.conf.
#include <algorithm>
#include <map>
#include <unordered_set>

#include "compiler/base/text.h"
#include "targets/slurm/read/records.h"

namespace muster::targets::slurm {
namespace {

// A line's fields with the defaults of `NodeName=DEFAULT` behind them, where the first of a key counts.
Fields with_defaults(const Fields& fields, const Fields& defaults) {
  Fields out = fields;
  out.items.insert(out.items.end(), defaults.items.begin(), defaults.items.end());
  return out;
}

// Later DEFAULT lines win over earlier ones, of which only the keys remain that these do not have.
void add_defaults(const Fields& fields, Fields& defaults) {
  Fields all = with_defaults(fields, defaults), out;
  std::unordered_set<std::string> known;
  for (const auto& item : all.items)
    if (known.insert(muster::lower(item.first)).second) out.items.push_back(item);
  defaults = std::move(out);
}

// CPUs is worked out from the sockets where it is not given.
std::optional<std::int64_t> cpus_of(const Fields& fields) {
  if (const auto cpus = fields.number("CPUs")) return cpus;
  if (const auto cpus = fields.number("Procs")) return cpus;
  std::int64_t product = 1;
  for (const std::string_view key : {"Boards", "Sockets", "SocketsPerBoard", "CoresPerSocket", "ThreadsPerCore"}) {
    const std::int64_t factor = fields.number(key).value_or(1);
    if (factor > 100'000 || (product *= factor) > 100'000) return std::nullopt;
  }
  return product;
}

NodeRecord node_of(const Fields& fields) {
  NodeRecord out;
  out.span = fields.span;
  out.cpus = cpus_of(fields).value_or(0);
  out.threads = threads_of(fields, out.cpus);
  out.spec_cpus =
      std::min(std::min<std::int64_t>(fields.number("CoreSpecCount").value_or(0), 100'000) * out.threads, out.cpus);
  out.memory_mib = std::min(fields.number("RealMemory").value_or(1), most_mebibytes);
  out.spec_memory_mib = std::min(fields.number("MemSpecLimit").value_or(0), out.memory_mib);
  out.disk_mib = std::min(fields.number("TmpDisk").value_or(0), most_mebibytes);
  out.gres = read_gres(fields.get("Gres"));
  out.features = read_list(fields.get("Feature").empty() ? fields.get("Features") : fields.get("Feature"));
  if (const std::string_view state = fields.get("State"); !state.empty()) out.states = {std::string(state)};
  out.reason = fields.get("Reason");
  for (const char* key : {"SocketsPerBoard", "CoresPerSocket", "Boards", "Sockets"}) fields.get(key);
  out.unread = fields.unread(silent_keys(ClusterFile::nodes));
  return out;
}

// Reads the statements one after another: DEFAULT lines speak of the lines behind them.
class ConfReader {
 public:
  explicit ConfReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void read(const Fields& fields) {
    const std::string_view head = fields.items.front().first;
    if (equal_ignoring_case(head, "NodeName")) return node(fields);
    if (equal_ignoring_case(head, "PartitionName")) return partition(fields);
    for (const auto& [key, value] : fields.items) conf_.config.values.emplace_back(key, value);
  }

  SlurmConf conf_;

 private:
  void node(const Fields& fields) {
    const std::string_view names = fields.get("NodeName");
    if (equal_ignoring_case(names, "DEFAULT")) return add_defaults(fields, node_defaults_);
    const NodeRecord record = node_of(with_defaults(fields, node_defaults_));
    if (!good_amount(record.cpus, "CPUs", std::string(names), fields.span, diagnostics_)) return;
    for (std::string& name : hosts_of(names, fields.span, diagnostics_)) {
      if (conf_.nodes.size() == max_nodes) return too_many_nodes(fields.span, diagnostics_);
      conf_.nodes.push_back(record);
      conf_.nodes.back().name = std::move(name);
    }
  }

  void partition(const Fields& fields) {
    if (equal_ignoring_case(fields.get("PartitionName"), "DEFAULT")) return add_defaults(fields, partition_defaults_);
    auto record = partition_of(with_defaults(fields, partition_defaults_), diagnostics_);
    if (record) conf_.partitions.push_back(std::move(*record));
  }

  Diagnostics& diagnostics_;
  Fields node_defaults_, partition_defaults_;
};

}  // namespace

SlurmConf read_slurm_conf(const ClusterText& text, Diagnostics& diagnostics) {
  ConfReader reader(diagnostics);
  std::vector<std::string> joined;
  for (const Fields& fields : read_statements(text, joined)) reader.read(fields);
  SlurmConf out = std::move(reader.conf_);
  for (const Line& line : lines_of(text)) {
    if (line.text.size() < 8 || !equal_ignoring_case(line.text.substr(0, 8), "include ")) continue;
    out.config.includes.emplace_back(line.text.substr(8));
    diagnostics.add(Code::not_followed,
                    {text.file, line.begin, line.begin + static_cast<std::uint32_t>(line.text.size())},
                    "the included file `" + printable(line.text.substr(8)) + "` was not read");
  }
  return out;
}

std::vector<NodeRecord> read_gres_conf(const ClusterText& text, Diagnostics& diagnostics) {
  std::map<std::string, std::size_t, std::less<>> index;
  std::vector<NodeRecord> out;
  std::vector<std::string> joined;
  std::size_t names = 0;
  for (const Fields& fields : read_statements(text, joined)) {
    const std::string_view name = fields.get("Name");
    if (name.empty()) continue;  // AutoDetect=…
    Gres gres{std::string(name), std::string(fields.get("Type")), 1};
    if (const auto count = fields.number("Count")) gres.count = *count;
    else if (const auto files = expand_hosts(base_name(fields.get("File")), 1024))
      gres.count = std::max<std::int64_t>(1, static_cast<std::int64_t>(files->size()));
    std::vector<std::string> hosts = {""};
    if (!fields.get("NodeName").empty()) hosts = hosts_of(fields.get("NodeName"), fields.span, diagnostics);
    names += hosts.size();
    if (names > 4 * max_nodes) {
      too_many_nodes(fields.span, diagnostics);
      break;
    }
    for (const std::string& host : hosts) {
      const auto [found, fresh] = index.try_emplace(host, out.size());
      if (fresh) out.emplace_back(), out.back().name = host, out.back().span = fields.span;
      out[found->second].gres.push_back(gres);
    }
  }
  return out;
}

}  // namespace muster::targets::slurm
