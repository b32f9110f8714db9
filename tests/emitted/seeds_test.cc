// The examples of the source documents as they stand there: lint finds their faults. Beside each the same intent as a
// workload: what muster emits for it has none of them.
#include <algorithm>

#include "rules/profiles.h"
#include "tests/catch.h"
#include "tests/emitted/lint_text.h"
#include "tests/places.h"

namespace seeds_test {

using namespace muster;

namespace {

struct Seed {
  const char* raw;                       // the file of the document
  std::vector<std::string_view> faults;  // that lint finds in it
  const char* spec;                      // "" where no workload says such a thing
  std::string_view target;
};

const Seed seeds[] = {
    {"emitted/seeds/finetune.sbatch", {}, "finetune", "slurm"},
    {"emitted/seeds/pretrain.sbatch", {"SLM001", "SLM004", "CKP001"}, "pretrain", "slurm"},
    {"emitted/seeds/sweep.sbatch", {"SLM007", "SLM010"}, "sweep", "slurm"},
    {"lint/manifests/seed-pytorchjob.yaml", {"SCH001", "SCH006", "K8S003", "K8S004"}, "elastic", "pytorchjob"},
    {"lint/manifests/seed-vllm.yaml",
     {"K8S001", "K8S003", "K8S005", "SRV001", "SRV002", "SRV004", "SRV007"},
     "serving",
     "kubernetes"},
    {"lint/manifests/seed-spread.yaml", {"SCH008"}, "near", "kueue"},
    // A quota of muster is a number of GPUs in use: hours cannot be written.
    {"lint/manifests/seed-quota.yaml", {"QTA003"}, "", ""},
    // Its gang is as it should be.
    {"lint/manifests/seed-volcano.yaml", {}, "gang", "volcano"},
};

std::string in_tests(const std::string& path) {
  return loss::read_file(muster::tests::source_folder() + "/tests/" + path);
}

std::vector<std::string_view> rules_in(const emitted::Linted& linted) {
  std::vector<std::string_view> out;
  for (const lint::Result& result : linted.results) out.push_back(lint::info(result.finding.rule).id);
  return out;
}

bool has(const std::vector<std::string_view>& all, std::string_view id) {
  return std::find(all.begin(), all.end(), id) != all.end();
}

loss::Checked checked_with(const std::string& spec) {
  return loss::check_at({"seeds", in_tests("emitted/seeds/site.muster")}, spec);
}

}  // namespace

TEST_CASE("lint finds the faults of the source documents' examples", "[emitted]") {
  const loss::Checked site = checked_with(in_tests("emitted/seeds/gang.muster"));
  REQUIRE(site.ok());
  for (const Seed& seed : seeds) {
    const auto found = rules_in(emitted::lint_text(site, seed.raw, in_tests(seed.raw)));
    for (const std::string_view fault : seed.faults) {
      INFO(seed.raw << " " << fault);
      CHECK(has(found, fault));
    }
  }
}

TEST_CASE("what muster emits for the same intent has none of these faults", "[emitted]") {
  const model::Policy policy = rules::profile("default");
  for (const Seed& seed : seeds) {
    if (*seed.spec == '\0') continue;
    const loss::Checked checked = checked_with(in_tests(std::string("emitted/seeds/") + seed.spec + ".muster"));
    REQUIRE(checked.ok());
    const loss::Attempt attempt = loss::compile_for(checked, 0, *targets::find_target(seed.target), policy);
    INFO(seed.raw << " as " << seed.spec);
    REQUIRE(attempt.ok());
    for (const targets::Document& document : attempt.lowered.documents) {
      const emitted::Linted linted = emitted::lint_text(checked, document.name, document.content);
      CHECK(linted.fault.empty());
      for (const Seed& other : seeds)
        for (const std::string_view fault : other.faults) {
          INFO(fault << "\n" << document.content);
          CHECK_FALSE(has(rules_in(linted), fault));
        }
    }
  }
}

}  // namespace seeds_test
