#include "tests/oracles/site_oracle.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace muster::oracles {
namespace {

constexpr std::int64_t mebibytes = 1024;  // of a GiB
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

template <class T, class List>
bool is_in(const T& item, const List& list) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// What pods or jobs can have of a node: CPUs without what the kubelet and the system keep, memory in MiB.
struct Room {
  std::int64_t gpus = 0, cpus = 0, memory = 0;
  bool untouched = true;
};

Room room_of(const SmallSite& site, const SmallPool& pool) {
  const std::int64_t cpus = pool.cores * pool.threads, memory = pool.gibibytes * mebibytes;
  std::int64_t kept = site.pods() ? std::min<std::int64_t>(2, cpus / 2) : 0;
  if (pool.reserved_cores) kept = *pool.reserved_cores * pool.threads;
  std::int64_t left = site.pods() ? memory * 96 / 100 : memory;
  if (pool.reserved_gibibytes) left = memory - *pool.reserved_gibibytes * mebibytes;
  return {pool.gpus, cpus - kept, left};
}

// Without a word on CPUs and memory these go with the GPUs.
void take_used(const SmallPool& pool, const Room& whole, const UsedNode& used, Room& room) {
  room.untouched = false;
  if (!used.gpus && !used.cores && !used.gibibytes) return void(room = {0, 0, 0, false});
  const auto share = [&](std::int64_t of) { return of * (pool.gpus - *used.gpus) / pool.gpus; };
  if (used.gpus) room.gpus -= *used.gpus;
  if (used.cores) room.cpus -= *used.cores * pool.threads;
  else if (used.gpus) room.cpus = std::min(room.cpus, share(whole.cpus));
  if (used.gibibytes) room.memory -= *used.gibibytes * mebibytes;
  else if (used.gpus) room.memory = std::min(room.memory, share(whole.memory));
  room.cpus = std::max<std::int64_t>(room.cpus, 0), room.memory = std::max<std::int64_t>(room.memory, 0);
}

// GPUs that a queue can have: its own, and what it may borrow of what the other lends.
Amount gpus_of(const SmallQuota& quota) {
  if (!quota.gpus || !quota.others) return quota.gpus;
  const std::int64_t lent = std::min(*quota.others, quota.lend.value_or(never));
  return *quota.gpus + std::min(lent, quota.borrow.value_or(never));
}

struct Wanted {
  std::int64_t gpus = 0, cpus = 0, memory = 0;
};

// When the job ends, if it starts now.
std::int64_t end_of(const SmallSite& site, const SmallJob& job, const SmallQueue& queue) {
  for (const Amount& hours : {job.hours, queue.default_time, queue.max_time})
    if (hours) return site.as_of + *hours;
  return never;
}

// One question: the job through this queue, at this moment, within the quotas or not.
class Search {
 public:
  Search(const SmallSite& site, const SmallJob& job, const SmallQueue& queue, bool now, bool quotas)
      : site_(site), job_(job), queue_(queue), now_(now), quotas_(quotas) {
    for (std::size_t p = 0; p < site.pools.size(); ++p)
      for (std::int64_t n = 0; n < site.pools[p].nodes; ++n) nodes_.emplace_back(p, n);
    for (const NodeOfPool& node : nodes_) rooms_.push_back(room_at(node));
    taken_.assign(nodes_.size(), false);
    for (const SmallRole& role : job.roles) {
      auto& amounts = asked_.emplace_back();
      for (std::size_t p = 0; p < site.pools.size(); ++p) amounts.push_back(asked_of(role, p));
    }
  }

  bool found() { return place(0, 0, 0, {}); }

  // Of a node that a job has alone all CPUs and GPUs count, and all memory where it does not say how much.
  Wanted counted(std::size_t r, std::size_t p) const {
    Wanted out = asked_[r][p];
    const Room whole = room_of(site_, site_.pools[p]);
    if (job_.roles[r].exclusive) {
      out.cpus = whole.cpus, out.gpus = whole.gpus;
      if (!job_.roles[r].gibibytes) out.memory = whole.memory;
    }
    return out;
  }

