// SLM006 walltime-at-limit, SLM009 mem-zero-shared, SLM013 topology-conf-missing, NET004 mixed-fabric, CKP003
// no-requeue-signal, QTA001 tenant-without-quota, QTA002 queue-unset: what a job is at this cluster. Without a site
// none of them is more than unclear, but where the script alone shows it.
#include <algorithm>

#include "compiler/base/text.h"
#include "lint/heuristics.h"
#include "lint/rules/slurm/job.h"

namespace muster::lint {
namespace {

// ---- SLM006 ------------------------------------------------------------------------------------------

void check_time_at_limit(const SlurmJob& job) {
  const model::Queue* queue = queue_of(job);
  const auto& time = job.meaning.job().time;
  if (queue == nullptr || !queue->max_time || !time || time->unlimited) return;
  if (time->minutes * 60'000 != queue->max_time->value.ms || mentions_saving(job)) return;
  job.wrong(
      RuleId::walltime_at_limit, time.by,
      "the time limit is the maximum of queue `" + queue->name + "`, but the script does not mention a checkpoint");
}

// ---- SLM009 ------------------------------------------------------------------------------------------

// Whether the job takes whole nodes by what it asks for beside the memory.
enum class Takes { whole_node, part, unknown };

Takes share_of_node(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  const std::int64_t gpus = c.gpus_a_node.value.value_or(0);
  const std::int64_t cpus = c.tasks_per_node && c.cpus_per_task ? *c.tasks_per_node * *c.cpus_per_task : 0;
  const auto pools = pools_of(job);
  if (pools.empty()) return Takes::unknown;
  for (const model::Pool* pool : pools) {
    const bool all_gpus = gpus > 0 && pool->gpu && gpus >= pool->gpu->count;
    if (all_gpus || (cpus > 0 && cpus >= pool->usable_cpus(model::PlaneFamily::batch))) return Takes::whole_node;
  }
  return gpus > 0 || cpus > 0 ? Takes::part : Takes::unknown;
}

void check_memory(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (!c.memory || !c.memory->all || c.exclusive.given()) return;
  const Takes takes = share_of_node(job);
  if (takes == Takes::whole_node) return;
  const char* message = "`--mem=0` requests all memory of nodes that the job shares";
  Finding& f =
      takes == Takes::part
          ? job.wrong(RuleId::mem_zero_shared, c.memory.by, message)
          : job.cannot_tell(
                RuleId::mem_zero_shared, c.memory.by,
                "`--mem=0` requests all memory; whether the job uses the whole node is unknown without a site");
  f.needs_site = f.verdict == Verdict::unclear;
  const slurm::Directive* d = job.directive(c.memory.by);
  if (takes == Takes::part && d != nullptr && d->whole.file == job.script.file) {
    const Span line = whole_line(job.sources(), d->whole);
    f.fix = Fix{"request the whole node", false, {{{line.file, line.end, line.end}, "#SBATCH --exclusive\n"}}};
  }
}

// ---- SLM013 ------------------------------------------------------------------------------------------

void check_topology(const SlurmJob& job) {
  if (!couples_nodes(job)) return;
  const slurm::Component& c = job.meaning.job();
  const model::Plane* plane = job.meaning.plane;
  if (plane != nullptr && plane->batch()->topology != model::SlurmTopology::none) return;
  const auto pools = pools_of(job);
  const auto spread =
      std::find_if(pools.begin(), pools.end(), [](const model::Pool* p) { return p->leaves.size() > 1; });
  if (plane == nullptr || spread == pools.end()) {
    job.cannot_tell(RuleId::topology_conf_missing, c.nodes.by,
                    "whether Slurm knows the switches between these nodes cannot be checked without a site")
        .needs_site = true;
    return;
  }
  job.wrong(RuleId::topology_conf_missing, c.nodes.by,
            "plane `" + plane->name + "` does not declare a topology, but pool `" + (*spread)->name + "` has " +
                std::to_string((*spread)->leaves.size()) + " leaf switches");
}

// ---- NET004 ------------------------------------------------------------------------------------------

void check_fabrics(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (!couples_nodes(job) || c.constraint.given() || c.nodelist.given() || !c.gpu_type.empty()) return;
  const auto pools = pools_of(job);
  const auto fast = std::find_if(pools.begin(), pools.end(), [](const model::Pool* p) { return has_rdma(*p); });
  const auto slow = std::find_if(pools.begin(), pools.end(), [](const model::Pool* p) { return !has_rdma(*p); });
  if (fast == pools.end() || slow == pools.end()) return;
  Finding& f = job.wrong(RuleId::mixed_fabric, c.partitions ? c.partitions.by : slurm::no_directive,
                         "the nodes may come from pool `" + (*fast)->name + "` with " + (*fast)->fabric +
                             " and from pool `" + (*slow)->name + "` without");
  f.notes.push_back("select one with `--constraint` or the GPU type");
}

// ---- CKP003 ------------------------------------------------------------------------------------------

void check_preemption(const SlurmJob& job) {
  const model::Queue* queue = queue_of(job);
  const slurm::Component& c = job.meaning.job();
  if (queue == nullptr || !queue->preemptible) return;
  const bool never = c.requeue.given() && !(c.requeue && *c.requeue);
  if (!never && c.signal.given()) return;
  job.wrong(RuleId::no_requeue_signal,
            never          ? c.requeue.by
            : c.partitions ? c.partitions.by
                           : slurm::no_directive,
            never ? "queue `" + queue->name + "` is preemptible, but the job is not requeued"
                  : "queue `" + queue->name + "` is preemptible, but the job does not request a `--signal` in advance");
}

// ---- QTA001, QTA002 ----------------------------------------------------------------------------------

void check_account(const SlurmJob& job) {
  if (job.meaning.job().account.given()) return;
  if (job.context.site == nullptr) {
    job.cannot_tell(RuleId::tenant_without_quota, slurm::no_directive,
                    "the job does not name an account; whether teams share the cluster is unknown without a site")
        .needs_site = true;
  } else if (const auto n = job.context.site->tenants.size(); n >= 2) {
    job.wrong_at(RuleId::tenant_without_quota, job.head(), "--account",
                 "the job does not name an account, and " + std::to_string(n) +
                     " tenants share the cluster, so the submitter's default account is charged");
  }
}

void check_queue(const SlurmJob& job) {
  const slurm::Component& c = job.meaning.job();
  if (c.partitions.given() || c.qos.given() || c.reservation.given() || !job.script.batch) return;
  if (job.context.site == nullptr) {
    job.cannot_tell(RuleId::queue_unset, slurm::no_directive,
                    "the job does not name a partition; the default one is not known without a site")
        .needs_site = true;
    return;
  }
  const auto& queues = job.context.site->queues;
  if (queues.size() < 2 || queue_of(job) != nullptr) return;
  job.wrong_at(RuleId::queue_unset, job.head(), "--partition",
               "the job does not name a partition, and none of the " + std::to_string(queues.size()) +
                   " queues of the site is the default");
}

}  // namespace

void check_cluster(const SlurmJob& job) {
  check_time_at_limit(job);
  check_memory(job);
  check_topology(job);
  check_fabrics(job);
  check_preemption(job);
  check_account(job);
  check_queue(job);
}

}  // namespace muster::lint
