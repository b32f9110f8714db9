// How sbatch reads the head of a file, written again from Slurm's rules; shares no code with the writer.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace muster::oracle {

// Options of the file as sbatch sees them; nullopt where it would refuse the file.
std::optional<std::map<std::string, std::string>> slurm_options(const std::string& text);

// --output as Slurm expands it, with our placeholders in place of the values.
std::string expanded(const std::string& pattern);

}  // namespace muster::oracle
