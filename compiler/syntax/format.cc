#include "compiler/syntax/format.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/syntax/notes.h"
#include "compiler/syntax/places.h"
#include "compiler/syntax/spelling.h"

namespace muster::syntax {
namespace {

using ast::Expr;

// A line of a body that may be aligned with its neighbours: `head` is padded, `rest` follows.
struct Row {
  bool labelled = false;  // `mount data { … }`: aligned among themselves
  std::string head;
  std::string rest;
  std::string comment;
};

// Walks the tree once, with the comments beside it: each is written when the walk passes its place.
class Formatter {
 public:
  Formatter(const ast::File& file, const Sources& sources, const std::vector<Note>& notes)
      : file_(file), spelling_(sources), places_(sources, file.file), notes_(file, notes) {}

  std::string run() {
    for (const std::string& line : notes_.homeless()) own_line(line);
    force_blank_ = !out_.empty();
    const std::vector<Declaration> all = declarations();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0 && apart(all[i - 1], all[i])) force_blank_ = true;
      const std::uint32_t limit = i + 1 < all.size() ? begin(all[i + 1]) : nowhere;
      std::visit([&](const auto* d) { declare(*d, limit); }, all[i]);
    }
    if (!all.empty() && has_body(all.back())) force_blank_ = true;
    comments_before(nowhere);
    return std::move(out_);
  }

 private:
  using Declaration = std::variant<const ast::Import*, const ast::Signature*, const ast::Binding*, const ast::Template*,
                                   const ast::Block*>;

  static std::uint32_t begin(const Declaration& d) {
    return std::visit([](const auto* declared) { return declared->span.begin; }, d);
  }

  // In the order of the file; what no file holds stays as the tree has it.
  std::vector<Declaration> declarations() const {
    std::vector<Declaration> out;
    const auto add = [&](const auto& list) {
      for (const auto& declared : list) out.emplace_back(&declared);
    };
    add(file_.imports), add(file_.parameters), add(file_.bindings), add(file_.templates), add(file_.blocks);
    std::stable_sort(out.begin(), out.end(),
                     [](const Declaration& a, const Declaration& b) { return begin(a) < begin(b); });
    return out;
  }

  static bool has_body(const Declaration& d) { return d.index() >= 3; }

  // Blocks and templates stand by themselves, imports in a group of their own.
  static bool apart(const Declaration& a, const Declaration& b) {
    return has_body(a) || has_body(b) || (a.index() == 0) != (b.index() == 0);
  }

  // ---- lines ---------------------------------------------------------------------------------

  bool at_line_start() const { return out_.empty() || out_.back() == '\n'; }

  void put(std::string_view text) {
    if (at_line_start()) {
      text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
      out_.append(2 * depth_, ' ');
    }
    out_ += text;
  }

  void end_line() {
    if (!at_line_start()) out_.push_back('\n');
  }

  std::size_t column() const {
    if (at_line_start()) return 2 * depth_;
    const std::string_view tail = std::string_view(out_).substr(out_.size() - std::min(out_.size(), 4 * line_width));
    const std::size_t line = tail.rfind('\n');  // a line that began before the tail is over its width anyway
    return columns(line == std::string_view::npos ? tail : tail.substr(line + 1));
  }

  // A blank line where the source has one, or one is due; none after an opening bracket.
  void blank_line(std::uint32_t begin) {
    const bool due = force_blank_ || (last_end_ != nowhere && places_.blank_line(last_end_, begin));
    if (due && !out_.empty()) {
      flush();
      out_.push_back('\n');
    }
    force_blank_ = false;
  }

  // ---- comments ------------------------------------------------------------------------------

  const Span* pending() const { return next_ < file_.comments.size() ? &file_.comments[next_] : nullptr; }

  std::string take_comment() {
    last_end_ = pending()->end;
    return std::string(places_.comment(file_.comments[next_++]));
  }

  bool comment_before(std::uint32_t end) const { return pending() != nullptr && pending()->begin < end; }

  void own_line(std::string_view text) {
    flush();
    end_line();
    put(text);
    out_.push_back('\n');
  }

  void comments_before(std::uint32_t begin) {
    while (comment_before(begin)) {
      flush();
      end_line();
      blank_line(pending()->begin);
      own_line(take_comment());
    }
  }

  void leading(std::uint32_t begin) {
    comments_before(begin);
    blank_line(begin);
  }
  template <class T>
  void leading(std::uint32_t begin, const T& item) {
    leading(begin);
    for (const std::string& line : notes_.above(item)) own_line(line);
  }

