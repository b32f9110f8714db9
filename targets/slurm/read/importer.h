// The import under way: what is read, what is made of it, and a line for every directive. Inside
// targets/slurm/read only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "targets/slurm/read/import.h"

namespace muster::targets::slurm {

struct Importer {
  const Sources& sources;
  const Script& script;
  const Body& body;
  const Component& job;
  Diagnostics& diagnostics;
  std::map<std::string_view, const Directive*> deciding{};  // by option: its last directive
  Imported out{};

  model::Workload& workload() { return out.workload; }
  model::Role& role() { return out.workload.roles.front(); }
  model::Resources& resources() { return out.workload.roles.front().resources; }

  // The directive that decides an option; nullptr where it is not given.
  const Directive* given(std::string_view option) const {
    const auto found = deciding.find(option);
    return found == deciding.end() ? nullptr : found->second;
  }

  void mapped(const Directive& d, std::string as) { add(d, Fate::mapped, std::move(as), {}); }
  void approximated(const Directive& d, std::string as, std::string note) {
    add(d, Fate::approximated, std::move(as), std::move(note));
  }
  // Kept in Slurm's words, if the option was not kept before.
  void raw(const Directive& d, std::string note = {});
  // Writes the option into `target slurm`, beside the key that says it too; no line.
  void keep(const Directive& d, std::string value);
  // Kept in Slurm's words with another value than the directive's.
  void raw_value(const Directive& d, std::string value, std::string note);
  void lost(const Directive& d, std::string note) { add(d, Fate::lost, {}, std::move(note)); }
  // Whether an option has its line already.
  bool done(std::string_view option) const;

 private:
  void add(const Directive& d, Fate fate, std::string as, std::string note) {
    out.lines.push_back({d.whole, std::string(d.name), fate, std::move(as), std::move(note)});
  }
};

// import_layout.cc: nodes, tasks, cpus, GPUs and memory, which say each other's meaning.
void import_layout(Importer& import);
// import_text.cc: the program's text and its interpreter.
void import_text(Importer& import);
// import_plugins.cc: whether what sbatch refuses is an option that a plugin may add, which is then kept.
bool keeps_option(const Sources& sources, const Refusal& refusal);
void import_plugins(Importer& import);
// Whether the text starts steps of its own, or asks Slurm how many tasks there are.
bool starts_steps(const Script& script, const Body& body);
// "0-6:2,9" to 0, 2, 4, 6, 9; nullopt if it is not such a list or over the budget of points.
std::optional<std::set<std::int64_t>> task_ids(std::string_view text);
// What the text runs, by its launchers and programs.
model::Kind kind_of(const Body& body, bool is_array);

}  // namespace muster::targets::slurm
