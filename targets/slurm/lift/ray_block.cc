#include "targets/slurm/lift/ray_block.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "compiler/base/text.h"
#include "compiler/shell/arithmetic.h"
#include "compiler/shell/launchers.h"
#include "compiler/shell/programs.h"

namespace muster::targets::slurm::lifting {
namespace {

// Options of `ray start` that say what the runner says, and those for people who look at the cluster.
constexpr std::string_view ray_options =
    " head address block node-ip-address port redis-port redis-password num-cpus num-gpus ";
constexpr std::string_view dashboard_options =
    " include-dashboard include-webui dashboard-host webui-host dashboard-port ";
constexpr std::string_view step_options = " nodes ntasks nodelist exclude overlap job-name ntasks-per-node ";

bool is_ray_start(const Launch& step) {
  return step.kind == Launcher::srun && !step.het && step.program.size() > 1 &&
         base_name(step.program[0].text) == "ray" && step.program[1].text == "start";
}

bool is_head(const Launch& step) {
  return std::any_of(step.program.begin(), step.program.end(), [](const Word& w) { return w.text == "--head"; });
}

// Each `NAME` of `$NAME` and `${NAME…}` in a text.
std::vector<std::string> names_read(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    std::size_t begin = at + 1;
    while (begin < text.size() && (text[begin] == '{' || text[begin] == '#')) ++begin;
    std::size_t end = begin;
    while (end < text.size() && is_name_char(text[end])) ++end;
    if (end > begin) out.emplace_back(text.substr(begin, end - begin));
  }
  return out;
}

class RayBlock {
 public:
  explicit RayBlock(Lifter& lifter) : lifter_(lifter) {
    for (const Launch& l : lifter.body.launches)
      if (is_ray_start(l)) starts_.push_back(&l);
  }

  bool run() {
    if (!find_head()) return false;
    const JobShape& shape = lifter_.shape;
    const Span at = lifter_.statements[head_].span;
    if (!shape.counted || shape.tasks != 1) return lifter_.refuse("Ray has several tasks on a node", at);
    if (!find_program() || !find_workers()) return false;
    for (std::size_t i = 0; i < program_; ++i) {
      if (i == head_ || i == workers_) take(i, "the runner starts Ray");
      else if (!take_variables(i)) return false;
      if (i > head_ && !gone_.contains(i)) note_late(i);
    }
    take_stop();
    for (const std::string& name : names_read(lifter_.sources.text(lifter_.statements[program_].span)))
      if (own_.contains(name)) return lifter_.refuse("the program reads `$" + name + "`, which is Ray's", at);
    write(at);
    return true;
  }

 private:
  enum class Kind : std::uint8_t { none, of_block, address, password };

  const Launch* ray_step_of(const Statement& s) const {
    for (const Launch* l : starts_)
      if (l->span.begin >= s.span.begin && l->span.end <= s.span.end) return l;
    return nullptr;
  }

  bool find_head() {
    std::size_t found = 0;
    for (std::size_t i = 0; i < lifter_.statements.size(); ++i) {
      const Launch* step = ray_step_of(lifter_.statements[i]);
      if (step != nullptr && is_head(*step)) head_ = i, ++found;
    }
    if (found != 1) return false;
    const Statement& s = lifter_.statements[head_];
    const bool alone = s.commands.size() == 1 && lifter_.body.commands[s.first()].background;
    return alone && is_plain(*ray_step_of(s), 1);
  }

  bool is_stop(std::size_t i) const {
    const Statement& s = lifter_.statements[i];
    const std::vector<Word>& words = lifter_.body.commands[s.first()].words;
    return s.commands.size() == 1 && words.size() == 2 && words[0].text == "ray" && words[1].text == "stop";
  }

  // The last program that is started.
  bool find_program() {
    for (std::size_t i = head_ + 1; i < lifter_.statements.size(); ++i)
      if (lifter_.statements[i].kind == StatementKind::program && !is_stop(i)) program_ = i;
    return program_ > head_ || lifter_.refuse("no program is started beside Ray", lifter_.statements[head_].span);
  }

  // A number, or one that follows from the number of the nodes.
  std::optional<std::int64_t> number(std::string_view text, int depth = 0) const {
    text = trimmed(text, " \t\"");
    if (text.starts_with("$((") && text.ends_with("))")) text = text.substr(3, text.size() - 5);
    return shell::evaluate_arithmetic(text, [&](std::string_view name) -> std::optional<std::int64_t> {
      if (is_one_of(name, {"SLURM_JOB_NUM_NODES", "SLURM_NNODES", "SLURM_NTASKS"})) return lifter_.shape.nodes;
      if (name == "SLURM_CPUS_PER_TASK") return lifter_.shape.cpus_per_task;
      const Word* value = depth < 4 ? value_of(name) : nullptr;
      return value == nullptr ? std::nullopt : number(value->text, depth + 1);
    });
  }

