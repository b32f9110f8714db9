#include "why/decide/pods.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "compiler/base/text.h"
#include "targets/kubernetes/read/pod.h"

namespace muster::why {
namespace {

// Seconds of "85s", "2m3s", "3h", "5s (x7 over 6s)".
std::optional<std::int64_t> age_of(std::string_view text) {
  std::int64_t out = 0;
  bool any = false;
  for (std::size_t i = 0; i < text.size() && text[i] != ' ';) {
    const Leading number = leading_number(text.substr(i));
    if (!number.any || number.value > 100'000'000) return std::nullopt;
    i += number.length;
    const char unit = i < text.size() ? text[i++] : 's';
    out += number.value * (unit == 'd' ? 86400 : unit == 'h' ? 3600 : unit == 'm' ? 60 : 1);
    any = true;
  }
  return any ? std::optional(out) : std::nullopt;
}

}  // namespace

bool is_as_new(const Object& a, const Object& b) {
  if (!a.get("time").empty() && !b.get("time").empty()) return a.get("time") >= b.get("time");
  const auto one = age_of(a.get("age")), other = age_of(b.get("age"));
  return !one || !other || *one <= *other;
}

std::string_view pod_of(const Object& event) {
  const std::string_view name = event.name;
  return name.starts_with("pod/") ? name.substr(4) : std::string_view();
}

std::string set_of(std::string_view name) {
  std::string out(name);
  for (int times = 0; times < 4; ++times) {
    const std::size_t dash = out.rfind('-');
    if (dash == std::string::npos || dash == 0) break;
    const std::string_view last = std::string_view(out).substr(dash + 1);
    const bool random = last.size() == 5 && std::none_of(last.begin(), last.end(), is_upper) &&
                        last.find_first_of("aeiou") == std::string_view::npos &&
                        last.find_first_not_of("bcdfghjklmnpqrstvwxz2456789") == std::string_view::npos;
    if (!random && !all_digits(last) && !is_one_of(last, {"worker", "workers", "master", "launcher", "head"})) break;
    out.resize(dash);
  }
  return out;
}

std::string accelerator_asked(const Facts& facts) {
  for (const Object& object : facts.objects) {
    if (object.kind != Kind::object || object.type == "node" || object.type == "clusterqueue") continue;
    for (const Field& field : object.fields)
      for (const std::string_view asks : {"imits.", "resourceRequests.resources."}) {
        const std::size_t at = field.key.rfind(asks);
        if (at == std::string::npos) continue;
        const std::string name = field.key.substr(at + asks.size());
        if (targets::kubernetes::is_accelerator(name)) return name;
      }
  }
  return {};
}

std::optional<Condition> condition_of(const Object& object, std::string_view type) {
  std::optional<Condition> out;
  for (const Field* field : object.all("status.conditions.type")) {
    if (field->value != type) continue;
    const auto text = [&](const char* key) {
      const Field* other = object.beside(*field, key);
      return other == nullptr ? std::string() : other->value;
    };
    const Field* message = object.beside(*field, "status.conditions.message");
    out = Condition{text("status.conditions.status"), text("status.conditions.reason"),
                    text("status.conditions.message"), message != nullptr ? message->place : field->place};
  }
  return out;
}

}  // namespace muster::why
