// sacctmgr show assoc|qos -P and squeue: tables with a header.
#include <algorithm>
#include <charconv>
#include <system_error>

#include "compiler/base/text.h"
#include "targets/slurm/read/records.h"

namespace muster::targets::slurm {
namespace {

// "65536M", "64G", "1.50T"; a number alone is of MiB.
std::optional<std::int64_t> bytes_of(std::string_view text) {
  constexpr std::string_view units = "KMGTP";
  const std::size_t unit = text.empty() ? std::string_view::npos : units.find(text.back());
  if (unit != std::string_view::npos) text.remove_suffix(1);
  double amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc() || end != text.data() + text.size() || amount < 0 || amount > 1e9) return std::nullopt;
  const int shift = 10 * static_cast<int>(unit == std::string_view::npos ? 2 : unit + 1);
  return static_cast<std::int64_t>(amount * static_cast<double>(std::int64_t{1} << shift));
}

// "cpu=96,gres/gpu=8,gres/gpu:h100=8,node=2".
TresLimit read_tres(std::string_view text) {
  TresLimit out;
  for (const std::string& item : read_list(text)) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = muster::lower(item.substr(0, equals));
    if (name == "mem") {
      out.memory = bytes_of(item.substr(equals + 1));
      continue;
    }
    const auto amount = whole_number(item.substr(equals + 1));
    if (!amount) continue;
    if (name == "node") out.nodes = amount;
    if (name == "gres/gpu") out.gpus = amount;
    if (name == "cpu") out.cpus = amount;
    if (name.starts_with("gres/gpu:")) out.typed_gpus.emplace_back(item.substr(9, equals - 9), *amount);
    else if (name != "node" && name != "gres/gpu" && name != "cpu") out.others.push_back(name);
  }
  return out;
}

// Of columns of limits that have a value and that nothing reads.
std::vector<std::string> unused_limits(const Table& table, std::size_t row,
                                       std::initializer_list<std::string_view> used) {
  std::vector<std::string> out;
  for (std::size_t column = 0; column < std::min(table.columns.size(), table.rows[row].size()); ++column) {
    const std::string_view name = table.columns[column];
    const bool limit = name.starts_with("Grp") || name.starts_with("Max") || name.starts_with("Min");
    if (limit && !table.rows[row][column].empty() && std::find(used.begin(), used.end(), name) == used.end())
      out.emplace_back(name);
  }
  return out;
}

}  // namespace

std::vector<AssociationRecord> read_associations(const ClusterText& text, Diagnostics& diagnostics) {
  const Table table = read_table(text);
  std::vector<AssociationRecord> out;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    AssociationRecord record;
    record.cluster = table.cell(row, {"Cluster"});
    record.account = table.cell(row, {"Account"});
    record.user = table.cell(row, {"User"});
    record.parent = table.cell(row, {"ParentName", "Par Name"});
    record.span = table.spans[row];
    if (record.account.empty()) {
      diagnostics.add(Code::damaged_record, record.span, "an association has no account");
      continue;
    }
    record.group = read_tres(table.cell(row, {"GrpTRES"}));
    record.per_job = read_tres(table.cell(row, {"MaxTRES", "MaxTRESPerJob"}));
    record.max_time = read_time(table.cell(row, {"MaxWall", "MaxWallDurationPerJob"}));
    record.partition = table.cell(row, {"Partition"});
    record.jobs = whole_number(table.cell(row, {"GrpJobs"}));
    record.jobs_per_user = whole_number(table.cell(row, {"MaxJobs"}));
    record.unused = unused_limits(
        table, row, {"GrpTRES", "MaxTRES", "MaxTRESPerJob", "MaxWall", "MaxWallDurationPerJob", "GrpJobs", "MaxJobs"});
    out.push_back(std::move(record));
  }
  return out;
}

std::vector<QosRecord> read_qos(const ClusterText& text, Diagnostics& diagnostics) {
  const Table table = read_table(text);
  std::vector<QosRecord> out;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    QosRecord record;
    record.name = table.cell(row, {"Name"});
    record.span = table.spans[row];
    if (record.name.empty()) {
      diagnostics.add(Code::damaged_record, record.span, "a QOS has no name");
      continue;
    }
    record.group = read_tres(table.cell(row, {"GrpTRES"}));
    record.per_job = read_tres(table.cell(row, {"MaxTRES", "MaxTRESPerJob"}));
    record.per_user = read_tres(table.cell(row, {"MaxTRESPU", "MaxTRESPerUser"}));
    record.max_time = read_time(table.cell(row, {"MaxWall", "MaxWallDurationPerJob"}));
    record.jobs_per_user = whole_number(table.cell(row, {"MaxJobsPU", "MaxJobsPerUser"}));
    record.jobs_per_account = whole_number(table.cell(row, {"MaxJobsPA", "MaxJobsPerAccount"}));
    record.unused =
        unused_limits(table, row,
                      {"GrpTRES", "MaxTRES", "MaxTRESPerJob", "MaxTRESPU", "MaxTRESPerUser", "MaxWall",
                       "MaxWallDurationPerJob", "MaxJobsPU", "MaxJobsPerUser", "MaxJobsPA", "MaxJobsPerAccount"});
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
    record.hosts = table.cell(row, {"NODELIST"});
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
