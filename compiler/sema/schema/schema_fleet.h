// The tables of `fleet`: hardware. Inside compiler/sema only.
#pragma once

#include "compiler/base/limits.h"
#include "compiler/sema/schema/schema.h"
#include "compiler/sema/schema/schema_common.h"
#include "compiler/sema/schema/symbols.h"

namespace muster::sema::tables {

inline constexpr KeySchema gpu_keys[] = {
    {"model", Type::name, "GPU model", "", {}, true},
    {"memory", Type::size, "memory of one GPU", "", {}, false, 1},
    {"count", Type::integer, "GPUs per node", "", {}, true, 1, 1024},
    {"link", Type::symbol, "how the GPUs of a node are connected", "", symbols::links},
    {"vendor", Type::symbol, "vendor", "nvidia", symbols::vendors},
    {"compute", Type::number, "CUDA compute capability: 9.0", "that of the model, if muster knows it"},
    {"slices", Type::texts, "MIG profiles into which each GPU is partitioned: [\"1g.10gb\"]"},
};

inline constexpr KeySchema slice_keys[] = {
    {"placements",
     Type::text,
     "the memory slices at which it may begin and the number that it uses, as `nvidia-smi mig -lgipp` prints them: "
     "\"{0,2,4}:2\"",
     "",
     {},
     true},
    {"compute",
     Type::integer,
     "number of compute slices that it uses",
     "the number before the g in its name",
     {},
     false,
     1,
     7},
};
inline constexpr BlockSchema gpu_blocks[] = {
    {"slice", "placements of slices of one MIG profile on a GPU", LabelRule::required, true, slice_keys},
};

inline constexpr KeySchema node_keys[] = {
    {"cpus", Type::integer, "CPU cores", "", {}, true, 1, 100'000},
    {"threads-per-core",
     Type::integer,
     "hardware threads of a core; schedulers give out `cpus` times as many CPUs",
     "1",
     {},
     false,
     1,
     64},
    {"memory", Type::size, "main memory", "", {}, true, 1 << 20},
    {"disk", Type::size, "local disk", "", {}, false, 0},
    {"arch", Type::symbol, "processor architecture", "amd64", symbols::archs},
    {"sockets", Type::integer, "number of processors", "", {}, false, 1, 64},
    {"reserve-cpus",
     Type::integer,
     "cores reserved for the system",
     "0; on planes of pods 2, at most half of the cores",
     {},
     false,
     0,
     100'000},
    {"reserve-memory",
     Type::size,
     "memory reserved for the system",
     "0B; on planes of pods 4 % of the memory",
     {},
     false,
     0},
};

inline constexpr KeySchema network_keys[] = {
    {"fabric", Type::symbol, "type of the fabric", "", symbols::fabrics},
    {"bandwidth", Type::rate, "network bandwidth of one node", "", {}, false, 0},
    {"rails", Type::integer, "network ports of a node that are dedicated to GPUs", "", {}, false, 1, 64},
};

inline constexpr KeySchema leaf_keys[] = {
    {"nodes", Type::hosts, "nodes on this leaf switch", "", {}, true},
    {"up", Type::name, "the spine switch above it"},
};

inline constexpr KeySchema spine_keys[] = {{"up", Type::name, "the spine switch above it"}};

inline constexpr KeySchema domain_keys[] = {{"nodes", Type::hosts, "nodes of this domain", "", {}, true}};
inline constexpr BlockSchema domain_blocks[] = {
    {"domain", "one NVLink domain", LabelRule::required, true, domain_keys},
};
inline constexpr KeySchema nvlink_keys[] = {
    {"nodes", Type::integer, "nodes per domain, in order; alternative to `domain` blocks", "", {}, false, 2, 100'000},
};

inline constexpr KeySchema block_keys[] = {{"leaves", Type::names, "leaf switches of this block", "", {}, true}};

inline constexpr std::string_view taint_effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
inline constexpr KeySchema taint_keys[] = {
    {"value", Type::text, "value of the taint"},
    {"effect", Type::symbol, "effect on pods that do not tolerate the taint", "NoSchedule", taint_effects},
};

inline constexpr KeySchema in_use_keys[] = {
    {"nodes", Type::hosts, "nodes that are in use", "", {}, true},
    {"gpus",
     Type::integer,
     "GPUs in use on each node; cpus and memory default to the share of these GPUs",
     "the whole node",
     {},
     false,
     0,
     1024},
    {"cpus", Type::integer, "cores in use on each node", "the GPUs' share", {}, false, 0, 100'000},
    {"memory", Type::size, "memory in use on each node", "the GPUs' share", {}, false, 0},
};

inline constexpr BlockSchema pool_blocks[] = {
    {"gpu", "GPUs of a node", LabelRule::none, false, gpu_keys, gpu_blocks},
    {"node", "hardware of a node", LabelRule::none, false, node_keys},
    {"network", "the network of the nodes", LabelRule::none, false, network_keys},
    {"leaf", "a leaf switch and its nodes", LabelRule::required, true, leaf_keys},
    {"spine", "a switch above leaves or spines", LabelRule::required, true, spine_keys},
    {"block", "a group of leaf switches", LabelRule::required, true, block_keys},
    {"nvlink-domain", "groups of nodes whose GPUs NVLink connects", LabelRule::none, false, nvlink_keys, domain_blocks},
    {"in-use", "resources that are in use now", LabelRule::required, true, in_use_keys},
    {"taint",
     "a taint of the nodes; only queues that list it in `tolerates` can use the pool; pods with GPUs tolerate "
     "nvidia.com/gpu or amd.com/gpu on their vendor's nodes",
     LabelRule::required, true, taint_keys},
    allow_block,
};

inline constexpr KeySchema pool_keys[] = {
    {"nodes",
     Type::hosts_or_count,
     "node names, or the number of nodes",
     "",
     {},
     true,
     1,
     value_of(Limit::cluster_nodes)},
    {"leaf-size",
     Type::integer,
     "nodes per leaf switch, in order; alternative to leaf blocks",
     "",
     {},
     false,
     1,
     100'000},
    {"drained", Type::hosts, "nodes that cannot be used"},
    {"spare",
     Type::hosts_or_count,
     "spare nodes: names, or a number counted from the end",
     "",
     {},
     false,
     0,
     value_of(Limit::cluster_nodes)},
    {"zone", Type::text, "placement label"},
    {"rack", Type::text, "placement label"},
    {"cost-per-gpu-hour", Type::number, "price of one GPU per hour"},
    {"cost-per-cpu-hour", Type::number, "price of one CPU per hour, beside that of GPUs"},
    {"cost-per-node-hour", Type::number, "price of one node per hour, beside those of GPUs and CPUs"},
    {"node-mtbf", Type::duration, "mean time between failures of a node", "", {}, false, 60'000},
    {"preemptible", Type::boolean, "whether the capacity can be preempted", "false"},
};

inline constexpr KeySchema fleet_keys[] = {
    {"as-of", Type::text, "time of what is in use and reserved, as the cluster's clock says it: \"2026-12-01T08:00\""},
};

inline constexpr KeySchema reservation_keys[] = {
    {"nodes", Type::hosts, "nodes that are held", "", {}, true},
    {"from", Type::text, "when it begins: \"2026-12-01T08:00\"", "", {}, true},
    {"until", Type::text, "when it ends", "", {}, true},
    {"users", Type::names, "users who may use the nodes; \"@NAME\" is a Unix group, \"-NAME\" is everyone else"},
    {"accounts", Type::names, "accounts that may use the nodes; \"-NAME\" is every other account"},
};

inline constexpr KeySchema feature_keys[] = {
    {"nodes", Type::hosts, "nodes that have it", "", {}, true},
};

inline constexpr BlockSchema fleet_blocks[] = {
    {"pool", "nodes of the same kind", LabelRule::required, true, pool_keys, pool_blocks},
    {"reservation", "nodes that others hold for a time; without users and accounts it is a maintenance",
     LabelRule::required, true, reservation_keys},
    {"feature", "feature of Slurm that `--constraint` names", LabelRule::required, true, feature_keys},
    allow_block,
};

}  // namespace muster::sema::tables
