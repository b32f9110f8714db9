#include "rules/profile_data.h"

#include <string>
#include <vector>

namespace muster::rules::data {
namespace {

template <class T>
std::span<const T> part(std::span<const T> all, Range range) {
  return all.subspan(range.first, range.count);
}

template <class To, class From, class Convert>
std::vector<To> convert_all(std::span<const From> from, Convert convert) {
  std::vector<To> out;
  out.reserve(from.size());
  for (const From& item : from) out.push_back(convert(item));
  return out;
}

model::FactValue value_of(const Value& value) {
  switch (value.type) {
    case model::FactType::boolean: return value.number != 0;
    case model::FactType::integer: return value.number;
    case model::FactType::symbol: break;
  }
  return std::string(value.text);
}

std::optional<std::int64_t> bound_of(const Bound& bound) {
  return bound.set ? std::optional(bound.value) : std::nullopt;
}

// Turns ranges into vectors; borrows the arrays.
class Builder {
 public:
  explicit Builder(const Policy& data) : data_(data) {}

  model::Policy build() const {
    model::Policy policy;
    policy.name = data_.name;
    policy.version = data_.version;
    policy.known_digest = data_.digest;
    policy.locked = data_.locked;
    policy.layers = {policy.name};
    policy.facts = convert_all<model::FactDeclaration>(data_.facts, [this](const Fact& f) { return fact(f); });
    policy.thresholds =
        convert_all<model::Threshold>(data_.thresholds, [this](const Threshold& t) { return threshold(t); });
    policy.tables = convert_all<model::Table>(data_.tables, [this](const Table& t) { return table(t); });
    policy.invariants =
        convert_all<model::Invariant>(data_.invariants, [this](const Invariant& i) { return invariant(i); });
    policy.addons = convert_all<model::Addon>(data_.addons, [this](const Addon& a) { return addon(a); });
    return policy;
  }

 private:
  std::vector<std::string> words(Range range) const {
    return convert_all<std::string>(part(data_.words, range), [](std::string_view w) { return std::string(w); });
  }

  model::FactDeclaration fact(const Fact& fact) const {
    model::FactDeclaration out;
    out.name = fact.name;
    out.type = fact.type;
    out.values = words(fact.words);
    out.min = bound_of(fact.min);
    out.max = bound_of(fact.max);
    if (fact.fallback.count > 0) out.fallback = value_of(data_.values[fact.fallback.first]);
    out.default_from = fact.default_from;
    out.unread = fact.unread;
    return out;
  }

  model::Threshold threshold(const Threshold& threshold) const {
    return {std::string(threshold.name),
            value_of(threshold.value),
            words(threshold.words),
            bound_of(threshold.min),
            bound_of(threshold.max),
            std::string(threshold.source),
            {},
            std::string(data_.name)};
  }

  model::Term term(const Term& term) const {
    return {
        std::string(term.fact), term.compare, convert_all<model::FactValue>(part(data_.values, term.values), value_of),
        std::string(term.text), {},           words(term.thresholds)};
  }

  std::vector<model::Term> terms(Range range) const {
    return convert_all<model::Term>(part(data_.terms, range), [this](const Term& t) { return term(t); });
  }

  model::Row row(const Row& row) const {
    const auto assignment = [](const Assignment& set) {
      return model::Assignment{std::string(set.output), value_of(set.value), set.prepend, std::string(set.threshold)};
    };
    return {std::string(row.id),
            std::string(row.reason),
            std::string(row.cite),
            terms(row.when),
            convert_all<model::Assignment>(part(data_.assignments, row.sets), assignment),
            {},
            row.locked,
            std::string(data_.name)};
  }

  model::Table table(const Table& table) const {
    return {std::string(table.name),
            table.hit,
            convert_all<model::Row>(part(data_.rows, table.rows), [this](const Row& r) { return row(r); }),
            {}};
  }

  model::Invariant invariant(const Invariant& invariant) const {
    return {std::string(invariant.id),   invariant.locked,
            terms(invariant.when),       term(invariant.then),
            std::string(invariant.text), {},
            std::string(data_.name)};
  }

  model::Addon addon(const Addon& addon) const {
    return {std::string(addon.name),     words(addon.satisfies),    std::string(addon.needs),
            std::string(addon.versions), std::string(addon.source), {}};
  }

  const Policy& data_;
};

}  // namespace

model::Policy build(const Policy& data) { return Builder(data).build(); }

}  // namespace muster::rules::data
