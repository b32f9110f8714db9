#include "targets/carriers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "compiler/base/text.h"
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
  for (const char* key : {"name", "groupName"})  // of a group of pods, or of a container beside another role's
    if (const Node* name = node.get(key); name != nullptr && name->text == role)
      return node.get("template") != nullptr || node.get("replicas") != nullptr || node.get("image") != nullptr;
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

std::vector<Lines> joined(std::vector<Lines> all) {
  std::sort(all.begin(), all.end(), [](const Lines& a, const Lines& b) { return a.first < b.first; });
  std::vector<Lines> out;
  for (const Lines& one : all)
    if (!out.empty() && one.first <= out.back().last + 1) out.back().last = std::max(out.back().last, one.last);
    else out.push_back(one);
  return out;
}

}  // namespace

// What is in the part of a manifest that is a role's, or in all of it, by the marks that it may be asked for.
class Carriers::Index {
 public:
  Index(const Sources& sources, const std::vector<const Node*>& parts) : sources_(sources) {
    for (const Node* part : parts) add(*part);
  }

  std::vector<Lines> find(std::string_view mark) const {
    if (mark.starts_with('[')) return lines_of(items_, mark.substr(1, mark.size() - 2));
    if (mark.starts_with('=')) return with_text(mark.substr(1));
    const std::vector<Lines> all = lines_of(members_, mark);
    return all.empty() ? lines_of(keys_, mark) : all;
  }

 private:
  using Places = std::multimap<std::string, Span, std::less<>>;

  // What containers beside the program's run carries nothing of the program.
  static bool is_of_program(const Member& member) { return member.key == "args" || member.key == "command"; }

  void add(const Node& node, bool beside = false) {
    for (const Node& item : node.items) {
      if (const Node* name = item.get("name"); name != nullptr && name->is_scalar())
        items_.emplace(name->text, item.span);
      add(item, beside);
    }
    for (const Member& member : node.members) {
      const Span span{member.key_span.file, member.key_span.begin, member.value.span.end};
      if (!beside || !is_of_program(member)) keys_.emplace(member.key, span);
      if (member.value.is_scalar()) {
        members_.emplace(member.key + ": " + member.value.text, span);
        texts_.emplace(member.value.text, span);
      }
      if (member.key == "commands" || member.key == "init")
        for (const Node& item : member.value.items) texts_.emplace(item.text, item.span);
      add(member.value, beside || member.key == "initContainers");
    }
  }

  std::vector<Lines> lines_of(const Places& places, std::string_view what) const {
    std::vector<Lines> out;
    for (auto [at, end] = places.equal_range(what); at != end; ++at) out.push_back(lines(at->second));
    return out;
  }

  // The texts that are this one, or else contain it.
  std::vector<Lines> with_text(std::string_view part) const {
    std::vector<Lines> out = lines_of(texts_, part);
    if (out.empty())
      for (const auto& [text, span] : texts_)
        if (text.find(part) != text.npos) out.push_back(lines(span));
    return out;
  }

  Lines lines(Span span) const {
    const std::uint32_t end = std::max(span.begin, span.end > 0 ? span.end - 1 : 0);
    return {sources_.position(span.file, span.begin).line, sources_.position(span.file, end).line};
  }

  const Sources& sources_;
  Places keys_, members_, items_, texts_;
};

struct Carriers::Text {
  std::string_view content;
  std::string name;
  Sources sources{};
  std::optional<data::Documents> objects{};                              // of a manifest
  std::multimap<std::string_view, std::size_t, std::less<>> assigned{};  // where "NAME=" is, by NAME
  mutable std::map<std::string, Index, std::less<>> indexes{};           // by role; "": of all
  std::vector<std::size_t> ends{};                                       // of the lines

  explicit Text(const Document& document) : content(document.content), name(document.name) {
    find_assignments();
    for (std::size_t at = content.find('\n'); at != content.npos; at = content.find('\n', at + 1)) ends.push_back(at);
    if (!name.ends_with(".yaml") && !name.ends_with(".yml")) return;
    objects = data::read_yaml(sources, sources.add(document.name, document.content));
  }