  // The comment that belongs to what ends at `end`: one inside it that had no place, or one that
  // follows on its line and before `limit`.
  std::optional<std::string> trailing(std::uint32_t end, std::uint32_t limit) {
    last_end_ = end;
    if (end == nowhere || !comment_before(limit)) return std::nullopt;
    if (pending()->begin > end && places_.line_break(end, pending()->begin)) return std::nullopt;
    std::string text = take_comment();
    last_end_ = std::max(last_end_, end);
    return text;
  }

  // Ends a line that out_ holds, with the comment that belongs to it.
  void finish_line(std::uint32_t end, std::uint32_t limit) {
    if (const auto comment = trailing(end, limit)) {
      if (at_line_start()) put(*comment);  // after a heredoc
      else out_ += "  " + *comment;
    }
    end_line();
  }

  // ---- rows ----------------------------------------------------------------------------------

  void add_row(bool labelled, std::size_t head, const std::string& line, std::optional<std::string> comment) {
    run_.push_back({labelled, line.substr(0, head), line.substr(head + 1), std::move(comment).value_or("")});
  }

  // Writes the rows gathered so far: heads aligned, then the comments of neighbouring lines.
  void flush() {
    std::vector<std::string> lines;
    for (std::size_t i = 0, j = 0; i < run_.size(); i = j) {
      std::size_t width = 0;
      for (j = i; j < run_.size() && run_[j].labelled == run_[i].labelled; ++j)
        width = std::max(width, columns(run_[j].head));
      for (std::size_t k = i; k < j; ++k)
        lines.push_back(run_[k].head + std::string(width + 1 - columns(run_[k].head), ' ') + run_[k].rest);
    }
    for (std::size_t i = 0, j = 0; i < run_.size(); i = j) {
      std::size_t width = 0;
      for (j = i; j < run_.size() && !run_[j].comment.empty(); ++j) width = std::max(width, columns(lines[j]));
      for (std::size_t k = i; k < j; ++k) lines[k] += std::string(width + 2 - columns(lines[k]), ' ') + run_[k].comment;
      j = std::max(j, i + 1);
    }
    run_.clear();
    for (const std::string& line : lines) {
      put(line);
      out_.push_back('\n');
    }
  }

  // ---- declarations and items ----------------------------------------------------------------

  std::string head(const ast::Block& block) const {
    return spelling_.name(block.kind) + (block.label ? " " + spelling_.name(*block.label) : "");
  }

  void declare(const ast::Block& block, std::uint32_t limit) {
    leading(block.span.begin, block);
    std::string line = head(block) + " ";
    if (block.span.known() && !block.from && one_line(block) && flat(block.items, line)) {
      put(line);
    } else {
      put(head(block));
      if (block.from) instance(*block.from);
      if (!block.from || !block.items.empty() || comment_before(places_.end(block))) {
        put(" ");
        body(block);
      }
    }
    finish_line(places_.end(block), limit);
  }

  void declare(const ast::Import& import, std::uint32_t limit) {
    leading(import.span.begin);
    put("import " + spelling_.name(import.path) + " as " + import.alias.text);
    finish_line(places_.end(import.span), limit);
  }

  void declare(const ast::Signature& parameter, std::uint32_t limit) {
    leading(parameter.span.begin);
    put("param ");
    signature(parameter);
    finish_declaration(places_.end(parameter), limit);
  }

  void declare(const ast::Binding& binding, std::uint32_t limit) {
    leading(binding.span.begin);
    put("let " + binding.name.text + " = ");
    expression(binding.value);
    finish_declaration(places_.end(binding.value), limit);
  }

  // A comment after a heredoc would be read as that of the next declaration: it goes there at once.
  void finish_declaration(std::uint32_t end, std::uint32_t limit) {
    if (at_line_start()) last_end_ = end;
    else finish_line(end, limit);
  }

  void declare(const ast::Template& t, std::uint32_t limit) {
    leading(t.span.begin);
    put("template " + t.name.text);
    const std::uint32_t brace = places_.brace(t.body), bracket = places_.bracket(t.name);
    rows("(", ")", t.parameters, bracket, brace, [this](const ast::Signature& s) { signature(s); });
    put(" ");
    body(t.body);
    finish_line(places_.end(t.span), limit);
  }

  void signature(const ast::Signature& s) {
    put(s.name.text + ": " + s.type.name.text + (s.type.element.empty() ? "" : "(" + s.type.element + ")"));
    if (s.range) put(" in "), expression(*s.range);
    if (s.fallback) put(" = "), expression(*s.fallback);
  }

  void instance(const ast::Instance& i) {
    put(" from " + (i.module ? i.module->text + "." : "") + i.base.text);
    rows("(", ")", i.arguments, places_.bracket(i.base), places_.end(i.span), [this](const ast::Argument& a) {
      put(a.name.text + " = ");
      expression(a.value);
    });
  }

