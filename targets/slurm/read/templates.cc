#include "targets/slurm/read/templates.h"

#include "compiler/base/text.h"

namespace muster::targets::slurm {

void find_templates(std::string_view text, std::uint32_t file, std::uint32_t begin, std::uint32_t end, In place,
                    std::vector<Template>& out) {
  const std::string_view part = text.substr(begin, end - begin);
  for (BlankFound found = marked_blank_in(part, place); found; found = marked_blank_in(part, place, found.end))
    out.push_back(
        {found.by,
         found.form,
         found.engine,
         {file, begin + static_cast<std::uint32_t>(found.begin), begin + static_cast<std::uint32_t>(found.end)},
         place == In::directive});
}

bool is_template_line(std::string_view line) {
  line = trimmed(line);
  if (line.size() < 4 || line.front() != '{' || line.back() != '}') return false;
  const char open = line[1], close = line[line.size() - 2];
  return open == '{' ? close == '}' : (open == '%' || open == '#') && close == open;
}

}  // namespace muster::targets::slurm
