#include "tests/oracles/sbatch_reader.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

namespace muster::oracle {
namespace {

// One argument of an #SBATCH line, after get_argument() of Slurm's src/sbatch/opt.c. `at` moves behind it.
std::optional<std::string> slurm_argument(std::string_view line, std::size_t& at) {
  const auto blank = [&](std::size_t i) { return std::isspace(static_cast<unsigned char>(line[i])) != 0; };
  while (at < line.size() && blank(at)) ++at;
  std::string out;
  bool quoted = false, escaped = false, any = false;
  char mark = 0;
  for (; at < line.size() && (quoted || !blank(at)); ++at) {
    const char c = line[at];
    if (escaped) escaped = false;
    else if (c == '\\') {
      if (at + 1 < line.size() && line[at + 1] == ' ') out += line[++at], any = true;
      else escaped = true;
      continue;
    } else if (quoted && c == mark) {
      quoted = false;
      continue;
    } else if (!quoted && (c == '"' || c == '\'')) {
      quoted = true;
      mark = c;
      continue;
    } else if (!quoted && c == '#') {
      break;
    }
    out += c;
    any = true;
  }
  if (quoted || !any) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::map<std::string, std::string>> slurm_options(const std::string& text) {
  if (!text.starts_with("#!") || text.find("\r\n") != std::string::npos) return std::nullopt;
  std::map<std::string, std::string> options;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t\r\v\f");
    if (first != std::string::npos && line[first] != '#') break;
    if (!line.starts_with("#SBATCH")) continue;
    std::size_t at = 7, found = 0;
    while (const auto argument = slurm_argument(line, at)) {
      if (!argument->starts_with("--")) return std::nullopt;
      const std::size_t equal = std::min(argument->find('='), argument->size());
      if (!options.emplace(argument->substr(0, equal), equal < argument->size() ? argument->substr(equal + 1) : "")
               .second)
        return std::nullopt;
      ++found;
    }
    if (found != 1) return std::nullopt;
  }
  const bool dialect = text.find("\n#PBS") != std::string::npos || text.find("\n#BSUB") != std::string::npos;
  if (dialect && !options.contains("--ignore-pbs")) return std::nullopt;
  return options;
}

std::string expanded(const std::string& pattern) {
  const std::map<char, std::string> values = {{'x', "{name}"},  {'j', "{id}"},   {'A', "{array}"},
                                              {'a', "{point}"}, {'N', "{host}"}, {'%', "%"}};
  if (pattern.find('\\') != std::string::npos) return "no replacement";
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) out += pattern[i];
    else out += values.contains(pattern[i + 1]) ? values.at(pattern[++i]) : "unexpected";
  }
  return out;
}

}  // namespace muster::oracle
