// 1,000 generated specs for every target, to memory: files a second on one core.
#include <cstdio>
#include <ctime>
#include <string>

#include "compiler/sema/check/check.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/syntax/parse.h"
#include "plan/steps/make_plan.h"
#include "rules/profiles.h"
#include "targets/target.h"
#include "tests/bench/bench.h"
#include "tests/bench/specs.h"

namespace muster::bench {
namespace {

// A site of two planes. `fragment` is the YAML that it lays over every pod.
std::string site_text(const std::string& fragment) {
  return "fleet f {\n  pool h100 {\n    nodes = \"n[001-128]\"\n    leaf-size = 8\n"
         "    gpu { model = h100  memory = 80GB  count = 8  link = nvswitch }\n"
         "    node { cpus = 112  memory = 2TB }\n    network { fabric = infiniband  bandwidth = 3200Gbps }\n  }\n}\n"
         "site s {\n  fleet = f\n  job-dir = \"/shared/jobs\"\n"
         "  plane batch { kind = slurm  version = \"24.05\"  topology = tree  mpi = pmix }\n"
         "  plane pods { kind = kubernetes  version = \"1.34\"  gang = kueue }\n"
         "  queue train { default = true  max-time = 168h }\n  storage data { path = \"/shared/data\"  pvc = \"data\" "
         "}\n"
         "  software torch { image = \"registry.example.com/torch:2.7\"  modules = [\"cuda/12.6\"] }\n"
         "  fabric infiniband { resource = \"rdma/ib\"  per-node = 8 " +
         fragment + " }\n}\n";
}

constexpr const char* fragment =
    "pod = <<<yaml\n      spec:\n        containers:\n          - name: \"*\"\n"
    "            securityContext: {capabilities: {add: [IPC_LOCK]}}\n    >>>\n";

// A file as the checker leaves it. The diagnostics hold what is wrong with it.
model::Module module_of(std::string text, Diagnostics& diagnostics) {
  Sources sources;
  const std::uint32_t file = sources.add("generated.muster", std::move(text));
  auto tree = syntax::parse(sources, file, diagnostics);
  if (!tree) return {};
  std::vector<ast::File> files;
  files.push_back(std::move(*tree));
  sema::ExpandOptions options;
  options.roots = {file};
  return sema::check(sema::expand(std::move(files), options, diagnostics), sources, {}, diagnostics);
}

struct Count {
  std::size_t files = 0, refused = 0, bytes = 0;
  double seconds = 0;
};

// One workload for every target of a kind of plane.
void lower_for(const model::Module& site, const model::Module& spec, const model::Policy& policy,
               model::PlaneKind plane, Count& count) {
  plan::PlanRequest request;
  request.workload = &spec.workloads[0];
  request.workloads = spec.workloads;
  request.site = &site.sites[0];
  request.site_given = true;
  request.fleet = &site.fleets[0];
  request.policy = &policy;
  request.plane_kind = plane;
  Diagnostics planned;
  const plan::PlanResult result = plan::make_plan(request, planned);
  for (const targets::Target& target : targets::all_targets()) {
    if (target.capabilities.plane != plane) continue;
    Diagnostics diagnostics;
    if (result.plan && result.plan->plane != nullptr && !planned.has_errors()) {
      const targets::Lowered lowered = targets::lower(target, *result.plan, {}, diagnostics);
      if (!diagnostics.has_errors() && !lowered.documents.empty()) {
        for (const targets::Document& d : lowered.documents) ++count.files, count.bytes += d.content.size();
        continue;
      }
    }
    ++count.refused;
  }
}

Count lower_all(const std::string& site_words, std::uint32_t seed) {
  constexpr int total = 1'000;
  Count count;
  Diagnostics unused;
  const model::Module site = module_of(site_words, unused);
  const model::Policy policy = rules::profile("default");
  if (unused.has_errors() || site.sites.empty()) return count;
  Specs specs(seed);
  const std::clock_t start = std::clock();  // of the processor: what else runs on the machine does not count
  for (int i = 0; i < total; ++i) {
    Diagnostics diagnostics;
    const model::Module spec = module_of(specs.next(), diagnostics);
    if (diagnostics.has_errors() || spec.workloads.empty()) return {};
    for (const model::PlaneKind plane : {model::PlaneKind::slurm, model::PlaneKind::kubernetes})
      lower_for(site, spec, policy, plane, count);
  }
  count.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return count;
}

}  // namespace

int targets_to_memory(std::uint32_t seed) {
  const Count with = lower_all(site_text(fragment), seed), without = lower_all(site_text(""), seed);
  if (with.files == 0 || without.files == 0) {
    std::fprintf(stderr, "bench: the specs are not lowered\n");
    return 1;
  }
  std::printf(
      "1,000 specs for all targets to memory: %.0f files/s of %zu bytes on one core (to be at least 1,500); "
      "%zu files, %zu refusals\n",
      static_cast<double>(with.files) / with.seconds, with.bytes / with.files, with.files, with.refused);
  std::printf("  of that the reader of the YAML of sites (what is written is our own writer's): %.0f %%\n",
              100 * (1 - without.seconds / with.seconds));
  return 0;
}

}  // namespace muster::bench
