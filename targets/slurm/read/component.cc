#include "targets/slurm/read/component.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "targets/slurm/option_table.h"
#include "targets/slurm/read/numbers.h"
#include "targets/slurm/read/option_values.h"

namespace muster::targets::slurm {
namespace {

// One directive on its way into a field.
struct Setting {
  Component& component;
  const Directive& directive;
  std::int32_t index;
  std::vector<Conflict>& conflicts;
  std::optional<model::Version> version;

  std::string_view text() const { return directive.value ? std::string_view(*directive.value) : std::string_view{}; }

  void refuse(ConflictKind kind, std::string message) const {
    conflicts.push_back({kind, {index}, std::move(message), directive.component, {}, true});
  }

  void refuse_value(std::string_view how) const {
    refuse(ConflictKind::bad_value, "`--" + std::string(directive.name) + "` does not take `" +
                                        std::string(text().substr(0, 60)) + "`: " + std::string(how));
  }

  // Puts a value that may have failed to read into a field. `how` says what Slurm takes.
  template <class T>
  void put(Known<T>& field, std::optional<T> value, std::string_view how) const {
    field = {};
    field.by = index;
    if (directive.certainty != Certainty::literal) {
      field.state = Known<T>::State::unclear;
      field.reason = directive.certainty == Certainty::templated ? "a template sets it"
                                                                 : "the shell that submits the text expands it";
      return;
    }
    field.state = value ? Known<T>::State::known : Known<T>::State::invalid;
    if (value) field.value = std::move(*value);
    else refuse_value(how);
  }
};

using Setter = void (*)(const Setting&);

template <Known<std::string> Component::*field>
void put_text(const Setting& s) {
  constexpr std::size_t longest = 1024;  // of what the controller keeps
  const OptionRow* row = find_option(Tool::sbatch, s.directive.name);
  if (row != nullptr && row->type == "string1024" && s.text().size() > longest)
    s.refuse(ConflictKind::over_length, "`--" + std::string(s.directive.name) + "` takes at most 1024 bytes");
  s.put(s.component.*field, std::optional<std::string>(s.text()), "");
}

template <Known<std::int64_t> Component::*field>
void put_count(const Setting& s) {
  s.put(s.component.*field, slurm_number(s.text()), "a whole number of 1 or more");
}

// ":2", "h100:2:3", "gpu::1": from 24.11 on Slurm takes them, and makes of them what it likes.
void soften_odd_colons(const Setting& s, std::size_t before, std::size_t most) {
  const std::string_view text = s.text();
  const bool odd = text.starts_with(':') || text.find("::") != std::string_view::npos ||
                   static_cast<std::size_t>(std::count(text.begin(), text.end(), ':')) > most;
  if (odd && s.conflicts.size() > before) s.conflicts.back().certain = s.version && *s.version < model::Version{24, 11};
}

template <Known<std::vector<GpuCount>> Component::*field>
void put_gpus(const Setting& s) {
  const std::size_t before = s.conflicts.size();
  s.put(s.component.*field, slurm_gpus(s.text()), "a number or TYPE:NUMBER, separated by commas");
  soften_odd_colons(s, before, 1);
}

template <Known<TimeLimit> Component::*field>
void put_time(const Setting& s) {
  s.put(s.component.*field, slurm_time(s.text()),
        "minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM or D-HH:MM:SS, without letters");
}

template <Known<bool> Component::*field>
void put_flag(const Setting& s) {
  s.put(s.component.*field, std::optional<bool>(true), "");
}

template <MemoryPer per>
void put_memory(const Setting& s) {
  std::optional<Memory> memory;
  if (const auto mebibytes = slurm_memory(s.text())) memory = Memory{per, *mebibytes, *mebibytes == 0};
  s.put(s.component.memory, memory, "a whole number with suffix K, M, G or T; MB without a suffix");
}

void put_nodes(const Setting& s) {
  std::optional<Range> nodes = slurm_nodes(s.text());
  // From 23.02 on a list of sizes, such as 1,5,9-12, may be here.
  const bool lists = !s.version || *s.version >= model::Version{23, 2};
  if (!nodes && lists && s.text().find(',') != std::string_view::npos) {
    s.component.nodes = {};
    s.component.nodes.by = s.index, s.component.nodes.state = Known<Range>::State::unclear;
    s.component.nodes.reason = "a list of sizes, of which Slurm uses one (23.02 and later)";
    return;
  }
  s.put(s.component.nodes, nodes, "a number, or MIN-MAX");
}

void put_array(const Setting& s) {
  if (s.text().empty()) return void(s.component.array = {});
  s.put(s.component.array, slurm_array(s.text()),
        "indices such as 0-15, 1,3,7 or 0-99:5, with %N to run at most N at a time");
}

void put_signal(const Setting& s) {
  s.put(s.component.signal, slurm_signal(s.text()), "[R][B]:SIGNAL[@SECONDS], seconds from 0 to 65535");
}

// `gpu` in --gres is a number a node; the rest stays a list.
void put_gres(const Setting& s) {
  std::optional<std::vector<Gres>> all;
  if (equal_ignoring_case(s.text(), "none")) all.emplace();
  else all = slurm_gres(s.text());
  std::vector<GpuCount> gpus;
  if (all) {
    for (const Gres& g : *all)
      if (g.name == "gpu") gpus.push_back({g.type, g.count});
    std::erase_if(*all, [](const Gres& g) { return g.name == "gpu"; });
  }
  const std::size_t before = s.conflicts.size();
  s.put(s.component.gres, all, "NAME[:TYPE][:NUMBER], separated by commas");
  soften_odd_colons(s, before, 2);
  s.component.gpus_in_gres = {};
  if (!gpus.empty() || s.directive.certainty != Certainty::literal)
    s.put(s.component.gpus_in_gres, std::optional(std::move(gpus)), "");
}

// cpu=4,gres/gpu:h100=1 (older: gres:gpu:1)
void put_tres_per_task(const Setting& s) {
  std::vector<GpuCount> gpus;
  std::string_view rest = s.text();
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view part = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (part.starts_with("gres/gpu") || part.starts_with("gres:gpu")) part.remove_prefix(8);
    else continue;
    const std::size_t end = part.find_last_of("=:");
    if (end == std::string_view::npos) continue;
    const auto count = slurm_number(part.substr(end + 1));
    const std::string type(end > 1 ? part.substr(1, end - 1) : std::string_view{});
    if (count) gpus.push_back({type, *count});
  }
  if (!gpus.empty()) s.put(s.component.gpus_per_task, std::optional(std::move(gpus)), "");
}

void put_partitions(const Setting& s) {
  std::vector<std::string> names;
  std::string_view rest = s.text();
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (comma > 0) names.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  s.put(s.component.partitions, std::optional(std::move(names)), "");
}

void put_exclusive(const Setting& s) {
  std::optional<Exclusive> kind;
  const std::string_view text = s.text();
  if (text.empty() || equal_ignoring_case(text, "exclusive")) kind = Exclusive::node;
  else if (equal_ignoring_case(text, "oversubscribe")) kind = Exclusive::no;
  else if (equal_ignoring_case(text, "user")) kind = Exclusive::user;
  else if (equal_ignoring_case(text, "mcs")) kind = Exclusive::mcs;
  else if (equal_ignoring_case(text, "topo")) kind = Exclusive::topo;
  s.put(s.component.exclusive, kind, "nothing, user, mcs, or topo (24.05 and later)");
}

template <bool value>
void put_requeue(const Setting& s) {
  const bool good = !s.directive.value || equal_ignoring_case(s.text(), "expedite");
  s.put(s.component.requeue, good ? std::optional<bool>(value) : std::nullopt, "nothing, or expedite");
}

void put_nice(const Setting& s) {
  if (!s.directive.value) return s.put(s.component.nice, std::optional<std::int64_t>(100), "");
  const std::int64_t n = leading_number(s.text()).value;  // what is not a number counts as 0
  constexpr std::int64_t most = 2147483645;
  s.put(s.component.nice, n >= -most && n <= most ? std::optional(n) : std::nullopt, "a number within +-2147483645");
}

void put_yes_no(const Setting& s) {
  std::optional<bool> value;
  if (equal_ignoring_case(s.text(), "yes")) value = true;
  if (equal_ignoring_case(s.text(), "no")) value = false;
  s.put(s.component.kill_on_invalid_dependency, value, "yes or no");
}

void put_open_mode(const Setting& s) {
  const char first = s.text().empty() ? '\0' : static_cast<char>(s.text()[0] | 0x20);
  std::optional<std::string> mode;
  if (first == 'a') mode = "append";
  if (first == 't') mode = "truncate";
  s.put(s.component.open_mode, mode, "append or truncate");
}

void put_segment(const Setting& s) { s.put(s.component.segment, slurm_number(s.text()), "a number of nodes"); }

bool is_mail_type(std::string_view word) {
  constexpr std::array words =
      std::to_array<std::string_view>({"NONE", "BEGIN", "END", "FAIL", "REQUEUE", "ALL", "INVALID_DEPEND", "STAGE_OUT",
                                       "TIME_LIMIT", "TIME_LIMIT_90", "TIME_LIMIT_80", "TIME_LIMIT_50", "ARRAY_TASKS"});
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return equal_ignoring_case(w, word); });
}

