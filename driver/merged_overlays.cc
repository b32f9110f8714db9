#include "driver/merged_overlays.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "targets/kubernetes/kinds.h"
#include "targets/kubernetes/read/kustomization.h"
#include "targets/kubernetes/read/patch.h"

namespace muster::driver {
namespace {

namespace k8s = targets::kubernetes;
using data::Node;

constexpr std::size_t most_values = 5'000'000;  // of all objects and patches of a run together
constexpr std::size_t most_levels = 16;         // of kustomizations that take each other
constexpr std::size_t most_steps = 50'000;      // folders that are looked into, each as often as it is taken
constexpr std::size_t largest_text = std::size_t{1} << 20;

std::string path_from(const std::string& folder, const std::string& written) {
  std::string out = (std::filesystem::path(folder) / written).lexically_normal().string();
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out == "." ? std::string() : out;
}

std::string text_at(const Node& root, std::string_view path) {
  const Node* found = root.at(path);
  return found != nullptr && found->is_scalar() ? found->text : std::string();
}

// An object on its way through kustomizations, with all names that it has had.
struct Item {
  Node root;
  std::vector<std::string> names, name_spaces;
  bool changed = false;  // by the kustomization that is asked about

  std::string kind() const { return text_at(root, "kind"); }
  std::string version() const { return text_at(root, "apiVersion"); }
};

// Kinds of Kubernetes itself, whose lists have merge keys.
bool is_custom(const std::string& api_version) {
  const std::string_view group = k8s::group_of(api_version);
  return group.find('.') != std::string_view::npos && !group.ends_with(".k8s.io");
}

// A name that may have `.*`.
bool matches_one(std::string_view pattern, std::string_view text) {
  if (pattern.starts_with('^')) pattern.remove_prefix(1);
  if (pattern.ends_with('$')) pattern.remove_suffix(1);
  const std::size_t star = pattern.find(".*");
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  std::string_view rest = pattern.substr(star + 2);
  text.remove_prefix(star);
  while (true) {  // each part as early as it is found; the last one at the end
    const std::size_t next = rest.find(".*");
    if (next == std::string_view::npos) return text.size() >= rest.size() && text.ends_with(rest);
    const std::size_t at = text.find(rest.substr(0, next));
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + next);
    rest.remove_prefix(next + 2);
  }
}

// Alternatives of such names.
bool matches_pattern(std::string_view pattern, std::string_view text) {
  for (std::size_t bar = pattern.find('|'); bar != std::string_view::npos; bar = pattern.find('|')) {
    if (matches_one(pattern.substr(0, bar), text)) return true;
    pattern.remove_prefix(bar + 1);
  }
  return matches_one(pattern, text);
}

bool is_plain_pattern(std::string_view pattern) {
  std::string plain(pattern);
  for (std::size_t at = plain.find(".*"); at != std::string::npos; at = plain.find(".*", at)) plain.erase(at, 2);
  return plain.find_first_of("[](){}+?\\*") == std::string::npos;
}

bool is_any(const std::vector<std::string>& names, std::string_view pattern) {
  return pattern.empty() || std::any_of(names.begin(), names.end(),
                                        [&](const std::string& name) { return matches_pattern(pattern, name); });
}

bool is_target(const Item& item, const k8s::PatchTarget& target) {
  const std::string version = item.version(), number = version.substr(version.rfind('/') + 1);
  return (target.kind.empty() || matches_pattern(target.kind, item.kind())) &&
         (target.group.empty() || matches_pattern(target.group, k8s::group_of(version))) &&
         (target.version.empty() || matches_pattern(target.version, number)) && is_any(item.names, target.name) &&
         is_any(item.name_spaces, target.name_space);
}

// The object that a patch names itself.
bool is_named(const Item& item, const Node& patch) {
  const std::string name_space = text_at(patch, "metadata.namespace"), name = text_at(patch, "metadata.name");
  const auto has = [](const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  const auto same = [&](std::string_view path) { return text_at(item.root, path) == text_at(patch, path); };
  return same("kind") && same("apiVersion") && has(item.names, name) &&
         (name_space.empty() || has(item.name_spaces, name_space));
}

void move_spans(Node& node, std::uint32_t from, std::uint32_t to) {
  const auto move = [&](Span& span) {
    if (span.file == from && span.known()) span.file = to;
  };
  move(node.span);
  for (data::Member& m : node.members) move(m.key_span), move_spans(m.value, from, to);
  for (Node& item : node.items) move_spans(item, from, to);
}

void set_spans(Node& node, Span span) {
  node.span = span;
  for (data::Member& m : node.members) m.key_span = span, set_spans(m.value, span);
  for (Node& item : node.items) set_spans(item, span);
}

class Builder {
 public:
  Builder(const std::vector<std::string>& roots, const Files& from, const ReadText& read, Sources& sources)
      : roots_(roots), from_(from), read_(read), sources_(sources) {}

  void judge(const std::string& folder) {
    const k8s::Kustomization* own = kustomization_of(folder);
    if (own == nullptr || (own->changes.empty() && own->replicas.empty())) return;
    files_.clear(), why_.clear();
    auto items = objects_of(folder, 0);
    if (!items) return leave_out(folder, *own);
    for (Item& item : *items) item.changed = false;
    apply(folder, *own, *items, true);
    if (std::none_of(items->begin(), items->end(), [](const Item& item) { return item.changed; })) return;
    MergedOverlay overlay{folder, {}, {}, {}};
    std::vector<Node> roots;
    for (Item& item : *items) roots.push_back(std::move(item.root)), overlay.changed.push_back(item.changed);
    overlay.manifest = k8s::manifest_of(std::move(roots));
    overlay.files = files_;
    out_.overlays.push_back(std::move(overlay));
  }

  MergedOverlays take() {
    for (const std::string& path : out_.merged) out_.apart.erase(path);
    return std::move(out_);
  }

 private:
  // ---- files -----------------------------------------------------------------------------------

  bool is_inside(const std::string& path) const {
    const std::string real = from_.real(path).string();
    return std::any_of(roots_.begin(), roots_.end(), [&](const std::string& root) {
      return real == root || (real.starts_with(root) && (root.ends_with('/') || real[root.size()] == '/'));
    });
  }

  // The number of a file in the sources; nullopt: it is not read.
  std::optional<std::uint32_t> file_of(const std::string& path) {
    const auto [known, fresh] = numbers_.try_emplace(path);
    if (!fresh || !from_.is_file(path) || !is_inside(path)) return known->second;
    auto text = read_(path);
    if (text && text->size() <= largest_text) known->second = sources_.add(path, std::move(*text));
    return known->second;
  }

  // nullptr: the folder has none that is read.
  const k8s::Kustomization* kustomization_of(const std::string& folder) {
    const auto [known, fresh] = kustomizations_.try_emplace(folder);
    if (!fresh) return known->second ? &*known->second : nullptr;
    for (const std::string_view name : k8s::kustomization_names) {
      const auto file = file_of(path_from(folder, std::string(name)));
      if (!file) continue;
      known->second = k8s::read_kustomization(sources_, *file);
      return &*known->second;
    }
    return nullptr;
  }

  // The documents of a file; none where it is not read or cannot be.
  std::vector<Node> documents_of(const std::string& path) {
    const auto file = file_of(path);
    if (!file) return {};
    files_.insert(*file);
    return roots_of(*file);
  }

  std::vector<Node> roots_of(std::uint32_t file) {
    data::Documents documents = data::read_yaml(sources_, file);
    std::vector<Node> out;
    for (data::Document& document : documents.documents) {
      if (document.diagnostics.has_errors()) return {};
      values_ += k8s::count_values(document.root);
      out.push_back(std::move(document.root));
    }
    return out;
  }

  // A patch that is written in a kustomization. Where its text is there as it is, each value has its place.
  std::vector<Node> written_in(const k8s::KustomizePatch& patch) {
    const Span where = patch.where;
    const std::string name = sources_.name(where.file);
    std::string text(sources_.text(where.file));
    const std::string_view written = std::string_view(text).substr(where.begin, where.end - where.begin);
    const bool block = written.starts_with('|') && patch.text.find("---") == std::string::npos;
    files_.insert(where.file);
    if (block) {
      const std::size_t first = where.begin + written.find('\n');
      for (std::size_t i = 0; i < text.size(); ++i)
        if ((i < first || i >= where.end) && text[i] != '\n') text[i] = ' ';
    } else {
      text = patch.text;
    }
    const std::uint32_t file = sources_.add(name, std::move(text));
    std::vector<Node> out = roots_of(file);
    for (Node& root : out) block ? move_spans(root, file, where.file) : set_spans(root, where);
    sources_.forget(file);
    return out;
  }

  // ---- objects ---------------------------------------------------------------------------------

  // What a folder's kustomization takes, changed by those below it and, where it is below one, by itself.
  std::optional<std::vector<Item>> objects_of(const std::string& folder, std::size_t level) {
    const k8s::Kustomization* own = kustomization_of(folder);
    if (own == nullptr) return std::vector<Item>();  // what is not here has no objects
    if (!own->unread.empty()) return fail("its kustomization or one below it has " + own->unread);
    if (level > most_levels || values_ > most_values || ++steps_ > most_steps)
      return fail("its kustomizations are too large");
    if (!open_.insert(folder).second) return fail("its kustomizations take each other");
    std::vector<Item> out;
    for (const std::string& written : own->resources) {
      const std::string path = path_from(folder, written);
      if (from_.is_folder(path)) {
        auto below = objects_of(path, level + 1);
        if (!below) return open_.erase(folder), std::nullopt;
        std::move(below->begin(), below->end(), std::back_inserter(out));
      } else {
        for (Node& root : documents_of(path)) take(std::move(root), out);
      }
    }
    open_.erase(folder);
    if (takes_one_twice(out)) return fail("its kustomization takes an object twice");
    if (level > 0) apply(folder, *own, out, false);
    return out;
  }

  static void take(Node root, std::vector<Item>& out) {
    const bool list = text_at(root, "kind").ends_with("List") && root.get("items") != nullptr;
    if (list) {
      Node items = *root.get("items");
      for (Node& item : items.items) take(std::move(item), out);
    } else if (!text_at(root, "kind").empty()) {
      Item item{std::move(root), {}, {}};
      item.names = {text_at(item.root, "metadata.name")};
      item.name_spaces = {text_at(item.root, "metadata.namespace")};
      out.push_back(std::move(item));
    }
  }

  static bool takes_one_twice(const std::vector<Item>& items) {
    std::set<std::string> seen;
    return std::any_of(items.begin(), items.end(), [&](const Item& item) {
      const std::string id = std::string(k8s::group_of(item.version())) + "\n" + item.kind() + "\n" + item.names.back();
      return !seen.insert(id + "\n" + item.name_spaces.back()).second;
    });
  }

  std::nullopt_t fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return std::nullopt;
  }

  // ---- patches ---------------------------------------------------------------------------------

  void leave_out(const std::string& folder, const k8s::Kustomization& own) {
    for (const k8s::KustomizePatch& patch : own.changes)
      if (!patch.path.empty()) out_.apart.try_emplace(path_from(folder, patch.path), why_);
  }

  // `own`: it is the kustomization that is asked about.
  void apply(const std::string& folder, const k8s::Kustomization& kustomization, std::vector<Item>& items, bool own) {
    for (const k8s::KustomizePatch& patch : kustomization.changes) {
      const std::string path = patch.path.empty() ? std::string() : path_from(folder, patch.path);
      const std::string why = apply_one(patch, path, items);
      if (path.empty()) continue;
      if (!why.empty()) out_.apart.try_emplace(path, why);
      else if (own) out_.merged.insert(path);
    }
    for (Item& item : items) rename(kustomization, item);
    for (const k8s::ReplicaCount& replicas : kustomization.replicas) scale(replicas, items);
  }

  // Why all of the patch, or a part of it, is not merged.
  std::string apply_one(const k8s::KustomizePatch& patch, const std::string& path, std::vector<Item>& items) {
    if (!patch.unread.empty()) return "it has " + patch.unread + ", which is not read";
    for (const std::string& pattern : {patch.target.name, patch.target.kind, patch.target.name_space})
      if (!is_plain_pattern(pattern)) return "the pattern `" + pattern + "` is not read";
    const std::vector<Node> documents = path.empty() ? written_in(patch) : documents_of(path);
    if (documents.empty()) return "it cannot be read";
    if (values_ > most_values) return "its kustomizations are too large";
    std::string why;
    for (const Node& document : documents) {
      const bool operations = k8s::is_json_patch(document);
      if (operations && patch.target.empty()) return "it has no `target`";
      bool found = false;
      values_ += items.size();
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (patch.target.empty() ? !is_named(items[i], document) : !is_target(items[i], patch.target)) continue;
        found = true;
        bool deleted = false;
        Node changed = items[i].root;
        std::string not_merged = operations ? k8s::apply_json_patch(changed, document)
                                            : merge(changed, document, is_custom(items[i].version()), deleted);
        values_ += k8s::count_values(changed);
        if (!not_merged.empty()) {
          why = std::move(not_merged);
        } else if (deleted) {
          items.erase(items.begin() + static_cast<std::ptrdiff_t>(i--));
        } else {
          items[i].root = std::move(changed), items[i].changed = true;
        }
      }
      if (!found) why = "the object that it changes is not among the resources that are here";
    }
    return why;
  }