 private:
  Room room_at(const NodeOfPool& node) const {
    const SmallPool& pool = site_.pools[node.first];
    const Room whole = room_of(site_, pool);
    Room room = whole;
    for (const UsedNode& used : pool.used)
      if (now_ && used.node == node.second) take_used(pool, whole, used, room);
    if (is_out(node)) room = {-1, -1, -1, false};
    return room;
  }

  bool is_out(const NodeOfPool& node) const {
    const SmallPool& pool = site_.pools[node.first];
    if (is_in(node.second, pool.drained)) return true;
    if (!queue_.pools.empty() && !is_in(node.first, queue_.pools)) return true;
    if (!queue_.nodes.empty() && !is_in(node, queue_.nodes)) return true;
    return now_ && is_held(node);
  }

  // Slurm gives the nodes of a reservation to who names it and starts while it lasts, and no others. Elsewhere its
  // accounts have them too.
  bool is_held(const NodeOfPool& node) const {
    const std::int64_t end = end_of(site_, job_, queue_);
    for (std::size_t r = 0; r < site_.reservations.size(); ++r) {
      const SmallReservation& one = site_.reservations[r];
      const bool has = is_in(node, one.nodes);
      if (queue_.reservation == r) {
        if (!has || one.from > site_.as_of || one.until <= site_.as_of) return true;
      } else if (has && one.from < end && site_.as_of < one.until) {
        if (!site_.pods() || !one.of_account || !job_.of_account) return true;
      }
    }
    return false;
  }

  bool allowed(const SmallRole& role, const SmallPool& pool) const {
    if (pool.tainted && !queue_.tolerates) return false;
    if ((role.gpus > 0 || !role.models.empty()) && pool.gpus == 0) return false;
    if (role.gpus > pool.gpus) return false;
    if (!role.models.empty() && !is_in(pool.gpu, role.models)) return false;
    if (!role.none_of.empty() && (pool.gpus > 0 ? pool.gpu : "none") == role.none_of) return false;
    return !role.least_cores || pool.cores >= *role.least_cores;
  }

  // What the file of a role says of its nodes, beside its queue: they are all of one such word, which the scheduler
  // does not look behind. Slurm's names the type of GPUs; that of pods their label, zone and architecture, and Kueue
  // gives all pods of a role nodes of one flavor.
  using Word = std::tuple<std::string, std::string, std::string, std::size_t, std::string>;
  Word word_of(const SmallRole& role, std::size_t p) const {
    const SmallPool& pool = site_.pools[p];
    Word out{role.gpus > 0 ? pool.gpu : "", "", "", 0, ""};
    if (role.uses_network && is_in(p, site_.settings)) std::get<4>(out) = pool.network;
    if (!site_.pods()) return out;
    std::get<1>(out) = pool.zone, std::get<2>(out) = pool.arch;
    for (std::size_t f = 0; f < site_.flavors.size(); ++f)
      if (is_in(p, site_.flavors[f])) std::get<3>(out) = f;
    return out;
  }

  // On a node of this pool. What the job leaves open is the GPUs' share of the smallest node that its file allows.
  Wanted asked_of(const SmallRole& role, std::size_t p) const {
    Wanted out{role.gpus, role.cpus.value_or(0), role.gibibytes.value_or(0) * mebibytes};
    std::int64_t cpus = never, memory = never;
    for (std::size_t o = 0; o < site_.pools.size(); ++o) {
      const SmallPool& pool = site_.pools[o];
      if (!allowed(role, pool) || word_of(role, o) != word_of(role, p) || role.gpus == 0) continue;
      if (!queue_.pools.empty() && !is_in(o, queue_.pools)) continue;
      const Room whole = room_of(site_, pool);
      const std::int64_t core = site_.pods() ? 1 : pool.threads;  // Slurm's share is of whole cores
      const std::int64_t given = site_.smt || site_.pods() ? core : 1;
      cpus = std::min(cpus, std::max<std::int64_t>(whole.cpus / core * role.gpus / pool.gpus, 1) * given);
      memory = std::min(memory, std::max<std::int64_t>(whole.memory * role.gpus / pool.gpus, 1));
    }
    if (!role.cpus && cpus != never && !role.exclusive) out.cpus = cpus;
    if (!role.gibibytes && memory != never && !role.exclusive) out.memory = memory;
    if (site_.pods()) return out;
    // A task has a CPU at least, and whole cores are given out.
    const std::int64_t threads = site_.pools[p].threads, least = std::max<std::int64_t>(out.cpus, 1);
    out.cpus = (site_.smt ? (least + threads - 1) / threads : least) * threads;
    return out;
  }

