// What a session reads, and how the parameters of its files are filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/files.h"

namespace muster::driver {

// What job scripts and manifests among the files are: files that do not parse; what they ask of the machines, for the
// plane that they were written for; or workloads that any plane of the site may take, as an import makes them.
enum class Existing : std::uint8_t { none, as_read, ported };

struct Inputs {
  Files from;                        // where all of these are read
  std::vector<std::string> files;    // "-" is standard input
  std::optional<std::string> input;  // what the first file holds, where it was read before
  Existing existing = Existing::none;
  std::string port_to{};  // the one target that `ported` files are for; "": none is named
  std::string site_file;
  std::string rules_file;        // a policy in place of the site's own; "": none
  std::string as_of;             // the day on which expiry is judged; "": on none
  std::string root;              // the folder that ids and imports start from; "": see import_root
  std::vector<std::string> set;  // NAME=VALUE
  std::string blueprint;         // the template that a workload is made of; "": none
  std::string matrix;            // a CSV file: one workload of the template a row; "": none
};

}  // namespace muster::driver
