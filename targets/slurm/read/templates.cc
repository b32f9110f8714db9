#include "targets/slurm/read/templates.h"

#include <algorithm>

#include "compiler/base/byte_set.h"
#include "compiler/base/text.h"

namespace muster::targets::slurm {
namespace {

std::size_t name_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_name_char(text[at])) ++at;
  return at;
}

// What the text between the braces says about who wrote it.
TemplateKind kind_of_braces(std::string_view inside) {
  if (!inside.empty() && inside[0] == '-') inside.remove_prefix(1);
  if (!inside.empty() && std::string_view("#/^>&{!").find(inside[0]) != std::string_view::npos)
    return TemplateKind::mustache;
  const std::size_t first = inside.find_first_not_of(" \t");
  if (first == std::string_view::npos) return TemplateKind::jinja;
  inside.remove_prefix(first);
  const bool helm = inside.starts_with('.') || inside.starts_with("include ") || inside.starts_with("$.") ||
                    inside.starts_with("if ") || inside.starts_with("range ") || inside.starts_with("end ") ||
                    inside.find(".Values") != std::string_view::npos;
  return helm ? TemplateKind::helm : TemplateKind::jinja;
}

// {{ name }} and {{ a.b | c }}, but not what awk and Python write.
bool plain_inside(std::string_view inside) {
  return inside.size() < 200 && inside.find_first_of(";\n\"={") == std::string_view::npos &&
         std::any_of(inside.begin(), inside.end(), is_name_start);
}

// Looks at one character after the other. Closers that the rest lacks are remembered, so no text is searched twice.
class PlaceholderFinder {
 public:
  PlaceholderFinder(std::string_view text, bool all) : text_(text), all_(all) {}

  // The end of a placeholder at `at` and its kind; 0 if there is none.
  std::size_t at(std::size_t at, TemplateKind& kind) {
    const std::string_view two = text_.substr(at, 2);
    if (two == "{{") {
      const std::size_t end = closed(at, "}}", no_braces_);
      if (end == 0) return 0;
      const std::string_view inside = text_.substr(at + 2, end - at - 4);
      kind = kind_of_braces(inside);
      return all_ || plain_inside(inside) ? end : 0;
    }
    if (text_.substr(at, 3) == "{%}") return 0;  // the slot of GNU parallel
    if (two == "{%") return kind = TemplateKind::jinja, closed(at, "%}", no_percent_);
    if (!all_) return 0;
    switch (text_[at]) {
      case '<': return kind = TemplateKind::angle, angle(at);
      case '@': return kind = TemplateKind::at_sign, between(at, '@', 2);
      case '%': return kind = TemplateKind::percent, between(at, '%', 3);
      case '$': return kind = TemplateKind::shell_variable, variable(at);
      default: return 0;
    }
  }

 private:
  std::size_t closed(std::size_t at, std::string_view with, bool& none) {
    if (none) return 0;
    const std::size_t end = text_.find(with, at + 2);
    none = end == std::string_view::npos;
    return none ? 0 : end + 2;
  }
  std::size_t angle(std::size_t at) const {
    const std::size_t end = text_.find_first_of("<>", at + 1);
    const bool shaped =
        end != std::string_view::npos && text_[end] == '>' && end > at + 1 && is_name_start(text_[at + 1]);
    return shaped ? end + 1 : 0;
  }
  // @NAME@ and %NAME%: at least so many characters, the first and last no underscore, for %A_%a is a pattern.
  std::size_t between(std::size_t at, char sign, std::size_t least) const {
    const std::size_t end = name_end(text_, at + 1);
    const bool shaped = end < text_.size() && text_[end] == sign && end >= at + 1 + least && is_upper(text_[at + 1]) &&
                        text_[end - 1] != '_';
    return shaped ? end + 1 : 0;
  }
  std::size_t variable(std::size_t at) const {
    if (at + 1 >= text_.size()) return 0;
    if (text_[at + 1] == '(') return end_after(at, ')');
    if (text_[at + 1] == '{') return at + 2 < text_.size() && is_name_start(text_[at + 2]) ? end_after(at, '}') : 0;
    return is_name_start(text_[at + 1]) ? name_end(text_, at + 1) : 0;
  }
  std::size_t end_after(std::size_t at, char close) const {
    const std::size_t end = text_.find_first_of(std::string(1, close) + "$", at + 2);
    return end != std::string_view::npos && text_[end] == close ? end + 1 : 0;
  }

  std::string_view text_;
  bool all_, no_braces_ = false, no_percent_ = false;
};

}  // namespace

void find_templates(std::string_view text, std::uint32_t file, std::uint32_t begin, std::uint32_t end,
                    bool in_directive, std::vector<Template>& out) {
  const std::string_view part = text.substr(begin, end - begin);
  // (Of a body, which is most of a script, one character is looked for, not a set: that is much faster.)
  constexpr ByteSet begins("{<@%$");
  const auto next = [&](std::size_t from) { return in_directive ? begins.find_in(part, from) : part.find('{', from); };
  PlaceholderFinder finder(part, in_directive);
  for (std::size_t at = next(0); at != std::string_view::npos;) {
    TemplateKind kind{};
    const std::size_t stop = finder.at(at, kind);
    if (stop > at)
      out.push_back({kind,
                     {file, begin + static_cast<std::uint32_t>(at), begin + static_cast<std::uint32_t>(stop)},
                     in_directive});
    at = next(stop > at ? stop : at + 1);
  }
}

bool is_template_line(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return false;
  line = line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
  for (const auto& [open, close] :
       {std::pair<std::string_view, std::string_view>{"{{", "}}"}, {"{%", "%}"}, {"{#", "#}"}})
    if (line.starts_with(open) && line.ends_with(close) && line.size() >= 4) return true;
  return false;
}

}  // namespace muster::targets::slurm
