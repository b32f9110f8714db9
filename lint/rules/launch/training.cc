// PAR001 world-size, PAR002 tp-crosses-node, CKP001 no-checkpoint.
#include <algorithm>
#include <charconv>
#include <map>

#include "compiler/base/text.h"
#include "lint/rules/launch/script_job.h"
#include "plan/steps/parallel.h"

namespace muster::lint {
namespace {

// ---- PAR001 ------------------------------------------------------------------------------------------

// What Megatron's programs call the degrees of model parallelism; their product divides the world.
constexpr std::string_view degree_flags[] = {"tensor-model-parallel-size", "pipeline-model-parallel-size",
                                             "context-parallel-size"};

struct Degree {
  std::int64_t size = 0;
  Span span;
};

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 && value <= 1'000'000
             ? std::optional(value)
             : std::nullopt;
}

// `--flag 8` and `--flag=8` among a program's words. An empty optional: one of them is not a literal number.
std::optional<std::map<std::string, Degree>> degrees_of(const shell::Launch& launch) {
  std::map<std::string, Degree> out;
  for (std::size_t i = 0; i < launch.program.size(); ++i) {
    const shell::Word& word = launch.program[i];
    if (!word.text.starts_with("--")) continue;
    const std::size_t equals = word.text.find('=');
    std::string flag = word.text.substr(2, equals == std::string::npos ? equals : equals - 2);
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (std::find(std::begin(degree_flags), std::end(degree_flags), flag) == std::end(degree_flags)) continue;
    const bool next = equals == std::string::npos && i + 1 < launch.program.size();
    const shell::Word& value = next ? launch.program[i + 1] : word;
    const auto size = number(equals == std::string::npos ? value.text : word.text.substr(equals + 1));
    if (!value.literal || !size) return std::nullopt;
    out[flag] = {*size, value.span};
  }
  return out;
}

void check_world(const ScriptJob& job, const slurm::Start& start) {
  const std::int32_t index = start.inner >= 0 ? start.inner : start.launch;
  if (index < 0 || !start.total.value) return;
  const shell::Launch& launch = job.body.launches[static_cast<std::size_t>(index)];
  const auto degrees = degrees_of(launch);
  if (!degrees || degrees->empty()) return;
  std::int64_t product = 1;
  std::string words;
  for (const auto& [flag, degree] : *degrees) {
    if (product > 1'000'000 / degree.size) return;
    product *= degree.size;
    words += (words.empty() ? "" : " × ") + std::to_string(degree.size);
  }
  const std::int64_t world = *start.total.value;
  if (world % product == 0) return;
  Finding& f = job.wrong_at(RuleId::world_size, degrees->begin()->second.span, "world-size",
                            "a model replica needs " + words + " = " + std::to_string(product) + " processes, but " +
                                std::to_string(world) +
                                " start: " + (world < product ? "too few for one" : "not a whole number of replicas"));
  for (const auto& [flag, degree] : *degrees) f.labels.push_back({degree.span, flag});
  f.labels.erase(f.labels.begin());
  f.primary_label = degrees->begin()->first;
  if (!start.unconditional) f.severity = Severity::warning;
}

// ---- PAR002 ------------------------------------------------------------------------------------------

// A tensor-parallel group exchanges activations in every layer: within a node over NVLink, beyond it over the network.
void check_tensor(const ScriptJob& job, const slurm::Start& start) {
  const std::int32_t index = start.inner >= 0 ? start.inner : start.launch;
  if (index < 0) return;
  const auto degrees = degrees_of(job.body.launches[static_cast<std::size_t>(index)]);
  if (!degrees) return;
  const auto tensor = degrees->find("tensor-model-parallel-size");
  const auto gpus = job.meaning.job().gpus_a_node.value;
  if (tensor == degrees->end() || !gpus || *gpus < 1 || tensor->second.size <= *gpus) return;
  if (job.context.fleet != nullptr) {
    const auto pools = pools_of(job);
    if (std::any_of(pools.begin(), pools.end(), [&](const model::Pool* pool) {
          return !pool->nvlink_domains.empty() && plan::nvlink_gpus(*pool) >= tensor->second.size;
        }))
      return;
  }
  job.wrong_at(RuleId::tp_crosses_node, tensor->second.span, "tensor-model-parallel-size",
               "a tensor-parallel group of " + std::to_string(tensor->second.size) + " GPUs spans more than the " +
                   std::to_string(*gpus) + " of a " + std::string(job.host.node()));
}

// ---- CKP001 ------------------------------------------------------------------------------------------

constexpr std::int64_t long_run_minutes = 4 * 60;

void check_checkpoint(const ScriptJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (!c.nodes || c.nodes->min < 2 || !c.time || c.time->unlimited || c.time->minutes <= long_run_minutes) return;
  if (c.gpus_in_all.value.value_or(0) < 2) return;
  const bool trains = std::any_of(job.body.launches.begin(), job.body.launches.end(),
                                  [](const shell::Launch& l) { return shell::starts_ranks(l.kind); });
  if (!trains || mentions_saving(job)) return;
  Finding& f = job.cannot_tell(RuleId::no_checkpoint, c.time.by,
                               "without a checkpoint a failure of one of " + std::to_string(c.nodes->min) +
                                   " nodes loses up to " + std::to_string(c.time->minutes / 60) +
                                   " hours; the script mentions none");
  f.path = "checkpoint";
}

}  // namespace

void check_training(const ScriptJob& job) {
  for (const slurm::Start& start : job.meaning.starts) check_world(job, start), check_tensor(job, start);
  check_checkpoint(job);
}

}  // namespace muster::lint
