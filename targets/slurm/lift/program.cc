#include "targets/slurm/lift/program.h"

#include <algorithm>
#include <array>
#include <span>

#include "compiler/base/text.h"
#include "compiler/shell/launchers.h"
#include "compiler/shell/programs.h"
#include "targets/slurm/lift/container.h"
#include "targets/slurm/lift/mpirun_options.h"
#include "targets/slurm/lift/statements.h"
#include "targets/slurm/lift/step_options.h"

namespace muster::targets::slurm::lifting {
namespace {

using model::Runner;

// Options by which launchers on several nodes find each other: the runner of muster gives its own.
constexpr std::string_view meeting_options =
    " rdzv-id rdzv-backend rdzv-endpoint master-addr master-port node-rank standalone machine-rank main-process-ip "
    "main-process-port ";

class ProgramLifter {
 public:
  ProgramLifter(const Sources& sources, const Body& body, const JobShape& shape)
      : sources_(sources), body_(body), shape_(shape) {}

  LiftedProgram run(std::uint32_t index) {
    index_ = index;
    const Command& command = body_.commands[index];
    if (!shape_.counted) return refuse("Slurm decides how the tasks lie on the nodes", command.span);
    if (!follow(index)) return std::move(out_);
    if (const Launch* l = of_other_system()) return refuse(starts_elsewhere(sources_, *l), l->span);
    add_environment(command);
    const Launch* step = chain_.empty() ? nullptr : chain_.front();
    std::vector<Word> words = command.words;
    if (shape_.ray) return beside_ray(drop_keywords(std::move(words)), command.span);
    const bool tasks = step != nullptr && (step->kind == Launcher::srun || step->kind == Launcher::mpirun);
    if (tasks && !leads(*step, drop_keywords(words)))
      return refuse("`" + printable(spelled(command.words.front()), 40) + "` is in front of " +
                        std::string(shell::name(step->kind)),
                    command.span);
    if (step != nullptr && step->kind == Launcher::srun) {
      if (!add_step(*step)) return std::move(out_);
      out_.alone_without_srun = shape_.one_task();
      words = step->program;
    } else if (step != nullptr && step->kind == Launcher::mpirun) {
      return lift_mpirun(*step);
    } else if (shape_.nodes > 1) {
      return refuse("the batch shell starts the program on the first of " + std::to_string(shape_.nodes) + " nodes",
                    command.span);
    } else if (!shape_.one_task()) {
      return refuse("Slurm is asked for tasks that the script does not start", command.span);
    }
    if (out_.lifted()) lift_started(drop_keywords(std::move(words)), command.span);
    return std::move(out_);
  }

 private:
  LiftedProgram refuse(std::string why, Span at) {
    if (out_.why.empty()) out_.why = std::move(why), out_.why_at = at;
    return std::move(out_);
  }
  bool refused(std::string why, Span at) {
    if (out_.why.empty()) out_.why = std::move(why), out_.why_at = at;
    return false;
  }

  // ---- the chain of launchers: srun → torchrun → the program -------------------------------------

  bool is_of(const Launch& launch, std::uint32_t index) const {
    for (auto c = static_cast<std::int32_t>(launch.command); c >= 0;
         c = body_.commands[static_cast<std::size_t>(c)].inside)
      if (static_cast<std::uint32_t>(c) == index) return true;
    return false;
  }

  bool follow(std::uint32_t index) {
    std::int32_t parent = -1;
    for (std::size_t i = 0; i < body_.launches.size(); ++i) {
      const Launch& launch = body_.launches[i];
      if (!is_of(launch, index)) continue;
      if (launch.het) return refused("it starts several programs side by side", launch.span);
      if (launch.parent != parent) break;  // a text for `bash -c` with several programs: the words stay as they are
      chain_.push_back(&launch);
      parent = static_cast<std::int32_t>(i);
    }
    return true;
  }

  // jsrun, aprun: launchers of other systems, which share the nodes among their tasks by options of their own.
  const Launch* of_other_system() const {
    for (const Launch* l : chain_)
      if (is_of_other_system(*l)) return l;
    return nullptr;
  }

  // Behind srun alone: in a container, or beside other commands of a text, it is a word of the command.
  const Launch* launcher_of_ranks() const {
    for (const Launch* l : chain_) {
      if (l->kind == Launcher::srun || (l->kind == Launcher::container && out_.container)) continue;
      const bool ranks = l->kind == Launcher::torchrun || l->kind == Launcher::accelerate;
      return ranks && is_alone(*l) ? l : nullptr;
    }
    return nullptr;
  }

