// The amounts of Slurm's outputs as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::why {

// MB of "64G", "100M", "2000000" or "1.5T". nullopt: it is no amount.
std::optional<std::int64_t> megabytes(std::string_view text);
// Minutes of Slurm's time, rounded up: "01:00:00", "2-00:00:00", "30:00". nullopt: no limit, or no time.
std::optional<std::int64_t> minutes_of(std::string_view text);

struct Gpus {
  std::int64_t count = 0;
  std::string type;  // "": not said
};
// The GPUs of a list of GRES or TRES, in the forms of all versions: "gres/gpu:h100:8", "gpu:l40s:4(S:0)", "gres:gpu:2",
// "gres/gpu=8,gres/gpu:h100=8". nullopt: it names none.
std::optional<Gpus> gpus_of(std::string_view list);
// The value of a TRES: `cpu` of "cpu=4,mem=64G,node=1". nullopt: it is not in the list.
std::optional<std::string> tres_of(std::string_view list, std::string_view name);

}  // namespace muster::why
