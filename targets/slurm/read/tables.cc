// sacctmgr show assoc|qos -P and squeue: tables with a header.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "compiler/base/text.h"
#include "targets/slurm/read/records.h"

namespace muster::targets::slurm {
namespace {

// Columns that say nothing of where jobs may run and how large they may be.
constexpr std::array silent_of_associations = std::to_array<SilentKey>(
    {{"Cluster"}, {"Account"}, {"User"},      {"Partition"},   {"ParentName"}, {"Par Name"},    {"ParentID"},
     {"ID"},      {"Share"},   {"FairShare"}, {"Fairshare"},   {"Priority"},   {"Lineage"},     {"LFT"},
     {"RGT"},     {"Comment"}, {"Descr"},     {"Description"}, {"Org"},        {"Organization"}});
constexpr std::array silent_of_qos = std::to_array<SilentKey>({{"Name"},
                                                               {"Priority"},
                                                               {"Description"},
                                                               {"Descr"},
                                                               {"ID"},
                                                               {"UsageFactor"},
                                                               {"GraceTime"},
                                                               {"PreemptExemptTime"},
                                                               {"PreemptMode", "cluster"}});

// "65536M", "64G", "1.50T"; a number alone is of MiB.
std::optional<std::int64_t> bytes_of(std::string_view text) {
  constexpr std::string_view units = "KMGTP";
  constexpr double most = 1e18;  // far above any cluster, below what 64 bits hold
  const std::size_t unit = text.empty() ? std::string_view::npos : units.find(text.back());
  if (unit != std::string_view::npos) text.remove_suffix(1);
  double amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(amount)) return std::nullopt;
  const int shift = 10 * static_cast<int>(unit == std::string_view::npos ? 2 : unit + 1);
  const double bytes = amount * static_cast<double>(std::int64_t{1} << shift);
  if (!(bytes >= 0 && bytes <= most)) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

// The cells of one row as values. What is not a value is reported at its place, and there is no limit then.
class PipeRow {
 public:
  using Names = std::initializer_list<std::string_view>;

  PipeRow(const Table& table, std::size_t row, Diagnostics& diagnostics)
      : table_(table), row_(row), diagnostics_(diagnostics) {}

  std::string text(Names names) const { return std::string(table_.cell(row_, names)); }

  std::optional<std::int64_t> number(Names names) {
    const std::string_view cell = table_.cell(row_, names);
    if (is_no_limit(cell)) return std::nullopt;
    const auto value = whole_number(cell);
    if (!value) damaged(names, cell);
    return value;
  }

  std::optional<Duration> time(Names names) {
    const std::string_view cell = table_.cell(row_, names);
    if (is_no_limit(cell)) return std::nullopt;
    const auto value = read_time(cell);
    if (!value) damaged(names, cell);
    return value;
  }

  // "cpu=96,gres/gpu=8,gres/gpu:h100=8,node=2".
  TresLimit tres(Names names) {
    TresLimit out;
    const std::string_view cell = table_.cell(row_, names);
    if (is_no_limit(cell)) return out;
    for (const std::string_view part : split(cell, ','))
      if (const std::string_view item = trimmed(part); !item.empty() && !add(item, *names.begin(), out))
        damaged(names, item);
    return out;
  }

 private:
  // False: it is not a resource and its amount.
  static bool add(std::string_view item, std::string_view column, TresLimit& to) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) return false;
    const std::string name = muster::lower(item.substr(0, equals));
    const std::string_view value = item.substr(equals + 1);
    // Memory, bb/… and fs/… have units.
    const auto amount = whole_number(value) && name != "mem" ? whole_number(value) : bytes_of(value);
    constexpr std::string_view typed = "gres/gpu:";
    if (name == "mem") to.memory = amount;
    else if (name == "node") to.nodes = amount;
    else if (name == "gres/gpu") to.gpus = amount;
    else if (name == "cpu") to.cpus = amount;
    else if (name.starts_with(typed))
      to.typed_gpus.emplace_back(item.substr(typed.size(), equals - typed.size()), amount.value_or(0));
    else to.others.push_back(std::string(column) + " " + name);
    return amount.has_value();
  }

  void damaged(Names names, std::string_view what) {
    diagnostics_.add(Code::damaged_record, table_.span_of(row_, what),
                     "`" + std::string(*names.begin()) + "` has no valid value: `" + printable(what, 40) + "`");
  }

  const Table& table_;
  std::size_t row_;
  Diagnostics& diagnostics_;
};

