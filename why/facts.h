// What the outputs that a person pasted say, as objects with fields, each with the file and line it was read from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::why {

// What stands for the rest of a line that a terminal cut: an output is not read as if it ended there.
inline constexpr std::string_view cut = "\u2026";
inline bool is_cut(std::string_view text) { return text.find(cut) != std::string_view::npos; }

struct Place {
  std::uint32_t file = 0;  // of Sources; 0: nowhere
  std::uint32_t line = 0;  // from 1
  friend bool operator==(const Place&, const Place&) = default;
};

struct Field {
  std::string key;  // "JobState", "spec.schedulerName": lists have no index
  std::string value;
  Place place;
  std::uint32_t item = 0;  // fields of one item of a list have the same number
};

// Where a text was printed: what a pattern may be looked for in.
enum class Kind : std::uint8_t {
  job,          // Slurm: scontrol show job, squeue, sacct
  step,         // sacct, of a job
  node,         // of either system
  partition,    // of Slurm
  reservation,  // of Slurm
  license,
  leaf,     // a switch with its nodes
  drained,  // sinfo -R
  qos,
  association,
  priority,  // sprio
  config,    // scontrol show config, a value each
  script,    // a job script, a directive each
  object,    // of Kubernetes, whatever its kind
  row,       // of a table of kubectl get
  event,
  absent,     // "No resources found"
  submitted,  // "Submitted batch job 7"
  refused,    // what a program that submits said
  log,
};

struct Object {
  Kind kind{};
  std::string type;  // of an object: "pod"; of a program: "sbatch"
  std::string name;
  std::string name_space;     // of Kubernetes; "": not printed
  std::uint32_t segment = 0;  // the output that it is part of
  Place place;
  std::vector<Field> fields{};

  const Field* find(std::string_view key) const;
  // "" for what is not there.
  std::string_view get(std::string_view key) const;
  std::vector<const Field*> all(std::string_view key) const;
  // The field of the same item of a list.
  const Field* beside(const Field& field, std::string_view key) const;
  void add(std::string key, std::string value, Place place, std::uint32_t item = 0);
};

struct Facts {
  std::vector<Object> objects;
  std::vector<std::string> commands;  // that a prompt shows, and `commands_at` where
  std::uint32_t segments = 0;
  std::size_t lines = 0;  // that are not blank

  std::vector<const Object*> of(Kind kind) const;
};

}  // namespace muster::why