  // Of a variable that is assigned once, at the top level.
  const Word* value_of(std::string_view name) const {
    const Word* found = nullptr;
    for (const Command& c : lifter_.body.commands)
      for (const Assignment& a : c.assignments) {
        if (a.name != name) continue;
        if (found != nullptr || a.append || !lifter_.body.unconditional(c)) return nullptr;
        found = &a.value;
      }
    return found;
  }

  // A step of so many nodes that only starts Ray, with options that the runner says too.
  bool is_plain(const Launch& step, std::int64_t nodes) {
    const Command& command = lifter_.body.commands[step.command];
    if (!command.assignments.empty()) return lifter_.refuse("the step of Ray sets variables", command.span);
    for (const LaunchOption& o : step.options) {
      if (!lists_name(step_options, o.name)) return lifter_.refuse("the step of Ray has `--" + o.name + "`", o.span);
      const bool each = o.name == "ntasks-per-node", counts = is_one_of(o.name, {"nodes", "ntasks"});
      if ((each || counts) && (!o.value || number(o.value->text) != (each ? 1 : nodes)))
        return lifter_.refuse("a step of Ray is not for " + counted(nodes, "node"), o.span);
    }
    note_log(command);
    other_cpus_ |= !has_word(step, "--num-cpus");
    const bool all = lifter_.shape.nodes == 1 || step.option("ntasks") != nullptr ||
                     (step.option("nodes") != nullptr && !lifter_.given("ntasks"));
    if (!all) return lifter_.refuse("a step of Ray is for all tasks of the job", step.span);
    for (std::size_t i = 2; i < step.program.size(); ++i)
      if (const std::string_view word = step.program[i].text; word.starts_with("--") && !is_of_runner(word, step, i))
        return lifter_.refuse("`ray start` has `" + std::string(word.substr(0, word.find('='))) + "`", step.span);
    return true;
  }

  static bool has_word(const Launch& step, std::string_view name) {
    return std::any_of(step.program.begin(), step.program.end(),
                       [&](const Word& w) { return w.text.starts_with(name); });
  }

  // `ray start … > ray.log 2>&1 &`
  void note_log(const Command& command) {
    for (const Redirect& r : command.redirects)
      if (writes_file(r))
        mend(command.span, "logs", "logs", "the log of the job has the output of Ray, too",
             {std::string(base_name(r.target.text))});
  }

  void mend(Span at, std::string what, std::string as, std::string note, std::vector<std::string> names) {
    lines_.push_back({at, std::move(what), Fate::mended, std::move(as), std::move(note), true, std::move(names)});
  }

  bool is_of_runner(std::string_view word, const Launch& step, std::size_t at) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(2, equals == std::string_view::npos ? equals : equals - 2);
    if (lists_name(dashboard_options, name)) {
      mend(step.span, std::string(name), "launch.runner", "the dashboard is where Ray has it by itself",
           {std::string(name)});
      return true;
    }
    if (!lists_name(ray_options, name)) return false;
    if (name != "num-gpus" && name != "num-cpus") return true;
    const bool next = equals == std::string_view::npos && at + 1 < step.program.size();
    const auto said = number(next ? std::string_view(step.program[at + 1].text) : word.substr(equals + 1));
    if (name == "num-gpus") return !said || *said == lifter_.shape.gpus;
    other_cpus_ |= said != lifter_.shape.cpus_per_task;
    return true;
  }

  bool find_workers() {
    for (std::size_t i = head_ + 1; i < program_; ++i)
      if (ray_step_of(lifter_.statements[i]) != nullptr) {
        if (workers_) return lifter_.refuse("Ray is started in several ways", lifter_.statements[i].span);
        workers_ = i;
      }
    const std::int64_t others = lifter_.shape.nodes - 1;
    const Span at = lifter_.statements[head_].span;
    if (!workers_) return others == 0 || lifter_.refuse("Ray is started on the first node only", at);
    const Statement& s = lifter_.statements[*workers_];
    const Launch& step = *ray_step_of(s);
    const Command& command = lifter_.body.commands[step.command];
    if (!command.background) return lifter_.refuse("Ray's workers are not in the background", s.span);
    if (command.scope < 0)
      return s.commands.size() == 1 ? is_plain(step, others)
                                    : lifter_.refuse("more is done where Ray's workers start", s.span);
    const Scope& loop = lifter_.body.scopes[static_cast<std::size_t>(command.scope)];
    if (loop.kind != ScopeKind::loop || loop.parent >= 0 || turns(lifter_.sources.text(loop.head)) != others)
      return lifter_.refuse("how many workers of Ray start is not in the file", loop.head);
    const bool quiet = std::all_of(s.commands.begin(), s.commands.end(), [&](std::uint32_t i) {
      return i == step.command || only_sets_up(lifter_.body.commands[i]);
    });
    const bool whole = trimmed(lifter_.sources.text(s.span)).ends_with("done");  // not `done > log`
    return quiet && whole ? is_plain(step, 1) : lifter_.refuse("the loop of Ray's workers does more", s.span);
  }

