// What a raw option of Slurm asks for.
#include "targets/asks.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/slurm/option_table.h"
#include "targets/slurm/read/gres.h"
#include "targets/slurm/read/meaning.h"

namespace muster::targets::slurm {
namespace {

// A GPU, or a part of one.
bool is_gpu(std::string_view resource) {
  if (resource.starts_with("gres/") || resource.starts_with("gres:")) resource.remove_prefix(5);
  const std::string_view name = resource.substr(0, resource.find_first_of(":="));
  return is_one_of(name, {"gpu", "shard", "mps"});
}

// Of a list of generic or trackable resources: "gpu:a100:2,lscratch:10", "cpu=2,gres/gpu:1".
std::vector<Asks> asks_of_list(std::string_view value) {
  std::vector<Asks> out;
  for (const std::string_view item : split(value, ',')) {
    if (is_gpu(item)) out.push_back(Asks::gpus);
    else if (item.starts_with("cpu=") || item.starts_with("cpu:")) out.push_back(Asks::cpus);
    else if (item.starts_with("mem=") || item.starts_with("mem:")) out.push_back(Asks::memory);
  }
  return out;
}

}  // namespace

std::vector<Asks> asks_of(const model::RawOption& option) {
  const OptionRow* row = find_option(Tool::sbatch, canonical_option(option.name));
  if (row == nullptr || row->asks == Asks::nothing) return {};
  const std::string& value = option.value.value;
  if (is_one_of(row->type, {"gres-list", "tres-per-task"})) return asks_of_list(value);
  if (row->asks == Asks::time)
    if (const auto limit = slurm_time(value); limit && limit->unlimited) return {};
  if (row->asks == Asks::gpus && value == "0") return {};
  return {row->asks};
}

}  // namespace muster::targets::slurm
