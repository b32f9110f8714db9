// The tables of `fleet`: hardware. Inside compiler/sema only.
#pragma once

#include "compiler/sema/schema/schema.h"
#include "compiler/sema/schema/schema_common.h"
#include "compiler/sema/schema/symbols.h"

namespace muster::sema::tables {

inline constexpr KeySchema gpu_keys[] = {
    {"model", Type::name, "GPU model", "", {}, true},
    {"memory", Type::size, "memory of one GPU", "", {}, false, 1},
    {"count", Type::integer, "GPUs a node", "", {}, true, 1, 1024},
    {"link", Type::symbol, "how the GPUs of a node are joined", "", symbols::links},
    {"vendor", Type::symbol, "who makes it", "nvidia", symbols::vendors},
    {"compute", Type::number, "CUDA compute capability: 9.0", "of the model, where it is known"},
    {"slices", Type::texts, "MIG profiles that each GPU is cut into: [\"1g.10gb\"]"},
};

inline constexpr KeySchema slice_keys[] = {
    {"placements",
     Type::text,
     "the memory slices it may begin at and how many it takes, as `nvidia-smi mig -lgipp` prints them: \"{0,2,4}:2\"",
     "",
     {},
     true},
    {"compute", Type::integer, "compute slices it takes", "the number before the g of its name", {}, false, 1, 7},
};
inline constexpr BlockSchema gpu_blocks[] = {
    {"slice", "where slices of one MIG profile may stand on a GPU", LabelRule::required, true, slice_keys},
};

inline constexpr KeySchema node_keys[] = {
    {"cpus", Type::integer, "cores", "", {}, true, 1, 100'000},
    {"memory", Type::size, "main memory", "", {}, true, 1 << 20},
    {"disk", Type::size, "local disk", "", {}, false, 0},
    {"arch", Type::symbol, "processor architecture", "amd64", symbols::archs},
    {"sockets", Type::integer, "processors", "", {}, false, 1, 64},
    {"reserve-cpus", Type::integer, "cores that the system keeps", "0", {}, false, 0, 100'000},
    {"reserve-memory", Type::size, "memory that the system keeps", "0B", {}, false, 0},
};

inline constexpr KeySchema network_keys[] = {
    {"fabric", Type::symbol, "the fast network", "", symbols::fabrics},
    {"bandwidth", Type::rate, "of one node", "", {}, false, 0},
    {"rails", Type::integer, "network ports of a node that GPUs have for themselves", "", {}, false, 1, 64},
};

inline constexpr KeySchema leaf_keys[] = {
    {"nodes", Type::hosts, "nodes on this leaf switch", "", {}, true},
    {"up", Type::name, "the spine above it"},
};

inline constexpr KeySchema spine_keys[] = {{"up", Type::name, "the spine above it"}};

inline constexpr KeySchema domain_keys[] = {{"nodes", Type::hosts, "nodes of this domain", "", {}, true}};
inline constexpr BlockSchema domain_blocks[] = {
    {"domain", "one NVLink domain", LabelRule::required, true, domain_keys},
};
inline constexpr KeySchema nvlink_keys[] = {
    {"nodes", Type::integer, "nodes of a domain, in order; or `domain` blocks", "", {}, false, 2, 100'000},
};

inline constexpr KeySchema block_keys[] = {{"leaves", Type::names, "leaf switches of this block", "", {}, true}};

inline constexpr std::string_view taint_effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
inline constexpr KeySchema taint_keys[] = {
    {"value", Type::text, "its value"},
    {"effect", Type::symbol, "what it does to pods that do not tolerate it", "NoSchedule", taint_effects},
};

inline constexpr KeySchema in_use_keys[] = {
    {"nodes", Type::hosts, "nodes that are taken", "", {}, true},
    {"gpus",
     Type::integer,
     "GPUs taken on each; cpus and memory that are not said go by their share",
     "the whole node",
     {},
     false,
     0,
     1024},
    {"cpus", Type::integer, "cores taken on each", "the GPUs' share", {}, false, 0, 100'000},
    {"memory", Type::size, "memory taken on each", "the GPUs' share", {}, false, 0},
};

inline constexpr BlockSchema pool_blocks[] = {
    {"gpu", "GPUs of a node", LabelRule::none, false, gpu_keys, gpu_blocks},
    {"node", "what a node has", LabelRule::none, false, node_keys},
    {"network", "the fast network", LabelRule::none, false, network_keys},
    {"leaf", "a leaf switch and its nodes", LabelRule::required, true, leaf_keys},
    {"spine", "a switch above leaves or spines", LabelRule::required, true, spine_keys},
    {"block", "a group of leaf switches", LabelRule::required, true, block_keys},
    {"nvlink-domain", "nodes whose GPUs one NVLink joins", LabelRule::none, false, nvlink_keys, domain_blocks},
    {"in-use", "what is taken now", LabelRule::required, true, in_use_keys},
    {"taint", "a mark that only queues with `tolerates` pass", LabelRule::required, true, taint_keys},
    allow_block,
};

inline constexpr KeySchema pool_keys[] = {
    {"nodes", Type::hosts_or_count, "node names, or how many there are", "", {}, true, 1, 200'000},
    {"leaf-size", Type::integer, "nodes on a leaf switch, in order; instead of leaf blocks", "", {}, false, 1, 100'000},
    {"drained", Type::hosts, "nodes that cannot be used"},
    {"spare",
     Type::hosts_or_count,
     "nodes held back for repair: names, or how many from the end",
     "",
     {},
     false,
     0,
     200'000},
    {"zone", Type::text, "placement label"},
    {"rack", Type::text, "placement label"},
    {"cost-per-gpu-hour", Type::number, "price of a GPU for an hour"},
    {"node-mtbf", Type::duration, "mean time between failures of a node", "", {}, false, 60'000},
    {"preemptible", Type::boolean, "capacity that is taken back", "false"},
};

inline constexpr BlockSchema fleet_blocks[] = {
    {"pool", "alike machines", LabelRule::required, true, pool_keys, pool_blocks},
    allow_block,
};

}  // namespace muster::sema::tables
