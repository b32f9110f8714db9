#include "cli/explain_file.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>

#include "cli/common_options.h"
#include "cli/explain_manifest.h"
#include "cli/render.h"
#include "cli/standard_output.h"
#include "compiler/base/text.h"
#include "driver/read_file.h"
#include "driver/session.h"
#include "targets/batch/read/job_script.h"
#include "targets/slurm/option_table.h"

namespace muster::cli {
namespace {

namespace slurm = targets::slurm;

constexpr std::size_t largest_explained = std::size_t{64} << 20;

std::string line_of(Span span, const Sources& sources) {
  return "line " + std::to_string(sources.position(span.file, span.begin).line);
}

// One line `  name   value   (--option, line 3)`.
class Lines {
 public:
  Lines(const slurm::Script& script, const Sources& sources) : script_(script), sources_(sources) {}

  void heading(std::string_view text) { out_ += "\n" + std::string(text) + "\n"; }
  void plain(std::string text) { out_ += text + "\n"; }
  void item(Span span, const std::string& text) {
    const std::string place = !span.known()               ? ""
                              : span.file == script_.file ? line_of(span, sources_) + ": "
                                                          : "--with: ";
    out_ += "  " + place + text + "\n";
  }

  template <class T, class Show>
  void value(std::string_view name, const slurm::Known<T>& known, Show show) {
    using State = typename slurm::Known<T>::State;
    if (known.state == State::absent) return;
    if (known.state == State::known) row(name, show(known.value), known.by);
    else if (known.state == State::unclear) row(name, "unknown: " + known.reason, known.by);
    else row(name, "refused, see below", known.by);
  }
  void row(std::string_view name, const std::string& text, std::int32_t by = slurm::no_directive) {
    std::string line = "  " + std::string(name);
    line.resize(std::max<std::size_t>(line.size() + 1, 18), ' ');
    line += text;
    if (by != slurm::no_directive) {
      const slurm::Directive& d = script_.directives[static_cast<std::size_t>(by)];
      line += "   (" + d.spelling + (d.line > 0 ? ", line " + std::to_string(d.line) : ", --with") + ")";
    }
    out_ += line + "\n";
  }
  std::string take() { return std::move(out_); }

