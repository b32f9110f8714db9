// `workload NAME { … }` to model::Workload.
#include <algorithm>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/check/builders.h"
#include "compiler/sema/check/conditions.h"
#include "compiler/sema/check/validate.h"
#include "compiler/sema/schema/inherit.h"

namespace muster::sema {
namespace {

using model::Located;

Size size_of(const Value& v) { return {v.low}; }

// A resource key from `resources { }` or its short form on the workload; both is an error.
const Value* resource(const Node& node, std::string_view key, Diagnostics& diagnostics) {
  const Node* block = node.one("resources");
  const Value* inner = block != nullptr ? block->get(key) : nullptr;
  const KeySchema* short_key = node.schema->key(key);
  const Value* outer = short_key != nullptr && !short_key->short_for.empty() ? node.get(key) : nullptr;
  if (inner != nullptr && outer != nullptr)
    diagnostics
        .add(Code::duplicate_key, node.entry(key)->name_span, "`" + std::string(key) + "` is set twice",
             "short for resources." + std::string(key))
        .labels.push_back({block->entry(key)->name_span, "also set here"});
  return inner != nullptr ? inner : outer;
}

model::Resources build_resources(const Node& node, Diagnostics& diagnostics) {
  model::Resources out;
  const auto at = [&](std::string_view key) { return resource(node, key, diagnostics); };
  if (const Value* v = at("nodes")) out.nodes = {{v->low, v->high}, v->span};
  if (const Value* v = at("gpus")) out.gpus = {v->low, v->span};
  if (const Value* v = at("gpu")) {
    std::vector<std::string> models;
    for (const Value& m : v->list) models.push_back(m.text);
    out.gpu = {std::move(models), v->span};
    if (v->low > 0 && out.gpus && out.gpus->value != v->low)
      diagnostics
          .add(Code::conflict, v->span,
               "`gpu` asks for " + std::to_string(v->low) + " GPUs a node, `gpus` for " +
                   std::to_string(out.gpus->value))
          .labels.push_back({out.gpus->span, "`gpus` is set here"});
    if (v->low > 0) out.gpus = {v->low, v->span};
    const bool part = at("gpu-share") != nullptr || at("gpu-slice") != nullptr;
    if (v->low <= 0 && !out.gpus && !part) out.gpus = {1, v->span};
  }
  if (const Value* v = at("gpu-memory")) out.gpu_memory = {size_of(*v), v->span};
  if (const Value* v = at("cpus")) out.cpus = {{v->all, v->low, v->high}, v->span};
  if (const Value* v = at("memory")) out.memory = {{v->all, {v->low}, {v->high}}, v->span};
  if (const Value* v = at("disk")) out.disk = {size_of(*v), v->span};
  if (const Value* v = at("shm"); v != nullptr && v->text.empty()) out.shm = {size_of(*v), v->span};
  if (const Value* v = at("exclusive")) out.exclusive = {v->flag, v->span};
  if (const Value* v = at("smt")) out.smt = {v->flag, v->span};
  if (const Value* v = at("gpu-share")) out.gpu_share = {v->low, v->span};
  if (const Value* v = at("gpu-slice")) out.gpu_slice = {v->text, v->span};
  return out;
}

model::Launch build_launch(const Node* node) {
  model::Launch out;
  if (node == nullptr) return out;
  if (const Value* v = node->get("runner")) out.runner = {symbol_of(*node, "runner", model::Runner::none), v->span};
  out.processes = node->integer("processes");
  out.args = node->texts("args");
  out.version = node->text("version");
  if (const Value* v = node->get("compat")) out.compat = {symbol_of(*node, "compat", model::Compat::none), v->span};
  if (const Value* v = node->get("export")) out.inherits = {symbol_of(*node, "export", model::Inherit::all), v->span};
  return out;
}

model::Mount build_mount(const Node& node) {
  model::Mount out;
  out.name = node.label;
  out.span = node.label_span;
  if (auto path = node.text("path")) out.path = *path;
  if (const Value* v = node.get("mode")) out.read_only = v->text == "ro";
  out.sub_path = node.text("sub-path");
  return out;
}

// `served`: the workload says which server it is, whose command is known, or people work in it.
model::Optional<model::Program> build_program(const Node& node, bool served, Diagnostics& diagnostics) {
  const Value* command = node.get("command");
  const Value* script = node.get("script");
  if (command != nullptr && script != nullptr) {
    diagnostics
        .add(Code::conflict, node.entry("script")->name_span,
             "a " + std::string(node.schema->name) + " has a `command` or a `script`, not both", "the script")
        .labels.push_back({node.entry("command")->name_span, "the command"});
    return std::nullopt;
  }
  if (script != nullptr) return {{script_of(*script), script->span}};
  if (command == nullptr) {
    if (!served && !node.was_reported("command") && !node.was_reported("script"))
      diagnostics.add(Code::missing_key, node.label_span,
                      "the " + std::string(node.schema->name) + " has neither `command` nor `script`",
                      "what shall it run?");
    return std::nullopt;
  }
  model::Argv argv;
  for (const Value& word : command->list) argv.push_back(word.text);
  if (argv.empty() || argv[0].empty()) diagnostics.add(Code::out_of_range, command->span, "the command is empty");
  return {{std::move(argv), command->span}};
}

model::Optional<model::Code> build_code(const Node& node, Diagnostics& diagnostics) {
  const Value* path = node.get("code");
  const Node* block = node.one("code");
  const Node* git = block != nullptr ? block->one("git") : nullptr;
  if (path != nullptr && block != nullptr)
    diagnostics.add(Code::conflict, block->span, "`code` is a folder or a repository, not both")
        .labels.push_back({node.entry("code")->name_span, "the folder"});
  if (block != nullptr && git == nullptr) diagnostics.add(Code::missing_key, block->span, "`code` needs `git { … }`");
  if (git != nullptr) {
    model::Git out;
    if (auto url = git->text("url")) out.url = *url;
    if (auto rev = git->text("rev")) out.rev = *rev;
    return {{out, git->span}};
  }
  if (path == nullptr) return std::nullopt;
  return {{path->text, path->span}};
}

model::Optional<model::Software> build_workload_software(const Node& node, Diagnostics& diagnostics) {
  const Value* name = node.get("software");
  const Node* block = node.one("software");
  if (name != nullptr && block != nullptr)
    diagnostics.add(Code::conflict, block->span, "`software` is a name or a block, not both")
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
  model::Role role;
  role.program = build_program(node, served, diagnostics);
  role.script_flags = node.texts("script-flags");
  role.args = node.texts("args");
  role.code = build_code(node, diagnostics);
  role.setup = node.located("setup", script_of);
  role.software = build_workload_software(node, diagnostics);
  role.image = node.text("image");
  role.workdir = node.text("workdir");
  role.env = build_env(node.one("env"));
  for (const Node* mount : node.all("mount")) role.mounts.push_back(build_mount(*mount));
  role.resources = build_resources(node, diagnostics);
  role.launch = build_launch(node.one("launch"));
  build_conditions(node, sources, role, diagnostics);
  if (const Node* t = node.one("topology")) {
    model::Topology out;
    out.span = t->span;
    if (const Value* v = t->get("within")) out.within = {symbol_of(*t, "within", model::Within::fleet), v->span};
    if (const Value* v = t->get("required")) out.required = v->flag;
    out.segment = t->integer("segment");
    if (const Value* v = t->get("segment-within"))
      out.segment_within = {symbol_of(*t, "segment-within", model::Within::leaf), v->span};
    role.topology = out;
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
                  std::to_string(blocks.size()) + " `" + std::string(kind) + "` blocks have the " +
                      std::to_string(items_in(from)) + " items of the workload each; 200000 is the limit over all");
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
  for (const Node* role : can ? node.all("role") : std::vector<const Node*>{}) {
    const ast::Block whole = inherit(shared, *role->source, schema, diagnostics);
    const Node merged = read_block(whole, schema, diagnostics);
    w.roles.push_back(build_role(merged, served || is_for_actors(merged, node), sources, diagnostics));
    model::Role& out = w.roles.back();
    out.name = role->label;
    out.span = role->label_span;
    check_name(out.name, out.span, "role", diagnostics);
    out.primary = merged.boolean("primary");
    for (const Node* d : merged.all("depends-on"))
      out.depends_on.push_back({d->label, symbol_of(*d, "on", model::StartOn::started), d->label_span});
  }
  if (w.roles.empty()) w.roles.push_back(build_role(node, served, sources, diagnostics));
}

model::Retry build_retry(const Node& node) {
  model::Retry out;
  out.span = node.span;
  if (const Value* v = node.get("limit")) out.limit = {v->text.empty() ? v->low : model::Retry::unlimited, v->span};
  if (const Value* v = node.get("on")) {
    for (const Value& word : v->list)
      out.on.push_back({enumerator<model::RetryOn>(word.text, *node.schema->key("on")), word.span});
  } else {
    out.on = {{model::RetryOn::node_failure, {}}, {model::RetryOn::preemption, {}}};
  }
  if (const Value* v = node.get("exit-codes"))
    for (const Value& code : v->list) out.exit_codes.push_back({code.low, code.span});
  out.backoff = node.located("backoff", duration_of);
  return out;
}

model::Stop build_stop(const Node& node) {
  model::Stop out;
  out.span = node.span;
  if (auto signal = node.text("signal")) out.signal = *signal;
  if (auto lead = node.located("lead", duration_of)) out.lead = *lead;
  if (auto grace = node.located("grace", duration_of)) out.grace = *grace;
  return out;
}

model::Sweep build_sweep(const Node& node, Diagnostics& diagnostics) {
  model::Sweep out;
  out.span = node.span;
  if (auto zip = node.boolean("zip")) out.zip = zip->value;
  out.max_parallel = node.integer("max-parallel");
  const Node* axes = node.one("axes");
  if (axes == nullptr || axes->source->items.empty())
    diagnostics.add(Code::needs, node.span, "`sweep` needs `axes { NAME = … }`", "what varies?");
  if (axes != nullptr)
    for (const Entry& e : axes->entries) {
      model::Axis axis{e.name, {}, e.name_span};
      for (const Value& v : e.value.list) axis.values.push_back(v.text);
      out.axes.push_back(std::move(axis));
    }
  return out;
}

model::Notify build_notify(const Node& node) {
  model::Notify out;
  out.span = node.span;
  out.email = node.texts("email");
  if (const Value* v = node.get("on"))
    for (const Value& word : v->list)
      out.on.push_back({enumerator<model::NotifyOn>(word.text, *node.schema->key("on")), word.span});
  return out;
}

model::TargetOptions build_target(const Node& node) {
  model::TargetOptions out{node.label, {}, node.label_span};
  for (const Entry& e : node.entries) {
    std::string option = e.name;
    std::replace(option.begin(), option.end(), '_', '-');
    out.options.push_back({std::move(option), {e.value.text, e.name_span}, e.value.tag == "boolean"});
  }
  return out;
}

void build_behaviour(const Node& node, model::Workload& w, Diagnostics& diagnostics) {
  if (const Node* s = node.one("sweep")) w.sweep = build_sweep(*s, diagnostics);
  if (const Node* n = node.one("notify")) w.notify = build_notify(*n);
  for (const Node* t : node.all("target")) w.targets.push_back(build_target(*t));
  if (const Node* c = node.one("checkpoint"))
    w.checkpoint = {c->text("path"), c->located("every", duration_of), c->located("write-time", duration_of), c->span,
                    c->boolean("async")};
  if (const Node* r = node.one("retry")) w.retry = build_retry(*r);
  if (const Node* s = node.one("stop")) w.stop = build_stop(*s);
  if (const Node* l = node.one("logs")) w.logs = {l->text("output"), l->text("error"), l->boolean("append"), l->span};
}

// Every key that is there, by its path: what each target has to account for.
void collect_written(const Node& node, const std::string& prefix, std::vector<model::WrittenField>& out) {
  for (const Entry& e : node.entries) {
    const std::string above =
        e.schema != nullptr && !e.schema->short_for.empty() ? prefix + std::string(e.schema->short_for) + "." : prefix;
    out.push_back({above + e.name, e.name_span});
  }
  for (const Node& block : node.blocks)
    collect_written(
        block, prefix + std::string(block.schema->name) + "." + (block.label.empty() ? "" : block.label + "."), out);
  for (const auto* r : node.requirements) out.push_back({prefix + "require", r->span});
  for (const auto* p : node.preferences) out.push_back({prefix + "prefer", p->span});
}

}  // namespace

std::vector<model::EnvVar> build_env(const Node* node) {
  std::vector<model::EnvVar> out;
  if (node == nullptr) return out;
  for (const Entry& e : node->entries) out.push_back({e.name, e.value.text, e.name_span, e.value.tag == "variable"});
  return out;
}

model::SoftwareSpec build_software(const Node& node) {
  model::SoftwareSpec out;
  out.span = node.span;
  out.modules = node.texts("modules");
  out.module_use = node.texts("module-use");
  if (auto purge = node.boolean("purge")) out.purge = purge->value;
  out.conda = node.text("conda");
  out.venv = node.text("venv");
  out.prelude = node.located("prelude", script_of);
  out.image = node.text("image");
  return out;
}

bool check_name(const std::string& name, Span span, std::string_view what, Diagnostics& diagnostics) {
  const auto good = [](char c) { return is_name_char(c) || c == '-' || c == '.'; };
  const bool valid =
      !name.empty() && name.size() <= 63 && is_alnum(name[0]) && std::all_of(name.begin(), name.end(), good);
  if (!valid && span.known())
    diagnostics.add(Code::name_not_valid, span, "`" + name + "` is not valid as the name of a " + std::string(what))
        .notes.push_back(
            "it goes into file and job names: a letter or digit, then letters, digits, `.`, `_` and `-`, at most 63");
  return valid;
}

namespace {

model::Workload build_one(const Node& node, const Sources& sources, Diagnostics& diagnostics) {
  model::Workload w;
  w.name = node.label;
  w.span = node.label_span;
  check_name(w.name, w.span, "workload", diagnostics);
  if (const Value* v = node.get("kind")) w.kind = {symbol_of(node, "kind", model::Kind::train), v->span};
  w.title = node.text("title");
  w.account = node.text("account");
  w.queues = node.texts("queue");
  w.priority = node.text("priority");
  w.preemptible = node.boolean("preemptible");
  w.time_limit = node.located("time-limit", duration_of);
  if (const Value* v = node.get("gang")) w.gang = {symbol_of(node, "gang", model::Gang::all), v->span};
  if (const Node* labels = node.one("labels"))
    for (const Entry& e : labels->entries) w.labels.push_back({e.name, {e.value.text, e.name_span}});
  if (const Node* facts = node.one("facts"))
    for (const Entry& e : facts->entries) w.facts.push_back({e.name, {e.value.fact, e.value.span}});
  build_roles(node, sources, w, diagnostics);
  build_behaviour(node, w, diagnostics);
  build_service(node, w, diagnostics);
  collect_written(node, "", w.written);
  return w;
}

}  // namespace

model::Workload build_workload(const Node& node, const Sources& sources, Diagnostics& diagnostics) {
  const Node* any_of = node.one("any-of");
  if (any_of == nullptr) {
    model::Workload w = build_one(node, sources, diagnostics);
    validate_workload(w, diagnostics);
    return w;
  }
  if (any_of->all("option").empty())
    diagnostics.add(Code::needs, any_of->span, "`any-of` needs `option NAME { … }`", "which shapes are there?");
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
    out.written.push_back({"any-of", any_of->span});
    validate_workload(out, diagnostics);
  }
  model::Workload w = build_one(node, sources, diagnostics);
  w.options = std::move(options);
  return w;
}

}  // namespace muster::sema
