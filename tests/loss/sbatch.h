// A script of Slurm as the readers see it, from the side of one role. Inside tests/loss only.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/loss/reader.h"

namespace muster::loss {

struct Sbatch {
  const Asked& asked;
  const model::Workload& work;
  const model::Role& role;
  std::vector<std::pair<std::string, std::string>> options;
  std::string body;
  std::vector<std::string> words;  // of the body
  std::string submit;
  bool is_script = false;  // sbatch takes no other file
  bool is_other = false;   // of PBS or LSF: its directives are here as Slurm says the same
  bool is_lsf = false;

  std::string option(const std::string& name) const {
    for (const auto& [key, value] : options)
      if (key == name) return value;
    return {};
  }
  bool has(const std::string& name) const {
    return std::any_of(options.begin(), options.end(), [&](const auto& o) { return o.first == name; });
  }
  bool any(const std::string& name, const std::string& value) const {
    return std::find(options.begin(), options.end(), std::pair(name, value)) != options.end();
  }
  bool word(const std::string& wanted) const { return std::find(words.begin(), words.end(), wanted) != words.end(); }
  bool holds(const std::string& part) const { return body.find(part) != std::string::npos; }
};

// The line in front of a role's own.
std::string marker_of(const std::string& role);
// Of a script of PBS: options of Slurm that say the same for the role of that number, and what the job runs.
std::vector<std::pair<std::string, std::string>> pbs_options(const std::string& text, const std::string& body,
                                                             std::size_t role);
std::string pbs_body(std::string body);
// The same of LSF.
std::vector<std::pair<std::string, std::string>> lsf_options(const std::string& text, const std::string& body);
std::string lsf_body(std::string body);
// What the lines of both say: when `timeout` sends its signal, and where `exec` puts the output.
void add_lead(const std::string& body, std::vector<std::pair<std::string, std::string>>& out);
void add_redirection(const std::string& body, std::vector<std::pair<std::string, std::string>>& out);
// The options that hold for the role, and the lines that are for it.
Sbatch read(const Output& output, const Asked& asked);

}  // namespace muster::loss
