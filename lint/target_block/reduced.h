// The words of `target NAME { … }` and the file that they come to: who reads them, and the workload without them.
#pragma once

#include <functional>

#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "plan/plan.h"
#include "targets/target.h"

namespace muster::lint {

// Whether a target reads the words of a block: they name it, or its plane.
bool carries(const targets::Target& target, const model::TargetOptions& block);
// Whether a workload has words that a target reads.
bool has_block_options(const model::Workload& workload, const targets::Target& target);

// A workload less some options of its blocks, planned as it was with them.
class Reduced {
 public:
  using Keep = std::function<bool(const model::TargetOptions&, const model::RawOption&)>;
  Reduced(const plan::Plan& plan, const Keep& keep);
  // Without any.
  explicit Reduced(const plan::Plan& plan);
  Reduced(const Reduced&) = delete;  // the plan points into it
  Reduced& operator=(const Reduced&) = delete;

  const plan::Plan& plan() const { return plan_; }

 private:
  bool is_gone(const model::FieldRef& field) const;

  model::Workload workload_;
  plan::Plan plan_;
};

// The site as the files of one plane see it: readers of files take the first plane of a kind.
model::Site with_only(const model::Site& site, const model::Plane& plane);

}  // namespace muster::lint
