#include "compiler/twin/comments.h"

#include <algorithm>
#include <vector>

#include "compiler/twin/twin.h"

namespace muster::twin {
namespace {

void scalars(const data::Node& node, std::vector<Span>& out) {
  if (!node.is_list() && !node.is_map()) out.push_back(node.span);
  for (const data::Node& item : node.items) scalars(item, out);
  for (const data::Member& member : node.members) {
    out.push_back(member.key_span);
    scalars(member.value, out);
  }
}

}  // namespace

// A `#` at the beginning of a line or after a blank, outside of all scalars.
std::size_t count_comments(const Sources& sources, std::uint32_t file) {
  std::vector<Span> taken;
  const data::Documents read = data::read_yaml(sources, file, budget, data::Scalars::as_spelt);
  for (const data::Document& document : read.documents) scalars(document.root, taken);
  std::sort(taken.begin(), taken.end(), [](Span a, Span b) { return a.begin < b.begin; });
  const std::string_view text = sources.text(file);
  std::size_t count = 0, next = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    while (next < taken.size() && taken[next].begin < at) ++next;
    if (next < taken.size() && taken[next].begin == at && taken[next].end > at) {
      at = taken[next].end - 1;
    } else if (text[at] == '#' && (at == 0 || std::string_view(" \t\n\r").find(text[at - 1]) < 4)) {
      ++count;
      at = std::min(text.find('\n', at), text.size());
    }
  }
  return count;
}

}  // namespace muster::twin
