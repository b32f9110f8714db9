#include "driver/lint_allows.h"

#include <algorithm>
#include <string_view>

#include "compiler/model/module.h"

namespace muster::driver {
namespace {

// The `allow` blocks in a block; the parser's limits bound the depth.
class Reader {
 public:
  Reader(bool elsewhere, lint::Suppressions& out) : elsewhere_(elsewhere), out_(out) {}

  void read(const ast::Block& block, Span scope) {
    for (const ast::Item& item : block.items) {
      if (const auto* inner = std::get_if<ast::Block>(&item.value)) {
        if (inner->kind.text == "allow") allow(*inner, scope);
        else read(*inner, inner->span);
      } else if (const auto* when = std::get_if<ast::Conditional>(&item.value)) {
        read(when->body, when->span);
        if (when->otherwise) read(*when->otherwise, when->span);
      }
    }
  }

 private:
  // One whose reason or end is to be computed is for the workloads that are made with it.
  void allow(const ast::Block& block, Span scope) {
    if (!block.label) return;
    model::Allow allow;
    allow.code = block.label->text;
    allow.span = block.label->span;
    for (const ast::Item& item : block.items) {
      const auto* setting = std::get_if<ast::Setting>(&item.value);
      if (setting == nullptr || setting->value.kind != ast::Expr::Kind::text || !setting->value.operands.empty())
        return;
      const model::Located<std::string> value{setting->value.text, setting->value.span};
      if (setting->key.text == "reason") allow.reason = value;
      if (setting->key.text == "until") allow.until = value;
    }
    lint::read_allow(allow, scope, elsewhere_, out_);
  }

  bool elsewhere_;
  lint::Suppressions& out_;
};

bool lies_in(Span place, const std::vector<Span>& spans) {
  return std::any_of(spans.begin(), spans.end(),
                     [&](Span s) { return place.file == s.file && place.begin >= s.begin && place.begin < s.end; });
}

bool is_unused(const lint::Result& result) { return lint::is_of(result.finding, lint::RuleId::unused_suppression); }

}  // namespace

void read_placed_allows(const ast::File& file, bool elsewhere, lint::Suppressions& out) {
  for (const ast::Template& t : file.templates) Reader(elsewhere, out).read(t.body, t.span);
  for (const ast::Block& block : file.blocks) {
    const bool shared = block.kind.text == "fleet" || block.kind.text == "site";
    Reader(elsewhere || shared, out).read(block, block.span);
  }
}

std::vector<Span> offered_templates(const ast::File& file) {
  std::vector<Span> out;
  for (const ast::Template& t : file.templates) {
    const auto makes = [&](const ast::Block& block) {
      return block.from && !block.from->module && block.from->base.text == t.name.text;
    };
    if (std::none_of(file.blocks.begin(), file.blocks.end(), makes)) out.push_back(t.span);
  }
  return out;
}

void keep_in_templates(const std::vector<Span>& templates, std::vector<lint::Result>& results) {
  for (lint::Result& r : results)
    if (is_unused(r) && r.finding.fix && lies_in(r.finding.primary, templates)) r.finding.fix->safe = false;
}

void NeededAllows::add(const LintedSpec& spec, const Sources& sources) {
  for (const lint::Suppression& s : spec.suppressions.items)
    if (s.used && s.where.known() && s.where.file != spec.file)
      used_.emplace(sources.name(s.where.file), s.where.begin);
  for (const std::uint32_t file : spec.imported) imported_.insert(sources.name(file));
  offered_[spec.file] = spec.offered;
}

bool NeededAllows::needed(Span where, const Sources& sources) const {
  const std::string& name = sources.name(where.file);
  if (used_.contains({name, where.begin})) return true;
  const auto offered = offered_.find(where.file);
  return offered != offered_.end() && lies_in(where, offered->second) && !imported_.contains(name);
}

void NeededAllows::withdraw(std::vector<lint::Result>& results, const Sources& sources) const {
  std::erase_if(results, [&](const lint::Result& r) {
    return is_unused(r) && r.finding.primary.known() && needed(r.finding.primary, sources);
  });
}

}  // namespace muster::driver
