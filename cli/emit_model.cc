// The checked model as JSON: the keys a workload has, in the order of the language's reference.
#include "cli/emit_values.h"

namespace muster::cli {
namespace {

Json script_json(const model::Script& s) { return {{"interpreter", s.interpreter}, {"bytes", s.bytes}}; }

Json program_json(const model::Program& p) {
  if (const auto* argv = std::get_if<model::Argv>(&p)) return {{"command", model::spellings(*argv)}};
  return {{"script", script_json(std::get<model::Script>(p))}};
}

template <class T, class Print>
Json amount_json(const model::Amount<T>& a, Print print) {
  if (a.all || a.left_to_site) return a.all ? "all" : "default";
  return a.low == a.high ? print(a.low) : Json{{"low", print(a.low)}, {"high", print(a.high)}};
}

Json resources_json(const model::Resources& r) {
  Json out = Json::object();
  put(out, "nodes", r.nodes, count_json);
  put(out, "gpus", r.gpus, same);
  put(out, "gpu", r.gpu, same);
  put(out, "gpu_memory", r.gpu_memory, printed);
  put(out, "cpus", r.cpus, [](const auto& a) { return amount_json(a, same); });
  put(out, "memory", r.memory, [](const auto& a) { return amount_json(a, printed); });
  put(out, "disk", r.disk, printed);
  put(out, "shm", r.shm, printed);
  put(out, "exclusive", r.exclusive, same);
  put(out, "smt", r.smt, same);
  put(out, "gpu_share", r.gpu_share, same);
  put(out, "gpu_slice", r.gpu_slice, same);
  return out;
}

Json launch_json(const model::Launch& l) {
  Json out = {{"runner", model::name(l.runner.value)}};
  put(out, "processes", l.processes, same);
  if (!l.args.empty()) out["args"] = plain(l.args);
  put(out, "version", l.version, same);
  if (l.compat.value == model::Compat::slurm) out["compat"] = "slurm";
  if (l.contract.value != model::Contract::automatic)
    out["contract"] = l.contract.value == model::Contract::full ? "full" : "none";
  if (l.inherits) out["export"] = l.inherits->value == model::Inherit::all ? "all" : "none";
  return out;
}

Json software_json(const model::Software& s) {
  if (const auto* name = std::get_if<std::string>(&s)) return *name;
  const auto& spec = std::get<model::SoftwareSpec>(s);
  Json out = {{"modules", plain(spec.modules)}, {"module_use", plain(spec.module_use)}, {"purge", spec.purge}};
  put(out, "conda", spec.conda, same);
  put(out, "venv", spec.venv, same);
  put(out, "prelude", spec.prelude, script_json);
  return out;
}

Json code_json(const model::Code& c) {
  if (const auto* path = std::get_if<std::string>(&c)) return *path;
  return members_json(std::get<model::Git>(c));
}

Json mounts_json(const std::vector<model::Mount>& mounts) {
  Json out = Json::array();
  for (const model::Mount& m : mounts) {
    out.push_back({{"name", m.name}, {"path", m.path.value}, {"mode", m.read_only ? "ro" : "rw"}});
    put(out.back(), "sub_path", m.sub_path, same);
  }
  return out;
}

Json role_json(const model::Role& r) {
  Json out = {{"name", r.name}};
  if (r.program) out.update(program_json(r.program->value));
  if (!r.script_flags.empty()) out["script_flags"] = plain(r.script_flags);
  for (const auto& word : r.args) out["args"].push_back(model::spelling(word.value));
  put(out, "code", r.code, code_json);
  put(out, "setup", r.setup, script_json);
  put(out, "software", r.software, software_json);
  put(out, "image", r.image, same);
  put_member(out, "workdir", r.workdir);
  for (const model::EnvVar& e : r.env)
    out["env"][e.name] = e.from_axis() ? Json{{"axis", *e.value.axis()}} : Json(model::spelling(e.value));
  if (!r.mounts.empty()) out["mounts"] = mounts_json(r.mounts);
  out["resources"] = resources_json(r.resources);
  out["launch"] = launch_json(r.launch);
  for (const model::Predicate& p : r.requires_)
    out["require"].push_back(p.kind == model::Predicate::Kind::term ? Json(p.term.text) : Json("condition"));
  for (const model::Preference& p : r.prefers)
    out["prefer"].push_back({{"condition", p.predicate.term.text}, {"weight", p.weight}});
  if (r.topology) {
    out["topology"] = {{"within", model::name(r.topology->within.value)}, {"required", r.topology->required}};
    put(out["topology"], "segment", r.topology->segment, same);
    if (r.topology->segment) out["topology"]["segment_within"] = model::name(r.topology->segment_within.value);
  }
  add_needs(r, out);
  return out;
}

Json sweep_json(const model::Sweep& s) {
  Json out = {{"axes", Json::object()}, {"zip", s.zip}, {"points", s.points()}};
  for (const model::Axis& axis : s.axes) out["axes"][axis.name] = axis.values;
  put(out, "max_parallel", s.max_parallel, same);
  return out;
}

Json notify_json(const model::Notify& n) {
  Json out = {{"email", plain(n.email)}, {"on", Json::array()}};
  for (const auto& event : n.on) out["on"].push_back(model::name(event.value));
  return out;
}

void behaviour_json(const model::Workload& w, Json& out) {
  if (w.checkpoint) out["checkpoint"] = members_json(*w.checkpoint);
  if (w.retry) {
    const bool unlimited = w.retry->limit.value == model::Retry::unlimited;
    out["retry"] = {{"limit", unlimited ? Json("unlimited") : Json(w.retry->limit.value)}, {"on", Json::array()}};
    for (const auto& reason : w.retry->on) out["retry"]["on"].push_back(model::name(reason.value));
    if (!w.retry->exit_codes.empty()) out["retry"]["exit_codes"] = plain(w.retry->exit_codes);
    put(out["retry"], "backoff", w.retry->backoff, printed);
  }
  if (w.retry_default) out["retry"] = "default";
  if (w.stop) out["stop"] = members_json(*w.stop);
  if (w.sweep) out["sweep"] = sweep_json(*w.sweep);
  if (w.notify) out["notify"] = notify_json(*w.notify);
  for (const model::TargetOptions& t : w.targets) {
    for (const model::RawOption& o : t.options)
      out["target"][t.target][o.name] = o.flag ? Json(true) : Json(o.value.value);
    if (!t.srun.empty()) out["target"][t.target]["srun"] = plain(t.srun);
    if (!t.launch.empty()) out["target"][t.target]["launch"] = plain(t.launch);
  }
  if (w.logs) out["logs"] = members_json(*w.logs);
}

}  // namespace

Json to_json(const model::FactValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json to_json(const model::Workload& w, const Sources& sources) {
  Json out = {{"id", w.id}, {"name", w.name}, {"at", sources.place(w.span)}, {"kind", model::name(w.kind.value)}};
  put(out, "title", w.title, same);
  put(out, "account", w.account, same);
  if (!w.queues.empty()) out["queue"] = w.queues.size() == 1 ? Json(w.queues[0].value) : plain(w.queues);
  put(out, "priority", w.priority, same);
  put(out, "preemptible", w.preemptible, same);
  put(out, "time_limit", w.time_limit, printed);
  if (w.time_limit_default) out["time_limit"] = "default";
  if (w.gang) out["gang"] = model::name(w.gang->value);
  for (const auto& [key, value] : w.labels) out["labels"][key] = value.value;
  for (const auto& [key, value] : w.facts) out["facts"][key] = to_json(value.value);
  out["roles"] = Json::array();
  for (const model::Role& role : w.roles) out["roles"].push_back(role_json(role));
  behaviour_json(w, out);
  add_service(w, out);
  for (const model::Workload& option : w.options) out["any_of"][option.option] = to_json(option, sources);
  return out;
}

}  // namespace muster::cli
