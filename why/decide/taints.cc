#include "why/decide/taints.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "compiler/base/text.h"
#include "why/decide/pods.h"

namespace muster::why {
namespace {

// "gpu=present:NoSchedule", "gpu:NoSchedule", "gpu=present".
Taint parted(std::string_view text) {
  Taint out;
  text = trimmed(text);
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    out.effect = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  const std::size_t equals = text.find('=');
  out.key = text.substr(0, equals);
  if (equals != std::string_view::npos) out.value = text.substr(equals + 1);
  return out;
}

// "gpu:NoSchedule op=Exists for 300s".
Toleration described(std::string_view text) {
  Toleration out;
  for (const std::string_view word : split(text, ' ')) {
    if (word == "op=Exists") out.any_value = true;
    if (word.empty() || word.starts_with("op=") || word == "for" || is_digit(word[0])) continue;
    const Taint part = parted(word);
    out.key = part.key, out.value = part.value, out.effect = part.effect;
  }
  return out;
}

// Values of the fields of each item of a list: {"key": …, "effect": …}.
std::vector<std::map<std::string, std::string, std::less<>>> items_of(const Object& object, std::string_view list) {
  std::map<std::uint32_t, std::map<std::string, std::string, std::less<>>> items;
  for (const Field& field : object.fields)
    if (const std::size_t at = field.key.rfind(list); at != std::string::npos)
      items[field.item][field.key.substr(at + list.size())] = field.value;
  std::vector<std::map<std::string, std::string, std::less<>>> out;
  for (auto& [number, item] : items) out.push_back(std::move(item));
  return out;
}

bool is_for(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (toleration.key.empty()) return toleration.any_value;
  return toleration.key == taint.key && (toleration.any_value || toleration.value == taint.value);
}

}  // namespace

std::vector<Taint> taints_of(const Object& node) {
  std::vector<Taint> out;
  for (const Field* text : node.all("taints"))
    if (text->value != "<none>") out.push_back(parted(text->value));
  for (auto& item : items_of(node, "spec.taints.")) out.push_back({item["key"], item["value"], item["effect"]});
  std::erase_if(out, [](const Taint& taint) { return taint.effect == "PreferNoSchedule"; });
  return out;
}

std::vector<Toleration> tolerations_of(const Object& object) {
  std::vector<Toleration> out;
  for (const Field& field : object.fields)
    if (field.key == "tolerations" || field.key.ends_with(".tolerations")) out.push_back(described(field.value));
  for (auto& item : items_of(object, "pec.tolerations."))
    out.push_back({item["key"], item["value"], item["effect"], item["operator"] == "Exists"});
  return out;
}

bool keeps_away(const Object& node, const std::vector<Toleration>& tolerations) {
  const std::vector<Taint> taints = taints_of(node);
  return std::any_of(taints.begin(), taints.end(), [&](const Taint& taint) {
    return std::none_of(tolerations.begin(), tolerations.end(),
                        [&](const Toleration& one) { return is_for(one, taint); });
  });
}

std::vector<std::string> selectors_of(const Object& object) {
  std::vector<std::string> out;
  for (const Field& field : object.fields) {
    constexpr std::string_view yaml = "pec.nodeSelector.";
    if (const std::size_t at = field.key.rfind(yaml); at != std::string::npos)
      out.push_back(field.key.substr(at + yaml.size()) + "=" + field.value);
    else if (field.key.ends_with("node-Selectors") && field.value != "<none>") out.push_back(field.value);
  }
  return out;
}

bool has_labels(const Object& node, const std::vector<std::string>& selectors) {
  return std::all_of(selectors.begin(), selectors.end(), [&](const std::string& selector) {
    const std::size_t equals = selector.find('=');
    const std::string value = equals == std::string::npos ? std::string() : selector.substr(equals + 1);
    return std::any_of(node.fields.begin(), node.fields.end(), [&](const Field& field) {
      return (field.key == "labels" && field.value == selector) ||
             (field.key == "metadata.labels." + selector.substr(0, equals) && field.value == value);
    });
  });
}

const Object* shown_pod(const Facts& facts, const std::set<std::string>& focus) {
  const Object* job = nullptr;
  for (const Object& object : facts.objects) {
    if (object.kind != Kind::object) continue;
    const bool wanted = focus.empty() || focus.contains(set_of(object.name)) || focus.contains(object.name);
    // What a person pasted in part may lack them; the manifest of a person has all that it has.
    if (!wanted || object.type == "node" || (tolerations_of(object).empty() && object.get("from-file").empty()))
      continue;
    if (object.type == "pod") return &object;
    job = &object;
  }
  return job;
}

}  // namespace muster::why
