// What a file of jobs or manifests is for: only what is submitted as it is can be judged as such.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/base/source.h"

namespace muster::targets {

enum class PurposeKind : std::uint8_t {
  complete,   // a script that is submitted, a manifest that is applied
  templated,  // a program fills it in first
  wrapper,    // it writes or submits other scripts
  notes,      // several scripts, alternatives, or text around them
  log,        // what a job printed
  patch,      // a change of another manifest: kustomize merges them
  test_data,  // input of tests, often wrong on purpose
  archived,   // kept, and no longer maintained
  printed,    // objects as a cluster had them, with their state
};

struct Purpose {
  PurposeKind kind = PurposeKind::complete;
  std::string engine;    // of a template: "jinja"; "" where several would do
  std::string why;       // "`{{ nodes }}` in a directive"; "" for what is complete
  Span where;            // what shows it; nowhere if the file's name does
  bool in_part = false;  // what does not depend on that is what it says, and is judged

  bool is_complete() const { return kind == PurposeKind::complete; }
};

std::string_view name(PurposeKind kind);  // "template"
// "a template (jinja)", "a script that submits others".
std::string described(const Purpose& purpose);

}  // namespace muster::targets
