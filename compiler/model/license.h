// Licenses that a scheduler counts for programs: what a workload requests, and what a site has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::model {

struct LicenseRequest {
  std::string name;
  std::int64_t count = 1;
};

// "matlab" or "matlab:2", as Slurm spells them; `matlab@server` is a name. nullopt: it is none, or the count is not 1
// to 1,000,000.
std::optional<LicenseRequest> read_license(std::string_view text);

// "matlab:2,ansys". nullopt: one of them cannot be read or is there twice, as in a list of alternatives (`a|b`).
std::optional<std::vector<LicenseRequest>> read_licenses(std::string_view list);

}  // namespace muster::model
