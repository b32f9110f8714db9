#include "compiler/shell/launch_options.h"

#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "compiler/shell/launchers.h"
#include "compiler/shell/launches.h"

namespace muster::shell {
namespace {

// Which options of a program take a value: of its row in the table of launchers, or of a container tool or wrapper.
struct Grammar {
  std::string_view flags, values;
  bool valued = false;
};

constexpr std::string_view mpirun_pairs = " mca gmca genv env ";
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

constexpr Grammar shifter{"", " i image e env env-file V volume w workdir m module ", false};

std::string normal(std::string_view spelling) {
  std::string name(spelling.substr(0, 60));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
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
    LaunchOption option{name, std::nullopt, words[at].span, words[at].index};
    const std::size_t first = at;
    const bool flag = lists_name(grammar.flags, name);
    const bool pair = launch.kind == Launcher::mpirun && lists_name(mpirun_pairs, name);
    const bool takes =
        equals == std::string_view::npos && !flag && (grammar.valued || pair || lists_name(grammar.values, name));
    if (equals != std::string_view::npos) option.value = words[at].behind(equals + 1);
    ++at;
    if (takes && at < words.size()) option.value = words[at++];
    if (takes && pair && name != "env" && at < words.size()) ++at;
    option.words = static_cast<std::uint32_t>(at - first);
    launch.options.push_back(std::move(option));
    const bool module = launch.kind == Launcher::python && (name == "m" || name == "c");
    if (module) return at;
  }
  return at;
}

std::optional<std::int64_t> positive_number(std::string_view text) {
  const auto number = whole_number(text);
  return number && *number > 0 ? number : std::nullopt;
}

const OwnOptions* own_options(std::span<const OwnOptions> own, Launcher launcher) {
  const auto found = std::find_if(own.begin(), own.end(), [&](const OwnOptions& o) { return o.launcher == launcher; });
  return found == own.end() ? nullptr : &*found;
}

// The `--nproc_per_node=8` of a launcher. `gpu` and `auto` are one for each GPU.
Count count_of(const LaunchOption* option) {
  if (option == nullptr) return {};
  Count count;
  count.span = option->span;
  if (!option->value) return count.reason = "its option has no value", count;
  const std::string& text = option->value->text;
  if (!option->value->literal) return count.reason = "`" + text + "` is known only when the job runs", count;
  if (text == "gpu" || text == "auto") return count.per_gpu = true, count;
  count.value = positive_number(text);
  if (!count.value) count.reason = "`" + text.substr(0, 40) + "` is not a number";
  return count;
}

// The last option whose name is in the list.
const LaunchOption* last_option(const Launch& launch, std::string_view names) {
  const LaunchOption* found = nullptr;
  for (const LaunchOption& o : launch.options)
    if (lists_name(names, o.name)) found = &o;
  return found;
}

// Open MPI's `--map-by ppr:N:node`.
void mpirun_counts(Launch& launch) {
  const LaunchOption* map = launch.option("map-by");
  if (map == nullptr || !map->value || !map->value->text.starts_with("ppr:")) return;
  const std::string_view rest = std::string_view(map->value->text).substr(4);
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos || !rest.substr(colon + 1).starts_with("node")) return;
  launch.per_node.value = positive_number(rest.substr(0, colon));
  launch.per_node.span = map->span;
}

// The processes of all nodes together, as those of one.
void share_among_nodes(Launch& launch) {
  if (!launch.processes.stated()) {
    launch.processes.reason = "without --num_processes accelerate reads its configuration file or counts the GPUs";
  } else if (launch.processes.value) {
    if (launch.nodes.value && *launch.nodes.value > 0) *launch.processes.value /= *launch.nodes.value;
    else launch.processes.reason = launch.nodes.reason, launch.processes.value.reset();
  }
}

void jsrun_counts(Launch& launch) {
  const Count tasks = count_of(last_option(launch, " a tasks-per-rs "));
  if (launch.processes.value && tasks.value && *tasks.value < 1'000'000) *launch.processes.value *= *tasks.value;
}

// Where the options say nothing.
void add_default_counts(Launch& launch, const LauncherRow& row) {
  const LaunchOption* config = last_option(launch, node_names(launch.kind).config);
  if (row.one_node && !launch.nodes.stated()) {
    if (config == nullptr) launch.nodes.value = 1;
    else launch.nodes.reason = "its configuration file may give the number of nodes";
  }
  if (launch.processes.stated()) return;
  if (row.no_count == NoCount::one) launch.processes.value = 1;
  if (row.no_count != NoCount::one_a_gpu) return;
  if (last_option(launch, " include i exclude e hostfile H ") != nullptr)
    launch.processes.reason = "its host file and filters determine the number";
  else launch.processes.per_gpu = true;
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

std::size_t read_launch_options(Launch& launch, std::span<const Word> words, std::size_t at,
                                std::span<const OwnOptions> own) {
  const LauncherRow& row = row_of(launch.kind);
  if (const OwnOptions* system = own_options(own, launch.kind)) return system->read(launch, words, at);
  if (launch.kind == Launcher::container) {
    const bool of_docker = launch.tool.starts_with("docker ") || launch.tool.starts_with("podman");
    return read_plain(launch, words, at, of_docker ? docker : launch.tool == "shifter" ? shifter : container);
  }
  if (row.starts == Starts::jobs || launch.kind == Launcher::program) return at;
  return read_plain(launch, words, at, {row.flags, row.values, row.valued});
}

NodeNames node_names(Launcher launcher) {
  switch (launcher) {
    case Launcher::torchrun: return {"PET_NNODES", " node-rank ", ""};
    case Launcher::accelerate: return {"", " machine-rank ", " config-file "};
    case Launcher::deepspeed: return {"", " node-rank ", ""};
    default: return {};
  }
}

void read_counts(Launch& launch, std::span<const OwnOptions> own) {
  const LauncherRow& row = row_of(launch.kind);
  launch.processes = count_of(last_option(launch, row.processes));
  launch.per_node = count_of(last_option(launch, row.per_node));
  launch.nodes = count_of(last_option(launch, row.nodes));
  add_default_counts(launch, row);
  if (const OwnOptions* system = own_options(own, launch.kind)) system->counts(launch);
  if (launch.kind == Launcher::mpirun) mpirun_counts(launch);
  if (launch.kind == Launcher::jsrun) jsrun_counts(launch);
  if (row.of_all_nodes) share_among_nodes(launch);
}

}  // namespace muster::shell
