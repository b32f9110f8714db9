#include "compiler/syntax/format.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/syntax/notes.h"
#include "compiler/syntax/page.h"
#include "compiler/syntax/places.h"
#include "compiler/syntax/spelling.h"

namespace muster::syntax {
namespace {

using ast::Expr;

// Walks the tree once, with the comments beside it: each is written when the walk passes its place.
class Formatter {
 public:
  Formatter(const ast::File& file, const Sources& sources, const std::vector<Note>& notes)
      : file_(file), spelling_(sources), places_(sources, file.file), notes_(file, notes), page_(file, places_) {}

  std::string run() {
    for (const std::string& line : notes_.homeless()) page_.own_line(line);
    page_.force_blank = !page_.out.empty();
    const std::vector<Declaration> all = declarations();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0 && apart(all[i - 1], all[i])) page_.force_blank = true;
      const std::uint32_t limit = i + 1 < all.size() ? begin(all[i + 1]) : nowhere;
      std::visit([&](const auto* d) { declare(*d, limit); }, all[i]);
    }
    if (!all.empty() && has_body(all.back())) page_.force_blank = true;
    page_.comments_before(nowhere);
    return std::move(page_.out);
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

  // Blocks and templates are by themselves, imports in a group of their own.
  static bool apart(const Declaration& a, const Declaration& b) {
    return has_body(a) || has_body(b) || (a.index() == 0) != (b.index() == 0);
  }

  template <class T>
  void leading(std::uint32_t begin, const T& item) {
    page_.leading(begin);
    for (const std::string& line : notes_.above(item)) page_.own_line(line);
  }

  // ---- declarations and items ----------------------------------------------------------------

  std::string head(const ast::Block& block) const {
    return spelling_.name(block.kind) + (block.label ? " " + spelling_.name(*block.label) : "");
  }

  void declare(const ast::Block& block, std::uint32_t limit) {
    leading(block.span.begin, block);
    std::string line = head(block) + " ";
    if (block.span.known() && !block.from && one_line(block) && flat(block.items, line)) {
      page_.put(line);
    } else {
      page_.put(head(block));
      if (block.from) instance(*block.from);
      if (!block.from || !block.items.empty() || page_.comment_before(places_.end(block))) {
        page_.put(" ");
        body(block);
      }
    }
    page_.finish_line(places_.end(block), limit);
  }

  void declare(const ast::Import& import, std::uint32_t limit) {
    page_.leading(import.span.begin);
    page_.put("import " + spelling_.name(import.path) + " as " + import.alias.text);
    page_.finish_line(places_.end(import.span), limit);
  }

  void declare(const ast::Signature& parameter, std::uint32_t limit) {
    page_.leading(parameter.span.begin);
    page_.put("param ");
    signature(parameter);
    finish_declaration(places_.end(parameter), limit);
  }

  void declare(const ast::Binding& binding, std::uint32_t limit) {
    page_.leading(binding.span.begin);
    page_.put("let " + binding.name.text + " = ");
    expression(binding.value);
    finish_declaration(places_.end(binding.value), limit);
  }

  // A comment after a heredoc would be read as that of the next declaration: it goes there at once.
  void finish_declaration(std::uint32_t end, std::uint32_t limit) {
    if (page_.at_line_start()) page_.last_end = end;
    else page_.finish_line(end, limit);
  }

  void declare(const ast::Template& t, std::uint32_t limit) {
    page_.leading(t.span.begin);
    page_.put("template " + t.name.text);
    const std::uint32_t brace = places_.brace(t.body), bracket = places_.bracket(t.name);
    rows("(", ")", t.parameters, bracket, brace, [this](const ast::Signature& s) { signature(s); });
    page_.put(" ");
    body(t.body);
    page_.finish_line(places_.end(t.span), limit);
  }

  void signature(const ast::Signature& s) {
    page_.put(s.name.text + ": " + s.type.name.text + (s.type.element.empty() ? "" : "(" + s.type.element + ")"));
    if (s.range) page_.put(" in "), expression(*s.range);
    if (s.fallback) page_.put(" = "), expression(*s.fallback);
  }

