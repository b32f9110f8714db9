#include "plan/pools/domains.h"

#include <unordered_map>

namespace muster::plan {

const model::Topology* topology_of(const RolePlan& role) {
  return role.role->topology ? &*role.role->topology : nullptr;
}

bool in_domain(const RolePlan& role) {
  const model::Within within = topology_of(role)->within.value;
  return within == model::Within::leaf || within == model::Within::block || within == model::Within::nvlink_domain;
}

bool is_nested(const RolePlan& role) {
  const model::Topology* topology = topology_of(role);
  return topology != nullptr && topology->segment && topology->required && in_domain(role);
}

model::Within domain_of(const RolePlan& role) {
  using model::Within;
  if (!role.role->topology) return Within::leaf;
  const model::Topology& topology = *role.role->topology;
  const Within asked = topology.segment ? topology.segment_within.value : topology.within.value;
  return asked == Within::block || asked == Within::nvlink_domain ? asked : Within::leaf;
}

std::vector<model::Leaf> domains_of(const model::Pool& pool, model::Within domain) {
  if (domain == model::Within::nvlink_domain) return pool.nvlink_domains;
  if (domain != model::Within::block) return pool.leaves;
  std::unordered_map<std::string_view, const model::Leaf*> leaves;
  for (const model::Leaf& leaf : pool.leaves) leaves.emplace(leaf.name, &leaf);
  std::vector<model::Leaf> out;
  for (const model::Block& block : pool.blocks) {
    out.push_back({block.name, {}, {}});
    for (const std::string& name : block.leaves)
      if (const auto leaf = leaves.find(name); leaf != leaves.end())
        out.back().nodes.insert(out.back().nodes.end(), leaf->second->nodes.begin(), leaf->second->nodes.end());
  }
  return out;
}

DomainTerms terms_of(model::Within domain) {
  if (domain == model::Within::block) return {"block", "blocks", "block", "blocks"};
  if (domain == model::Within::nvlink_domain)
    return {"NVLink domain", "NVLink domains", "NVLink domain", "NVLink domains"};
  return {"leaf", "leaves", "leaf switch", "leaf switches"};
}

}  // namespace muster::plan
