// `cpus`, `memory` and `time-limit` that are left to the site: nothing is written, and fit counts the least.
#include "compiler/sema/check/to_syntax.h"
#include "compiler/syntax/format.h"
#include "plan/plan.h"
#include "tests/unit/pods_scene.h"

namespace site_default_test {

using namespace muster;
using namespace muster::test;

namespace {

const std::string left = "cpus = default  memory = default  time-limit = default\n";

Pods scene(const std::string& kind, const std::string& workload) {
  return {.kind = kind,
          .plane = "",
          .site = "queue main { default = true  default-time = 2h }  software torch { image = \"torch:2\" }\n",
          .workload = workload};
}

std::string became(const Manifests& made, std::string_view field) {
  for (const targets::LossEntry& entry : made.lowered.loss.entries())
    if (to_string(entry.field) == field)
      return entry.status == targets::LossEntry::Status::read ? "read: " + entry.note : "another";
  return "";
}

// A site as its writer spells it.
std::string written_again(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics;
  auto file = syntax::parse(sources, sources.add("site.muster", text), diagnostics);
  REQUIRE(file);
  const model::Module module = sema::check({*file}, sources, {}, diagnostics);
  REQUIRE_FALSE(diagnostics.has_errors());
  return syntax::format({sema::to_syntax(module.sites.at(0), diagnostics)});
}

}  // namespace

TEST_CASE("a batch job has no option for what is left to the site", "[site-default]") {
  const std::string work = "kind = batch  gpus = 2  command = [\"a\"]  launch { contract = full }\n";
  const Manifests usual = lower(scene("slurm", work), "slurm");
  for (const char* option : {"--cpus-per-task=16", "--mem=", "--time=0-02:00:00"}) CHECK(usual.has(option));
  const Manifests open = lower(scene("slurm", work + left), "slurm");
  INFO(open.text() << open.stated());
  REQUIRE(open.ok());
  for (const char* option : {"--cpus-per", "--mem", "--time"}) CHECK_FALSE(open.has(option));
  CHECK(open.has("MUSTER_CPUS=$SLURM_CPUS_ON_NODE"));
  for (const char* field : {"resources.cpus", "resources.memory", "time-limit"})
    CHECK(became(open, field).starts_with("read: nothing is written"));
  const Manifests alone = lower(scene("slurm", work + left + "resources { exclusive = true }"), "slurm");
  CHECK(alone.has("#SBATCH --exclusive\n"));
  CHECK_FALSE(alone.has("--mem"));
}

TEST_CASE("a pod has no request for what is left to the site", "[site-default]") {
  const std::string work = "kind = batch  gpus = 2  software = torch  command = [\"a\"]\n";
  CHECK(lower(scene("kubernetes", work)).has("cpu: 15"));  // a share of what the node has for pods
  const Manifests open = lower(scene("kubernetes", work + left));
  INFO(open.text() << open.stated());
  REQUIRE(open.ok());
  for (const char* key : {"cpu:", "memory:", "activeDeadlineSeconds"}) CHECK_FALSE(open.has(key));
  for (const char* field : {"resources.cpus", "resources.memory", "time-limit"})
    CHECK(became(open, field).starts_with("read: nothing is written"));
  const Manifests alone = lower(scene("kubernetes", work + left + "resources { exclusive = true }"));
  CHECK(alone.stated().find("requesting all of its CPUs or memory") != std::string::npos);
}

TEST_CASE("fit counts a CPU for each task of a batch system, and nothing for a pod", "[site-default]") {
  model::Role role;
  plan::RolePlan shape;
  shape.role = &role;
  shape.processes = 4;
  CHECK(shape.counted_cpus() == 0);
  shape.cpu_a_task = true;
  role.launch.runner.value = model::Runner::torchrun;  // which starts its processes itself
  CHECK(shape.counted_cpus() == 1);
  role.launch.runner.value = model::Runner::processes;
  CHECK(shape.counted_cpus() == 4);
  shape.cpus = 12;
  CHECK(shape.counted_cpus() == 12);
}

TEST_CASE("a site's defaults come back from its model", "[site-default]") {
  const std::string site =
      "site s {\n"
      "  plane p { kind = slurm }\n"
      "  defaults {\n"
      "    retry      = default\n"
      "    time-limit = default\n"
      "    cpus       = default\n"
      "    memory     = 4GiB..8GiB\n"
      "    env        { A = 1 }\n"
      "    labels     { team = \"vision\" }\n"
      "  }\n"
      "}\n";
  CHECK(written_again(site) == site);
}

TEST_CASE("a misspelt word in place of an amount is named", "[site-default]") {
  for (const std::string key : {"cpus", "memory", "time-limit"}) {
    Sources sources;
    Diagnostics diagnostics;
    auto file = syntax::parse(
        sources, sources.add("w.muster", "workload w { kind = batch  " + key + " = defualt  command = [\"a\"] }\n"),
        diagnostics);
    REQUIRE(file);
    sema::check({*file}, sources, {}, diagnostics);
    REQUIRE(diagnostics.has_errors());
    const Diagnostic d = diagnostics.sorted()[0];
    CHECK(d.message.starts_with("`" + key + "` takes "));
    REQUIRE(d.fixes.size() == 1);
    CHECK(d.fixes[0].text == "default");
  }
}

}  // namespace site_default_test
