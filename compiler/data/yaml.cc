#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "compiler/data/read.h"
#include "compiler/data/yaml_scalar.h"

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

// The lines of comments above the first value of a chunk. yaml-cpp does not get them: it takes long over each byte of a
// comment, and many files begin with a licence. (In a later place `#` may be in a text.)
Extent leading_comments(std::string_view chunk) {
  const std::size_t begin = chunk.starts_with("---\n") ? 4 : 0;
  std::size_t end = begin;
  while (end < chunk.size()) {
    const std::size_t next = std::min(chunk.find('\n', end), chunk.size() - 1) + 1;
    const std::string_view line = chunk.substr(end, next - end);
    const std::size_t first = line.find_first_not_of(' ');
    // (To YAML a return alone is a line end too.)
    const bool says_nothing = first != std::string_view::npos && (line[first] == '#' || line[first] == '\n');
    if (!says_nothing || line.find('\r') != std::string_view::npos) break;
    end = next;
  }
  const bool has_mark = chunk.substr(end).starts_with("\xEF\xBB\xBF");  // which yaml-cpp skips at the beginning
  return has_mark ? Extent{begin, begin} : Extent{begin, end};
}

// What yaml-cpp gets of a chunk: without `left_out`, and with some blanks more.
struct Handed {
  Extent left_out;
  std::vector<std::size_t> blanks{};  // their places in what yaml-cpp gets, in its order

  std::string text(std::string_view chunk) const {
    const std::string rest = std::string(chunk.substr(0, left_out.begin)) + std::string(chunk.substr(left_out.end));
    std::string out;
    std::size_t taken = 0;
    for (const std::size_t blank : blanks) {
      const std::size_t more = blank - out.size();
      out.append(rest, taken, more);
      out += ' ';
      taken += more;
    }
    return out.append(rest, taken);
  }
  // The place in the chunk of what yaml-cpp found.
  std::size_t place(const YAML::Mark& mark) const {
    auto at = static_cast<std::size_t>(std::max(mark.pos, 0));
    at -= static_cast<std::size_t>(std::lower_bound(blanks.begin(), blanks.end(), at) - blanks.begin());
    return mark.pos < 0 || at < left_out.begin ? at : at + left_out.end - left_out.begin;
  }
};

// The blanks in front of each colon behind an alias that is a key, as in `*app:`. To yaml-cpp the colon belongs to the
// name; the tools of Kubernetes end the name there.
std::vector<std::size_t> blanks_behind_aliases(std::string_view text) {
  std::vector<std::size_t> out;
  for (std::size_t line = 0; line < text.size(); line = std::min(text.find('\n', line), text.size() - 1) + 1) {
    std::size_t at = text.find_first_not_of(' ', line);
    if (at == std::string_view::npos || text[at] != '*') continue;
    const std::size_t name = ++at;
    while (at < text.size() && (is_name_char(text[at]) || text[at] == '-')) ++at;
    const bool key = at > name && at + 1 < text.size() && text[at] == ':' && is_space(text[at + 1]);
    if (key) out.push_back(at + out.size());
  }
  return out;
}

// Builds the tree from yaml-cpp's events. Collections come before what they hold, so the check of the
// depth here also bounds yaml-cpp's recursion.
class Builder : public YAML::EventHandler {
 public:
  Builder(std::string_view text, Span chunk, const Handed& handed, const Budget& budget, std::size_t& nodes)
      : text_(text),
        chunk_(chunk),
        handed_(handed),
        budget_(budget),
        nodes_(nodes),
        last_end_(chunk.begin),
        line_(chunk.begin),
        next_line_(text.find('\n', chunk.begin)) {}

  Node take() { return std::move(root_); }

