#include "targets/kubernetes/read/node_choice.h"

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/base/text.h"
#include "compiler/model/marks.h"
#include "targets/kubernetes/read/pod.h"

namespace muster::targets::kubernetes {
namespace {

using model::Truth;

constexpr std::string_view name_label = "kubernetes.io/hostname";
constexpr std::string_view required = "requiredDuringSchedulingIgnoredDuringExecution";

// "key=value", or a condition of a node affinity.
struct Condition {
  std::string_view key, op;
  std::vector<std::string> values;

  std::string text() const {
    if (values.size() == 1 && op == "In") return std::string(key) + "=" + values.front();
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? " " : ", ") + value;
    return std::string(key) + " " + std::string(op) + list;
  }
};

// Whether a label is about GPUs that the pool does not have: those of another vendor, or any where it has none.
bool is_of_other_gpus(const PodSite& at, const model::Pool& pool, std::string_view key) {
  const std::string vendor = pool.gpu && pool.gpu->count > 0 ? pool.gpu->vendor : "";
  if (const std::string_view of = model::vendor_of_label(key); !of.empty()) return of != vendor;
  const auto names_gpus = [&](const model::Pool& other) {
    return other.gpu && model::gpu_label(at.site, at.plane, other.gpu->model, &other).key == key;
  };
  const auto pools = at.pools();
  return vendor.empty() && std::any_of(pools.begin(), pools.end(), names_gpus);
}

// The values of a label that nodes of a pool may bear; nullopt: the site does not say. Empty: they do not have it.
std::optional<std::vector<std::string>> label_of(const PodSite& at, const model::Pool& pool, std::string_view key) {
  if (key == "kubernetes.io/arch" || key == "beta.kubernetes.io/arch") return {{pool.arch}};
  if (key == "kubernetes.io/os" || key == "beta.kubernetes.io/os") return {{"linux"}};
  const bool zone = key == "topology.kubernetes.io/zone" || key == "failure-domain.beta.kubernetes.io/zone";
  if (zone && !pool.zone.empty()) return {{pool.zone}};
  if (is_of_other_gpus(at, pool, key)) return std::vector<std::string>();
  if (!pool.gpu || pool.gpu->count == 0) return std::nullopt;
  if (key == "nvidia.com/gpu.present" || key == "nvidia.com/gpu") return {{"true", "present", ""}};
  model::GpuLabel label = model::gpu_label(at.site, at.plane, pool.gpu->model, &pool);
  return label.key == key && !label.values.empty() ? std::optional(std::move(label.values)) : std::nullopt;
}

Truth meets(const PodSite& at, const model::Pool& pool, const Condition& condition) {
  const auto found = label_of(at, pool, condition.key);
  if (!found) return Truth::unknown;
  const auto bears = [&](const std::string& value) {
    return std::find(found->begin(), found->end(), value) != found->end();
  };
  const bool any = std::any_of(condition.values.begin(), condition.values.end(), bears);
  if (condition.op == "In") return any ? Truth::yes : Truth::no;
  if (condition.op == "NotIn") return any ? Truth::no : Truth::yes;
  if (condition.op == "Exists") return found->empty() ? Truth::no : Truth::yes;
  if (condition.op == "DoesNotExist") return found->empty() ? Truth::yes : Truth::no;
  return Truth::unknown;
}

bool asks_for_gpus(const Field& spec) {
  const std::vector<Container> containers = containers_of(spec, false);
  return std::any_of(containers.begin(), containers.end(), [](const Container& c) { return c.has_accelerator(); });
}

Condition condition_of(const Field& expression) {
  Condition out{expression.get("key").text(), expression.get("operator").text(), {}};
  for (const Field& value : expression.get("values").items()) out.values.emplace_back(value.text());
  return out;
}

class Chooser {
 public:
  explicit Chooser(const PodSite& at) : at_(at) {
    for (const model::Pool& pool : at.pools())
      if (at.plane.owns(pool.name)) pools_.push_back(&pool);
  }

