// What programs and commands do, as values: see programs.h, which has the rows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace muster::shell {

// What a program does where its options say nothing else.
enum class Effect : std::uint8_t {
  unknown,    // no row: whoever asks says what it takes that for
  works,      // the work of a job, or a part of it
  prints,     // it says something of the machine or of itself
  reads,      // it passes on what its files or its input hold
  tests,      // its exit code answers a question
  writes,     // files
  removes,    // files
  transfers,  // to or from another host or a store
  asks,       // another program, over the network
  sets,       // the state of the shell: the subject says which
  leaves,     // a loop, a function or the shell
  waits,      // for a time or for other processes
  ends,       // other processes or jobs
  serves,     // until it is ended
  monitors,   // until it is ended, as a side matter
  installs,   // software
  submits,    // jobs
};

// What of the shell a program sets.
enum class Subject : std::uint8_t {
  nothing,
  folder,       // cd
  variables,    // export, read
  environment,  // module, source, conda activate
  options,      // set, shopt
  limits,       // ulimit, umask
  arguments,    // shift
  handlers,     // trap, alias
  anything,     // eval, exec
};

// What else a row says, as bits.
enum Trait : std::uint32_t {
  no_trait = 0,
  alike = 1U << 0,         // with the same words it does the same on every node and for every task
  elsewhere = 1U << 1,     // may start processes on other nodes
  several = 1U << 2,       // may start several processes
  starts_work = 1U << 3,   // what it starts is the work of a job
  contains = 1U << 4,      // starts programs in an image
  detaches = 1U << 5,      // returns at once, and what it has started goes on
  transparent = 1U << 6,   // in front of a command it changes nothing
  root = 1U << 7,          // needs root
  builds = 1U << 8,        // makes environments of Python
  any_shell = 1U << 9,     // reads a text of commands
  bourne = 1U << 10,       // reads one that is read here as well
  interprets = 1U << 11,   // may run the scripts of a workload
  reads_text = 1U << 12,   // runs the commands of a file in this shell
  declares = 1U << 13,     // its words are assignments or names: `export A=1 B`
  takes_names = 1U << 14,  // gives the names in its words values that the text does not say: `read A`
  lists_names = 1U << 15,  // prints the variables
  on_names = 1U << 16,     // takes names of files apart, and opens none
  finds_path = 1U << 17,   // makes the path of a folder from that of a file
  shows_gpus = 1U << 18,   // says what the GPUs do
  loads_model = 1U << 19,  // serves a model, which it loads first
};

struct Program {
  std::string_view name;
  Effect effect = Effect::unknown;
  Subject subject = Subject::nothing;
  std::uint32_t traits = no_trait;

  bool is(Trait trait) const { return (traits & trait) != 0; }
};

// What a command does: its row, what its words make of it, and the wrappers in front (`nohup`, `time`) looked through.
struct Doing {
  const Program* row = nullptr;
  Effect effect = Effect::unknown;
  Subject subject = Subject::nothing;
  std::size_t at = 0;  // the word that names the program

  bool is(Trait trait) const { return row != nullptr && row->is(trait); }
  bool is(Subject what) const { return effect == Effect::sets && subject == what; }
  bool is(std::initializer_list<Effect> effects) const;
};

}  // namespace muster::shell
