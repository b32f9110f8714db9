// What the site says to the names of a role: the same for every target.
#pragma once

#include <string>
#include <string_view>

#include "plan/plan.h"

namespace muster::targets {

// The model of the role's GPUs in lower case, "" if it is not known.
std::string gpu_model(const plan::RolePlan& shape);

// What `software` of the role is made of; nullptr without one, or where the site does not know the name.
const model::SoftwareSpec* find_software(const model::Role& role, const model::Site& site, const model::Plane& plane);

// What the site says of the fast network of the role's pool; nullptr where it says nothing, or the role does not want
// it.
const model::FabricAttachment* find_fabric(const plan::Plan& plan, const plan::RolePlan& shape);

// The plane's word for a slice of a GPU: its pattern with `{slice}` filled in.
inline std::string slice_word(std::string pattern, std::string_view slice) {
  if (const std::size_t at = pattern.find("{slice}"); at != std::string::npos) pattern.replace(at, 7, slice);
  return pattern;
}

// Whether an image is a file rather than the name of one in a registry.
inline bool is_path(std::string_view image) { return image.starts_with('/') || image.starts_with("./"); }

// The values of a list, without their places.
std::vector<std::string> texts_of(const std::vector<model::Located<std::string>>& items);
std::vector<model::Text> texts_of(const std::vector<model::Located<model::Text>>& items);

// An image by the site's name or its own: what it is, what follows its registry's host, and that registry where the
// site says something of it (`path` is then what is asked of the mirror).
struct FoundImage {
  std::string ref;
  std::string path;
  const model::Registry* registry = nullptr;
};
FoundImage find_image(const model::Site& site, const model::Plane& plane, const std::string& given);

// MUSTER_PORT_API: the prefix and the name in capitals, `-` and `.` as `_`.
std::string contract_name(std::string_view prefix, std::string_view name);

}  // namespace muster::targets