  // A patch does not change what an object is.
  static std::string merge(Node& object, Node patch, bool custom, bool& deleted) {
    std::erase_if(patch.members, [](const data::Member& m) { return m.key == "apiVersion" || m.key == "kind"; });
    for (data::Member& m : patch.members)
      if (m.key == "metadata")
        std::erase_if(m.value.members, [](const data::Member& n) { return n.key == "name" || n.key == "namespace"; });
    return k8s::merge_patch(object, patch, custom, deleted);
  }

  static void rename(const k8s::Kustomization& own, Item& item) {
    if (!own.prefix.empty() || !own.suffix.empty()) item.names.push_back(own.prefix + item.names.back() + own.suffix);
    if (!own.name_space.empty()) item.name_spaces.push_back(own.name_space);
  }

  static void scale(const k8s::ReplicaCount& replicas, std::vector<Item>& items) {
    for (Item& item : items) {
      const std::string kind = item.kind();
      const bool has_count = kind == "Deployment" || kind == "StatefulSet" || kind == "ReplicaSet";
      if (!has_count || std::find(item.names.begin(), item.names.end(), replicas.name) == item.names.end()) continue;
      for (data::Member& spec : item.root.members) {
        if (spec.key != "spec") continue;
        std::erase_if(spec.value.members, [](const data::Member& m) { return m.key == "replicas"; });
        spec.value.members.push_back({"replicas", replicas.count.span, replicas.count});
        item.changed = true;
      }
    }
  }

  const std::vector<std::string>& roots_;
  const Files& from_;
  const ReadText& read_;
  Sources& sources_;
  std::map<std::string, std::optional<std::uint32_t>> numbers_;
  std::map<std::string, std::optional<k8s::Kustomization>> kustomizations_;
  std::set<std::uint32_t> files_;  // of the kustomization that is built
  std::string why_;
  std::set<std::string> open_;  // folders whose objects are being read
  std::size_t values_ = 0, steps_ = 0;
  MergedOverlays out_;
};

}  // namespace

MergedOverlays merge_overlays(const std::set<std::string>& folders, const std::vector<std::string>& roots,
                              const Files& from, const ReadText& read, Sources& sources) {
  Builder builder(roots, from, read, sources);
  for (const std::string& folder : folders) builder.judge(folder);
  return builder.take();
}

}  // namespace muster::driver
