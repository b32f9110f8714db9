// The tree of a YAML document, from what the parser finds in it.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "compiler/data/read.h"
#include "compiler/data/scalar.h"
#include "compiler/data/yaml_parser.h"

namespace muster::data {
namespace {

// Stops the reading of a document; caught in this file.
struct Refusal {
  Diagnostic diagnostic;
};

[[noreturn]] void refuse(Code code, Span where, std::string message, std::string label = {}) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  d.primary = where;
  d.primary_label = std::move(label);
  throw Refusal{std::move(d)};
}

struct Extent {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Extension {
  std::size_t nodes = 1;
  int depth = 1;
};

Extension measure(const Node& node) {
  Extension all;
  const auto grow = [&](const Node& child) {
    const Extension inner = measure(child);
    all.nodes += inner.nodes;
    all.depth = std::max(all.depth, inner.depth + 1);
  };
  for (const Node& item : node.items) grow(item);
  for (const Member& member : node.members) grow(member.value);
  return all;
}

class Builder : public YamlHandler {
 public:
  Builder(Span chunk, const Budget& budget, Scalars scalars, std::size_t& nodes)
      : chunk_(chunk), budget_(budget), scalars_(scalars), nodes_(nodes), last_end_(chunk.begin) {}

  Node take() { return std::move(root_); }
  bool anything() const { return anything_; }

  void begin_list(const YamlProperties& properties, std::size_t begin) override {
    open(Node::Kind::list, properties, begin);
  }
  void begin_map(const YamlProperties& properties, std::size_t begin) override {
    open(Node::Kind::map, properties, begin);
  }
  void end_list(std::size_t end) override { close(end); }
  void end_map(std::size_t end) override { close(end); }

  void scalar(YamlScalar scalar) override {
    Node node;
    node.span = span(scalar.begin, scalar.end);
    last_end_ = node.span.end;
    anything_ = anything_ || scalar.written || !scalar.properties.tag.empty();
    if (scalar.text.size() > budget_.text)
      refuse(Code::document_too_large, span(scalar.begin, scalar.begin + 1),
             "a string is larger than " + to_string(Size{static_cast<std::int64_t>(budget_.text)}));
    node.quoted = !scalar.plain;
    const std::string& tag = scalar.properties.tag;
    const bool is_merge_key = scalar.text == "<<" && ((scalar.plain && tag.empty()) || tag == "!" || tag == merge_tag);
    if (is_merge_key && !open_.empty() && wants_key(open_.back())) {
      open_.back().key = Key{"<<", node.span, true};
      return;
    }
    const Scalar value = value_of(scalar, node.span);
    node.kind = value.kind;
    node.text = value.value;
    add(std::move(node), scalar.properties.anchor, scalars_ == Scalars::resolved ? key_of(value) : value.value);
  }

  void alias(const std::string& name, std::size_t begin, std::size_t end) override {
    const Span where = span(begin, end);
    const auto found = anchors_.find(name);
    if (found == anchors_.end())
      refuse(Code::yaml_syntax, where, "the YAML cannot be read: unknown anchor `" + name + "`");
    const Anchored& anchored = found->second;
    if (anchored.open != 0) refuse(Code::document_alias, where, "the alias refers to a value that contains it");
    const bool collection = anchored.node.is_map() || anchored.node.is_list();
    if (collection && !open_.empty() && wants_key(open_.back())) refuse_key(where);
    nodes_ += anchored.extension.nodes;
    check_depth(open_.size() + static_cast<std::size_t>(anchored.extension.depth), where);
    spend(where);
    Node copy = anchored.node;
    copy.aliased = true;
    copy.span = where;
    last_end_ = where.end;
    add(std::move(copy), {}, anchored.key);
  }

 private:
  struct Key {
    std::string text;
    Span span;
    bool merges = false;
  };
  struct Place {
    std::size_t member = 0;
    bool merged = false;
    Span span;
  };
  struct Open {
    Node node;
    std::string anchor;
    std::size_t serial = 0;  // of its anchor
    std::optional<Key> key;
    std::map<std::string, Place> keys;
  };
  struct Anchored {
    Node node;
    Extension extension;
    std::optional<std::string> key;  // of a scalar
    std::size_t open = 0;            // which collection it is of, while that has not ended
  };
  static constexpr std::string_view merge_tag = "tag:yaml.org,2002:merge";

  Span span(std::size_t begin, std::size_t end) const {
    return {chunk_.file, static_cast<std::uint32_t>(chunk_.begin + begin),
            static_cast<std::uint32_t>(chunk_.begin + end)};
  }
  static bool wants_key(const Open& open) { return open.node.is_map() && !open.key; }

  void spend(Span where) {
    if (++nodes_ > budget_.nodes)
      refuse(Code::document_too_large, where,
             "the file has more than " + counted(static_cast<long long>(budget_.nodes), "value"));
  }
  void check_depth(std::size_t depth, Span where) {
    if (depth > static_cast<std::size_t>(budget_.depth))
      refuse(Code::document_too_large, where,
             "values are nested more than " + std::to_string(budget_.depth) + " levels deep");
  }
  [[noreturn]] void refuse_key(Span where) {
    refuse(Code::document_key_not_scalar, where,
           "a key must be a scalar: a bracket is not closed, or a template's `{{ … }}` is not rendered");
  }