  // Whether the first of these words is the launcher's own: `numactl`, `timeout` or `conda run` may be in front of it.
  bool leads(const Launch& launch, const std::vector<Word>& words) const {
    if (launch.command != index_) return launch.word == 0;
    return !words.empty() && words.front().index == launch.word;
  }

  // A launcher that is called by its path is not the one of that name that PATH has.
  bool has_path(const Launch& launch) const {
    return body_.commands[launch.command].words[launch.word].text.find('/') != std::string::npos;
  }

  // As it is in the file: a variable may hold it.
  std::string spelled(const Word& word) const {
    return word.span.known() ? std::string(sources_.text(word.span)) : word.text;
  }

  // Not one of several commands of a text for `bash -c`.
  bool is_alone(const Launch& launch) const {
    const std::int32_t holder = body_.commands[launch.command].inside;
    if (holder < 0) return true;
    return std::count_if(body_.commands.begin(), body_.commands.end(),
                         [&](const Command& c) {
                           return c.inside == holder && body_.inside(c, ScopeKind::substitution) == nullptr;
                         }) == 1 &&
           body_.commands[launch.command].assignments.empty();
  }

  // ---- words -------------------------------------------------------------------------------------

  TextPlace place(bool splits) const { return place_in(shape_, splits); }

  bool take(const LiftedText& lifted, Span at) {
    out_.reads_slurm |= lifted.reads_slurm;
    out_.meets |= lifted.meets;
    out_.joined.insert(out_.joined.end(), lifted.joined.begin(), lifted.joined.end());
    return lifted.lifted() || refused(lifted.why, at);
  }

  bool add_variable(const std::string& name, const Word& value) {
    LiftedText lifted = lifted_text(sources_, value, place(false));
    if (!take(lifted, value.span)) return false;
    out_.env.push_back({name, std::move(lifted.text), value.span});
    return true;
  }

  void add_environment(const Command& command) {
    for (const Assignment& a : command.assignments) {
      if (a.append) refused("`" + a.name + "+=` in front of a command", command.span);
      else add_variable(a.name, a.value);
    }
  }

  std::vector<Word> drop_keywords(std::vector<Word> words) {
    while (!words.empty() && shell::has_trait(words.front().text, shell::transparent)) {
      out_.dropped.push_back({words.front().span, words.front().text, "has no effect on the program"});
      const bool posix = words.size() > 1 && words[0].text == "time" && words[1].text == "-p";
      words.erase(words.begin(), words.begin() + (posix ? 2 : 1));
    }
    return words;
  }

  // `export A=b:$A` in a word: with nothing behind it, muster leaves the colon out.
  void add_lists(const model::Text& text, const Word& word) {
    for (const model::Reference& r : text.references)
      if (r.to == model::RefersTo::env && r.at > 0 && text.bytes[r.at - 1] == ':')
        out_.dropped.push_back({word.span, r.name, "where `" + r.name + "` is not set outside, no `:` is left behind",
                                names_in_container(r.name)});
  }

  // `singularity exec -B $TEMP_WORK a.sif`: of a variable without a value bash leaves no word.
  void add_left_out(const model::Text& text, const Word& word, const Word* before) {
    if (text.references.size() != 1 || !word.span.known()) return;
    const model::Reference& r = text.references.front();
    const std::string_view source = sources_.text(word.span);
    if (r.to != model::RefersTo::env || (source != "$" + r.name && source != "${" + r.name + "}")) return;
    std::vector<std::string> names{r.name};
    if (before != nullptr) names.push_back(before->text);
    out_.dropped.push_back(
        {word.span, r.name,
         "`" + r.name +
             "` is set outside: without a value bash leaves the word out, here the program gets an empty one",
         std::move(names)});
  }

  // `layers=[1,2]` without quotes: bash leaves it as it is unless a file has such a name.
  void add_pattern(const Word& word) {
    if (word.literal && word.span.known() && is_bracket_pattern(word.text, sources_.text(word.span)))
      out_.dropped.push_back({word.span,
                              printable(word.text, 40),
                              "bash would put the names of files that match in its place",
                              {word.text}});
  }

  // `python train.py --lr 0.1 "$@"`, where nothing else reads the arguments.
  bool takes_arguments(const Word& last) const {
    return shape_.arguments != nullptr && shape_.arguments->alone && last.span.known() &&
           is_all_arguments(sources_.text(last.span));
  }