  void read(const Field& spec, const Field& labels) {
    for (const Field& label : spec.get("nodeSelector").members())
      require({label.key, "In", {std::string(label.text())}});
    if (const Field node = spec.get("nodeName")) require({name_label, "In", {std::string(node.text())}});
    node_affinity(spec.at("affinity.nodeAffinity").get(required).get("nodeSelectorTerms"));
    other_pods(spec, labels);
    ports(spec);
  }

  NodeChoice take(std::span<const Field> specs) {
    tolerations(specs);
    for (const model::Pool* pool : pools_)
      if (unsure_.contains(pool)) out_.nodes.unsure.push_back(pool->name);
    if (excludes_) {
      out_.nodes.pools.emplace();
      for (const model::Pool* pool : pools_) out_.nodes.pools->push_back(pool->name);
      for (const model::Pool* pool : overlooked_) out_.nodes.overlooked.push_back(pool->name);
    }
    return std::move(out_);
  }

 private:
  void open(std::string what) {
    if (std::find(out_.open.begin(), out_.open.end(), what) == out_.open.end()) out_.open.push_back(std::move(what));
  }

  // Takes out the pools that do not meet the condition; `what` is not declared of those that may.
  template <class Meets>
  void exclude(Meets meets_it, std::string what) {
    bool is_open = false;
    const auto fails = [&](const model::Pool* pool) {
      const Truth truth = meets_it(*pool);
      if (truth == Truth::unknown) is_open = true, unsure_.insert(pool);
      return truth == Truth::no;
    };
    if (std::erase_if(pools_, fails) > 0) excludes_ = true;
    if (is_open) out_.nodes.undeclared.push_back(std::move(what));
  }

  // Kueue compares a selector with the labels of a flavor and leaves out all others. A flavor says what GPUs it has, so
  // that their label tells pools of GPUs apart, and no other label does for sure.
  void overlook(const Condition& condition) {
    const auto is_seen = [&](const model::Pool* pool) {
      return pool->gpu && pool->gpu->count > 0 &&
             model::gpu_label(at_.site, at_.plane, pool->gpu->model, pool).key == condition.key;
    };
    const auto fails = [&](const model::Pool* pool) { return meets(at_, *pool, condition) == Truth::no; };
    std::erase_if(overlooked_, [&](const model::Pool* pool) { return is_seen(pool) && fails(pool); });
    for (const model::Pool* pool : pools_)
      if (fails(pool) && !is_seen(pool)) overlooked_.push_back(pool);
  }

  void select(const std::string& text) { out_.nodes.selects += (out_.nodes.selects.empty() ? "" : ", ") + text; }

  void require_names(const Condition& condition) {
    if (condition.op != "In" && condition.op != "NotIn") return open("which nodes `" + condition.text() + "` selects");
    model::Predicate predicate;
    predicate.term.fact = "node.name";
    predicate.term.compare = condition.op == "In" ? model::Compare::in : model::Compare::not_in;
    for (const std::string& value : condition.values) predicate.term.values.emplace_back(value);
    out_.names.push_back(std::move(predicate));
  }

  void require(const Condition& condition) {
    if (condition.key == name_label || condition.key == "metadata.name") return require_names(condition);
    const std::string what = printable(condition.text(), 100);
    overlook(condition);
    exclude([&](const model::Pool& pool) { return meets(at_, pool, condition); },
            "which nodes have the label `" + what + "`");
    select(what);
  }

  static std::vector<Condition> conditions_of(const Field& term) {
    std::vector<Condition> out;
    for (const char* list : {"matchExpressions", "matchFields"})
      for (const Field& expression : term.get(list).items()) out.push_back(condition_of(expression));
    return out;
  }

  // Of several terms one has to hold.
  void node_affinity(const Field& terms) {
    const std::vector<Field> list = terms.items();
    if (list.size() == 1)
      for (const Condition& condition : conditions_of(list.front())) require(condition);
    if (list.size() < 2) return;
    const auto meets_one = [&](const model::Pool& pool) {
      Truth best = Truth::no;
      for (const Field& term : list) best = better(best, meets_all(pool, term));
      return best;
    };
    exclude(meets_one, "which nodes the node affinity selects");
    select("one of " + std::to_string(list.size()) + " node selector terms");
  }

