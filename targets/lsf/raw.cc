// `target lsf { name = value }`: `-name value`, an option of bsub; and the lines that the site gives every job.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "targets/lsf/sections.h"

namespace muster::targets::lsf {
namespace {

// What muster writes itself, by the key that says it.
struct Said {
  std::string_view names;  // each between blanks
  std::string_view instead;
};
constexpr std::array said = std::to_array<Said>({
    {" J ", "set `title`, or write `sweep { … }`"},
    {" Jd ", "write `labels { … }`"},
    {" P ", "set `account`"},
    {" q ", "set `queue`"},
    {" U ", "set `reservation` in the site's queue"},
    {" r rn Q ", "write `retry { … }`"},
    {" o oo e eo ", "write `logs { … }`"},
    {" env L ", "write `env { … }`, or `launch { export = … }`"},
    {" u B N Ne ", "write `notify { … }`"},
    {" cwd ", "set `workdir`"},
    {" n ", "set `nodes` and `cpus`"},
    {" x ", "set `exclusive`"},
    {" gpu ", "set `gpus`"},
    {" m ", "write `require`"},
    {" W ", "set `time-limit`"},
    {" sp ", "set `priority`"},
    {" w ", "write `depends-on`"},
    {" I Ip IS ISp ISs Is IX K i is Zs json yaml jsdl jsdl_strict pack tty h V XF ",
     "remove it: the file is a bash script that runs by itself"},
});
// Options with a value, and those without.
constexpr std::string_view raw_valued =
    " C D E Ep F G Lp M R S T We a app b c clusters data datagrp eptl ext f freq g hl hostfile k mig network notify "
    "outdir p ptl rnc sla stage t ti ul v wa wt ";
constexpr std::string_view raw_flags = " H ar rcacct ";

// Of CSM, on whose nodes jsrun starts programs.
constexpr std::string_view of_csm =
    " nnodes alloc_flags jsm csm step_cgroup core_isolation cn_cu cn_mem ln_slots ln_mem smt ";

bool is_in(std::string_view list, std::string_view name) {
  return list.find(" " + std::string(name) + " ") != list.npos;
}

const Said* said_by_key(std::string_view name) {
  const auto found = std::find_if(said.begin(), said.end(), [&](const Said& row) { return is_in(row.names, name); });
  return found == said.end() ? nullptr : &*found;
}

// A section that muster writes itself would be one of two, of which LSF refuses or joins the sizes.
bool is_own_section(std::string_view requirement) {
  for (const std::string_view section : {"span[", "rusage[mem", "affinity["})
    if (requirement.find(section) != requirement.npos) return true;
  return false;
}

void add_raw_option(Job& job, const std::string& block, const model::RawOption& option) {
  const FieldRef field{Field::target, block + "." + option.name};
  const auto refuse = [&](const std::string& why, std::string_view help = {}) {
    job.refuse_at(option.value.span, field, "`" + printable(option.name) + "` " + why, help);
  };
  if (const Said* row = said_by_key(option.name))
    return refuse("is written by muster itself", std::string(row->instead));
  if (is_in(of_csm, option.name)) return refuse("is an option of CSM, for which muster writes no files");
  const bool flag = is_in(raw_flags, option.name);
  if (!flag && !is_in(raw_valued, option.name)) return refuse("is not an option of bsub");
  if (option.flag != flag) return refuse(flag ? "takes no value" : "needs a value");
  if (option.name == "R" && is_own_section(option.value.value))
    return refuse("has a section that is written by muster itself", "set `nodes`, `cpus` or `memory`");
  if (flag) job.directives.push_back("-" + option.name);
  else add_option(job, "-" + option.name, option.value.value, field);
  job.exact(field, job.directives.empty() ? option.name : job.directives.back());
}

void add_raw_options(Job& job) {
  for (const model::TargetOptions& target : job.workload.targets) {
    if (!batch::is_own_block(job, target)) continue;
    batch::refuse_srun(job, target);
    for (const model::RawOption& option : target.options) add_raw_option(job, target.target, option);
  }
}

// "-app gpu" or "-R \"select[rhel9]\""; an option of the job's own is not said twice.
void add_site_directive(Job& job, const model::Located<std::string>& directive) {
  const std::string_view given = directive.value;
  const auto refuse = [&](const std::string& why) {
    job.refuse_at(directive.span, Field::directives, "the site's directive `" + printable(given) + "` " + why);
  };
  const std::string option(given.substr(0, given.find(' ')));
  if (option.size() < 2 || option[0] != '-' || !is_letter(option[1]) || option.size() + 1 == given.size())
    return refuse("must be `-X value`");
  if (std::any_of(given.begin(), given.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; }))
    return refuse("contains a control character");
  if (option == "-R" && is_own_section(given)) return refuse("would override the size of the job");
  for (const std::string& have : job.directives)
    if (option != "-R" && have.substr(0, have.find(' ')) == option)
      return refuse("would override `" + have + "` of the job");
  job.directives.emplace_back(given);
}

// LSF hands on the submitter's environment by itself.
void add_export(Job& job) {
  if (job.inherits_all()) return job.read(Field::launch_export, "LSF, which hands on the submitter's environment");
  job.directives.emplace_back("-env none");
  job.exact(Field::launch_export, "-env none");
}

}  // namespace

void ask_own(Job& job) {
  add_export(job);
  add_raw_options(job);
  for (const auto& directive : job.batch.directives) add_site_directive(job, directive);
  batch::check_submit_filter(job);
}

}  // namespace muster::targets::lsf
