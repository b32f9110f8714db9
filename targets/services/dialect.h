// A broker as a dialect: what it is called, what it tells the nodes of a task, and how it spells the file of a task. A
// broker finds machines, brings the task's files there and runs one text of bash on every node. `targets/services`
// makes that text and the account over this table; a broker is a folder with one `Dialect` and its column of what
// becomes of each key.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compiler/model/site.h"
#include "targets/loss.h"

namespace muster::targets::services {

struct Task;

// A key that the broker has no place for, or that asks nothing of it: one line a key, in `says` or, where no broker has
// a place for it, in checks.cc.
struct Said {
  enum class As : std::uint8_t { refused, reported, read } as;
  Field field;
  std::string_view text;  // why it is refused; what is different; by whom it is read. {system}, {unit}: the broker's
  std::string_view help{};
};

struct Dialect {
  std::string_view system;  // in messages: "SkyPilot"
  std::string_view target;  // "skypilot"
  model::PlaneKind plane;
  std::string_view suffix;  // of the file: "skypilot.yaml"
  std::string_view prefix;  // of the variables that are the broker's own: "SKYPILOT_"
  // Keys of the file.
  std::string_view text;      // what runs on every node: "run"
  std::string_view setup;     // what runs before it
  std::string_view nodes;     // how many there are
  std::string_view folder;    // the submitter's folder that is brought to them
  std::string_view checkout;  // the repository that is checked out there
  std::string_view workdir;   // where the text starts; "": wherever the broker starts it
  // What every node of a task finds, in bash.
  std::string_view id;         // of the run
  std::string_view rank;       // of the node
  std::string_view hosts;      // a command that prints the addresses by rank, one a line
  std::string_view head;       // the address of rank 0, as text between double quotes
  bool keeps_secrets = false;  // has values of its own that the file names; what a submitter passes is the exception
  std::string_view unit;       // what it calls what was submitted: "job"
  std::string_view together;   // where all nodes of a task are: one "zone"
  std::string_view no_signal;  // instead of a signal before the end: "sends no signal before it ends a task"
  std::string_view one_role;   // why all nodes of a task are alike
  std::string_view no_ranks;   // why it starts no ranks of MPI
  std::span<const Said> says;

  // Refuses what only this broker cannot take; the texts of the task are not made yet.
  void (*check)(Task& task);
  // Makes the document of a task whose texts are there, and accounts for what it holds.
  void (*write)(Task& task);
  // The command that submits the file.
  std::string (*submit)(const Task& task, const std::string& file);
};

}  // namespace muster::targets::services
