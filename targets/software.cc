#include "targets/software.h"

#include <string_view>
#include <vector>

#include "targets/shell.h"

namespace muster::targets {
namespace {

constexpr std::string_view not_followed = "# shellcheck source=/dev/null\n";

std::string words(const std::vector<model::Located<std::string>>& items) {
  std::string out;
  for (const auto& item : items) out += " " + sh_word(item.value);
  return out;
}

}  // namespace

std::string software_lines(const model::SoftwareSpec& software) {
  std::string out;
  if (software.purge) out += "module purge\n";
  if (!software.module_use.empty()) out += "module use" + words(software.module_use) + "\n";
  if (!software.modules.empty()) out += "module load" + words(software.modules) + "\n";
  if (software.conda) {
    out += std::string(not_followed) + "source \"$(conda info --base)/etc/profile.d/conda.sh\"\n";
    out += "conda activate " + sh_word(software.conda->value) + "\n";
  }
  if (software.venv)
    out += std::string(not_followed) + "source " + sh_word(software.venv->value + "/bin/activate") + "\n";
  return out;
}

}  // namespace muster::targets
