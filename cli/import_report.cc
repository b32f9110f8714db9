#include "cli/import_report.h"

#include <algorithm>
#include <array>

#include "cli/render.h"
#include "compiler/base/secret_scan.h"
#include "compiler/base/text.h"

namespace muster::cli {
namespace {

using driver::ImportedFile;
using targets::Fate;
using targets::ImportLine;

using Counts = std::array<long long, targets::fates>;

Counts counts_of(const ImportedFile& script) {
  Counts out{};
  for (const ImportLine& line : script.imported.lines) ++out[static_cast<std::size_t>(line.fate)];
  return out;
}

std::string counts_text(const Counts& counts) {
  std::string out;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0 && i != 0) continue;
    out +=
        (out.empty() ? "" : ", ") + std::to_string(counts[i]) + " " + std::string(targets::name(static_cast<Fate>(i)));
  }
  return out;
}

Json counts_json(const Counts& counts) {
  Json out = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) out[std::string(targets::name(static_cast<Fate>(i)))] = counts[i];
  return out;
}

// As the file or the command line has it, on one line, without its secrets.
std::string text_at(Span span, const Sources& sources) {
  std::string out;
  for (const char c : span.known() ? mask_part(sources.text(span.file), span.begin, span.end) : std::string()) {
    if (out.size() >= 60) return out + "…";
    out += c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
  }
  return out;
}

// Of a manifest the field, whose value alone says little.
std::string line_text(const ImportLine& line, const Sources& sources, bool field) {
  const std::string what = field ? printable(line.option, longest_name) : text_at(line.span, sources);
  std::string out = "  " + padded(std::string(targets::name(line.fate)), 12, 2) + padded(what, 32, 2) + line.as;
  if (!line.note.empty()) out += (line.as.empty() ? "" : ": ") + line.note;
  return out + "\n";
}

// What people want to read: not what became just the key that it is.
bool says_more(const ImportLine& line) {
  if (!line.note.empty()) return true;
  return !is_one_of(targets::name(line.fate), {"mapped", "lifted", "dropped", "kept"});
}

// Fields that the file does not have and muster always writes, in one line: they would bury the others.
std::string added_text(const std::vector<const ImportLine*>& added, const Sources& sources) {
  if (added.empty()) return {};
  if (added.size() == 1) return line_text(*added.front(), sources, true);
  const auto count = static_cast<long long>(added.size());
  std::vector<std::string> reasons;
  for (const ImportLine* line : added) reasons.push_back(*line->added);
  std::sort(reasons.begin(), reasons.end());
  reasons.erase(std::unique(reasons.begin(), reasons.end()), reasons.end());
  return "  " + padded(std::string(targets::name(Fate::approximated)), 12, 2) +
         padded(counted(count, "field") + " that muster adds", 32, 2) + joined(reasons, "; ") + " (-v lists them)\n";
}

// "lifted (torchrun, 2 nodes × 8)", "wrapped: `for …` needs a shell (job.sh:12)".
std::string grade_text(const targets::Imported& imported, const Sources& sources) {
  std::string out(targets::name(imported.grade));
  if (!imported.launcher.empty()) out += " (" + imported.launcher + ")";
  if (imported.reason.empty()) return out;
  out += ": " + imported.reason;
  return imported.reason_at.known() ? out + " (" + printable(sources.place(imported.reason_at), longest_name) + ")"
                                    : out;
}

Json line_json(const ImportLine& line, const Sources& sources) {
  Json out = {{"option", line.option},
              {"text", text_at(line.span, sources)},
              {"at", sources.place(line.span)},
              {"fate", targets::name(line.fate)},
              {"as", line.as},
              {"note", line.note}};
  if (!line.names.empty()) out["names"] = line.names;
  return out;
}

Json parameters_json(const targets::Imported& imported) {
  Json out = Json::array();
  for (const targets::Parameter& p : imported.parameters) {
    Json one = {{"name", p.name}, {"of", p.of}, {"list", p.list}};
    if (p.fallback) one["default"] = *p.fallback;
    out.push_back(std::move(one));
  }
  return out;
}

Json ignored_json(const targets::Imported& imported, const Sources& sources) {
  Json out = Json::array();
  for (const targets::IgnoredLine& ignored : imported.ignored)
    out.push_back(
        {{"why", ignored.why}, {"text", text_at(ignored.span, sources)}, {"at", sources.place(ignored.span)}});
  return out;
}