 private:
  const slurm::Script& script_;
  const Sources& sources_;
  std::string out_;
};

std::string number(std::int64_t n) { return std::to_string(n); }
std::string same(const std::string& text) { return text; }

std::string gpu_list(const std::vector<slurm::GpuCount>& gpus) {
  std::string out;
  for (const slurm::GpuCount& g : gpus)
    out += (out.empty() ? "" : ", ") + std::to_string(g.count) + (g.type.empty() ? "" : " " + g.type);
  return out.empty() ? "none" : out;
}

std::string memory_text(const slurm::Memory& m) {
  if (m.all) return "all of each node";
  const std::string_view per = m.per == slurm::MemoryPer::node  ? "per node"
                               : m.per == slurm::MemoryPer::cpu ? "per CPU"
                                                                : "per GPU";
  const bool whole = m.mebibytes >= 1024 && m.mebibytes % 1024 == 0;
  return (whole ? std::to_string(m.mebibytes / 1024) + " GB " : std::to_string(m.mebibytes) + " MB ") +
         std::string(per);
}

std::string time_text(const slurm::TimeLimit& t) {
  if (t.unlimited) return "no limit";
  return slurm_clock(t.minutes * 60) + " (" + std::to_string(t.minutes) + " min)";
}

std::string array_text(const slurm::Array& a) {
  std::string out = counted(a.count, "task") + " (" + a.ids + ")";
  if (a.throttle) out += ", at most " + std::to_string(*a.throttle) + " at a time";
  return out;
}

std::string signal_text(const slurm::Signal& s) {
  return s.name + " " + counted(s.seconds, "second") + " before the end, to " +
         (s.batch ? "the batch shell only" : "the steps, not the script");
}

std::string exclusive_text(slurm::Exclusive e) {
  switch (e) {
    case slurm::Exclusive::no: return "no";
    case slurm::Exclusive::node: return "whole nodes";
    case slurm::Exclusive::user: return "shared with the same user only";
    case slurm::Exclusive::mcs: return "shared within the MCS label";
    case slurm::Exclusive::topo: return "the whole topology segment";
  }
  return "";
}

void resources(Lines& out, const slurm::Component& c) {
  out.value("nodes", c.nodes, [](const slurm::Range& r) {
    return r.min == r.max ? number(r.min) : number(r.min) + " to " + number(r.max);
  });
  out.value("tasks", c.tasks, number);
  out.value("tasks per node", c.tasks_per_node, number);
  out.value("tasks per GPU", c.tasks_per_gpu, number);
  out.value("CPUs per task", c.cpus_per_task, number);
  out.value("CPUs per GPU", c.cpus_per_gpu, number);
  out.value("GPUs in total", c.gpus_total, gpu_list);
  out.value("GPUs per node", c.gpus_per_node, gpu_list);
  out.value("GPUs per task", c.gpus_per_task, gpu_list);
  out.value("GPUs per socket", c.gpus_per_socket, gpu_list);
  if (c.gpus_in_all.value && *c.gpus_in_all.value > 0 && !c.gpus_total.given())
    out.row("GPUs in total", number(*c.gpus_in_all.value));
  if (c.gpus_a_node.value && *c.gpus_a_node.value > 0 && !c.gpus_per_node.given())
    out.row("GPUs per node", number(*c.gpus_a_node.value));
  out.value("memory", c.memory, memory_text);
  out.value("time", c.time, time_text);
  out.value("minimum time", c.time_min, time_text);
}

void the_rest(Lines& out, const slurm::Component& c, bool slurm) {
  out.value(slurm ? "partition" : "queue", c.partitions, [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& n : names) text += (text.empty() ? "" : " or ") + n;
    return text;
  });
  for (const auto& [name, field] :
       {std::pair{"account", &c.account}, std::pair{"QOS", &c.qos}, std::pair{"reservation", &c.reservation},
        std::pair{"constraint", &c.constraint}, std::pair{"licences", &c.licenses}, std::pair{"node list", &c.nodelist},
        std::pair{"excluded nodes", &c.exclude}, std::pair{"waits for", &c.dependency},
        std::pair{"begin time", &c.begin}, std::pair{"switches", &c.switches}, std::pair{"output", &c.output},
        std::pair{"error", &c.error}, std::pair{"mail", &c.mail_type}})
    out.value(name, *field, same);
  out.value("array", c.array, array_text);
  out.value("signal", c.signal, signal_text);
  out.value("exclusive", c.exclusive, exclusive_text);
  out.value("requeue", c.requeue, [](bool yes) { return yes ? std::string("yes") : std::string("no"); });
}

std::string count_text(const shell::Count& count) {
  return count.value ? std::to_string(*count.value) : "unknown: " + count.reason;
}

void starts(Lines& out, const ReadScript& read) {
  if (read.meaning.starts.empty()) return;
  out.heading("Processes that start:");
  for (const slurm::Start& s : read.meaning.starts) {
    const shell::Launch& outer = read.body.launches[static_cast<std::size_t>(s.launch)];
    const shell::Launch& inner = read.body.launches[static_cast<std::size_t>(s.inner)];
    std::string text(name(outer.kind));
    if (s.inner != s.launch) text += " " + std::string(name(inner.kind));
    text += ": ";
    if (s.per_node.value && s.total.value) {
      text += counted(*s.per_node.value, "process") == "1 process" ? "1 process"
                                                                   : std::to_string(*s.per_node.value) + " processes";
      text += " per node, " + std::to_string(*s.total.value) + " in total";
      if (s.forks.value != 1) text += " (" + count_text(s.tasks_per_node) + " x " + count_text(s.forks) + ")";
    } else if (s.total.value) {
      text += std::to_string(*s.total.value) + " in total; per node: " + count_text(s.per_node);
    } else {
      text += count_text(s.total);
    }
    if (!s.unconditional) text += "; only if its branch, loop or function runs";
    out.item(outer.span, text);
  }
}

void ignored(Lines& out, const ReadScript& read) {
  if (read.script.ignored.empty()) return;
  const bool lsf = read.system == targets::batch::System::lsf;
  const std::string mark = read.is_of_slurm() ? "#SBATCH" : lsf ? "#BSUB" : "#PBS";
  out.heading("Silently ignored by " + std::string(read.is_of_slurm() ? "sbatch" : lsf ? "bsub" : "qsub") + ":");
  for (const slurm::Ignored& i : read.script.ignored) {
    std::string options;
    for (const slurm::Directive& d : i.directives)
      options += (options.empty() ? "`" : ", `") + d.spelling + (d.value ? "=" + *d.value : "") + "`";
    std::string why;
    switch (i.kind) {
      case slurm::IgnoredKind::after_command: why = "is below the first command"; break;
      case slurm::IgnoredKind::indented: why = "does not begin in column 1"; break;
      case slurm::IgnoredKind::wrong_case: why = "`" + mark + "` is not in capitals"; break;
      case slurm::IgnoredKind::misspelt: why = "`" + mark + "` is misspelt"; break;
      case slurm::IgnoredKind::extra_hash: why = "disabled by a second `#`"; break;
      case slurm::IgnoredKind::space_after_hash: why = "has a space after `#`"; break;
      case slurm::IgnoredKind::rest_of_line: why = "the rest of this line is not read"; break;
      case slurm::IgnoredKind::other_dialect:
        why = "a line of another scheduler that sbatch does not translate here";
        break;
    }
    out.item(i.span, (options.empty() ? "" : options + ": ") + why);
  }
}

Span span_of(const slurm::Script& script, std::int32_t index) {
  return index == slurm::no_directive ? Span{} : script.directives[static_cast<std::size_t>(index)].whole;
}

void refused(Lines& out, const ReadScript& read) {
  const slurm::Script& script = read.script;
  if (!script.refusals.empty() || !read.meaning.conflicts.empty())
    out.heading(read.is_of_slurm() ? "Refused by Slurm:" : "Faults of the directives:");
  for (const slurm::Refusal& r : script.refusals)
    out.item(r.span, r.message + (r.nearest.empty() ? "" : "; did you mean `" + r.nearest + "`?"));
  for (const slurm::Conflict& c : read.meaning.conflicts)
    out.item(c.by.empty() ? Span{} : span_of(script, c.by.front()),
             c.message + (c.certain ? "" : " (not by every Slurm version)"));
  if (!read.meaning.site_refusals.empty()) out.heading("Refused by the site:");
  for (const slurm::SiteRefusal& s : read.meaning.site_refusals)
    out.item(span_of(script, s.by), s.message + (s.nearest.empty() ? "" : "; did you mean `" + s.nearest + "`?"));
}

void remarks(Lines& out, const ReadScript& read, const Sources& sources) {
  std::size_t shown = 0;
  for (const slurm::Template& t : read.script.templates) {
    if (shown == 0) out.heading("Placeholders to fill in:");
    if (++shown > 20) break;
    out.item(t.span, "`" + std::string(sources.text(t.span).substr(0, 80)) + "` (" + std::string(t.form) + ")");
  }
  if (!read.meaning.remarks.empty() || !read.script.warnings.empty()) out.heading("Notes:");
  for (const std::string& w : read.script.warnings) out.item({}, w);
  for (const slurm::Remark& r : read.meaning.remarks) out.item({}, r.text);
  if (!read.meaning.open.empty()) out.heading("Not determined by this file alone:");
  for (const slurm::OpenQuestion& q : read.meaning.open) out.item({}, q.message);
}

ReadScript understand(slurm::Script script, const Sources& sources, const slurm::MeaningOptions& options) {
  ReadScript read{std::move(script), {}, {}};
  read.body = slurm::read_body(sources, read.script);
  read.meaning = slurm::meaning_of(read.script, read.body, options);
  return read;
}

// The site of --site, its fleet and the Slurm that it declares. False: reported.
bool read_site(driver::Session& session, slurm::MeaningOptions& meaning) {
  if (session.inputs().site_file.empty()) return true;
  if (!session.load()) return false;
  meaning.site = session.site();
  if (meaning.site == nullptr) return false;
  meaning.fleet = session.fleet(*meaning.site);
  if (const model::Plane* plane = slurm::slurm_plane(meaning.site); plane != nullptr && !meaning.version)
    meaning.version = plane->version.value;
  return !session.diagnostics().has_errors();
}

}  // namespace

