// Trees that the tests of a review are made of.
#pragma once

#include <string>
#include <vector>

#include "review/attribute.h"
#include "review/report.h"

namespace muster::review {

// A workload of 8 GPUs a node on Slurm that fits.
inline Workload job(const std::string& id, std::int64_t nodes = 4) {
  Workload w;
  w.id = id;
  w.name = id.substr(id.rfind('/') + 1);
  w.file = id + ".muster";
  w.facts = {{"nodes", std::to_string(nodes), {w.file, 3}}};
  w.decision = Decision{"slurm", "native", "single", "batch", "slurm", {"slurm-topology"}, {}, {"CP-010"}};
  w.placement = {"fits", {"h100"}, 1, {}};
  w.resources = {nodes, {}, 8 * nodes, {}, {}, 3'600'000, {}};
  w.cost = {8 * nodes * 3600, 8 * nodes * 2'500'000};
  w.objects = {{"sbatch", {}, "job.sbatch", {{"--nodes", std::to_string(nodes)}}, {"srun train"}}};
  return w;
}

inline Finding finding(const std::string& code, const std::string& key, Severity severity = Severity::warning) {
  return {code, "a-rule", severity, "`x` is wrong", key, {"a.muster", 2}};
}

inline Tree tree(std::vector<Workload> workloads, const std::string& name = "old") {
  Tree out;
  out.name = name;
  out.workloads = std::move(workloads);
  return out;
}

inline Review review_of(std::vector<Workload> before, std::vector<Workload> after, std::size_t same = 0) {
  return compare(tree(std::move(before)), tree(std::move(after), "new"), same);
}

inline ReportOptions options_for(const std::string& host = "github") { return {"jobs", host, "0.0", false}; }

}  // namespace muster::review