std::string written_as(const ImportedFile& script, const driver::Pair* pair) {
  return pair != nullptr ? pair->workload.name + ".muster" : script.file_name();
}

std::string side_text(const std::string& value) { return value.empty() ? "does not say it" : printable(value, 60); }

// The keys that the two of a pair say differently.
std::string pair_text(const driver::Pair& pair) {
  const std::size_t count = pair.differences.size();
  std::string out = pair.workload.name + ".muster: one workload of both, " +
                    (count == 0 ? "which say the same"
                                : "which differ in " + counted(static_cast<long long>(count), "key") +
                                      "; it has what the script says") +
                    "\n";
  for (const driver::PairDifference& d : pair.differences)
    out += "  " + padded(printable(d.key, 40), 24, 2) + printable(pair.files[0], longest_name) + ": " +
           side_text(d.script) + "; " + printable(pair.files[1], longest_name) + ": " + side_text(d.manifest) + "\n";
  return out;
}

Json differences_json(const driver::Pair& pair) {
  Json out = Json::array();
  for (const driver::PairDifference& d : pair.differences)
    out.push_back({{"key", d.key}, {"script", d.script}, {"manifest", d.manifest}});
  return out;
}

}  // namespace

std::string import_text(const std::vector<ImportedFile>& scripts, const driver::Pair* pair, const Sources& sources,
                        bool all) {
  std::string out;
  for (const ImportedFile& script : scripts) {
    if (script.text.empty()) {
      out += printable(script.path, longest_name) + ": not imported\n";
      continue;
    }
    out += printable(script.path, longest_name) + " → " + written_as(script, pair) + ": " +
           grade_text(script.imported, sources) + "\n  " + counts_text(counts_of(script)) + "\n";
    std::vector<const ImportLine*> added;
    for (const ImportLine& line : script.imported.lines)
      if (!all && line.added && !line.added->empty()) added.push_back(&line);
      else if (all || says_more(line)) out += line_text(line, sources, !script.imported.object.empty());
    out += added_text(added, sources);
    for (const targets::IgnoredLine& ignored : script.imported.ignored)
      if (ignored.notable || all)
        out += "  " + padded("not read", 12, 2) + padded(text_at(ignored.span, sources), 32, 2) +
               "the batch system ignores this line; it stays in the text\n";
  }
  return pair == nullptr ? out : out + pair_text(*pair);
}

Json import_json(const std::vector<ImportedFile>& scripts, const driver::Pair* pair, std::span<const Diagnostic> found,
                 const Sources& sources) {
  Counts total{};
  Json out = {{"schema", "muster.import/v1"}, {"scripts", Json::array()}};
  std::size_t imported = 0;
  for (const ImportedFile& script : scripts) {
    Json one = {{"file", script.path}, {"imported", !script.text.empty()}};
    if (!script.text.empty()) {
      ++imported;
      const Counts counts = counts_of(script);
      for (std::size_t i = 0; i < counts.size(); ++i) total[i] += counts[i];
      one["written"] = written_as(script, pair);
      one["grade"] = targets::name(script.imported.grade);
      if (!script.imported.object.empty())
        one["object"] = script.imported.object, one["target"] = script.imported.target;
      one["launcher"] = script.imported.launcher;
      one["reason"] = script.imported.reason;
      if (script.imported.reason_at.known()) one["reason_at"] = sources.place(script.imported.reason_at);
      if (!script.imported.parameters.empty()) one["parameters"] = parameters_json(script.imported);
      one["counts"] = counts_json(counts);
      one["directives"] = one["statements"] = Json::array();
      for (const ImportLine& line : script.imported.lines)
        one[line.statement ? "statements" : "directives"].push_back(line_json(line, sources));
      one["ignored"] = ignored_json(script.imported, sources);
    }
    out["scripts"].push_back(std::move(one));
  }
  out["diagnostics"] = Json::array();
  for (const Diagnostic& d : found) out["diagnostics"].push_back(Json::parse(render_json(d, sources)));
  if (pair != nullptr) out["differences"] = differences_json(*pair);
  out["summary"] = {{"scripts", scripts.size()}, {"imported", imported}, {"counts", counts_json(total)}};
  return out;
}

}  // namespace muster::cli
