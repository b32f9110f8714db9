// Bytes as a batch script, through all three layers of its reader. Any crash, hang or leak is a fault. With
// libFuzzer (MUSTER_FUZZ, clang), or with replay.cc over the committed corpus.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "targets/slurm/read/meaning.h"

namespace slurm = muster::targets::slurm;

namespace {

// What readers of the result rely on: spans lie in their files, indices in their lists.
void check(bool good) {
  if (!good) std::abort();
}

void check_span(const muster::Sources& sources, muster::Span span) {
  check(!span.known() || (span.begin <= span.end && span.end <= sources.text(span.file).size()));
}

void check_script(const muster::Sources& sources, const slurm::Script& script) {
  for (const auto& d : script.directives) {
    check_span(sources, d.option), check_span(sources, d.value_span), check_span(sources, d.whole);
    check(d.component < script.components);
  }
  for (const auto& r : script.refusals) check_span(sources, r.span);
  for (const auto& i : script.ignored) check_span(sources, i.span);
  for (const auto& t : script.templates) check_span(sources, t.span);
}

void check_body(const muster::Sources& sources, const muster::shell::Body& body) {
  for (const auto& c : body.commands) {
    check_span(sources, c.span);
    check(c.scope < static_cast<std::int32_t>(body.scopes.size()));
    for (const auto& w : c.words) check_span(sources, w.span);
  }
  for (std::size_t i = 0; i < body.scopes.size(); ++i) check(body.scopes[i].parent < static_cast<std::int32_t>(i));
  for (const auto& l : body.launches) {
    check(l.command < body.commands.size() && l.parent < static_cast<std::int32_t>(body.launches.size()));
    check_span(sources, l.span);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  muster::Sources sources;
  const std::uint32_t file = sources.add("fuzz", std::string(reinterpret_cast<const char*>(data), size));
  slurm::ScriptOptions options;
  if (size % 3 == 1) options.version = muster::model::Version{22, 5};
  if (size % 3 == 2) options.version = muster::model::Version{26, 5};
  const slurm::Script script = slurm::read_script(sources, file, options);
  check_script(sources, script);
  const muster::shell::Body body = slurm::read_body(sources, script);
  check_body(sources, body);
  const slurm::Meaning meaning = slurm::meaning_of(script, body, {nullptr, nullptr, options.version});
  check(meaning.components.size() == script.components || script.components == 0);
  for (const slurm::Script& inner : script.embedded) {
    check_script(sources, inner);
    const muster::shell::Body nested = slurm::read_body(sources, inner);
    check_body(sources, nested);
    slurm::meaning_of(inner, nested);
  }
  return 0;
}
