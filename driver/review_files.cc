#include "driver/review_files.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/syntax/ast.h"
#include "compiler/twin/twin.h"
#include "driver/count_workloads.h"
#include "driver/discover.h"
#include "driver/encoding.h"
#include "driver/endings.h"
#include "driver/lint_specs.h"
#include "driver/overlay_files.h"
#include "driver/session.h"
#include "driver/tree.h"
#include "lint/check.h"
#include "rules/digest.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

FileKind file_kind(const FoundFile& found, const std::string& text, std::optional<lint::Account>& account) {
  if (is_spec(found.path, text)) return FileKind::spec;
  Recognized known = recognize(found, text);
  account = std::move(known.account);
  if (!known.kind) return FileKind::other;
  if (*known.kind == lint::Input::manifest) return FileKind::manifest;
  const auto system = other_system(found, text);
  return system && targets::batch::is_read(*system) ? FileKind::imported : FileKind::script;
}

// What is between quotes on one line of a text, and so may be the name of a file.
std::vector<std::string_view> quoted_names(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at)) {
    const std::size_t end = text.find_first_of("\"\n", ++at);
    if (end == std::string_view::npos) break;
    if (text[end] == '"' && end > at && end - at < 4096) out.push_back(text.substr(at, end - at));
    at = end;  // a closing quote may open the next word: one too many is only read once more
  }
  return out;
}

// The words of a document in which texts need no quotes.
std::vector<std::string_view> unquoted_names(std::string_view text) {
  constexpr std::string_view between = " \t\r\n\"'{}[],";
  std::vector<std::string_view> out;
  for (std::size_t at = 0; (at = text.find_first_not_of(between, at)) != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    if (end - at < 4096) out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

// What may be the names of files in a spec.
std::vector<std::string_view> names_in(const std::string& path, const std::string& text) {
  return twin::form_of(path, text) == twin::Form::muster ? quoted_names(text) : unquoted_names(text);
}

// A name that is put together (`"run-${nodes}"`), or spelt with `\`, may be that of any file.
bool names_unknown_file(const std::string& text) {
  const std::size_t at = text.find("file(");
  if (at != std::string::npos && text.find("${", at) != std::string::npos) return true;
  for (const std::string_view word : {"import", "file(", "rules"})
    for (std::size_t from = text.find(word); from != text.npos; from = text.find(word, from + 1)) {
      const std::size_t slash = text.find('\\', from);
      if (slash != text.npos && slash < text.find('\n', from)) return true;
    }
  return false;
}

bool is_hidden(const fs::path& part) { return part.native().starts_with('.') && part != ".." && part != "."; }

// Whether a path leads to something that no side has listed: through a link, or a hidden name.
bool is_unlisted(const std::string& path, const Side& side) {
  if (side.links.empty() && !path.starts_with('.') && path.find("/.") == path.npos) return false;
  fs::path so_far;
  bool unlisted = false;
  for (const fs::path& part : fs::path(path)) {
    so_far /= part;
    unlisted = unlisted || is_hidden(part) || (!side.links.empty() && side.links.contains(so_far.string()));
  }
  return unlisted && side.from.exists(path);
}

// The last parts of the paths of both sides: what ends otherwise, and meets no link and no hidden name, leads to no
// file of them, which costs less to see than to put the path together.
class Named {
 public:
  Named(const Side& base, const Side& head) : linked_(!base.links.empty() || !head.links.empty()) {
    for (const Side* side : {&base, &head})
      for (const auto& [path, file] : side->files) last_.insert(last_of(path));
  }

  bool may_lead_to(std::string_view path, std::string_view word) const {
    const auto has_hidden = [](std::string_view text) { return text.starts_with('.') || text.find("/.") != text.npos; };
    return linked_ || has_hidden(path) || has_hidden(word) || last_.contains(last_of(word));
  }

 private:
  static std::string_view last_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

  bool linked_;
  std::unordered_set<std::string_view> last_;
};

// A file of a side, and how many bytes of it are of use. Large ones whose names are not those of specs are not read.
SideFile read_one(const FoundFile& found, const Files& from, std::size_t& bytes) {
  SideFile out;
  const auto size = from.size(found.path);
  if (size && *size > largest_file && !may_be_read(found.path)) {
    out.id = std::to_string(*size) + " bytes";
    return out;
  }
  if (size && *size > largest_file && found.path.find(".muster") == std::string::npos) {
    out.account = account_of_large(found, from);
    if (out.account->fate == lint::Fate::data || !is_for_a_cluster(found.path)) {
      out.id = from.id(found.path).empty() ? std::to_string(*size) + " bytes" : from.id(found.path);
      return out;
    }
  }
  const auto text = from.read(found.path, largest_file, out.why);
  if (!text) {
    out.kind = FileKind::spec;
    out.why = "it cannot be read: " + out.why;
    return out;
  }
  out.id = from.id(found.path);
  if (out.id.empty()) out.id = rules::sha256(*text);
  out.kind = file_kind(found, *text, out.account);
  if (out.kind == FileKind::other && !(out.why = unreadable(found, *text)).empty()) out.kind = FileKind::spec;
  else if (out.kind != FileKind::other && text->size() > largest_file) out.why = "it is larger than 4 MiB";
  out.mentions_site = out.kind == FileKind::spec && text->find("site") != std::string::npos;
  if (out.kind != FileKind::other) bytes += text->size();
  out.workloads = count_at_a_glance(found.path, out.kind, *text);
  return out;
}

// The same file as another side has it, where its text is known to be the same; nullptr: it is not.
const SideFile* same_file(const std::string& path, const Files& from, const Side* known) {
  const std::string id = known != nullptr ? from.id(path) : std::string();
  if (id.empty()) return nullptr;
  const auto found = known->files.find(path);
  return found != known->files.end() && found->second.id == id ? &found->second : nullptr;
}

// False: it has more than a tree may have; reported.
bool read_files(Side& side, const Side* known, Diagnostics& diagnostics) {
  Beside beside;
  std::size_t bytes = 0;
  auto files = discover({side.only.empty() ? "." : side.only}, side.from, diagnostics, &beside);
  Sources kustomizations;
  lint::Overlays overlays;
  read_overlays(files, side.from, kustomizations, overlays);
  for (FoundFile& found : files) {
    found.resource = overlays.takes(found.path);
    const SideFile* same = found.resource ? nullptr : same_file(found.path, side.from, known);
    side.files.insert_or_assign(side.files.end(), found.path,
                                same != nullptr ? *same : read_one(found, side.from, bytes));
    if (side.files.size() <= most_files && bytes <= most_bytes) continue;
    diagnostics.add(Code::cannot_read, {}, "cannot read `" + side.name + "`: it has more than 200,000 files or 1 GiB");
    return false;
  }
  side.links.insert(beside.links.begin(), beside.links.end());
  side.not_read = std::move(beside.not_read);
  return true;
}

}  // namespace

std::optional<std::string> Side::text(const std::string& path) const {
  std::string why;
  return from.read(path, largest_file, why);
}

std::optional<Side> read_side(const std::string& name, const fs::path& path, Diagnostics& diagnostics) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  if (!folder && !fs::is_regular_file(path, error)) {
    diagnostics.add(Code::cannot_read, {},
                    "cannot read `" + name + "`: " + (error ? error.message() : "it is not a file or a folder"));
    return std::nullopt;
  }
  const Files disk;
  const fs::path root = disk.real(folder ? path : path.parent_path().empty() ? fs::path(".") : path.parent_path());
  Side side{name, disk.at(root), root, folder ? std::string() : path.filename().string(), {}, {}};
  if (!read_files(side, nullptr, diagnostics)) return std::nullopt;
  return side;
}

