#include "targets/slurm/read/launch_options.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "targets/slurm/read/arguments.h"
#include "targets/slurm/read/launches.h"
#include "targets/slurm/read/meaning.h"
#include "targets/slurm/read/numbers.h"

namespace muster::targets::slurm {
namespace {

// Options of a launcher between blanks. `values` take the next word; `flags` take none; one that stands in neither
// takes a value if `valued`.
struct Grammar {
  std::string_view flags, values;
  bool valued = false;
};

constexpr Grammar torchrun{" standalone no-python m module run-path use-env h help logs-specs-none ", "", true};
constexpr Grammar accelerate{
    " multi-gpu cpu tpu use-xpu use-deepspeed use-fsdp use-megatron-lm no-python m module quiet q debug same-network "
    "use-mps-device no-tpu-cluster tpu-use-cluster tpu-use-sudo h help "
    "use-parallelism-config ",
    "", true};
constexpr Grammar deepspeed{
    " no-ssh no-local-rank no-python m module force-multi elastic-training save-pid "
    "bind-cores-to-rank no-ssh-check h help use-ssh-agent ",
    "", true};
constexpr Grammar horovodrun{
    " v verbose disable-cache gloo use-gloo mpi use-mpi jsrun use-jsrun cb check-build tcp "
    "autotune hierarchical-allreduce timeline-mark-cycles h help ",
    "", true};
constexpr Grammar jsrun{"", "", true};
constexpr Grammar mpirun{
    "",
    " n np c npernode ppn perhost N npersocket ntasks machinefile hostfile f H host hosts x map-by bind-to rank-by "
    "wdir wd prefix path report-uri rf rankfile mca-param am tune env envlist genvlist rmk launcher bootstrap iface "
    "output-filename timeout cpus-per-proc cpus-per-rank app configfile outfile-pattern errfile-pattern cpu-set "
    "hostlist cpu-bind depth d p gtool pmi ",
    false};
constexpr std::string_view mpirun_pairs = " mca gmca genv env ";
constexpr Grammar python{"", " W X check-hash-based-pycs ", false};
constexpr Grammar container{
    "",
    " B bind env env-file pwd H home overlay W workdir mount network app S scratch s shell security dns add-caps "
    "drop-caps hostname apply-cgroups fusemount cpus memory m root rootfs mounts r conf o ",
    false};
constexpr Grammar docker{
    "",
    " v volume e env w workdir name network net u user ulimit entrypoint device mount env-file shm-size ipc gpus h "
    "hostname p publish cpus memory m runtime security-opt cap-add l label add-host pid tmpfs userns platform pull ",
    false};

bool is_listed(std::string_view list, std::string_view name) {
  if (name.empty() || name.find(' ') != std::string_view::npos) return false;
  for (std::size_t at = list.find(name); at != std::string_view::npos; at = list.find(name, at + 1))
    if (list[at - 1] == ' ' && list[at + name.size()] == ' ') return true;
  return false;
}

std::string normal(std::string_view spelt) {
  std::string name(spelt.substr(0, 60));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

Word tail(const Word& word, std::size_t from) {
  Word out = word;
  out.text = word.text.substr(from);
  if (word.span.end - word.span.begin == word.text.size()) out.span.begin += static_cast<std::uint32_t>(from);
  return out;
}

// Options as argparse, Open MPI and most others read them.
std::size_t read_plain(Launch& launch, std::span<const Word> words, std::size_t at, const Grammar& grammar) {
  while (at < words.size()) {
    const std::string_view text = words[at].text;
    if (text == "--") return at + 1;
    if (text.size() < 2 || text[0] != '-') return at;
    const std::size_t dashes = text[1] == '-' ? 2 : 1;
    const std::size_t equals = text.find('=');
    const std::string name = normal(text.substr(dashes, std::min(equals, text.size()) - dashes));
    LaunchOption option{name, std::nullopt, words[at].span};
    const bool flag = is_listed(grammar.flags, name);
    const bool pair = launch.kind == Launcher::mpirun && is_listed(mpirun_pairs, name);
    const bool takes =
        equals == std::string_view::npos && !flag && (grammar.valued || pair || is_listed(grammar.values, name));
    if (equals != std::string_view::npos) option.value = tail(words[at], equals + 1);
    ++at;
    if (takes && at < words.size()) option.value = words[at++];
    if (takes && pair && name != "env" && at < words.size()) ++at;
    launch.options.push_back(std::move(option));
    const bool module = launch.kind == Launcher::python && (name == "m" || name == "c");
    if (module) return at;
  }
  return at;
}

std::size_t read_srun(Launch& launch, std::span<const Word> words, std::size_t at) {
  std::vector<std::string_view> texts;
  for (const Word& word : words.subspan(at)) {
    if (word.text == ":") break;
    texts.push_back(word.text);
  }
  OptionWalk walk(Tool::srun, std::nullopt, texts);
  while (const auto item = walk.next()) {
    LaunchOption option{std::string(item->row != nullptr ? canonical_option(item->row->name) : item->name),
                        std::nullopt, words[at + item->word].span};
    if (item->value) option.value = tail(words[at + item->value_word], item->value_at);
    launch.options.push_back(std::move(option));
  }
  return at + walk.position();
}

// The `--nproc_per_node=8` of a launcher. `gpu` and `auto` are one for each GPU.
Count count_of(const LaunchOption* option) {
  if (option == nullptr) return {};
  Count count;
  count.span = option->span;
  if (!option->value) return count.reason = "its option is_listed no value", count;
  const std::string& text = option->value->text;
  if (!option->value->literal) return count.reason = "`" + text + "` is known only when the job runs", count;
  if (text == "gpu" || text == "auto") return count.per_gpu = true, count;
  count.value = slurm_number(text);
  if (!count.value) count.reason = "`" + text.substr(0, 40) + "` is no number";
  return count;
}

const LaunchOption* first_option(const Launch& launch, std::initializer_list<std::string_view> names) {
  const LaunchOption* found = nullptr;
  for (const LaunchOption& o : launch.options)
    if (std::find(names.begin(), names.end(), o.name) != names.end()) found = &o;
  return found;
}

Count one() { return {1, {}, {}, false}; }

void srun_counts(Launch& launch) {
  launch.processes = count_of(first_option(launch, {"ntasks"}));
  launch.per_node = count_of(first_option(launch, {"ntasks-per-node"}));
  const LaunchOption* nodes = first_option(launch, {"nodes"});
  launch.nodes = count_of(nodes);
  if (nodes != nullptr && nodes->value && nodes->value->literal) {
    const auto range = slurm_nodes(nodes->value->text);
    launch.nodes = {};
    launch.nodes.span = nodes->span;
    if (range && range->min == range->max) launch.nodes.value = range->min;
    else launch.nodes.reason = "`" + nodes->value->text.substr(0, 40) + "` is no single number of nodes";
  }
  launch.het |= first_option(launch, {"het-group"}) != nullptr;
  if (first_option(launch, {"multi-prog"}) != nullptr && !launch.program.empty())
    launch.multi_prog = launch.program[0].text;
}

void mpirun_counts(Launch& launch) {
  launch.processes = count_of(first_option(launch, {"n", "np", "c", "ntasks"}));
  launch.per_node = count_of(first_option(launch, {"npernode", "ppn", "perhost", "N"}));
  const LaunchOption* map = first_option(launch, {"map-by"});
  if (map == nullptr || !map->value || !map->value->text.starts_with("ppr:")) return;
  const std::string_view rest = std::string_view(map->value->text).substr(4);
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos || !rest.substr(colon + 1).starts_with("node")) return;
  launch.per_node.value = slurm_number(rest.substr(0, colon));
  launch.per_node.span = map->span;
}

// --num_processes is of all machines together.
void accelerate_counts(Launch& launch) {
  launch.nodes = count_of(first_option(launch, {"num-machines"}));
  if (!launch.nodes.said()) launch.nodes = one();
  launch.processes = count_of(first_option(launch, {"num-processes"}));
  if (!launch.processes.said()) {
    launch.processes.reason = "without --num_processes accelerate asks its configuration file, or counts the GPUs";
  } else if (launch.processes.value) {
    if (launch.nodes.value && *launch.nodes.value > 0) *launch.processes.value /= *launch.nodes.value;
    else launch.processes.reason = launch.nodes.reason, launch.processes.value.reset();
  }
}

void deepspeed_counts(Launch& launch) {
  launch.processes = count_of(first_option(launch, {"num-gpus"}));
  launch.nodes = count_of(first_option(launch, {"num-nodes"}));
  if (launch.processes.said()) return;
  const bool chosen = first_option(launch, {"include", "i", "exclude", "e", "hostfile", "H"}) != nullptr;
  if (chosen) launch.processes.reason = "its host file and filters decide";
  else launch.processes.per_gpu = true;
}

void jsrun_counts(Launch& launch) {
  launch.processes = count_of(first_option(launch, {"n", "nrs"}));
  const Count tasks = count_of(first_option(launch, {"a", "tasks-per-rs"}));
  if (launch.processes.value && tasks.value && *tasks.value < 1'000'000) *launch.processes.value *= *tasks.value;
}

// A word in front, how many plain words of its own it takes, and its options with values.
struct Wrapper {
  std::string_view name;
  std::size_t plain;
  std::string_view values;
};
constexpr std::array wrappers = std::to_array<Wrapper>({
    {"time", 0, " f o "},     {"exec", 0, " a "},
    {"env", 0, " u C S "},    {"nohup", 0, ""},
    {"command", 0, ""},       {"nice", 0, " n "},
    {"ionice", 0, " c n "},   {"numactl", 0, " N m C i membind cpunodebind physcpubind interleave "},
    {"taskset", 1, ""},       {"timeout", 1, " s k signal kill-after "},
    {"stdbuf", 0, " i o e "}, {"unbuffer", 0, ""},
    {"setsid", 0, ""},        {"catchsegv", 0, ""},
    {"builtin", 0, ""},       {"eval", 0, ""},
    {"sudo", 0, " u g "},     {"coproc", 0, ""},
    {"xvfb-run", 0, " s n "},
});

// Two words: `conda run`, `uv run`, `nsys profile`.
constexpr std::array double_wrappers = std::to_array<Wrapper>({
    {"conda run", 0, " n name p prefix cwd "},
    {"mamba run", 0, " n name p prefix "},
    {"micromamba run", 0, " n name p prefix "},
    {"uv run", 0, " with p python extra env-file group package directory "},
    {"poetry run", 0, ""},
    {"pixi run", 0, " e environment "},
    {"pipenv run", 0, ""},
    {"nsys profile", 0, " o t c w s f b x output trace delay duration "},
});

bool is_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  return std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(equals), is_name_char);
}

