// A target: a capability row and a pure lower(). No I/O, no clock, no environment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/plane_traits.h"
#include "plan/plan.h"
#include "targets/loss.h"

namespace muster::targets {

struct Carried;
namespace kubernetes {
struct Draft;
}

// A file as the orchestrator takes it. `name` has no folder.
struct Document {
  std::string name;
  std::string content;
};

// How Kubernetes objects that run to completion are distinguished from those of an earlier run: 8 digits of the
// document's digest behind their names, nothing, or what the API server makes up. Services keep their names.
enum class Names : std::uint8_t { digest, fixed, generate };

struct LowerOptions {
  std::string source;  // the user's file, for the comment at the top
  std::string run;     // --run: the run's identity; "" if not given
  Names names = Names::digest;
  bool keep_finished = false;        // whatever the plane says: for who asks what the user's words do alone
  bool any_gang = false;             // a plane without a gang scheduler may have one, which writes nothing of its own
  const Sources* sources = nullptr;  // with the workload's file: what is wrong within a text has its line
  // Whether the target takes the workload is asked, and why not: nothing is written.
  enum class Asks : std::uint8_t { file, whether } asks = Asks::file;
  bool one_reason = false;  // of a target that refuses the workload, one reason is enough
};

// The object that is the workload, as kubectl says it: {"research", "jobset.jobset.x-k8s.io", "pretrain-0a1b2c3d"}.
// Empty on planes without objects, and where the API server makes the name up.
struct ObjectName {
  std::string name_space;
  std::string kind;
  std::string name;
};

// What comes of lowering. Nothing is to be written when `diagnostics` got an error.
struct Lowered {
  std::vector<Document> documents;
  Loss loss;
  std::string submit;  // the command that submits it, run where the documents are
  ObjectName object{};
};

// What a target can carry at all; rules, docs and `muster targets` read it.
struct Capabilities {
  model::PlaneKind plane;  // kubernetes: of all its distributions
  bool gang = false;       // all nodes or none, by itself
  bool provider = false;   // all nodes or none, with the plane's gang scheduler
  bool arrays = false;     // the points of a sweep as one object
  bool roles = false;      // several roles in one object
  bool services = false;   // an endpoint that stays
  bool scale = false;      // replicas that follow the load
  bool requeue = false;    // `retry` of what must start together, or of what is one node
  bool ray = false;        // runner ray
  bool mpi = false;        // runner mpi

  std::string_view plane_name() const { return model::traits_of(plane).control_plane; }
};

// A document that was written of a workload.
struct Submission {
  const model::Workload* workload;
  std::string file;
  ObjectName object{};
};

struct Target {
  std::string_view name;
  int tier = 1;
  std::string_view summary;
  std::string_view extension;  // of its main document, without the dot
  std::string_view example;    // a workload under examples/workloads that it takes
  Capabilities capabilities;
  std::span<const Carried> (*carriage)();  // its column of what becomes of each key (carriage.h)
  Lowered (*lower)(const Target&, const plan::Plan&, const LowerOptions&, Diagnostics&);
  // The script that submits workloads in the order of their `depends-on`; nullopt if none waits for another. An order
  // that no script can keep is refused.
  std::optional<Document> (*submit_all)(std::span<const Submission>, Diagnostics&) = nullptr;
  // Of a kind of pods: makes its objects (kubernetes/draft.h).
  void (*build)(kubernetes::Draft&) = nullptr;
};

// In the order of `muster targets`; one explicit line a target in registry.cc.
std::span<const Target> all_targets();
const Target* find_target(std::string_view name);

// Lowers and then checks the law that nothing is lost silently: a field the user wrote that has no
// entry in the loss report is an error of ours, reported as such.
Lowered lower(const Target& target, const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics);

}  // namespace muster::targets
