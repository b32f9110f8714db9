// Every option of sbatch and srun, and which Slurm has it: the one table that the writer of #SBATCH
// lines and their reader share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/site.h"
#include "targets/asks.h"

namespace muster::targets::slurm {

enum class Tool : std::uint8_t { sbatch, srun, pyxis };
enum class Arity : std::uint8_t { absent, none, required, optional };

struct OptionRow {
  Tool tool;
  std::string_view name;   // long, without dashes
  char letter;             // 0 if it has none
  std::string_view arity;  // a letter for each of slurm_versions()
  bool per_component;      // a component of a heterogeneous job starts without it
  std::string_view type;   // kind of value: "duration", "memory"; "" if free
  Asks asks = Asks::nothing;

  // With no version declared: the widest arity that any Slurm gives it.
  Arity arity_in(std::optional<model::Version> version) const;
};

// The versions that the table knows, oldest first. A version between two has what the older one has.
std::span<const model::Version> slurm_versions();

// The options of one tool, by name.
std::span<const OptionRow> option_rows(Tool tool);

// Row of a full long name; nullptr if the tool has none in any version.
const OptionRow* find_option(Tool tool, std::string_view name);
// Row of a letter that the given version has; nullptr if there is none.
const OptionRow* find_letter(Tool tool, char letter, std::optional<model::Version> version);

// How getopt_long reads a long name: whole, or a prefix that fits one option only. Spellings of one
// option (`cluster`, `clusters`) do not compete. With no version declared: as the newest Slurm that takes it.
struct OptionMatch {
  const OptionRow* row = nullptr;            // nullptr: unknown or ambiguous
  std::vector<std::string_view> candidates;  // of an ambiguous prefix
};
OptionMatch match_option(Tool tool, std::string_view written, std::optional<model::Version> version);

// `cluster` is `clusters`, `tasks-per-node` is `ntasks-per-node`.
std::string_view canonical_option(std::string_view name);

// Whether a word, without dashes, has the form of a long option: `gpus-per-node`, and any that a plugin may add.
bool is_option_name(std::string_view name);

// Where an option begins and ends: {since, gone}; 0.0 for "always" and "never".
struct OptionAge {
  model::Version since{}, gone{};
};
OptionAge age_of(const OptionRow& row);
// The first version in which an option takes a value; nullopt: in none.
std::optional<model::Version> value_since(const OptionRow& row);

// "22.05"
std::string to_string(model::Version version);

}  // namespace muster::targets::slurm
