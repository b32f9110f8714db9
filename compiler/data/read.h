// Readers of YAML and JSON text. They know no schema and throw nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/data/tree.h"

namespace muster::data {

// What a text may cost. Over a budget it is refused with a diagnostic, never read in part.
struct Budget {
  std::size_t bytes = 4u << 20;
  std::size_t documents = 10'000;
  std::size_t nodes = 500'000;  // of a file, with what aliases and merge keys copy
  int depth = 200;
  std::size_t text = std::size_t{256} << 20;  // bytes of one text
};
inline constexpr Budget json_budget{256u << 20, 1, 20'000'000, 200};

// One document of a stream. Where `diagnostics` has errors, `root` is null.
struct Document {
  Node root;
  Span span;  // from its `---` line to before the next one
  Diagnostics diagnostics;
};

struct Documents {
  std::vector<Document> documents;  // without those that hold nothing but comments
  Diagnostics diagnostics;          // about the file as a whole; then there are no documents
};

// Reads YAML as the Kubernetes API tooling does (sigs.k8s.io/yaml): the stream is cut at `---` lines
// first, so a fault costs one document; `yes`, `no`, `on`, `off`, `y` and `n` are booleans, `1e3` is a
// number, dates are text, base 60 does not exist; merge keys are merged. Keys are unique scalars.
// Spans of scalars are exact, quotes included; a block collection ends where its last item does.
Documents read_yaml(const Sources& sources, std::uint32_t file, const Budget& budget = {});

// Reads one JSON text (RFC 8259), such as the output of `kubectl get -o json`. Keys are unique.
// A reader of its own: yaml-cpp refuses surrogate pairs (`\ud83d\ude00`) and takes what JSON forbids.
Document read_json(const Sources& sources, std::uint32_t file, const Budget& budget = json_budget);

// What a plain YAML scalar is to sigs.k8s.io/yaml: null, boolean, integer, number or text.
Node::Kind plain_kind(std::string_view scalar);

}  // namespace muster::data
