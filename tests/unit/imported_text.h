// What `muster site import` writes, as text that is read again.
#pragma once

#include <string>

#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/format.h"
#include "targets/kubernetes/import_site.h"
#include "targets/slurm/import_site.h"
#include "tests/catch.h"
#include "tests/unit/plan_fixture.h"

namespace muster::test {

inline targets::ImportedSite import_slurm(const std::string& text, Diagnostics& diagnostics,
                                          const std::string& taken = "") {
  using namespace targets::slurm;
  const Cluster cluster = read_cluster(recognise({text, 1, 0}).sections, diagnostics);
  return import_site(cluster, "lab", taken, diagnostics);
}

// The text has no faults.
inline targets::ImportedSite import_slurm(const std::string& text) {
  Diagnostics diagnostics;
  auto out = import_slurm(text, diagnostics, "2026-12-01T10:00:00");
  INFO(text << messages_of(diagnostics));
  REQUIRE_FALSE(diagnostics.has_errors());
  return out;
}

inline std::string text_of(const targets::ImportedSite& site) {
  Diagnostics diagnostics;
  std::vector<ast::Block> blocks;
  if (site.fleet) blocks.push_back(sema::to_syntax(*site.fleet, diagnostics));
  blocks.push_back(sema::to_syntax(site.site, diagnostics));
  std::vector<syntax::Note> notes;
  for (const targets::Remark& remark : site.remarks) notes.push_back({remark.path, remark.text});
  INFO(messages_of(diagnostics));
  REQUIRE_FALSE(diagnostics.has_errors());
  return syntax::format(std::move(blocks), notes);
}

inline std::string remarks_of(const targets::ImportedSite& site) {
  std::string out;
  for (const targets::Remark& remark : site.remarks) out += remark.path + ": " + remark.text + "\n";
  return out;
}

}  // namespace muster::test
