#include "lint/target_block/place.h"

#include <algorithm>
#include <tuple>

#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "targets/kubernetes/read/field.h"

namespace muster::lint {
namespace {

namespace k8s = targets::kubernetes;

// The keys of a path, without the indices of lists: `spec.containers[0].limits["a.b/c"]` has four.
std::vector<std::string_view> keys_of(std::string_view path) {
  std::vector<std::string_view> out;
  while (!path.empty()) {
    if (path.starts_with("[\"")) {
      const std::size_t end = std::min(path.find("\"]"), path.size());
      out.push_back(path.substr(2, end - 2));
      path.remove_prefix(std::min(end + 2, path.size()));
    } else if (path[0] == '[') {
      path.remove_prefix(std::min(path.find(']'), path.size() - 1) + 1);
    } else {
      const std::size_t end = std::min(path.find_first_of(".[", path[0] == '.' ? 1 : 0), path.size());
      const std::string_view key = path.substr(path[0] == '.' ? 1 : 0, end - (path[0] == '.' ? 1 : 0));
      if (!key.empty()) out.push_back(key);
      path.remove_prefix(end);
    }
  }
  return out;
}

// How many keys at their ends two paths share: a patch of a pod does not begin where the object does.
std::size_t shared_keys(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  std::size_t n = 0;
  while (n < std::min(a.size(), b.size()) && a[a.size() - 1 - n] == b[b.size() - 1 - n]) ++n;
  return n;
}

// The field of a patch that is nearest to a finding, so far.
struct Nearest {
  std::size_t keys = 0;
  bool same_line = false;
  std::uint32_t line = 0;  // of the patch, from 1
};

void look(const k8s::Field& field, const std::vector<std::string_view>& wanted, std::string_view line,
          const Sources& patch, Nearest& best) {
  const Span at = field.key_span.known() ? field.key_span : field.span();
  if (at.known() && !field.key.empty()) {
    const std::uint32_t own = patch.position(at.file, at.begin).line;
    const std::size_t keys = shared_keys(keys_of(field.path), wanted);
    const bool same = trimmed(patch.line(at.file, own)) == line;
    if (keys > 0 && std::tie(keys, same) > std::tie(best.keys, best.same_line)) best = {keys, same, own};
  }
  for (const k8s::Field& member : field.members()) look(member, wanted, line, patch, best);
  for (const k8s::Field& item : field.items()) look(item, wanted, line, patch, best);
}

}  // namespace

const BlockOption* option_named(const std::vector<BlockOption>& options, const Finding& finding,
                                std::string_view directive) {
  for (const std::string_view words : {std::string_view(finding.path), directive})
    for (const BlockOption& o : options)
      if (words.starts_with("--") && words.substr(2) == o.option->name) return &o;
  return nullptr;
}

Span place_in(const Sources& sources, const BlockOption& option, std::string_view path, std::string_view line) {
  const model::Located<std::string>& value = option.option->value;
  if (value.value.find('\n') == std::string::npos || !value.span.known()) return value.span;
  Sources patch;
  const data::Documents read = data::read_yaml(patch, patch.add("patch", value.value));
  if (read.documents.size() != 1 || !read.documents[0].root.is_map()) return value.span;
  Nearest best;
  look(k8s::root_field(read.documents[0].root), keys_of(path), trimmed(line), patch, best);
  return best.keys == 0 ? value.span : place_of_line(sources, value, best.line);
}

Span place_of_line(const Sources& sources, const model::Located<std::string>& text, std::uint32_t n) {
  if (!text.span.known()) return text.span;
  std::string_view line = text.value;
  for (std::uint32_t i = 1; i < n; ++i) line.remove_prefix(std::min(line.find('\n'), line.size() - 1) + 1);
  const std::string_view there =
      sources.line(text.span.file, sources.position(text.span.file, text.span.begin).line + n);
  const std::string_view word = trimmed(there);
  if (word.empty() || word != trimmed(line.substr(0, line.find('\n')))) return text.span;
  const auto begin = static_cast<std::uint32_t>(word.data() - sources.text(text.span.file).data());
  return {text.span.file, begin, begin + static_cast<std::uint32_t>(word.size())};
}

}  // namespace muster::lint
