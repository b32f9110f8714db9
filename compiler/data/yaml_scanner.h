// The tokens of a YAML document, as the reader of the tools of Kubernetes finds them (go.yaml.in/yaml/v2, whose scanner
// is libyaml's): a file must be to muster what it is to `kubectl`, so the two agree on every character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace muster::data {

struct Mark {
  std::size_t at = 0;         // in bytes
  std::size_t character = 0;  // the same in characters
  int line = 0;
  int column = 0;  // in characters
};

struct Token {
  enum class Kind : std::uint8_t {
    end,
    version,
    tag_directive,
    document_start,
    document_end,
    block_list,
    block_map,
    block_end,
    flow_list,
    flow_list_end,
    flow_map,
    flow_map_end,
    block_entry,
    flow_entry,
    key,
    value,
    alias,
    anchor,
    tag,
    scalar
  };
  Kind kind = Kind::end;
  Mark begin;
  Mark end;              // of a block scalar: behind its last character, without the line end
  std::string text{};    // of a scalar: decoded; of an alias or anchor: its name; of a tag: its handle; of a version
  std::string suffix{};  // of a tag, or the prefix of a tag directive
  bool plain = false;    // of a scalar: it has no quotes and no `|` or `>`
};

// Why the text is not YAML; thrown and caught within this room.
struct YamlFault {
  std::size_t at = 0;
  std::string message;
};

class YamlScanner {
 public:
  // The text is valid UTF-8 without characters that YAML forbids.
  explicit YamlScanner(std::string_view text) : text_(text) {
    if (text.starts_with("\xEF\xBB\xBF")) mark_.at = 3;
  }
  const Token& peek();
  Token take();

 private:
  struct SimpleKey {
    bool possible = false;
    bool required = false;
    std::size_t token = 0;
    Mark mark;
  };
  // What was read of a scalar over several lines: how its line ends become blanks.
  struct Folding {
    std::string first, more, blanks;
    bool line_ended = false;
    void into(std::string& out);
  };

  [[noreturn]] void fail(std::string message) const;
  char ahead(std::size_t by = 0) const { return mark_.at + by < text_.size() ? text_[mark_.at + by] : '\0'; }
  bool ends(std::size_t by = 0) const { return mark_.at + by >= text_.size(); }
  std::size_t line_end(std::size_t by = 0) const;  // length of the line end that is here; 0: none
  bool blank(std::size_t by = 0) const { return ahead(by) == ' ' || ahead(by) == '\t'; }
  bool break_or_end(std::size_t by = 0) const { return ends(by) || line_end(by) > 0; }
  bool blank_or_end(std::size_t by = 0) const { return blank(by) || break_or_end(by); }
  bool at_document_mark() const;
  void skip();
  void skip_line();
  void read(std::string& out);
  void read_line(std::string& out);
  void skip_comment();
  void skip_blanks();

  void fetch();
  void to_next_token();
  bool is_valid(SimpleKey& key);
  void save_simple_key();
  void remove_simple_key();
  bool needs_more();
  void roll_indent(int column, Token::Kind kind, const Mark& mark, std::size_t before);
  void unroll_indent(int column);
  void add(Token token) { queue_.push_back(std::move(token)); }
  void mark_of(Token::Kind kind, std::size_t length);
  void document_mark(Token::Kind kind);
  void flow_begin(Token::Kind kind);
  void flow_end(Token::Kind kind);
  void block_entry();
  void key();
  void value();
  void directive();
  void name(Token::Kind kind);
  void tag();
  std::string tag_handle(bool directive);
  std::string tag_uri(std::string_view head);
  void uri_escape(std::string& out);
  bool starts_plain() const;
  void plain_scalar();
  void quoted_scalar(char quote);
  void escape(std::string& out);
  void spaces_between(Folding& folding, int least_column);
  void block_scalar(bool literal);
  void block_breaks(int& indent, std::string& breaks);

  std::string_view text_;
  Mark mark_;
  std::deque<Token> queue_;
  std::size_t taken_ = 0;
  bool ended_ = false;
  int flow_ = 0;
  int indent_ = -1;
  std::vector<int> indents_;
  std::vector<SimpleKey> keys_{1};
  bool key_allowed_ = true;
};

}  // namespace muster::data
