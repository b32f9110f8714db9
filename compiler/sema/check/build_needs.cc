// What a role needs around its program, and how services, notebooks and chains of workloads are said.
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/check/builders.h"

namespace muster::sema {
namespace {

// They are compared with each other, one by one.
constexpr std::size_t most_needs = 256;

model::Port build_port(const Node& node) {
  model::Port out;
  out.name = node.label;
  out.span = node.label_span;
  if (auto number = node.integer("number")) out.number = *number;
  if (auto flag = node.boolean("public")) out.is_public = flag->value;
  return out;
}

model::Probe build_probe(const Node& node, Diagnostics& diagnostics) {
  model::Probe out;
  out.span = node.label_span;
  if (node.label == "liveness") out.kind = model::ProbeKind::liveness;
  else if (node.label == "startup") out.kind = model::ProbeKind::startup;
  else if (node.label != "readiness")
    diagnostics.add(Code::unknown_symbol, node.label_span, "`" + node.label + "` is no probe")
        .notes.push_back("it is named `readiness`, `liveness` or `startup`");
  out.http = node.text("http");
  if (auto flag = node.boolean("tcp")) out.tcp = flag->value;
  out.command = node.texts("command");
  out.port = node.text("port");
  out.after = node.located("after", duration_of);
  out.every = node.located("every", duration_of);
  out.timeout = node.located("timeout", duration_of);
  out.failures = node.integer("failures");
  return out;
}

model::Preflight build_preflight(const Node& node) {
  model::Preflight out;
  out.span = node.span;
  if (const Value* v = node.get("nccl")) out.nccl = v->text == "required";
  if (auto flag = node.boolean("gpu-health")) out.gpu_health = flag->value;
  return out;
}

}  // namespace

std::vector<model::Allow> build_allows(const Node& node, Diagnostics& diagnostics) {
  std::vector<model::Allow> out;
  for (const Node* a : node.all("allow")) {
    model::Allow allow;
    allow.code = a->label;
    allow.span = a->label_span;
    if (auto reason = a->text("reason")) allow.reason = *reason;
    allow.until = a->text("until");
    if (allow.until && !is_date(allow.until->value))
      diagnostics.add(Code::out_of_range, allow.until->span, "a day looks like \"2026-12-31\"");
    out.push_back(std::move(allow));
  }
  return out;
}

bool few_enough(const Node& node, std::initializer_list<std::string_view> kinds, std::size_t most,
                Diagnostics& diagnostics) {
  bool good = true;
  for (const std::string_view kind : kinds) {
    const auto blocks = node.all(kind);
    if (blocks.size() <= most) continue;
    diagnostics.add(Code::out_of_range, blocks[most]->span,
                    "there are at most " + std::to_string(most) + " `" + std::string(kind) + "` blocks here");
    good = false;
  }
  return good;
}

void build_needs(const Node& node, model::Role& role, Diagnostics& diagnostics) {
  if (!few_enough(node, {"secret", "file", "port", "probe", "allow"}, most_needs, diagnostics)) return;
  role.replicas = node.located("replicas", [](const Value& v) { return model::Count{v.low, v.high}; });
  if (const Value* v = node.get("fabric"))
    role.fabric = {symbol_of(node, "fabric", model::FabricRequest::automatic), v->span};
  for (const Node* s : node.all("secret"))
    role.secrets.push_back({s->label, s->text("env"), s->text("file"), s->label_span});
  for (const Node* f : node.all("file")) {
    const Value* text = f->get("text");
    role.files.push_back({{f->label, f->label_span}, text == nullptr ? "" : text->text, f->text("mode")});
  }
  for (const Node* p : node.all("port")) role.ports.push_back(build_port(*p));
  for (const Node* p : node.all("probe")) role.probes.push_back(build_probe(*p, diagnostics));
  if (const Node* p = node.one("preflight")) role.preflight = build_preflight(*p);
  role.allows = build_allows(node, diagnostics);
  if (const Node* p = node.one("parallelism"))
    role.parallelism = {p->integer("tensor"),  p->integer("pipeline"), p->integer("data"),
                        p->integer("context"), p->integer("expert"),   p->span};
}

void build_service(const Node& node, model::Workload& w, Diagnostics& diagnostics) {
  if (!few_enough(node, {"depends-on"}, most_needs, diagnostics)) return;
  for (const Node* d : node.all("depends-on"))
    w.depends_on.push_back({d->label, symbol_of(*d, "on", model::AfterOn::success), d->label_span});
  if (const Node* s = node.one("scale"))
    w.scale = {s->text("metric").value_or(model::Located<std::string>{}).value, s->text("target"),
               s->located("cooldown", duration_of), s->span};
  if (const Node* s = node.one("serve")) {
    model::Serve serve{s->text("port"),   s->text("model"),  {},     s->texts("args"),
                       s->text("router"), s->text("config"), s->span};
    if (const Value* v = s->get("engine")) serve.engine = {symbol_of(*s, "engine", model::Engine::vllm), v->span};
    w.serve = std::move(serve);
  }
  if (const Node* d = node.one("dev")) {
    model::Dev dev{{}, d->located("idle-timeout", duration_of), d->span};
    if (const Value* v = d->get("interface"))
      dev.interface = {symbol_of(*d, "interface", model::Interface::shell), v->span};
    w.dev = dev;
  }
}

}  // namespace muster::sema
