// Secrets in the environment and the arguments of containers.
#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "compiler/base/secret.h"
#include "compiler/base/secret_scan.h"
#include "compiler/base/text.h"
#include "lint/rules/manifest/scene.h"

namespace muster::lint {
namespace {

// `value: abc  # replace with your key`, on the line of the name or of the value.
bool is_left_open(const Sources& sources, const Field& variable) {
  return is_to_be_replaced(sources, variable.get("name").span()) ||
         is_to_be_replaced(sources, variable.get("value").span());
}

// The key of a MinIO for trials, which is in its documentation.
bool is_of_trial_server(std::string_view name, std::string_view value) {
  const bool key = name.starts_with("AWS_") || name.find("MINIO") != std::string_view::npos;
  return key && (value == "minioadmin" || value == "minio123");
}

// What one would guess first, as people write it for databases of their own: `postgres-dev`, or the name
// of the user once more. `others`: values of the variables that hold no secret, in lower case.
bool is_guessable(std::string_view name, std::string_view value, const std::set<std::string>& others) {
  const std::string low = lower(value);
  for (const std::string_view part : {"dev", "demo", "test", "example", "sample", "pass", "secret", "admin", "root",
                                      "local", "default", "1234", "qwerty", "postgres"})
    if (low.find(part) != std::string::npos) return true;
  return lower(name).find(low) != std::string::npos || others.contains(low);  // POSTGRES_PASSWORD=postgres
}

std::set<std::string> values_without_secrets(const Field& env) {
  std::set<std::string> out;
  for (const Field& variable : env.items()) {
    const std::string_view value = variable.get("value").text();
    if (!value.empty() && !is_secret(variable.get("name").text(), value)) out.insert(lower(value));
  }
  return out;
}

// The sure secrets in a text, as one: whether there are some, and whether one looks generated.
struct InText {
  bool any = false, strong = false;
};
InText secrets_in(std::string_view text) {
  InText out;
  for (const SecretPlace& place : find_secrets(text))
    if (place.sure) out.any = true, out.strong |= place.strong;
  return out;
}

void check_env(const ManifestScene& scene, const Object& object, const Field& env) {
  std::optional<std::set<std::string>> others;
  for (const Field& variable : env.items()) {
    const Field value = variable.get("value");
    const std::string_view name = variable.get("name").text();
    if (!value || k8s::is_placeholder(value.text()) || is_left_open(scene.context.sources, variable) ||
        is_of_trial_server(name, value.text()))
      continue;
    const bool named = is_secret(name, value.text());
    const InText inside = named ? InText{} : secrets_in(value.text());
    if (!named && !inside.any) continue;
    Finding& f =
        scene.wrong(RuleId::secret_in_env, object, value, "`" + std::string(name) + "` holds a secret in plain text",
                    "use `valueFrom.secretKeyRef`");
    const Sources& sources = scene.context.sources;
    if (says_above(sources, value.span(), "not secret") || says_above(sources, value.span(), "not a secret")) {
      f.severity = Severity::info;  // what the comment is about is not known
      continue;
    }
    if (named ? is_strong(value.text()) : inside.strong) continue;
    if (!others) others = values_without_secrets(env);
    f.severity = named && is_guessable(name, value.text(), *others) ? Severity::info : Severity::warning;
  }
}

// `--api-key …`, and whatever a text of several lines may hold: an `export`, a header, a URL. The elements are read as
// one text, for an option and its value are two of them.
void check_arguments(const ManifestScene& scene, const Object& object, const Field& holder) {
  std::string all;
  std::vector<std::pair<std::size_t, Field>> elements;  // where each begins
  for (const char* key : {"command", "args"})
    for (const Field& element : holder.get(key).items()) {
      elements.emplace_back(all.size(), element);
      all += std::string(element.text()) + " ";
    }
  std::size_t at = 0, last = elements.size();  // one finding an element
  for (const SecretPlace& place : find_secrets(all)) {
    while (at + 1 < elements.size() && elements[at + 1].first <= place.begin) ++at;
    const std::string_view text = elements[at].second.text();
    // `password=admin` alone is a word of the program: a setting of a demonstration, mostly.
    const bool bare = !text.starts_with('-') && text.find_first_of(" \n") == std::string_view::npos;
    const std::string_view before = at > 0 ? elements[at - 1].second.text() : std::string_view();
    const bool named = before.starts_with('-') && before.find('=') == std::string_view::npos;
    if (!place.sure || at == last || (bare && !named && !place.strong)) continue;
    last = at;
    Finding& f = scene.wrong(RuleId::secret_in_env, object, elements[at].second,
                             "the command line contains a secret: " + place.what,
                             "everyone who can list processes or pods can read it");
    if (place.strong) continue;
    const bool guessed = is_guessable({}, std::string_view(all).substr(place.begin, place.end - place.begin), {});
    f.severity = guessed ? Severity::info : Severity::warning;
  }
}

}  // namespace

void check_secrets(const ManifestScene& scene) {
  for (const Object& object : scene.manifest.objects) {
    for (const k8s::PodTemplate& pods : object.pods)
      for (const Container& c : pods.containers) {
        check_env(scene, object, c.field.get("env"));
        check_arguments(scene, object, c.field);
      }
    if (const Field trainer = trainer_field(object)) {
      check_env(scene, object, trainer.get("env"));
      check_arguments(scene, object, trainer);
    }
  }
}

}  // namespace muster::lint
