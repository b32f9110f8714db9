// The rules of a job's text (lint/rules/body) on the containers of pods.
#include <algorithm>
#include <set>
#include <utility>

#include "compiler/base/text.h"
#include "lint/rules/body/job_text.h"
#include "lint/rules/manifest/container.h"

namespace muster::lint {
namespace {

std::vector<SetBeside> variables_of(const Container& c) {
  std::vector<SetBeside> out;
  for (const Field& variable : c.field.get("env").items())
    if (const Field name = variable.get("name")) out.push_back({name.text(), name.span()});
  return out;
}

// The words in front of a text: the shell that reads it, and its options.
std::string words_before(const Container& c, const Field& text) {
  std::string out;
  for (const std::string_view key : {"command", "args"})
    for (const Field& word : c.field.get(key).items()) {
      if (word.span() == text.span()) return out;
      out += std::string(word.text()) + " ";
    }
  return {};
}

// Whether the pods of an object are to come to an end.
bool comes_to_an_end(const Object& object) {
  return object.known != nullptr && !object.known->ending.path.empty() && object.known->work != k8s::Work::service &&
         !object.is("", "Pod");
}

void check_container(const ManifestScene& scene, const Object& object, const PodTemplate& pods, const Container& c) {
  const auto text = k8s::text_of(scene.context.sources, c);
  const shell::Body none;
  const Field& field = text ? text->field : c.field;
  if (!field.span().known()) return;
  const std::string_view value = text ? std::string_view(field.text()) : std::string_view();
  check_text({scene.context,
              field.span(),
              value,
              text ? text->body : none,
              {{}, true, comes_to_an_end(object) || c.init, text ? text->indent : "", words_before(c, field)},
              object.subject(),
              scene.report,
              ByteTriples(value),
              variables_of(c),
              field.path});
  check_container_launch(scene, object, pods, c, text);
}

}  // namespace

void check_container_texts(const ManifestScene& scene) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // an anchor may be in many containers
  for (const Object& object : scene.manifest.objects) {
    for (const PodTemplate& pods : object.pods)
      for (const Container& c : pods.containers)
        if (seen.insert({c.field.span().file, c.field.span().begin}).second) check_container(scene, object, pods, c);
    if (const Field trainer = trainer_field(object)) {
      PodTemplate pods;
      pods.count_field = trainer.get("numNodes"), pods.count = pods.count_field.whole();
      check_container(scene, object, pods, k8s::trainer_container(trainer));
    }
  }
}

}  // namespace muster::lint
