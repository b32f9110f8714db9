// A container that a script starts by itself, as the image and the mounts of the workload.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/model/plane.h"
#include "compiler/model/site.h"
#include "compiler/model/workload.h"
#include "targets/slurm/read/body.h"

namespace muster::targets::slurm::lifting {

struct Lifter;

struct LiftedContainer {
  model::Containers runtime = model::Containers::none;
  model::Located<std::string> image;      // what the workload says: a name of the site, or a reference
  std::optional<model::ImageName> named;  // where it is a file: the name in the site
  std::vector<model::Storage> storage;    // of the site, in the order of `mounts`
  std::vector<model::Mount> mounts;
  std::vector<model::EnvVar> env;     // --env
  std::optional<std::string> folder;  // --pwd
  bool gpus = false;                  // the container sees the GPUs of the job
  std::vector<std::string> of_job;    // options of the job that say a part of it: "image"
  std::string why;                    // what stands against it: the container stays a part of the command
};

// Of `apptainer exec`, `singularity exec` and `shifter`; of others nothing is lifted. `of_job`: options that no Slurm
// has, among them those of Shifter's plugin.
LiftedContainer lifted_container(const Launch& container, std::span<const model::RawOption> of_job);

// `srun --container-image=…`: Pyxis. nullopt: the step has none.
std::optional<LiftedContainer> container_of_step(const Launch& step);

// The keys, and what the site has of it; a line for each thing. `at`: the launch.
void write_container(Lifter& lifter, const LiftedContainer& container, Span at);

// Whether the script sets variables that only the tool reads: `SINGULARITYENV_A`, `SHIFTER_VOLUME`.
bool sets_variables_inside(const Body& body);

// The names of a variable that a script sets: its own, and the one in a container, `A` of `SINGULARITYENV_A`.
std::vector<std::string> names_in_container(const std::string& name);

// Whether an option of srun is read by `container_of_step`.
bool is_of_container(const LaunchOption& option);

}  // namespace muster::targets::slurm::lifting