  static Truth better(Truth a, Truth b) {
    if (a == Truth::yes || b == Truth::yes) return Truth::yes;
    return a == Truth::unknown || b == Truth::unknown ? Truth::unknown : Truth::no;
  }

  Truth meets_all(const model::Pool& pool, const Field& term) const {
    Truth out = Truth::yes;
    for (const Condition& condition : conditions_of(term)) {
      const Truth one = meets(at_, pool, condition);
      if (one == Truth::no) return one;
      if (one == Truth::unknown) out = one;
    }
    return out;
  }

  // Whether an anti-affinity is to pods with these labels; where they are not in the file, it is taken to be.
  static bool selects_own(const Field& term, const Field& labels) {
    if (!labels) return true;
    if (term.at("labelSelector.matchExpressions")) return false;
    const auto wanted = term.at("labelSelector.matchLabels").members();
    return !wanted.empty() && std::all_of(wanted.begin(), wanted.end(),
                                          [&](const Field& w) { return labels.get(w.key).text() == w.text(); });
  }

  void other_pods(const Field& spec, const Field& labels) {
    for (const Field& term : spec.at("affinity.podAntiAffinity").get(required).items()) {
      if (term.get("topologyKey").text() == name_label && selects_own(term, labels)) out_.nodes.apart = true;
      else open("where the pods of `podAntiAffinity` are");
    }
    if (!spec.at("affinity.podAffinity").get(required).items().empty()) open("where the pods of `podAffinity` are");
    for (const Field& spread : spec.get("topologySpreadConstraints").items())
      if (spread.get("whenUnsatisfiable").text() != "ScheduleAnyway")
        open("how `topologySpreadConstraints` spread the pods");
  }

  void ports(const Field& spec) {
    if (spec.get("hostNetwork").is_true()) out_.nodes.apart = true;
    for (const Field& container : spec.get("containers").items())
      for (const Field& port : container.get("ports").items())
        if (port.get("hostPort").whole().value_or(0) > 0) out_.nodes.apart = true;
  }

  void tolerations(std::span<const Field> specs) {
    std::vector<std::string> names;
    const auto is_allowed = [&](const model::Pool* pool) {
      return std::find(pools_.begin(), pools_.end(), pool) != pools_.end();
    };
    std::vector<const model::Pool*> all = pools_;
    all.insert(all.end(), overlooked_.begin(), overlooked_.end());
    for (const model::Pool* pool : all)
      for (const model::Taint& taint : pool->taints) {
        const auto tolerated = [&](const Field& spec) { return tolerates(spec, taint); };
        const bool passes = taint.effect == "PreferNoSchedule" || std::any_of(specs.begin(), specs.end(), tolerated);
        const bool may = !passes && pool->gpu && taint.name == model::gpu_taint(pool->gpu->vendor) &&
                         std::any_of(specs.begin(), specs.end(), asks_for_gpus);
        if (passes || may) names.push_back(taint.name);
        // Clouds add it by their admission; other clusters do not.
        if (may && is_allowed(pool) && unsure_.insert(pool).second)
          out_.nodes.undeclared.push_back("whether pods with GPUs are given a toleration of the taint `" + taint.name +
                                          "`");
      }
    out_.nodes.tolerates = std::move(names);
  }

  const PodSite& at_;
  std::vector<const model::Pool*> pools_, overlooked_;
  std::set<const model::Pool*> unsure_;
  bool excludes_ = false;
  NodeChoice out_;
};

}  // namespace

bool tolerates(const Field& spec, const model::Taint& taint) {
  for (const Field& t : spec.get("tolerations").items()) {
    const bool key = !t.get("key") || t.get("key").text() == taint.name;
    const bool value =
        t.get("operator").text() == "Exists" || t.get("value").text() == taint.value || taint.value.empty();
    const bool effect = !t.get("effect") || taint.effect.empty() || t.get("effect").text() == taint.effect;
    if (key && value && effect) return true;
  }
  return false;
}

NodeChoice choose_nodes(std::span<const Field> specs, const Field& labels, const PodSite& site) {
  Chooser chooser(site);
  for (const Field& spec : specs) chooser.read(spec, labels);
  return chooser.take(specs);
}

}  // namespace muster::targets::kubernetes
