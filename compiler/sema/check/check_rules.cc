#include "compiler/sema/check/check_rules.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/check/rule_terms.h"

namespace muster::sema {
namespace {

using ast::Expr;
using model::FactType;
using model::FactValue;

bool sets(const model::Table& table, std::string_view output) {
  for (const model::Row& row : table.rows)
    for (const model::Assignment& set : row.sets)
      if (set.output == output) return true;
  return false;
}

class RulesChecker {
 public:
  RulesChecker(const Node& node, model::Policy below, const Sources& sources, Diagnostics& diagnostics)
      : node_(node),
        diagnostics_(diagnostics),
        policy_(std::move(below)),
        terms_(policy_, known_, sources, diagnostics) {}

  model::Policy check() {
    below_ = policy_.name;
    if (policy_.locked) {
      const auto extends = node_.texts("extends");
      report(Code::locked_item, extends.empty() ? node_.label_span : extends[0].span,
             "rules " + quoted(below_) + " are locked and cannot be extended");
      return std::move(policy_);
    }
    policy_.known_digest.clear();
    policy_.name = node_.label;
    policy_.span = node_.label_span;
    policy_.layers.push_back(node_.label);
    if (const auto version = node_.text("version")) policy_.version = version->value;
    if (const auto locked = node_.boolean("locked")) policy_.locked = locked->value;
    for (const Node* fact : node_.all("fact")) add_fact(*fact);
    for (const Node* threshold : node_.all("threshold")) add_threshold(*threshold);
    for (const Node* disable : node_.all("disable")) disable_item(*disable);
    for (const Node* table : node_.all("table")) add_table(*table);
    know(policy_.tables.size());
    for (const Node* invariant : node_.all("invariant")) add_invariant(*invariant);
    for (const Node* addon : node_.all("addon")) add_addon(*addon);
    for (const Node* waiver : node_.all("waive")) add_waiver(*waiver);
    return std::move(policy_);
  }

 private:
  void report(Code code, Span where, std::string message, std::string label = {}) {
    diagnostics_.add(code, where, std::move(message), std::move(label));
  }

  std::string lower_layer() const { return below_.empty() ? "this policy" : "rules " + quoted(below_); }

  // ---- facts and thresholds

  static std::vector<std::string> words(const Node& node) {
    std::vector<std::string> out;
    for (const auto& word : node.texts("values")) out.push_back(word.value);
    return out;
  }

  static std::optional<std::int64_t> number(const Node& node, std::string_view key) {
    const auto value = node.integer(key);
    return value ? std::optional(value->value) : std::nullopt;
  }

  // Keys that only one type has, and `min` not above `max`.
  void check_bounds(const Node& node, FactType type) {
    const auto only = [&](std::string_view key, FactType of) {
      if (const Entry* entry = node.entry(key); entry != nullptr && type != of)
        report(Code::conflict, entry->name_span,
               quoted(key) + " applies to " + std::string(noun(of)) + ", but " + quoted(node.label) + " is " +
                   std::string(noun(type)));
    };
    only("values", FactType::symbol);
    only("min", FactType::integer);
    only("max", FactType::integer);
    if (type == FactType::symbol && node.entry("values") == nullptr)
      report(Code::missing_key, node.label_span, quoted(node.label) + " is a symbol and requires `values`",
             "add `values = [ … ]`");
    const auto min = number(node, "min"), max = number(node, "max");
    if (min && max && *min > *max) report(Code::out_of_range, node.get("max")->span, "`max` is below `min`");
  }

  // Whether a fact or threshold may have this value.
  void check_value(const Node& node, FactType type, const Value& value) {
    if (type_of(value.fact) != type) {
      report(Code::wrong_type, value.span,
             quoted(node.label) + " is " + std::string(noun(type)) + ", found " + quoted(model::to_string(value.fact)));
    } else if (const auto* n = std::get_if<std::int64_t>(&value.fact)) {
      const auto min = number(node, "min"), max = number(node, "max");
      if ((min && *n < *min) || (max && *n > *max))
        report(Code::out_of_range, value.span, quoted(node.label) + " is outside its own range");
    } else if (const auto* word = std::get_if<std::string>(&value.fact)) {
      terms_.check_word(*word, words(node), node.label, value.span);
    }
  }

