// The run-time contract: what a program finds in its environment on every target. MUSTER_* says who it is, what it has
// and where the others are; the variables of its launcher (PET_*, MASTER_ADDR, …) say the same in the launcher's names.
// This file knows the contract; a scheduler brings `RunNames`, what it tells its jobs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "targets/account.h"
#include "targets/contract/wanted.h"
#include "targets/exports.h"

namespace muster::targets::contract {

// The shell that reads `export NAME=WORD`: bash neither splits nor expands the word, other shells do, so that an
// expansion is quoted for them.
enum class Shell : std::uint8_t { bash, posix };

// The addresses of another role of the gang.
struct Peer {
  std::string role;
  std::string head;        // right side of an assignment: its first node
  std::string hosts_file;  // and the file with all of them
};

// What a scheduler tells a running job. Each is the right side of an assignment, a variable of the scheduler or an
// expression; "": nothing tells it here, and the contract's variable is not set.
struct RunNames {
  Shell shell = Shell::bash;
  std::string id;       // MUSTER_ID: of the run; of an array, of all of it
  std::string attempt;  // MUSTER_ATTEMPT: how often it was started again
  std::string point;    // MUSTER_POINT: of an array, this task's number
  std::string replica;  // MUSTER_REPLICA
  std::string nodes;    // MUSTER_NODES; "": the number of the plan
  std::string rank;     // MUSTER_NODE_RANK, in the replica
  std::string address;  // MUSTER_NODE_ADDR
  std::string head;     // MUSTER_HEAD_ADDR: of rank 0
  std::string hosts;    // a command that prints the replica's addresses by rank, one a line
  std::string port;     // MUSTER_PORT: free on the head
  std::string cpus;     // MUSTER_CPUS and MUSTER_MEMORY_MB, where the workload leaves them to the node
  std::string memory;
  std::string dir;       // MUSTER_DIR: the job's folder
  std::string tmp;       // MUSTER_TMP: disk of the node
  std::string hostfile;  // MUSTER_HOSTFILE
  std::vector<Peer> peers{};
};

// A variable and the right side of its assignment.
struct Variable {
  std::string name;
  std::string word;
};
using Variables = std::vector<Variable>;

// A role that runs somewhere.
struct Run {
  const model::Workload& workload;
  const model::Role& role;
  const plan::RolePlan& shape;
  const RunNames& names;
};

// The parts of the contract. A target writes them in the order that its lines need: a word may name variables of a
// part that was written before.
Variables identity(const Run& run);          // MUSTER_NAME, MUSTER_ROLE, MUSTER_ID, MUSTER_ATTEMPT
Variables point(const Run& run);             // MUSTER_POINT, MUSTER_POINTS
Variables copies(const Run& run);            // MUSTER_REPLICA, MUSTER_REPLICAS
Variables nodes(const Run& run);             // MUSTER_NODES, MUSTER_NODE_RANK, MUSTER_NODE_ADDR
Variables head(const Run& run);              // MUSTER_HEAD_ADDR, MUSTER_PORT
Variables amounts(const Run& run);           // MUSTER_GPUS_PER_NODE … MUSTER_WORLD_SIZE
Variables folders(const Run& run);           // MUSTER_DIR, MUSTER_TMP
Variables hostfile(const Run& run);          // MUSTER_HOSTFILE
Variables peers(const Run& run);             // MUSTER_ADDR_<ROLE>, MUSTER_HOSTS_<ROLE>
Variables launcher_counts(const Run& run);   // PET_NNODES, PET_NPROC_PER_NODE; WORLD_SIZE
Variables launcher_address(const Run& run);  // PET_MASTER_ADDR, PET_MASTER_PORT; MASTER_ADDR, MASTER_PORT
Variables launcher_rank(const Run& run);     // PET_NODE_RANK; of one process a node RANK, LOCAL_RANK
Variables torchrun_alone(const Run& run);    // PET_STANDALONE, PET_NPROC_PER_NODE: of one node
// TORCH_ELASTIC_SHUTDOWN_TIMEOUT, TORCHELASTIC_SIGNALS_TO_HANDLE: where the program has `seconds` from the signal on.
Variables launcher_stop(const Run& run, std::int64_t seconds);
// Refuses on `account` a path that no environment can carry.
Variables checkpoint(const Run& run, Account& account);  // MUSTER_CHECKPOINT
// MUSTER_PORT_<NAME> and MUSTER_MOUNT_<NAME>; nullopt where the name makes none, which is refused on `account`.
std::optional<Variable> port(const model::Port& port, Account& account);
std::optional<Variable> mount(const model::Mount& mount, Shell shell, Account& account);

// The value of a variable of the contract as the right side of another assignment.
std::string value_of(std::string_view variable, Shell shell);
// Bytes as such a right side.
std::string word_of(std::string_view bytes, Shell shell);

// Adds a part of the contract to the lines that export it: of the MUSTER_* those that are wanted.
void add(Exports& exports, const Variables& variables, const Wanted& wanted);

}  // namespace muster::targets::contract
