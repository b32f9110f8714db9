// Emitted and hand-written files as objects whose fields have names, so that neither the order of documents nor
// that of keys is a difference.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/data/tree.h"
#include "review/tree.h"
#include "targets/slurm/read/script.h"

namespace muster::review {

// Endings of names that follow from a digest, and so change with every edit: the 8 hexadecimal digits of muster, the
// 10 letters and digits of kustomize's ConfigMaps and Secrets. Those of the names that a file declares are taken out
// of all of the file's values: an edited job is the same job.
class DigestEndings {
 public:
  void add(std::string_view declared_name);
  std::string without(std::string_view text) const;

 private:
  std::set<std::string, std::less<>> endings_;  // "-0a1b2c3d"
};

// An object of a manifest. Lists that are sets or have named members are sorted, every other list keeps its order;
// what only a server writes (status, resourceVersion …) is left out.
Object object_of(const data::Node& root, const DigestEndings& endings);
// A batch script: its options are fields, the body its lines.
Object object_of(const targets::slurm::Script& script, const Sources& sources, std::string_view name);

// What a target wrote: YAML by objects, scripts by options and lines, other files by lines.
std::vector<Object> objects_of(const std::string& name, const std::string& content);

// Whether the value of a field is a number, a quantity, a duration or a range of numbers: what may change how much
// runs. A text that only looks like one has quotes in a field.
bool is_amount(std::string_view value);

// FNV-1a of 64 bits: to tell texts apart.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 14695981039346656037ull);

}  // namespace muster::review