  void add_fact(const Node& node) {
    model::FactDeclaration fact;
    fact.name = dashed(node.label);
    fact.span = node.label_span;
    const Value* type = node.get("type");
    if (type == nullptr) return;  // reported by the reader
    fact.type = type->text == "bool" ? FactType::boolean : type->text == "int" ? FactType::integer : FactType::symbol;
    fact.values = words(node);
    fact.min = number(node, "min");
    fact.max = number(node, "max");
    check_bounds(node, fact.type);
    if (const auto unread = node.text("unread")) fact.unread = unread->value;
    if (policy_.fact(fact.name) != nullptr)
      return report(Code::duplicate_name, fact.span, quoted(fact.name) + " is already a fact of " + lower_layer());
    if (const Value* value = node.get("default")) {
      check_value(node, fact.type, *value);
      fact.fallback = value->fact;
    }
    if (const auto from = node.text("default-from")) {
      fact.default_from = dashed(from->value);
      const model::FactDeclaration* source = policy_.fact(fact.default_from);
      if (source == nullptr)
        report(Code::unknown_fact, from->span,
               "fact " + quoted(fact.default_from) + " is not declared before this one");
      else if (source->type != fact.type)
        report(Code::wrong_type, from->span,
               quoted(fact.default_from) + " is " + std::string(noun(source->type)) + ", but " + quoted(fact.name) +
                   " is " + std::string(noun(fact.type)));
      if (fact.fallback) report(Code::conflict, from->span, "`default` and `default-from` cannot be combined");
    }
    policy_.facts.push_back(std::move(fact));
  }

  void add_threshold(const Node& node) {
    const Value* value = node.get("value");
    if (value == nullptr) return;
    const auto source = node.text("source");
    const std::string name = dashed(node.label);
    for (model::Threshold& threshold : policy_.thresholds)
      if (threshold.name == name && threshold.layer != node_.label)
        return set_threshold(threshold, node, *value, source ? source->value : std::string());
    if (is_misspelt(node, name)) return;
    const FactType type = type_of(value->fact);
    check_bounds(node, type);
    if (type != FactType::symbol || node.entry("values") != nullptr) check_value(node, type, *value);
    policy_.thresholds.push_back({name, value->fact, words(node), number(node, "min"), number(node, "max"),
                                  source ? source->value : std::string(), node.label_span, node_.label});
  }

  // A layer that gives no bounds sets a threshold of a lower layer: under another name it would add one that no
  // row reads.
  bool is_misspelt(const Node& node, std::string_view name) {
    for (const char* key : {"values", "min", "max"})
      if (node.entry(key) != nullptr) return false;
    std::vector<std::string_view> known;
    for (const model::Threshold& threshold : policy_.thresholds) known.push_back(threshold.name);
    const std::string near = below_.empty() ? std::string() : closest(name, known);
    if (near.empty() || near == name) return false;
    diagnostics_
        .add(Code::unknown_name, node.label_span, lower_layer() + " do not define threshold " + quoted(node.label))
        .fixes.push_back({node.label_span, near, "did you mean `" + near + "`?", false});
    return true;
  }

  // A layer sets the value within the bounds that the layer below gave.
  void set_threshold(model::Threshold& threshold, const Node& node, const Value& value, std::string source) {
    for (const char* key : {"values", "min", "max"})
      if (const Entry* entry = node.entry(key))
        return report(
            Code::locked_item, entry->name_span,
            "the bounds of " + quoted(threshold.name) + " are set by " + lower_layer() + " and cannot change");
    if (type_of(value.fact) != type_of(threshold.value))
      return report(Code::wrong_type, value.span,
                    quoted(threshold.name) + " is " + std::string(noun(type_of(threshold.value))) + ", found " +
                        quoted(model::to_string(value.fact)));
    const auto* n = std::get_if<std::int64_t>(&value.fact);
    if (n != nullptr && ((threshold.min && *n < *threshold.min) || (threshold.max && *n > *threshold.max)))
      return report(Code::out_of_range, value.span,
                    quoted(threshold.name) + " must be between " +
                        (threshold.min ? std::to_string(*threshold.min) : "any number") + " and " +
                        (threshold.max ? std::to_string(*threshold.max) : "any number"));
    if (const auto* word = std::get_if<std::string>(&value.fact); word != nullptr && !threshold.values.empty())
      terms_.check_word(*word, threshold.values, threshold.name, value.span);
    threshold.value = value.fact;
    threshold.source = std::move(source);
    threshold.span = node.label_span;
    threshold.layer = node_.label;
  }

