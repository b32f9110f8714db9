// What the readers share: checks of names and amounts, each with its diagnostic. Inside read/ only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/slurm/read/fields.h"

namespace muster::targets::slurm {

// The most memory or disk of a node: far above any machine, far below an overflow in bytes.
constexpr std::int64_t most_mebibytes = std::int64_t{1} << 40;

// Keys of records that say nothing of where jobs may run, or nothing with these values. All other keys are read, or
// named as not imported: a key of a later release of Slurm too.
std::span<const SilentKey> silent_keys(ClusterFile kind);

// Whether a name can be in a host list and in a file of ours. Reports otherwise.
bool good_host(const std::string& name, Span span, Diagnostics& diagnostics);
// Whether an amount is there, at least 1 and not absurd. Reports otherwise.
bool good_amount(const std::optional<std::int64_t>& amount, std::string_view key, const std::string& node, Span span,
                 Diagnostics& diagnostics);
// The CPUs of a core, from the counts of sockets, cores and threads.
std::int64_t threads_of(const Fields& fields, std::int64_t cpus);
// A host list spelt out; reports one that cannot be read.
std::vector<std::string> hosts_of(std::string_view text, Span span, Diagnostics& diagnostics);
// Whether a host list can be read, without spelling it out; an empty one can. Reports otherwise.
bool good_hosts(std::string_view text, Span span, Diagnostics& diagnostics);
void too_many_nodes(Span span, Diagnostics& diagnostics);

// scontrol's record of a partition, or slurm.conf's line of one.
std::optional<PartitionRecord> partition_of(const Fields& fields, Diagnostics& diagnostics);

}  // namespace muster::targets::slurm
