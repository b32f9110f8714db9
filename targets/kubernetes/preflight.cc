// Checks before the program: a pod that cannot work ends in its first minute.
#include "compiler/model/runner.h"
#include "targets/kubernetes/pod_draft.h"

namespace muster::targets::kubernetes {
namespace {

// Every pod shows as many GPUs as were asked for.
void look_at_gpus(PodDraft& pod) {
  const std::string list =
      pod.vendor() == "amd" ? "rocm-smi --showid --csv | grep -c ^card" : "nvidia-smi -L | grep -c ^GPU";
  pod.line("n=$(" + list + ") || :");
  pod.line("[ \"$n\" -ge " + std::to_string(pod.shape.gpus) +
           " ] || { echo \"$MUSTER_NODE_ADDR shows $n GPUs\" >&2; exit 1; }");
  pod.exact(model::Field::preflight_gpu_health, "lines before the program");
}

// One all-reduce over all ranks, by the launcher that the program itself uses.
constexpr std::string_view all_reduce = R"(import os
import torch
import torch.distributed as dist

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
data = torch.ones(1 << 24, device="cuda")
dist.all_reduce(data)
torch.cuda.synchronize()
assert data[0].item() == dist.get_world_size(), "wrong sum"
dist.destroy_process_group()
)";

void run_nccl(PodDraft& pod) {
  const model::Runner r = pod.runner();
  if (!model::row_of(r).opens_file)
    return pod.refuse(model::Field::preflight_nccl,
                      "an NCCL test on all nodes is not available for runner `" + std::string(model::name(r)) + "`",
                      "use runner `torchrun`, or run all_reduce_perf in a separate workload");
  pod.files.push_back({"nccl-check.py", "nccl-check.py", std::string(all_reduce), 0});
  pod.line("# one all-reduce over all nodes, next to the program's port");
  pod.line("NCCL_DEBUG=INFO torchrun --nnodes=\"$MUSTER_NODES\" --nproc-per-node=\"$MUSTER_PROCS_PER_NODE\" \\");
  pod.line(
      "  --node-rank=\"$MUSTER_NODE_RANK\" --master-addr=\"$MUSTER_HEAD_ADDR\" --master-port=\"$((MUSTER_PORT + 1))\" "
      "\\");
  pod.line("  " + std::string(files_dir) + "/nccl-check.py > \"$MUSTER_TMP/nccl.log\" 2>&1 ||");
  pod.line("  { cat \"$MUSTER_TMP/nccl.log\"; echo 'the NCCL test on these nodes failed'; exit 1; } >&2");
  if (pod.role.fabric.value == model::FabricRequest::required && pod.shape.nodes > 1)
    pod.line(
        "! grep -q NET/Socket \"$MUSTER_TMP/nccl.log\" || { echo 'NCCL uses TCP sockets, not the fabric' "
        ">&2; exit 1; }");
  pod.approximated(model::Field::preflight_nccl, "an all-reduce before the program", "requires PyTorch in the image");
}

}  // namespace

void add_preflight(PodDraft& pod) {
  if (!pod.role.preflight) return;
  if (pod.role.preflight->gpu_health) look_at_gpus(pod);
  else pod.read(model::Field::preflight_gpu_health, "no check");
  if (pod.role.preflight->nccl) run_nccl(pod);
  else pod.read(model::Field::preflight_nccl, "no check");
}

}  // namespace muster::targets::kubernetes