  std::uint32_t begin_of(const ast::Signature& s) const { return s.span.begin; }
  std::uint32_t begin_of(const ast::Argument& a) const { return a.name.span.begin; }
  std::uint32_t end_of(const ast::Signature& s) const { return places_.end(s); }
  std::uint32_t end_of(const ast::Argument& a) const { return places_.end(a.value); }

  // Parameters or arguments: on one line where they were and fit, else one a line.
  template <class T, class Write>
  void rows(const char* opener, const char* closer, const std::vector<T>& items, std::uint32_t bracket,
            std::uint32_t end, Write write) {
    const bool commented = comment_before(end);
    if (items.empty() && !commented) return put(std::string(opener) + closer);
    const bool split = !items.empty() && bracket != nowhere && places_.line_break(bracket, begin_of(items[0]));
    if (!commented && !split && written_flat(opener, closer, items, write)) return;
    put(opener);
    open(bracket, items.empty() ? end : begin_of(items[0]));
    for (std::size_t i = 0; i < items.size(); ++i) {
      leading(begin_of(items[i]));
      write(items[i]);
      const bool after_heredoc = at_line_start();
      put(",");
      if (after_heredoc) end_line();
      finish_line(end_of(items[i]), i + 1 < items.size() ? begin_of(items[i + 1]) : end);
    }
    comments_before(end);
    --depth_;
    put(closer);
  }

  // Tries the line; where it comes to several or is too long, nothing is written.
  template <class T, class Write>
  bool written_flat(const char* opener, const char* closer, const std::vector<T>& items, Write write) {
    const std::size_t start = out_.size();
    put(opener);
    for (const T& item : items) {
      if (&item != items.data()) put(", ");
      write(item);
    }
    put(closer);
    const bool fits = out_.find('\n', start) == std::string::npos && column() + 2 <= line_width;
    if (!fits) out_.resize(start);
    return fits;
  }

  void item(const ast::Item& item, std::uint32_t limit) {
    const std::uint32_t end = places_.end(item);
    const auto* block = std::get_if<ast::Block>(&item.value);
    std::string line;
    const bool fits = one_line(item) && flat(item, line) && 2 * depth_ + columns(line) <= line_width;
    if (const auto* setting = std::get_if<ast::Setting>(&item.value)) {
      if (!fits) line = apart(*setting);
      if (line.find('\n') == std::string::npos)
        return add_row(false, spelling_.name(setting->key).size(), line, trailing(end, limit));
      flush();
      out_ += line;
    } else if (fits && block != nullptr) {
      return add_row(block->label.has_value(), head(*block).size(), line, trailing(end, limit));
    } else {
      flush();
      if (fits) put(line);
      else std::visit([this](const auto& i) { write(i); }, item.value);
    }
    finish_line(end, limit);
  }

  static std::string sign(const ast::Setting& s) { return s.append ? " += " : " = "; }

  // A setting written by itself: one line without its indentation (a row after all), or several with it.
  std::string apart(const ast::Setting& s) {
    std::string before = std::exchange(out_, {});
    std::vector<Row> rows = std::exchange(run_, {});
    write(s);
    std::string text = std::exchange(out_, std::move(before));
    run_ = std::move(rows);
    if (text.find('\n') == std::string::npos) text.erase(0, 2 * depth_);
    return text;
  }

  void write(const ast::Setting& s) {
    put(spelling_.name(s.key) + sign(s));
    expression(s.value);
  }
  void write(const ast::Block& b) {
    put(head(b) + " ");
    body(b);
  }
  void write(const ast::Requirement& r) {
    put("require ");
    expression(r.condition);
  }
  void write(const ast::Preference& p) {
    put("prefer ");
    expression(p.condition);
    if (!p.weight.empty()) put(" " + p.weight_word.text + " " + p.weight);
  }
  void write(const ast::Assertion& a) {
    put("assert ");
    expression(a.condition);
    put(", " + spelling_.name(a.message));
  }
  void write(const ast::Conditional& c) {
    put("when ");
    expression(c.condition);
    put(" ");
    body(c.body);
    if (!c.otherwise) return;
    put(" else ");
    body(*c.otherwise);
  }