  Scalar value_of(const YamlScalar& scalar, Span where) {
    const std::string& tag = scalar.properties.tag;
    if (scalars_ == Scalars::as_spelt) {
      const bool by_form =
          (tag.empty() && scalar.plain) || tag.ends_with(":bool") || tag.ends_with(":int") || tag.ends_with(":float");
      return {by_form ? plain_kind(scalar.text) : Node::Kind::text, scalar.text};
    }
    if (tag.empty()) {
      if (!scalar.plain) return {Node::Kind::text, scalar.text};
      Scalar value = plain_scalar(scalar.text);
      if (!is_finite(value) && (open_.empty() || !wants_key(open_.back())))
        refuse(Code::yaml_syntax, where, "the YAML cannot be read: JSON has no number `" + scalar.text + "`");
      return value;
    }
    auto value = tagged_scalar(tag, scalar.text);
    if (!value || !is_finite(*value))
      refuse(Code::yaml_syntax, where, "the YAML cannot be read: the value is not what its tag says");
    return *value;
  }

  void open(Node::Kind kind, const YamlProperties& properties, std::size_t begin) {
    anything_ = true;
    const Span where = span(begin, std::min<std::size_t>(begin + 1, chunk_.end - chunk_.begin));
    if (!open_.empty() && wants_key(open_.back())) refuse_key(where);
    check_depth(open_.size() + 1, where);
    Open next;
    next.node.kind = kind;
    next.node.span = where;
    next.anchor = properties.anchor;
    if (!next.anchor.empty()) anchors_[next.anchor] = {{}, {}, std::nullopt, next.serial = ++anchored_};
    last_end_ = where.begin;
    open_.push_back(std::move(next));
  }

  // A flow collection ends with its bracket, a block one where its last item does.
  void close(std::size_t end) {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (end > 0) last_end_ = chunk_.begin + end;
    done.node.span.end = static_cast<std::uint32_t>(std::max<std::size_t>(last_end_, done.node.span.begin));
    // An anchor within that has the same name hides its own.
    const bool hidden = !done.anchor.empty() && anchors_[done.anchor].open != done.serial;
    add(std::move(done.node), hidden ? std::string() : done.anchor, std::nullopt);
  }

  // `key` is what the value is as a key.
  void add(Node node, const std::string& anchor, std::optional<std::string> key) {
    spend(node.span);
    if (!anchor.empty()) {
      const Extension extension = measure(node);
      nodes_ += extension.nodes;
      spend(node.span);
      anchors_[anchor] = {node, extension, key, 0};
    }
    if (open_.empty()) root_ = std::move(node);
    else if (open_.back().node.is_list()) open_.back().node.items.push_back(std::move(node));
    else if (wants_key(open_.back())) take_key(node, std::move(key));
    else take_value(std::move(node));
  }

  void take_key(const Node& node, std::optional<std::string> key) {
    if (!key)
      refuse(Code::document_key_not_scalar, node.span, "a key cannot be null or this large: write it in quotes");
    Open& map = open_.back();
    const auto found = map.keys.find(*key);
    if (found != map.keys.end() && !found->second.merged) {
      Diagnostic d;
      d.code = Code::document_key_twice;
      d.message = "`" + key->substr(0, 100) + "` is set twice";
      d.primary = node.span;
      d.labels.push_back({found->second.span, "first set here"});
      throw Refusal{std::move(d)};
    }
    map.key = Key{std::move(*key), node.span, false};
  }

  void take_value(Node node) {
    Open& map = open_.back();
    Key key = std::move(*map.key);
    map.key.reset();
    if (!key.merges) return put(map, std::move(key.text), key.span, std::move(node), false);
    if (node.is_map()) {
      take_over(map, node);
    } else if (node.is_list() && !node.aliased) {
      for (auto item = node.items.rbegin(); item != node.items.rend(); ++item) take_over(map, *item);
    } else {
      refuse(Code::document_alias, node.span, "`<<` takes a map or a list of maps");
    }
  }

  // As the tools of Kubernetes merge: what is read later wins, be it a key of the map itself or a merged one; of a list
  // of maps the first wins.
  void take_over(Open& map, Node& from) {
    if (!from.is_map()) refuse(Code::document_alias, from.span, "`<<` takes a map or a list of maps");
    for (Member& member : from.members) {
      member.value.aliased = true;
      put(map, std::move(member.key), member.key_span, std::move(member.value), true);
    }
  }

  static void put(Open& map, std::string key, Span key_span, Node value, bool merged) {
    std::vector<Member>& members = map.node.members;
    const auto [found, fresh] = map.keys.try_emplace(key, Place{members.size(), merged, key_span});
    if (fresh) return members.push_back({std::move(key), key_span, std::move(value)});
    found->second.merged = found->second.merged && merged;
    members[found->second.member] = {std::move(key), key_span, std::move(value)};
  }