  Form form() const {
    if (!objects) return Form::script;
    const bool object = objects->documents.empty() || objects->documents.front().root.get("kind") != nullptr;
    return object ? Form::manifest : Form::task;
  }

  void find_assignments() {
    for (std::size_t at = content.find('='); at != content.npos; at = content.find('=', at + 1)) {
      std::size_t begin = at;
      while (begin > 0 && is_of_name(content[begin - 1])) --begin;
      if (begin < at) assigned.emplace(content.substr(begin, at - begin), begin);
    }
  }

  static bool is_of_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

  Lines lines_at(std::size_t at, std::string_view part) const {
    const auto line = [&](std::size_t offset) {
      return static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), offset) - ends.begin()) + 1;
    };
    const std::size_t last = part.find_last_not_of('\n');
    return {line(at), line(at + (last == part.npos ? 0 : last))};
  }

  // All lines that have a part of this text, which may be of several lines.
  std::vector<Lines> lines_with(std::string_view part, std::size_t from, std::size_t end) const {
    std::vector<Lines> out;
    if (part.ends_with('=') && std::all_of(part.begin(), part.end() - 1, is_of_name)) {
      for (auto [at, last] = assigned.equal_range(part.substr(0, part.size() - 1)); at != last; ++at)
        if (at->second >= from && at->second < end) out.push_back(lines_at(at->second, part));
      return out;
    }
    for (std::size_t at = content.find(part, from); at < end; at = content.find(part, at + 1))
      out.push_back(lines_at(at, part));
    return out;
  }

  // What a script of several roles does for one of them: up to the next one, or to the wait for all.
  std::pair<std::size_t, std::size_t> part_of(const std::string& role) const {
    const std::size_t at = role.empty() ? content.npos : content.find("\n# role " + shell_name(role) + "\n");
    if (at == content.npos) return {0, content.size()};
    std::size_t end = content.size();
    for (const std::string_view next : {"\n# role ", "\nfor ((i = 0;", "\nwhile kill -0 "})
      end = std::min(end, content.find(next, at + 1));
    return {at, end};
  }

  const Index& index_of(const std::string& role) const {
    if (const auto known = indexes.find(role); known != indexes.end()) return known->second;
    std::vector<const Node*> parts;
    for (const data::Document& object : objects->documents) {
      if (role.empty()) parts.push_back(&object.root);
      else parts_of(object.root, kubernetes::dns_label(role), parts);
    }
    return indexes.emplace(role, Index(sources, parts)).first->second;
  }

  std::vector<Lines> in_part(const std::string& mark, const std::string& role) const {
    if (objects && !mark.starts_with('~')) return index_of(role).find(mark);
    if (objects) return lines_with(std::string_view(mark).substr(1), 0, content.size());
    const auto [from, end] = part_of(role);
    return lines_with(mark, from, end);
  }

  std::vector<Lines> with(const std::string& mark, const std::string& role) const {
    std::vector<Lines> out = in_part(mark, role);
    if (role.empty()) return out;
    if (out.empty()) return in_part(mark, "");
    // A component of a job has its options in the directives, and on the lines that start its steps.
    if (!objects && mark.starts_with("--") && content.find(" hetjob\n") != content.npos)
      for (const Lines& line : lines_with(mark, 0, part_of(role).first)) out.push_back(line);
    return out;
  }

  // Of each alternative what all roles have; the first that has any.
  std::vector<Lines> lines_of(const LossEntry& entry, const model::Workload& workload, const model::Site& site) const {
    std::vector<std::vector<Lines>> found;
    for (const Role& role : workload.roles) {
      if (!entry.field.role.empty() && role.name != entry.field.role) continue;
      const std::vector<Marks> marks = marks_of(entry, form(), role, workload, site);
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
