// A script of LSF as the readers see it: its directives as the options by which Slurm says the same.
#include <cstdio>
#include <cstdlib>
#include <regex>

#include "tests/loss/sbatch.h"

namespace muster::loss {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

std::string slurm_time(const std::string& limit) {
  long long h = 0, m = 0;
  std::sscanf(limit.c_str(), "%lld:%lld", &h, &m);
  char out[64];
  std::snprintf(out, sizeof out, "%lld-%02lld:%02lld:00", h / 24, h % 24, m);
  return out;
}

std::string slurm_size(const std::string& size) {
  return std::to_string(std::atoll(size.c_str()) * (size.find("GB") != size.npos ? 1024 : 1)) + "M";
}

void add_to(Options& out, const std::string& name, const std::string& value) {
  for (auto& [have, values] : out)
    if (have == name) return void(values += "," + value);
  out.emplace_back(name, value);
}

// What follows `NAME=` in a section.
std::string value_of(const std::string& section, const std::string& name) {
  const std::size_t at = section.find(name + "=");
  if (at == section.npos) return {};
  const std::size_t begin = at + name.size() + 1;
  return section.substr(begin, section.find_first_of(":/,] ", begin) - begin);
}

struct Slots {
  std::int64_t all = 0, each = 0, cores = 1;
};

void add_usage(const std::string& inside, Options& out) {
  const std::string name = inside.substr(0, inside.find('=')), value = value_of(inside, name);
  if (name == "mem") out.emplace_back("--mem", slurm_size(value));
  else if (name == "tmp") out.emplace_back("--tmp", slurm_size(value));
  else add_to(out, "--licenses", value == "1" ? name : name + ":" + value);
}

void add_select(const std::string& inside, Options& out) {
  static const std::regex host(R"(hname!='([^']*)')");
  std::string rest = inside;
  for (std::smatch found; std::regex_search(rest, found, host); rest = found.suffix())
    add_to(out, "--exclude", found[1].str());
  out.emplace_back("--constraint", inside);
}

void add_section(const std::string& section, Slots& slots, Options& out) {
  const std::size_t open = section.find('[');
  const std::string name = section.substr(0, open), inside = section.substr(open + 1, section.size() - open - 2);
  if (name == "span") slots.each = std::atoll(value_of(inside, "ptile").c_str());
  if (name == "affinity") slots.cores = std::atoll(inside.c_str() + inside.find('(') + 1);
  if (name == "rusage") add_usage(inside, out);
  if (name == "select") add_select(inside, out);
  if (name == "cu") out.emplace_back(inside.ends_with("maxcus=1") ? "--switches" : "--near", "1");
}

void add_gpus(const std::string& request, Options& out) {
  const std::string slice = value_of(request, "mig"), model = value_of(request, "gmodel");
  out.emplace_back(slice.empty() ? "--gpus-per-node" : "--gres",
                   slice.empty() ? value_of(request, "num") : slice + "g.");
  if (!model.empty()) out.emplace_back("--constraint", model);
}

void add_name(const std::string& name, Options& out) {
  const std::size_t open = name.find('['), close = name.find(']');
  out.emplace_back("--job-name", name.substr(0, open));
  if (open != name.npos) out.emplace_back("--array", name.substr(open + 1, close - open - 1) + name.substr(close + 1));
}

void add_log(const std::string& option, const std::string& value, Options& out) {
  if (value != "/dev/null") out.emplace_back(option[1] == 'o' ? "--output" : "--error", value);
  if (option[1] == 'o') out.emplace_back("--open-mode", option == "-oo" ? "truncate" : "append");
}

void add_directive(const std::string& option, const std::string& value, Slots& slots, Options& out) {
  static constexpr std::pair<const char*, const char*> alike[] = {
      {"-P", "--account"}, {"-q", "--partition"},   {"-u", "--mail-user"}, {"-Jd", "--comment"},
      {"-cwd", "--chdir"}, {"-U", "--reservation"}, {"-m", "--nodelist"},  {"-x", "--exclusive"},
      {"-r", "--requeue"}, {"-rn", "--no-requeue"}};
  for (const auto& [of_lsf, of_slurm] : alike)
    if (option == of_lsf) out.emplace_back(of_slurm, value);
  if (option == "-J") add_name(value, out);
  if (option == "-n") slots.all = std::atoll(value.c_str());
  if (option == "-R") add_section(value, slots, out);
  if (option == "-gpu") add_gpus(value, out);
  if (option == "-W") out.emplace_back("--time", slurm_time(value));
  if (option == "-env") out.emplace_back("--export", "NONE");
  if (option == "-B") add_to(out, "--mail-type", "BEGIN");
  if (option == "-N") add_to(out, "--mail-type", "END");
  if (option == "-sp") out.emplace_back("--nice", "-" + value);
  if (option == "-o" || option == "-oo" || option == "-e" || option == "-eo") add_log(option, value, out);
  out.emplace_back(option, value);  // as it is
}

}  // namespace

Options lsf_options(const std::string& text, const std::string& body) {
  Options out;
  Slots slots;
  for (std::size_t at = 0, end = 0; at < text.size() && text[at] == '#'; at = end + 1) {
    end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (!line.starts_with("#BSUB -")) continue;
    const auto words = shell_words(line.substr(6));
    add_directive(words[0], words.size() > 1 ? words[1] : "", slots, out);
  }
  const std::int64_t each = slots.each > 0 ? slots.each : slots.all;
  if (slots.all > 0) out.emplace_back("--nodes", std::to_string(slots.all / each));
  if (slots.all > 0) out.emplace_back("--cpus-per-task", std::to_string(each * slots.cores));
  if (each > 1) out.emplace_back("--mpiprocs", std::to_string(each));
  add_lead(body, out);
  add_redirection(body, out);
  return out;
}

// Without the functions that start programs and the step that makes the job's folder; with the counts of each start as
// srun has them, and the number of a point as Slurm has it.
std::string lsf_body(std::string body) {
  static const std::regex functions(R"((?:# [^\n]*\n)*(?:on_nodes|on_slots)\(\) \(\n[\s\S]*?\n\)\n)");
  static const std::regex folder(R"(on_nodes 0 \d+ mkdir -p -m 700 [^\n]*\n)");
  static const std::regex part(R"(on_nodes (\S+|\$\(\([^)]*\)\)) (\d+) )");
  static const std::regex forks(R"(on_slots (?:\S+|\$\(\([^)]*\)\)) (\d+) (\d+) )"), ranks(R"(ppr:(\d+):node )");
  static const std::regex point(R"(\$\(\(LSB_JOBINDEX - \d+\)\)|\$LSB_JOBINDEX)");
  const std::string ranks_of = body.find("LOCAL_RANK=") == body.npos ? "" : "RANK= LOCAL_RANK= ";
  for (const std::regex& gone : {functions, folder}) body = std::regex_replace(body, gone, "");
  body = std::regex_replace(body, part, "on_nodes $1 --nodes=$2 --ntasks=$2 ");
  body = std::regex_replace(body, forks, "on_nodes " + ranks_of + "--nodes=$1 --ntasks-per-node=$2 ");
  body = std::regex_replace(body, point, "$$SLURM_ARRAY_TASK_ID");
  return std::regex_replace(body, ranks, "ppr:$1:node --ntasks-per-node=$1 ");
}

}  // namespace muster::loss
