#include "plan/decide/stated_facts.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "compiler/base/text.h"

namespace muster::plan {
namespace {

using model::FactDeclaration;
using model::FactType;
using model::FactValue;

std::string with_dashes(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

class Reader {
 public:
  Reader(std::span<const FactDeclaration> declared, Diagnostics& diagnostics)
      : declared_(declared), diagnostics_(diagnostics) {}

  // `--fact NAME=TEXT`.
  void from_command_line(std::string_view written, std::string_view text) {
    const std::string option = "--fact " + std::string(written) + "=" + std::string(text);
    const FactDeclaration* fact = find(written, {});
    if (fact == nullptr) return;
    const std::optional<FactValue> value = parse(*fact, text);
    if (!value || !allowed(*fact, *value)) return refuse(*fact, text, {});
    keep({fact->name, *value, FactSource::command_line, {}, option});
  }

  void from_file(std::string_view written, const model::Located<FactValue>& value, FactSource source,
                 std::string reason) {
    const FactDeclaration* fact = find(written, value.span);
    if (fact == nullptr) return;
    if (!allowed(*fact, value.value)) return refuse(*fact, model::to_string(value.value), value.span);
    keep({fact->name, value.value, source, value.span, std::move(reason)});
  }

  std::vector<Fact> take() { return std::move(facts_); }

 private:
  const FactDeclaration* find(std::string_view written, Span span) {
    const std::string name = with_dashes(written);
    std::vector<std::string_view> known;
    for (auto list : {declared_, own_facts()})
      for (const FactDeclaration& fact : list) {
        if (with_dashes(fact.name) == name) return &fact;
        known.push_back(fact.name);
      }
    Diagnostic& d = diagnostics_.add(Code::bad_fact, span, "unknown fact `" + name + "`");
    if (const std::string near = closest(name, known); !near.empty()) d.notes.push_back("did you mean `" + near + "`?");
    else {
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
      d.notes.push_back("facts are " + quoted_list(known));
    }
    return nullptr;
  }

  static std::optional<FactValue> parse(const FactDeclaration& fact, std::string_view text) {
    switch (fact.type) {
      case FactType::boolean:
        if (text == "true") return FactValue(true);
        if (text == "false") return FactValue(false);
        return std::nullopt;
      case FactType::integer: {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
        return FactValue(number);
      }
      case FactType::symbol: return FactValue(std::string(text));
    }
    return std::nullopt;
  }

  static bool allowed(const FactDeclaration& fact, const FactValue& value) {
    switch (fact.type) {
      case FactType::boolean: return std::holds_alternative<bool>(value);
      case FactType::integer: {
        const auto* n = std::get_if<std::int64_t>(&value);
        return n != nullptr && (!fact.min || *n >= *fact.min) && (!fact.max || *n <= *fact.max);
      }
      case FactType::symbol: {
        const auto* s = std::get_if<std::string>(&value);
        return s != nullptr &&
               (fact.values.empty() || std::find(fact.values.begin(), fact.values.end(), *s) != fact.values.end());
      }
    }
    return false;
  }

  void refuse(const FactDeclaration& fact, std::string_view text, Span span) {
    std::vector<std::string_view> values;
    std::string takes;
    if (fact.type == FactType::integer) {
      takes = "a whole number";
      if (fact.min && fact.max) takes += " from " + std::to_string(*fact.min) + " to " + std::to_string(*fact.max);
      else if (fact.min) takes += ", " + std::to_string(*fact.min) + " or more";
      else if (fact.max) takes += ", " + std::to_string(*fact.max) + " or less";
    } else {
      if (fact.type == FactType::boolean) values = {"true", "false"};
      else values.assign(fact.values.begin(), fact.values.end());
      takes = values.empty() ? "a word" : quoted_list(values, "or");
    }
    Diagnostic& d = diagnostics_.add(
        Code::bad_fact, span, "fact `" + fact.name + "` cannot be `" + std::string(text) + "`; it takes " + takes);
    if (const std::string near = closest(text, values); !near.empty())
      d.notes.push_back("did you mean `" + near + "`?");
  }

  // Statements come strongest first, so the first of a name is kept.
  void keep(Fact fact) {
    const auto same = [&](const Fact& f) { return f.name == fact.name; };
    if (std::none_of(facts_.begin(), facts_.end(), same)) facts_.push_back(std::move(fact));
  }

  std::span<const FactDeclaration> declared_;
  Diagnostics& diagnostics_;
  std::vector<Fact> facts_;
};

FactDeclaration number(std::string name) {
  FactDeclaration fact{.name = std::move(name),
                       .type = FactType::integer,
                       .values = {},
                       .min = 0,
                       .max = {},
                       .fallback = {},
                       .default_from = {},
                       .span = {}};
  return fact;
}

FactDeclaration flag(std::string name) {
  return {.name = std::move(name),
          .type = FactType::boolean,
          .values = {},
          .min = {},
          .max = {},
          .fallback = {},
          .default_from = {},
          .span = {}};
}

FactDeclaration symbol(std::string name, std::vector<std::string> values) {
  return {.name = std::move(name),
          .type = FactType::symbol,
          .values = std::move(values),
          .min = {},
          .max = {},
          .fallback = {},
          .default_from = {},
          .span = {}};
}

}  // namespace

std::span<const FactDeclaration> own_facts() {
  static const std::vector<FactDeclaration> facts = {
      symbol("kind", {"train", "serve", "batch", "sweep", "rl", "mpi", "dev"}),
      number("nodes"),
      number("workers"),
      flag("tightly-coupled"),
      flag("bare-metal"),
      flag("long-lived-services"),
      flag("multi-tenant"),
      flag("python-native-pipeline"),
      flag("edge-or-dev"),
      number("fleet-nodes"),
      symbol("existing", {"unknown", "none", "slurm", "kubernetes", "both"}),
      flag("pool-fabric"),
      flag("spans-nvlink-domain"),
      symbol("pool-arch", {"amd64", "arm64"}),
  };
  return facts;
}

std::vector<Fact> stated_facts(const FactRequest& request, Diagnostics& diagnostics) {
  Reader reader(request.declared, diagnostics);
  // The last --fact of a name wins, so they are read from the end.
  for (auto o = request.overrides.rbegin(); o != request.overrides.rend(); ++o)
    reader.from_command_line(o->first, o->second);
  if (request.workload != nullptr)
    for (const auto& [name, value] : request.workload->facts)
      reader.from_file(name, value, FactSource::workload, "facts of workload " + request.workload->name);
  if (request.site != nullptr && request.site_given)
    for (const auto& [name, value] : request.site->facts)
      reader.from_file(name, value, FactSource::site, "facts of site " + request.site->name);
  return reader.take();
}

}  // namespace muster::plan
