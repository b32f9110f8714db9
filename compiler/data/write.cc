#include "compiler/data/write.h"

#include <algorithm>
#include <cstdio>
#include <functional>

#include "compiler/base/text.h"
#include "compiler/data/read.h"

namespace muster::data {
namespace {

constexpr std::size_t line_width = 100;
constexpr std::size_t longest_key = 1000;  // YAML takes 1024 bytes before a `:`, longer ones after a `?`

// Characters that end a line in YAML, or that no YAML text may hold, though they are no control bytes.
std::size_t special_length(std::string_view rest) {
  for (const std::string_view character : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xEF\xBB\xBF"})
    if (rest.starts_with(character)) return character.size();
  return rest[0] == '\x7F' || (rest.size() > 1 && rest[0] == '\xC2' && static_cast<unsigned char>(rest[1]) < 0xA0)
             ? (rest[0] == '\x7F' ? 1 : 2)
             : 0;
}

std::uint32_t decoded(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(character[i])); };
  if (character.size() == 1) return byte(0);
  if (character.size() == 2) return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
  return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
}

// In double quotes, for JSON and YAML alike.
std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  const auto escape = [&](std::uint32_t code) {
    char digits[8];
    std::snprintf(digits, sizeof digits, "\\u%04X", static_cast<unsigned>(code));
    out += digits;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\\') out.append({'\\', c});
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (c == '\r') out += "\\r";
    else if (static_cast<unsigned char>(c) < 0x20) escape(static_cast<unsigned char>(c));
    else if (const std::size_t n = special_length(text.substr(i)); n > 0)
      escape(decoded(text.substr(i, n))), i += n - 1;
    else out.push_back(c);
  }
  return out + "\"";
}

class JsonWriter {
 public:
  std::string run(const Node& root) {
    write(root, 0);
    return std::move(out_) + "\n";
  }

 private:
  void write(const Node& node, std::size_t depth) {
    if (node.is_map()) return map(node, depth);
    if (node.is_list()) return list(node, depth);
    out_ += node.kind == Node::Kind::text   ? double_quoted(node.text)
            : node.kind == Node::Kind::null ? "null"
                                            : node.text;
  }

  void line(std::size_t depth) { out_.append(1, '\n').append(2 * depth, ' '); }

  void map(const Node& node, std::size_t depth) {
    out_ += "{";
    for (const Member& member : node.members) {
      if (&member != &node.members.front()) out_ += ",";
      line(depth + 1);
      out_ += double_quoted(member.key) + ": ";
      write(member.value, depth + 1);
    }
    if (!node.members.empty()) line(depth);
    out_ += "}";
  }

  void list(const Node& node, std::size_t depth) {
    const std::size_t before = out_.size(), line_begin = out_.rfind('\n') + 1;
    if (std::all_of(node.items.begin(), node.items.end(), std::mem_fn(&Node::is_scalar))) {
      out_ += "[";
      for (std::size_t i = 0; i < node.items.size() && out_.size() - line_begin <= line_width; ++i) {
        if (i > 0) out_ += ", ";
        write(node.items[i], depth);
      }
      out_ += "]";
      if (out_.size() - line_begin <= line_width) return;
      out_.resize(before);
    }
    out_ += "[";
    for (const Node& item : node.items) {
      if (&item != &node.items.front()) out_ += ",";
      line(depth + 1);
      write(item, depth + 1);
    }
    line(depth);
    out_ += "]";
  }

  std::string out_;
};

// Whether a text can be without quotes, also between `[` and `]`.
bool is_plain(std::string_view text) {
  if (text.empty() || text.size() > line_width || plain_kind(text) != Node::Kind::text) return false;
  const auto letter = [](char c) { return is_name_start(c) || c == '/' || c == '$'; };
  if (is_digit(text[0]))  // neither dates nor 1:30
    return std::all_of(text.begin(), text.end(),
                       [&](char c) { return letter(c) || is_digit(c) || c == '.' || c == '%'; });
  if (!letter(text[0]) || text.back() == ' ' || text.back() == ':') return false;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool inner = letter(text[i]) || is_digit(text[i]) || std::string_view(".-+=<>()*%@ ").find(text[i]) < 12 ||
                       (text[i] == ':' && text[i + 1] != ' ');
    if (!inner) return false;
  }
  return true;
}

