#include "driver/review_site.h"

#include <algorithm>
#include <map>

#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/ast.h"
#include "compiler/twin/twin.h"
#include "review/documents.h"

namespace muster::driver {
namespace {

// The keys of a site and its fleet, as the language spells them: "queue.main.max-time".
std::map<std::string, std::string> keys_of(const Judge& judge) {
  std::map<std::string, std::string> out;
  if (judge.base->site() == nullptr) return out;
  const Sources none;
  Diagnostics ignored;
  const auto add = [&](ast::Block block) {
    ast::File file;
    file.blocks.push_back(std::move(block));
    for (const review::Object& object : review::objects_of("site.yaml", twin::write(file, none, twin::Form::yaml)))
      for (const review::Field& field : object.fields) {
        std::size_t at = field.path.find('.');  // of the kind of block, then of its name
        if (at != field.path.npos) at = field.path.find('.', at + 1);
        if (at == field.path.npos) continue;
        std::string key = field.path.substr(at + 1);
        std::replace(key.begin(), key.end(), '_', '-');
        out[std::move(key)] = field.value;
      }
  };
  add(sema::to_syntax(*judge.base->site(), ignored));
  if (const model::Fleet* fleet = judge.base->fleet(); fleet != nullptr) add(sema::to_syntax(*fleet, ignored));
  return out;
}

}  // namespace

std::vector<review::SiteChange> site_changes(const Judge& base, const Judge& head) {
  const auto before = keys_of(base), after = keys_of(head);
  std::map<std::string, review::SiteChange> out;
  for (const auto& [key, value] : before)
    if (const auto found = after.find(key); found == after.end() || found->second != value)
      out[key].key = {key, value, found == after.end() ? std::nullopt : std::optional(found->second)};
  for (const auto& [key, value] : after)
    if (!before.contains(key)) out[key].key = {key, std::nullopt, value};
  std::vector<review::SiteChange> list;
  for (auto& [key, change] : out) list.push_back(std::move(change));
  return list;
}

}  // namespace muster::driver