  void instance(const ast::Instance& i) {
    page_.put(" from " + (i.module ? i.module->text + "." : "") + i.base.text);
    rows("(", ")", i.arguments, places_.bracket(i.base), places_.end(i.span), [this](const ast::Argument& a) {
      page_.put(a.name.text + " = ");
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
    const bool commented = page_.comment_before(end);
    if (items.empty() && !commented) return page_.put(std::string(opener) + closer);
    const bool split = !items.empty() && bracket != nowhere && places_.line_break(bracket, begin_of(items[0]));
    if (!commented && !split && written_flat(opener, closer, items, write)) return;
    page_.put(opener);
    page_.open(bracket, items.empty() ? end : begin_of(items[0]));
    for (std::size_t i = 0; i < items.size(); ++i) {
      page_.leading(begin_of(items[i]));
      write(items[i]);
      const bool after_heredoc = page_.at_line_start();
      page_.put(",");
      if (after_heredoc) page_.end_line();
      page_.finish_line(end_of(items[i]), i + 1 < items.size() ? begin_of(items[i + 1]) : end);
    }
    page_.comments_before(end);
    --page_.depth;
    page_.put(closer);
  }

  // Tries the line; where it comes to several or is too long, nothing is written.
  template <class T, class Write>
  bool written_flat(const char* opener, const char* closer, const std::vector<T>& items, Write write) {
    const std::size_t start = page_.out.size();
    page_.put(opener);
    for (const T& item : items) {
      if (&item != items.data()) page_.put(", ");
      write(item);
    }
    page_.put(closer);
    const bool fits = page_.out.find('\n', start) == std::string::npos && page_.column() + 2 <= line_width;
    if (!fits) page_.out.resize(start);
    return fits;
  }

  void item(const ast::Item& item, std::uint32_t limit) {
    const std::uint32_t end = places_.end(item);
    const auto* block = std::get_if<ast::Block>(&item.value);
    std::string line;
    const bool fits = one_line(item) && flat(item, line) && 2 * page_.depth + columns(line) <= line_width;
    if (const auto* setting = std::get_if<ast::Setting>(&item.value)) {
      if (!fits) line = apart(*setting);
      if (line.find('\n') == std::string::npos)
        return page_.add_row(false, spelling_.name(setting->key).size(), line, page_.trailing(end, limit));
      page_.flush();
      page_.out += line;
    } else if (fits && block != nullptr) {
      return page_.add_row(block->label.has_value(), head(*block).size(), line, page_.trailing(end, limit));
    } else {
      page_.flush();
      if (fits) page_.put(line);
      else std::visit([this](const auto& i) { write(i); }, item.value);
    }
    page_.finish_line(end, limit);
  }

  static std::string assignment_of(const ast::Setting& s) { return s.append ? " += " : " = "; }

  // A setting written by itself: one line without its indentation (a row after all), or several with it.
  std::string apart(const ast::Setting& s) {
    std::string before = std::exchange(page_.out, {});
    std::vector<Row> rows = std::exchange(page_.rows, {});
    write(s);
    std::string text = std::exchange(page_.out, std::move(before));
    page_.rows = std::move(rows);
    if (text.find('\n') == std::string::npos) text.erase(0, 2 * page_.depth);
    return text;
  }

  void write(const ast::Setting& s) {
    page_.put(spelling_.name(s.key) + assignment_of(s));
    expression(s.value);
  }
  void write(const ast::Block& b) {
    page_.put(head(b) + " ");
    body(b);
  }
  void write(const ast::Requirement& r) {
    page_.put("require ");
    expression(r.condition);
  }
  void write(const ast::Preference& p) {
    page_.put("prefer ");
    expression(p.condition);
    if (!p.weight.empty()) page_.put(" " + p.weight_word.text + " " + p.weight);
  }
  void write(const ast::Assertion& a) {
    page_.put("assert ");
    expression(a.condition);
    page_.put(", ");
    expression(a.message);
  }
  void write(const ast::Conditional& c) {
    page_.put("when ");
    expression(c.condition);
    page_.put(" ");
    body(c.body);
    if (!c.otherwise) return;
    page_.put(" else ");
    body(*c.otherwise);
  }

  void body(const ast::Block& block) {
    const std::uint32_t brace = places_.brace(block), close = places_.close(block.span);
    const std::uint32_t first = block.items.empty() ? close : places_.begin(block.items[0]);
    if (block.items.empty() && !page_.comment_before(close)) return page_.put("{}");
    page_.put("{");
    page_.open(brace, first);
    notes_.enter(block);
    for (std::size_t i = 0; i < block.items.size(); ++i) {
      const std::uint32_t begin = places_.begin(block.items[i]);
      leading(begin, block.items[i]);
      item(block.items[i], i + 1 < block.items.size() ? places_.begin(block.items[i + 1]) : close);
    }
    page_.comments_before(close);
    page_.flush();
    notes_.leave();
    --page_.depth;
    page_.put("}");
  }

  // ---- on one line ---------------------------------------------------------------------------

  // Whether what is written as an item may be one line: no comment or note in it, and one line before.
  bool one_line(const ast::Item& item) const {
    if (const auto* b = std::get_if<ast::Block>(&item.value)) return one_line(*b);
    if (const auto* c = std::get_if<ast::Conditional>(&item.value))
      if (places_.spans_lines(c->span)) return false;
    return !page_.comment_before(places_.end(item));
  }
  bool one_line(const ast::Block& b) const {
    return (b.items.empty() || written_short(b)) && !page_.comment_before(places_.end(b)) && !notes_.inside(b);
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
    out += spelling_.name(s.key) + assignment_of(s);
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
    out += ", ";
    return spelling_.flat(a.message, out);
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
    if (!page_.comment_before(places_.end(e))) return false;
    const Expr* node = &e;
    for (; node->kind == Expr::Kind::operation && !is_chain(*node); node = &node->operands[0])
      for (std::size_t i = 1; i < node->operands.size(); ++i)
        if (holds_comment(node->operands[i])) return true;
    if (is_chain(*node))
      return page_.comment_before(places_.begin(node->operands.back())) || holds_comment(node->operands.back());
    const bool sequence = node->kind == Expr::Kind::list || node->kind == Expr::Kind::call;
    return sequence && page_.comment_before(places_.close(node->span));
  }

  // On this line if it fits, else broken at its lists and at `and` and `or`.
  void expression(const Expr& e, bool parentheses = false) {
    std::string line = parentheses && !e.grouped ? "(" : "";
    bool fits = !holds_comment(e) && spelling_.flat(e, line);
    if (parentheses && !e.grouped) line.push_back(')');
    fits = fits && page_.column() + columns(line) < line_width;
    if (fits) return page_.put(line);
    parentheses = parentheses || e.grouped;
    if (parentheses) page_.put("(");
    broken(e);
    if (parentheses) page_.put(")");
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
        page_.put(word);
      }
    }
  }

