#include "targets/slurm/lift/text.h"

#include <algorithm>
#include <optional>

#include "compiler/base/text.h"
#include "targets/given_names.h"
#include "targets/slurm/lift/arguments.h"
#include "targets/slurm/lift/meeting.h"
#include "targets/slurm/lift/portable.h"
#include "targets/slurm/lift/task_values.h"

namespace muster::targets::slurm::lifting {
namespace {

using model::Reference;
using model::RefersTo;

// `$NAME`, `${NAME}` or `~`: the name; "" for all that the shell would have to work out.
std::string_view variable_of(std::string_view spelling) {
  if (spelling == "~") return "HOME";
  if (is_one_of(spelling, {"$(pwd)", "`pwd`", "$(echo $PWD)"})) return "PWD";
  if (!spelling.starts_with('$')) return {};
  spelling.remove_prefix(1);
  if (spelling.starts_with('{') && spelling.ends_with('}')) spelling = spelling.substr(1, spelling.size() - 2);
  const bool name =
      !spelling.empty() && is_name_start(spelling[0]) && std::all_of(spelling.begin(), spelling.end(), is_name_char);
  return name ? spelling : std::string_view{};
}

// What Slurm sets in every job, without blanks.
bool is_always_set(std::string_view name, const TextPlace& place) {
  if (name.starts_with("SLURM_ARRAY_")) return place.array;
  const GivenName* row = given_name(BatchSystem::slurm, name);
  return row != nullptr && row->condition.empty() && row->meaning != Given::job_name;
}

// A folder, a user or a number by its name: without blanks, and set.
bool is_one_word(std::string_view name, const TextPlace& place) {
  if (is_one_of(name, {"HOME", "USER", "LOGNAME", "HOSTNAME", "PWD", "SHELL", "WORK", "SCRATCH", "STORE", "PROJECT"}))
    return true;
  if (is_always_set(name, place) || name.starts_with("PBS_") || name.starts_with("LSB_")) return true;
  const std::string upper_name = upper(name);
  for (const std::string_view ending : {"DIR", "HOME", "ROOT", "SCRATCH", "WORK", "FOLDER", "PATH"})
    if (upper_name.ends_with(ending)) return true;
  return false;
}

// Whether what is at that place of a word as written is between double quotes.
bool in_quotes(std::string_view word, std::size_t at) {
  bool quoted = false;
  for (std::size_t i = 0; i < at; ++i) {
    if (word[i] == '\\') ++i;
    else if (word[i] == '"') quoted = !quoted;
  }
  return quoted;
}

// Whether a part is. It may have come out of a variable: then each variable of the word is in quotes.
bool is_in_quotes(std::string_view word, std::string_view part) {
  if (const std::size_t at = word.find(part); at != std::string_view::npos) return in_quotes(word, at);
  bool any = false;
  for (std::size_t at = 0; (at = word.find('$', at)) != std::string_view::npos; ++at, any = true)
    if (!in_quotes(word, at)) return false;
  return any;
}

std::optional<Reference> own_reference(std::string_view name, const TextPlace& place) {
  if (place.array && name == "SLURM_ARRAY_TASK_ID") return Reference{RefersTo::axis, "task", 0, {}};
  const std::string_view id = place.array ? "SLURM_ARRAY_JOB_ID" : "SLURM_JOB_ID";
  if (name == id || (!place.array && name == "SLURM_JOBID")) return Reference{RefersTo::run, "id", 0, {}};
  return std::nullopt;
}

// The first node or a port in the place of what works them out.
std::optional<Reference> own_place(std::string_view part) {
  switch (meeting_of(part)) {
    case Meeting::address: return Reference{RefersTo::run, "head", 0, {}};
    case Meeting::port: return Reference{RefersTo::run, "port", 0, {}};
    default: return std::nullopt;
  }
}

const OwnName* own_name(std::string_view name, const TextPlace& place) {
  if (place.names == nullptr) return nullptr;
  const auto found =
      std::find_if(place.names->begin(), place.names->end(), [&](const OwnName& own) { return own.name == name; });
  return found == place.names->end() ? nullptr : &*found;
}

// An argument of the script: the value of a parameter, which has the place of an axis.
bool add_argument(LiftedText& out, std::string_view part, std::string_view written, const TextPlace& place) {
  const Parameter* argument = place.arguments == nullptr ? nullptr : argument_in(part, *place.arguments);
  if (argument == nullptr) return false;
  out.text.references.push_back({RefersTo::axis, argument->name, out.text.bytes.size(), {}});
  if (place.splits && !is_in_quotes(written, part)) out.joined.push_back(argument->name);
  return true;
}

// What the script works out of the task id: the value of an axis.
bool add_task_value(LiftedText& out, std::string_view part, std::string_view written, const TextPlace& place) {
  const TaskValue* value = place.task_values == nullptr ? nullptr : task_value_in(part, *place.task_values);
  if (value == nullptr || (place.splits && !value->one_word && !is_in_quotes(written, part))) return false;
  out.text.references.push_back({RefersTo::axis, value->axis, out.text.bytes.size(), {}});
  return true;
}

// The value of a variable of another batch system in the place of its name.
void add_text(LiftedText& out, const model::Text& value) {
  for (Reference reference : value.references) {
    out.reads_slurm |= reference.to == RefersTo::env && reference.name.starts_with("SLURM_");
    reference.at += out.text.bytes.size();
    out.text.references.push_back(std::move(reference));
  }
  out.text.bytes += value.bytes;
}

void add_variable(LiftedText& out, std::string_view name, const TextPlace& place) {
  if (const OwnName* own = own_name(name, place)) return add_text(out, own->value);
  const bool other_system = place.names != nullptr && !place.names->empty();
  if (other_system && (name.starts_with("PBS_") || name.starts_with("LSB_"))) {
    out.why = "`$" + std::string(name) + "` has no equal in the language";
    return;
  }
  std::optional<Reference> reference = own_reference(name, place);
  const bool of_slurm = name.starts_with("SLURM");
  if (!reference && of_slurm && !place.one_task && is_of_task(name)) {
    out.why = "the batch shell's `$" + std::string(name) + "` is not that of the tasks";
    return;
  }
  if (!reference) {
    out.reads_slurm |= of_slurm;
    reference = Reference{RefersTo::env, std::string(name), 0, {}};
  }
  reference->at = out.text.bytes.size();
  out.text.references.push_back(std::move(*reference));
}

// A part that the text alone does not tell, of a word as `written`.
void add_unknown(LiftedText& out, std::string_view part, std::string_view written, const TextPlace& place) {
  if (const std::string_view name = variable_of(part); !name.empty()) {
    if (!place.splits || is_one_word(name, place) || is_in_quotes(written, part)) return add_variable(out, name, place);
    out.why = "`" + printable(part, 40) + "` is not in quotes, so it may be several words";
    return;
  }
  if (place.nodes > 0 && meeting_of(part) == Meeting::host_count) {
    out.text.bytes += std::to_string(place.nodes);
  } else if (auto place_of_run = own_place(part)) {
    place_of_run->at = out.text.bytes.size();
    out.text.references.push_back(std::move(*place_of_run));
    out.meets = true;
  } else if (!add_argument(out, part, written, place) && !add_task_value(out, part, written, place)) {
    out.why = "`" + printable(part, 40) + "` is only known when the script runs";
  }
}

}  // namespace

std::vector<WordPart> parts_of(const Word& word) {
  std::vector<WordPart> out;
  std::string_view rest = word.parts;
  for (bool known = true;; known = !known) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    if (end > 0) out.push_back({rest.substr(0, end), known});
    if (end == rest.size()) return out;
    rest.remove_prefix(end + 1);
  }
}

