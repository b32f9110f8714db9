// Builds what a role needs around its program, and the blocks for services, notebooks and chains of workloads.
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/check/read_members.h"

namespace muster::sema {
namespace {

// They are compared with each other, one by one.
constexpr std::size_t most_needs = 256;

// The name and place of a block with a label.
template <class Block>
Block named(const Node& node) {
  auto out = read_members<Block>(node);
  out.name = node.label;
  out.span = node.label_span;
  return out;
}

model::Probe build_probe(const Node& node, Diagnostics& diagnostics) {
  auto out = read_members<model::Probe>(node);
  out.span = node.label_span;
  if (node.label == "liveness") out.kind = model::ProbeKind::liveness;
  else if (node.label == "startup") out.kind = model::ProbeKind::startup;
  else if (node.label != "readiness")
    diagnostics.add(Code::unknown_symbol, node.label_span, "unknown probe `" + node.label + "`")
        .notes.push_back("probes are `readiness`, `liveness` and `startup`");
  return out;
}

}  // namespace

std::vector<model::Allow> build_allows(const Node& node, Diagnostics& diagnostics) {
  std::vector<model::Allow> out;
  for (const Node* a : node.all("allow")) {
    auto allow = read_members<model::Allow>(*a);
    allow.code = a->label;
    allow.span = a->label_span;
    if (allow.until && !is_date(allow.until->value))
      diagnostics.add(Code::out_of_range, allow.until->span, "invalid date; expected YYYY-MM-DD");
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
                    "at most " + std::to_string(most) + " `" + std::string(kind) + "` blocks are allowed here");
    good = false;
  }
  return good;
}

void build_needs(const Node& node, model::Role& role, Diagnostics& diagnostics) {
  if (!few_enough(node, {"secret", "file", "port", "probe", "allow"}, most_needs, diagnostics)) return;
  for (const Node* s : node.all("secret")) role.secrets.push_back(named<model::Secret>(*s));
  for (const Node* f : node.all("file")) {
    auto file = read_members<model::SmallFile>(*f);
    file.path = {f->label, f->label_span};
    if (const Value* text = f->get("text")) file.bytes = text->text;
    role.files.push_back(std::move(file));
  }
  for (const Node* p : node.all("port")) role.ports.push_back(named<model::Port>(*p));
  for (const Node* p : node.all("probe")) role.probes.push_back(build_probe(*p, diagnostics));
  read_block_into(node.one("preflight"), role.preflight);
  role.allows = build_allows(node, diagnostics);
  read_block_into(node.one("parallelism"), role.parallelism);
}

void build_service(const Node& node, model::Workload& w, Diagnostics& diagnostics) {
  if (!few_enough(node, {"depends-on"}, most_needs, diagnostics)) return;
  for (const Node* d : node.all("depends-on")) {
    auto after = read_members<model::After>(*d);
    after.workload = d->label;
    after.span = d->label_span;
    w.depends_on.push_back(std::move(after));
  }
  read_block_into(node.one("scale"), w.scale);
  read_block_into(node.one("serve"), w.serve);
  read_block_into(node.one("dev"), w.dev);
}

}  // namespace muster::sema
