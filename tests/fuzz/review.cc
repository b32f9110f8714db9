// Bytes as two sides of a review, the text before and after a line `%%%`: each is linted and mended as a script and as
// a manifest, the two are compared, and every report is written. Any crash, hang or leak is a fault, and so is a
// finding or a fix that lies outside of its file, a fix that never ends, a difference of a side from itself, or one
// that is not there in the other direction. Built with -DMUSTER_FUZZ=ON and clang:
//   fuzz_review -max_len=8192 FOLDER tests/fuzz/corpus/review
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lint/check.h"
#include "lint/fix.h"
#include "lint/report/report.h"
#include "review/compare.h"
#include "review/describe.h"
#include "review/report.h"
#include "targets/kubernetes/read/manifest.h"

using namespace muster;

namespace {

void hold(bool good) {
  if (!good) std::abort();
}

void hold_span(const Sources& sources, Span span) {
  hold(!span.known() || (span.begin <= span.end && span.end <= sources.text(span.file).size()));
}

void hold_places(const Sources& sources, const lint::Result& result) {
  hold_span(sources, result.finding.primary);
  for (const Label& label : result.finding.labels) hold_span(sources, label.span);
  if (!result.finding.fix) return;
  for (const lint::Edit& edit : result.finding.fix->edits) {
    hold_span(sources, edit.where);
    hold(edit.where.known());
  }
}

lint::CheckSettings settings_of(const Sources& sources) {
  std::string unknown;
  return {{sources}, lint::select_rules({}, {}, true, unknown, lint::Profile::strict), "2026-11-21", 0, {}};
}

// What is found in a text, once all its fixes are made: some rounds, as `muster lint --fix` does them.
lint::Outcome linted(Sources& sources, const std::string& text, lint::Input kind, bool unsafe) {
  lint::Outcome out;
  std::uint32_t file = sources.add("side", text);
  for (int round = 0; round < 20; ++round) {
    Diagnostics found;
    out.results = lint::check_file(file, kind, settings_of(sources), found);
    for (const lint::Result& result : out.results) hold_places(sources, result);
    const lint::Fixed fixed = lint::apply_fixes(sources, file, out.results, unsafe);
    if (fixed.applied == 0) {
      out.files = {"side"};
      return out;
    }
    hold(found.has_errors() || round < 19);
    file = sources.add("side", fixed.text);
  }
  return out;
}

void lint_all(const std::string& text) {
  for (const lint::Input kind : {lint::Input::script, lint::Input::manifest})
    for (const bool unsafe : {false, true}) {
      Sources sources;
      const lint::Outcome outcome = linted(sources, text, kind, unsafe);
      for (const lint::Format& format : lint::all_formats()) lint::whole(format.write, {outcome, sources, "0.1.0"});
    }
}

// A side as `muster review` makes one of a single file; empty where the file cannot be used.
review::Tree side_of(const std::string& text, lint::Input kind) {
  Sources sources;
  Diagnostics found;
  const std::uint32_t file = sources.add("jobs/side", text);
  review::Tree out;
  out.name = "side";
  if (kind == lint::Input::script) out.workloads.push_back(review::read_script(sources, file, nullptr, nullptr));
  else
    out.workloads =
        review::read_manifests(sources, file, nullptr, nullptr, found).value_or(std::vector<review::Workload>());
  if (found.has_errors()) {
    out.workloads.clear();
    out.left_out.push_back({"jobs/side", found.sorted().front().message});
    return out;
  }
  review::add_findings(lint::check_file(file, kind, settings_of(sources), found), sources, out.workloads);
  return out;
}

void review_all(const std::string& before, const std::string& after) {
  for (const lint::Input kind : {lint::Input::script, lint::Input::manifest}) {
    const review::Tree base = side_of(before, kind), head = side_of(after, kind);
    hold(review::compare(head, head, 0).items.empty());
    const review::Review there = review::compare(base, head, 0), back = review::compare(head, base, 0);
    hold(there.added == back.removed && there.removed == back.added && there.unchanged == back.unchanged);
    for (const review::Format& format : review::all_formats()) format.write(there, {});
    for (const review::Budget& budget : review::budgets()) {
      review::ReportOptions options;
      options.host = budget.host;
      hold(review::write_markdown(there, options).size() <= budget.bytes);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find("\n%%%\n");
  const std::string before = text.substr(0, cut), after = cut == std::string::npos ? "" : text.substr(cut + 5);
  lint_all(after.empty() ? before : after);
  review_all(before, after);
  return 0;
}
