#include "driver/count_workloads.h"

#include <algorithm>
#include <utility>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/token.h"
#include "compiler/twin/twin.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::driver {
namespace {

using syntax::Token;
using syntax::TokenKind;

// `workload NAME {` and `workload NAME from …` that are in no other block.
std::optional<std::size_t> workloads_of(std::string_view text) {
  const std::vector<Token> tokens = syntax::tokenize(text).tokens;
  const auto spelt = [&](const Token& token) { return text.substr(token.begin, token.end - token.begin); };
  std::size_t out = 0;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const TokenKind kind = tokens[i].kind;
    if (kind == TokenKind::bad_text || kind == TokenKind::bad_raw || kind == TokenKind::bad_character)
      return std::nullopt;
    if (kind == TokenKind::open) ++depth;
    if (kind == TokenKind::close) --depth;
    if (depth != 0 || kind != TokenKind::identifier || spelt(tokens[i]) != "workload" || i + 2 >= tokens.size())
      continue;
    const TokenKind name = tokens[i + 1].kind;
    const std::string_view then = spelt(tokens[i + 2]);
    out += (name == TokenKind::identifier || name == TokenKind::text) && (then == "{" || then == "from") ? 1 : 0;
  }
  return out;
}

// A document of a manifest as far as its lines tell.
struct Glance {
  std::string_view api_version, kind;
  bool empty = true;

  // nullopt: its values have to be read.
  std::optional<std::size_t> objects() const {
    if (empty) return 0;
    const bool known = !api_version.empty() && !kind.empty() && !kind.ends_with("List") &&
                       targets::kubernetes::find_kind(api_version, kind) != nullptr;
    return known ? std::optional<std::size_t>(1) : std::nullopt;
  }
};

// The value of `key: value` at the beginning of a line; "": it is no plain word.
std::string_view plain_value(std::string_view line) {
  const std::string_view value = trimmed(line.substr(line.find(':') + 1));
  const bool plain =
      std::all_of(value.begin(), value.end(), [](char c) { return is_alnum(c) || c == '.' || c == '/' || c == '-'; });
  return plain ? value : std::string_view();
}

// False: the line does not tell what it is.
bool take_line(std::string_view line, Glance& document) {
  if (line.empty() || line.front() == '#') return true;
  if (line.front() == ' ') return !document.empty || trimmed(line).empty();
  if (line.starts_with("- ")) return !document.empty;
  if (!is_alnum(line.front()) || line.find(':') == std::string_view::npos) return false;
  document.empty = false;
  for (const auto& [key, value] :
       {std::pair{"apiVersion:", &document.api_version}, std::pair{"kind:", &document.kind}}) {
    if (!line.starts_with(key)) continue;
    if (!value->empty()) return false;
    *value = plain_value(line);
    return !value->empty();
  }
  return true;
}

std::optional<std::size_t> objects_of(std::string_view text) {
  if (text.find_first_of("\t\r") != std::string_view::npos) return std::nullopt;
  for (BlankFound b = marked_blank_in(text, In::refused); b; b = marked_blank_in(text, In::refused, b.end))
    if (b.by == FilledBy::engine) return std::nullopt;
  std::size_t out = 0;
  Glance document;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const bool last = at > text.size(), next = line == "---";
    if (!next && !take_line(line, document)) return std::nullopt;
    if (!next && !last) continue;
    const auto objects = document.objects();
    if (!objects) return std::nullopt;
    out += *objects;
    document = {};
  }
  return out;
}

}  // namespace

std::optional<std::size_t> count_at_a_glance(const std::string& path, FileKind kind, std::string_view text) {
  switch (kind) {
    case FileKind::other: return 0;
    case FileKind::script:
    case FileKind::imported: return 1;
    case FileKind::manifest: return objects_of(text);
    case FileKind::spec: break;
  }
  return twin::form_of(path, text) == twin::Form::muster ? workloads_of(text) : std::nullopt;
}

std::size_t count_by_parsing(const std::string& path, FileKind kind, std::string text) {
  Sources sources;
  Diagnostics ignored;
  const twin::Form form = twin::form_of(path, text);
  const std::uint32_t number = sources.add(path, std::move(text));
  if (kind == FileKind::manifest) return targets::kubernetes::read_manifest(sources, number).objects.size();
  const auto tree = twin::read(sources, number, form, ignored);
  const auto is_workload = [](const ast::Block& block) { return block.kind.text == "workload"; };
  return tree ? static_cast<std::size_t>(std::count_if(tree->blocks.begin(), tree->blocks.end(), is_workload)) : 0;
}

}  // namespace muster::driver
