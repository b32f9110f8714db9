// The exports of a script by their command and by their name, for scripts with thousands of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "targets/slurm/read/body.h"

namespace muster::targets::slurm::lifting {

class ExportIndex {
 public:
  explicit ExportIndex(const Body& body) {
    for (const Export& e : body.exports) {
      of_[e.command].push_back(&e);
      const auto [first, fresh] = first_.try_emplace(e.name, e.command);
      if (!fresh) first->second = std::min(first->second, e.command);
    }
  }

  // Those of a command, in the order of the script.
  const std::vector<const Export*>& of(std::uint32_t command) const {
    static const std::vector<const Export*> none;
    const auto found = of_.find(command);
    return found == of_.end() ? none : found->second;
  }
  // Whether a command before this one exports the variable.
  bool before(const std::string& name, std::uint32_t command) const {
    const auto found = first_.find(name);
    return found != first_.end() && found->second < command;
  }

 private:
  std::map<std::uint32_t, std::vector<const Export*>> of_;
  std::map<std::string, std::uint32_t> first_;
};

}  // namespace muster::targets::slurm::lifting
