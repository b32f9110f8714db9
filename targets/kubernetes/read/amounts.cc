// How many pods an object has up at a time, and how long it may run.
#include <algorithm>

#include "targets/kubernetes/read/manifest.h"

namespace muster::targets::kubernetes {
namespace {

using Number = std::optional<std::int64_t>;

Number whole_or(const Field& field, std::int64_t usual) { return field ? field.whole() : Number(usual); }

Number times(Number a, Number b) {
  std::int64_t out = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &out)) return std::nullopt;
  return out;
}

Number not_negative(Number a) { return a && *a >= 0 ? a : std::nullopt; }

// `completions` bounds how many of a Job's pods are up at a time.
Number at_a_time(const Field& job) {
  const Number wanted = whole_or(job.get("parallelism"), 1);
  const Field completions = job.get("completions");
  if (!completions) return wanted;
  const Number all = completions.whole();
  return wanted && all ? Number(std::min(*wanted, *all)) : std::nullopt;
}

// KubeRay starts as many as `replicas`, within the bounds of the group; its autoscaler as many as it likes within them.
Number ray_replicas(const Field& cluster, const Field& group) {
  const Number least = whole_or(group.get("minReplicas"), 0);
  const Field most = group.get("maxReplicas"), wanted = group.get("replicas");
  if (!least || (most && !most.whole()) || (wanted && !wanted.whole())) return std::nullopt;
  const bool scaled = cluster.get("enableInTreeAutoscaling").is_true();
  if (scaled && most.whole() != least) return std::nullopt;
  const std::int64_t count = std::max(wanted.whole().value_or(0), *least);
  return most ? std::min(count, std::max(*most.whole(), *least)) : count;
}

// What one path of a place's counts comes to. The holder is a group of workers where the kind is Ray's.
Number count_at(const Object& object, const PodPlace& place, const Field& holder, std::string_view path) {
  constexpr std::string_view parallelism = "parallelism";
  if (path.ends_with(parallelism)) {
    const std::string_view job = path.substr(0, path.size() - parallelism.size());
    return at_a_time(job.empty() ? holder : holder.at(job.substr(0, job.size() - 1)));
  }
  if (object.known->work == Work::ray && path == "replicas")
    return ray_replicas(object.root.at(place.holder.substr(0, place.holder.rfind('.'))), holder);
  return whole_or(holder.at(path), 1);
}

Number count_of_place(const Object& object, const PodPlace& place, const Field& holder) {
  Number out = 1;
  for (std::string_view counts = place.counts; !counts.empty();) {
    const std::string_view path = counts.substr(0, counts.find(' '));
    counts.remove_prefix(std::min(path.size() + 1, counts.size()));
    out = times(out, count_at(object, place, holder, path));
  }
  return out;
}

}  // namespace

std::vector<Number> pods_up(const Object& object) {
  std::vector<Number> out;
  if (object.known == nullptr) return out;
  const Number groups = object.known->groups.empty() ? 1 : whole_or(object.root.at(object.known->groups), 1);
  for (const PodTemplate& pods : object.pods) {
    const bool bounded =
        object.known->work == Work::ray || pods.place->counts.find("parallelism") != std::string_view::npos;
    // Only this mode makes a pod of it.
    const std::string_view mode = object.root.at("spec.submissionMode").text();
    if (pods.role == "submitter" && !mode.empty() && mode != "K8sJobMode") {
      out.emplace_back(0);
      continue;
    }
    out.push_back(times(groups, bounded ? count_of_place(object, *pods.place, pods.holder) : pods.count));
  }
  return out;
}

Number deadline_seconds(const Object& object) {
  if (object.known == nullptr || object.known->deadline.path.empty()) return std::nullopt;
  const Deadline& deadline = object.known->deadline;
  if (!deadline.again.empty() && object.root.at(deadline.again).whole().value_or(0) > 0) return std::nullopt;
  const std::size_t each = deadline.path.find("[].");
  if (each == std::string_view::npos) return not_negative(object.root.at(deadline.path).whole());
  Number out;
  for (const Field& holder : matches(object.root, deadline.path.substr(0, each + 2))) {
    const Number own = holder.at(deadline.path.substr(each + 3)).whole();
    if (!own || (out && out != own)) return std::nullopt;
    out = own;
  }
  return not_negative(out);
}

bool is_job_of_runtime(const Object& object) { return object.known != nullptr && !object.known->trainer.empty(); }

Field trainer_field(const Object& object) {
  return is_job_of_runtime(object) ? object.root.at(object.known->trainer) : Field{};
}

}  // namespace muster::targets::kubernetes
