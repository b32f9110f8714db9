// Any bytes as a document of the data twin: the reader reports or gives a tree, whose places lie in the file. A
// tree is checked, and goes to every form and back: the proof of the conversion holds for it. Built twice, with
// MUSTER_TWIN_FORM json and yaml; or with replay.cc over the committed corpus:
//   fuzz_twin_json -max_len=4096 CORPUS tests/fuzz/corpus/twin_json
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compiler/sema/check/check.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/twin/twin.h"

using namespace muster;

namespace {

constexpr twin::Form form = twin::Form::MUSTER_TWIN_FORM;

void check(bool good) {
  if (!good) std::abort();
}

void check_places(const Sources& sources, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.sorted()) {
    check(!d.primary.known() ||
          (d.primary.begin <= d.primary.end && d.primary.end <= sources.text(d.primary.file).size()));
    check(d.code != Code::not_preserved);
  }
}

// Converts and comes back: the second document is the first one.
void there_and_back(const std::string& text, twin::Form to) {
  Sources sources;
  Diagnostics diagnostics;
  const auto there = twin::convert(sources, sources.add("input", text), form, to, diagnostics);
  check_places(sources, diagnostics);
  if (!there) return;
  const auto back = twin::convert(sources, sources.add("there", there->text), to, form, diagnostics);
  const auto again = back ? twin::convert(sources, sources.add("back", back->text), form, to, diagnostics) : back;
  check_places(sources, diagnostics);
  if (again) check(again->text == there->text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Sources sources;
  Diagnostics diagnostics;
  auto tree = twin::read(sources, sources.add("input", text), form, diagnostics);
  check_places(sources, diagnostics);
  if (!tree) return 0;
  // One form a run, by the length: mutations change it, and three forms in each would be three times as slow.
  constexpr twin::Form forms[] = {twin::Form::muster, twin::Form::json, twin::Form::yaml};
  there_and_back(text, forms[size % 3]);
  sema::ExpandOptions options;
  options.roots = {tree->file};
  const std::vector<ast::File> expanded = sema::expand({std::move(*tree)}, options, diagnostics);
  if (!diagnostics.has_errors()) sema::check(expanded, sources, {}, diagnostics);
  check_places(sources, diagnostics);
  return 0;
}
