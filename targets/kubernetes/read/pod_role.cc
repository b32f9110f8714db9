#include "targets/kubernetes/read/pod_role.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "compiler/base/text.h"
#include "compiler/model/attachment.h"
#include "compiler/model/marks.h"
#include "targets/lookup.h"

namespace muster::targets::kubernetes {
namespace {

class RoleReader {
 public:
  RoleReader(const PodTemplate& pods, const Manifest& manifest, const PodSite& at)
      : pods_(pods), manifest_(manifest), at_(at) {}

  PodRole read(std::span<const Field> specs) {
    out_.role.name = pods_.role.empty() ? "main" : pods_.role;
    out_.role.span = pods_.spec.key_span;
    NodeChoice choice = choose_nodes(specs, pods_.metadata.get("labels"), at_);
    out_.nodes = std::move(choice.nodes);
    out_.role.requires_ = std::move(choice.names);
    out_.open = std::move(choice.open);
    accelerators();
    amounts();
    attachments();
    topology();
    return std::move(out_);
  }

 private:
  model::Resources& resources() { return out_.role.resources; }
  void unknown(std::string what) {
    if (out_.unknown.empty()) out_.unknown = std::move(what);
  }

  // The names of the resources of a vendor that its containers request.
  std::set<std::string_view> vendor_resources() const {
    std::set<std::string_view> out;
    for (const Container& c : pods_.containers)
      for (const char* part : {"limits", "requests"})
        for (const Field& f : c.resources().get(part).members())
          if (f.text() != "0" && is_extended_resource(f.key)) out.insert(f.key);
    return out;
  }

  std::int64_t sum_of(std::string_view resource) {
    const auto milli = held(pods_, resource, Unrequested::is_nothing);
    if (!milli) unknown("the number of `" + std::string(resource) + "`");
    return milli.value_or(0) / 1000;
  }

  void accelerators() {
    if (const Field claims = pods_.spec.get("resourceClaims")) return claimed(claims);
    if (shared()) return;
    int kinds = 0;
    for (const std::string_view name : vendor_resources()) {
      if (!is_accelerator(name)) continue;
      if (++kinds > 1) return unknown("how several kinds of accelerators are on one node");
      accelerator(name);
    }
  }

  void accelerator(std::string_view name) {
    const std::int64_t count = sum_of(name);
    if (const std::string slice = slice_of(name); !slice.empty()) {
      if (count != 1) return unknown("how several slices of GPUs share the GPUs of a node");
      resources().gpu_slice = model::unplaced(slice);
      return;
    }
    const model::GpuDialect* dialect = dialect_of(name);
    const bool usual = name == "nvidia.com/gpu" || name == "amd.com/gpu";
    if (name.ends_with(".shared") || (!usual && dialect == nullptr))
      return unknown("how many GPUs `" + printable(name) + "` are");
    resources().gpus = model::unplaced(count);
    leave_out_slices();
    if (dialect != nullptr) resources().gpu = model::unplaced(std::vector<std::string>{dialect->model});
    else of_vendor(name.starts_with("amd") ? "amd" : "nvidia");
  }

  // Nodes whose GPUs are cut offer slices; whether some of them are whole is not known.
  void leave_out_slices() {
    const auto is_cut = [](const model::Pool& pool) { return pool.gpu && !pool.gpu->slices.empty(); };
    const auto pools = at_.pools();
    if (std::none_of(pools.begin(), pools.end(), is_cut)) return;
    model::NodesAsRead& nodes = out_.nodes;
    std::vector<std::string> whole;
    for (const model::Pool& pool : pools) {
      const bool is_chosen =
          !nodes.pools || std::find(nodes.pools->begin(), nodes.pools->end(), pool.name) != nodes.pools->end();
      if (is_chosen && at_.plane.owns(pool.name) && !is_cut(pool)) whole.push_back(pool.name);
    }
    out_.with_slices = nodes.pools;
    out_.may_have_slices = true;
    nodes.pools = std::move(whole);
    nodes.selects += (nodes.selects.empty() ? "" : ", ") + std::string("whole GPUs");
  }

