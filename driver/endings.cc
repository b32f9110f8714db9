#include "driver/endings.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "compiler/base/text.h"

namespace muster::driver {
namespace {

struct EndingRow {
  std::string_view ending;
  Starts starts;
};
constexpr std::array rows = std::to_array<EndingRow>({
    {".yaml", Starts::objects},
    {".yml", Starts::objects},
    {".json", Starts::objects},
    {".sbatch", Starts::slurm},
    {".slurm", Starts::slurm},
    {".pbs", Starts::other},
    {".qsub", Starts::other},
    {".lsf", Starts::other},
    {".bsub", Starts::other},
    {".sub", Starts::job},
    {".batch", Starts::job},
    {".job", Starts::job},
    {".sh", Starts::shell},
    {".bash", Starts::shell},
});

}  // namespace

Starts starts_by_ending(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::string ending = lower(name.substr(std::min(name.rfind('.'), name.size())));
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const EndingRow& row) { return row.ending == ending; });
  return found == rows.end() ? Starts::nothing : found->starts;
}

}  // namespace muster::driver
