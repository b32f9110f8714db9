// What a pod with accelerators is for: to wait, to try them out or measure them, or work.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

using k8s::Container;

// Parts of images and commands of benchmarks of collectives, which share memory, and of burn-in tests and samples.
constexpr std::array<std::string_view, 6> collectives = {"nccl-test", "nccl_test",       "rccl-test",
                                                         "rccl_test", "all_reduce_perf", "tf_cnn_benchmarks"};
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

}  // namespace

bool is_idle(const Container& c) {
  constexpr std::array<std::string_view, 4> idle = {"nvidia-smi", "rocm-smi", "sleep", "/pause"};
  const bool word = std::any_of(c.words.begin(), c.words.end(), [&](const k8s::Word& w) {
    return std::find(idle.begin(), idle.end(), w.text.substr(w.text.find_last_of('/') + 1)) != idle.end();
  });
  const std::string_view image = c.field.get("image").text();
  return (word && program_of(c) == k8s::Program::none) || image.find("pause") != std::string_view::npos;
}

// `sh -c "nvidia-smi; trap exit TERM; sleep infinity & wait"`: few words, and none that is a program's path or file.
bool only_waits(const Container& c) {
  constexpr std::size_t longest = 14;
  const auto is_of_shell = [](const k8s::Word& word) {
    const std::string_view name = std::string_view(word.text).substr(word.text.rfind('/') + 1);
    return name.find('.') == std::string_view::npos && (name.size() == word.text.size() || name.ends_with("sh") ||
                                                        name.ends_with("-smi") || name == "sleep" || name == "pause");
  };
  return is_idle(c) && c.words.size() <= longest && std::all_of(c.words.begin(), c.words.end(), is_of_shell);
}

bool is_burn_in(const Container& c) { return names(c, others) && !names(c, collectives); }

bool is_trial(const k8s::Object& object) {
  bool found = false;
  for (const k8s::PodTemplate& pods : object.pods)
    for (const Container& c : pods.containers) {
      const k8s::Program program = program_of(c);
      if (is_server(program) || (is_launcher(program) && program != k8s::Program::mpirun)) return false;
      found |= names(c, collectives) || names(c, others);
    }
  return found;
}

bool is_for_tpus(const k8s::PodTemplate& pods) {
  return std::any_of(pods.containers.begin(), pods.containers.end(), [](const Container& c) {
    return c.resources().get("limits").get("google.com/tpu") || c.resources().get("requests").get("google.com/tpu");
  });
}

}  // namespace muster::lint