// A line of its own, where the file is not submitted as it is.
std::string purpose_text(const targets::Purpose& purpose, const Sources& sources) {
  if (purpose.is_complete()) return "";
  const std::string place = purpose.where.known() ? " (" + line_of(purpose.where, sources) + ")" : "";
  return "This is " + described(purpose) + ": " + purpose.why + place + ".\n\n";
}

std::string slurm_clock(std::int64_t seconds) {
  char text[64];
  const auto part = [&](std::int64_t unit, std::int64_t of) { return static_cast<int>(seconds / unit % of); };
  const auto days = static_cast<long long>(seconds / 86400);
  if (days > 0)
    std::snprintf(text, sizeof text, "%lld-%02d:%02d:%02d", days, part(3600, 24), part(60, 60), part(1, 60));
  else std::snprintf(text, sizeof text, "%02d:%02d:%02d", part(3600, 24), part(60, 60), part(1, 60));
  return text;
}

std::string explain_text(const ReadScript& read, const Sources& sources) {
  Lines out(read.script, sources);
  for (std::size_t i = 0; i < read.meaning.components.size(); ++i) {
    if (read.meaning.components.size() > 1) out.plain((i > 0 ? "\ncomponent " : "component ") + std::to_string(i));
    resources(out, read.meaning.components[i]);
    the_rest(out, read.meaning.components[i], read.is_of_slurm());
  }
  starts(out, read);
  refused(out, read);
  ignored(out, read);
  remarks(out, read, sources);
  return out.take();
}