  bool takes(const SmallRole& role, const Wanted& asked, const Room& room) const {
    if (role.exclusive && !room.untouched) return false;
    return room.gpus >= asked.gpus && room.cpus >= asked.cpus && room.memory >= asked.memory;
  }

  // Nodes of a role are all in one leaf, if it says so. A pool without leaves is one.
  std::int64_t leaf_of(const NodeOfPool& node) const {
    const SmallPool& pool = site_.pools[node.first];
    return static_cast<std::int64_t>(node.first) * 1000 + (pool.leaf > 0 ? node.second / pool.leaf : 0);
  }

  // Places the rest of the job: of this role `done` nodes have been chosen, none of them after the node `from`. Pods
  // may share a node, nodes of a Slurm job never do.
  bool place(std::size_t r, std::int64_t done, std::size_t from, std::optional<std::size_t> first) {
    if (r == job_.roles.size()) return !quotas_ || within_quotas();
    const SmallRole& role = job_.roles[r];
    if (done == role.nodes) return place(r + 1, 0, 0, {});
    for (std::size_t n = from; n < nodes_.size(); ++n) {
      const std::size_t p = nodes_[n].first;
      const Wanted& asked = asked_[r][p];
      if ((!site_.pods() && taken_[n]) || !allowed(role, site_.pools[p]) || !takes(role, asked, rooms_[n])) continue;
      if (first && word_of(role, p) != word_of(role, nodes_[*first].first)) continue;
      if (first && role.one_leaf && leaf_of(nodes_[n]) != leaf_of(nodes_[*first])) continue;
      const Room before = rooms_[n];
      const bool was_taken = taken_[n];
      rooms_[n].gpus -= asked.gpus, rooms_[n].cpus -= asked.cpus, rooms_[n].memory -= asked.memory, taken_[n] = true;
      chosen_.emplace_back(r, p);
      const bool rest = place(r, done + 1, site_.pods() ? n : n + 1, first ? first : n);
      chosen_.pop_back();
      rooms_[n] = before, taken_[n] = was_taken;
      if (rest) return true;
    }
    return false;
  }

  bool within_quotas() const {
    for (const SmallQuota& quota : site_.tenant.quotas) {
      std::int64_t nodes = 0;
      Wanted sum;
      for (const auto& [r, p] : chosen_) {
        if (!is_in(p, quota.pools)) continue;
        const Wanted one = counted(r, p);
        ++nodes, sum.gpus += one.gpus, sum.cpus += one.cpus, sum.memory += one.memory;
      }
      const auto over = [](std::int64_t has, const Amount& most) { return most && has > *most; };
      if (over(sum.gpus, gpus_of(quota)) || over(nodes, quota.nodes) || over(sum.cpus, quota.cpus)) return false;
      if (over(nodes, quota.pods) || (quota.gibibytes && sum.memory > *quota.gibibytes * mebibytes)) return false;
    }
    return true;
  }