  void of_vendor(std::string_view vendor) {
    model::Predicate predicate;
    predicate.term.fact = "gpu.vendor";
    predicate.term.values.emplace_back(std::string(vendor));
    out_.role.requires_.push_back(std::move(predicate));
  }

  // The site's words for a whole GPU of one model.
  const model::GpuDialect* dialect_of(std::string_view resource) const {
    const model::GpuDialect* found = nullptr;
    int count = 0;
    for (const model::GpuDialect& g : at_.site.gpus)
      if ((g.plane.empty() || g.plane == at_.plane.name) && g.resource && g.resource->value == resource)
        found = &g, ++count;
    return count == 1 ? found : nullptr;
  }

  // A MIG profile of the fleet that the resource is; "": it is none.
  std::string slice_of(std::string_view resource) const {
    for (const model::Pool& pool : at_.pools()) {
      if (!pool.gpu) continue;
      const model::GpuDialect* words = model::find_dialect(at_.site, at_.plane, pool.gpu->model);
      const std::string pattern =
          words != nullptr && words->slice_resource ? words->slice_resource->value : "nvidia.com/mig-{slice}";
      for (const std::string& slice : pool.gpu->slices) {
        std::string name = slice_word(pattern, slice);
        std::replace(name.begin(), name.end(), '+', '.');
        if (name == resource) return slice;
      }
    }
    return {};
  }

  // A fraction of a GPU by an annotation, as KAI has it. False: there is none.
  bool shared() {
    for (const GangProviderRow& row : gang_providers()) {
      if (row.gpu_share_key.empty()) continue;
      const Field field = pods_.annotation(row.gpu_share_key);
      if (!field) continue;
      double fraction = 0;
      const std::string_view text = field.text();
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fraction);
      if (error != std::errc() || end != text.data() + text.size() || fraction <= 0 || fraction >= 1)
        unknown("the fraction of a GPU");
      else resources().gpu_share = model::unplaced(std::max<std::int64_t>(std::llround(fraction * 100), 1));
      return true;
    }
    return false;
  }

  // Claims from a template of the file: so many of a class, for each pod.
  void claimed(const Field& claims) {
    std::int64_t count = 0;
    for (const Field& claim : claims.items()) {
      const std::string_view name = claim.get("resourceClaimTemplateName").text();
      for (const Object& object : manifest_.objects) {
        if (object.kind != "ResourceClaimTemplate" || object.name != name || name.empty()) continue;
        for (const Field& request : object.root.at("spec.spec.devices.requests").items()) {
          const Field exactly = request.get("exactly") ? request.get("exactly") : request;
          count +=
              std::clamp<std::int64_t>(exactly.get("count") ? exactly.get("count").whole().value_or(0) : 1, 0, 1024);
          select_device(exactly);
        }
      }
    }
    if (count < 1) return unknown("what its `resourceClaims` claim");
    resources().gpus = model::unplaced(count);
  }

  // An expression that names one model of the fleet.
  void select_device(const Field& request) {
    for (const Field& selector : request.get("selectors").items()) {
      const std::string text = muster::lower(selector.at("cel.expression").text());
      std::vector<std::string> models;
      for (const model::Pool& pool : at_.pools())
        if (pool.gpu && text.find(")" + pool.gpu->model + "(") != std::string::npos) models.push_back(pool.gpu->model);
      if (models.empty()) out_.open.emplace_back("which devices the expression of the claim selects");
      else resources().gpu = model::unplaced(std::vector<std::string>{models.front()});
    }
  }

