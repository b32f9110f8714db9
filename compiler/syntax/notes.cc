#include "compiler/syntax/notes.h"

#include <algorithm>
#include <sstream>

#include "compiler/base/text.h"

namespace muster::syntax {
namespace {

std::string name_of(const ast::Setting& s) { return s.key.text; }
std::string name_of(const ast::Block& b) { return b.label ? b.kind.text + " " + b.label->text : b.kind.text; }
std::string name_of(const ast::Requirement&) { return "require"; }
std::string name_of(const ast::Preference&) { return "prefer"; }
std::string name_of(const ast::Assertion&) { return "assert"; }
std::string name_of(const ast::Conditional&) { return "when"; }

void collect(const ast::Block& block, const std::string& path, std::set<std::string>& out) {
  out.insert(path);
  for (const ast::Item& item : block.items) {
    const std::string inner = path + "." + std::visit([](const auto& i) { return name_of(i); }, item.value);
    out.insert(inner);
    if (const auto* b = std::get_if<ast::Block>(&item.value)) collect(*b, inner, out);
    if (const auto* c = std::get_if<ast::Conditional>(&item.value)) {
      collect(c->body, inner, out);
      if (c->otherwise) collect(*c->otherwise, inner, out);
    }
  }
}

// A comment holds any text but line ends, NUL and what is not UTF-8.
std::string comment_line(std::string line) {
  if (first_invalid_utf8(line))
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c >= 0 && c < 0x20 && c != '\t'; }, ' ');
  line.erase(line.find_last_not_of(" \t") + 1);
  return line.empty() ? "#" : "# " + line;
}

}  // namespace

Notes::Notes(const ast::File& file, const std::vector<Note>& notes) {
  if (notes.empty()) return;
  std::set<std::string> known;
  for (const ast::Block& block : file.blocks) collect(block, name_of(block), known);
  for (const Note& note : notes) {
    std::string path = note.path;
    while (!path.empty() && known.count(path) == 0) {
      const std::size_t dot = path.rfind('.');
      path.erase(dot == std::string::npos ? 0 : dot);
    }
    std::istringstream text(note.text);
    for (std::string line; std::getline(text, line);) lines_[path].push_back(comment_line(std::move(line)));
  }
}

std::vector<std::string> Notes::take(const std::string& path) {
  const auto found = lines_.find(path);
  if (found == lines_.end()) return {};
  std::vector<std::string> out = std::move(found->second);
  lines_.erase(found);
  return out;
}

std::vector<std::string> Notes::above(const ast::Item& item) {
  if (lines_.empty()) return {};
  return take(below(std::visit([](const auto& i) { return name_of(i); }, item.value)));
}

std::vector<std::string> Notes::above(const ast::Block& declaration) {
  return lines_.empty() ? std::vector<std::string>() : take(name_of(declaration));
}

bool Notes::inside(const ast::Block& block) const {
  if (lines_.empty()) return false;
  const std::string prefix = below(name_of(block)) + ".";
  const auto next = lines_.lower_bound(prefix);
  return next != lines_.end() && next->first.starts_with(prefix);
}

void Notes::enter(const ast::Block& block) {
  if (lines_.empty() && lengths_.empty()) return;  // never needed, or no longer: then leave() finds nothing either
  lengths_.push_back(path_.size());
  path_ = below(block.kind.text.empty() ? "when" : name_of(block));
}

void Notes::leave() {
  if (lengths_.empty()) return;
  path_.resize(lengths_.back());
  lengths_.pop_back();
}

}  // namespace muster::syntax