  // A second document in a chunk has no `---` before it: something ended the first one early.
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (started_)
      refuse(Code::yaml_syntax, span(offset(mark), offset(mark)), "this text does not belong to the preceding value");
    started_ = true;
  }
  void OnDocumentEnd() override {}
  void OnSequenceEnd() override { close(']'); }
  void OnMapEnd() override { close('}'); }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark, anchor);
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    const std::size_t at = after_properties(text_, offset(mark));
    const std::string_view rest = text_.substr(std::min(at, text_.size()));
    const bool word = rest.starts_with("null") || rest.starts_with("Null") || rest.starts_with("NULL");
    if (word || rest.starts_with('~')) {
      node.text = rest.substr(0, word ? 4 : 1);
      node.span = span(at, at + node.text.size());
      last_end_ = node.span.end;
    } else {
      node.span = span(last_end_, last_end_);  // nothing was written
    }
    add(std::move(node), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node;
    const Extent extent = scalar_extent(text_, offset(mark), value, open_.empty() ? -1 : open_.back().column);
    node.span = span(extent.begin, extent.end);
    const char first = extent.begin < text_.size() ? text_[extent.begin] : ' ';
    if ((first == '"' || first == '\'') && (extent.end == extent.begin + 1 || text_[extent.end - 1] != first))
      refuse(Code::yaml_syntax, span(extent.begin, extent.begin + 1), "the string is not closed");
    if (value.size() > budget_.text)
      refuse(Code::document_too_large, span(extent.begin, extent.begin + 1),
             "a string is larger than " + to_string(Size{static_cast<std::int64_t>(budget_.text)}));
    node.quoted = first == '"' || first == '\'' || first == '|' || first == '>';
    const bool by_form = tag == "?" || tag.ends_with(":bool") || tag.ends_with(":int") || tag.ends_with(":float");
    node.kind = by_form ? plain_kind(value) : Node::Kind::text;
    node.text = with_whole_escapes(value);
    last_end_ = extent.end;
    add(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t at = offset(mark);
    std::size_t end = std::min(text_.find_first_of(" \t\r\n,[]{}", at), text_.size());
    if (!handed_.blanks.empty() && text_[end - 1] == ':') --end;
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      refuse(Code::document_alias, span(at, end), "the alias refers to a value that contains it");
    const bool collection = found->second.node.is_map() || found->second.node.is_list();
    if (collection && !open_.empty() && wants_key(open_.back())) refuse_key(span(at, end));
    nodes_ += found->second.extension.nodes;
    check_depth(open_.size() + static_cast<std::size_t>(found->second.extension.depth), span(at, end));
    spend(span(at, end));
    Node copy = found->second.node;
    copy.aliased = true;
    copy.span = span(at, end);
    last_end_ = end;
    add(std::move(copy), 0);
  }

 private:
  struct Open {
    Node node;
    int column = 0;
    YAML::anchor_t anchor = 0;
    std::optional<std::pair<std::string, Span>> key;
    std::map<std::string, Span> keys;
  };
  struct Anchored {
    Node node;
    Extension extension;
  };

  std::size_t offset(const YAML::Mark& mark) const {
    return std::min<std::size_t>(chunk_.begin + handed_.place(mark), text_.size());
  }
  Span span(std::size_t begin, std::size_t end) const {
    return {chunk_.file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  // The column of the value; a mark's own column is that of a tag or anchor before it. Offsets only rise, so
  // every line is looked for once.
  int column(std::size_t at) {
    for (; next_line_ < at; next_line_ = text_.find('\n', line_)) line_ = next_line_ + 1;
    return static_cast<int>(at - line_);
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

  void open(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    const std::size_t at = after_properties(text_, offset(mark));
    const Span where = span(at, std::min(at + 1, text_.size()));
    if (!open_.empty() && wants_key(open_.back())) refuse_key(where);
    check_depth(open_.size() + 1, where);
    Open next;
    next.node.kind = kind;
    next.node.span = where;
    next.column = column(at);
    next.anchor = anchor;
    last_end_ = at;
    open_.push_back(std::move(next));
  }

  // A flow collection ends with its bracket, a block one where its last item does.
  void close(char bracket) {
    Open done = std::move(open_.back());
    open_.pop_back();
    const char first = done.node.span.begin < text_.size() ? text_[done.node.span.begin] : ' ';
    if (first == '[' || first == '{') {
      std::size_t at = std::max<std::size_t>(last_end_, done.node.span.begin + 1);
      while ((at = after_space(text_, at)) < text_.size() && (text_[at] == ',' || text_[at] == ':')) ++at;
      if (at < text_.size() && text_[at] == bracket) last_end_ = at + 1;
    }
    done.node.span.end = static_cast<std::uint32_t>(std::max<std::size_t>(last_end_, done.node.span.begin));
    if (done.node.is_map()) merge(done);
    add(std::move(done.node), done.anchor);
  }

  void add(Node node, YAML::anchor_t anchor) {
    spend(node.span);
    if (anchor != 0) {
      const Extension extension = measure(node);
      nodes_ += extension.nodes;
      spend(node.span);
      anchors_[anchor] = {node, extension};
    }
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (open_.back().node.is_list()) {
      open_.back().node.items.push_back(std::move(node));
    } else if (wants_key(open_.back())) {
      take_key(std::move(node));
    } else {
      auto [key, key_span] = std::move(*open_.back().key);
      open_.back().key.reset();
      open_.back().node.members.push_back({std::move(key), key_span, std::move(node)});
    }
  }

  void take_key(Node node) {
    Open& map = open_.back();
    const auto [first, fresh] = map.keys.try_emplace(node.text, node.span);
    if (!fresh) {
      Diagnostic d;
      d.code = Code::document_key_twice;
      d.message = "`" + node.text.substr(0, 100) + "` is set twice";
      d.primary = node.span;
      d.labels.push_back({first->second, "first set here"});
      throw Refusal{std::move(d)};
    }
    last_end_ = std::max<std::size_t>(node.span.end, last_end_);
    map.key = {std::move(node.text), node.span};
    // An empty value ends after the colon.
    const std::size_t colon = text_.find_first_not_of(" \t", last_end_);
    if (colon < text_.size() && text_[colon] == ':') last_end_ = colon + 1;
  }

  // `<<: *a` and `<<: [*a, *b]`: keys of the map itself win, then those of the earlier map.
  void merge(Open& map) {
    std::vector<Member>& members = map.node.members;
    const auto found = std::find_if(members.begin(), members.end(), [&](const Member& m) {
      return m.key == "<<" && text_.substr(m.key_span.begin, 2) == "<<";
    });
    if (found == members.end()) return;
    Member merged = std::move(*found);
    members.erase(found);
    if (merged.value.is_map()) {
      take_over(map, merged.value);
    } else if (merged.value.is_list()) {
      for (Node& item : merged.value.items) take_over(map, item);
    } else {
      refuse(Code::document_alias, merged.value.span, "`<<` takes a map or a list of maps");
    }
  }

  static void take_over(Open& map, Node& from) {
    if (!from.is_map()) refuse(Code::document_alias, from.span, "`<<` takes a map or a list of maps");
    for (Member& member : from.members) {
      if (!map.keys.try_emplace(member.key, member.key_span).second) continue;
      member.value.aliased = true;
      map.node.members.push_back(std::move(member));
    }
  }

  std::string_view text_;  // of the whole file: marks are counted from where the chunk begins
  Span chunk_;
  const Handed& handed_;
  const Budget& budget_;
  std::size_t& nodes_;
  std::size_t last_end_;
  std::size_t line_;       // where the line that was last asked about begins
  std::size_t next_line_;  // and the line end after it
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  Node root_;
  bool started_ = false;
};

// The chunks between `---` lines, as kubectl cuts them.
std::vector<Span> chunks(std::string_view text, std::uint32_t file, std::size_t from) {
  std::vector<Span> out;
  std::size_t begin = from;
  const auto cut = [&](std::size_t end) {
    if (end > begin) out.push_back({file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    begin = end;
  };
  for (std::size_t line = from; line < text.size(); line = std::min(text.find('\n', line), text.size() - 1) + 1) {
    const std::string_view rest = text.substr(line);
    if (rest.starts_with("---") && (rest.size() == 3 || std::string_view(" \t\r\n").find(rest[3]) < 4)) cut(line);
  }
  cut(text.size());
  return out;
}

// Whether a chunk is only its `---`, directives and comments.
bool is_blank(std::string_view chunk) {
  if (chunk.starts_with("---")) chunk.remove_prefix(3);
  std::size_t at = after_space(chunk, 0);
  while (at < chunk.size() && (chunk[at] == '%' || chunk.substr(at, 3) == "..."))
    at = after_space(chunk, std::min(chunk.find('\n', at), chunk.size()));
  return at >= chunk.size();
}

// yaml-cpp takes byte 4 for the end of the file, and YAML forbids the others.
std::optional<std::size_t> control_byte(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (static_cast<unsigned char>(text[i]) < 0x20 && text[i] != '\t' && text[i] != '\n' && text[i] != '\r') return i;
  return std::nullopt;
}

Span byte_at(std::uint32_t file, std::size_t at) {
  return {file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + 1)};
}

// yaml-cpp begins its messages in lower case, and some end with a full stop or a newline.
std::string as_cause(std::string message) {
  while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
  return "the YAML cannot be read: " + message;
}

void parse(Document& document, std::string_view text, const Handed& handed, const Budget& budget, std::size_t& nodes) {
  const Span chunk = document.span;
  try {
    std::istringstream in{handed.text(text.substr(chunk.begin, chunk.end - chunk.begin))};
    YAML::Parser parser(in);
    Builder builder(text.substr(0, chunk.end), chunk, handed, budget, nodes);
    while (parser.HandleNextDocument(builder)) {
    }
    document.root = builder.take();
  } catch (const Refusal& refusal) {
    document.diagnostics.add(refusal.diagnostic);
  } catch (const YAML::Exception& e) {
    const std::size_t at = chunk.begin + handed.place(e.mark);
    const std::uint32_t clamped = static_cast<std::uint32_t>(std::min<std::size_t>(at, chunk.end));
    document.diagnostics.add(Code::yaml_syntax, {chunk.file, clamped, clamped}, as_cause(e.msg));
  } catch (const std::exception& e) {  // errors inside yaml-cpp: out_of_range, bad_alloc, …
    document.diagnostics.add(Code::yaml_syntax, {chunk.file, chunk.begin, chunk.begin}, as_cause(e.what()));
  }
}

void parse(Document& document, std::string_view text, const Budget& budget, std::size_t& nodes) {
  const std::string_view whole = text.substr(document.span.begin, document.span.end - document.span.begin);
  Handed handed{leading_comments(whole)};
  parse(document, text, handed, budget, nodes);
  if (!document.diagnostics.has_errors()) return;
  handed.blanks = blanks_behind_aliases(handed.text(whole));
  if (handed.blanks.empty()) return;
  Document again;
  again.span = document.span;
  parse(again, text, handed, budget, nodes);
  document = std::move(again);
}

bool usable(std::string_view text, std::uint32_t file, const Budget& budget, Diagnostics& diagnostics) {
  if (text.size() > budget.bytes) {
    diagnostics.add(Code::document_too_large, byte_at(file, 0),
                    "the file is larger than " + to_string(Size{static_cast<std::int64_t>(budget.bytes)}));
  } else if (const auto bad = first_invalid_utf8(text)) {
    diagnostics.add(Code::not_utf8, byte_at(file, *bad), "this byte is not valid UTF-8");
  } else if (const auto control = control_byte(text)) {
    const Code code = text[*control] == '\0' ? Code::binary_file : Code::yaml_syntax;
    diagnostics.add(code, byte_at(file, *control), "the file contains a control character");
  } else {
    return true;
  }
  return false;
}

}  // namespace

Documents read_yaml(const Sources& sources, std::uint32_t file, const Budget& budget) {
  Documents out;
  const std::string_view text = sources.text(file);
  if (!usable(text, file, budget, out.diagnostics)) return out;
  std::size_t nodes = 0;
  for (const Span chunk : chunks(text, file, text.starts_with("\xEF\xBB\xBF") ? 3 : 0)) {
    if (is_blank(sources.text(chunk))) continue;
    if (out.documents.size() >= budget.documents) {
      out.documents.clear();
      out.diagnostics.add(Code::document_too_large, byte_at(file, chunk.begin),
                          "the file has more than " + counted(static_cast<long long>(budget.documents), "document"));
      return out;
    }
    out.documents.emplace_back();
    out.documents.back().span = chunk;
    parse(out.documents.back(), text, budget, nodes);
  }
  return out;
}

}  // namespace muster::data