  bool set_command(std::span<const Word> words) {
    if (!words.empty() && takes_arguments(words.back())) {
      out_.takes_arguments = true;
      if (!sources_.text(words.back().span).starts_with('"')) out_.joined.push_back(shape_.arguments->all->name);
      words = words.first(words.size() - 1);
    }
    for (const Word& word : words) {
      LiftedText lifted = lifted_text(sources_, word, place(true));
      if (!take(lifted, word.span)) return false;
      out_.reads_slurm |= lifted.text.bytes.find("SLURM_") != std::string::npos;
      add_lists(lifted.text, word);
      add_pattern(word);
      add_left_out(lifted.text, word, &word == words.data() ? nullptr : &word - 1);
      out_.command.push_back(std::move(lifted.text));
    }
    if (out_.command.empty() || (out_.command.front().is_plain() && out_.command.front().bytes.empty()))
      return refused("no program follows", words.empty() ? Span{} : words.front().span);
    return true;
  }

  // ---- steps ---------------------------------------------------------------------------------------

  bool add_step(const Launch& step) {
    if (auto container = container_of_step(step)) {
      if (!container->why.empty()) return refused(container->why, step.span);
      if (!take_container(std::move(*container)))
        return refused("the image would be in another folder, or of another tool than that of the plane", step.span);
    }
    for (const LaunchOption& option : step.options) {
      if (is_of_container(option) && out_.container) continue;
      if (option.name == "mpi") {
        if (!add_mpi(option)) return false;
        continue;
      }
      StepOption said = step_option(option, shape_);
      switch (said.fate) {
        case StepFate::refused: return refused(std::move(said.note), option.span);
        case StepFate::dropped:
          out_.dropped.push_back({option.span, "--" + option.name, said.note, said.differs});
          break;
        case StepFate::kept: add_srun_option(option, said.text); break;
        case StepFate::environment:
          for (auto& [name, value] : said.env) out_.env.push_back({name, model::Text(value), option.span});
      }
    }
    return true;
  }

  // The plane says by which interface the ranks of MPI find each other.
  bool add_mpi(const LaunchOption& option) {
    if (shape_.one_task()) {
      out_.dropped.push_back({option.span, "--mpi", "the program of one task is started without srun", {"launcher"}});
      return true;
    }
    const std::string kind = option.value ? option.value->text : std::string();
    if (kind.starts_with("pmix")) out_.mpi = model::Mpi::pmix;
    else if (kind == "pmi2") out_.mpi = model::Mpi::pmi2;
    else return refused("`--mpi=" + kind + "` has no key", option.span);
    return true;
  }

  void add_srun_option(const LaunchOption& option, const std::string& text) {
    if (shape_.one_task())
      out_.dropped.push_back({option.span, text, "the program of one task is started without srun"});
    else out_.srun_options.push_back(text);
  }

  // A container that is the first thing started becomes an image; false: it stays a part of the command.
  bool take_container(LiftedContainer container) {
    const bool of_plane = !shape_.runtime || *shape_.runtime == container.runtime;
    if (!container.why.empty() || !of_plane || !shape_.may_contain || out_.container) return false;
    for (model::EnvVar& v : container.env) out_.env.push_back(v);
    out_.container = std::move(container);
    return true;
  }

  std::vector<Word> take_inside(std::vector<Word> words) {
    for (const Launch* l : chain_) {
      if (l->kind == Launcher::srun || l->kind == Launcher::mpirun) continue;
      const bool first =
          l->kind == Launcher::container && !words.empty() && l->command == index_ && l->word == words.front().index;
      return first && take_container(lifted_container(*l, shape_.of_plugins)) ? l->program : words;
    }
    return words;
  }

  LiftedProgram beside_ray(std::vector<Word> words, Span at) {
    for (const Launch* l : chain_)
      if (l->kind != Launcher::python) return refuse("the program beside Ray starts processes by itself", at);
    if (!set_command(words)) return std::move(out_);
    out_.runner = Runner::ray;
    out_.launcher = "Ray, " + counted(shape_.nodes, "node");
    return std::move(out_);
  }

