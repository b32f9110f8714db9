// What only the run knows, in the words of the program and in its environment: in the shell of the script where that
// knows it, else in one in front of the program.
#include <algorithm>

#include "compiler/base/text.h"
#include "targets/batch/sections.h"
#include "targets/contract/checks.h"
#include "targets/contract/references.h"
#include "targets/given_names.h"
#include "targets/shell.h"

namespace muster::targets::batch {
namespace {

using contract::Piece;
using contract::Pieces;

// Whether the program has another environment than the script: on a node of its own, or in a container.
bool is_elsewhere(const Job& job) { return starts_in_step(job) || job.in_container(); }

// Whether the script itself does not know the value.
bool is_late(const Job& job, const Piece& piece) {
  if (!piece.is_variable()) return false;
  const std::string& name = piece.variable;
  const bool one_each = job.part.copies_of_step > 1;
  if (name == "MUSTER_NODE_RANK" || name == "MUSTER_NODE_ADDR") return job.may_have_nodes() || job.part.is_part();
  if (name == "MUSTER_REPLICA") return one_each;
  if (name.starts_with("MUSTER_") || !is_elsewhere(job)) return false;
  if (!job.workload.sweep) return true;
  const auto axes = contract::axis_variables(job.role);
  const bool axis = std::any_of(axes.begin(), axes.end(), [&](const auto& entry) { return entry.first == name; });
  return !axis;
}

// A variable of the system, which each process has.
bool is_in_every_process(const Job& job, std::string_view word) {
  const std::string_view prefix = job.dialect.variables.prefix;
  const std::string_view name = word.substr(word.starts_with("${") ? 2 : 1);
  return word.starts_with('$') && name.starts_with(prefix) && word.find('[') == word.npos;
}

// The value of a variable of the contract: in place where the reader can have it so, else exported by the script.
std::string value_of(Job& job, const Piece& piece, bool on_node) {
  if (on_node && is_late(job, piece)) {
    const JobVariables& known = job.dialect.variables;
    if (piece.variable == "MUSTER_NODE_ADDR") return std::string(known.node_name);
    if (piece.variable == "MUSTER_REPLICA") return std::string(known.node_rank);
    if (piece.variable == "MUSTER_NODE_RANK") return job.part.copies_of_step > 1 ? "0" : std::string(known.node_rank);
  }
  if (!on_node && piece.of_environment) return slurm_word(job, piece.variable);
  if (!piece.variable.starts_with("MUSTER_")) return {};
  const std::string word = inside_quotes(contract_word(job, piece.variable));
  const bool in_place = !word.empty() && (!on_node || is_in_every_process(job, word));
  if (!in_place || job.wanted.has(piece.variable)) {
    job.wanted.add(piece.variable);
    return {};
  }
  ask_for(job, word);
  return word;
}

}  // namespace

std::string inside_quotes(std::string_view word) {
  if (word.size() > 1 && word.starts_with('"') && word.ends_with('"')) word = word.substr(1, word.size() - 2);
  return word.find_first_of("'\"\\`") == word.npos ? std::string(word) : std::string();
}

bool is_given(const Job& job, std::string_view name, std::string_view word) {
  const std::string text = inside_quotes(word), own(name);
  const auto system = system_of_plane(job.dialect.plane);
  return system && is_of(*system, name) && (text == "$" + own || text == "${" + own + "}");
}

Pieces pieces_of(const Job& job, const model::Text& text) {
  const contract::RunNames names = run_names(job);
  return contract::pieces_of({job.workload, job.role, job.shape, names}, text);
}

bool is_late(const Job& job, const model::Text& text) {
  if (text.is_plain()) return false;
  const Pieces pieces = pieces_of(job, text);
  return std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) { return is_late(job, piece); });
}

std::string text_word(Job& job, const model::Text& text, bool on_node) {
  if (text.is_plain()) return sh_word(text.bytes);
  Pieces pieces = pieces_of(job, text);
  if (!contract::has_variables(pieces)) return sh_word(contract::bytes_of(pieces));
  for (Piece& piece : pieces)
    if (piece.is_variable()) piece.word = value_of(job, piece, on_node);
  return contract::quoted(pieces);
}

std::string argument_words(Job& job, const std::vector<model::Text>& arguments, const FieldRef& field, bool on_node) {
  std::string out;
  for (const model::Text& argument : arguments) {
    contract::check_argument(job, argument.bytes, field);
    out += (out.empty() ? "" : " ") + text_word(job, argument, on_node);
  }
  return out;
}

bool can_fill_in(Job& job, const std::vector<model::Text>& texts, const FieldRef& field) {
  const model::Runner r = job.runner();
  if (r != model::Runner::ray && r != model::Runner::batch_script) return true;
  for (const model::Text& text : texts)
    for (const Piece& piece : pieces_of(job, text)) {
      if (!is_late(job, piece) && !(r == model::Runner::ray && piece.is_variable() && job.in_container())) continue;
      job.refuse_at(piece.span, field,
                    "this value is known only where the program runs, but its command line is written before that",
                    "read the variable in the program, or write a `script`");
      return false;
    }
  return true;
}

}  // namespace muster::targets::batch
