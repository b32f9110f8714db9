#include "cli/loss_report.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "compiler/base/text.h"

namespace muster::cli {
namespace {

constexpr std::array<std::string_view, 4> status_names = {"exact", "approximated", "refused", "read"};

std::string_view status_name(const targets::LossEntry& entry) {
  return status_names[static_cast<std::size_t>(entry.status)];
}

// "line 6", "lines 24-26, 31"; of another file than the first: "submit.slurm.sh line 4".
std::string places(const std::vector<targets::Carrier>& carriers, const std::string& first) {
  std::string out;
  for (const targets::Carrier& carrier : carriers) {
    const auto& lines = carrier.lines;
    const bool one = lines.size() == 1 && lines[0].first == lines[0].last;
    out += (out.empty() ? "" : "; ") + (carrier.document == first ? "" : carrier.document + " ") +
           (one ? "line " : "lines ");
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out += (i == 0 ? "" : ", ") + std::to_string(lines[i].first);
      if (lines[i].last != lines[i].first) out += "-" + std::to_string(lines[i].last);
    }
  }
  return out;
}

}  // namespace

std::string loss_text(const driver::Compiled& compiled, std::span<const targets::Document> documents,
                      const model::Site& site) {
  const targets::Carriers carriers(documents, *compiled.taken, site);
  std::array<std::size_t, status_names.size()> counts{};
  std::string rows;
  for (const targets::LossEntry& e : compiled.lowered.loss.entries()) {
    ++counts[static_cast<std::size_t>(e.status)];
    const std::string at = documents.empty() ? "" : places(carriers.of(e), documents.front().name);
    rows += "  " + padded(std::string(status_name(e)), 12) + padded(to_string(e.field), 21) + e.as +
            (at.empty() ? "" : ", " + at) +
            (e.note.empty() ? ""
             : e.as.empty() ? e.note
                            : "  (" + e.note + ")") +
            "\n";
  }
  return compiled.taken->id + " → " + std::string(compiled.target->name) + ": " + std::to_string(counts[0]) +
         " exact, " + std::to_string(counts[1]) + " approximated, " + std::to_string(counts[2]) + " refused, " +
         std::to_string(counts[3]) + " read by muster itself\n" + rows;
}

Json loss_json(const driver::Compiled& compiled, std::span<const targets::Document> documents, const model::Site& site,
               const Sources& sources) {
  const targets::Carriers carriers(documents, *compiled.taken, site);
  const auto& written = compiled.taken->written;
  Json out = Json::array();
  for (const targets::LossEntry& e : compiled.lowered.loss.entries()) {
    Json entry = {{"field", to_string(e.field)}, {"status", status_name(e)}, {"as", e.as}};
    if (!e.note.empty()) entry["note"] = e.note;
    const auto own = std::find_if(written.begin(), written.end(),
                                  [&](const model::WrittenField& w) { return w.field.is_or_below(e.field); });
    if (own != written.end()) entry["at"] = sources.place(own->span);
    for (const targets::Carrier& carrier : carriers.of(e)) {
      Json lines = Json::array();
      for (const targets::Lines& l : carrier.lines) lines.push_back({l.first, l.last});
      entry["carried_by"].push_back({{"file", carrier.document}, {"lines", std::move(lines)}});
    }
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace muster::cli
