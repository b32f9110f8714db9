// What people paste, to facts: outputs of Slurm and of Kubernetes, job scripts, manifests and logs, in any order.
#pragma once

#include <cstdint>
#include <span>

#include "compiler/base/source.h"
#include "why/facts.h"
#include "why/read/lines.h"

namespace muster::why {

// Adds what a file says. Linear in its size; nothing in it is run, opened or followed.
void read(Sources& sources, std::uint32_t file, Facts& facts);

// A text that is being read, for the readers of single forms. Each looks at the lines from `at` on, and returns how
// many of them are its own; 0: none, it is another form.
struct Reading {
  Sources& sources;
  std::uint32_t file;
  std::span<const Line> lines;
  Facts& facts;
  std::string command{};    // the last that a prompt showed, "" before the first
  std::size_t in_vain = 0;  // how often a reader looked for the end of its form and there was none
  static constexpr std::size_t most_in_vain = 200;  // each such look may be as long as the file

  std::string_view text(std::size_t at) const {
    return at < lines.size() ? std::string_view(lines[at].text) : std::string_view();
  }
  bool is_command(std::size_t at) const { return at < lines.size() && lines[at].command; }
  Place place(std::size_t at) const { return {file, at < lines.size() ? lines[at].number : 0}; }
  Object& add(Kind kind, std::string name, std::size_t at);
};

// Whether a line begins an output that cannot be part of a script.
bool opens_slurm_output(std::string_view line);
bool opens_kubectl_output(std::string_view line);

std::size_t read_slurm_output(Reading& reading, std::size_t at);   // records and tables of Slurm
std::size_t read_described(Reading& reading, std::size_t at);      // kubectl describe
std::size_t read_kubectl_table(Reading& reading, std::size_t at);  // kubectl get
std::size_t read_document(Reading& reading, std::size_t at);       // YAML and JSON
std::size_t read_script(Reading& reading, std::size_t at);         // a job script
std::size_t read_refusal(Reading& reading, std::size_t at);        // what a program says that refuses a job

}  // namespace muster::why
