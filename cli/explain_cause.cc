#include "cli/explain_cause.h"

#include <algorithm>
#include <optional>

#include "compiler/base/text.h"
#include "why/causes/causes.h"
#include "why/decide/limits.h"
#include "why/report/text.h"

namespace muster::cli {
namespace {

constexpr std::string_view open = "…";  // what only the input of `muster why` tells

struct Explained {
  std::vector<std::string> verdicts, sentences, printed, commands, repairs;
  std::string who;
};

void add_once(std::vector<std::string>& list, std::string text) {
  if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

// A template for people: each `{fact}` and `*` is open, what is optional in brackets is there.
std::string shown(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' && i + 1 < text.size() && is_lower(text[i + 1])) {
      out += open;
      i = std::min(text.find('}', i), text.size() - 1);
    } else if (text[i] == '*') {
      out += open;
    } else if (text[i] != '[' && text[i] != ']') {
      out += text[i];
    }
  }
  return out;
}

// The names of the facts of a condition: "cap.max-gpus" of `ask.gpus-node>cap.max-gpus`. Not of those that must be
// absent.
std::vector<std::string_view> facts_of(std::string_view condition) {
  std::vector<std::string_view> out;
  for (std::string_view atom : split(condition, '&')) {
    atom = trimmed(atom);
    if (atom.starts_with("?")) continue;
    atom = trimmed(atom, "!");
    const std::size_t sign = atom.find_first_of("=!<>");
    out.push_back(atom.substr(0, sign));
    if (sign == std::string_view::npos) continue;
    const std::string_view right = atom.substr(atom.find_first_not_of("=!<>", sign));
    if (right.find('.') != std::string_view::npos) out.push_back(right);
  }
  return out;
}

// The limit of Slurm whose code it is; nullopt: it is none.
std::optional<why::LimitName> limit_of(std::string_view code) {
  for (const std::string_view level : {"QOS", "Assoc"})
    for (const std::string_view scope : {"Grp", "Max", "Min"})
      for (const std::string_view what :
           {"Submit", "Cpu", "GRES", "Node", "Memory", "Job", "Wall", "Billing", "License", "BB", "Energy"})
        for (const std::string_view kind : {"", "RunMinutes", "Minutes"})
          for (const std::string_view per : {"", "PerUser", "PerAccount", "PerJob", "PerNode"}) {
            const auto limit =
                why::read_limit(joined(std::vector<std::string>{std::string(level), std::string(scope),
                                                                std::string(what), std::string(kind), std::string(per)},
                                       ""));
            if (limit && limit->code() == code) return limit;
          }
  return std::nullopt;
}

void add_message(std::string_view fact, Explained& out) {
  for (const why::Message& message : why::messages())
    if (fact == std::string(why::name(message.where)) + "." + std::string(message.id))
      add_once(out.printed, (is_lower(message.pattern[0]) ? std::string(open) : "") + shown(message.pattern));
}

std::string repair_of(const why::Repair& row) {
  if (row.kind != why::RepairKind::edit) return shown(row.text);
  std::string out;
  for (const std::string_view word : split(row.text, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string option(why::option_name(word.substr(0, equals)));
    out += (out.empty() ? "" : " ") +
           (equals + 1 == word.size() ? "without --" + option : "--" + option + "=" + shown(word.substr(equals + 1)));
  }
  return out;
}

Explained explained(std::string_view code) {
  const auto limit = limit_of(code);
  const std::string_view row = limit ? std::string_view("limit") : code;
  Explained out;
  if (limit) out.sentences.push_back(limit->what() + " is limited, and the job is at that limit or above it");
  for (const why::Cause& cause : why::causes()) {
    if (cause.code != row) continue;
    add_once(out.verdicts, std::string(why::name(cause.verdict)));
    if (!limit) add_once(out.sentences, shown(cause.sentence));
    if (out.who.empty()) out.who = why::name(cause.who);
    const std::size_t semicolon = std::min(cause.when.find(';'), cause.when.size());
    for (const std::string_view fact : facts_of(cause.when.substr(0, semicolon))) add_message(fact, out);
    if (semicolon == cause.when.size()) continue;
    for (const std::string_view fact : facts_of(cause.when.substr(semicolon + 1)))
      add_once(out.commands, shown(split(why::command_for(fact), '|')[0]));
  }
  for (const why::Repair& repair : why::repairs())
    if (repair.code == row) add_once(out.repairs, repair_of(repair));
  return out;
}

std::string listed(std::string_view title, const std::vector<std::string>& lines) {
  std::string out = lines.empty() ? "" : "\n" + std::string(title) + "\n";
  for (const std::string& line : lines) out += "  " + line + "\n";
  return out;
}

}  // namespace

std::vector<std::string> cause_codes() {
  std::vector<std::string> out;
  for (const why::Cause& cause : why::causes())
    if (cause.code != "limit") add_once(out, std::string(cause.code));
  return out;
}

bool is_cause(std::string_view code) {
  const auto codes = cause_codes();
  return std::find(codes.begin(), codes.end(), code) != codes.end() || limit_of(code).has_value();
}

std::string cause_text(std::string_view code) {
  const Explained known = explained(code);
  return std::string(code) + " (" + joined(known.verdicts, ", ") + "), a cause that `muster why` names\n" +
         listed("What it means", known.sentences) + listed("What is printed", known.printed) +
         listed("What shows the rest", known.commands) + listed("What repairs it", known.repairs);
}

Json cause_json(std::string_view code) {
  const Explained known = explained(code);
  return {{"code", code},
          {"verdicts", known.verdicts},
          {"means", known.sentences},
          {"printed", known.printed},
          {"shown_by", known.commands},
          {"repairs", known.repairs},
          {"who", known.who}};
}

}  // namespace muster::cli
