#include "targets/carriers.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "compiler/data/read.h"
#include "targets/carrier_marks.h"
#include "targets/kubernetes/names.h"

namespace muster::targets {
namespace {

using data::Member;
using data::Node;
using model::Role;

// Whether the part of an object is a role's: its pod template, or the item of a list that has the role's name.
bool names_role(const Node& node, const std::string& role) {
  const Node* labels = node.at("metadata.labels");
  const Node* component = labels == nullptr ? nullptr : labels->get("app.kubernetes.io/component");
  if (component != nullptr && component->text == role) return true;
  for (const char* key : {"name", "groupName"})
    if (const Node* name = node.get(key); name != nullptr && name->text == role)
      return node.get("template") != nullptr || node.get("replicas") != nullptr;
  const Node* own = node.at("metadata.name");
  return own != nullptr && node.get("data") != nullptr && own->text.ends_with("-" + role);
}

void parts_of(const Node& node, const std::string& role, std::vector<const Node*>& out) {
  if (node.is_map() && names_role(node, role)) {
    out.push_back(&node);
    return;
  }
  for (const Node& item : node.items) parts_of(item, role, out);
  for (const Member& member : node.members) parts_of(member.value, role, out);
}

std::string scalar_of(const Node& node) { return node.is_scalar() ? node.text : std::string(); }

class Search {
 public:
  Search(const Sources& sources, std::string_view mark) : sources_(sources) {
    if (mark.starts_with('[')) name_ = mark.substr(1, mark.size() - 2);
    if (mark.starts_with('=')) text_ = mark.substr(1);
    const std::size_t colon = mark.rfind(": ");
    key_ = mark.substr(0, colon);
    if (colon != mark.npos) value_ = mark.substr(colon + 2);
  }

  void visit(const Node& node) {
    for (const Node& item : node.items) {
      const Node* name = item.get("name");
      if (!name_.empty() && name != nullptr && name->text == name_) add(item.span);
      else visit(item);
    }
    for (const Member& member : node.members) {
      if (is_marked(member)) add({member.key_span.file, member.key_span.begin, member.value.span.end});
      else visit(member.value);
    }
  }

  std::vector<Lines> found;

 private:
  bool is_marked(const Member& member) const {
    if (!text_.empty()) return scalar_of(member.value).find(text_) != std::string::npos;
    return name_.empty() && member.key == key_ && (value_.empty() || scalar_of(member.value) == value_);
  }

  void add(Span span) {
    const std::uint32_t end = std::max(span.begin, span.end > 0 ? span.end - 1 : 0);
    found.push_back({sources_.position(span.file, span.begin).line, sources_.position(span.file, end).line});
  }

  const Sources& sources_;
  std::string key_, value_, name_, text_;
};

std::vector<Lines> joined(std::vector<Lines> all) {
  std::sort(all.begin(), all.end(), [](const Lines& a, const Lines& b) { return a.first < b.first; });
  std::vector<Lines> out;
  for (const Lines& one : all)
    if (!out.empty() && one.first <= out.back().last + 1) out.back().last = std::max(out.back().last, one.last);
    else out.push_back(one);
  return out;
}

}  // namespace

struct Carriers::Text {
  std::string_view content;
  std::string name;
  Sources sources{};
  std::optional<data::Documents> objects{};  // of a manifest

  explicit Text(const Document& document) : content(document.content), name(document.name) {
    if (!name.ends_with(".yaml")) return;
    objects = data::read_yaml(sources, sources.add(document.name, document.content));
  }

  // All lines that have a part of this text, which may be of several lines.
  std::vector<Lines> lines_with(std::string_view part, std::size_t from, std::size_t end) const {
    std::vector<Lines> out;
    std::size_t line = 1, counted = 0;
    for (std::size_t at = content.find(part, from); at < end; at = content.find(part, at + 1)) {
      line += static_cast<std::size_t>(std::count(content.begin() + static_cast<std::ptrdiff_t>(counted),
                                                  content.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      counted = at;
      const std::string_view inner = part.substr(0, part.find_last_not_of('\n') + 1);
      out.push_back({line, line + static_cast<std::size_t>(std::count(inner.begin(), inner.end(), '\n'))});
    }
    return out;
  }

  // The function of a role in a script of several.
  std::pair<std::size_t, std::size_t> part_of(const std::string& role) const {
    const std::size_t at = role.empty() ? content.npos : content.find("\nrole_" + shell_name(role) + "() (\n");
    if (at == content.npos) return {0, content.size()};
    return {at, std::min(content.find("\n)\n", at), content.size())};
  }

  std::vector<Lines> in_part(const std::string& mark, const std::string& role) const {
    if (!objects || mark.starts_with('~')) {
      const std::string_view part = objects ? std::string_view(mark).substr(1) : std::string_view(mark);
      const auto [from, end] = objects ? std::pair<std::size_t, std::size_t>{0, content.size()} : part_of(role);
      return lines_with(part, from, end);
    }
    std::vector<const Node*> parts;
    for (const data::Document& object : objects->documents) {
      if (role.empty()) parts.push_back(&object.root);
      else parts_of(object.root, kubernetes::dns_label(role), parts);
    }
    Search search(sources, mark);
    for (const Node* part : parts) search.visit(*part);
    return std::move(search.found);
  }

  std::vector<Lines> with(const std::string& mark, const std::string& role) const {
    std::vector<Lines> out = in_part(mark, role);
    return out.empty() && !role.empty() ? in_part(mark, "") : out;
  }

  // Of each alternative what all roles have; the first that has any.
  std::vector<Lines> lines_of(const LossEntry& entry, const model::Workload& workload, const model::Site& site) const {
    std::vector<std::vector<Lines>> found;
    for (const Role& role : workload.roles) {
      if (!entry.field.role.empty() && role.name != entry.field.role) continue;
      const std::vector<Marks> marks = marks_of(entry, objects ? Form::manifest : Form::script, role, workload, site);
      found.resize(std::max(found.size(), marks.size()));
      for (std::size_t i = 0; i < marks.size(); ++i)
        for (const std::string& mark : marks[i]) {
          const std::vector<Lines> lines = with(mark, entry.field.role);
          found[i].insert(found[i].end(), lines.begin(), lines.end());
        }
    }
    const auto any = std::find_if(found.begin(), found.end(), [](const auto& lines) { return !lines.empty(); });
    return any == found.end() ? std::vector<Lines>() : joined(std::move(*any));
  }
};

Carriers::Carriers(std::span<const Document> documents, const model::Workload& workload, const model::Site& site)
    : workload_(workload), site_(site) {
  for (const Document& document : documents) texts_.push_back(std::make_unique<Text>(document));
}

Carriers::~Carriers() = default;

std::vector<Carrier> Carriers::of(const LossEntry& entry) const {
  using Status = LossEntry::Status;
  if (entry.as == "nothing" || (entry.status != Status::exact && entry.status != Status::approximated)) return {};
  std::vector<Carrier> out;
  for (const auto& text : texts_) {
    std::vector<Lines> lines = text->lines_of(entry, workload_, site_);
    if (!lines.empty()) out.push_back({text->name, std::move(lines)});
  }
  return out;
}

}  // namespace muster::targets
