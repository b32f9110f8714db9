#include "why/decide/creation.h"

#include <string>
#include <utility>

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

std::optional<Subject> refusal_of(const Facts& facts) {
  Subject out{"", "kubernetes", "refused", {}};
  bool any = false;
  for (const Object* refused : facts.of(Kind::refused)) {
    if (refused->type != "kubectl") continue;
    any = true;
    const std::string_view text = refused->get("text");
    add_creation(text, refused->place, out.facts);
    // As wide as a terminal: what is behind may have been the reason.
    if (text.size() == 79 || text.size() == 80) out.facts.set("create.cut", "1", refused->place);
  }
  return any ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace muster::why
