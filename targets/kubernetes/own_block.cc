#include "targets/kubernetes/own_block.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/data/read.h"
#include "targets/kubernetes/pod.h"

namespace muster::targets::kubernetes {
namespace {

const model::RawOption* own_option(const Draft& draft, std::string_view name, std::string& block) {
  for (const model::TargetOptions& target : draft.workload.targets)
    for (const model::RawOption& option : target.options)
      if (option.name == name && is_own_block(draft, target)) return block = target.target, &option;
  return nullptr;
}

Node tree_of(const std::string& yaml) {
  Sources sources;
  data::Documents read = data::read_yaml(sources, sources.add("block", yaml));
  const bool one = !read.diagnostics.has_errors() && read.documents.size() == 1 &&
                   !read.documents[0].diagnostics.has_errors() && read.documents[0].root.is_map();
  return one ? std::move(read.documents[0].root) : Node{};
}

}  // namespace

bool is_template_option(std::string_view target, std::string_view option) {
  return (target == "lws" && is_one_of(option, {"leader", "worker"})) || (target == "pytorchjob" && option == "master");
}

std::vector<std::string> names_given(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view part : split(text, ' '))
    if (!part.empty()) out.emplace_back(part);
  return out;
}

std::vector<std::string> names_given(const Draft& draft) {
  std::string block;
  const model::RawOption* option = own_option(draft, gives_option, block);
  return option == nullptr ? std::vector<std::string>() : names_given(option->value.value);
}

Node own_object(const Draft& draft) {
  std::string block;
  const model::RawOption* option = own_option(draft, "object", block);
  return option == nullptr ? Node{} : tree_of(option->value.value);
}

Node own_template(Draft& draft, std::string_view option, Node pod) {
  std::string block;
  const model::RawOption* own = own_option(draft, option, block);
  if (own == nullptr) return pod;
  const FieldRef field{model::Field::target, block + "." + std::string(option)};
  Node out = tree_of(own->value.value);
  if (out.at("spec.containers") == nullptr) {
    draft.refuse_at(own->value.span, field, "`" + std::string(option) + "` is not a pod template in YAML",
                    "write `metadata` and `spec` with `containers`");
    return pod;
  }
  draft.exact(field, "the pod template of the " + std::string(option));
  for (const char* key : {"labels", "annotations"})  // those of muster, by which its parts find each other
    if (const Node* there = pod.get("metadata") != nullptr ? pod.get("metadata")->get(key) : nullptr) {
      Node& into = at(at(out, "metadata"), key);
      for (const data::Member& member : there->members)
        if (into.get(member.key) == nullptr) put(into, member.key, member.value);
    }
  return out;
}

}  // namespace muster::targets::kubernetes
