// What stands around a role's program, and the blocks of services and chains, as JSON.
#include "cli/emit_values.h"

namespace muster::cli {
namespace {

Json ports_json(const std::vector<model::Port>& ports) {
  Json out = Json::array();
  for (const model::Port& p : ports)
    out.push_back({{"name", p.name}, {"number", p.number.value}, {"public", p.is_public}});
  return out;
}

Json probe_json(const model::Probe& p) {
  Json out = {{"name", model::name(p.kind)}};
  put(out, "http", p.http, same);
  if (p.tcp) out["tcp"] = true;
  if (!p.command.empty()) out["command"] = plain(p.command);
  put(out, "port", p.port, same);
  put(out, "after", p.after, printed);
  put(out, "every", p.every, printed);
  put(out, "timeout", p.timeout, printed);
  put(out, "failures", p.failures, same);
  return out;
}

Json parallelism_json(const model::Parallelism& p) {
  Json out = Json::object();
  put(out, "tensor", p.tensor, same);
  put(out, "pipeline", p.pipeline, same);
  put(out, "data", p.data, same);
  put(out, "context", p.context, same);
  put(out, "expert", p.expert, same);
  return out;
}

Json serve_json(const model::Serve& s) {
  Json out = Json::object();
  put(out, "port", s.port, same);
  put(out, "model", s.model, same);
  if (s.engine) out["engine"] = model::name(s.engine->value);
  if (!s.args.empty()) out["args"] = plain(s.args);
  put(out, "router", s.router, same);
  put(out, "config", s.config, same);
  return out;
}

}  // namespace

void add_needs(const model::Role& r, Json& out) {
  if (r.replicas) out["replicas"] = count_json(r.replicas->value);
  put(out, "primary", r.primary, same);
  for (const model::RoleStart& s : r.depends_on) out["depends_on"][s.role] = model::name(s.on);
  if (r.fabric.value != model::FabricRequest::automatic) out["fabric"] = model::name(r.fabric.value);
  for (const model::Secret& s : r.secrets) {
    Json& secret = out["secrets"][s.name] = Json::object();
    put(secret, "env", s.env, same);
    put(secret, "file", s.file, same);
  }
  for (const model::SmallFile& f : r.files) {
    out["files"][f.path.value] = {{"text", f.bytes}};
    put(out["files"][f.path.value], "mode", f.mode, same);
  }
  if (!r.ports.empty()) out["ports"] = ports_json(r.ports);
  for (const model::Probe& p : r.probes) out["probes"].push_back(probe_json(p));
  if (r.preflight) out["preflight"] = {{"nccl", r.preflight->nccl}, {"gpu_health", r.preflight->gpu_health}};
  if (r.parallelism) out["parallelism"] = parallelism_json(*r.parallelism);
  for (const model::Allow& a : r.allows) {
    out["allow"][a.code] = {{"reason", a.reason.value}};
    put(out["allow"][a.code], "until", a.until, same);
  }
}

void add_service(const model::Workload& w, Json& out) {
  for (const model::After& after : w.depends_on) out["depends_on"][after.workload] = model::name(after.on);
  if (w.scale) {
    out["scale"] = {{"metric", w.scale->metric}};
    put(out["scale"], "target", w.scale->target, same);
    put(out["scale"], "cooldown", w.scale->cooldown, printed);
  }
  if (w.serve) out["serve"] = serve_json(*w.serve);
  if (w.dev) {
    out["dev"] = {{"interface", model::name(w.dev->interface.value)}};
    put(out["dev"], "idle_timeout", w.dev->idle_timeout, printed);
  }
}

}  // namespace muster::cli
