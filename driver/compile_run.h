// Workloads of a session, compiled: planned, lowered by their targets, and put together as what is submitted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/output.h"
#include "driver/planning.h"
#include "targets/target.h"

namespace muster::driver {

struct CompileQuestion {
  std::string target = "auto";  // by name; "auto": what the decision names; "all": each that takes the workload
  std::string run;              // the run's identity; "": none
  targets::Names names = targets::Names::digest;
  bool pin = false;   // to the nodes of the placement
  bool lower = true;  // false: only plans are asked for
  bool kustomize = false;
};

// What became of one workload, for one target.
struct Compiled {
  const model::Workload* workload = nullptr;  // as it was asked for
  std::optional<plan::Plan> plan{};           // where only plans are asked for
  const targets::Target* target = nullptr;    // else
  const model::Workload* taken = nullptr;     // what it lowered: of `any-of` the option
  targets::Lowered lowered{};
};

// The files to be written, and the commands that submit them, run where they are.
struct Delivery {
  std::vector<OutputFile> files;
  std::vector<std::string> submit;
};

// Whether `--target` names one, "auto" or "all". False: reported.
bool is_known_target(const std::string& name, Diagnostics& diagnostics);

// Compiles the workloads in their order. What prevents one is reported to the session; what came of it all the
// same is in the result, so that its loss report can be shown.
std::vector<Compiled> compile(const std::vector<const model::Workload*>& workloads, Session& session,
                              const Setting& setting, const CompileQuestion& question);

// Takes the documents out of `compiled` and adds what submits them together: the script for workloads that wait for
// each other, the list for `kubectl apply -k`. What no scheduler can order is reported.
Delivery deliver(std::vector<Compiled>& compiled, const CompileQuestion& question, Diagnostics& diagnostics);

}  // namespace muster::driver
