// A part of one GPU: shards and MPS by share, MIG by profile, each in the words that the site gives it.
#include <algorithm>
#include <charconv>

#include "compiler/base/text.h"
#include "compiler/model/marks.h"
#include "targets/slurm/options.h"
#include "targets/slurm/sections.h"

namespace muster::targets::slurm {
namespace {

// "shard:4" is 4; 0 for anything else.
std::int64_t shards_of(std::string_view resource) {
  std::int64_t count = 0;
  if (!resource.starts_with("shard:")) return 0;
  const std::string_view digits = resource.substr(6);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return error == std::errc() && end == digits.data() + digits.size() && count > 0 && count <= 1024 ? count : 0;
}

void add_share(Job& job, const model::GpuDialect* dialect) {
  const std::int64_t percent = job.role.resources.gpu_share->value;
  const std::string resource = dialect != nullptr && dialect->resource ? dialect->resource->value : std::string();
  const std::int64_t shards = shards_of(resource);
  if (resource == "mps") {
    add_option(job, "--gres", "mps:" + std::to_string(percent), Field::resources_gpu_share);
    return job.exact(Field::resources_gpu_share, job.directives.empty() ? "--gres" : job.directives.back());
  }
  if (shards == 0)
    return job.refuse(Field::resources_gpu_share, "site `" + job.site.name + "` does not declare how GPUs are shared",
                      "add `gpu MODEL { resource = \"mps\" }`, or `\"shard:N\"` with the shards of a GPU, to the site");
  const std::int64_t count = (percent * shards + 99) / 100;
  add_option(job, "--gres", "shard:" + std::to_string(count), Field::resources_gpu_share);
  const std::string as = "--gres=shard:" + std::to_string(count);
  if (count * 100 == percent * shards) job.exact(Field::resources_gpu_share, as);
  else
    job.approximated(Field::resources_gpu_share, as,
                     "rounded up, because a GPU has " + std::to_string(shards) + " shards");
}

void add_slice(Job& job, const model::GpuDialect* dialect) {
  if (dialect == nullptr || !dialect->slice_resource)
    return job.refuse(Field::resources_gpu_slice,
                      "site `" + job.site.name + "` does not declare the names of its MIG slices",
                      "add `gpu MODEL { slice-resource = \"gpu:{slice}\" }` to the site");
  const std::string name = slice_word(dialect->slice_resource->value, job.role.resources.gpu_slice->value);
  if (name.empty() || name.find_first_of(",=() \t\"'") != std::string::npos)
    return job.refuse(Field::resources_gpu_slice, "site `" + job.site.name + "` names this slice `" + printable(name) +
                                                      "`, which is not a valid name of a generic resource");
  add_option(job, "--gres", name + ":1", Field::resources_gpu_slice);
  job.exact(Field::resources_gpu_slice, "--gres=" + name + ":1");
}

}  // namespace

void add_gpu_part(Job& job) {
  const model::GpuDialect* dialect = model::find_dialect(job.site, job.plane, gpu_model(job.shape));
  if (job.role.resources.gpu_share) add_share(job, dialect);
  else add_slice(job, dialect);
  job.read(Field::resources_gpu, "the choice of the pool, whose nodes are the only candidates");
  job.read(Field::resources_gpus, "part of one");
}

}  // namespace muster::targets::slurm
