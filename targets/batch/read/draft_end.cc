// The end of an import: the shape of the job as amounts of a node, its queue, its site and its text.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/launchers.h"
#include "targets/batch/read/names.h"
#include "targets/slurm/lift/lift.h"
#include "targets/slurm/read/importer.h"

namespace muster::targets::batch {
namespace {

using model::Located;

void write_gpus(Draft& draft, Span where) {
  const NodeShape& shape = draft.shape;
  if (!shape.gpus || *shape.gpus < 1) return;
  model::Resources& resources = draft.role().resources;
  resources.gpus = Located<std::int64_t>{*shape.gpus, where};
  if (shape.gpu_model.empty()) return;
  const std::string model = muster::lower(name_from(shape.gpu_model));
  resources.gpu = Located<std::vector<std::string>>{{model}, where};
  draft.out.site.gpus.push_back({model, Located<std::string>{shape.gpu_model, where}, {}});
}

constexpr std::int64_t least_memory = std::int64_t{1} << 20;  // of the language

// Tasks that the system may spread over any nodes are options of Slurm, which does the same.
void write_spread(Draft& draft, Span where) {
  auto& targets = draft.workload().targets;
  if (targets.empty()) targets.push_back({"slurm", {}, where});
  auto& options = targets.front().options;
  if (std::none_of(options.begin(), options.end(), [](const model::RawOption& o) { return o.name == "ntasks"; }))
    options.push_back({"ntasks", {std::to_string(*draft.shape.spread), where}, false});
  draft.role().launch.runner = Located<model::Runner>{model::Runner::batch_script, where};
}

void write_queue(Draft& draft) {
  const std::string label = draft.queue_label.empty() ? "default" : muster::lower(name_from(draft.queue_label));
  draft.queue.name = label;
  draft.queue.is_default = draft.queue_label.empty();
  if (!draft.queue_label.empty()) draft.workload().queues = {{label, draft.script.text.span}};
  for (ImportLine& line : draft.out.lines)
    if (line.as == "a queue of the site") line.as = "queue `" + label + "` of the site";
  draft.out.site.queues.push_back(draft.queue);
}

// The fragment is for a Slurm of the same names: features of nodes and tasks on any nodes are kept in its words.
void write_plane(Draft& draft) {
  model::Plane plane;
  plane.name = "slurm";
  plane.span = draft.script.text.span;
  plane.set_kind(model::PlaneKind::slurm, draft.script.text.span);
  draft.out.site.planes.push_back(std::move(plane));
}

// What the script does not ask for stays as the cluster has it.
void write_defaults(Draft& draft) {
  model::Workload defaults;
  defaults.roles.emplace_back();
  model::Resources& left = defaults.roles.front().resources;
  const model::Resources& asked = draft.role().resources;
  if (!asked.cpus) left.cpus = model::unplaced(model::Amount<std::int64_t>{.left_to_site = true});
  if (!asked.memory) left.memory = model::unplaced(model::Amount<Size>{.left_to_site = true});
  if (!draft.workload().retry) defaults.retry_default = model::unplaced(model::LeftTo::site);
  if (left.cpus || left.memory || defaults.retry_default) draft.out.site.defaults = std::move(defaults);
}

void write_text(Draft& draft) {
  const slurm::Component none;
  slurm::Importer text{draft.sources, draft.script.text, draft.body, none, draft.diagnostics};
  text.out = std::move(draft.out);
  slurm::import_text(text);
  draft.out = std::move(text.out);
  draft.workload().kind = {slurm::kind_of(draft.body, draft.workload().sweep.has_value()), draft.script.text.span};
}

// `walltime=<time>`, `{{ nodes }}`: a program fills the file in first. Of texts such as a name any byte may be meant.
const slurm::Template* placeholder_of(const JobScript& script) {
  for (const slurm::Template& t : script.text.templates) {
    const auto part = std::find_if(script.parts.begin(), script.parts.end(), [&](const DirectivePart& p) {
      return p.span.begin <= t.span.begin && t.span.begin < p.span.end;
    });
    const bool text =
        part != script.parts.end() && is_one_of(part->option, {"-N", "-J", "-M", "-u", "-o", "-e", "-A", "-P", "-v"});
    if (t.in_directive && t.by != FilledBy::variable && !text) return &t;
  }
  return nullptr;
}

}  // namespace

bool starts_processes(const Draft& draft) {
  return std::any_of(draft.body.launches.begin(), draft.body.launches.end(), [](const shell::Launch& l) {
    const shell::Starts starts = row_of(l.kind).starts;
    return starts == shell::Starts::tasks || starts == shell::Starts::workers || starts == shell::Starts::jobs;
  });
}

void write_shape(Draft& draft, Span where) {
  NodeShape& shape = draft.shape;
  shape.where = where;
  model::Resources& resources = draft.role().resources;
  if (shape.spread && *shape.spread > 1) write_spread(draft, where);
  else if (shape.spread) shape.spread.reset();
  const bool steps = shape.nodes > 1 || starts_processes(draft);
  if (shape.nodes > 1) resources.nodes = Located<model::Count>{{shape.nodes, shape.nodes}, where};
  if (steps && !shape.spread) {
    draft.role().launch.runner = Located<model::Runner>{model::Runner::batch_script, where};
    draft.role().launch.processes = Located<std::int64_t>{shape.tasks, where};
  }
  if (shape.cpus && *shape.cpus > 0)
    resources.cpus = Located<model::Amount<std::int64_t>>{{false, *shape.cpus, *shape.cpus}, where};
  if (shape.memory && *shape.memory >= least_memory)
    resources.memory = Located<model::Amount<Size>>{{false, Size{*shape.memory}, Size{*shape.memory}}, where};
  write_gpus(draft, where);
}

Draft draft_of(const Sources& sources, JobScript& script, const std::string& name, Diagnostics& diagnostics) {
  if (script.text.interpreter.empty()) script.text.interpreter = "/bin/bash";
  Draft draft{sources, script, diagnostics, slurm::read_body(sources, script.text)};
  draft.workload().name = name;
  draft.workload().span = script.text.span;
  draft.workload().roles.emplace_back();
  return draft;
}

bool importable(const JobScript& script, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  if (const slurm::Template* hole = placeholder_of(script))
    diagnostics
        .add(Code::cannot_import, hole->span,
             "the file is a template, which is rendered before " + std::string(title(script.system)) + " reads it")
        .notes.push_back("import the rendered file");
  for (const Fault& fault : script.faults)
    if (fault.kind == FaultKind::dos_line_ends)
      diagnostics.add(Code::cannot_import, fault.span, fault.message).notes.push_back("convert it with `dos2unix`");
  if (script.parts.empty() && !script.late.empty())
    diagnostics.add(Code::cannot_import, script.late.front().span,
                    "no directive is above the first command, so " + std::string(title(script.system)) + " reads none");
  return diagnostics.size() == before;
}

void account_for_the_rest(Draft& draft) {
  for (const DirectivePart& p : draft.script.parts)
    if (!draft.done.contains(&p))
      draft.lost(p, p.option.starts_with("-l ") ? "a resource of that site" : "no key of the language says it");
  const std::string mark = draft.script.system == System::pbs ? "#PBS" : "#BSUB";
  for (const Fault& fault : draft.script.faults) {
    if (fault.kind == FaultKind::comment)
      draft.out.lines.push_back({fault.span, mark, Fate::mapped, "nothing", "a comment"});
    else draft.out.lines.push_back({fault.span, mark, Fate::lost, "", fault.message});
  }
  for (const LateLine& late : draft.script.late) {
    const bool after = late.kind == LateKind::after_command;
    if (after && draft.script.system == System::lsf) continue;  // bsub obeys it
    draft.out.ignored.push_back({late.span, after ? "after-command" : "not-a-directive", after});
  }
}

Imported finish(Draft& draft, const std::optional<PlaneWords>& plane) {
  draft.body = slurm::read_body(draft.sources, draft.script.text);  // with the values of its variables
  if (plane) drop_words_of_system(draft);
  if (draft.script.system == System::pbs) start_at_home(draft);  // LSF starts it where it was submitted
  write_queue(draft);
  write_plane(draft);
  write_defaults(draft);
  write_text(draft);
  slurm::Meaning meaning;
  meaning.components.emplace_back();
  const NodeShape& shape = draft.shape;
  if (shape.cpus && shape.tasks > 0 && *shape.cpus % shape.tasks == 0) {
    meaning.components.front().cpus_per_task.state = slurm::Known<std::int64_t>::State::known;
    meaning.components.front().cpus_per_task.value = *shape.cpus / shape.tasks;
  }
  if (plane) slurm::lift(draft.sources, draft.script.text, draft.body, meaning, *plane, draft.out);
  bind_names(draft);
  std::stable_sort(draft.out.lines.begin(), draft.out.lines.end(),
                   [](const ImportLine& a, const ImportLine& b) { return a.span.begin < b.span.begin; });
  return std::move(draft.out);
}

}  // namespace muster::targets::batch
