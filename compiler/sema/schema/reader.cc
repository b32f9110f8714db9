#include "compiler/sema/schema/reader.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compiler/base/text.h"

namespace muster::sema {
namespace {

std::vector<std::string_view> names_in(const BlockSchema& schema) {
  std::vector<std::string_view> out;
  for (const KeySchema& key : schema.keys) out.push_back(key.name);
  for (const BlockSchema& block : schema.blocks) out.push_back(block.name);
  return out;
}

// What other tools call a key.
constexpr std::pair<std::string_view, std::string_view> elsewhere[] = {
    {"time", "time-limit"},
    {"walltime", "time-limit"},
    {"timeout", "time-limit"},
    {"partition", "queue"},
    {"mem", "memory"},
    {"gres", "gpu"},
    {"ntasks", "launch.processes"},
    {"ntasks-per-node", "launch.processes"},
    {"cpus-per-task", "cpus"},
    {"gpus-per-node", "gpus"},
    {"job-name", "title"},
    {"array", "sweep"},
    {"requeue", "retry.limit"},
    {"max-retries", "retry.limit"},
    {"dependency", "depends-on"},
    {"container", "image"},
    {"working-dir", "workdir"},
    {"environment", "env"},
};

// Reads one block; the methods share its node and the report.
class BlockReader {
 public:
  BlockReader(const ast::Block& block, const BlockSchema& schema, Diagnostics& diagnostics)
      : schema_(schema), diagnostics_(diagnostics) {
    node_.schema = &schema;
    node_.source = &block;
    node_.span = block.kind.span;
  }

  Node read() {
    label();
    for (const ast::Item& item : node_.source->items) std::visit([this](const auto& i) { add(i); }, item.value);
    required();
    return std::move(node_);
  }

 private:
  std::string title() const { return "`" + std::string(schema_.name) + "`"; }

  void label() {
    const auto& written = node_.source->label;
    if (written) {
      node_.label = written->text;
      node_.label_span = written->span;
    }
    if (schema_.label == LabelRule::required && (!written || written->text.empty()))
      diagnostics_.add(Code::bad_label, node_.span, title() + " requires a name",
                       "write `" + std::string(schema_.name) + " NAME { … }`");
    if (schema_.label == LabelRule::none && written)
      diagnostics_.add(Code::bad_label, written->span, title() + " does not take a name")
          .fixes.push_back({written->span, "", "delete it", true});
  }

  void add(const ast::Setting& setting) {
    if (setting.append)
      diagnostics_.add(Code::bad_argument, setting.key.span,
                       "`+=` extends a template's value, but no template is used here",
                       "write `" + setting.key.text + " = …`");
    const std::string name = schema_.extras.any_key ? setting.key.text : dashed(setting.key.text);
    const KeySchema* key = schema_.key(name);
    if (key == nullptr && !schema_.extras.any_key) return unknown(setting.key, name, true);
    if (const auto [first, fresh] = seen_.try_emplace("= " + name, setting.key.span); !fresh) {
      diagnostics_.add(Code::duplicate_key, setting.key.span, "`" + name + "` is set twice", "set again here")
          .labels.push_back({first->second, "first set here"});
      return;
    }
    const KeySchema open{name,
                         schema_.extras.any_type,
                         {},
                         {},
                         {},
                         false,
                         std::numeric_limits<std::int64_t>::min(),
                         schema_.extras.any_max};
    auto value = read_value(setting.value, key != nullptr ? *key : open, diagnostics_);
    if (!value) return node_.reported.push_back(name);
    node_.entries.push_back({key, name, setting.key.span, std::move(*value)});
  }

  void add(const ast::Block& block) {
    const std::string name = dashed(block.kind.text);
    const BlockSchema* schema = schema_.block(name);
    if (schema == nullptr) return unknown(block.kind, name, false);
    const bool named = schema->repeats && schema->label == LabelRule::required && block.label;
    const std::string identity = "{ " + name + (named ? " " + block.label->text : "");
    if (const auto [first, fresh] = seen_.try_emplace(identity, block.kind.span); !fresh) {
      diagnostics_
          .add(named ? Code::duplicate_name : Code::duplicate_key, block.kind.span,
               named ? "there are two `" + name + "` blocks named `" + block.label->text + "`"
                     : "`" + name + "` occurs twice",
               "again here")
          .labels.push_back({first->second, "first here"});
      return;
    }
    node_.blocks.push_back(read_block(block, *schema, diagnostics_));
  }