std::string name_for_value(std::string_view word) {
  const std::string name = dashed(muster::lower(word));
  const bool plain = !name.empty() && is_letter(name[0]) && name.back() != '-' &&
                     name.find("--") == std::string::npos && name.size() <= 40 &&
                     std::all_of(name.begin(), name.end(), [](char c) { return is_name_char(c) || c == '-'; });
  const bool taken = model::kind_of_reference(name).has_value() ||
                     is_one_of(name, {"import", "as",   "param", "let",     "template", "from",  "when", "else",
                                      "if",     "then", "in",    "and",     "or",       "not",   "true", "false",
                                      "sweep",  "task", "args",  "require", "prefer",   "assert"});
  return plain && !taken ? name : std::string();
}

LiftedText lifted_text(const Sources& sources, const Word& word, const TextPlace& place) {
  LiftedText out;
  if (word.literal) {
    out.text.bytes = word.text;
    return out;
  }
  if (word.parts.empty()) {
    out.why = "`" + printable(word.text, 40) + "` is an array";
    return out;
  }
  const std::string_view written = word.span.known() ? sources.text(word.span) : std::string_view{};
  for (const WordPart& part : parts_of(word)) {
    if (!out.lifted()) break;
    if (part.known) out.text.bytes += part.text;
    else add_unknown(out, part.text, written, place);
  }
  return out;
}

bool is_bracket_pattern(std::string_view word, std::string_view spelt) {
  const std::size_t open = word.find('[');
  if (open == std::string_view::npos || word.find(']', open + 2) == std::string_view::npos) return false;
  if (spelt.starts_with('"')) return false;
  char quote = '\0';
  for (const char c : spelt.substr(0, std::min(spelt.find('['), spelt.size()))) {
    if (c == '\\') return false;
    if (quote == '\0' && (c == '"' || c == '\'')) quote = c;
    else if (c == quote) quote = '\0';
  }
  return quote == '\0';
}

bool extends(const model::EnvVar& v) {
  return v.value.bytes.find(':') != std::string::npos &&
         std::any_of(v.value.references.begin(), v.value.references.end(),
                     [&](const model::Reference& r) { return r.to == model::RefersTo::env && r.name == v.name; });
}

bool take_meeting_place(const std::string& name, const Word& value, LiftedText& out) {
  const Meeting meeting = meeting_of(value.text, name);
  if (meeting == Meeting::none || runner_variable(meeting) != name) return false;
  const char* run = meeting == Meeting::address ? "head" : "port";
  out = {};
  out.text = model::Text("", {{model::RefersTo::run, run, 0, {}}});
  out.meets = true;
  return true;
}

std::optional<std::string> may_be_empty(const model::Text& text) {
  if (!text.bytes.empty() || text.references.size() != 1 || text.references.front().to != model::RefersTo::env)
    return std::nullopt;
  const std::string& name = text.references.front().name;
  const bool usual =
      is_one_of(name, {"HOME", "SCRATCH", "WORK", "PWD", "STORE", "PROJECT"}) || name.starts_with("SLURM_");
  return usual ? std::nullopt : std::optional(name);
}

}  // namespace muster::targets::slurm::lifting
