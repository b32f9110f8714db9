// Secrets in the environment and the arguments of containers.
#include <algorithm>

#include "compiler/base/secret.h"
#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

using k8s::Container;
using k8s::Field;
using k8s::Object;

// `value: abc  # replace with your key`, on the line of the name or of the value.
bool is_to_be_replaced(const Sources& sources, const Field& variable) {
  for (const Field& part : {variable.get("name"), variable.get("value")}) {
    const Span span = part.span();
    if (!span.known()) continue;
    std::string_view line = sources.text(span.file).substr(span.end, 500);  // a longer line is data
    line = line.substr(0, line.find('\n'));
    const std::string comment = lower(line.substr(std::min(line.find('#'), line.size())));
    if (comment.find("replace") != std::string::npos || comment.find("your ") != std::string::npos) return true;
  }
  return false;
}

void check_env(const ManifestScene& scene, const Object& object, const Field& env) {
  for (const Field& variable : env.items()) {
    const Field value = variable.get("value");
    const std::string_view name = variable.get("name").text();
    if (!value || k8s::is_placeholder(value.text()) || !is_secret(name, value.text())) continue;
    if (is_to_be_replaced(scene.context.sources, variable)) continue;
    Finding& f =
        scene.wrong(RuleId::secret_in_env, object, value, "`" + std::string(name) + "` holds a secret in plain text",
                    "use `valueFrom.secretKeyRef`");
    if (!is_strong(value.text())) f.severity = Severity::warning;
  }
}

// `--api-key=…`, `--token …`, or a token of a known form anywhere.
void check_arguments(const ManifestScene& scene, const Object& object, const Container& c) {
  std::string_view option;
  for (const k8s::Word& word : c.words) {
    const std::string_view text = word.text;
    const std::size_t equals = text.find('=');
    const bool given = text.starts_with("--") && equals != std::string_view::npos;
    const std::string_view name = given ? text.substr(2, equals - 2) : option;
    const std::string_view value = given ? text.substr(equals + 1) : text;
    option = text.starts_with("--") && !given ? text.substr(2) : std::string_view();
    if (value.starts_with("--") || k8s::is_placeholder(text) || !is_secret(name, value)) continue;
    Finding& f = scene.wrong(RuleId::secret_in_env, object, word.field, "the command line contains a secret",
                             "everyone who can list processes or pods can read it");
    if (!is_strong(value)) f.severity = Severity::warning;
  }
}

}  // namespace

void check_secrets(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    for (const k8s::PodTemplate& pods : object.pods)
      for (const Container& c : pods.containers) {
        check_env(scene, object, c.field.get("env"));
        check_arguments(scene, object, c);
      }
    if (const Field trainer = trainer_field(object)) check_env(scene, object, trainer.get("env"));
  }
}

}  // namespace muster::lint