  // The single `when` of a row or an invariant; nullptr: reported.
  const ast::Conditional* when(const Node& node) {
    if (node.conditionals.size() > 1)
      report(Code::duplicate_key, node.conditionals[1]->condition.span,
             quoted(node.label) + " has two `when` conditions", "write a row for each");
    if (node.conditionals.empty())
      report(Code::missing_key, node.label_span, quoted(node.label) + " has no `when … { … }`",
             "write `when true { … }` for a row that always applies");
    return node.conditionals.empty() ? nullptr : node.conditionals[0];
  }

  // ---- tables

  // The outputs that conditions of the table at this place may use.
  void know(std::size_t place) {
    known_.clear();
    for (const model::FactDeclaration& fact : policy_.facts) known_.push_back({fact.name, fact.type, fact.values});
    for (std::size_t i = 0; i < place; ++i)
      for (const model::Row& row : policy_.tables[i].rows)
        for (const model::Assignment& set : row.sets)
          if (terms_.find(set.output) == nullptr)
            known_.push_back({set.output, type_of(set.value), {}, policy_.tables[i].hit == model::Hit::collect, true});
  }

  // The outputs of tables after `place`, including those that come later in this file.
  void look_ahead(std::size_t place, const Node& node) {
    terms_.later.clear();
    for (std::size_t i = place + 1; i < policy_.tables.size(); ++i)
      for (const model::Row& row : policy_.tables[i].rows)
        for (const model::Assignment& set : row.sets) terms_.later.emplace_back(set.output, policy_.tables[i].name);
    bool below = false;
    for (const Node* table : node_.all("table")) {
      if (below)
        for (const Node* row : table->all("row"))
          for (const ast::Conditional* conditional : row->conditionals)
            for (const ast::Item& item : conditional->body.items)
              if (const auto* set = std::get_if<ast::Setting>(&item.value))
                terms_.later.emplace_back(dashed(set->key.text), table->label);
      below = below || table == &node;
    }
  }

  void add_table(const Node& node) {
    const Value* word = node.get("hit");
    if (word == nullptr) return;
    const model::Hit hit = word->text == "unique"  ? model::Hit::unique
                           : word->text == "first" ? model::Hit::first
                                                   : model::Hit::collect;
    const std::string name = dashed(node.label);
    std::size_t place = 0;
    while (place < policy_.tables.size() && policy_.tables[place].name != name) ++place;
    if (place == policy_.tables.size()) policy_.tables.push_back({name, hit, {}, node.label_span});
    else if (policy_.tables[place].hit != hit)
      return report(Code::conflict, word->span, "table " + quoted(name) + " has a different `hit` in " + lower_layer());
    know(place);
    look_ahead(place, node);
    for (const Node* row : node.all("row")) add_row(*row, place);
  }

  void add_row(const Node& node, std::size_t place) {
    model::Row row;
    row.id = node.label;
    row.span = node.label_span;
    row.layer = node_.label;
    if (const auto reason = node.text("reason")) row.reason = reason->value;
    if (const auto cite = node.text("cite")) row.cite = cite->value;
    if (const auto locked = node.boolean("locked")) row.locked = locked->value;
    if (const ast::Conditional* conditional = when(node)) {
      row.when = terms_.terms(conditional->condition);
      for (const ast::Item& item : conditional->body.items) {
        if (const auto* setting = std::get_if<ast::Setting>(&item.value)) assign(*setting, place, row);
        else
          report(Code::unknown_key, conditional->span,
                 "the `when` block of a row can only contain outputs, `name = value`");
      }
    }
    for (const model::Assignment& set : row.sets) check_output(set, place, row.span);
    put(std::move(row), place);
  }

