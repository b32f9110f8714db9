// Readers of YAML and JSON text. They know no schema and throw nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/limits.h"
#include "compiler/data/tree.h"

namespace muster::data {

// What a text may cost. Over a budget it is refused with a diagnostic, never read in part.
struct Budget {
  std::size_t bytes = value_of(Limit::checked_bytes);
  std::size_t documents = value_of(Limit::documents);
  std::size_t nodes = value_of(Limit::document_values);  // of a file, with what aliases and merge keys copy
  int depth = static_cast<int>(value_of(Limit::nesting));
  std::size_t text = std::size_t{256} << 20;  // bytes of one text
};
inline constexpr Budget json_budget{value_of(Limit::cluster_bytes), 1, value_of(Limit::document_values),
                                    static_cast<int>(value_of(Limit::nesting)), value_of(Limit::text_bytes)};

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

// What scalars become: the type and value that an API server gets, or, for the data twin, as they are spelt.
enum class Scalars : std::uint8_t { resolved, as_spelt };

// Reads YAML as the tools of Kubernetes do (kubectl, through sigs.k8s.io/yaml): the stream is cut at `---` lines first,
// so a fault costs one document; scalars are what scalar.h says (`yes` is true, `010` is 8); merge keys are merged, and
// what is read later wins. What these tools refuse is refused, and besides a key that is set twice, a second document
// behind a line that those tools do not see, and what is over the budget. Spans of scalars are exact, quotes included;
// a block collection ends where its last item does.
Documents read_yaml(const Sources& sources, std::uint32_t file, const Budget& budget = {},
                    Scalars scalars = Scalars::resolved);

// Reads one JSON text (RFC 8259), such as the output of `kubectl get -o json`. Keys are unique.
// With `take`, each item of the root's list `items` is given away as soon as it is read, and has the budget of values
// to itself: then the list is empty. An item is given away before it is known whether the rest of the text can be read.
using TakeItem = std::function<void(const Node&)>;
Document read_json(const Sources& sources, std::uint32_t file, const Budget& budget = json_budget,
                   const TakeItem& take = nullptr, Scalars scalars = Scalars::resolved);

// What a plain YAML scalar is to sigs.k8s.io/yaml: null, boolean, integer, number or text.
Node::Kind plain_kind(std::string_view scalar);

}  // namespace muster::data
