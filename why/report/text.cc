#include "why/report/text.h"

#include <array>

#include "compiler/base/text.h"

namespace muster::why {
namespace {

constexpr std::size_t label_width = 9;
constexpr std::size_t most_facts = 8;

struct OptionName {
  std::string_view key, option;
};
constexpr std::array option_names = {OptionName{"gpus-node", "gpus-per-node"}, OptionName{"cpus-node", "cpus-per-task"},
                                     OptionName{"gpu-type", "gpus-per-node"}};

std::string line(std::string_view label, const std::string& text) {
  return "  " + padded(std::string(label), label_width) + text + "\n";
}

std::string subject_text(const Subject& subject) {
  if (subject.id.empty())
    return subject.system == "slurm" ? "the submission" : subject.system == "log" ? "the program" : "the object";
  return subject.system == "slurm" ? "job " + subject.id : subject.id;
}

}  // namespace

std::string place_text(Place place, const Sources& sources) {
  return place.file == 0 ? std::string() : sources.name(place.file) + ":" + std::to_string(place.line);
}

std::string repair_text(const FoundRepair& repair) {
  if (repair.kind != RepairKind::edit) return repair.text;
  std::string out;
  for (const auto& [key, value] : repair.changes) {
    std::string_view option = key;
    for (const OptionName& row : option_names)
      if (row.key == key) option = row.option;
    out += out.empty() ? "" : " ";
    if (value.empty()) out += "remove --" + std::string(option);
    else out += "--" + std::string(option) + "=" + value + (key == "mem" ? "M" : "");
  }
  return out;
}

std::string headline(const Finding& finding) {
  const std::string subject = subject_text(finding.subject);
  switch (finding.verdict) {
    case Verdict::never: return subject + " never starts as it is: ";
    case Verdict::later: return subject + " waits: ";
    case Verdict::failed: return subject + " failed: ";
    case Verdict::ok: return subject + ": ";
    case Verdict::unknown: break;
  }
  return subject + ": ";
}

std::string text_of(const std::vector<Finding>& findings, const Sources& sources) {
  std::string out;
  for (const Finding& finding : findings) {
    if (!out.empty()) out += "\n";
    out += headline(finding) + finding.sentence + "\n";
    if (!finding.code.empty() && finding.code != "ok") out += line("cause", finding.code);
    std::size_t count = 0;
    for (const UsedFact& fact : finding.used) {
      if (++count > most_facts) break;
      out += line(count == 1 ? "facts" : "", padded(fact.key, 24) + printable(fact.value, 100) +
                                                 (fact.unit.empty() ? "" : " " + fact.unit) + "  (" +
                                                 place_text(fact.place, sources) + ")");
    }
    for (const FoundRepair& repair : finding.repairs)
      out += line("repair", repair_text(repair) + (repair.checked                    ? "  (checked)"
                                                   : repair.kind == RepairKind::edit ? "  (not checked)"
                                                                                     : ""));
    if (!finding.code.empty() && finding.verdict != Verdict::ok && finding.who != Who::nobody)
      out += line("who", finding.who == Who::user    ? "the user"
                         : finding.who == Who::admin ? "an administrator"
                                                     : "the user or an administrator");
    for (const std::string& code : finding.then) out += line("then", code);
    if (!finding.candidates.empty()) out += line("may be", joined(finding.candidates));
    for (const Ask& ask : finding.asks) out += line("run", ask.command);
  }
  return out;
}

}  // namespace muster::why
