#include "driver/lint_anchors.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "lint/proposed.h"
#include "targets/kubernetes/read/field.h"

namespace muster::driver {
namespace {

namespace k8s = targets::kubernetes;

class Anchors {
 public:
  Anchors(const Sources& sources, std::vector<lint::Suppression>& out) : sources_(sources), out_(out) {}

  // The parser's limits bound the depth.
  void read(const ast::Block& block, const std::string& chain) {
    blocks_.emplace_back(block.span, chain);
    for (const ast::Item& item : block.items) {
      if (const auto* inner = std::get_if<ast::Block>(&item.value)) {
        if (inner->kind.text == "allow") allow(*inner, chain);
        else read(*inner, chain + " " + inner->kind.text + " " + (inner->label ? inner->label->text : ""));
      } else if (const auto* when = std::get_if<ast::Conditional>(&item.value)) {
        const std::string condition(sources_.text(when->condition.span));
        read(when->body, chain + " when " + condition);
        if (when->otherwise) read(*when->otherwise, chain + " unless " + condition);
      } else if (const auto* setting = std::get_if<ast::Setting>(&item.value)) {
        if (setting->key.text == "object") annotation(*setting, chain);
      }
    }
  }

  // The innermost block around a place.
  std::string around(Span place) const {
    const std::pair<Span, std::string>* found = nullptr;
    for (const auto& block : blocks_) {
      const bool inside = block.first.begin <= place.begin && place.begin < block.first.end;
      if (inside && (found == nullptr || block.first.begin >= found->first.begin)) found = &block;
    }
    return found == nullptr ? std::string() : found->second;
  }

 private:
  void allow(const ast::Block& block, const std::string& chain) {
    const lint::Rule* rule = block.label ? lint::find_rule(block.label->text) : nullptr;
    if (rule == nullptr) return;
    lint::Suppression out{
        static_cast<lint::RuleId>(rule - lint::all_rules().data()), block.label->span, {}, {}, "", "", false};
    out.anchor = chain + " allow";
    for (const ast::Item& item : block.items) {
      const auto* setting = std::get_if<ast::Setting>(&item.value);
      if (setting == nullptr) continue;
      const bool plain = setting->value.kind == ast::Expr::Kind::text && setting->value.operands.empty();
      if (setting->key.text == "reason" && plain) out.reason = setting->value.text;
      if (setting->key.text != "until") continue;
      if (plain) out.until = setting->value.text;
      else out.anchor += " until " + std::string(sources_.text(setting->value.span));
    }
    out_.push_back(std::move(out));
  }

  // Of `object = …`: what of its YAML may say that findings stay. What a computed one says is not known here.
  void annotation(const ast::Setting& setting, const std::string& chain) {
    const ast::Expr& value = setting.value;
    const bool plain = value.kind == ast::Expr::Kind::text || value.kind == ast::Expr::Kind::heredoc;
    lint::Suppressions read;
    if (!plain || !value.operands.empty()) read.items.push_back({lint::every_rule, value.span, {}, {}, "", "", false});
    else if (value.text.find(lint::allow_annotation) != std::string::npos)
      lint::read_annotation(words_of(value.text), value.span, {}, "", sources_, read);
    for (lint::Suppression& s : read.items) {
      if (s.rule != lint::every_rule) s.anchor = chain + " object annotation";
      out_.push_back(std::move(s));
    }
  }

  static std::string words_of(const std::string& yaml) {
    Sources patch;
    const data::Documents read = data::read_yaml(patch, patch.add("patch", yaml));
    if (read.documents.size() != 1 || !read.documents[0].root.is_map()) return {};
    return std::string(
        k8s::root_field(read.documents[0].root).at("metadata.annotations").get(lint::allow_annotation).text());
  }

  const Sources& sources_;
  std::vector<lint::Suppression>& out_;
  std::vector<std::pair<Span, std::string>> blocks_;
};

}  // namespace

std::vector<lint::Suppression> anchored(const ast::File& file, const Sources& sources) {
  std::vector<lint::Suppression> out = lint::read_comments(sources, file.file, lint::Input::muster).items;
  const std::size_t comments = out.size();
  Anchors anchors(sources, out);
  for (const ast::Template& t : file.templates) anchors.read(t.body, "template " + t.name.text);
  for (const ast::Block& block : file.blocks)
    anchors.read(block, block.kind.text + " " + (block.label ? block.label->text : ""));
  for (std::size_t i = 0; i < comments; ++i)
    if (out[i].anchor != "file") out[i].anchor = anchors.around(out[i].where) + " " + out[i].anchor;
  return out;
}

void mark_as(const std::vector<lint::Suppression>& marked, std::vector<lint::Suppression>& items) {
  for (lint::Suppression& s : items)
    for (const lint::Suppression& m : marked) {
      const bool inside = s.where.file == m.where.file && s.where.begin >= m.where.begin && s.where.begin < m.where.end;
      if (!inside || (m.rule != s.rule && m.rule != lint::every_rule)) continue;
      s.proposed = m.proposed;
      if (m.rule == s.rule) s.until = m.until;
    }
}

}  // namespace muster::driver