  Span chunk_;
  const Budget& budget_;
  Scalars scalars_;
  std::size_t& nodes_;
  std::size_t last_end_;
  std::vector<Open> open_;
  std::map<std::string, Anchored> anchors_;
  std::size_t anchored_ = 0;  // collections with an anchor
  Node root_;
  bool anything_ = false;
};

// The chunks that begin with a `---` line, as kubectl cuts them.
std::vector<Span> chunks(std::string_view text, std::uint32_t file) {
  std::vector<Span> out;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end) {
    if (end > begin) out.push_back({file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    begin = end;
  };
  for (std::size_t line = 0; line < text.size(); line = std::min(text.find('\n', line), text.size() - 1) + 1)
    if (text.substr(line).starts_with("---")) cut(line);
  cut(text.size());
  return out;
}

// What is behind the `---` of a chunk, which the tools of Kubernetes refuse; empty if nothing is.
Extent behind_mark(std::string_view chunk) {
  if (!chunk.starts_with("---")) return {};
  const std::size_t end = std::min(chunk.find('\n'), chunk.size());
  const std::size_t begin = std::min(chunk.find_first_not_of(" \t\r", 3), end);
  return begin < end && chunk[begin] == '#' ? Extent{} : Extent{begin, end};
}

// Whether a chunk is only comments and directives: kubectl refuses it, for its `---` is in the next one.
bool is_head(std::string_view chunk) {
  bool directive = false;
  for (std::size_t line = 0; line < chunk.size(); line = std::min(chunk.find('\n', line), chunk.size() - 1) + 1) {
    if (std::string_view("%#\r\n").find(chunk[line]) == std::string_view::npos) return false;
    directive = directive || chunk[line] == '%';
  }
  return directive;
}

// A character that YAML forbids: one of the control characters, or no character at all.
std::optional<std::size_t> forbidden(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = [&](std::size_t n) { return i + n < text.size() ? static_cast<unsigned char>(text[i + n]) : 0; };
    if (byte(0) < 0x20 && text[i] != '\t' && text[i] != '\n' && text[i] != '\r') return i;
    if (byte(0) == 0x7F || (byte(0) == 0xC2 && byte(1) < 0xA0 && byte(1) != 0x85)) return i;
    if (byte(0) == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE) return i;
  }
  return std::nullopt;
}

Span byte_at(std::uint32_t file, std::size_t at) {
  return {file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + 1)};
}

// False if there is nothing but comments.
bool parse(Document& document, std::string_view text, const Budget& budget, Scalars scalars, std::size_t& nodes) {
  const Span chunk = document.span;
  const std::string_view whole = text.substr(chunk.begin, chunk.end - chunk.begin);
  const auto place = [&](std::size_t at) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(chunk.begin + at, chunk.end));
  };
  try {
    if (const Extent more = behind_mark(whole); more.end > more.begin)
      refuse(Code::yaml_syntax, {chunk.file, place(more.begin), place(more.end)},
             "the YAML cannot be read: `---` has a line to itself");
    Builder builder(chunk, budget, scalars, nodes);
    parse_yaml(whole, builder);
    document.root = builder.take();
    return builder.anything();
  } catch (const Refusal& refusal) {
    document.diagnostics.add(refusal.diagnostic);
  } catch (const YamlFault& fault) {
    const std::uint32_t at = place(fault.at);
    document.diagnostics.add(Code::yaml_syntax, {chunk.file, at, at}, "the YAML cannot be read: " + fault.message);
  }
  return true;
}

bool usable(std::string_view text, std::uint32_t file, const Budget& budget, Diagnostics& diagnostics) {
  if (text.size() > budget.bytes) {
    diagnostics.add(Code::document_too_large, byte_at(file, 0),
                    "the file is larger than " + to_string(Size{static_cast<std::int64_t>(budget.bytes)}));
  } else if (const auto bad = first_invalid_utf8(text)) {
    diagnostics.add(Code::not_utf8, byte_at(file, *bad), "this byte is not valid UTF-8");
  } else if (const auto control = forbidden(text)) {
    const Code code = text[*control] == '\0' ? Code::binary_file : Code::yaml_syntax;
    diagnostics.add(code, byte_at(file, *control), "the file contains a control character");
  } else {
    return true;
  }
  return false;
}

}  // namespace

Documents read_yaml(const Sources& sources, std::uint32_t file, const Budget& budget, Scalars scalars) {
  Documents out;
  const std::string_view text = sources.text(file);
  if (!usable(text, file, budget, out.diagnostics)) return out;
  std::size_t nodes = 0;
  for (const Span chunk : chunks(text, file)) {
    if (scalars == Scalars::as_spelt && is_head(sources.text(chunk))) continue;
    if (out.documents.size() >= budget.documents) {
      out.documents.clear();
      out.diagnostics.add(Code::document_too_large, byte_at(file, chunk.begin),
                          "the file has more than " + counted(static_cast<long long>(budget.documents), "document"));
      return out;
    }
    out.documents.emplace_back();
    out.documents.back().span = chunk;
    if (!parse(out.documents.back(), text, budget, scalars, nodes)) out.documents.pop_back();
  }
  return out;
}

}  // namespace muster::data