  void add(const ast::Requirement& r) {
    if (schema_.extras.conditions) node_.requirements.push_back(&r);
    else misplaced("require", r.span);
  }
  void add(const ast::Preference& p) {
    if (schema_.extras.conditions) node_.preferences.push_back(&p);
    else misplaced("prefer", p.span);
  }
  void add(const ast::Conditional& c) {
    if (schema_.extras.conditionals) node_.conditionals.push_back(&c);
    else misplaced("when", c.span);
  }
  void add(const ast::Assertion& a) {
    if (schema_.extras.assertions) node_.assertions.push_back(&a);
    else misplaced("assert", a.span);
  }

  // Points at the word, where the statement begins with it; in the twin it is the name of a member before it.
  void misplaced(std::string_view word, Span span) {
    span.end = std::min(span.end, span.begin + static_cast<std::uint32_t>(word.size()));
    diagnostics_.add(Code::unknown_key, span, "`" + std::string(word) + "` is not allowed in " + title());
  }

  // A key or block that the schema does not have: a block written as a key or the other way round,
  // a key of a block nearby, or a typing error.
  void unknown(const ast::Name& written, const std::string& name, bool setting) {
    const Code code = setting ? Code::unknown_key : Code::unknown_block;
    if (setting && schema_.block(name) != nullptr) {
      diagnostics_.add(code, written.span, "`" + name + "` is a block, not a key", "write `" + name + " { … }`");
      return;
    }
    if (!setting && schema_.key(name) != nullptr) {
      diagnostics_.add(code, written.span, "`" + name + "` is a key, not a block", "write `" + name + " = …`");
      return;
    }
    Diagnostic& d =
        diagnostics_.add(code, written.span, title() + " has no " + (setting ? "key" : "block") + " `" + name + "`");
    for (const BlockSchema& block : schema_.blocks)
      if (setting && block.key(name) != nullptr) {
        d.notes.push_back("`" + name + "` belongs in `" + std::string(block.name) + " { … }`");
        return;
      }
    for (const auto& [other, own] : elsewhere)
      if (name == other && schema_.name == "workload") {
        d.notes.push_back("write `" + std::string(own) + "` instead");
        return;
      }
    const auto names = names_in(schema_);
    const std::string near = closest(name, names);
    if (near.empty()) return;
    d.fixes.push_back({written.span, near, "did you mean `" + near + "`?", false});
    node_.reported.push_back(near);
  }

  void required() {
    for (const KeySchema& key : schema_.keys) {
      if (key.required && !node_.was_reported(key.name) && node_.entry(key.name) == nullptr) lacks(key);
    }
  }

  void lacks(const KeySchema& key) {
    Diagnostic& d = diagnostics_.add(Code::missing_key, node_.label_span.known() ? node_.label_span : node_.span,
                                     title() + " requires `" + std::string(key.name) + "`",
                                     "add `" + std::string(key.name) + " = …`");
    if (!key.symbols.empty()) d.notes.push_back("values are " + quoted_list(key.symbols));
  }

  const BlockSchema& schema_;
  Diagnostics& diagnostics_;
  Node node_;
  std::unordered_map<std::string, Span> seen_;  // keys and blocks so far, and where
};

}  // namespace

Node read_block(const ast::Block& block, const BlockSchema& schema, Diagnostics& diagnostics) {
  return BlockReader(block, schema, diagnostics).read();
}

const Entry* Node::entry(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.name == key) return &entry;
  return nullptr;
}

const Entry* Node::entry(model::Field field) const {
  for (const Entry& entry : entries)
    if (entry.schema != nullptr && entry.schema->field == field) return &entry;
  return nullptr;
}

const Value* Node::get(std::string_view key) const {
  const Entry* found = entry(key);
  return found == nullptr ? nullptr : &found->value;
}

bool Node::was_reported(std::string_view key) const {
  return std::find(reported.begin(), reported.end(), key) != reported.end();
}

const Node* Node::one(std::string_view name) const {
  for (const Node& block : blocks)
    if (block.schema->name == name) return &block;
  return nullptr;
}

std::vector<const Node*> Node::all(std::string_view name) const {
  std::vector<const Node*> out;
  for (const Node& block : blocks)
    if (block.schema->name == name) out.push_back(&block);
  return out;
}

model::Optional<std::string> Node::text(std::string_view key) const {
  return located(key, [](const Value& v) { return v.text; });
}

model::Optional<std::int64_t> Node::integer(std::string_view key) const {
  return located(key, [](const Value& v) { return v.low; });
}

model::Optional<bool> Node::boolean(std::string_view key) const {
  return located(key, [](const Value& v) { return v.flag; });
}

std::vector<model::Located<std::string>> Node::texts(std::string_view key) const {
  std::vector<model::Located<std::string>> out;
  if (const Value* value = get(key))
    for (const Value& element : value->list) out.push_back({element.text, element.span});
  return out;
}

}  // namespace muster::sema
