// `target pbs { name = value }`: `-X value` of an option of one letter, else a resource, `-l name=value`; and the lines
// that the site gives every job.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "targets/pbs/sections.h"

namespace muster::targets::pbs {
namespace {

// What muster writes itself, by the key that says it.
struct Said {
  std::string_view names;  // each between blanks
  std::string_view instead;
};
constexpr std::array said = std::to_array<Said>({
    {" N ", "set `title`"},
    {" A ", "set `account`"},
    {" q ", "set `queue`"},
    {" J t ", "write `sweep { … }`"},
    {" r ", "write `retry { … }`"},
    {" o e j k ", "write `logs { … }`"},
    {" V ", "set `launch { export = all }`"},
    {" v ", "write `env { … }`"},
    {" m M ", "write `notify { … }`"},
    {" d w ", "set `workdir`"},
    {" select nodes procs place naccesspolicy ", "set `nodes`"},
    {" ncpus ppn ", "set `cpus`"},
    {" ngpus gpus ", "set `gpus`"},
    {" mem pmem vmem pvmem ", "set `memory`"},
    {" walltime ", "set `time-limit`"},
    {" mpiprocs ", "set `launch { processes = … }`"},
    {" l ", "write the name of the resource: `filesystems = \"home\"`"},
    {" S C I X z T F b ", "remove it: the file is a bash script that runs by itself"},
});
constexpr std::string_view letters_of_openpbs = "acfhpPRuW", letters_of_torque = "acDEhKLnpPRuWx";

const Said* said_by_key(std::string_view name) {
  const auto found = std::find_if(said.begin(), said.end(), [&](const Said& row) {
    return row.names.find(" " + std::string(name) + " ") != row.names.npos;
  });
  return found == said.end() ? nullptr : &*found;
}

bool is_resource(std::string_view name) {
  return is_letter(name[0]) && std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '_'; });
}

void add_raw_option(Job& job, const std::string& block, const model::RawOption& option) {
  const FieldRef field{Field::target, block + "." + option.name};
  const auto refuse = [&](const std::string& why, std::string_view help = {}) {
    job.refuse_at(option.value.span, field, "`" + printable(option.name) + "` " + why, help);
  };
  if (const Said* row = said_by_key(option.name))
    return refuse("is written by muster itself", std::string(row->instead));
  const std::string_view letters = is_torque(job) ? letters_of_torque : letters_of_openpbs;
  if (option.name.size() == 1 && letters.find(option.name) == letters.npos) return refuse("is not an option of qsub");
  if (option.name.size() > 1 && !is_resource(option.name)) return refuse("is not a valid name of a resource of PBS");
  const std::string spelt = option.name.size() == 1 ? "-" + option.name : "-l " + option.name;
  if (!option.flag) add_option(job, spelt, option.value.value, field);
  else if (option.name.size() == 1) job.directives.push_back(spelt);
  else return refuse("needs a value");
  job.exact(field, job.directives.empty() ? spelt : job.directives.back());
}

void add_raw_options(Job& job) {
  for (const model::TargetOptions& target : job.workload.targets) {
    if (!batch::is_own_block(job, target)) continue;
    batch::refuse_srun(job, target);
    for (const model::RawOption& option : target.options) add_raw_option(job, target.target, option);
  }
}

// "-l filesystems=home" or "-P project"; an option of the job's own is not said twice.
void add_site_directive(Job& job, const model::Located<std::string>& directive) {
  const std::string_view given = directive.value;
  const auto refuse = [&](const std::string& why) {
    job.refuse_at(directive.span, Field::directives, "the site's directive `" + printable(given) + "` " + why);
  };
  const bool shaped = given.size() > 1 && given[0] == '-' && is_letter(given[1]) &&
                      (given.size() == 2 || (given.size() > 3 && given[2] == ' '));
  if (!shaped) return refuse("must be `-X value`, or `-l resource=value`");
  if (std::any_of(given.begin(), given.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; }))
    return refuse("contains a control character");
  const std::string_view name = given.substr(0, given.find('='));
  const bool several = given[1] == 'W';
  for (const std::string& have : job.directives) {
    const std::string_view other = std::string_view(have).substr(0, have.find('='));
    const bool same = given[1] == 'l' ? other == name : have.substr(0, 2) == given.substr(0, 2) && !several;
    if (same) return refuse("would override `" + have + "` of the job");
  }
  job.directives.emplace_back(given);
}

// PBS hands on nothing of the submitter's environment by itself.
void add_export(Job& job) {
  if (!job.inherits_all()) return job.read(Field::launch_export, "PBS, which hands on nothing by itself");
  job.directives.emplace_back("-V");
  job.exact(Field::launch_export, "-V");
}

}  // namespace

void ask_own(Job& job) {
  add_export(job);
  add_raw_options(job);
  for (const auto& directive : job.batch.directives) add_site_directive(job, directive);
  batch::check_submit_filter(job);
}

}  // namespace muster::targets::pbs