  // Adds a row, or replaces the row of a lower layer with the same id.
  void put(model::Row row, std::size_t place) {
    for (std::size_t i = 0; i < policy_.tables.size(); ++i)
      for (model::Row& other : policy_.tables[i].rows) {
        if (other.id != row.id) continue;
        if (other.layer == row.layer || i != place) {
          Diagnostic& d = diagnostics_.add(Code::duplicate_name, row.span, "two rows are named " + quoted(row.id));
          if (other.span.known()) d.labels.push_back({other.span, "first defined here"});
        } else if (other.locked) {
          report(Code::locked_item, row.span, "row " + quoted(row.id) + " of " + lower_layer() + " is locked");
        } else {
          other = std::move(row);
        }
        return;
      }
    policy_.tables[place].rows.push_back(std::move(row));
  }

  void assign(const ast::Setting& setting, std::size_t place, model::Row& row) {
    model::Assignment set{dashed(setting.key.text), {}, false};
    for (const model::Assignment& other : row.sets)
      if (other.output == set.output)
        return report(Code::duplicate_key, setting.key.span, quoted(set.output) + " is set twice");
    if (policy_.fact(set.output) != nullptr)
      return report(Code::duplicate_name, setting.key.span,
                    quoted(set.output) + " is a fact; rows can only set outputs");
    const Expr* value = &setting.value;
    if (value->kind == Expr::Kind::call) {
      if (!is_prepend(*value, set.output, policy_.tables[place])) return;
      value = &value->operands[0];
      set.prepend = true;
    }
    if (auto written = terms_.constant(*value)) {
      set.value = std::move(written->value);
      set.threshold = std::move(written->threshold);
      row.sets.push_back(std::move(set));
    }
  }

  // `concat("TEXT", output)`, where `output` is the one that is set and an earlier table has set it too.
  bool is_prepend(const Expr& call, const std::string& output, const model::Table& table) {
    const auto& args = call.operands;
    const bool shaped = call.text == "concat" && args.size() == 2 && args[0].kind == Expr::Kind::text &&
                        args[1].kind == Expr::Kind::path && dashed(args[1].text) == output;
    if (!shaped) {
      report(Code::wrong_type, call.span,
             "an output must be a constant or `concat(\"TEXT\", " + output + ")`, found " + describe(call));
    } else if (table.hit != model::Hit::first) {
      report(Code::conflict, call.span, "`concat` is only allowed in tables with `hit = first`");
    } else if (terms_.find(output) == nullptr) {
      report(Code::unknown_fact, args[1].span, quoted(output) + " is not set by an earlier table");
    } else {
      return true;
    }
    return false;
  }

  // An output has one type and kind in all rows and tables.
  void check_output(const model::Assignment& set, std::size_t place, Span where) {
    const model::Table& table = policy_.tables[place];
    for (const model::Row& row : table.rows)
      for (const model::Assignment& other : row.sets)
        if (other.output == set.output && type_of(other.value) != type_of(set.value))
          return report(Code::wrong_type, where,
                        quoted(set.output) + " is " + std::string(noun(type_of(other.value))) + " in another row");
    const Known* known = terms_.find(set.output);
    const bool collected = table.hit == model::Hit::collect;
    if (known != nullptr && (known->type != type_of(set.value) || known->collected != collected))
      report(Code::conflict, table.span.known() ? table.span : where,
             quoted(set.output) + " has a different type or `hit` in an earlier table");
    for (std::size_t i = place + 1; i < policy_.tables.size(); ++i)
      if ((policy_.tables[i].hit == model::Hit::collect) != collected && sets(policy_.tables[i], set.output))
        report(Code::conflict, where, quoted(set.output) + " has a different `hit` in a later table");
  }

  // ---- invariants

