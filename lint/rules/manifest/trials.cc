// What a pod with accelerators is for: to wait, to try them out or measure them, or work.
#include <algorithm>
#include <array>
#include <vector>

#include "compiler/base/text.h"
#include "compiler/shell/programs.h"
#include "lint/rules/manifest/scene.h"
#include "targets/kubernetes/read/pod_text.h"

namespace muster::lint {
namespace {

// Parts of images and commands of benchmarks of collectives, which share memory, and of burn-in tests and samples.
constexpr std::array<std::string_view, 8> collectives = {
    "mlperf", "vllm-bench", "nccl-test", "nccl_test", "rccl-test", "rccl_test", "all_reduce_perf", "tf_cnn_benchmarks"};
constexpr std::array<std::string_view, 22> others = {
    "gpu-burn",        "gpu_burn",    "gpuburn",        "neuronburn",       "vectoradd",       "cuda-sample",
    "cuda-vector-add", "ib_write_bw", "dcgmproftester", "perf-tests/sleep", "e2e-test-images", "nbody",
    "nvtop",           "nvbandwidth", "device_count",   "hl-smi",           "clinfo",          "helloworld",
    "hello-world",     "perftest",    "gpu-stress",     "gpu_stress"};

template <class Parts>
bool names(const Container& c, const Parts& parts) {
  const auto has = [&](std::string_view text) {
    const std::string low = lower(text);
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view p) { return low.find(p) != std::string::npos; });
  };
  return has(c.field.get("image").text()) || has(c.name) ||
         std::any_of(c.words.begin(), c.words.end(), [&](const k8s::Word& word) { return has(word.text); });
}

bool is_called_benchmark(std::string_view name) { return lower(name).find("benchmark") != std::string::npos; }

// `ai-benchmark`, `python run_benchmark.py`; not the setting `cudnn.benchmark=True`.
bool starts_benchmark(const Container& c) {
  return is_called_benchmark(c.name) || is_called_benchmark(c.field.get("image").text()) ||
         std::any_of(c.words.begin(), c.words.end(), [](const k8s::Word& word) {
           return !word.text.starts_with('-') && word.text.find_first_of("=: \n") == std::string::npos &&
                  is_called_benchmark(base_name(word.text));
         });
}

// What the commands of a container do: its own, or those of a text behind `sh -c`.
std::vector<shell::Doing> doings_of(const shell::Body& body) {
  std::vector<shell::Doing> out;
  for (const shell::Command& c : body.commands) {
    const bool holds_text = body.commands.size() > 1 && &c == &body.commands.front();
    if (!holds_text && !c.words.empty()) out.push_back(c.does);
  }
  return out;
}

}  // namespace

bool is_idle(const Container& c) {
  const bool word = std::any_of(c.words.begin(), c.words.end(), [&](const k8s::Word& w) {
    return shell::has_trait(w.text, shell::shows_gpus) || is_one_of(base_name(w.text), {"sleep", "/pause"});
  });
  const std::string_view image = c.field.get("image").text();
  return (word && program_of(c) == k8s::Program::none) || image.find("pause") != std::string_view::npos;
}

bool only_waits(const Container& c) {
  using enum shell::Effect;
  const shell::Body body = k8s::body_of(c);
  const std::vector<shell::Doing> doings = doings_of(body);
  const std::string_view image = c.field.get("image").text();
  // The shell that these images start ends at once.
  for (const std::string_view shell : {"nvidia/cuda:", "nvcr.io/nvidia/cuda:", "pytorch/pytorch:"})
    if (doings.empty() && image.starts_with(shell)) return true;
  bool found = image.find("pause") != std::string_view::npos, prints_only = !doings.empty();
  for (const shell::Doing& d : doings) {
    const bool sets_here = d.is({sets}) && !d.is(shell::Subject::environment) && !d.is(shell::Subject::anything);
    if (!sets_here && !d.is({prints, reads, tests, waits, leaves, monitors})) return found && doings.size() == 1;
    found |= d.is({waits}) || d.is(shell::shows_gpus);
    prints_only &= d.is({prints});
  }
  return found || prints_only;
}

// `ffmpeg-test`, `test`; not `latest`.
bool is_called_test(std::string_view name) {
  const std::vector<std::string_view> words = split(name, '-');
  return std::find(words.begin(), words.end(), "test") != words.end();
}

// `python examples/gpu_smoke_test.py`.
bool runs_smoke_test(const Container& c) {
  return std::any_of(c.words.begin(), c.words.end(), [](const k8s::Word& word) {
    const std::string low = lower(base_name(word.text));
    return low.find("smoke_test") != std::string::npos || low.find("smoke-test") != std::string::npos;
  });
}

bool is_burn_in(const Container& c) { return (names(c, others) || is_called_test(c.name)) && !names(c, collectives); }

// Of a burn-in test also the launcher is one.
bool is_named_burn_in(const Container& c) {
  const std::string text = lower(std::string(c.name) + " " + std::string(c.field.get("image").text()));
  return std::any_of(others.begin(), others.end(),
                     [&](std::string_view p) { return text.find(p) != std::string::npos; });
}

bool is_trial(const k8s::Object& object) {
  bool found = is_called_benchmark(object.name), waits = true, accelerators = false, launched = false;
  for (const k8s::PodTemplate& pods : object.pods)
    for (const Container& c : pods.containers) {
      if (c.has_accelerator()) accelerators = true, waits = waits && only_waits(c);
      if (is_named_burn_in(c) || (c.has_accelerator() && (is_called_test(c.name) || runs_smoke_test(c)))) return true;
      const k8s::Program program = program_of(c);
      if (is_server(program) || (is_launcher(program) && program != k8s::Program::mpirun)) return false;
      launched |= program == k8s::Program::mpirun;
      found |= names(c, collectives) || names(c, others) || starts_benchmark(c);
    }
  return found || (accelerators && waits && !launched);  // the pods that mpirun starts processes in may wait for it
}

bool is_for_tpus(const k8s::PodTemplate& pods) {
  return std::any_of(pods.containers.begin(), pods.containers.end(), [](const Container& c) {
    return c.resources().get("limits").get("google.com/tpu") || c.resources().get("requests").get("google.com/tpu");
  });
}

bool PodFacts::is_trial() {
  if (!trial_) trial_ = lint::is_trial(object_);
  return *trial_;
}

bool PodFacts::is_for_tpus() {
  if (!tpus_) tpus_ = lint::is_for_tpus(pods_);
  return *tpus_;
}

}  // namespace muster::lint
