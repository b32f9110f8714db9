#include "why/decide/creation.h"

#include <string>
#include <utility>

#include "why/decide/refusals.h"

namespace muster::why {

void add_creation(std::string_view text, Place place, Case& out) {
  add_messages("create", text, place, out);
  const Known* account = out.find("create.service-account.account");
  const std::string value = account == nullptr ? std::string() : account->value;
  const std::size_t slash = value.find('/');
  if (slash == std::string::npos) return;
  out.set("service-account.namespace", value.substr(0, slash), place);
  out.set("service-account.name", value.substr(slash + 1), place);
}

std::vector<Subject> refused_objects(const Facts& facts) {
  std::vector<Subject> out;
  for (const Refusal& refusal : refusals_of(facts, true)) {
    Subject subject{refusal.id, "kubernetes", "refused", {}};
    for (const Object* line : refusal.lines) {
      Case here;
      const std::string text(line->get("text"));
      const bool open = line->find("at-edge") != nullptr || is_cut(text);
      add_creation(text, line->place, here);
      if (open && here.all().empty()) add_creation(text + std::string(cut), line->place, here);
      for (const auto& [key, known] : here.all()) subject.facts.offer(key, known.value, known.place);
      // What is behind may have been the reason.
      if (open) subject.facts.set("create.cut", "1", line->place);
    }
    out.push_back(std::move(subject));
  }
  return out;
}

}  // namespace muster::why