  void lift_started(std::vector<Word> words, Span at) {
    words = take_inside(std::move(words));
    const Launch* ranks = launcher_of_ranks();
    if (ranks != nullptr && leads(*ranks, words) && !has_path(*ranks) && lift_ranks(*ranks)) return;
    if (!out_.lifted()) return;
    const bool alone = shape_.one_task();
    if (!alone && starts_across_nodes()) return void(refused("it starts processes on other nodes by itself", at));
    if (!set_command(words)) return;
    out_.runner = alone ? Runner::none : out_.mpi ? Runner::mpi : Runner::processes;
    if (!alone) out_.processes = shape_.tasks;
    out_.launcher = alone ? "one process" : counted(shape_.nodes, "node") + " × " + counted(shape_.tasks, "task");
  }

  bool starts_across_nodes() const {
    return std::any_of(chain_.begin(), chain_.end(), [](const Launch* l) {
      return l->kind == Launcher::deepspeed || l->kind == Launcher::horovodrun || l->kind == Launcher::ray;
    });
  }

  // ---- torchrun and accelerate ----------------------------------------------------------------------

  // Processes that a launcher forks on each node; nullopt where only a run tells.
  std::optional<std::int64_t> forks_of(const Launch& ranks) const {
    if (ranks.processes.value) return ranks.processes.value;
    if (ranks.processes.per_gpu && shape_.gpus > 0) return shape_.gpus;
    return std::nullopt;
  }

  // False: the launcher stays a part of the command, or `why` is set.
  bool lift_ranks(const Launch& ranks) {
    const auto forks = forks_of(ranks);
    const std::string_view words = ranks.span.known() ? sources_.text(ranks.span) : std::string_view{};
    const bool old =
        words.find("torch.distributed.launch") != std::string_view::npos || ranks.option("use-env") != nullptr;
    if (!forks || old) {
      if (shape_.nodes > 1)
        refused(old ? "`torch.distributed.launch` passes `--local_rank` to the program"
                    : "how many processes each node has is not in the file",
                ranks.span);
      return false;
    }
    if (shape_.tasks != 1)
      return refused("the launcher is started " + std::to_string(shape_.tasks) + " times on a node", ranks.span);
    const std::int64_t joined = ranks.nodes.value.value_or(1);
    if (ranks.nodes.stated() && !ranks.nodes.value)
      return refused("how many nodes the launcher joins is not in the file", ranks.span);
    if (joined != shape_.nodes)
      return refused(
          "the launcher joins " + counted(joined, "node") + ", but the job has " + std::to_string(shape_.nodes),
          ranks.span);
    add_launcher_options(ranks);
    if (!set_command(ranks.program)) return false;
    out_.runner = ranks.kind == Launcher::torchrun ? Runner::torchrun : Runner::accelerate;
    if (*forks != std::max<std::int64_t>(shape_.gpus, 1)) out_.processes = *forks;
    out_.launcher =
        std::string(shell::name(ranks.kind)) + ", " + counted(shape_.nodes, "node") + " × " + std::to_string(*forks);
    return true;
  }

  // On one node, only its own processes meet. Unusual: a port that is not a plain number, or another host than the
  // node.
  bool is_unusual_place(const LaunchOption& o) const {
    if (shape_.nodes > 1 || !o.value ||
        !is_one_of(o.name, {"rdzv-endpoint", "master-addr", "master-port", "main-process-ip", "main-process-port"}))
      return false;
    const std::string_view text = o.value->text;
    const std::size_t colon = text.rfind(':');
    const bool port_only = o.name.ends_with("port");
    const std::string_view host = port_only ? std::string_view{} : text.substr(0, colon);
    const std::string_view port = port_only                         ? text
                                  : colon == std::string_view::npos ? std::string_view{}
                                                                    : text.substr(colon + 1);
    const bool usual = is_one_of(host, {"", "localhost", "127.0.0.1"}) &&
                       (port.empty() || (all_digits(port) && port.size() >= 4 && port.size() <= 5));
    return !o.value->literal || !usual;
  }

  void add_launcher_options(const Launch& ranks) {
    const shell::LauncherRow& row = row_of(ranks.kind);
    for (const LaunchOption& o : ranks.options) {
      const bool counts = lists_name(row.processes, o.name) || lists_name(row.nodes, o.name);
      const std::string spelling = (o.name.size() == 1 ? "-" : "--") + underscored(o.name);
      if (counts || lists_name(meeting_options, o.name)) {
        DroppedOption dropped{
            o.span, spelling, counts ? "the counts of the workload say it" : "the runner gives its own", {}};
        if (!counts && is_unusual_place(o)) dropped.differs = {"MASTER_ADDR", "MASTER_PORT"};
        out_.dropped.push_back(std::move(dropped));
        continue;
      }
      if (!o.value) {
        out_.launcher_args.push_back(spelling);
        continue;
      }
      const LiftedText value = lifted_text(sources_, *o.value, place(true));
      if (!take(value, o.span)) return;
      if (!value.text.is_plain()) return void(refused("an option of the launcher has a value of the run", o.span));
      out_.launcher_args.push_back(spelling);
      out_.launcher_args.push_back(value.text.bytes);
    }
  }

