// A script, what it starts and what Slurm makes of it, as JSON.
#include "cli/explain_file.h"

namespace muster::cli {
namespace {

namespace slurm = targets::slurm;

Json place(Span span, const Sources& sources) {
  if (!span.known()) return Json();
  const Position at = sources.position(span.file, span.begin);
  return {{"line", at.line}, {"column", at.column}, {"begin", span.begin}, {"end", span.end}};
}

Json value(const std::string& v) { return v; }
Json value(std::int64_t v) { return v; }
Json value(bool v) { return v; }
Json value(const std::vector<std::string>& v) { return v; }
Json value(const slurm::Range& v) { return {{"min", v.min}, {"max", v.max}}; }
Json value(const std::vector<slurm::GpuCount>& v) {
  Json out = Json::array();
  for (const slurm::GpuCount& g : v) out.push_back({{"type", g.type}, {"count", g.count}});
  return out;
}
Json value(const std::vector<slurm::Gres>& v) {
  Json out = Json::array();
  for (const slurm::Gres& g : v) out.push_back({{"name", g.name}, {"type", g.type}, {"count", g.count}});
  return out;
}
Json value(const slurm::Memory& v) {
  const char* per = v.per == slurm::MemoryPer::node ? "node" : v.per == slurm::MemoryPer::cpu ? "cpu" : "gpu";
  return {{"per", per}, {"mebibytes", v.mebibytes}, {"all", v.all}};
}
Json value(const slurm::TimeLimit& v) {
  return {{"seconds", v.seconds}, {"minutes", v.minutes}, {"unlimited", v.unlimited}};
}
Json value(const slurm::Array& v) {
  return {{"count", v.count},
          {"min", v.min},
          {"max", v.max},
          {"ids", v.ids},
          {"throttle", v.throttle ? Json(*v.throttle) : Json()}};
}
Json value(const slurm::Signal& v) {
  return {{"name", v.name},
          {"number", v.number},
          {"seconds", v.seconds},
          {"batch", v.batch},
          {"reservation", v.reservation}};
}
Json value(slurm::Exclusive v) {
  constexpr const char* names[] = {"no", "node", "user", "mcs", "topo"};
  return names[static_cast<int>(v)];
}

Json count(const shell::Count& c) {
  if (!c.stated()) return Json();
  if (c.per_gpu) return {{"per_gpu", true}};
  return c.value ? Json({{"value", *c.value}}) : Json({{"unknown", c.reason}});
}

// Fields that nothing gave are left out.
class Fields {
 public:
  explicit Fields(const slurm::Script& script) : script_(script) {}

  template <class T>
  void add(const char* name, const slurm::Known<T>& known) {
    using State = typename slurm::Known<T>::State;
    if (known.state == State::absent) return;
    Json out;
    if (known.state == State::known) out["value"] = value(known.value);
    else if (known.state == State::unclear) out["unclear"] = known.reason;
    else out["invalid"] = true;
    if (known.by != slurm::no_directive) {
      const slurm::Directive& d = script_.directives[static_cast<std::size_t>(known.by)];
      out["option"] = d.name.empty() ? d.spelling : "--" + std::string(d.name), out["line"] = d.line;
    }
    json[name] = std::move(out);
  }

  Json json = Json::object();