// Several --mail-type add up. Slurm passes over words that it does not know beside one that it knows.
void put_mail_type(const Setting& s) {
  bool any = false, known = false;
  for (std::string_view rest = s.text(); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    any |= comma > 0;
    known |= is_mail_type(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (any && !known)
    return s.put(s.component.mail_type, std::optional<std::string>(), "BEGIN, END, FAIL, ALL and similar values");
  const bool more = static_cast<bool>(s.component.mail_type);
  std::string all = more ? s.component.mail_type.value + "," : std::string();
  all += s.text();
  s.put(s.component.mail_type, std::optional(std::move(all)), "");
}

// Begins with a digit or a word for a time; the rest is Slurm's to read.
template <Known<std::string> Component::*field>
void put_moment(const Setting& s) {
  constexpr std::array words =
      std::to_array<std::string_view>({"now", "today", "tomorrow", "midnight", "noon", "fika", "elevenses", "teatime"});
  const std::string_view text = s.text();
  const bool digit = !text.empty() && is_digit(text[0]);
  const bool word = std::any_of(words.begin(), words.end(),
                                [&](std::string_view w) { return equal_ignoring_case(text.substr(0, w.size()), w); });
  s.put(s.component.*field, digit || word ? std::optional<std::string>(text) : std::nullopt, "a time, or now+1hour");
}

// -k and --no-kill take a word for "no" only.
void check_no_kill(const Setting& s) {
  Known<bool> ignored;
  const std::string_view text = s.text();
  const bool good = !s.directive.value || equal_ignoring_case(text, "set") || equal_ignoring_case(text, "off") ||
                    equal_ignoring_case(text, "no");
  s.put(ignored, good ? std::optional<bool>(true) : std::nullopt, "nothing, or off");
}

// Options that multiply the tasks of a node by its sockets, cores or threads.
void put_layout(const Setting& s) { s.component.sets_layout = true; }

void put_hint(const Setting& s) { s.component.whole_cores = s.text() == "nomultithread"; }

// One thread of each core is the hint; others depend on the node.
void put_threads(const Setting& s) {
  s.component.whole_cores = slurm_number(s.text()) == 1;
  s.component.sets_layout |= !s.component.whole_cores;
}

struct Row {
  std::string_view option;
  Setter set;
};

using C = Component;
constexpr std::array setters = std::to_array<Row>({
    {"account", put_text<&C::account>},
    {"array", put_array},
    {"begin", put_moment<&C::begin>},
    {"chdir", put_text<&C::chdir>},
    {"comment", put_text<&C::comment>},
    {"constraint", put_text<&C::constraint>},
    {"container", put_text<&C::container>},
    {"contiguous", put_flag<&C::contiguous>},
    {"cores-per-socket", put_layout},
    {"cpus-per-gpu", put_count<&C::cpus_per_gpu>},
    {"cpus-per-task", put_count<&C::cpus_per_task>},
    {"deadline", put_moment<&C::deadline>},
    {"dependency", put_text<&C::dependency>},
    {"distribution", put_text<&C::distribution>},
    {"error", put_text<&C::error>},
    {"exclude", put_text<&C::exclude>},
    {"exclusive", put_exclusive},
    {"export", put_text<&C::export_env>},
    {"extra", put_text<&C::extra>},
    {"extra-node-info", put_layout},
    {"gpu-bind", put_text<&C::gpu_bind>},
    {"gpus", put_gpus<&C::gpus_total>},
    {"gpus-per-node", put_gpus<&C::gpus_per_node>},
    {"gpus-per-socket", put_gpus<&C::gpus_per_socket>},
    {"gpus-per-task", put_gpus<&C::gpus_per_task>},
    {"gres", put_gres},
    {"hint", put_hint},
    {"hold", put_flag<&C::hold>},
    {"input", put_text<&C::input>},
    {"job-name", put_text<&C::job_name>},
    {"kill-on-invalid-dep", put_yes_no},
    {"licenses", put_text<&C::licenses>},
    {"mail-type", put_mail_type},
    {"mail-user", put_text<&C::mail_user>},
    {"mem", put_memory<MemoryPer::node>},
    {"mem-per-cpu", put_memory<MemoryPer::cpu>},
    {"mem-per-gpu", put_memory<MemoryPer::gpu>},
    {"mincpus", put_count<&C::min_cpus>},
    {"nice", put_nice},
    {"no-kill", check_no_kill},
    {"no-requeue", put_requeue<false>},
    {"nodelist", put_text<&C::nodelist>},
    {"nodes", put_nodes},
    {"ntasks", put_count<&C::tasks>},
    {"ntasks-per-gpu", put_count<&C::tasks_per_gpu>},
    {"ntasks-per-node", put_count<&C::tasks_per_node>},
    {"open-mode", put_open_mode},
    {"output", put_text<&C::output>},
    {"overcommit", put_flag<&C::overcommit>},
    {"oversubscribe", put_flag<&C::oversubscribe>},
    {"partition", put_partitions},
    {"prefer", put_text<&C::prefer>},
    {"qos", put_text<&C::qos>},
    {"requeue", put_requeue<true>},
    {"reservation", put_text<&C::reservation>},
    {"segment", put_segment},
    {"signal", put_signal},
    {"sockets-per-node", put_layout},
    {"switches", put_text<&C::switches>},
    {"threads-per-core", put_threads},
    {"time", put_time<&C::time>},
    {"time-min", put_time<&C::time_min>},
    {"tres-per-task", put_tres_per_task},
    {"wait", put_flag<&C::wait>},
    {"wckey", put_text<&C::wckey>},
});

// Options whose value is only looked at: whole numbers from 1 on.
constexpr std::array counted_options =
    std::to_array<std::string_view>({"ntasks-per-core", "ntasks-per-socket", "ntasks-per-tres"});

}  // namespace

Component inherited(const Component& b) {
  Component c;
  c.time = b.time, c.time_min = b.time_min, c.account = b.account, c.qos = b.qos, c.reservation = b.reservation;
  c.prefer = b.prefer, c.job_name = b.job_name, c.comment = b.comment, c.output = b.output, c.error = b.error;
  c.input = b.input, c.chdir = b.chdir, c.open_mode = b.open_mode, c.dependency = b.dependency, c.begin = b.begin;
  c.deadline = b.deadline, c.export_env = b.export_env, c.container = b.container, c.wckey = b.wckey;
  c.extra = b.extra, c.nice = b.nice, c.priority = b.priority, c.array = b.array, c.signal = b.signal;
  c.requeue = b.requeue, c.hold = b.hold, c.wait = b.wait;
  c.kill_on_invalid_dependency = b.kill_on_invalid_dependency;
  if (b.memory.given() && b.memory.value.per == MemoryPer::node) c.memory = b.memory;
  return c;
}

void apply(Component& component, const Script& script, std::int32_t index, std::optional<model::Version> version,
           std::vector<Conflict>& conflicts) {
  const Directive& d = script.directives[static_cast<std::size_t>(index)];
  const Setting setting{component, d, index, conflicts, version};
  if (const std::string_view takes = wrong_value(d.name, setting.text());
      !takes.empty() && d.certainty == Certainty::literal)
    setting.refuse_value(takes);
  const auto at = std::lower_bound(setters.begin(), setters.end(), d.name,
                                   [](const Row& row, std::string_view name) { return row.option < name; });
  if (at != setters.end() && at->option == d.name) return at->set(setting);
  if (std::find(counted_options.begin(), counted_options.end(), d.name) == counted_options.end()) return;
  Known<std::int64_t> ignored;
  setting.put(ignored, slurm_number(setting.text()), "a whole number of 1 or more");
}

}  // namespace muster::targets::slurm
