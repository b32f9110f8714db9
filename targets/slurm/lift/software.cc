#include "targets/slurm/lift/software.h"

namespace muster::targets::slurm::lifting {

void add_software(Lifter& lifter, const Environment& environment) {
  if (environment.empty()) return;
  const std::string name = environment.name.empty() ? lifter.out.workload.name : environment.name;
  const Span at = environment.taken.front();
  lifter.out.site.software.emplace_back(name, environment.software);
  lifter.role().software = model::Located<model::Software>{model::Software{name}, at};
  for (const Span span : environment.taken)
    lifter.line(span, "environment", Fate::moved, "software `" + name + "` of the site",
                environment.verbatim ? "as lines of the script" : "");
}

}  // namespace muster::targets::slurm::lifting
