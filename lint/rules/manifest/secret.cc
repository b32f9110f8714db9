// Secrets in the environment and the arguments of containers.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/base/blank.h"
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

// What is said beside the secrets of a container, in lower case: the words of letters, and whole values.
using Words = std::set<std::string>;

void add_words(std::string_view text, Words& out) {
  const std::string low = lower(text);
  for (std::size_t at = 0; at < low.size();) {
    const std::size_t begin = at;
    while (at < low.size() && is_letter(low[at])) ++at;
    if (at > begin) out.insert(low.substr(begin, at - begin));
    else ++at;
  }
}
void add_words_beside(std::string_view text, const std::vector<SecretPlace>& secrets, Words& out) {
  std::size_t from = 0;
  for (const SecretPlace& place : secrets) add_words(text.substr(from, place.begin - from), out), from = place.end;
  add_words(text.substr(from), out);
}
Words words_beside_secrets(const Field& env) {
  Words out;
  for (const Field& variable : env.items()) {
    const std::string_view value = variable.get("value").text();
    if (value.empty() || is_secret(variable.get("name").text(), value)) continue;
    add_words_beside(value, find_secrets(value), out);
    out.insert(lower(value));
  }
  return out;
}

// The name of the user or of the server once more, with up to four digits behind it: `shop:shop123@`.
bool is_word_again(std::string_view value, const Words& others) {
  std::string word = lower(value);
  const std::size_t digits = word.size() - (word.find_last_not_of("0123456789") + 1);
  word.resize(word.size() - digits);
  if (digits > 4 || !std::all_of(word.begin(), word.end(), is_letter)) return false;
  return others.contains(word) || word == "token";
}

// What one would guess first, as people write it for databases of their own: `postgres-dev`.
bool is_guessable(std::string_view name, std::string_view value, const Words& others) {
  const std::string low = lower(value);
  for (const std::string_view part : {"dev", "demo", "test", "example", "sample", "pass", "pwd", "secret", "admin",
                                      "root", "local", "default", "1234", "qwerty", "postgres"})
    if (low.find(part) != std::string::npos) return true;
  if (lower(name).find(low) != std::string::npos) return true;  // POSTGRES_PASSWORD=postgres
  return others.contains(low) || is_word_again(low, others);
}

// SECRET_KEY=shop_secret_key_2025, --cookie-secret=my-cookie-secret-of-16-bytes: words in place of a key.
bool says_its_name(std::string_view name, std::string_view value) {
  const auto letters = [](std::string_view text) {
    std::string out;
    std::copy_if(text.begin(), text.end(), std::back_inserter(out), is_letter);
    return lower(out);
  };
  return name.size() >= 8 && letters(value).find(letters(name)) != std::string::npos;
}

// How bad a secret is: a generated one opens something that others reach, too.
Severity severity_of(bool strong, std::string_view name, std::string_view value, const Words& others) {
  if (strong) return is_word_again(value, others) || says_its_name(name, value) ? Severity::info : Severity::error;
  return is_guessable(name, value, others) ? Severity::info : Severity::warning;
}

// Of the secrets in a text, such as the password in a URL, the worst; nothing where none is sure.
std::optional<Severity> worst_in(std::string_view text) {
  const std::vector<SecretPlace> places = find_secrets(text);
  Words others;
  add_words_beside(text, places, others);
  std::optional<Severity> out;
  for (const SecretPlace& place : places)
    if (place.sure) {
      const Severity one = severity_of(place.strong, {}, text.substr(place.begin, place.end - place.begin), others);
      out = out ? std::min(*out, one) : one;  // errors are the first of the order
    }
  return out;
}

void check_env(const ManifestScene& scene, const Object& object, const Field& env) {
  std::optional<Words> others;
  for (const Field& variable : env.items()) {
    const Field value = variable.get("value");
    const std::string_view name = variable.get("name").text();
    if (!value || blank_in(value.text(), In::yaml) || is_left_open(scene.context.sources, variable) ||
        is_of_trial_server(name, value.text()))
      continue;
    const bool named = is_secret(name, value.text());
    const std::optional<Severity> inside = named ? std::nullopt : worst_in(value.text());
    if (!named && !inside) continue;
    Finding& f =
        scene.wrong(RuleId::secret_in_env, object, value, "`" + std::string(name) + "` holds a secret in plain text",
                    "use `valueFrom.secretKeyRef`");
    f.secret = value.text();
    const Sources& sources = scene.context.sources;
    if (says_above(sources, value.span(), "not secret") || says_above(sources, value.span(), "not a secret")) {
      f.severity = Severity::info;  // what the comment is about is not known
      continue;
    }
    if (named && !others) others = words_beside_secrets(env);
    f.severity = named ? severity_of(is_strong(value.text()), name, value.text(), *others) : *inside;
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
    const std::string_view value = std::string_view(all).substr(place.begin, place.end - place.begin);
    f.secret = elements[at].second.text();
    f.severity = severity_of(place.strong, place.what, value, {});
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
