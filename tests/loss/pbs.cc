// A script of PBS as the readers see it: its directives as the options by which Slurm says the same.
#include <cstdio>
#include <cstdlib>
#include <regex>

#include "tests/loss/sbatch.h"

namespace muster::loss {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> out(1);
  for (const char c : text)
    if (c == by) out.emplace_back();
    else out.back() += c;
  return out;
}

std::string slurm_time(const std::string& walltime) {
  long long h = 0, m = 0, s = 0;
  std::sscanf(walltime.c_str(), "%lld:%lld:%lld", &h, &m, &s);
  char out[64];
  std::snprintf(out, sizeof out, "%lld-%02lld:%02lld:%02lld", h / 24, h % 24, m, s);
  return out;
}

std::int64_t mebibytes(const std::string& size) { return std::atoll(size.c_str()) * (size.ends_with("gb") ? 1024 : 1); }

// What one node of a chunk has: "ncpus=96:ngpus=8", "ppn=96:gpus=8".
void add_resources(const std::vector<std::string>& parts, Options& out) {
  std::int64_t ranks = 0;
  for (const std::string& part : parts) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals), value = equals == part.npos ? "" : part.substr(equals + 1);
    if (name == "ncpus" || name == "ppn") out.emplace_back("--cpus-per-task", value);
    else if (name == "ngpus" || name == "gpus") out.emplace_back("--gpus-per-node", value);
    else if (name == "mem") out.emplace_back("--mem", std::to_string(mebibytes(value)) + "M");
    else if (name == "mpiprocs") ranks = std::atoll(value.c_str());
    else if (name == "host") out.emplace_back("--nodelist", value);
    else if (!value.empty() && value.find_first_not_of("0123456789") == value.npos)
      out.emplace_back("--gres", name + ":" + value);
    else out.emplace_back("--constraint", value.empty() || value == "true" ? name : value);
  }
  if (ranks > 1) out.emplace_back("--mpiprocs", std::to_string(ranks));
}

// The nodes of all chunks together, and the resources of that of the role.
void add_size(const std::string& list, std::size_t role, Options& out) {
  const std::vector<std::string> chunks = split(list, '+');
  std::int64_t nodes = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    std::vector<std::string> parts = split(chunks[i], ':');
    const std::int64_t count = std::atoll(parts[0].c_str());
    nodes += count > 0 ? count : 1;
    if (count < 1) out.emplace_back("--nodelist", parts[0]);
    parts.erase(parts.begin());
    if (i == (role < chunks.size() ? role : 0)) add_resources(parts, out);
  }
  out.emplace_back("--nodes", std::to_string(nodes));
}

void add_place(const std::string& place, Options& out) {
  for (const std::string& word : split(place, ':')) {
    if (word == "excl") out.emplace_back("--exclusive", "");
    if (word.starts_with("group=")) out.emplace_back("--switches", "1");
  }
}

void add_mail(const std::string& letters, Options& out) {
  std::string types;
  for (const char letter : letters)
    types += (types.empty() ? "" : ",") + std::string(letter == 'b' ? "BEGIN" : letter == 'e' ? "END" : "FAIL");
  out.emplace_back("--mail-type", types);
}

// Of Torque: the nodes share it.
void add_memory_of_job(std::int64_t all, Options& out) {
  std::int64_t nodes = 1;
  for (const auto& [name, value] : out)
    if (name == "--nodes") nodes = std::atoll(value.c_str());
  out.emplace_back("--mem", std::to_string(all / nodes) + "M");
}

void add_license(const std::string& license, Options& out) {
  for (auto& [name, value] : out)
    if (name == "--licenses") return void(value += "," + license);
  out.emplace_back("--licenses", license);
}

void add_resource(const std::string& name, const std::string& value, std::size_t role, Options& out) {
  if (name == "select" || name == "nodes") add_size(value, role, out);
  else if (name == "place") add_place(value, out);
  else if (name == "walltime") out.emplace_back("--time", slurm_time(value));
  else if (name == "naccesspolicy") out.emplace_back("--exclusive", "");
  else if (name == "mem") add_memory_of_job(mebibytes(value), out);
  else add_license(value == "1" ? name : name + ":" + value, out);
}

void add_directive(const std::string& letter, const std::string& value, std::size_t role, Options& out) {
  static constexpr std::pair<const char*, const char*> alike[] = {
      {"-N", "--job-name"}, {"-A", "--account"}, {"-q", "--partition"}, {"-J", "--array"},
      {"-t", "--array"},    {"-o", "--output"},  {"-e", "--error"},     {"-M", "--mail-user"}};
  for (const auto& [of_pbs, of_slurm] : alike)
    if (letter == of_pbs) out.emplace_back(of_slurm, value);
  if (letter == "-l") add_resource(value.substr(0, value.find('=')), value.substr(value.find('=') + 1), role, out);
  if (letter == "-r") out.emplace_back(value == "y" ? "--requeue" : "--no-requeue", "");
  if (letter == "-V") out.emplace_back("--export", "ALL");
  if (letter == "-m") add_mail(value, out);
  if (letter == "-p") out.emplace_back("--nice", value[0] == '-' ? value.substr(1) : "-" + value);
  out.emplace_back(letter, value);  // as it is
}

}  // namespace

Options pbs_options(const std::string& text, const std::string& body, std::size_t role) {
  Options out;
  for (std::size_t at = 0, end = 0; at < text.size() && text[at] == '#'; at = end + 1) {
    end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (!line.starts_with("#PBS -")) continue;
    const auto words = shell_words(line.substr(5));
    add_directive(words[0], words.size() > 1 ? words[1] : "", role, out);
  }
  add_lead(body, out);
  add_redirection(body, out);
  return out;
}

// Without the functions that start programs, the way to the folder of the submission, and the step that makes the job's
// folder; with the counts of each start as srun has them.
std::string pbs_body(std::string body) {
  static const std::regex functions(R"((?:# [^\n]*\n)*(?:each_node|on_nodes)\(\) \(\n[\s\S]*?\n\)\n)");
  static const std::regex home(R"(cd "\$PBS_O_WORKDIR" \|\| exit\n)");
  static const std::regex folder(R"((?:each_node|mpirun [^\n]*:node) mkdir -p -m 700 [^\n]*\n)");
  static const std::regex part(R"((on_nodes \S+) (\d+) )"), part_of(R"((on_nodes \$\(\([^)]*\)\)) (\d+) )");
  static const std::regex forks(R"re(bash -c "\$each_process" (\d+) )re"), ranks(R"(ppr:(\d+):node )");
  for (const std::regex& gone : {functions, home, folder}) body = std::regex_replace(body, gone, "");
  body = std::regex_replace(body, part_of, "on_nodes --nodes=$2 --ntasks=$2 ");
  body = std::regex_replace(body, part, "on_nodes --nodes=$2 --ntasks=$2 ");
  body = std::regex_replace(body, forks, "--ntasks-per-node=$1 ");
  return std::regex_replace(body, ranks, "ppr:$1:node --ntasks-per-node=$1 ");
}

}  // namespace muster::loss
