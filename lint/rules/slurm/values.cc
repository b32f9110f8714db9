// SLM041 unit-mistaken, SLM042 option-repeated, SLM045 block-without-segment: values of options that say something else
// than what was meant.
#include <algorithm>

#include "compiler/base/text.h"
#include "lint/rules/slurm/job.h"
#include "plan/steps/parallel.h"
#include "targets/slurm/option_table.h"

namespace muster::lint {
namespace {

// ---- SLM041 ------------------------------------------------------------------------------------------

// MiB in which a program of a job may run: with GPUs, a driver takes some hundred of them.
std::int64_t least_memory(const SlurmJob& job) { return job.meaning.job().gpus_in_all.value != 0 ? 1000 : 65; }

std::string_view value_of(const SlurmJob& job, std::int32_t by) {
  const slurm::Directive* d = job.directive(by);
  return d != nullptr && d->value ? std::string_view(*d->value) : std::string_view();
}

Fix replace_value(const SlurmJob& job, std::int32_t by, const std::string& value) {
  const slurm::Directive* d = job.directive(by);
  if (d == nullptr || d->value_span.file != job.script.file) return {};
  return Fix{"write `" + value + "`", false, {{d->value_span, value}}};
}

void check_memory_unit(const SlurmJob& job, const slurm::Component& c) {
  if (!c.memory || c.memory->all || c.memory->mebibytes >= least_memory(job) || !all_digits(value_of(job, c.memory.by)))
    return;
  const std::string value(value_of(job, c.memory.by));
  const slurm::Directive* d = job.directive(c.memory.by);
  Finding& f =
      job.wrong(RuleId::unit_mistaken, c.memory.by,
                "`--" + std::string(d->name) + "=" + value + "` is " + value + " MB, because the unit is missing");
  f.notes.push_back("a program that needs more is killed: write `" + value + "G` for gigabytes");
  f.fix = replace_value(job, c.memory.by, value + "G");
}

// Hours of whole days, which hardly anybody means as minutes.
bool looks_like_hours(std::int64_t minutes) {
  return minutes == 24 || minutes == 48 || minutes == 72 || minutes == 96 || minutes == 168;
}

void check_time_unit(const SlurmJob& job, const slurm::Component& c) {
  const slurm::Directive* d = job.directive(c.time.by);
  if (!c.time || c.time->unlimited || d == nullptr || d->origin != slurm::Origin::sbatch) return;
  const std::string value(value_of(job, c.time.by));
  const bool one_colon = std::count(value.begin(), value.end(), ':') == 1 && value.find('-') == std::string::npos;
  const std::string first = value.substr(0, value.find(':'));
  const bool short_test = first != "00" && c.time->seconds <= 60;  // `1:00`, `0:20`: a test may mean it
  const bool days = all_digits(first) && looks_like_hours(*whole_number(first));
  if (one_colon && !days && (c.time->seconds >= 120 || short_test)) return;
  if (!one_colon && !(all_digits(value) && looks_like_hours(c.time->minutes))) return;
  const std::string meant = first + ":" + (one_colon ? value.substr(value.find(':') + 1) : "00") + ":00";
  Finding& f = job.wrong(RuleId::unit_mistaken, c.time.by,
                         one_colon ? "`" + value + "` is " + std::to_string(c.time->seconds) +
                                         " seconds, because a time with one colon is minutes and seconds"
                                   : "`--time=" + value + "` is " + value + " minutes, because the unit is missing");
  f.notes.push_back("for hours write `" + meant + "`");
  f.fix = replace_value(job, c.time.by, meant);
}

// ---- SLM042 ------------------------------------------------------------------------------------------

// Options whose values add up.
bool adds_up(const slurm::Directive& d) { return d.plugin || d.name == "mail-type" || !d.value; }

// `gpu:1` and below it `gpu:v100:1`: the model is added, and nothing else changes.
bool adds_a_model(std::string_view first, std::string_view second) {
  const auto count = [](std::string_view value) { return value.substr(value.rfind(':') + 1); };
  if (count(first) != count(second) || !all_digits(count(first))) return false;
  first = first.substr(0, first.size() - count(first).size());
  return first.size() < second.size() && second.starts_with(first) && std::count(first.begin(), first.end(), ':') < 2;
}

// The log is in one file or the other. Not so `-exclusive`, which Slurm reads as `--error=xclusive`.
bool names_a_log(const slurm::Directive& d) {
  if (d.name != "output" && d.name != "error") return false;
  const std::string spelled = d.spelling.substr(1) + d.value.value_or("");
  return d.spelling.starts_with("--") || slurm::find_option(slurm::Tool::sbatch, spelled) == nullptr;
}

bool is_refused(const SlurmJob& job, const slurm::Directive& d) {
  return std::any_of(job.meaning.conflicts.begin(), job.meaning.conflicts.end(), [&](const slurm::Conflict& c) {
    return c.kind == slurm::ConflictKind::bad_value && !c.by.empty() && job.directive(c.by[0]) == &d;
  });
}

void check_repeated(const SlurmJob& job) {
  const auto& all = job.script.directives;
  const auto own = [&](const slurm::Directive& d) {
    return d.origin == slurm::Origin::sbatch && d.whole.file == job.script.file &&
           d.certainty == slurm::Certainty::literal && !adds_up(d);
  };
  for (std::size_t i = 0; i < all.size() && i < 500; ++i) {
    if (!own(all[i])) continue;
    const auto later = std::find_if(
        all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(),
        [&](const slurm::Directive& d) { return own(d) && d.name == all[i].name && d.component == all[i].component; });
    if (later == all.end() || *later->value == *all[i].value) continue;
    if (later->value->starts_with('-') || all[i].value->starts_with('-')) continue;  // an option became the value
    if (is_refused(job, *later)) continue;                                           // SLM021
    const bool of_gpus = is_one_of(later->name, {"gres", "gpus", "gpus-per-node", "gpus-per-task"});
    if (of_gpus && adds_a_model(*all[i].value, *later->value)) continue;
    Finding& f = job.wrong_at(RuleId::option_repeated, all[i].whole, "--" + std::string(all[i].name),
                              "`--" + std::string(all[i].name) + "` is set twice: `" + printable(*all[i].value, 40) +
                                  "` has no effect, because `" + printable(*later->value, 40) + "` follows");
    f.labels.push_back({later->whole, "this one applies"});
    if (const Span line = whole_line(job.sources(), all[i].whole);
        trimmed(job.sources().text(line), " \t\r\n") == "#SBATCH " + std::string(job.sources().text(all[i].whole)))
      f.fix = Fix{"delete the line without effect", true, {{line, ""}}};
    else f.notes.push_back("delete the one that is not meant");
    if (is_one_of(later->name, {"job-name", "comment"}) || names_a_log(all[i])) f.severity = Severity::info;
  }
}

// ---- SLM045 ------------------------------------------------------------------------------------------

constexpr std::int64_t usual_block = 18;  // nodes of an NVL72 rack, where the site does not declare its domains

// The nodes that NVLink joins in the pools that a job may get.
std::int64_t nodes_of_block(const SlurmJob& job) {
  std::int64_t most = 0;
  for (const model::Pool* pool : pools_of(job))
    if (pool->gpu && pool->gpu->count > 0 && !pool->nvlink_domains.empty())
      most = std::max(most, plan::nvlink_gpus(*pool) / pool->gpu->count);
  return most > 0 ? most : usual_block;
}

void check_segment(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  const model::Plane* plane = job.meaning.plane;
  if (plane == nullptr || plane->batch()->topology != model::SlurmTopology::block || !couples_nodes(job)) return;
  if (!c.nodes || c.nodes->min != c.nodes->max || c.segment.given() || c.nodelist.given()) return;
  if (c.nodes->min > nodes_of_block(job)) return;
  const std::string nodes = std::to_string(c.nodes->min);
  Finding& f = job.wrong(RuleId::block_without_segment, c.nodes.by,
                         "without `--segment`, Slurm may spread the " + nodes + " nodes over several blocks");
  f.notes.push_back("write `#SBATCH --segment=" + nodes + "` to keep them in one");
}

}  // namespace

void check_values(const SlurmJob& job) {
  for (const slurm::Component& c : job.meaning.components) check_memory_unit(job, c), check_time_unit(job, c);
  for (const slurm::Remark& remark : job.meaning.remarks)
    if (remark.kind == slurm::RemarkKind::array_blocked) job.wrong(RuleId::unit_mistaken, remark.by, remark.text);
  check_repeated(job);
  check_segment(job);
}

}  // namespace muster::lint