// Past the options of a wrapper and its own plain words.
std::size_t past_wrapper(std::span<const Word> words, std::size_t at, const Wrapper& wrapper) {
  Launch scratch{};
  at = read_plain(scratch, words, at, {"", wrapper.values, false});
  while (at < words.size() && wrapper.name == "env" && is_assignment(words[at].text)) ++at;
  return std::min(at + wrapper.plain, words.size());
}

}  // namespace

std::size_t skip_wrappers(std::span<const Word> words) {
  std::size_t at = 0;
  for (int layers = 0; at < words.size() && layers < 8; ++layers) {
    const std::string_view name = base_name(words[at].text);
    const auto single =
        std::find_if(wrappers.begin(), wrappers.end(), [&](const Wrapper& w) { return w.name == name; });
    if (single != wrappers.end()) {
      at = past_wrapper(words, at + 1, *single);
      continue;
    }
    if (at + 1 == words.size() || words[at + 1].text.size() > 8) return at;
    const std::string both = std::string(name.substr(0, 16)) + " " + words[at + 1].text;
    const auto pair =
        std::find_if(double_wrappers.begin(), double_wrappers.end(), [&](const Wrapper& w) { return w.name == both; });
    if (pair == double_wrappers.end()) return at;
    at = past_wrapper(words, at + 2, *pair);
  }
  return at;
}

