// sacctmgr show assoc|qos -P and squeue: tables with a header.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/slurm/read/records.h"

namespace muster::targets::slurm {
namespace {

// "cpu=96,gres/gpu=8,gres/gpu:h100=8,node=2".
TresLimit read_tres(std::string_view text) {
  TresLimit out;
  for (const std::string& item : read_list(text)) {
    const std::size_t equals = item.find('=');
    const auto amount = equals == std::string::npos ? std::nullopt : whole_number(item.substr(equals + 1));
    if (!amount) continue;
    const std::string name = muster::lower(item.substr(0, equals));
    if (name == "node") out.nodes = amount;
    if (name == "gres/gpu") out.gpus = amount;
    if (name.starts_with("gres/gpu:")) out.typed_gpus.emplace_back(item.substr(9, equals - 9), *amount);
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