  void body(const ast::Block& block) {
    const std::uint32_t brace = places_.brace(block), close = places_.close(block.span);
    const std::uint32_t first = block.items.empty() ? close : places_.begin(block.items[0]);
    if (block.items.empty() && !comment_before(close)) return put("{}");
    put("{");
    open(brace, first);
    notes_.enter(block);
    for (std::size_t i = 0; i < block.items.size(); ++i) {
      const std::uint32_t begin = places_.begin(block.items[i]);
      leading(begin, block.items[i]);
      item(block.items[i], i + 1 < block.items.size() ? places_.begin(block.items[i + 1]) : close);
    }
    comments_before(close);
    flush();
    notes_.leave();
    --depth_;
    put("}");
  }

  // The line of an opening bracket ends; a comment that stands there stays there.
  void open(std::uint32_t bracket, std::uint32_t first) {
    finish_line(bracket, first);
    last_end_ = nowhere;
    ++depth_;
  }

  // ---- on one line ---------------------------------------------------------------------------

  // Whether what is written as an item may be one line: no comment or note in it, and one line before.
  bool one_line(const ast::Item& item) const {
    if (const auto* b = std::get_if<ast::Block>(&item.value)) return one_line(*b);
    if (const auto* c = std::get_if<ast::Conditional>(&item.value))
      if (places_.spans_lines(c->span)) return false;
    return !comment_before(places_.end(item));
  }
  bool one_line(const ast::Block& b) const {
    return (b.items.empty() || written_short(b)) && !comment_before(places_.end(b)) && !notes_.inside(b);
  }
  // As the user has it; of a block that no file holds, where it has no more than one block in it.
  bool written_short(const ast::Block& b) const {
    if (b.span.known()) return !places_.spans_lines(b.span);
    const auto is_block = [](const ast::Item& item) { return std::holds_alternative<ast::Block>(item.value); };
    return std::count_if(b.items.begin(), b.items.end(), is_block) <= 1;
  }

