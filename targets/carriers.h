// Where a field stands in what was written: the lines that carry an entry of the loss report.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "targets/target.h"

namespace muster::targets {

// Lines of a document, from 1, both included.
struct Lines {
  std::size_t first = 0;
  std::size_t last = 0;

  bool operator==(const Lines&) const = default;
};

struct Carrier {
  std::string document;
  std::vector<Lines> lines{};  // in order, none next to another
};

// Finds what carries an entry, by its marks (carrier_marks.h); a role's field is looked for in the part of that role
// first. What a submit script carries is found where it is among the documents.
class Carriers {
 public:
  // Borrows what it is given.
  Carriers(std::span<const Document> documents, const model::Workload& workload, const model::Site& site);
  ~Carriers();
  Carriers(const Carriers&) = delete;
  Carriers& operator=(const Carriers&) = delete;

  // Empty of entries that are not carried, or that hold without a word in the file.
  std::vector<Carrier> of(const LossEntry& entry) const;

 private:
  class Index;
  struct Text;
  const model::Workload& workload_;
  const model::Site& site_;
  std::vector<std::unique_ptr<Text>> texts_;
};

}  // namespace muster::targets
