// Containers of a pod as checks want them: what they ask for and what they run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "targets/kubernetes/read/field.h"

namespace muster::targets::kubernetes {

// One word of a command line, with the values of variables that are known.
struct Word {
  std::string text;
  Field field;                       // the element of `command` or `args` that holds it
  std::uint32_t begin = 0, end = 0;  // in its value, as it is spelt there

  // Where the file has it.
  Span place(const Sources& sources) const;
};

struct Container {
  Field field;
  std::string_view name;
  bool init = false;  // runs before the others (and so is not a sidecar)
  // Of `command` and `args`; in place of a text for a shell the words of its commands.
  std::vector<Word> words;

  // "limits" or "requests" of a resource.
  Field limit(std::string_view resource) const { return resources().get("limits").get(resource); }
  Field request(std::string_view resource) const { return resources().get("requests").get(resource); }
  // `resources`, or `resourcesPerNode` of a TrainJob.
  Field resources() const;
  // GPUs that one process group can use together: of NVIDIA or AMD, no MIG slices; from limits, else
  // from requests; 0 where the number is not in the file.
  std::int64_t gpus() const;
  // Where the GPUs are asked for; false if none are.
  Field gpu_field() const;
  // Any accelerator, MIG slices too.
  bool has_accelerator() const;
  // The literal value of a variable of `env`; "" if it is not there or comes from elsewhere.
  std::string_view env(std::string_view name) const;
  // Whether `env` has the variable, whatever its value is.
  bool sets(std::string_view name) const;
  // Whether it says itself which of its GPUs a process sees.
  bool chooses_devices() const;
};

// `name` of the domain of a vendor, such as nvidia.com/gpu or rdma/hca: whole numbers, limits count.
bool is_extended_resource(std::string_view name);
bool is_accelerator(std::string_view name);

// All containers of a pod spec, init containers first. `bare` specs (KServe) also hold containers without
// a list around them: `model`, `sklearn`, ….
std::vector<Container> containers_of(const Field& spec, bool bare);
// `trainer` of a TrainJob as a container.
Container trainer_container(const Field& trainer);

// The value of an option, "--name=value" or "--name value"; `_` and `-` are one. Variables of the
// container are filled in. nullptr if it is nowhere, or more than once with different values.
struct Option {
  std::string value;
  const Word* word = nullptr;
  std::optional<std::int64_t> whole() const;
};
std::optional<Option> option_of(const Container& container, std::initializer_list<std::string_view> names);

// The program that starts the processes of a distributed job, or serves a model.
enum class Program : std::uint8_t { none, torchrun, accelerate, deepspeed, mpirun, vllm, sglang, tgi };
// The only one of the container's command; `none` also where several are started.
Program program_of(const Container& container);
bool is_launcher(Program program);
bool is_server(Program program);
std::string_view name(Program program);

}  // namespace muster::targets::kubernetes