  void amounts() {
    const auto cpu = held(pods_, "cpu", Unrequested::is_nothing);
    const auto memory = held(pods_, "memory", Unrequested::is_nothing);
    const auto disk = held(pods_, "ephemeral-storage", Unrequested::is_nothing);
    if (!cpu) unknown("the CPUs of its containers");
    if (!memory) unknown("the memory of its containers");
    out_.millicpus = cpu.value_or(0);
    out_.memory = Size{memory.value_or(0) / 1000};
    set_amounts(out_);
    if (disk.value_or(0) >= 1000) resources().disk = model::unplaced(Size{*disk / 1000});
  }

  // Devices of a network that the site attaches to its pools. Each node has so many.
  void attachments() {
    for (const std::string_view name : vendor_resources()) {
      if (is_accelerator(name)) continue;
      const auto words_of = [&](const model::Pool& pool) -> const model::FabricAttachment* {
        const model::FabricAttachment* found = model::attachment_of(at_.site, at_.plane, pool);
        const bool is_it = found != nullptr && found->resource && found->resource->value == name;
        return is_it ? found : nullptr;
      };
      std::vector<std::string> pools;
      std::int64_t most = 0;
      for (const model::Pool& pool : at_.pools())
        if (const auto* found = words_of(pool))
          pools.push_back(pool.name), most = std::max(most, found->per_node ? found->per_node->value : 1);
      if (pools.empty()) {
        out_.open.push_back("which nodes have `" + printable(name) + "`");
        continue;
      }
      model::NodesAsRead& nodes = out_.nodes;
      if (2 * sum_of(name) > most) nodes.apart = true;
      if (nodes.pools)
        std::erase_if(*nodes.pools,
                      [&](const std::string& p) { return std::find(pools.begin(), pools.end(), p) == pools.end(); });
      else nodes.pools = std::move(pools);
      nodes.selects += (nodes.selects.empty() ? "" : ", ") + std::string(name);
    }
  }

  void within(std::string_view level_name) {
    for (const model::Within domain :
         {model::Within::nvlink_domain, model::Within::leaf, model::Within::block, model::Within::zone}) {
      if (name(domain) != level_name) continue;
      model::Topology topology;
      topology.within = {domain, {}}, topology.required = true;
      out_.role.topology = std::move(topology);
    }
  }

  // A domain of the topology that the pods have to be in, by the label that the site gives to its level.
  void topology() {
    for (const char* key : {"kueue.x-k8s.io/podset-required-topology", "kai.scheduler/topology-required-placement"}) {
      const Field wanted = pods_.annotation(key);
      if (!wanted) continue;
      const auto& levels = at_.plane.pods()->levels;
      const auto level = std::find_if(levels.begin(), levels.end(), [&](const model::TopologyLevel& l) {
        return l.label && l.label->value == wanted.text();
      });
      if (level != levels.end()) within(level->name);
      else if (wanted.text() == "kubernetes.io/hostname")
        out_.open.emplace_back("whether one node has room for all pods");
      else out_.open.push_back("which nodes share the label `" + printable(wanted.text()) + "`");
    }
  }

  const PodTemplate& pods_;
  const Manifest& manifest_;
  const PodSite& at_;
  PodRole out_;
};

}  // namespace

void set_amounts(PodRole& pods) {
  const std::int64_t cpus = pods.millicpus / 1000 + (pods.is_rounded() ? 1 : 0);
  model::Resources& resources = pods.role.resources;
  resources.cpus = model::unplaced(cpus > 0 ? model::Amount<std::int64_t>{false, cpus, cpus}
                                            : model::Amount<std::int64_t>{.left_to_site = true});
  resources.memory = model::unplaced(pods.memory.bytes > 0 ? model::Amount<Size>{false, pods.memory, pods.memory}
                                                           : model::Amount<Size>{.left_to_site = true});
}

PodRole role_of(const PodTemplate& pods, std::span<const Field> specs, const Manifest& manifest, const PodSite& site) {
  return RoleReader(pods, manifest, site).read(specs);
}

}  // namespace muster::targets::kubernetes
