// A strict reader of RFC 8259 that keeps places.
#include <algorithm>
#include <charconv>
#include <map>
#include <string>

#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "compiler/data/read.h"
#include "compiler/data/scalar.h"
#include "compiler/data/utf8.h"

namespace muster::data {
namespace {

struct Fault {
  Code code = Code::json_syntax;
  Span where;
  std::string message;
  Span first;  // of a key that is set twice
};

std::string over_values(const Budget& budget) {
  return "the document has more than " + with_thousands(static_cast<std::int64_t>(budget.nodes)) + " values";
}

class JsonReader {
 public:
  JsonReader(std::string_view text, std::uint32_t file, const Budget& budget, const TakeItem& take, Scalars scalars)
      : text_(text), file_(file), budget_(budget), take_(take), scalars_(scalars) {}

  Node whole() {
    Node node = value(1);
    skip_space();
    if (at_ < text_.size()) fail("unexpected text after the value");
    return node;
  }

 private:
  Span span(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  [[noreturn]] void fail(std::string message, Code code = Code::json_syntax) {
    throw Fault{code, span(at_, std::min(at_ + 1, text_.size())), std::move(message), {}};
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool take(char c) {
    skip_space();
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  Node value(int depth) {
    skip_space();
    if (++nodes_ > budget_.nodes) fail(over_values(budget_), Code::document_too_large);
    const bool nests = peek() == '{' || peek() == '[';
    if (nests && depth > budget_.depth)
      fail("values are nested more than " + std::to_string(budget_.depth) + " levels deep", Code::document_too_large);
    const std::size_t begin = at_;
    Node node;
    switch (peek()) {
      case '{': object(node, depth); break;
      case '[': array(node, depth); break;
      case '"': node.kind = Node::Kind::text, node.text = string(), node.quoted = true; break;
      default: word(node);
    }
    node.span = span(begin, at_);
    return node;
  }

  void array(Node& node, int depth) {
    const bool given_away = take_ != nullptr && depth == 2 && is_items_;
    node.kind = Node::Kind::list;
    ++at_;
    if (take(']')) return;
    do {
      if (given_away) nodes_ = 0, take_(value(depth + 1));
      else node.items.push_back(value(depth + 1));
    } while (take(','));
    if (!take(']')) fail("expected `,` or `]`");
  }

  void object(Node& node, int depth) {
    node.kind = Node::Kind::map;
    ++at_;
    if (take('}')) return;
    std::map<std::string, Span, std::less<>> keys;
    do {
      skip_space();
      if (peek() != '"') fail("a key in double quotes is expected here");
      const std::size_t begin = at_;
      std::string key = string();
      const Span key_span = span(begin, at_);
      const auto [first, fresh] = keys.try_emplace(key, key_span);
      if (!fresh)
        throw Fault{Code::document_key_twice, key_span, "`" + key.substr(0, 100) + "` is set twice", first->second};
      if (!take(':')) fail("expected `:`");
      if (depth == 1) is_items_ = key == "items";
      node.members.push_back({std::move(key), key_span, value(depth + 1)});
    } while (take(','));
    if (!take('}')) fail("expected `,` or `}`");
  }

  // true, false, null or a number.
  void word(Node& node) {
    const std::size_t begin = at_;
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,:[]{}\"", at_), text_.size());
    const std::string_view word = text_.substr(begin, end - begin);
    const bool boolean = word == "true" || word == "false", null = word == "null";
    if (boolean) node.kind = Node::Kind::boolean;
    else if (!null) node.kind = number(word);
    node.text = word;
    if (scalars_ == Scalars::resolved && !boolean) {
      Scalar value = null ? Scalar{Node::Kind::null, ""} : json_number(word);
      node.kind = value.kind;
      node.text = std::move(value.value);
    }
    at_ = end;
  }

  Node::Kind number(std::string_view word) {
    const auto digits = [&](std::size_t from) {
      return std::min(word.find_first_not_of("0123456789", from), word.size());
    };
    const std::size_t sign = word.starts_with('-') ? 1 : 0, whole = digits(sign);
    if (whole == sign || (word[sign] == '0' && whole > sign + 1)) fail("expected a value");
    std::size_t end = whole;
    if (end < word.size() && word[end] == '.') end = digits(end + 1) > end + 1 ? digits(end + 1) : 0;
    if (end != 0 && end < word.size() && (word[end] == 'e' || word[end] == 'E')) {
      const std::size_t from = end + (end + 1 < word.size() && (word[end + 1] == '+' || word[end + 1] == '-') ? 2 : 1);
      end = digits(from) > from ? digits(from) : 0;
    }
    if (end != word.size()) fail("invalid number");
    return whole == word.size() ? Node::Kind::integer : Node::Kind::number;
  }

  std::string string() {
    std::string out;
    for (++at_; peek() != '"'; ++at_) {
      if (at_ >= text_.size()) fail("the string is not closed");
      if (static_cast<unsigned char>(peek()) < 0x20) fail("a string contains a control character");
      if (peek() == '\\') escape(out);
      else out += peek();
    }
    if (out.size() > budget_.text)
      fail("a string is larger than " + to_string(Size{static_cast<std::int64_t>(budget_.text)}),
           Code::document_too_large);
    ++at_;
    return out;
  }

  void escape(std::string& out) {
    static constexpr std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
    ++at_;
    if (const std::size_t i = names.find(peek()); i != std::string_view::npos && at_ < text_.size()) {
      out += values[i];
      return;
    }
    if (peek() != 'u') fail("unknown escape sequence");
    std::uint32_t c = hex4();
    if (c >= 0xD800 && c < 0xDC00 && text_.substr(at_ + 1, 2) == "\\u") {
      at_ += 2;
      const std::uint32_t low = hex4();
      if (low < 0xDC00 || low > 0xDFFF) fail("unpaired surrogate");
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    if (c >= 0xD800 && c < 0xE000) fail("unpaired surrogate");
    append_utf8(out, c);
  }

  // The four digits after the `u` at at_; leaves at_ on the last one.
  std::uint32_t hex4() {
    std::uint32_t c = 0;
    const std::string_view digits = text_.substr(std::min(at_ + 1, text_.size()), 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), c, 16);
    if (error != std::errc() || end != digits.data() + 4 || digits.size() != 4)
      fail("`\\u` must be followed by four hex digits");
    at_ += 4;
    return c;
  }

  std::string_view text_;
  std::uint32_t file_;
  const Budget& budget_;
  const TakeItem& take_;
  Scalars scalars_;
  bool is_items_ = false;  // the value of the root's key `items` is read
  std::size_t at_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace

Document read_json(const Sources& sources, std::uint32_t file, const Budget& budget, const TakeItem& take,
                   Scalars scalars) {
  Document out;
  const std::string_view text = sources.text(file);
  out.span = {file, 0, static_cast<std::uint32_t>(text.size())};
  if (text.size() > budget.bytes) {
    out.diagnostics.add(Code::document_too_large, {file, 0, 1}, "the document is too large");
  } else if (const auto bad = first_invalid_utf8(text)) {
    const auto at = static_cast<std::uint32_t>(*bad);
    out.diagnostics.add(Code::not_utf8, {file, at, at + 1}, "this byte is not valid UTF-8");
  } else {
    try {
      out.root = JsonReader(text, file, budget, take, scalars).whole();
    } catch (const Fault& fault) {
      Diagnostic& d = out.diagnostics.add(fault.code, fault.where, fault.message);
      if (fault.first.known()) d.labels.push_back({fault.first, "first set here"});
    }
  }
  return out;
}

}  // namespace muster::data
