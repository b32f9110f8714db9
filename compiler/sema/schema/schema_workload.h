// The tables of `workload` and `role` that are no directive of batch systems. Inside compiler/sema only.
#pragma once

#include <algorithm>
#include <array>

#include "compiler/sema/schema/schema_common.h"

namespace muster::sema::tables {

// Two tables as one: what roles have, workloads have too.
template <class Row, std::size_t A, std::size_t B>
constexpr std::array<Row, A + B> join(const std::array<Row, A>& a, const std::array<Row, B>& b) {
  std::array<Row, A + B> out{};
  for (std::size_t i = 0; i < A; ++i) out[i] = a[i];
  for (std::size_t i = 0; i < B; ++i) out[A + i] = b[i];
  return out;
}
template <class Row, std::size_t A, std::size_t B>
constexpr std::array<Row, A + B> join(const Row (&a)[A], const Row (&b)[B]) {
  return join(std::to_array(a), std::to_array(b));
}
template <class Row, std::size_t A, std::size_t B>
constexpr std::array<Row, A + B> join(const std::array<Row, A>& a, const Row (&b)[B]) {
  return join(a, std::to_array(b));
}

// The rows but those of these names, each of which is there.
template <class Row, std::size_t A, std::size_t B>
constexpr std::array<Row, A - B> without(const std::array<Row, A>& rows, const std::string_view (&names)[B]) {
  std::array<Row, A - B> out{};
  std::size_t n = 0;
  for (const Row& row : rows)
    if (std::find(std::begin(names), std::end(names), row.name) == std::end(names)) out.at(n++) = row;
  return out;
}

inline constexpr std::string_view gangs_of_work[] = {"all", "replica", "none"};
inline constexpr std::string_view fabric_requests[] = {"auto", "required", "none"};
inline constexpr std::string_view role_starts[] = {"started", "ready", "complete"};
inline constexpr std::string_view afters[] = {"success", "finish", "failure", "start"};
inline constexpr std::string_view nccl_checks[] = {"none", "required"};
inline constexpr std::string_view metrics[] = {"requests-waiting", "requests-per-second", "concurrency", "kv-cache",
                                               "cpu"};
inline constexpr std::string_view engines[] = {"vllm", "sglang", "trtllm"};
inline constexpr std::string_view routers[] = {"round-robin", "least-load", "prefix-aware"};
inline constexpr std::string_view interfaces[] = {"jupyter", "vscode", "ssh", "shell"};

inline constexpr KeySchema parallelism_keys[] = {
    {"tensor", Type::integer, "degree of tensor parallelism", "1", {}, false, 1, 1'000'000},
    {"pipeline", Type::integer, "degree of pipeline parallelism", "1", {}, false, 1, 1'000'000},
    {"data", Type::integer, "degree of data parallelism", "what is left", {}, false, 1, 1'000'000},
    {"context", Type::integer, "degree of context parallelism", "1", {}, false, 1, 1'000'000},
    {"expert", Type::integer, "degree of expert parallelism; no factor of the product", "1", {}, false, 1, 1'000'000},
};

inline constexpr KeySchema secret_keys[] = {
    {"env", Type::text, "the variable that holds it"},
    {"file", Type::text, "the file that holds it: absolute, or below $MUSTER_DIR"},
};

inline constexpr KeySchema file_keys[] = {
    {"text", Type::document, "what it holds, at most 1 MiB", "", {}, true},
    {"mode", Type::text, "its permissions: \"0755\"", "0644"},
};

inline constexpr KeySchema port_keys[] = {
    {"number", Type::integer, "its number, unlike the others of the role", "", {}, true, 1, 65'535},
    {"public", Type::boolean, "reachable from outside the cluster", "false"},
};

inline constexpr KeySchema probe_keys[] = {
    {"http", Type::text, "a path that answers 2xx: \"/health\"; or `tcp` or `command`"},
    {"tcp", Type::boolean, "the port takes connections", "false"},
    {"command", Type::texts, "a command that ends with 0"},
    {"port", Type::name, "the port asked, by name", "the only one"},
    {"after", Type::duration, "the first try", "0s", {}, false, 0},
    {"every", Type::duration, "from try to try", "10s", {}, false, 1000},
    {"timeout", Type::duration, "of one try", "1s", {}, false, 1000},
    {"failures", Type::integer, "failures in a row after which it counts as failed", "3", {}, false, 1, 10'000},
};

inline constexpr KeySchema preflight_keys[] = {
    {"nccl", Type::symbol, "whether NCCL is run over all nodes first", "none", nccl_checks},
    {"gpu-health", Type::boolean, "whether each node's GPUs are looked at first", "false"},
};

inline constexpr KeySchema role_start_keys[] = {
    {"on", Type::symbol, "what of it must have happened", "started", role_starts},
};
inline constexpr KeySchema after_keys[] = {
    {"on", Type::symbol, "what of it must have happened", "success", afters},
};

inline constexpr KeySchema scale_keys[] = {
    {"metric", Type::symbol, "what is measured", "", metrics, true},
    {"target", Type::number, "its value a replica", "", {}, true},
    {"cooldown", Type::duration, "pause before fewer replicas", "", {}, false, 0},
};

inline constexpr KeySchema serve_keys[] = {
    {"port", Type::name, "the port of the endpoint", "the only one"},
    {"model", Type::text, "the model that is served"},
    {"engine", Type::symbol, "the server; its command is written where there is none", "", engines},
    {"args", Type::texts, "further words of that command"},
    {"router", Type::symbol, "how requests reach the replicas", "", routers},
    {"config", Type::document, "YAML of Ray Serve applications"},
};

inline constexpr KeySchema dev_keys[] = {
    {"interface", Type::symbol, "how people get in", "", interfaces, true},
    {"idle-timeout", Type::duration, "ends it where nobody works in it", "", {}, false, 60'000},
};

}  // namespace muster::sema::tables
