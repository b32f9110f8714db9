// `target slurm { srun = […] }`: options of the user's own for the srun that starts the program.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "compiler/model/runner.h"
#include "targets/lookup.h"
#include "targets/shell.h"
#include "targets/slurm/option_table.h"
#include "targets/slurm/options.h"
#include "targets/slurm/read/option_values.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

using Given = model::Located<std::string>;

// Options about how a step runs what it starts, each between blanks. Those of Pyxis are such, too.
constexpr std::string_view of_a_step =
    " accel-bind acctg-freq bcast bcast-exclude compress cpu-bind cpu_bind cpu-freq disable-status distribution epilog "
    "gpu-bind gpu-freq gres-flags ignore-signals input label mem-bind msg-timeout network oom-kill-step profile prolog "
    "propagate quiet quit-on-interrupt resv-ports send-libs slurmd-debug task-epilog task-prolog threads treewidth "
    "tres-bind unbuffered verbose wait-for-children ";

// What muster writes itself, or what the workload says by a key, and what to do instead.
struct Said {
  std::string_view options;
  std::string_view instead;
};

constexpr std::array said = std::to_array<Said>({
    {" nodes ", "set `nodes`"},
    {" ntasks ntasks-per-node tasks-per-node ntasks-per-core ntasks-per-gpu ntasks-per-socket ntasks-per-tres "
     "overcommit ",
     "set `launch { processes = … }`"},
    {" cpus-per-task cpus-per-gpu mincpus cores-per-socket sockets-per-node extra-node-info core-spec thread-spec ",
     "set `cpus`"},
    {" hint threads-per-core ", "set `resources { smt = … }`"},
    {" gpus gpus-per-node gpus-per-socket gpus-per-task gres tres-per-task ", "set `gpus`"},
    {" mem mem-per-cpu mem-per-gpu mem-update ", "set `memory`"},
    {" time time-min deadline begin ", "set `time-limit`"},
    {" signal ", "write `stop { … }`"},
    {" chdir container-workdir ", "set `workdir`"},
    {" export preserve-env container-env ", "write `env { … }`, or `launch { export = … }`"},
    {" output error open-mode ", "write `logs { … }`"},
    {" nodelist exclude nodefile constraint prefer contiguous ", "write `require …`"},
    {" container container-id container-type container-image ", "set `image`"},
    {" container-mounts ", "write `mount NAME { path = … }`"},
    {" mpi ", "set `launch { runner = mpi }`, and `mpi` in the plane of the site"},
    {" multi-prog relative het-group pack-group ", "write a `role NAME { … }` for each program"},
    {" overlap exact exclusive whole oversubscribe kill-on-bad-exit wait no-kill ",
     "remove it: the step has its nodes for itself, and ends when one of its processes fails"},
    {" jobid no-allocate external-launcher interactive pty x11 debugger-test immediate async help usage version "
     "test-only autocomplete parsable ",
     "remove it: this srun starts the program inside the job and waits for its end"},
});

class ProgramOptions {
 public:
  ProgramOptions(Job& job, const model::TargetOptions& block)
      : job_(job), words_(block.srun), field_{Field::target_srun, block.target} {}

  void check() {
    const std::size_t before = job_.diagnostics.size();
    while (at_ < words_.size() && job_.diagnostics.size() == before) check_word(words_[at_++]);
    if (job_.diagnostics.size() != before) return;
    if (plugins_.empty()) return job_.exact(field_, "srun");
    job_.approximated(
        field_, "srun",
        "Slurm has no option " + quoted_list(plugins_) + "; srun takes it only where a plugin of the cluster adds it");
  }

 private:
  void refuse(const Given& word, const std::string& message, const std::string& help = {}) {
    job_.refuse_at(word.span, field_, message, help);
  }

  void check_word(const Given& word) {
    const std::string_view text = word.value;
    if (has_nul(text)) return refuse(word, "an argument cannot contain a NUL byte");
    if (text.size() < 2 || text[0] != '-' || text == "--")
      return refuse(
          word,
          "`" + printable(text) + "` is not an option; srun would read it as the program, or as its end of options",
          "write the value as `--option=value`, and the program in `command`");
    if (!text.starts_with("--")) return check_letters(word);
    const std::string_view name = text.substr(2, text.find('=') - 2);
    const bool has_value = text.find('=') != text.npos;
    const OptionRow* row = find_option(Tool::srun, name);
    if (row == nullptr && in_pyxis()) row = find_option(Tool::pyxis, name);
    if (row == nullptr) return check_unknown(word, name);
    check_option(word, *row, "--" + std::string(name),
                 has_value ? std::optional(text.substr(text.find('=') + 1)) : std::nullopt);
  }

  // `-l`, `-lu`, `-m block`, `-mblock`.
  void check_letters(const Given& word) {
    const std::string_view text = word.value;
    for (std::size_t i = 1; i < text.size(); ++i) {
      const std::string letter = "-" + std::string(text.substr(i, 1));
      const OptionRow* row = find_letter(Tool::srun, text[i], version());
      if (row == nullptr) return refuse(word, "srun has no option `" + printable(letter) + "`");
      const bool rest = i + 1 < text.size() && row->arity_in(version()) != Arity::none;
      if (!check_option(word, *row, letter, rest ? std::optional(text.substr(i + 1)) : std::nullopt) || rest) return;
    }
  }