  void heredoc(const Expr& e) {
    page_.put("<<<" + e.tag + "\n");
    const std::string indent(2 * page_.depth, ' ');
    for (std::string_view rest = e.text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
      if (rest[0] != '\n') page_.out += indent;  // an empty line is exempt, and so has no blanks at its end
      page_.out += rest.substr(0, end);
      rest.remove_prefix(end);
    }
    page_.out += indent + ">>>\n";
  }

  // One element a line.
  void sequence(const Expr& e, const std::string& opener, const char* closer) {
    const std::uint32_t close = places_.close(e.span);
    page_.put(opener);
    if (e.operands.empty() && !page_.comment_before(close)) return page_.put(closer);
    page_.open(e.span.known() ? e.span.begin : nowhere, e.operands.empty() ? close : places_.begin(e.operands[0]));
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      const std::uint32_t begin = places_.begin(e.operands[i]);
      page_.comments_before(begin);
      page_.blank_line(begin);
      expression(e.operands[i]);
      const bool after_heredoc = page_.at_line_start();
      page_.put(",");
      if (after_heredoc) page_.end_line();
      page_.finish_line(places_.end(e.operands[i]),
                        i + 1 < e.operands.size() ? places_.begin(e.operands[i + 1]) : close);
    }
    page_.comments_before(close);
    --page_.depth;
    page_.put(closer);
  }

  void operation(const Expr& e) {
    if (e.op == ast::Op::logical_not || e.op == ast::Op::negate) {
      page_.put(e.op == ast::Op::negate ? "-" : "not ");
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
      if (parentheses) page_.put("(");
      spine.push_back(&first);
    }
    while (!spine.empty()) {
      const Expr& node = *spine.back();
      spine.pop_back();
      page_.put(joint(node.op));
      expression(node.operands[1], in_parentheses(node.operands[1], node, false));
      if (!spine.empty() && in_parentheses(node, *spine.back(), true)) page_.put(")");
    }
  }

  void choice(const Expr& e) {
    page_.put("if ");
    expression(e.operands[0]);
    page_.put(" then ");
    expression(e.operands[1]);
    page_.put(" else ");
    expression(e.operands[2]);
  }

  // One operand a line, the word before it.
  void chain(const Expr& e) {
    expression(e.operands[0], in_parentheses(e.operands[0], e, true));
    page_.depth += 2;
    for (std::size_t i = 1; i < e.operands.size(); ++i) {
      const std::uint32_t begin = places_.begin(e.operands[i]);
      page_.finish_line(places_.end(e.operands[i - 1]), begin);
      page_.comments_before(begin);
      page_.put(std::string(ast::spelling(e.op)) + " ");
      expression(e.operands[i], in_parentheses(e.operands[i], e, false));
    }
    page_.depth -= 2;
  }

  const ast::File& file_;
  Spelling spelling_;
  Places places_;
  Notes notes_;
  Page page_;
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
