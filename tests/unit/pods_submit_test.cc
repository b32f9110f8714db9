// The script that submits workloads which wait for each other, run with a kubectl that tells a story.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "targets/kubernetes/builders.h"
#include "tests/catch.h"
#include "tests/temp_folder.h"

namespace pods_submit_test {

using namespace muster;
using targets::Submission;

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

model::Workload workload(const std::string& name, std::vector<model::After> after = {}) {
  model::Workload out;
  out.name = name;
  out.depends_on = std::move(after);
  return out;
}

Submission submission(const model::Workload& w, const std::string& kind = "job.batch") {
  return {&w, w.name + ".yaml", {"team", kind, w.name}};
}

// Runs the script where `kubectl get` says nothing twice and then `state`; returns what was applied and the exit code.
std::string run(const std::vector<Submission>& all, const std::string& state) {
  Diagnostics diagnostics;
  const auto script = targets::kubernetes::submit_script(all, diagnostics);
  REQUIRE(script);
  const tests::TempFolder temporary;
  const fs::path& folder = temporary.path();
  fs::create_directories(folder / "bin");
  std::ofstream(folder / "submit.sh") << script->content;
  std::ofstream(folder / "bin/sleep") << "#!/bin/sh\n";
  std::ofstream(folder / "bin/kubectl")
      << "#!/bin/sh\ncd " << folder.string()
      << "\nif [ \"$1\" = apply ]; then echo \"$3\" >> applied; exit; fi\n"
         "printf '%s\\n' \"$*\" >> asked\n[ \"$(wc -l < asked)\" -gt 2 ] || exit 1\necho '"
      << state << "'\n";
  for (const char* name : {"bin/sleep", "bin/kubectl"}) fs::permissions(folder / name, fs::perms::owner_all);
  const std::string command = "PATH=" + (folder / "bin").string() + ":$PATH timeout 20 sh " +
                              (folder / "submit.sh").string() + " > /dev/null 2>&1";
  const int code = std::system(command.c_str());
  return text_of(folder / "applied") + (code == 0 ? "ok" : "not ok");
}

}  // namespace

TEST_CASE("submit: what follows an end of the right kind, and what does not") {
  using model::AfterOn;
  const model::Workload first = workload("first");
  const auto after = [&](AfterOn on, const std::string& state) {
    const model::Workload then = workload("then", {{"first", on, {}}});
    return run({submission(then), submission(first)}, state);
  };
  const std::string both = "first.yaml\nthen.yaml\nok", one = "first.yaml\n";
  CHECK(after(AfterOn::success, "Complete") == both);
  CHECK(after(AfterOn::success, "Failed") == one + "not ok");
  CHECK(after(AfterOn::failure, "FailureTarget Failed") == both);
  CHECK(after(AfterOn::failure, "Complete") == one + "ok");
  CHECK(after(AfterOn::finish, "Failed") == both);
  CHECK(after(AfterOn::finish, "Complete") == both);
  CHECK(after(AfterOn::start, "Pending Running") == both);
}

TEST_CASE("submit: each kind says its end in its own words") {
  const std::pair<const char*, const char*> kinds[] = {
      {"jobset.jobset.x-k8s.io", "Completed"},          {"trainjob.trainer.kubeflow.org", "Created Complete"},
      {"pytorchjob.kubeflow.org", "Created Succeeded"}, {"job.batch.volcano.sh", "Completed"},
      {"rayjob.ray.io", "Complete SUCCEEDED"},          {"pod", "Succeeded"}};
  const model::Workload first = workload("first"), then = workload("then", {{"first", model::AfterOn::success, {}}});
  for (const auto& [kind, state] : kinds) {
    INFO(kind);
    CHECK(run({submission(first, kind), submission(then)}, state) == "first.yaml\nthen.yaml\nok");
  }
  // Ray's program failed, though its cluster is through.
  CHECK(run({submission(first, "rayjob.ray.io"), submission(then)}, "Complete FAILED") == "first.yaml\nnot ok");
}

TEST_CASE("submit: what was left out counts as failed for those behind it") {
  const model::Workload first = workload("first"),
                        second = workload("second", {{"first", model::AfterOn::success, {}}}),
                        third = workload("third", {{"second", model::AfterOn::success, {}}}),
                        last = workload("last", {{"second", model::AfterOn::finish, {}}});
  CHECK(run({submission(first), submission(second), submission(third), submission(last)}, "Failed") ==
        "first.yaml\nlast.yaml\nnot ok");
}

TEST_CASE("submit: no script for what waits for nothing, a service has no end") {
  const model::Workload first = workload("first"), then = workload("then", {{"first", model::AfterOn::success, {}}});
  Diagnostics diagnostics;
  CHECK_FALSE(targets::kubernetes::submit_script(std::vector{submission(first)}, diagnostics));
  CHECK_FALSE(diagnostics.has_errors());
  CHECK_FALSE(targets::kubernetes::submit_script(std::vector{submission(first, "deployment.apps"), submission(then)},
                                                 diagnostics));
  CHECK(diagnostics.has_errors());
}

}  // namespace pods_submit_test
