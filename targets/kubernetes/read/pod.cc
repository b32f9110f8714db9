#include "targets/kubernetes/read/pod.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "compiler/base/blank.h"
#include "compiler/base/text.h"
#include "compiler/shell/launchers.h"
#include "targets/kubernetes/read/pod_text.h"

namespace muster::targets::kubernetes {
namespace {

Container container_at(const Field& field, bool init) {
  Container c;
  c.field = field;
  c.name = field.get("name").text();
  c.init = init && field.get("restartPolicy").text() != "Always";
  c.words = words_of(c);
  return c;
}

bool same_option(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return (x == '_' ? '-' : x) == (y == '_' ? '-' : y); });
}

// `$X`, `${X}` and `$(X)` of the container's own variables.
std::string filled_in(const Container& container, std::string_view value) {
  if (!value.starts_with('$')) return std::string(value);
  std::string_view name = value.substr(1);
  if (name.size() > 2 && (name.front() == '{' || name.front() == '(')) name = name.substr(1, name.size() - 2);
  return std::string(container.env(name));
}

// As what a pod counts a launcher; none where its processes are not counted.
Program program_of(shell::Launcher launcher) {
  switch (launcher) {
    case shell::Launcher::torchrun: return Program::torchrun;
    case shell::Launcher::accelerate: return Program::accelerate;
    case shell::Launcher::deepspeed: return Program::deepspeed;
    case shell::Launcher::mpirun:
    case shell::Launcher::horovodrun: return Program::mpirun;
    default: return Program::none;
  }
}

Program launcher_at(std::string_view word, std::string_view next) {
  for (const shell::LauncherRow& row : shell::launcher_rows()) {
    const bool module = lists_name(row.modules, word), program = lists_name(row.programs, word);
    if (!module && !program) continue;
    if (!module && !row.subcommands.empty() && !lists_name(row.subcommands, next)) continue;
    if (row.launcher == shell::Launcher::deepspeed && next.empty()) continue;
    return program_of(row.launcher);
  }
  return Program::none;
}

Program program_at(const std::vector<Word>& words, std::size_t i) {
  const std::string_view word = base_name(words[i].text);
  const std::string_view next = i + 1 < words.size() ? std::string_view(words[i + 1].text) : std::string_view();
  if (const Program launcher = launcher_at(word, next); launcher != Program::none) return launcher;
  if (word == "vllm" && next == "serve") return Program::vllm;
  if (word.starts_with("vllm.entrypoints.") && word.ends_with("api_server")) return Program::vllm;
  if (word == "sglang.launch_server" || word == "sglang_router.launch_server") return Program::sglang;
  if (word == "text-generation-launcher") return Program::tgi;
  return Program::none;
}

Program program_of_image(std::string_view image) {
  const auto has = [&](std::string_view part) { return image.find(part) != std::string_view::npos; };
  if (has("vllm/vllm-openai") || has("lmcache/vllm-openai")) return Program::vllm;
  if (has("huggingface/text-generation-inference")) return Program::tgi;
  return Program::none;
}

}  // namespace

Field Container::resources() const {
  const Field own = field.get("resources");
  return own ? own : field.get("resourcesPerNode");
}

Field Container::gpu_field() const {
  for (const char* part : {"limits", "requests"})
    for (const char* gpu : {"nvidia.com/gpu", "amd.com/gpu"})
      if (Field f = resources().get(part).get(gpu)) return f;
  return {};
}

std::int64_t Container::gpus() const { return std::max<std::int64_t>(gpu_field().whole().value_or(0), 0); }

bool Container::has_accelerator() const {
  for (const char* part : {"limits", "requests"})
    for (const Field& f : resources().get(part).members())
      if (is_accelerator(f.key) && f.text() != "0") return true;
  return false;
}

std::string_view Container::env(std::string_view name) const {
  for (const Field& variable : field.get("env").items())
    if (variable.get("name").text() == name) return variable.get("value").text();
  return {};
}

bool Container::sets(std::string_view name) const {
  const auto items = field.get("env").items();
  return std::any_of(items.begin(), items.end(), [&](const Field& own) { return own.get("name").text() == name; });
}

