// The blocks around a role's program, and the blocks of services and chains, as JSON.
#include "cli/emit_values.h"

namespace muster::cli {
namespace {

Json ports_json(const std::vector<model::Port>& ports) {
  Json out = Json::array();
  for (const model::Port& p : ports) {
    out.push_back({{"name", p.name}});
    put_members(out.back(), p);
  }
  return out;
}

Json probe_json(const model::Probe& p) {
  Json out = {{"name", model::name(p.kind)}};
  put_member(out, "http", p.http);
  if (p.tcp) out["tcp"] = true;
  if (!p.command.empty()) out["command"] = plain(p.command);
  put(out, "port", p.port, same);
  put(out, "after", p.after, printed);
  put(out, "every", p.every, printed);
  put(out, "timeout", p.timeout, printed);
  put(out, "failures", p.failures, same);
  return out;
}

}  // namespace

void add_needs(const model::Role& r, Json& out) {
  if (r.replicas) out["replicas"] = count_json(r.replicas->value);
  put(out, "primary", r.primary, same);
  put(out, "with", r.with, same);
  for (const model::RoleStart& s : r.depends_on) out["depends_on"][s.role] = model::name(s.on);
  if (r.fabric.value != model::FabricRequest::automatic) out["fabric"] = model::name(r.fabric.value);
  for (const model::Secret& s : r.secrets) out["secrets"][s.name] = members_json(s);
  for (const model::SmallFile& f : r.files) {
    out["files"][f.path.value] = {{"text", f.bytes}};
    put_members(out["files"][f.path.value], f);
  }
  if (!r.ports.empty()) out["ports"] = ports_json(r.ports);
  for (const model::Probe& p : r.probes) out["probes"].push_back(probe_json(p));
  if (r.preflight) out["preflight"] = members_json(*r.preflight);
  if (r.parallelism) out["parallelism"] = members_json(*r.parallelism);
  for (const model::Allow& a : r.allows) out["allow"][a.code] = members_json(a);
}

void add_service(const model::Workload& w, Json& out) {
  for (const model::After& after : w.depends_on) {
    Json& on = out["depends_on"][after.workload];
    if (after.each) put_members(on, after);
    else on = model::name(after.on);
  }
  if (w.scale) out["scale"] = members_json(*w.scale);
  if (w.serve) out["serve"] = members_json(*w.serve);
  if (w.dev) out["dev"] = members_json(*w.dev);
}

}  // namespace muster::cli
