// NET007 mpirun-exports-unread: options of a launcher that do not do what was meant.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

// A name as the MCA parameters of Open MPI have it: a framework, and below it lower case.
bool is_mca_parameter(std::string_view name) {
  constexpr std::array<std::string_view, 12> frameworks = {"btl", "coll", "pml",  "mtl",  "osc",   "plm",
                                                           "oob", "orte", "opal", "prte", "rmaps", "hwloc"};
  const std::size_t end = name.find('_');
  if (std::find(frameworks.begin(), frameworks.end(), name.substr(0, end)) == frameworks.end()) return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}

// UCX reads UCX_RC_RX_QUEUE_LEN and the like.
bool is_ucx_without_prefix(std::string_view name) { return name == "RX_QUEUE_LEN" || name == "IB_RX_QUEUE_LEN"; }

void check_exports(const ManifestScene& scene, const Object& object, const Container& c) {
  if (program_of(c) != k8s::Program::mpirun) return;
  bool reported = false;  // two names of UCX are one mistake
  for (std::size_t i = 0; i + 1 < c.words.size(); ++i) {
    if (c.words[i].text != "-x") continue;
    const k8s::Word& word = c.words[i + 1];
    const std::size_t equals = word.text.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = word.text.substr(0, equals), value = word.text.substr(equals + 1);
    if (is_mca_parameter(name)) {
      scene
          .wrong(RuleId::mpirun_exports_unread, object, word,
                 "`-x " + name + "` exports an environment variable, but " + quoted(name) + " is an MCA parameter",
                 "no program reads it")
          .notes.push_back("write `--mca " + name + " " + value + "` instead");
    } else if (is_ucx_without_prefix(name) && !reported) {
      reported = true;
      scene
          .wrong(RuleId::mpirun_exports_unread, object, word,
                 "UCX reads only variables that begin with `UCX_`, so " + quoted(name) + " has no effect",
                 "no program reads it")
          .notes.push_back("remove it, or write the variable that `ucx_info -c -f` lists");
    }
  }
}

}  // namespace

void check_launch_options(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects)
    for (const PodTemplate& pods : object.pods)
      for (const Container& c : pods.containers) check_exports(scene, object, c);
}

}  // namespace muster::lint