std::size_t read_launch_options(Launch& launch, std::span<const Word> words, std::size_t at) {
  switch (launch.kind) {
    case Launcher::srun: return read_srun(launch, words, at);
    case Launcher::mpirun: return read_plain(launch, words, at, mpirun);
    case Launcher::torchrun: return read_plain(launch, words, at, torchrun);
    case Launcher::accelerate: return read_plain(launch, words, at, accelerate);
    case Launcher::deepspeed: return read_plain(launch, words, at, deepspeed);
    case Launcher::horovodrun: return read_plain(launch, words, at, horovodrun);
    case Launcher::jsrun: return read_plain(launch, words, at, jsrun);
    case Launcher::ray:
      return read_plain(launch, words, at, {" head block no-monitor disable-usage-stats v verbose ", "", true});
    case Launcher::python: return read_plain(launch, words, at, python);
    case Launcher::container: {
      const std::string_view tool = base_name(words[at - 2].text);
      return read_plain(launch, words, at, tool == "docker" || tool.starts_with("podman") ? docker : container);
    }
    case Launcher::sbatch:
    case Launcher::scontrol:
    case Launcher::program: return at;
  }
  return at;
}

void read_counts(Launch& launch) {
  switch (launch.kind) {
    case Launcher::srun: return srun_counts(launch);
    case Launcher::mpirun: return mpirun_counts(launch);
    case Launcher::torchrun:
      launch.processes = count_of(first_option(launch, {"nproc-per-node", "nproc"}));
      launch.nodes = count_of(first_option(launch, {"nnodes"}));
      if (!launch.processes.said()) launch.processes = one();
      if (!launch.nodes.said()) launch.nodes = one();
      return;
    case Launcher::accelerate: return accelerate_counts(launch);
    case Launcher::deepspeed: return deepspeed_counts(launch);
    case Launcher::horovodrun: launch.processes = count_of(first_option(launch, {"np", "num-proc"})); return;
    case Launcher::jsrun: return jsrun_counts(launch);
    default: return;
  }
}

}  // namespace muster::targets::slurm