  void add_invariant(const Node& node) {
    const ast::Conditional* conditional = when(node);
    if (conditional == nullptr) return;
    model::Invariant invariant;
    invariant.id = node.label;
    invariant.span = node.label_span;
    invariant.layer = node_.label;
    if (const auto locked = node.boolean("locked")) invariant.locked = locked->value;
    invariant.when = terms_.terms(conditional->condition);
    const auto& items = conditional->body.items;
    const auto* assertion = items.size() == 1 ? std::get_if<ast::Assertion>(&items[0].value) : nullptr;
    if (assertion == nullptr)
      return report(Code::missing_key, conditional->span,
                    "the `when` block of an invariant must contain exactly one `assert TERM, \"…\"`");
    auto then = terms_.term(assertion->condition);
    if (!then) return;
    invariant.then = std::move(*then);
    for (const ast::Expr& variable : assertion->message.operands)
      report(Code::unknown_variable, variable.span,
             "the message of an invariant cannot contain `${…}`; rules have no parameters");
    invariant.text = assertion->message.text;
    for (const model::Invariant& other : policy_.invariants)
      if (other.id == invariant.id)
        return report(other.locked ? Code::locked_item : Code::duplicate_name, invariant.span,
                      "invariant " + quoted(invariant.id) + " already exists in " + lower_layer() +
                          (other.locked ? " and is locked" : "; use another id and disable the existing one"));
    policy_.invariants.push_back(std::move(invariant));
  }

  // ---- edits, add-ons and waivers

  std::string date_of(const Node& node) {
    const auto expires = node.text("expires");
    if (expires && !is_date(expires->value))
      report(Code::bad_date, expires->span, "invalid date " + quoted(expires->value) + "; expected YYYY-MM-DD");
    return expires ? expires->value : std::string();
  }

  static std::string text_of(const Node& node, std::string_view key) {
    const auto text = node.text(key);
    return text ? text->value : std::string();
  }

  void disable_item(const Node& node) {
    model::Disabled item{node.label,  text_of(node, "reason"), text_of(node, "owner"), date_of(node),
                         node_.label, node.label_span};
    const auto same = [&](const auto& other) { return other.id == item.id; };
    bool found = false, locked = false;
    const auto take_from = [&](auto& items) {
      const auto at = std::find_if(items.begin(), items.end(), same);
      if (at == items.end()) return;
      found = true;
      locked = at->locked;
      if (!locked) items.erase(at);
    };
    for (model::Table& table : policy_.tables) take_from(table.rows);
    take_from(policy_.invariants);
    if (locked)
      report(Code::locked_item, item.span,
             quoted(item.id) + " of " + lower_layer() + " is locked and cannot be disabled");
    else if (!found) unknown_item(item);
    else policy_.disabled.push_back(std::move(item));
  }

  void unknown_item(const model::Disabled& item) {
    std::vector<std::string_view> ids;
    for (const model::Table& table : policy_.tables)
      for (const model::Row& row : table.rows) ids.push_back(row.id);
    for (const model::Invariant& invariant : policy_.invariants) ids.push_back(invariant.id);
    Diagnostic& d = diagnostics_.add(Code::unknown_name, item.span,
                                     "no row or invariant of a lower layer is named " + quoted(item.id));
    const std::string near = closest(item.id, ids);
    if (!near.empty()) d.fixes.push_back({item.span, near, "did you mean " + quoted(near) + "?", false});
  }

  void add_addon(const Node& node) {
    model::Addon addon{node.label,     {}, text_of(node, "needs"), text_of(node, "versions"), text_of(node, "source"),
                       node.label_span};
    for (const auto& requirement : node.texts("satisfies")) addon.satisfies.push_back(requirement.value);
    for (model::Addon& other : policy_.addons)
      if (other.name == addon.name) {
        other = std::move(addon);
        return;
      }
    policy_.addons.push_back(std::move(addon));
  }

  void add_waiver(const Node& node) {
    policy_.waivers.push_back({node.label, text_of(node, "subject"), text_of(node, "reason"), text_of(node, "owner"),
                               date_of(node), node_.label, node.label_span});
  }

  const Node& node_;
  Diagnostics& diagnostics_;
  model::Policy policy_;
  std::string below_;  // the name of the layer below; "" for none
  std::vector<Known> known_;
  TermReader terms_;
};

}  // namespace

model::Policy apply_rules(const Node& node, model::Policy below, const Sources& sources, Diagnostics& diagnostics) {
  return RulesChecker(node, std::move(below), sources, diagnostics).check();
}

}  // namespace muster::sema