  // How often `for ((i = 1; i <= worker_num; i++))` runs.
  std::optional<std::int64_t> turns(std::string_view head) const {
    const std::size_t begin = head.find("(("), end = head.rfind("))");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
    std::string text;
    for (const char c : head.substr(begin + 2, end - begin - 2))
      if (!is_blank(c)) text += c;
    const std::vector<std::string_view> parts = split(text, ';');
    if (parts.size() != 3) return std::nullopt;
    const std::string name(parts[0].substr(0, parts[0].find('=')));
    if (!parts[1].starts_with(name + "<") || !is_one_of(parts[2], {name + "++", "++" + name, name + "+=1"}))
      return std::nullopt;
    const bool inclusive = parts[1].starts_with(name + "<=");
    const auto first = number(parts[0].substr(std::min(name.size() + 1, parts[0].size())));
    const auto last = number(parts[1].substr(name.size() + (inclusive ? 2 : 1)));
    return first && last ? std::optional(*last - *first + (inclusive ? 1 : 0)) : std::nullopt;
  }

  // Assigns, prints or waits.
  bool only_sets_up(const Command& c) const {
    using enum shell::Effect;
    const shell::Doing& what = c.own;
    const bool harmless = what.is({prints, tests, waits}) || what.is(shell::Subject::variables);
    return !c.background && !writes_file(c) && (c.words.empty() || (harmless && c.program() != "wait"));
  }

  // ---- the variables by which its parts find each other --------------------------------------------------

  Kind kind_of(const std::string& name, std::string_view value) const {
    if (value.find("uuidgen") != std::string_view::npos) return Kind::password;
    const bool runs = value.find("$(") != std::string_view::npos || value.find('`') != std::string_view::npos;
    if (runs && value.find("hostname") != std::string_view::npos && value.find("$((") == std::string_view::npos)
      return Kind::of_block;
    if (is_port(name) && all_digits(value)) return Kind::of_block;
    const std::vector<std::string> read = names_read(value);
    const bool of_block = std::any_of(read.begin(), read.end(), [&](const std::string& n) { return own_.contains(n); });
    if (!of_block || runs) return Kind::none;
    return is_address(trimmed(value, "\"")) ? Kind::address : Kind::of_block;
  }

  static bool is_port(const std::string& name) {
    const std::string own = lower(name);
    return own == "port" || own.ends_with("_port") || own.starts_with("port_");
  }

  // `$head_node_ip:$port`, not `http://$ip:8265`.
  bool is_address(std::string_view value) const {
    const std::size_t colon = value.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view port = value.substr(colon + 1);
    return is_own(value.substr(0, colon)) && (all_digits(port) || is_own(port));
  }

  // One variable of the template and nothing beside it.
  bool is_own(std::string_view value) const {
    const std::vector<std::string> read = names_read(value);
    return read.size() == 1 && own_.contains(read[0]) && is_one_of(value, {"$" + read[0], "${" + read[0] + "}"});
  }

  // False: refused.
  bool take_variables(std::size_t index) {
    const Statement& s = lifter_.statements[index];
    const Command& command = lifter_.body.commands[s.first()];
    const bool assigns = s.commands.size() == 1 && command.words.empty() && !command.assignments.empty();
    if (s.kind == StatementKind::other && !assigns) return take_branch(index);
    if (!assigns && s.kind != StatementKind::exports) return true;
    bool all = true;
    for (const Assignment& a : command.assignments) all &= note(a.name, a.value);
    for (const Export& e : lifter_.body.exports) {
      if (e.command != s.first()) continue;
      if (e.value) note(e.name, *e.value);
      const bool own = own_.contains(e.name);
      all &= own;
      if (own && !take_export(e.name, s.span)) return false;
    }
    if (!all) return true;
    const bool password = assigns && own_.at(command.assignments.front().name) == Kind::password;
    if (assigns) take(index, password ? "the runner sets no password" : "the runner does it");
    gone_.insert(index);
    return true;
  }

