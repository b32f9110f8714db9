// What a pod with accelerators is for: to wait, to try them out or measure them, or work.
#include <algorithm>
#include <array>
#include <vector>

#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

using k8s::Container;

// Parts of images and commands of benchmarks of collectives, which share memory, and of burn-in tests and samples.
constexpr std::array<std::string_view, 7> collectives = {
    "vllm-bench", "nccl-test", "nccl_test", "rccl-test", "rccl_test", "all_reduce_perf", "tf_cnn_benchmarks"};
constexpr std::array<std::string_view, 17> others = {
    "gpu-burn",        "gpu_burn",    "gpuburn",        "neuronburn",       "vectoradd",       "cuda-sample",
    "cuda-vector-add", "ib_write_bw", "dcgmproftester", "perf-tests/sleep", "e2e-test-images", "nbody",
    "nvtop",           "nvbandwidth", "device_count",   "hl-smi",           "clinfo"};

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

// `nvidia-smi` of "/usr/bin/nvidia-smi -L".
std::string_view program_in(std::string_view command) {
  command.remove_prefix(std::min(command.find_first_not_of(" \t\r"), command.size()));
  command = command.substr(0, command.find_first_of(" \t\r"));
  return command.substr(command.rfind('/') + 1);
}

// What a container starts: its command, or the first word of each command of a script behind `sh -c`.
std::vector<std::string_view> programs_of(const Container& c) {
  std::vector<std::string_view> texts, out;
  for (const char* key : {"command", "args"})
    for (const k8s::Field& item : c.field.get(key).items()) texts.push_back(item.text());
  if (texts.empty()) return out;
  const std::string_view first = program_in(texts[0]);
  const auto option = std::find_if(texts.begin(), texts.end(), [](std::string_view t) {
    return t.size() > 1 && t.front() == '-' && t.back() == 'c' && t.size() < 6;
  });
  if (!first.ends_with("sh") || option == texts.end() || option + 1 == texts.end()) return {first};
  std::string_view script = *(option + 1) == "--" && option + 2 != texts.end() ? *(option + 2) : *(option + 1);
  while (!script.empty()) {
    const std::size_t end = std::min(script.find_first_of("\n;&|"), script.size());
    std::string_view command = script.substr(0, end);
    command.remove_prefix(std::min(command.find_first_not_of(" \t\r"), command.size()));
    if (command.starts_with("do ") || command.starts_with("then ")) command.remove_prefix(command.find(' '));
    const std::string_view program = program_in(command);
    if (!program.empty() && program.front() != '#') out.push_back(program);
    script.remove_prefix(std::min(end + 1, script.size()));
  }
  return out;
}

}  // namespace

bool is_idle(const Container& c) {
  constexpr std::array<std::string_view, 4> idle = {"nvidia-smi", "rocm-smi", "sleep", "/pause"};
  const bool word = std::any_of(c.words.begin(), c.words.end(), [&](const k8s::Word& w) {
    return std::find(idle.begin(), idle.end(), w.text.substr(w.text.find_last_of('/') + 1)) != idle.end();
  });
  const std::string_view image = c.field.get("image").text();
  return (word && program_of(c) == k8s::Program::none) || image.find("pause") != std::string_view::npos;
}

bool only_waits(const Container& c) {
  constexpr std::array<std::string_view, 23> harmless = {
      "ls",       "echo", "sleep", "set",    "trap",     "wait",       "while",   "true",
      "do",       "done", "exit",  "printf", "date",     "exec",       "pause",   "env",
      "hostname", ":",    "tail",  "hl-smi", "rocm-smi", "nvidia-smi", "printenv"};
  constexpr std::array<std::string_view, 5> waits = {"sleep", "pause", "hl-smi", "rocm-smi", "nvidia-smi"};
  bool found = false;
  for (const std::string_view program : programs_of(c)) {
    if (std::find(harmless.begin(), harmless.end(), program) == harmless.end()) return false;
    found |= std::find(waits.begin(), waits.end(), program) != waits.end();
  }
  return found || c.field.get("image").text().find("pause") != std::string_view::npos;
}

bool is_burn_in(const Container& c) { return names(c, others) && !names(c, collectives); }

// Of a burn-in test also the launcher is one.
bool is_named_burn_in(const Container& c) {
  const std::string text = lower(std::string(c.name) + " " + std::string(c.field.get("image").text()));
  return std::any_of(others.begin(), others.end(),
                     [&](std::string_view p) { return text.find(p) != std::string::npos; });
}

bool is_trial(const k8s::Object& object) {
  bool found = false, waits = true, accelerators = false;
  for (const k8s::PodTemplate& pods : object.pods)
    for (const Container& c : pods.containers) {
      if (c.has_accelerator()) accelerators = true, waits = waits && only_waits(c);
      if (is_named_burn_in(c)) return true;
      const k8s::Program program = program_of(c);
      if (is_server(program) || (is_launcher(program) && program != k8s::Program::mpirun)) return false;
      found |= names(c, collectives) || names(c, others);
    }
  return found || (accelerators && waits);
}

bool is_for_tpus(const k8s::PodTemplate& pods) {
  return std::any_of(pods.containers.begin(), pods.containers.end(), [](const Container& c) {
    return c.resources().get("limits").get("google.com/tpu") || c.resources().get("requests").get("google.com/tpu");
  });
}

}  // namespace muster::lint
