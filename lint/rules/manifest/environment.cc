// K8S029 env-not-expanded, K8S031 debug-setting-in-pods, SEC004 secret-filled-in: values of `env` that do something
// else than their author meant.
#include <algorithm>
#include <array>
#include <cctype>

#include "compiler/base/secret.h"
#include "compiler/base/text.h"
#include "lint/heuristics.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// ---- K8S029 ------------------------------------------------------------------------------------------

// Where a text refers to a variable as a shell does, `$NAME` or `${NAME}`: the length of that; 0 where it does not.
// `$(NAME)` is how Kubernetes does it, and `$$` is its way to write a `$`.
std::size_t reference_at(std::string_view text, std::size_t at, std::string_view name) {
  const bool braced = at + 1 < text.size() && text[at + 1] == '{';
  const std::size_t begin = at + (braced ? 2 : 1), end = begin + name.size();
  if (begin > text.size() || text.substr(begin, name.size()) != name) return 0;
  if (!braced) return end == text.size() || !is_name_character(text[end]) ? end - at : 0;
  const std::size_t close = text.find('}', end);
  if (close == std::string_view::npos || (text[end] != '}' && text[end] != ':')) return 0;
  return close + 1 - at;
}

// A variable that programs read as a list, so that an image has a value which is worth extending. In another one,
// `${NAME}` is what a tool such as envsubst fills in.
bool is_list_name(std::string_view name) {
  constexpr std::array<std::string_view, 9> ends = {"PATH", "PATHS",   "FLAGS", "OPTS",   "OPTIONS",
                                                    "ARGS", "PRELOAD", "DIRS",  "PLUGINS"};
  return equal_ignoring_case(name, "no_proxy") ||
         std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

void check_own_value(const ManifestScene& scene, const Object& object, const Field& variable) {
  const std::string_view name = variable.get("name").text();
  const Field value = variable.get("value");
  const std::string_view text = value.text();
  if (!is_list_name(name)) return;
  for (std::size_t at = text.find('$'); at < text.size(); at = text.find('$', at + 1)) {
    if (at + 1 < text.size() && text[at + 1] == '$') {
      ++at;
      continue;
    }
    const std::size_t length = reference_at(text, at, name);
    if (length == 0 || length == text.size()) continue;  // alone it is a placeholder
    Finding& f = scene.wrong(
        RuleId::env_not_expanded, object, value,
        "Kubernetes does not expand " + quoted(text.substr(at, length)) + " in the value of " + quoted(name),
        "the container gets this text, and the value of its image is lost");
    f.notes.push_back("write the whole value of the image here, or extend it in the shell of the command: `export " +
                      std::string(name) + "=…`; `$(" + std::string(name) +
                      ")` names only variables that the manifest defines");
    return;
  }
}

// ---- SEC004 ------------------------------------------------------------------------------------------

// `$NAME` and `${NAME}` and nothing else.
bool is_shell_variable(std::string_view text) {
  if (text.size() < 2 || text.front() != '$') return false;
  text.remove_prefix(1);
  if (text.size() > 2 && text.front() == '{' && text.back() == '}') text = text.substr(1, text.size() - 2);
  return std::all_of(text.begin(), text.end(), is_name_character) && !all_digits(text);
}

void check_secret_value(const ManifestScene& scene, const Object& object, const Field& variable) {
  const std::string_view name = variable.get("name").text();
  const Field value = variable.get("value");
  if (!names_secret(name) || !is_shell_variable(value.text())) return;
  scene
      .wrong(RuleId::secret_filled_in, object, value,
             quoted(name) + " gets its value from " + quoted(value.text()) + " and not from a Secret",
             "everyone who can read the pods can read what a tool fills in here")
      .notes.push_back("if no tool fills it in, the container gets the text " + quoted(value.text()) +
                       ": Kubernetes does not expand it");
}

// ---- K8S031 ------------------------------------------------------------------------------------------

// Whether it is known that only one process runs.
bool is_one_process(const Object& object, const Container& c) {
  return pod_count(object) == 1 && c.gpu_field().whole() == 1;
}

void check_debug_setting(const ManifestScene& scene, const Object& object, const Container& c, const Field& variable) {
  const std::string_view name = variable.get("name").text();
  const Field value = variable.get("value");
  const std::string purpose = lower(object.name);
  for (const char* word : {"debug", "test", "profile"})
    if (purpose.find(word) != std::string::npos) return;
  const std::string_view effect = debugging_effect(name, value.text());
  if (effect.empty() || !c.has_accelerator()) return;
  const bool of_ranks = name != "CUDA_LAUNCH_BLOCKING";
  if (of_ranks && (!is_coupled(object) || is_one_process(object, c))) return;
  scene.wrong(RuleId::debug_setting_in_pods, object, value,
              quoted(std::string(name) + "=" + std::string(value.text())) + " " + std::string(effect),
              of_ranks ? "it is for debugging only; it slows down the whole job"
                       : "it is for debugging only; the GPU is idle between kernels");
}

void check_variables(const ManifestScene& scene, const Object& object, const Field& env) {
  for (const Field& variable : env.items()) {
    check_own_value(scene, object, variable);
    check_secret_value(scene, object, variable);
  }
}

}  // namespace

void check_environment(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    for (const PodTemplate& pods : object.pods)
      for (const Container& c : pods.containers) {
        check_variables(scene, object, c.field.get("env"));
        for (const Field& variable : c.field.get("env").items()) check_debug_setting(scene, object, c, variable);
      }
    if (const Field trainer = trainer_field(object)) check_variables(scene, object, trainer.get("env"));
  }
}

}  // namespace muster::lint
