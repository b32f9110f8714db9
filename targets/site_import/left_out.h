// What an import read of a cluster and could not write, in a few remarks: records that lack the same share one.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::targets {

class LeftOut {
 public:
  // Keys of the record of this name that were not imported; none: nothing is left out. `noun` is in the singular.
  void add(std::string_view noun, const std::string& name, std::vector<std::string> keys);
  // The same of a whole sentence about the record.
  void say(std::string_view noun, const std::string& name, const std::string& sentence);

  // "partitions gpu, cpu and 3 more: DenyAccounts and MinNodes were not imported".
  std::vector<std::string> remarks() const;

 private:
  struct Records {
    std::set<std::string> shown;  // the first by name, whatever the order of the input
    std::size_t count = 0;
  };
  std::map<std::pair<std::string, std::string>, Records> records_;  // by noun and sentence
  std::map<std::string, std::size_t> sentences_;                    // how many there are of each noun
};

}  // namespace muster::targets
