#include "why/report/text.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"

namespace muster::why {
namespace {

constexpr std::size_t label_width = 9;
constexpr std::size_t most_facts = 10;

struct Label {
  std::string_view key, text;
};

struct OptionName {
  std::string_view key, option;
};
constexpr std::array option_names = {OptionName{"gpus-node", "gpus-per-node"}, OptionName{"cpus-node", "cpus-per-task"},
                                     OptionName{"gpu-type", "gpus-per-node"}};

std::string line(std::string_view label, const std::string& text) {
  return "  " + padded(std::string(label), label_width) + text + "\n";
}

constexpr std::array labels = {
#define LABEL(key, text) Label{key, text},
#include "why/report/labels.def"
#undef LABEL
};

// "" for facts that only a program needs.
std::string_view label_of(std::string_view key) {
  for (const Label& row : labels)
    if (row.key == key) return row.text;
  return {};
}

std::string unit_text(const UsedFact& fact) {
  if (fact.unit.empty()) return {};
  const bool one = fact.value == "1" && fact.unit.ends_with("s");
  return " " + (one ? fact.unit.substr(0, fact.unit.size() - 1) : fact.unit);
}

std::string checked_text(const FoundRepair& repair) {
  if (repair.kind != RepairKind::edit) return {};
  if (repair.fit == "fits") return "  (checked; the changed job fits the site)";
  return repair.checked ? "  (checked)" : "  (not checked)";
}

std::string subject_text(const Subject& subject) {
  if (subject.id.empty())
    return subject.system == "slurm" ? "the submission" : subject.system == "log" ? "the program" : "the object";
  return subject.system == "slurm" && subject.state != "refused" ? "job " + subject.id : subject.id;
}

}  // namespace

bool is_message(std::string_view key) {
  if (key == "sched.message") return true;
  return std::any_of(messages().begin(), messages().end(), [&](const Message& message) {
    const std::string_view where = name(message.where);
    return key.size() == where.size() + 1 + message.id.size() && key.starts_with(where) && key.ends_with(message.id);
  });
}

std::string place_text(Place place, const Sources& sources) {
  return place.file == 0 ? std::string() : sources.name(place.file) + ":" + std::to_string(place.line);
}

std::string_view option_name(std::string_view key) {
  for (const OptionName& row : option_names)
    if (row.key == key) return row.option;
  return key;
}

std::string repair_text(const FoundRepair& repair) {
  if (repair.kind != RepairKind::edit) return repair.text;
  std::string out;
  for (const auto& [key, value] : repair.changes) {
    const std::string_view option = option_name(key);
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
    case Verdict::unknown: return subject + (finding.code.empty() ? ": " : " waits: ");
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
    for (const UsedFact& fact : finding.used)
      if (is_message(fact.key))
        out += line("printed", printable(fact.value, 160) + "  (" + place_text(fact.place, sources) + ")");
    for (const UsedFact& fact : finding.used) {
      const std::string_view label = label_of(fact.key);
      if (label.empty() || ++count > most_facts) continue;
      out += line(count == 1 ? "facts" : "", padded(std::string(label), 34) + printable(fact.value, 100) +
                                                 unit_text(fact) + "  (" + place_text(fact.place, sources) + ")");
    }
    for (const FoundRepair& repair : finding.repairs) {
      out += line("repair", repair_text(repair) + checked_text(repair));
      for (const LineChange& change : repair.lines)
        out += line("", "line " + std::to_string(change.line) + ": " +
                            (change.to.empty()     ? "remove `" + printable(change.from) + "`"
                             : change.from.empty() ? "add `" + printable(change.to) + "` below it"
                                                   : "`" + printable(change.to) + "`"));
    }
    if (!finding.code.empty() && finding.verdict != Verdict::ok && finding.who != Who::none)
      out += line("who", finding.who == Who::user    ? "the user"
                         : finding.who == Who::admin ? "an administrator"
                                                     : "the user or an administrator");
    for (const std::string& code : finding.then) out += line("then", code);
    if (!finding.candidates.empty()) out += line("may be", joined(finding.candidates));
    if (!finding.code.empty() && finding.verdict == Verdict::unknown)
      out += line("open", "whether it can ever start as it is; this tells:");
    for (const Ask& ask : finding.asks) out += line("run", ask.command);
  }
  return out;
}

}  // namespace muster::why
