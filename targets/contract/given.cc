#include "targets/contract/given.h"

#include <algorithm>
#include <set>

#include "targets/contract/wanted.h"
#include "targets/lookup.h"
#include "targets/names_read.h"

namespace muster::targets::contract {
namespace {

class Reader {
 public:
  Reader(const plan::Plan& plan, const plan::RolePlan& shape)
      : role_(*shape.role), around_(texts_around(plan, shape)) {}

  std::vector<SystemRead> run() {
    if (role_.setup) read(role_.setup->value, role_.setup->span, model::Field::setup);
    if (role_.program) {
      if (const auto* script = std::get_if<model::Script>(&role_.program->value))
        read(*script, role_.program->span, model::Field::script);
      else
        for (const model::Text& word : std::get<model::Argv>(role_.program->value))
          read(word, role_.program->span, model::Field::command);
    }
    for (const auto& word : role_.args) read(word.value, word.span, model::Field::args);
    for (const model::EnvVar& variable : role_.env)
      read(variable.value, variable.span, {model::Field::env, variable.name});
    return std::move(out_);
  }

 private:
  void read(const model::Script& script, Span span, const FieldRef& field) {
    const std::string_view text = script.bytes;
    for (const NameRead& read : names_read(script)) {
      if (!is_of_system(read.name)) continue;
      const auto line = static_cast<std::size_t>(std::count(text.begin(), text.begin() + read.at, '\n')) + 1;
      const bool own = read.has_default || has_own(read.name) || sets_name(text, read.name, read.at);
      out_.push_back({read.name, span, field, line, own, read.printed});
    }
  }

  void read(const model::Text& text, Span span, const FieldRef& field) {
    for (const model::Reference& r : text.references)
      if (r.to == model::RefersTo::env && is_of_system(r.name) && r.name != field.detail)
        out_.push_back({r.name, span, field, 0, has_own(r.name), false});
  }

  bool has_own(std::string_view name) const {
    const auto named = [&](const auto& entry) { return entry.name == name; };
    const auto mentions = [&](std::string_view text) { return text.find(name) != std::string_view::npos; };
    const auto given = [&](const model::Secret& secret) { return secret.env && secret.env->value == name; };
    return std::any_of(role_.env.begin(), role_.env.end(), named) ||
           std::any_of(role_.secrets.begin(), role_.secrets.end(), given) ||
           std::any_of(around_.begin(), around_.end(), mentions);
  }

  const model::Role& role_;
  std::vector<std::string_view> around_;
  std::vector<SystemRead> out_;
};

}  // namespace

std::vector<SystemRead> names_of_systems(const plan::Plan& plan, const plan::RolePlan& shape) {
  return Reader(plan, shape).run();
}

// The lines of a text follow that in which it begins.
Span place_in(Span text, std::string_view word, std::size_t line, const Sources* sources) {
  if (sources == nullptr || !text.known()) return text;
  const std::string_view file = sources->text(text.file);
  std::size_t begin = text.begin;
  for (std::size_t i = 0; i < line && begin < file.size(); ++i)
    begin = std::min(file.find('\n', begin), file.size()) + 1;
  begin = std::min(begin, file.size());
  std::size_t at = file.find(word, begin);
  const bool there = at < file.find('\n', begin);
  if (!there) at = file.find(word, text.begin);
  if (at == std::string_view::npos) return text;
  return {text.file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + word.size())};
}

void refuse_ungiven(Account& account, const std::vector<SystemRead>& reads,
                    const std::function<bool(std::string_view)>& gives, std::string_view where,
                    const Sources* sources) {
  std::set<std::string_view> refused;
  for (const SystemRead& read : reads) {
    if (read.has_own || read.printed || gives(read.name) || !refused.insert(read.name).second) continue;
    const std::string name(read.name);
    const std::string what = read.line == 0 ? "`" + name + "` is read"
                                            : "line " + std::to_string(read.line) + " of the text reads `" + name + "`";
    account.refuse_at(place_in(read.span, read.name, read.line, sources), read.field,
                      what + ", which nothing sets on " + std::string(where),
                      "set it with `env { " + name + " = \"…\" }`, or write `${" + name + ":-…}` in the text");
  }
}

}  // namespace muster::targets::contract