  const SmallSite& site_;
  const SmallJob& job_;
  const SmallQueue& queue_;
  bool now_, quotas_;
  std::vector<NodeOfPool> nodes_;
  std::vector<Room> rooms_;
  std::vector<bool> taken_;
  std::vector<std::vector<Wanted>> asked_;                     // by role and pool
  std::vector<std::pair<std::size_t, std::size_t>> chosen_{};  // role and pool of each node so far
};

// A limit of a job by itself: what it asks, the most there may be, and in which unit a certificate counts these.
struct Limit {
  std::int64_t asked = 0;
  Amount most;
  std::int64_t unit = 1;
};

std::vector<Limit> limits_of(const SmallSite& site, const SmallJob& job, const SmallQueue& queue) {
  std::int64_t nodes = 0, gpus = 0;
  // Of exclusive nodes all GPUs count. Which nodes these are then makes no difference, or there is no such limit.
  const std::int64_t of_node = site.pools.front().gpus;
  for (const SmallRole& role : job.roles)
    nodes += role.nodes, gpus += role.nodes * (role.exclusive ? of_node : role.gpus);
  std::vector<Limit> out = {{nodes, queue.max_nodes},
                            {gpus, queue.max_gpus},
                            {nodes, site.tenant.max_nodes},
                            {gpus, site.tenant.max_gpus},
                            {1, site.tenant.max_jobs}};
  // A file that sets no time gets that of the queue, which is within the queue's own limit.
  const auto hours = job.hours ? job.hours : queue.default_time;
  if (job.hours) out.push_back({*job.hours, queue.max_time, 3600});
  if (hours) out.push_back({*hours, site.tenant.max_time, 3600});
  return out;
}

bool within_limits(const SmallSite& site, const SmallJob& job, const SmallQueue& queue) {
  const auto limits = limits_of(site, job, queue);
  return std::none_of(limits.begin(), limits.end(), [](const Limit& l) { return l.most && l.asked > *l.most; });
}

}  // namespace

std::vector<std::int64_t> passed_limits(const SmallSite& site, const SmallJob& job, std::size_t queue) {
  std::vector<std::int64_t> out;
  const auto add = [&](std::int64_t asked, const Amount& most, std::int64_t unit = 1) {
    if (most && asked > *most) out.push_back((asked - *most) * unit);
  };
  for (const Limit& limit : limits_of(site, job, site.queues[queue])) add(limit.asked, limit.most, limit.unit);
  // Of a quota what all nodes ask of each of its pools, be they there or not.
  const Search search(site, job, site.queues[queue], false, true);
  for (const SmallQuota& quota : site.tenant.quotas)
    for (const std::size_t p : quota.pools) {
      std::int64_t nodes = 0, gpus = 0, cpus = 0, memory = 0;
      for (std::size_t r = 0; r < job.roles.size(); ++r) {
        const auto [each_gpus, each_cpus, each_memory] = search.counted(r, p);
        const std::int64_t many = job.roles[r].nodes;
        nodes += many, gpus += many * each_gpus, cpus += many * each_cpus, memory += many * each_memory;
      }
      add(gpus, gpus_of(quota)), add(nodes, quota.nodes), add(cpus, quota.cpus), add(nodes, quota.pods);
      add(memory, quota.gibibytes ? Amount(*quota.gibibytes * mebibytes) : Amount(), 1 << 20);
    }
  return out;
}

SiteAnswer answer_of(const SmallSite& site, const SmallJob& job) {
  std::optional<SiteAnswer> first;
  for (std::size_t q = 0; q < site.queues.size(); ++q) {
    if (job.queue && *job.queue != q) continue;
    const SmallQueue& queue = site.queues[q];
    const bool kept = within_limits(site, job, queue);
    SiteAnswer one;
    one.queue = q;
    one.capacity = Search(site, job, queue, false, false).found();
    one.policy = kept && one.capacity && Search(site, job, queue, false, true).found();
    one.now = one.capacity && Search(site, job, queue, true, false).found();
    one.within = one.now && Search(site, job, queue, true, true).found();
    one.all = one.policy && one.within;
    if (one.capacity && one.policy) return one;
    if (!first) first = one;
  }
  return first.value_or(SiteAnswer{});
}

bool counts_exclusive(const SmallSite& site) {
  bool bounded = site.tenant.max_gpus.has_value();
  for (const SmallQueue& queue : site.queues) bounded |= queue.max_gpus.has_value();
  for (const SmallQuota& quota : site.tenant.quotas) bounded |= quota.gpus.has_value();
  return !bounded || std::all_of(site.pools.begin(), site.pools.end(),
                                 [&](const SmallPool& pool) { return pool.gpus == site.pools.front().gpus; });
}

std::int64_t most_nodes(const SmallSite& site, const SmallJob& job, std::size_t queue, bool now, bool quotas) {
  SmallJob less = job;
  for (std::int64_t& nodes = less.roles.front().nodes; nodes > 0; --nodes)
    if (Search(site, less, site.queues[queue], now, quotas).found()) break;
  return less.roles.front().nodes;
}

}  // namespace muster::oracles
