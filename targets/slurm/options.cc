#include "targets/slurm/options.h"

#include <algorithm>
#include <array>

#include "targets/shell.h"

namespace muster::targets::slurm {
namespace {

// Options that not every Slurm from 22.05 on has; those in no row, all have.
struct VersionRow {
  std::string_view option;
  model::Version since;
  model::Version until{};  // the first version without it; 0.0 for none
};

constexpr std::array rows = std::to_array<VersionRow>({
    {"--extra", {23, 2}},
    {"--tres-per-task", {23, 2}},
    {"--tres-bind", {23, 11}},
    {"--segment", {24, 5}},
    {"--stepmgr", {24, 5}},
    {"--resv-ports", {24, 5}},
    {"--oom-kill-step", {24, 11}},
    {"--consolidate-segments", {25, 11}},
    {"--spread-segments", {25, 11}},
    {"--power", {0, 0}, {24, 5}},
});

// Of srun alone; sbatch ends with an error where one stands in a file.
constexpr std::array step_options =
    std::to_array<std::string_view>({"--kill-on-bad-exit", "--mpi", "--cpu-bind", "--label", "--overlap", "--exact",
                                     "--het-group", "--relative", "--pty"});

std::string text(model::Version v) {
  return std::to_string(v.major) + (v.minor < 10 ? ".0" : ".") + std::to_string(v.minor);
}

std::string_view name_of(std::string_view directive) { return directive.substr(0, directive.find('=')); }

bool version_has(Job& job, std::string_view name, std::string_view field) {
  const model::Version have = job.plane.version.value;
  for (const VersionRow& row : rows) {
    if (row.option != name) continue;
    const bool gone = row.until > model::Version{} && have >= row.until;
    if (have >= row.since && !gone) return true;
    const std::string limit = gone ? "was removed in " + text(row.until) : "exists from " + text(row.since) + " on";
    job.refuse(field,
               "`" + std::string(name) + "` " + limit + "; plane `" + job.plane.name + "` runs Slurm " + text(have));
    return false;
  }
  return true;
}

// The options that set the same thing as `name`, itself among them.
bool same_thing(std::string_view a, std::string_view b) {
  constexpr std::array groups = std::to_array<std::string_view>(
      {" --gres --gpus --gpus-per-node --gpus-per-task --gpus-per-socket ", " --mem --mem-per-cpu --mem-per-gpu ",
       " --requeue --no-requeue ", " --exclusive --oversubscribe "});
  const auto in = [](std::string_view group, std::string_view name) {
    return group.find(" " + std::string(name) + " ") != std::string_view::npos;
  };
  return a == b || std::any_of(groups.begin(), groups.end(), [&](std::string_view g) { return in(g, a) && in(g, b); });
}

void add_site_directive(Job& job, const model::Located<std::string>& directive) {
  const std::string_view given = directive.value;
  const std::string_view name = name_of(given);
  const auto refuse = [&](const std::string& why) {
    job.refuse_at(directive.span, "directives", "the site's directive `" + std::string(given) + "` " + why);
  };
  const bool shaped = name.size() > 3 && name.starts_with("--") &&
                      std::all_of(name.begin() + 2, name.end(),
                                  [](char c) { return c == '-' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
  if (!shaped) return refuse("must be `--option` or `--option=value`");
  if (std::find(step_options.begin(), step_options.end(), name) != step_options.end())
    return refuse("is an option of srun, sbatch refuses it");
  for (const std::string& have : job.directives) {
    // Other generic resources may stand beside --gpus-per-node.
    if (name == "--gres" && given.find("gpu") == std::string_view::npos && name_of(have) != "--gres") continue;
    if (same_thing(name_of(have), name)) return refuse("would override `" + have + "` of the job");
  }
  if (given.size() == name.size()) add_flag(job, name, "directives");
  else add_option(job, name, given.substr(name.size() + 1), "directives");
}

}  // namespace

void add_flag(Job& job, std::string_view name, std::string_view field) {
  if (version_has(job, name, field)) job.directives.emplace_back(name);
}

void add_option(Job& job, std::string_view name, std::string_view value, std::string_view field) {
  if (!version_has(job, name, field)) return;
  const auto quoted = sbatch_value(value);
  if (!quoted) {
    const std::string message =
        "`" + std::string(name) +
        "` cannot hold this value: an #SBATCH line takes no control characters and at most 4096 bytes";
    job.diagnostics.add(Code::name_not_valid, job.span_of(field), message);
    job.loss.refused(std::string(field), message);
    return;
  }
  job.directives.push_back(std::string(name) + "=" + *quoted);
}

bool has_option(const Job& job, std::string_view name) {
  return std::any_of(job.directives.begin(), job.directives.end(),
                     [&](const std::string& d) { return name_of(d) == name; });
}

void add_site_directives(Job& job) {
  for (const auto& directive : job.plane.directives) add_site_directive(job, directive);
}

}  // namespace muster::targets::slurm