 private:
  const slurm::Script& script_;
};

Json component(const slurm::Component& c, const slurm::Script& script) {
  Fields out(script);
  out.add("nodes", c.nodes), out.add("tasks", c.tasks), out.add("tasks_per_node", c.tasks_per_node);
  out.add("tasks_per_gpu", c.tasks_per_gpu), out.add("cpus_per_task", c.cpus_per_task);
  out.add("cpus_per_gpu", c.cpus_per_gpu), out.add("min_cpus", c.min_cpus);
  out.add("gpus", c.gpus_total), out.add("gpus_per_node", c.gpus_per_node), out.add("gpus_per_task", c.gpus_per_task);
  out.add("gpus_per_socket", c.gpus_per_socket), out.add("gpus_in_gres", c.gpus_in_gres), out.add("gres", c.gres),
      out.add("memory", c.memory);
  out.add("time", c.time), out.add("time_min", c.time_min), out.add("partitions", c.partitions);
  out.add("account", c.account), out.add("qos", c.qos), out.add("reservation", c.reservation);
  out.add("constraint", c.constraint), out.add("prefer", c.prefer), out.add("licenses", c.licenses);
  out.add("nodelist", c.nodelist), out.add("exclude", c.exclude), out.add("job_name", c.job_name);
  out.add("comment", c.comment), out.add("output", c.output), out.add("error", c.error), out.add("input", c.input);
  out.add("chdir", c.chdir), out.add("open_mode", c.open_mode), out.add("dependency", c.dependency);
  out.add("mail_type", c.mail_type), out.add("mail_user", c.mail_user), out.add("begin", c.begin);
  out.add("deadline", c.deadline), out.add("export", c.export_env), out.add("container", c.container);
  out.add("distribution", c.distribution), out.add("gpu_bind", c.gpu_bind), out.add("switches", c.switches);
  out.add("segment", c.segment), out.add("nice", c.nice), out.add("array", c.array), out.add("signal", c.signal);
  out.add("exclusive", c.exclusive), out.add("requeue", c.requeue), out.add("oversubscribe", c.oversubscribe);
  out.add("overcommit", c.overcommit), out.add("contiguous", c.contiguous), out.add("hold", c.hold);
  out.add("kill_on_invalid_dependency", c.kill_on_invalid_dependency), out.add("wait", c.wait);
  out.json["gpus_a_node"] = count(c.gpus_a_node), out.json["gpus_in_all"] = count(c.gpus_in_all);
  return std::move(out.json);
}

Json directive(const slurm::Directive& d, const Sources& sources) {
  constexpr const char* certainties[] = {"literal", "templated", "expanded"};
  Json out{{"name", d.name.empty() ? d.spelling : d.name},
           {"spelt", d.spelling},
           {"value", d.value ? Json(*d.value) : Json()}};
  out["component"] = d.component, out["origin"] = name(d.origin);
  out["certainty"] = certainties[static_cast<int>(d.certainty)];
  if (d.plugin) out["plugin"] = true;
  out["place"] = place(d.option, sources);
  return out;
}

// A generated file may hold a million items, too many for a report.
constexpr std::size_t most_items = 2000;

Json list(const auto& items, auto make) {
  Json out = Json::array();
  for (std::size_t i = 0; i < items.size() && i < most_items; ++i) out.push_back(make(items[i]));
  return out;
}

Json launch(const shell::Launch& l, const Sources& sources) {
  Json out{{"kind", name(l.kind)}, {"parent", l.parent}};
  std::string program;
  for (std::size_t i = 0; i < l.program.size() && i < 8; ++i) program += (i > 0 ? " " : "") + l.program[i].text;
  out["program"] = program.substr(0, 200);
  out["processes"] = count(l.processes), out["per_node"] = count(l.per_node), out["nodes"] = count(l.nodes);
  out["place"] = place(l.span, sources);
  return out;
}

Json start(const slurm::Start& s) {
  return {{"launch", s.launch},
          {"inner", s.inner},
          {"tasks", count(s.tasks)},
          {"tasks_per_node", count(s.tasks_per_node)},
          {"forks", count(s.forks)},
          {"nodes", count(s.nodes)},
          {"per_node", count(s.per_node)},
          {"total", count(s.total)},
          {"component", s.component},
          {"unconditional", s.unconditional}};
}

// Null of PBS and LSF: what they accept is not known whole.
Json accepted(const ReadScript& read) {
  if (!read.is_of_slurm()) return Json();
  for (const slurm::Conflict& c : read.meaning.conflicts)
    if (c.certain) return false;
  return read.script.refusals.empty();
}

}  // namespace

Json purpose_json(const targets::Purpose& purpose, const Sources& sources) {
  return {{"kind", name(purpose.kind)},
          {"engine", purpose.engine.empty() ? Json() : Json(purpose.engine)},
          {"why", purpose.why.empty() ? Json() : Json(purpose.why)},
          {"at", place(purpose.where, sources)}};
}

Json explain_json(const ReadScript& read, const Sources& sources) {
  const slurm::Script& script = read.script;
  const slurm::Meaning& meaning = read.meaning;
  const auto one_directive = [&](const slurm::Directive& d) { return directive(d, sources); };
  const targets::Purpose purpose = slurm::purpose_of(sources, script, read.body);
  Json out{{"system", name(read.system)}};
  if (script.directives.size() > most_items) out["directives_left_out"] = script.directives.size() - most_items;
  out["batch"] = script.batch, out["accepted"] = accepted(read);
  out["template"] = purpose.kind == targets::PurposeKind::templated;
  out["interpreter"] = script.interpreter;
  if (script.submission.known()) out["embedded"] = true, out["submitted"] = script.handed_over;
  out["components"] = list(meaning.components, [&](const auto& c) { return component(c, script); });
  out["starts"] = list(meaning.starts, start);
  out["refusals"] = list(script.refusals, [&](const slurm::Refusal& r) {
    return Json{
        {"kind", name(r.kind)}, {"message", r.message}, {"nearest", r.nearest}, {"place", place(r.span, sources)}};
  });
  out["conflicts"] = list(meaning.conflicts, [&](const slurm::Conflict& c) {
    return Json{{"kind", name(c.kind)}, {"message", c.message}, {"component", c.component}, {"certain", c.certain}};
  });
  out["site_refusals"] = list(meaning.site_refusals, [&](const slurm::SiteRefusal& s) {
    return Json{{"kind", name(s.kind)}, {"message", s.message}, {"nearest", s.nearest}, {"component", s.component}};
  });
  out["ignored"] = list(script.ignored, [&](const slurm::Ignored& i) {
    return Json{
        {"kind", name(i.kind)}, {"place", place(i.span, sources)}, {"directives", list(i.directives, one_directive)}};
  });
  out["templates"] = list(script.templates, [&](const slurm::Template& t) {
    return Json{{"kind", std::string(t.form)}, {"in_directive", t.in_directive}, {"place", place(t.span, sources)}};
  });
  out["directives"] = list(script.directives, one_directive);
  out["launches"] = list(read.body.launches, [&](const shell::Launch& l) { return launch(l, sources); });
  out["remarks"] = Json::array();
  for (const slurm::Remark& r : meaning.remarks) out["remarks"].push_back(r.text);
  out["open"] = list(meaning.open, [](const slurm::OpenQuestion& q) { return Json(q.message); });
  return out;
}

}  // namespace muster::cli