  static std::string underscored(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  }

  // ---- mpirun ----------------------------------------------------------------------------------------

  // Hosts and places are muster's own; the rest are options of that MPI.
  bool add_mpirun_option(const LaunchOption& o) {
    if (names_own_nodes(o)) {
      out_.dropped.push_back({o.span, "-" + o.name, "the runner gives the nodes"});
      return true;
    }
    if (lists_name(row_of(Launcher::mpirun).places, o.name))
      return refused("`" + o.name + "` of mpirun places the processes", o.span);
    const std::vector<Word>& words = body_.commands[chain_.front()->command].words;
    for (const Word& word : std::span(words).subspan(o.word, o.words)) {
      if (!word.literal) return refused("an option of mpirun has a value of the run", o.span);
      out_.launcher_args.push_back(word.text);
    }
    return true;
  }

  // `-n $COUNT`, of the nodes that the script counts; -1: not known.
  std::int64_t count_in(const LaunchOption& o) const {
    const LiftedText text = o.value ? lifted_text(sources_, *o.value, place(false)) : LiftedText{};
    const bool number = text.lifted() && text.text.is_plain() && !text.text.bytes.empty() &&
                        text.text.bytes.size() < 7 && all_digits(text.text.bytes);
    return number ? std::stoll(text.text.bytes) : -1;
  }

  LiftedProgram lift_mpirun(const Launch& step) {
    const std::vector<Word>& words = body_.commands[step.command].words;
    const Word& own = words[step.word];
    if (has_path(step))
      return refuse("`" + printable(spelled(own), 60) + "` is another program than the mpirun of PATH", own.span);
    const std::int64_t all = shape_.nodes * shape_.tasks;
    const shell::LauncherRow& row = row_of(step.kind);
    for (const LaunchOption& o : step.options) {
      if (fills_nodes(o) ||
          (o.name == "map-by" && o.value && o.value->text == "ppr:" + std::to_string(shape_.tasks) + ":node")) {
        std::vector<std::string> differs;  // as they are spelt
        for (const Word& word : std::span(words).subspan(o.word, fills_nodes(o) ? o.words : 0))
          differs.push_back(word.text);
        out_.dropped.push_back({o.span, "--map-by", "muster writes `ppr:N:node`, which places them alike", differs});
        continue;
      }
      const bool total = lists_name(row.processes, o.name), each = lists_name(row.per_node, o.name);
      if (!total && !each) {
        if (!add_mpirun_option(o)) return std::move(out_);
        continue;
      }
      const std::int64_t said = (total ? step.processes : step.per_node).value.value_or(count_in(o));
      if (said != (total ? all : shape_.tasks))
        return refuse("mpirun starts another number of processes than the job has tasks", o.span);
      out_.dropped.push_back({o.span, "-" + o.name, "the counts of the workload say it"});
    }
    if (chain_.size() > 1 && launcher_of_ranks() != nullptr) return refuse("mpirun starts another launcher", step.span);
    if (!set_command(take_inside(drop_keywords(step.program)))) return std::move(out_);
    out_.runner = Runner::mpi;
    out_.mpi = model::Mpi::mpirun;
    out_.processes = shape_.tasks;
    out_.launcher = "mpirun, " + counted(shape_.nodes, "node") + " × " + std::to_string(shape_.tasks);
    return std::move(out_);
  }

  const Sources& sources_;
  const Body& body_;
  const JobShape& shape_;
  std::uint32_t index_ = 0;  // of the command that starts it
  std::vector<const Launch*> chain_;
  LiftedProgram out_;
};

}  // namespace

TextPlace place_in(const JobShape& shape, bool splits) {
  return {shape.array,      shape.one_task(), shape.nodes,
          splits,           shape.names,      shape.arguments == nullptr ? nullptr : &shape.arguments->named,
          shape.task_values};
}

LiftedProgram lifted_program(const Sources& sources, const Body& body, std::uint32_t command, const JobShape& shape) {
  return ProgramLifter(sources, body, shape).run(command);
}

}  // namespace muster::targets::slurm::lifting