  // Of an option with a value that is not in its own word: takes the next one.
  bool check_option(const Given& word, const OptionRow& row, const std::string& spelt,
                    std::optional<std::string_view> value) {
    if (!may_be_given(word, row, spelt)) return false;
    const bool wants = row.arity_in(version()) == Arity::required;
    if (wants && !value && at_ < words_.size() && !words_[at_].value.starts_with('-')) value = words_[at_++].value;
    if (const std::string fault = fault_of(job_, row, value.has_value()); !fault.empty()) {
      refuse(word, "`" + spelt + "` " + fault);
      return false;
    }
    const std::string_view takes = value ? wrong_value(row.name, *value) : std::string_view();
    if (!takes.empty()) refuse(word, "`" + spelt + "` takes " + std::string(takes));
    return takes.empty();
  }

  bool may_be_given(const Given& word, const OptionRow& row, const std::string& spelt) {
    // Of plain processes, no key says how ranks of MPI among them meet.
    if (row.name == "mpi" && job_.runner() == model::Runner::processes) return true;
    const auto is_in = [&](const Said& group) { return lists_name(group.options, row.name); };
    if (const auto group = std::find_if(said.begin(), said.end(), is_in); group != said.end()) {
      refuse(word, "`" + spelt + "` cannot be given to the srun that starts the program", std::string(group->instead));
      return false;
    }
    if (row.tool == Tool::pyxis || lists_name(of_a_step, row.name)) return true;
    refuse(word, "`" + spelt + "` applies to the job, not to one of its steps",
           "write `target slurm { " + std::string(row.name) + " = … }`");
    return false;
  }

  // Neither srun's nor, where there are containers, Pyxis's.
  void check_unknown(const Given& word, std::string_view name) {
    const std::string spelt = "`--" + printable(name) + "`";
    if (find_option(Tool::pyxis, name) != nullptr)
      return refuse(word, spelt + " is an option of Pyxis, which does not start this program",
                    "it requires an `image`, and `containers = pyxis` in the plane of the site");
    if (find_option(Tool::sbatch, name) != nullptr)
      return refuse(word, spelt + " is an option of sbatch, not of srun",
                    "write `target slurm { " + std::string(name) + " = … }`");
    std::vector<std::string_view> known;
    for (const Tool tool : {Tool::srun, Tool::pyxis})
      for (const OptionRow& row : option_rows(tool))
        if (row.arity_in(version()) != Arity::absent) known.push_back(row.name);
    if (const std::string near = closest(name, known); !near.empty())
      return refuse(word, "srun has no option " + spelt, "did you mean `--" + near + "`?");
    plugins_.push_back(std::string_view(word.value).substr(0, name.size() + 2));
  }

  std::optional<model::Version> version() const { return job_.plane.version.value; }

  // Whether srun starts a container, by the plugin.
  bool in_pyxis() const {
    const auto has_image = [&](const plan::RolePlan& shape) {
      const model::SoftwareSpec* spec = find_software(*shape.role, job_.site, job_.plane);
      return shape.role->image || (spec != nullptr && spec->image);
    };
    return job_.batch.containers == model::Containers::pyxis &&
           std::any_of(job_.plan.roles.begin(), job_.plan.roles.end(), has_image);
  }

  Job& job_;
  const std::vector<Given>& words_;
  FieldRef field_;
  std::size_t at_ = 0;
  std::vector<std::string_view> plugins_;
};

// Whether srun starts the program, and neither the batch shell nor mpirun.
bool is_in_a_step(const Job& job) {
  if (job.runner() == model::Runner::mpi && job.batch.mpi == model::Mpi::mpirun) return false;
  return batch::has_parts(job.plan) || batch::starts_in_step(job) || job.runner() == model::Runner::ray;
}

}  // namespace

std::string program_options(const Job& job) {
  std::string out;
  for (const model::TargetOptions& block : job.workload.targets)
    if (batch::is_own_block(job, block))
      for (const Given& word : block.srun) out += " " + sh_word(word.value);
  return out;
}

void check_program_options(Job& job, const model::TargetOptions& block) {
  if (block.srun.empty()) return;
  if (is_in_a_step(job)) return ProgramOptions(job, block).check();
  const bool mpirun = job.runner() == model::Runner::mpi;
  job.refuse_at(block.srun.front().span, {Field::target_srun, block.target},
                mpirun ? "mpirun starts the program, not srun" : "the batch shell starts the program, not srun",
                mpirun ? "write options of mpirun as `launch = […]`"
                : job.runner() == model::Runner::batch_script
                    ? "write the options in the script's own srun lines"
                    : "write `launch { runner = processes }` to start it with srun");
}

}  // namespace muster::targets::slurm
