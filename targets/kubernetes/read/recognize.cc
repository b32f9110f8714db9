#include "targets/kubernetes/read/recognize.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::targets::kubernetes {
namespace {

constexpr std::string_view key = "apiVersion";

// Whether a line end that is escaped at a place joins two halves of the key: `"api\`.
bool joins_halves(std::string_view before) {
  for (std::size_t size = 1; size < key.size(); ++size)
    if (before.ends_with(key.substr(0, size)) && before.substr(0, before.size() - size).ends_with('"')) return true;
  return false;
}

// Whether an escape could be a letter of the key: `\x61`, `\u0061`, `\U00000061`.
bool may_escape_letters(std::string_view text) {
  for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at + 2)) {
    const std::string_view rest = text.substr(at + 1, 10);
    for (const std::string_view begin : {"x", "u00", "U000000"})
      if (rest.starts_with(begin) && rest.size() > begin.size() && rest[begin.size()] >= '4' &&
          rest[begin.size()] <= '7')
        return true;
    if (!rest.empty() && is_space(rest[0]) && joins_halves(text.substr(0, at))) return true;
  }
  return false;
}

bool has_lines_of_object(std::string_view text) {
  bool version = false, kind = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("---")) version = kind = false;
    version |= line.starts_with("apiVersion:");
    kind |= line.starts_with("kind:");
    if (version && kind) return true;
  }
  return false;
}

// `!!name` or `!<…>` where YAML reads a tag: not the `!!` of `done!!`.
bool has_tag(std::string_view text) {
  constexpr std::string_view begins_token = "[{,:-?\xBF";  // the last ends a byte order mark
  for (std::size_t at = text.find('!'); at != std::string_view::npos; at = text.find('!', at + 1)) {
    const std::string_view behind = text.substr(at + 1);
    const bool begins = at == 0 || is_space(text[at - 1]) || begins_token.find(text[at - 1]) != std::string_view::npos;
    const bool named = behind.starts_with('!') && behind.size() > 1 && !is_space(behind[1]);
    if (begins && (named || behind.starts_with('<'))) return true;
  }
  return false;
}

// `!!binary YXBpVmVyc2lvbg==: v1`, where the reader leaves a key as it is spelt.
bool has_binary_key(std::string_view text) {
  for (std::size_t at = text.find("binary"); at != std::string_view::npos; at = text.find("binary", at + 1)) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    if (at > 0 && text[at - 1] == '!' && line.find(':') != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool may_have_objects(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  // `!!binary` has the key in base64; other tags can mean the same.
  return has(key) || has_tag(text) || has("%TAG") || may_escape_letters(text);
}

Held what_is_in(std::string_view text) {
  if (!may_have_objects(text)) return {};
  Sources sources;
  const Manifest manifest = read_manifest(sources, sources.add("", std::string(text)));
  Held out;
  const auto& documents = manifest.documents.documents;
  out.only_maps = !documents.empty() && std::all_of(documents.begin(), documents.end(),
                                                    [](const data::Document& d) { return d.root.is_map(); });
  const auto has = [&](Skipped::Why why) {
    return std::any_of(manifest.skipped.begin(), manifest.skipped.end(),
                       [&](const Skipped& skipped) { return skipped.why == why; });
  };
  if (!manifest.objects.empty()) return out.holds = Holds::objects, out;
  if (manifest.diagnostics.has_errors()) {
    const Diagnostic first = manifest.diagnostics.sorted().front();
    out.holds = Holds::faults, out.why = first.message;
    if (const Span at = first.primary; at.known())
      out.why += " in line " + std::to_string(sources.position(at.file, at.begin).line);
    return out;
  }
  if (has(Skipped::Why::helm_template)) return out.holds = Holds::templates, out;
  if (has_binary_key(text)) return out.holds = Holds::faults, out.why = "a key is in base64", out;
  return out;
}

// Most manifests are known by their lines, and are parsed when they are checked.
bool is_manifest(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.starts_with("MIME-Version:")) return false;  // the user data of a node, one part of which is an object
  return has_lines_of_object(text) || what_is_in(text).holds == Holds::objects;
}

}  // namespace muster::targets::kubernetes