// Whether a text can be after `|`: lines of printable characters, the last one ended or not.
bool is_block(std::string_view text) {
  if (text.size() < 2 || text.find('\n') == std::string_view::npos) return false;
  if (text.back() == '\n' && text[text.size() - 2] == '\n') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || special_length(text.substr(i)) > 0) return false;
  }
  return true;
}

class YamlWriter {
 public:
  std::string run(const Node& root) {
    if (root.is_scalar()) out_ = scalar(root);
    else if (is_empty(root)) out_ = root.is_map() ? "{}" : "[]";
    else collection(root, 0);
    if (out_.empty() || out_.back() != '\n') out_ += "\n";
    return std::move(out_);
  }

 private:
  static bool is_empty(const Node& node) { return node.items.empty() && node.members.empty(); }

  void indent(std::size_t depth) { out_.append(2 * depth, ' '); }

  void comment(std::string_view text, std::size_t depth) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      indent(depth);
      out_.append("# ").append(text.substr(0, end)).append("\n");
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  std::string scalar(const Node& node) const {
    if (node.kind == Node::Kind::text) return is_plain(node.text) ? node.text : double_quoted(node.text);
    return node.kind == Node::Kind::null ? "null" : node.text;
  }

  // What is after a key or a dash, to the end of its line or lines.
  void value(const Node& node, std::size_t depth) {
    if (node.kind == Node::Kind::text && is_block(node.text)) return block(node.text, depth);
    if (node.is_scalar()) out_ += " " + scalar(node);
    else if (is_empty(node)) out_ += node.is_map() ? " {}" : " []";
    else if (node.aliased && !node.text.empty()) out_ += " *" + node.text;
    else if (!flow(node)) return out_ += (node.text.empty() ? "" : " &" + node.text) + "\n", collection(node, depth);
    out_ += "\n";
  }

  void block(std::string_view text, std::size_t depth) {
    // An indentation that the first line does not show has to be said.
    out_ += text[0] == '\n' || text[0] == ' ' || text[0] == '\t' ? " |2" : " |";
    out_ += text.back() == '\n' ? "\n" : "-\n";
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (end > 0) indent(depth);
      out_.append(text.substr(0, end)).append(text.size() > end + 1 ? "\n" : "");
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    out_ += "\n";
  }

  // A list of scalars on the line that was begun, if it fits and each is one line.
  bool flow(const Node& node) {
    const auto is_line = [](const Node& item) { return item.is_scalar() && !is_block(item.text); };
    if (!node.is_list() || !std::all_of(node.items.begin(), node.items.end(), is_line)) return false;
    const std::size_t before = out_.size(), line_begin = out_.rfind('\n') + 1;
    out_ += " [";
    for (std::size_t i = 0; i < node.items.size() && out_.size() - line_begin <= line_width; ++i)
      out_ += (i > 0 ? ", " : "") + scalar(node.items[i]);
    out_ += "]";
    if (out_.size() - line_begin <= line_width) return true;
    out_.resize(before);
    return false;
  }

  void collection(const Node& node, std::size_t depth, bool behind_dash = false) {
    for (const Node& item : node.items) {
      comment(item.comment, depth);
      if (item.is_map() && !is_empty(item) && item.text.empty()) {  // its first member is behind the dash
        comment(item.members.front().value.comment, depth);
        const std::size_t dash = out_.size() + 2 * depth;
        collection(item, depth + 1, true);
        out_[dash] = '-';
        continue;
      }
      indent(depth);
      out_ += "-";
      value(item, depth + 1);
    }
    for (const Member& member : node.members) {
      if (!behind_dash || &member != &node.members.front()) comment(member.value.comment, depth);
      indent(depth);
      const std::string key = is_plain(member.key) ? member.key : double_quoted(member.key);
      out_ += key.size() > longest_key ? "? " + key + "\n" + std::string(2 * depth, ' ') + ":" : key + ":";
      value(member.value, depth + 1);
    }
  }

  std::string out_;
};

}  // namespace

std::string to_json(const Node& root) { return JsonWriter().run(root); }

std::string to_yaml(const Node& root) { return YamlWriter().run(root); }

}  // namespace muster::data