bool Container::chooses_devices() const {
  if (!env("CUDA_VISIBLE_DEVICES").empty()) return true;
  return std::any_of(words.begin(), words.end(),
                     [](const Word& w) { return w.text.starts_with("CUDA_VISIBLE_DEVICES="); });
}

bool is_extended_resource(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.starts_with("requests.")) return false;
  const std::string_view domain = name.substr(0, slash);
  return domain != "kubernetes.io" && !domain.ends_with(".kubernetes.io") && !blank_in(name, In::yaml);
}

bool is_accelerator(std::string_view name) {
  constexpr std::array<std::string_view, 11> prefixes = {
      "nvidia.com/gpu",        "nvidia.com/mig-",   "amd.com/gpu",           "gpu.intel.com/",
      "habana.ai/gaudi",       "google.com/tpu",    "aws.amazon.com/neuron", "huawei.com/Ascend",
      "nvidia.com/mig.shared", "cambricon.com/mlu", "gpu.nvidia.com/"};
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return name.starts_with(p); });
}

std::vector<Container> containers_of(const Field& spec, bool bare) {
  std::vector<Container> out;
  for (const Field& f : spec.get("initContainers").items()) out.push_back(container_at(f, true));
  for (const char* list : {"containers", "ephemeralContainers"})
    for (const Field& f : spec.get(list).items()) out.push_back(container_at(f, false));
  constexpr std::array<std::string_view, 12> models = {"model",   "sklearn",  "xgboost",     "tensorflow",
                                                       "pytorch", "triton",   "huggingface", "onnx",
                                                       "pmml",    "lightgbm", "paddle",      "main"};
  if (bare)
    for (const std::string_view key : models)
      if (const Field f = spec.get(key); f && f.node->is_map()) out.push_back(container_at(f, false));
  return out;
}

Container trainer_container(const Field& trainer) { return container_at(trainer, false); }

std::optional<std::int64_t> Option::whole() const {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
  if (value.empty() || error != std::errc() || end != value.data() + value.size()) return std::nullopt;
  return n;
}

std::optional<Option> option_of(const Container& container, std::initializer_list<std::string_view> names) {
  constexpr int most = 16;  // repetitions that are looked into
  std::optional<Option> found;
  int count = 0;
  for (std::size_t i = 0; i < container.words.size(); ++i) {
    const Word& word = container.words[i];
    const std::size_t equals = word.text.find('=');
    const std::string_view name = std::string_view(word.text).substr(0, equals);
    if (std::none_of(names.begin(), names.end(), [&](std::string_view n) { return same_option(n, name); })) continue;
    std::string_view value;
    if (equals != std::string::npos) value = std::string_view(word.text).substr(equals + 1);
    else if (i + 1 < container.words.size()) value = container.words[i + 1].text;
    const std::string filled = filled_in(container, value);
    if (++count > most || (found && found->value != filled)) return std::nullopt;
    found = Option{filled, &word};
  }
  return found;
}

Program program_of(const Container& container) {
  Program found = Program::none;
  int count = 0;
  for (std::size_t i = 0; i < container.words.size(); ++i)
    if (const Program p = program_at(container.words, i); p != Program::none) {
      found = p;
      ++count;
    }
  if (count > 1) return Program::none;
  const bool own_command = static_cast<bool>(container.field.get("command"));
  return count == 0 && !own_command ? program_of_image(container.field.get("image").text()) : found;
}

bool is_launcher(Program program) { return program >= Program::torchrun && program <= Program::mpirun; }
bool is_server(Program program) { return program >= Program::vllm; }

std::string_view name(Program program) {
  switch (program) {
    case Program::none: return "";
    case Program::torchrun: return name(shell::Launcher::torchrun);
    case Program::accelerate: return "accelerate launch";
    case Program::deepspeed: return name(shell::Launcher::deepspeed);
    case Program::mpirun: return name(shell::Launcher::mpirun);
    case Program::vllm: return "vllm";
    case Program::sglang: return "sglang";
    case Program::tgi: return "text-generation-launcher";
  }
  return "";
}

}  // namespace muster::targets::kubernetes
