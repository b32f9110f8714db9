#include "targets/slurm/lift/text.h"

#include <algorithm>
#include <optional>

#include "compiler/base/text.h"
#include "targets/slurm/lift/meeting.h"

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
  return is_one_of(name, {"SLURM_JOB_ID", "SLURM_JOBID", "SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SLURM_NODELIST",
                          "SLURM_JOB_NODELIST", "SLURM_SUBMIT_DIR", "SLURM_SUBMIT_HOST", "SLURM_CLUSTER_NAME",
                          "SLURM_JOB_PARTITION", "SLURM_JOB_USER", "SLURM_CPUS_ON_NODE", "SLURM_JOB_CPUS_PER_NODE",
                          "SLURM_TASKS_PER_NODE", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID"});
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

// Whether `spelling` stands between double quotes in the word as written. Not found: it came out of a variable.
bool in_quotes(std::string_view word, std::string_view spelling) {
  const std::size_t at = word.find(spelling);
  if (at == std::string_view::npos) return false;
  bool quoted = false;
  for (std::size_t i = 0; i < at; ++i) {
    if (word[i] == '\\') ++i;
    else if (word[i] == '"') quoted = !quoted;
  }
  return quoted;
}

// What differs between the batch shell and the tasks of a step.
bool is_of_task(std::string_view name) {
  return is_one_of(name, {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURMD_NODENAME", "SLURM_TASK_PID",
                          "SLURM_GTIDS", "SLURM_TOPOLOGY_ADDR", "HOSTNAME"}) ||
         name.starts_with("SLURM_STEP");
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

}  // namespace

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
  bool known = true;
  std::string_view rest = word.parts;
  for (; out.lifted(); known = !known) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view part = rest.substr(0, end);
    const std::string_view name = known ? std::string_view{} : variable_of(part);
    if (known) out.text.bytes += part;
    else if (place.nodes > 0 && meeting_of(part) == Meeting::host_count) out.text.bytes += std::to_string(place.nodes);
    else if (auto place_of_run = name.empty() ? own_place(part) : std::nullopt; place_of_run) {
      place_of_run->at = out.text.bytes.size();
      out.text.references.push_back(std::move(*place_of_run));
      out.meets = true;
    } else if (name.empty()) out.why = "`" + printable(part, 40) + "` is only known when the script runs";
    else if (place.splits && !is_one_word(name, place) && !in_quotes(written, part))
      out.why = "`" + printable(part, 40) + "` is not in quotes, so it may be several words";
    else add_variable(out, name, place);
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace muster::targets::slurm::lifting
