// `workload NAME { … }` to model::Workload.
#include <algorithm>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/check/builders.h"
#include "compiler/sema/check/conditions.h"
#include "compiler/sema/check/read_members.h"
#include "compiler/sema/check/validate.h"
#include "compiler/sema/schema/inherit.h"

namespace muster::sema {
namespace {

using model::Field;
using model::Located;

// A resource key from `resources { }` or its short form on the workload; both is an error.
const Entry* resource(const Node& node, Field field, Diagnostics& diagnostics) {
  const Node* block = node.one("resources");
  const Entry* inner = block != nullptr ? block->entry(field) : nullptr;
  const Entry* outer = node.entry(field);
  if (inner != nullptr && outer != nullptr)
    diagnostics
        .add(Code::duplicate_key, outer->name_span, "`" + outer->name + "` is set twice",
             "short for " + std::string(model::name(field)))
        .labels.push_back({inner->name_span, "also set here"});
  return inner != nullptr ? inner : outer;
}

// `gpu = H100:8` says how many, too; a model alone means one, where no part of one is asked for.
void count_gpus(const Value& gpu, model::Resources& out, Diagnostics& diagnostics) {
  if (gpu.low > 0 && out.gpus && out.gpus->value != gpu.low)
    diagnostics
        .add(Code::conflict, gpu.span,
             "`gpu` requests " + std::to_string(gpu.low) + " GPUs per node, but `gpus` requests " +
                 std::to_string(out.gpus->value))
        .labels.push_back({out.gpus->span, "`gpus` is set here"});
  if (gpu.low > 0) out.gpus = {gpu.low, gpu.span};
  else if (!out.gpus && !out.part_of_gpu()) out.gpus = {1, gpu.span};
}

model::Resources build_resources(const Node& node, Diagnostics& diagnostics) {
  model::Resources out;
  const Value* gpu = nullptr;
  model::each_member<model::Resources>([&](Field field, auto member) {
    const Entry* entry = resource(node, field, diagnostics);
    if (entry == nullptr) return;
    take(entry->value, *entry->schema, out.*member);
    if (field == Field::resources_gpu) gpu = &entry->value;
  });
  if (gpu != nullptr) count_gpus(*gpu, out, diagnostics);
  return out;
}

model::Mount build_mount(const Node& node) {
  auto out = read_members<model::Mount>(node);
  out.name = node.label;
  out.span = node.label_span;
  return out;
}

// `served`: the workload says which server it is, whose command is known, or people work in it. An image has a program
// of its own.
model::Optional<model::Program> build_program(const Node& node, bool served, Diagnostics& diagnostics) {
  const Value* command = node.get("command");
  const Value* script = node.get("script");
  if (command != nullptr && script != nullptr) {
    diagnostics
        .add(Code::conflict, node.entry("script")->name_span,
             "a " + std::string(node.schema->name) + " cannot have both `command` and `script`", "the script")
        .labels.push_back({node.entry("command")->name_span, "the command"});
    return std::nullopt;
  }
  if (script != nullptr) return {{script_of(*script), script->span}};
  if (command == nullptr) {
    const bool runs = served || node.get("image") != nullptr;
    if (!runs && !node.was_reported("command") && !node.was_reported("script") && !node.was_reported("image"))
      diagnostics
          .add(Code::missing_key, node.label_span,
               "the " + std::string(node.schema->name) + " has neither `command` nor `script`", "nothing to run")
          .notes.push_back("with an `image` and neither of them, the image's own entrypoint runs");
    return std::nullopt;
  }
  model::Argv argv;
  for (const Value& word : command->list) argv.push_back({word.text, word.references});
  if (argv.empty() || argv[0] == model::Text())
    diagnostics.add(Code::out_of_range, command->span, "the command is empty");
  return {{std::move(argv), command->span}};
}

model::Optional<model::Code> build_code(const Node& node, Diagnostics& diagnostics) {
  const Value* path = node.get("code");
  const Node* block = node.one("code");
  const Node* git = block != nullptr ? block->one("git") : nullptr;
  if (path != nullptr && block != nullptr)
    diagnostics.add(Code::conflict, block->span, "`code` cannot be both a folder and a repository")
        .labels.push_back({node.entry("code")->name_span, "the folder"});
  if (block != nullptr && git == nullptr)
    diagnostics.add(Code::missing_key, block->span, "`code` requires `git { … }`");
  if (git != nullptr) return {{read_members<model::Git>(*git), git->span}};
  if (path == nullptr) return std::nullopt;
  return {{path->text, path->span}};
}

model::Optional<model::Software> build_workload_software(const Node& node, Diagnostics& diagnostics) {
  const Value* name = node.get("software");
  const Node* block = node.one("software");
  if (name != nullptr && block != nullptr)
    diagnostics.add(Code::conflict, block->span, "`software` cannot be both a name and a block")
        .labels.push_back({node.entry("software")->name_span, "the name"});
  if (block != nullptr) return {{build_software(*block), block->span}};
  if (name == nullptr) return std::nullopt;
  return {{name->text, name->span}};
}

void build_conditions(const Node& node, const Sources& sources, model::Role& role, Diagnostics& diagnostics) {
  for (const ast::Requirement* r : node.requirements)
    if (auto predicate = read_predicate(r->condition, sources, diagnostics))
      role.requires_.push_back(std::move(*predicate));
  for (const ast::Preference* p : node.preferences) {
    model::Preference out;
    if (!p->weight.empty()) {
      ast::Expr number;
      number.text = p->weight;
      number.span = p->span;
      if (p->weight_word.text != "weight")
        diagnostics.add(Code::syntax, p->weight_word.span, "expected `weight`, found `" + p->weight_word.text + "`")
            .fixes.push_back({p->weight_word.span, "weight", "", false});
      const KeySchema weight{"weight", Type::integer, {}, {}, {}, false, 1, 1'000'000};
      if (const auto value = read_value(number, weight, diagnostics)) out.weight = value->low;
    }
    if (auto predicate = read_predicate(p->condition, sources, diagnostics)) {
      out.predicate = std::move(*predicate);
      role.prefers.push_back(std::move(out));
    }
  }
}

model::Role build_role(const Node& node, bool served, const Sources& sources, Diagnostics& diagnostics) {
  auto role = read_members<model::Role>(node);
  role.program = build_program(node, served, diagnostics);
  role.code = build_code(node, diagnostics);
  role.software = build_workload_software(node, diagnostics);
  role.env = build_env(node.one("env"));
  for (const Node* mount : node.all("mount")) role.mounts.push_back(build_mount(*mount));
  role.resources = build_resources(node, diagnostics);
  if (const Node* l = node.one("launch")) read_members(*l, role.launch);
  build_conditions(node, sources, role, diagnostics);
  if (const Node* t = node.one("topology")) {
    role.topology = read_members<model::Topology>(*t);
    role.topology->span = t->span;
  }
  build_needs(node, role, diagnostics);
  return role;
}

// Each role and option has a copy of what the workload says.
constexpr std::size_t most_shapes = 64;
constexpr std::size_t most_inherited = 200'000;  // items, over all copies

std::size_t items_in(const ast::Block& block) {
  std::size_t out = block.items.size();
  for (const ast::Item& item : block.items)
    if (const auto* inner = std::get_if<ast::Block>(&item.value)) out += items_in(*inner);
  return out;
}

// Whether so many blocks of the kind can have what the workload says. Reports otherwise.
bool can_inherit(const Node& node, std::string_view kind, const ast::Block& from, Diagnostics& diagnostics) {
  if (!few_enough(node, {kind}, most_shapes, diagnostics)) return false;
  const auto blocks = node.all(kind);
  if (blocks.size() * items_in(from) <= most_inherited) return true;
  diagnostics.add(Code::out_of_range, blocks.front()->span,
                  std::to_string(blocks.size()) + " `" + std::string(kind) + "` blocks copy " +
                      std::to_string(items_in(from)) +
                      " items of the workload each; the limit is 200000 items in total");
  return false;
}

bool has_program(const Node& node) { return node.get("command") != nullptr || node.get("script") != nullptr; }

// Of the roles of a Ray cluster one has the program, which the head runs; the others are machines for its actors.
bool is_for_actors(const Node& role, const Node& workload) {
  const Node* launch = role.one("launch");
  const Value* runner = launch != nullptr ? launch->get("runner") : nullptr;
  if (runner == nullptr || runner->text != "ray" || has_program(role)) return false;
  const auto roles = workload.all("role");
  return std::any_of(roles.begin(), roles.end(), [](const Node* other) { return has_program(*other); });
}

// One role a `role` block, with what the workload says for all of them; else the implicit one.
void build_roles(const Node& node, const Sources& sources, model::Workload& w, Diagnostics& diagnostics) {
  const Node* serve = node.one("serve");
  const bool applications = serve != nullptr && serve->get("config") != nullptr;  // of Ray Serve
  const bool served =
      applications || (serve != nullptr && serve->get("engine") != nullptr) || node.one("dev") != nullptr;
  const BlockSchema& schema = *node.schema->block("role");
  ast::Block shared = *node.source;
  without_blocks(shared, "depends-on");  // of the workload: it names workloads, not roles
  without_blocks(shared, "role");
  const bool can = can_inherit(node, "role", shared, diagnostics);
  const auto blocks = can ? node.all("role") : std::vector<const Node*>{};
  for (const Node* role : blocks) {
    const ast::Block whole = inherit(shared, *role->source, schema, diagnostics);
    const Node merged = read_block(whole, schema, diagnostics);
    w.roles.push_back(build_role(merged, served || is_for_actors(merged, node), sources, diagnostics));
    model::Role& out = w.roles.back();
    out.name = role->label;
    out.span = role->label_span;
    check_name(out.name, out.span, "role", diagnostics);
    for (const Node* d : merged.all("depends-on")) {
      out.depends_on.push_back(read_members<model::RoleStart>(*d));
      out.depends_on.back().role = d->label;
      out.depends_on.back().span = d->label_span;
    }
  }
  share_nodes(blocks, w, diagnostics);
  if (w.roles.empty()) w.roles.push_back(build_role(node, served, sources, diagnostics));
}

model::Retry build_retry(const Node& node) {
  model::Retry out;
  out.span = node.span;
  out.on = {{model::RetryOn::node_failure, {}}, {model::RetryOn::preemption, {}}};
  read_members(node, out);
  if (const Value* v = node.get("limit")) out.limit = {v->text.empty() ? v->low : model::Retry::unlimited, v->span};
  return out;
}

model::Sweep build_sweep(const Node& node, Diagnostics& diagnostics) {
  auto out = read_members<model::Sweep>(node);
  out.span = node.span;
  const Node* axes = node.one("axes");
  if (axes == nullptr || axes->source->items.empty())
    diagnostics.add(Code::needs, node.span, "`sweep` requires `axes { NAME = … }`");
  if (axes != nullptr)
    for (const Entry& e : axes->entries) {
      model::Axis axis{e.name, {}, e.name_span};
      for (const Value& v : e.value.list) axis.values.push_back(v.text);
      out.axes.push_back(std::move(axis));
    }
  return out;
}

model::TargetOptions build_target(const Node& node) {
  model::TargetOptions out;
  out.target = node.label;
  out.span = node.label_span;
  read_members(node, out);
  for (const Entry& e : node.entries) {
    if (e.schema != nullptr) continue;
    std::string option = e.name;
    std::replace(option.begin(), option.end(), '_', '-');
    out.options.push_back({std::move(option), {e.value.text, e.name_span}, e.value.tag == "boolean"});
  }
  return out;
}

void build_behaviour(const Node& node, model::Workload& w, Diagnostics& diagnostics) {
  if (const Node* s = node.one("sweep")) w.sweep = build_sweep(*s, diagnostics);
  read_block_into(node.one("notify"), w.notify);
  for (const Node* t : node.all("target")) w.targets.push_back(build_target(*t));
  read_block_into(node.one("checkpoint"), w.checkpoint);
  if (const Node* r = node.one("retry")) w.retry = build_retry(*r);
  read_block_into(node.one("stop"), w.stop);
  read_block_into(node.one("logs"), w.logs);
}

// Every key that is there: what each target has to account for. `label` says in which of several blocks.
void collect_written(const Node& node, const std::string& label, const std::string& role,
                     std::vector<model::WrittenField>& out) {
  for (const Entry& e : node.entries) {
    if (e.schema != nullptr) out.push_back({{*e.schema->field, label, role}, e.name_span});
    else out.push_back({{*node.schema->field, label.empty() ? e.name : label + "." + e.name, role}, e.name_span});
  }
  for (const Node& block : node.blocks) {
    if (block.schema->name == "role") collect_written(block, "", block.label, out);
    else if (block.schema->name != "any-of") collect_written(block, block.label, role, out);
  }
  for (const auto* r : node.requirements) out.push_back({{Field::require, "", role}, r->span});
  for (const auto* p : node.preferences) out.push_back({{Field::prefer, "", role}, p->span});
}

}  // namespace

std::vector<model::EnvVar> build_env(const Node* node) {
  std::vector<model::EnvVar> out;
  if (node == nullptr) return out;
  for (const Entry& e : node->entries) out.push_back({e.name, {e.value.text, e.value.references}, e.name_span});
  return out;
}

model::SoftwareSpec build_software(const Node& node) {
  auto out = read_members<model::SoftwareSpec>(node);
  out.span = node.span;
  return out;
}

bool check_name(const std::string& name, Span span, std::string_view what, Diagnostics& diagnostics) {
  const auto good = [](char c) { return is_name_char(c) || c == '-' || c == '.'; };
  const bool valid =
      !name.empty() && name.size() <= 63 && is_alnum(name[0]) && std::all_of(name.begin(), name.end(), good);
  if (!valid && span.known())
    diagnostics.add(Code::name_not_valid, span, "`" + name + "` is not valid as the name of a " + std::string(what))
        .notes.push_back("write a letter or digit, then letters, digits, `.`, `_` and `-`, at most 63 in total");
  return valid;
}

namespace {

// What a workload and the defaults of a site have outside of roles.
void build_common(const Node& node, model::Workload& w, Diagnostics& diagnostics) {
  read_members(node, w);
  if (const Entry* limit = node.entry(Field::time_limit); limit != nullptr && !w.time_limit)
    w.time_limit_default = {model::LeftTo::site, limit->value.span};
  if (const Node* labels = node.one("labels"))
    for (const Entry& e : labels->entries) w.labels.push_back({e.name, {e.value.text, e.name_span}});
  build_behaviour(node, w, diagnostics);
}

model::Workload build_one(const Node& node, const Sources& sources, Diagnostics& diagnostics) {
  model::Workload w;
  w.name = node.label;
  w.span = node.label_span;
  check_name(w.name, w.span, "workload", diagnostics);
  if (const Node* facts = node.one("facts"))
    for (const Entry& e : facts->entries) w.facts.push_back({e.name, {e.value.fact, e.value.span}});
  build_roles(node, sources, w, diagnostics);
  build_common(node, w, diagnostics);
  build_service(node, w, diagnostics);
  collect_written(node, "", "", w.written);
  return w;
}

}  // namespace

model::Workload build_defaults(const Node& node, const Sources& sources) {
  Diagnostics ignored;
  model::Workload out;
  out.span = node.span;
  out.roles.push_back(build_role(node, true, sources, ignored));
  build_common(node, out, ignored);
  return out;
}

model::Workload build_workload(const Node& node, const Sources& sources, Diagnostics& diagnostics) {
  const Node* any_of = node.one("any-of");
  if (any_of == nullptr) {
    model::Workload w = build_one(node, sources, diagnostics);
    validate_workload(w, diagnostics);
    return w;
  }
  if (any_of->all("option").empty())
    diagnostics.add(Code::needs, any_of->span, "`any-of` requires `option NAME { … }`");
  std::vector<model::Workload> options;
  const bool can = can_inherit(*any_of, "option", *node.source, diagnostics);
  for (const Node* option : can ? any_of->all("option") : std::vector<const Node*>{}) {
    ast::Block whole = inherit(*node.source, *option->source, *node.schema, diagnostics);
    whole.kind = node.source->kind;
    whole.label = node.source->label;
    without_blocks(whole, "any-of");
    options.push_back(build_one(read_block(whole, *node.schema, diagnostics), sources, diagnostics));
    model::Workload& out = options.back();
    out.option = option->label;
    out.option_span = option->label_span;
    out.written.push_back({Field::any_of, any_of->span});
    validate_workload(out, diagnostics);
  }
  model::Workload w = build_one(node, sources, diagnostics);
  w.options = std::move(options);
  return w;
}

}  // namespace muster::sema