std::vector<std::string> names_of(const std::vector<std::pair<std::string, std::string>>& cells) {
  std::vector<std::string> out;
  for (const auto& [column, value] : cells) out.push_back(column);
  return out;
}

void append(std::vector<std::string>& to, std::initializer_list<const TresLimit*> limits) {
  for (const TresLimit* limit : limits) to.insert(to.end(), limit->others.begin(), limit->others.end());
}

}  // namespace

std::vector<AssociationRecord> read_associations(const ClusterText& text, Diagnostics& diagnostics) {
  const Table table = read_table(text);
  std::vector<AssociationRecord> out;
  for (std::size_t at = 0; at < table.rows.size(); ++at) {
    PipeRow row(table, at, diagnostics);
    AssociationRecord record;
    record.cluster = row.text({"Cluster"});
    record.account = row.text({"Account"});
    record.user = row.text({"User"});
    record.parent = row.text({"ParentName", "Par Name"});
    record.span = table.spans[at];
    if (record.account.empty()) {
      diagnostics.add(Code::damaged_record, record.span, "an association has no account");
      continue;
    }
    record.group = row.tres({"GrpTRES"});
    record.per_job = row.tres({"MaxTRES", "MaxTRESPerJob"});
    record.max_time = row.time({"MaxWall", "MaxWallDurationPerJob"});
    record.partition = row.text({"Partition"});
    record.jobs = row.number({"GrpJobs"});
    record.jobs_per_user = row.number({"MaxJobs"});
    record.cells = table.cells(at, silent_of_associations, false);
    record.unused = names_of(table.cells(at, silent_of_associations, true));
    append(record.unused, {&record.group, &record.per_job});
    out.push_back(std::move(record));
  }
  return out;
}

std::vector<QosRecord> read_qos(const ClusterText& text, Diagnostics& diagnostics) {
  const Table table = read_table(text);
  std::vector<QosRecord> out;
  for (std::size_t at = 0; at < table.rows.size(); ++at) {
    PipeRow row(table, at, diagnostics);
    QosRecord record;
    record.name = row.text({"Name"});
    record.span = table.spans[at];
    if (record.name.empty()) {
      diagnostics.add(Code::damaged_record, record.span, "a QOS has no name");
      continue;
    }
    record.group = row.tres({"GrpTRES"});
    record.per_job = row.tres({"MaxTRES", "MaxTRESPerJob"});
    record.per_user = row.tres({"MaxTRESPU", "MaxTRESPerUser"});
    record.max_time = row.time({"MaxWall", "MaxWallDurationPerJob"});
    record.jobs_per_user = row.number({"MaxJobsPU", "MaxJobsPerUser"});
    record.jobs_per_account = row.number({"MaxJobsPA", "MaxJobsPerAccount"});
    record.settings = names_of(table.cells(at, silent_of_qos, false));
    record.unused = names_of(table.cells(at, silent_of_qos, true));
    append(record.unused, {&record.group, &record.per_job, &record.per_user});
    for (const TresLimit* limit : {&record.group, &record.per_job, &record.per_user})
      for (const auto& [type, count] : limit->typed_gpus) record.unused.push_back("gres/gpu:" + type);
    out.push_back(std::move(record));
  }
  return out;
}

std::vector<JobRecord> read_jobs(const ClusterText& text, Diagnostics& diagnostics) {
  const Table table = read_table(text);
  std::vector<JobRecord> out;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    JobRecord record;
    record.id = table.cell(row, {"JOBID"});
    record.span = table.spans[row];
    if (record.id.empty() || table.rows[row].size() < table.columns.size()) {
      diagnostics.add(Code::damaged_record, record.span, "a row of squeue has no job or too few columns");
      continue;
    }
    record.partition = table.cell(row, {"PARTITION"});
    record.state = table.cell(row, {"STATE", "ST"});
    if (const std::string_view hosts = table.cell(row, {"NODELIST"}); !is_no_limit(hosts)) record.hosts = hosts;
    if (!good_hosts(record.hosts, table.span_of(row, table.cell(row, {"NODELIST"})), diagnostics)) continue;
    record.node_count = whole_number(table.cell(row, {"NODES"})).value_or(0);
    record.cpus = whole_number(table.cell(row, {"CPUS"})).value_or(0);
    const std::string_view gres = table.cell(row, {"TRES_PER_NODE"});
    record.gres_known = !gres.empty() && gres != "N/A";
    if (record.gres_known) record.gres = read_gres(gres);
    out.push_back(std::move(record));
  }
  return out;
}

}  // namespace muster::targets::slurm
