// Whether a small site can start a job, by trying every choice of nodes. It reads nothing of muster's: a site and a job
// are numbers here, and what they mean is said in docs/reference/fit.md and by the schedulers themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::oracles {

using Amount = std::optional<std::int64_t>;

// Memory is in GiB, times are in hours, CPUs are hardware threads where nothing else is said.
struct UsedNode {
  std::int64_t node = 0;
  Amount gpus{}, cores{}, gibibytes{};  // none of them: the whole node
};

struct SmallPool {
  std::string name, gpu{}, zone{}, arch = "amd64", network{};
  std::int64_t nodes = 1, gpus = 0, cores = 8, threads = 1, gibibytes = 64;
  Amount reserved_cores{}, reserved_gibibytes{};
  std::int64_t leaf = 0;  // nodes of a leaf; 0: none is declared
  bool tainted = false;
  std::vector<std::int64_t> drained{};
  std::vector<UsedNode> used{};
};

using NodeOfPool = std::pair<std::size_t, std::int64_t>;

struct SmallReservation {
  std::string name;
  std::vector<NodeOfPool> nodes{};
  std::int64_t from = 0, until = 0;
  bool of_account = false;  // the job's account may use it
};

struct SmallQuota {
  std::vector<std::size_t> pools{};  // that it counts together
  Amount gpus{}, nodes{}, cpus{}, gibibytes{}, pods{};
  // Of a queue in a cohort with one other, which has so many GPUs and runs nothing: what that lends at most, and what
  // this one may borrow.
  Amount others{}, lend{}, borrow{};
};

struct SmallQueue {
  std::vector<std::size_t> pools{};  // empty: all
  std::vector<NodeOfPool> nodes{};   // empty: all of its pools
  Amount max_time{}, default_time{}, max_nodes{}, max_gpus{};
  std::optional<std::size_t> reservation{};
  bool tolerates = false;
};

struct SmallTenant {
  Amount max_time{}, max_nodes{}, max_gpus{}, max_jobs{};
  std::vector<SmallQuota> quotas{};
};

enum class SmallPlane : std::uint8_t { slurm, kueue, volcano };

struct SmallSite {
  SmallPlane plane = SmallPlane::slurm;
  bool smt = true;  // Slurm: CPUs of a job may be threads of one core
  std::int64_t as_of = 0;
  std::vector<SmallPool> pools{};
  std::vector<SmallReservation> reservations{};
  std::vector<std::vector<std::size_t>> flavors{};  // of Kueue; empty: every pool is of one
  std::vector<std::size_t> settings{};              // pools with settings of the site for their network
  std::vector<SmallQueue> queues{};
  SmallTenant tenant{};

  bool pods() const { return plane != SmallPlane::slurm; }
};

struct SmallRole {
  std::int64_t nodes = 1, gpus = 0;
  std::vector<std::string> models{};  // one of these; empty: any
  Amount cpus{}, gibibytes{};         // of a node; none: the share of its GPUs
  Amount least_cores{};               // `require node.cpus >= …`
  std::string none_of{};              // `require gpu.model != …`
  std::string prefers{};              // `prefer gpu.model == …`, which changes no verdict
  bool exclusive = false, one_leaf = false;
  bool uses_network = false;  // the site's settings for it are in its file
};

struct SmallJob {
  std::vector<SmallRole> roles{};
  Amount hours{};                      // time limit
  bool of_account = false;             // on a plane of pods too it says whose it is
  std::optional<std::size_t> queue{};  // none: the first of the site that can take it
};

struct SiteAnswer {
  bool capacity = false, policy = false, now = false;
  bool within = false;    // on nodes that are free now and within the quotas
  bool all = false;       // all of it, and within the limits of a job
  std::size_t queue = 0;  // that it takes
};
SiteAnswer answer_of(const SmallSite& site, const SmallJob& job);

// Whether limits and quotas of GPUs count the same for an exclusive job on whatever nodes. Else Slurm chooses nodes
// first and then finds the limit passed, or not.
bool counts_exclusive(const SmallSite& site);

// The most nodes that the only role could have instead, up to those that it asks for: on the fleet empty or as it is
// now, within the quotas or not.
std::int64_t most_nodes(const SmallSite& site, const SmallJob& job, std::size_t queue, bool now, bool quotas);

// How much each limit and quota is passed by a job whose nodes are all of pools that the quota counts, which is what a
// certificate may say is missing; limits that are kept are left out.
std::vector<std::int64_t> passed_limits(const SmallSite& site, const SmallJob& job, std::size_t queue);

}  // namespace muster::oracles
