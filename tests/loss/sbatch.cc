#include "tests/loss/sbatch.h"

#include <cstdio>
#include <cstdlib>
#include <regex>

namespace muster::loss {

std::string marker_of(const std::string& role) {
  std::string name = role;
  std::replace(name.begin(), name.end(), '-', '_');
  return "\n# role " + name + "\n";
}

namespace {

// What is before all roles, and what is said for this one, where the file has several.
std::string body_of(const std::string& text, const model::Role& role) {
  const std::size_t at = text.find(marker_of(role.name));
  if (at == std::string::npos) return text;
  std::size_t end = text.size();
  for (const char* next : {"\n# role ", "\nfor ((i = 0;", "\nwhile kill -0 "})
    end = std::min(end, text.find(next, at + 1));
  return text.substr(0, text.find("\n# role ")) + text.substr(at, end - at);
}

// Of the component: roles on the same nodes have one.
std::size_t index_of(const Asked& asked) {
  const std::string& nodes = asked.role.with ? asked.role.with->value : asked.role.name;
  std::size_t index = 0;
  for (const model::Role& role : asked.workload.roles) {
    if (role.name == nodes) break;
    index += role.with ? 0 : 1;
  }
  return index;
}

// Without the step that makes the job's folder: it is on all nodes of the job, whosever they are.
std::string without_folder(std::string body) {
  const std::size_t at = body.find("\nsrun --overlap "), end = at == body.npos ? at : body.find('\n', at + 1);
  if (at != body.npos && body.substr(at, end - at).find(" mkdir -p -m 700 \"$tmp\"") != body.npos)
    body.erase(at, end - at);
  return body;
}

}  // namespace

// The time from the signal of `timeout` to the limit.
void add_lead(const std::string& body, std::vector<std::pair<std::string, std::string>>& out) {
  std::smatch found;
  static const std::regex timer(R"(timeout --preserve-status -s \S+ \$\(\((\d+) - SECONDS\)\))");
  if (!std::regex_search(body, found, timer)) return;
  long long d = 0, h = 0, m = 0, s = 0;
  for (const auto& [name, value] : out)
    if (name == "--time") std::sscanf(value.c_str(), "%lld-%lld:%lld:%lld", &d, &h, &m, &s);
  const long long limit = ((d * 24 + h) * 60 + m) * 60 + s;
  out.emplace_back("--signal", "B:USR1@" + std::to_string(limit - std::atoll(found[1].str().c_str())));
}

void add_redirection(const std::string& body, std::vector<std::pair<std::string, std::string>>& out) {
  std::smatch found;
  static const std::regex output(R"((?:^|\n)exec (?:.* )?> (\S+))"), error(R"((?:^|\n)exec (?:.* )?2> (\S+))");
  if (std::regex_search(body, found, output)) out.emplace_back("--output", found[1].str());
  if (std::regex_search(body, found, error)) out.emplace_back("--error", found[1].str());
}

Sbatch read(const Output& output, const Asked& asked) {
  Sbatch out{asked, asked.workload, asked.role, {}, {}, {}, output.submit, output.text.starts_with("#!")};
  std::size_t at = 0, end = 0;
  std::size_t component = 0;  // of a heterogeneous job: one a role, in their order
  const std::size_t own = output.text.find("#SBATCH hetjob\n") == std::string::npos ? 0 : index_of(asked);
  for (; at < output.text.size() && output.text[at] == '#'; at = end + 1) {
    end = output.text.find('\n', at);
    const std::string line = output.text.substr(at, end - at);
    if (line == "#SBATCH hetjob") ++component;
    if (component != own && (component > 0 || asked.key.starts_with("resources."))) continue;
    if (!line.starts_with("#SBATCH --")) continue;
    const std::size_t equals = line.find('=');
    const std::string value = equals == std::string::npos ? "" : line.substr(equals + 1);
    const auto decoded = shell_words(value);
    out.options.emplace_back(line.substr(8, std::min(equals, line.size()) - 8),
                             value.find_first_of("\"'\\") == std::string::npos || decoded.empty() ? value : decoded[0]);
  }
  out.is_lsf = output.target == "lsf";
  out.is_other = out.is_lsf || output.target == "pbs";
  // How the job ends stands outside of the roles' functions.
  const bool of_all = asked.key.starts_with("stop.") || asked.key.starts_with("retry.");
  out.body = of_all ? output.text.substr(at) : body_of(output.text.substr(at), asked.role);
  if (out.is_other) {
    out.options = out.is_lsf ? lsf_options(output.text, out.body) : pbs_options(output.text, out.body, index_of(asked));
    out.body = out.is_lsf ? lsf_body(out.body) : pbs_body(out.body);
  }
  out.words = shell_words(without_folder(out.body));
  return out;
}

}  // namespace muster::loss
