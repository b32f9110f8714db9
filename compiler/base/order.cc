#include "compiler/base/order.h"

namespace muster {

std::vector<std::size_t> order_of(const std::vector<std::vector<std::size_t>>& waits_for) {
  std::vector<std::size_t> open(waits_for.size()), out;
  std::vector<std::vector<std::size_t>> waited_by(waits_for.size());
  for (std::size_t i = 0; i < waits_for.size(); ++i) {
    open[i] = waits_for[i].size();
    for (const std::size_t other : waits_for[i]) waited_by[other].push_back(i);
    if (open[i] == 0) out.push_back(i);
  }
  for (std::size_t next = 0; next < out.size(); ++next)
    for (const std::size_t waiting : waited_by[out[next]])
      if (--open[waiting] == 0) out.push_back(waiting);
  return out;
}

}  // namespace muster