bool names_a_file(const std::string& name) {
  for (const std::string_view end : {".sbatch", ".sh", ".slurm", ".job"})
    if (std::string_view(name).ends_with(end)) return true;
  std::error_code none;
  return name == "-" || name.find('/') != std::string::npos || std::filesystem::exists(name, none);
}

namespace {

// Behind the name of a file without an `#SBATCH` line.
std::string instead_of_sbatch(std::string_view text) {
  namespace batch = targets::batch;
  const std::optional<batch::System> other = batch::system_of(text);
  return other && batch::is_read(*other)
             ? " (directives of " + std::string(batch::title(*other)) + ", as sbatch reads them)"
             : " (no `#SBATCH` line)";
}

// The scripts of a file, as text or JSON.
int show(driver::Session& session, const CommonOptions& common, const Sources& sources, std::uint32_t file,
         const targets::Purpose& purpose, std::span<const ReadScript> parts, const slurm::MeaningOptions& meaning) {
  if (common.format == "json") {
    Json scripts = Json::array();
    for (const ReadScript& part : parts) scripts.push_back(explain_json(part, sources));
    return finish(session, common, 0,
                  print({{"file", sources.name(file)},
                         {"wrapper", !parts.empty() && parts.front().script.submission.known()},
                         {"purpose", purpose_json(purpose, sources)},
                         {"version", meaning.version ? Json(slurm::to_string(*meaning.version)) : Json()},
                         {"scripts", std::move(scripts)}}));
  }
  std::string all = purpose_text(purpose, sources);
  for (const ReadScript& part : parts) {
    if (&part != parts.data()) all += "\n";
    all += printable(sources.name(file), longest_name);
    if (part.script.submission.known())
      all += ", the script of the here-document, " + line_of(part.script.span, sources);
    else if (!part.script.batch) all += instead_of_sbatch(sources.text(file));
    all += "\n" + explain_text(part, sources);
  }
  return finish(session, common, 0, std::move(all));
}

}  // namespace

int explain_file(const ExplainOptions& options) {
  CommonOptions common;
  common.site_file = options.site_file;
  common.format = options.format;
  driver::Session session(common);
  slurm::MeaningOptions meaning;
  if (!read_site(session, meaning)) return finish(session, common, 2);
  std::string why;
  auto text = driver::read_file(options.file, largest_explained, why);
  if (!text || text->size() > largest_explained) {
    session.diagnostics().add(Code::cannot_read, {},
                              "cannot read `" + options.file + "`: " + (text ? "it is too large" : why));
    return finish(session, common, 2);
  }
  Sources& sources = session.sources();
  slurm::ScriptOptions reading;
  reading.version = meaning.version;
  const std::uint32_t file = sources.add(options.file == "-" ? "<stdin>" : options.file, std::move(*text));
  if (options.with.empty() && !slurm::is_batch_script(sources.text(file)))
    if (const auto manifest = targets::kubernetes::read_manifest(sources, file); !manifest.objects.empty()) {
      return finish(session, common, 0,
                    options.format == "json"
                        ? print({{"file", sources.name(file)}, {"objects", explain_manifest_json(manifest, sources)}})
                        : explain_manifest_text(manifest, sources));
    }
  if (!options.with.empty()) reading.command_line = sources.add("--with", options.with);
  // At a site with Slurm, or with words for sbatch, what is asked is what sbatch reads.
  const bool of_slurm = !options.with.empty() || slurm::slurm_plane(meaning.site) != nullptr;
  if (auto other = of_slurm ? std::nullopt : read_batch_script(sources, file))
    return show(session, common, sources, file, slurm::purpose_of(sources, other->script, other->body), {&*other, 1},
                meaning);
  slurm::Script script = slurm::read_script(sources, file, reading);
  const targets::Purpose purpose = slurm::purpose_of(sources, script, slurm::read_body(sources, script));
  std::vector<slurm::Script> embedded = std::move(script.embedded);
  std::vector<ReadScript> parts;
  const bool wrapper = !script.batch && !embedded.empty();
  if (!wrapper) parts.push_back(understand(std::move(script), sources, meaning));
  for (slurm::Script& inner : embedded) parts.push_back(understand(std::move(inner), sources, meaning));
  return show(session, common, sources, file, purpose, parts, meaning);
}

}  // namespace muster::cli