  // Behind the head: its processes did not have it.
  void note_late(std::size_t index) {
    const Statement& s = lifter_.statements[index];
    if (is_of_environment(s.kind)) mend(s.span, "ray", "env", "the nodes of Ray find it, too", {"ray start"});
  }

  static bool is_of_environment(StatementKind kind) {
    return kind == StatementKind::exports || kind == StatementKind::environment || kind == StatementKind::directory;
  }

  // `ray stop` behind the program.
  void take_stop() {
    for (std::size_t i = program_ + 1; i < lifter_.statements.size(); ++i) {
      if (!is_stop(i)) continue;
      take(i, "the runner ends Ray");
      mend(lifter_.statements[i].span, "exit code", "command", "the job ends with the exit code of the program",
           {"exit"});
    }
  }

  bool note(const std::string& name, const Word& value) {
    const Kind kind = kind_of(name, value.span.known() ? lifter_.sources.text(value.span) : value.text);
    if (kind == Kind::none) return false;
    own_[name] = kind;
    return true;
  }

  bool take_export(const std::string& name, Span at) {
    const Kind kind = own_.at(name);
    if (kind == Kind::of_block) return lifter_.refuse("`" + name + "` is exported, which is Ray's", at);
    if (kind == Kind::address) addresses_.emplace_back(name, at);
    else lines_.push_back({at, "export", Fate::lost, {}, "the runner sets no password", true, {name}});
    return true;
  }

  // The branch of Ray's template that splits two addresses of the head.
  bool take_branch(std::size_t index) {
    const Statement& s = lifter_.statements[index];
    const std::vector<std::string> read = names_read(lifter_.sources.text(s.span));
    const bool of_block = std::any_of(read.begin(), read.end(), [&](const std::string& n) { return own_.contains(n); });
    const bool quiet = std::all_of(s.commands.begin(), s.commands.end(),
                                   [&](std::uint32_t i) { return only_sets_up(lifter_.body.commands[i]); });
    if (!of_block || !quiet) return true;
    for (const std::uint32_t i : s.commands)
      for (const Assignment& a : lifter_.body.commands[i].assignments)
        if (a.name != "IFS" && !own_.contains(a.name)) return true;
    take(index, "the runner does it");
    return true;
  }

  void take(std::size_t index, const std::string& why) {
    const Statement& statement = lifter_.statements[index];
    const bool start = index == head_ || index == workers_;
    // A start names itself, not the program `ray`, which the runner starts as well.
    const std::string unseen = start ? "" : not_run(lifter_.body, statement.span);
    lines_.push_back({statement.span, start ? "ray start" : "variable", Fate::dropped, why, unseen, true});
    if (start) lines_.back().names.emplace_back("ray start");
    gone_.insert(index);
  }

  void write(Span at) {
    for (const auto& [name, where] : addresses_) {
      const model::Text value("", {{model::RefersTo::env, "RAY_ADDRESS", 0, {}}});
      lifter_.shape.ray_addresses.push_back({name, value, where});
      mend(where, "export", "env", "it has what RAY_ADDRESS has", {name});
    }
    mend(at, "ray", "launch.runner", "the program finds RAY_ADDRESS, and begins once all nodes have joined",
         {"RAY_ADDRESS"});
    if (other_cpus_) mend(at, "num-cpus", "launch.runner", "Ray has all CPUs that the job has on a node", {"num-cpus"});
    std::move(lines_.begin(), lines_.end(), std::back_inserter(lifter_.taken));
    lifter_.shape.ray = true;
    std::vector<Statement> left;
    for (std::size_t i = 0; i < lifter_.statements.size(); ++i)
      if (!gone_.contains(i)) left.push_back(std::move(lifter_.statements[i]));
    lifter_.statements = std::move(left);
  }

  Lifter& lifter_;
  std::vector<const Launch*> starts_;  // of Ray
  std::size_t head_ = 0, program_ = 0;
  std::optional<std::size_t> workers_;
  bool other_cpus_ = false;  // of a node
  std::map<std::string, Kind> own_;
  std::vector<std::pair<std::string, Span>> addresses_;
  std::vector<ImportLine> lines_;
  std::set<std::size_t> gone_;
};

}  // namespace

bool take_ray_block(Lifter& lifter) { return RayBlock(lifter).run(); }

}  // namespace muster::targets::slurm::lifting