  // Appends an item on one line; false where it cannot be.
  bool flat(const ast::Item& item, std::string& out) const {
    return std::visit([&](const auto& i) { return flat(i, out); }, item.value);
  }
  bool flat(const ast::Setting& s, std::string& out) const {
    out += spelling_.name(s.key) + sign(s);
    return spelling_.flat(s.value, out);
  }
  bool flat(const ast::Block& b, std::string& out) const {
    out += head(b) + " ";
    return flat(b.items, out);
  }
  bool flat(const ast::Requirement& r, std::string& out) const {
    out += "require ";
    return spelling_.flat(r.condition, out);
  }
  bool flat(const ast::Preference& p, std::string& out) const {
    out += "prefer ";
    if (!spelling_.flat(p.condition, out)) return false;
    if (!p.weight.empty()) out += " " + p.weight_word.text + " " + p.weight;
    return true;
  }
  bool flat(const ast::Assertion& a, std::string& out) const {
    out += "assert ";
    if (!spelling_.flat(a.condition, out)) return false;
    out += ", " + spelling_.name(a.message);
    return true;
  }
  bool flat(const ast::Conditional& c, std::string& out) const {
    out += "when ";
    if (!spelling_.flat(c.condition, out)) return false;
    out += " ";
    if (!flat(c.body.items, out)) return false;
    if (!c.otherwise) return true;
    out += " else ";
    return flat(c.otherwise->items, out);
  }
  bool flat(const std::vector<ast::Item>& items, std::string& out) const {
    if (items.empty()) return out += "{}", true;
    out += "{ ";
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += "  ";
      if (out.size() > 4 * line_width || !flat(items[i], out)) return false;
    }
    out += " }";
    return columns(out) <= line_width;
  }

  // ---- expressions ---------------------------------------------------------------------------

  static bool is_chain(const Expr& e) {
    return e.kind == Expr::Kind::operation && (e.op == ast::Op::logical_and || e.op == ast::Op::logical_or);
  }

  // Whether the next comment would be written inside the expression: in a list, or between the
  // operands of a chain. Elsewhere it has no place, and goes after the line.
  bool holds_comment(const Expr& e) const {
    if (!comment_before(places_.end(e))) return false;
    const Expr* node = &e;
    for (; node->kind == Expr::Kind::operation && !is_chain(*node); node = &node->operands[0])
      for (std::size_t i = 1; i < node->operands.size(); ++i)
        if (holds_comment(node->operands[i])) return true;
    if (is_chain(*node))
      return comment_before(places_.begin(node->operands.back())) || holds_comment(node->operands.back());
    const bool sequence = node->kind == Expr::Kind::list || node->kind == Expr::Kind::call;
    return sequence && comment_before(places_.close(node->span));
  }

  // On this line if it fits, else broken at its lists and at `and` and `or`.
  void expression(const Expr& e, bool parentheses = false) {
    std::string line = parentheses && !e.grouped ? "(" : "";
    bool fits = !holds_comment(e) && spelling_.flat(e, line);
    if (parentheses && !e.grouped) line.push_back(')');
    fits = fits && column() + columns(line) < line_width;
    if (fits) return put(line);
    parentheses = parentheses || e.grouped;
    if (parentheses) put("(");
    broken(e);
    if (parentheses) put(")");
  }

  void broken(const Expr& e) {
    switch (e.kind) {
      case Expr::Kind::heredoc: return heredoc(e);
      case Expr::Kind::list: return sequence(e, "[", "]");
      case Expr::Kind::call: return sequence(e, e.text + "(", ")");
      case Expr::Kind::operation: return operation(e);
      case Expr::Kind::choice: return choice(e);
      default: {
        std::string word;
        spelling_.leaf(e, word);
        put(word);
      }
    }
  }

  void heredoc(const Expr& e) {
    put("<<<" + e.tag + "\n");
    const std::string indent(2 * depth_, ' ');
    for (std::string_view rest = e.text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
      if (rest[0] != '\n') out_ += indent;  // an empty line is exempt, and so has no blanks at its end
      out_ += rest.substr(0, end);
      rest.remove_prefix(end);
    }
    out_ += indent + ">>>\n";
  }

  // One element a line.
  void sequence(const Expr& e, const std::string& opener, const char* closer) {
    const std::uint32_t close = places_.close(e.span);
    put(opener);
    if (e.operands.empty() && !comment_before(close)) return put(closer);
    open(e.span.known() ? e.span.begin : nowhere, e.operands.empty() ? close : places_.begin(e.operands[0]));
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      const std::uint32_t begin = places_.begin(e.operands[i]);
      comments_before(begin);
      blank_line(begin);
      expression(e.operands[i]);
      const bool after_heredoc = at_line_start();
      put(",");
      if (after_heredoc) end_line();
      finish_line(places_.end(e.operands[i]), i + 1 < e.operands.size() ? places_.begin(e.operands[i + 1]) : close);
    }
    comments_before(close);
    --depth_;
    put(closer);
  }

  void operation(const Expr& e) {
    if (e.op == ast::Op::logical_not || e.op == ast::Op::negate) {
      put(e.op == ast::Op::negate ? "-" : "not ");
      return expression(e.operands[0], in_parentheses(e.operands[0], e, true));
    }
    if (is_chain(e)) return chain(e);
    std::vector<const Expr*> spine = {&e};  // see Spelling::operation
    while (true) {
      const Expr& first = spine.back()->operands[0];
      const bool parentheses = in_parentheses(first, *spine.back(), true);
      const bool inner = first.kind == Expr::Kind::operation && first.operands.size() == 2 && !is_chain(first);
      if (!inner) expression(first, parentheses);
      if (!inner) break;
      if (parentheses) put("(");
      spine.push_back(&first);
    }
    while (!spine.empty()) {
      const Expr& node = *spine.back();
      spine.pop_back();
      put(joint(node.op));
      expression(node.operands[1], in_parentheses(node.operands[1], node, false));
      if (!spine.empty() && in_parentheses(node, *spine.back(), true)) put(")");
    }
  }

  void choice(const Expr& e) {
    put("if ");
    expression(e.operands[0]);
    put(" then ");
    expression(e.operands[1]);
    put(" else ");
    expression(e.operands[2]);
  }

  // One operand a line, the word before it.
  void chain(const Expr& e) {
    expression(e.operands[0], in_parentheses(e.operands[0], e, true));
    depth_ += 2;
    for (std::size_t i = 1; i < e.operands.size(); ++i) {
      const std::uint32_t begin = places_.begin(e.operands[i]);
      finish_line(places_.end(e.operands[i - 1]), begin);
      comments_before(begin);
      put(std::string(ast::spelling(e.op)) + " ");
      expression(e.operands[i], in_parentheses(e.operands[i], e, false));
    }
    depth_ -= 2;
  }

  const ast::File& file_;
  Spelling spelling_;
  Places places_;
  Notes notes_;
  std::string out_;
  std::vector<Row> run_;
  std::size_t depth_ = 0;
  std::size_t next_ = 0;              // the first comment not written yet
  std::uint32_t last_end_ = nowhere;  // where in the source the last thing written ended
  bool force_blank_ = false;
};

}  // namespace

std::string format(const ast::File& file, const Sources& sources, const std::vector<Note>& notes) {
  return Formatter(file, sources, notes).run();
}

std::string format(std::vector<ast::Block> blocks, const std::vector<Note>& notes) {
  ast::File file;
  file.blocks = std::move(blocks);
  return Formatter(file, Sources(), notes).run();
}

}  // namespace muster::syntax
