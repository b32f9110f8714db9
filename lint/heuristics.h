// What scripts, manifests and specs have in common, and what it says of the network, of storage and of a site.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "compiler/model/fleet.h"
#include "compiler/model/site.h"

namespace muster::lint {

// Whether a pool declares a fabric that reads and writes memory of other nodes: InfiniBand, RoCE, EFA, Slingshot.
bool has_rdma(const model::Pool& pool);

// Whether a variable makes NCCL leave the fabric aside: NCCL_IB_DISABLE=1, NCCL_NET=Socket.
bool forces_tcp(std::string_view variable, std::string_view value);

// Whether a setting belongs to EFA, of which NCCL_IB_DISABLE=1 says nothing: FI_PROVIDER=efa, FI_EFA_…
bool selects_efa(std::string_view variable, std::string_view value);

// Whether a variable makes NCCL or Gloo listen on nothing but interfaces that other hosts cannot reach:
// NCCL_SOCKET_IFNAME=lo. A list that begins with `^` says what not to use.
bool is_local_interface(std::string_view variable, std::string_view value);

// What a setting that is for debugging only does to a job on GPUs: "makes the program wait for each kernel"; "" for
// others. CUDA_LAUNCH_BLOCKING=1, TORCH_DISTRIBUTED_DEBUG=DETAIL.
std::string_view debugging_effect(std::string_view variable, std::string_view value);
// The variables of these.
inline constexpr std::array<std::string_view, 2> debugging_variables = {"CUDA_LAUNCH_BLOCKING",
                                                                        "TORCH_DISTRIBUTED_DEBUG"};

// Words of which one is in what shows or measures the transport that NCCL takes.
inline constexpr std::array<std::string_view, 5> transport_checks = {"NCCL_DEBUG", "all_reduce_perf", "nccl-tests",
                                                                     "nccl_tests", "ib_write_bw"};

// Whether an option of a program says where its state is saved: --checkpoint-dir, --save, --ckpt_path …
bool is_checkpoint_option(std::string_view option);

// Whether a path lies on a disk of the node's own by custom: /tmp, /var/tmp, /dev/shm, /local, $TMPDIR, $SLURM_TMPDIR.
bool is_node_local(std::string_view path);

// The architecture that an image's tag or name speaks of, as pools have it: "amd64", "arm64"; "" for none.
std::string_view arch_of_image(std::string_view image);

// Whether an image is the same one tomorrow: `latest`, or no tag at all, is not. A digest is, and so is a path of a
// file; a tag holds until it is moved.
enum class Pin { pinned, tagged, no_tag, latest };
Pin pin_of(std::string_view image);
// Whether the version is in the name itself: "tgi-cu124.2-3.py311".
bool has_version_in_name(std::string_view image);

}  // namespace muster::lint
