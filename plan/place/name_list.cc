#include "plan/place/name_list.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "compiler/base/text.h"

namespace muster::plan {

std::string NameList::text() const {
  std::vector<std::string> out(first.begin(),
                               first.begin() + static_cast<std::ptrdiff_t>(std::min(shown, first.size())));
  if (all > shown) out.push_back(counted(static_cast<long long>(all - shown), "other"));
  return listed(out, "and");
}

NameList names_of(std::span<const std::string> names, std::span<const std::uint32_t> which) {
  std::set<std::string_view> known;
  NameList out;
  for (const std::uint32_t index : which)
    if (known.insert(names[index]).second && out.first.size() < NameList::shown) out.first.push_back(names[index]);
  out.all = known.size();
  return out;
}

std::string shortened_list(std::vector<std::string> names) {
  const std::size_t all = names.size();
  return NameList{std::move(names), all}.text();
}

}  // namespace muster::plan