std::optional<Side> read_side(const std::string& name, const Files& from, const Side* known, Diagnostics& diagnostics) {
  Side side{name, from, from.here(), {}, {}, {}};
  if (!read_files(side, known, diagnostics)) return std::nullopt;
  return side;
}

std::set<std::string> affected_files(const Side& base, const Side& head) {
  std::set<std::string> out;
  std::vector<std::string> fresh;
  std::map<std::string, std::vector<std::string>> named_by;
  const auto reach = [&](const std::string& path) {
    if (out.insert(path).second) fresh.push_back(path);
  };
  const Named named_there(base, head);
  for (const auto& [path, file] : base.files) {
    const auto other = head.files.find(path);
    if (other == head.files.end() || other->second != file) reach(path);
  }
  for (const auto& [path, file] : head.files) {
    const bool unread = file.id.empty();  // whether it is the same is unknown
    if (!base.files.contains(path) || unread) reach(path);
    if (file.kind != FileKind::spec || out.contains(path)) continue;
    const auto text = head.text(path);
    if (!text || names_unknown_file(*text)) reach(path);
    if (!text) continue;
    for (const std::string_view word : names_in(path, *text)) {
      if (!named_there.may_lead_to(path, word)) continue;
      const std::string named = (fs::path(path).parent_path() / word).lexically_normal().string();
      if (is_unlisted(named, base) || is_unlisted(named, head)) reach(path);
      if (!base.files.contains(named) && !head.files.contains(named)) continue;
      auto& by = named_by[named];
      if (by.empty() || by.back() != path) by.push_back(path);
    }
  }
  while (!fresh.empty()) {
    const std::string path = std::move(fresh.back());
    fresh.pop_back();
    const auto found = named_by.find(path);
    if (found == named_by.end()) continue;
    for (const std::string& by : found->second) reach(by);
  }
  return out;
}

bool declares_site(const std::string& path, std::string text) {
  if (text.find("site") == std::string::npos) return false;
  Sources sources;
  Diagnostics ignored;
  const twin::Form form = twin::form_of(path, text);
  const std::uint32_t number = sources.add(path, std::move(text));
  const auto tree = twin::read(sources, number, form, ignored);
  const auto is_site = [](const ast::Block& block) { return block.kind.text == "site"; };
  return tree && std::any_of(tree->blocks.begin(), tree->blocks.end(), is_site);
}

std::vector<std::string> site_files(const Side& side) {
  std::vector<std::string> out;
  for (const auto& [path, file] : side.files) {
    auto text = file.mentions_site ? side.text(path) : std::nullopt;
    if (text && declares_site(path, std::move(*text))) out.push_back(path);
  }
  return out;
}

std::size_t count_workloads(const Side& side, const std::string& path) {
  const SideFile& file = side.files.at(path);
  if (file.workloads || file.kind == FileKind::other) return file.workloads.value_or(0);
  auto text = side.text(path);
  return text ? count_by_parsing(path, file.kind, std::move(*text)) : 0;
}

}  // namespace muster::driver
