#include "why/decide/case.h"

#include <array>
#include <utility>

#include "compiler/base/text.h"

namespace muster::why {
namespace {

std::optional<std::int64_t> number_of(std::string_view text) {
  if (text.starts_with("-")) return std::nullopt;
  return whole_number(text);
}

// One condition between two `&`.
Truth one(std::string_view atom, const Case& facts, Answer& out) {
  atom = trimmed(atom);
  if (atom.empty()) return Truth::yes;
  const auto lacks = [&](std::string_view key) {
    out.lacks.emplace_back(key);
    return Truth::unknown;
  };
  const auto read = [&](std::string_view key) -> const Known* {
    const Known* known = facts.find(key);
    if (known != nullptr) out.read.emplace_back(key);
    return known;
  };
  const auto truth = [](bool yes) { return yes ? Truth::yes : Truth::no; };
  if (atom[0] == '?') {
    const Known* known = facts.find(atom.substr(1));
    return truth(known == nullptr || known->value.empty());
  }
  if (atom[0] == '!') {
    const Known* known = read(atom.substr(1));
    return known == nullptr ? lacks(atom.substr(1)) : truth(known->value.empty());
  }
  const std::size_t at = atom.find_first_of("=!<>");
  if (at == std::string_view::npos) {
    const Known* known = read(atom);
    return known == nullptr ? lacks(atom) : truth(!known->value.empty());
  }
  const std::string_view key = atom.substr(0, at);
  const std::string_view sign = atom.substr(at, at + 1 < atom.size() && atom[at + 1] == '=' ? 2 : 1);
  const std::string_view right = atom.substr(at + sign.size());
  const Known* known = read(key);
  if (known == nullptr) return lacks(key);
  if (sign == "=" || sign == "!=") {
    bool among = false;
    for (const std::string_view value : split(right, '|')) {
      const auto a = number_of(known->value), b = number_of(value);
      among |= a && b ? *a == *b : known->value == value;
    }
    return truth(among == (sign == "="));
  }
  std::optional<std::int64_t> b = number_of(right);
  if (!b) {
    const Known* other = read(right);
    if (other == nullptr) return lacks(right);
    b = number_of(other->value);
  }
  const auto a = number_of(known->value);
  if (!a || !b) return Truth::no;
  if (sign == "<") return truth(*a < *b);
  if (sign == "<=") return truth(*a <= *b);
  if (sign == ">") return truth(*a > *b);
  return truth(*a >= *b);
}

Truth all_of(std::string_view conditions, const Case& facts, Answer& out) {
  Truth least = Truth::yes;
  for (const std::string_view atom : split(conditions, '&')) least = std::min(least, one(atom, facts, out));
  return least;
}

}  // namespace

void Case::set(std::string key, std::string value, Place place, std::string unit) {
  if (!is_cut(value)) facts_.insert_or_assign(std::move(key), Known{std::move(value), place, std::move(unit)});
}

void Case::set(std::string key, std::int64_t value, Place place, std::string unit) {
  set(std::move(key), std::to_string(value), place, std::move(unit));
}

void Case::offer(std::string key, std::string value, Place place) {
  if (!is_cut(value)) facts_.try_emplace(std::move(key), Known{std::move(value), place, {}});
}

void Case::forget(std::string_view key) {
  if (const auto found = facts_.find(key); found != facts_.end()) facts_.erase(found);
}

const Known* Case::find(std::string_view key) const {
  const auto found = facts_.find(key);
  return found == facts_.end() ? nullptr : &found->second;
}

std::string_view Case::get(std::string_view key) const {
  const Known* known = find(key);
  return known == nullptr ? std::string_view() : std::string_view(known->value);
}

std::optional<std::int64_t> Case::number(std::string_view key) const {
  const Known* known = find(key);
  return known == nullptr ? std::nullopt : number_of(known->value);
}

Answer answer(std::string_view condition, const Case& facts) {
  Answer out;
  const std::size_t semicolon = condition.find(';');
  Answer seen;
  out.seen = all_of(condition.substr(0, semicolon), facts, seen);
  out.read = std::move(seen.read);
  out.known = semicolon == std::string_view::npos ? Truth::yes : all_of(condition.substr(semicolon + 1), facts, out);
  return out;
}

std::optional<std::string> fill(std::string_view sentence, const Case& facts, std::vector<std::string>* read) {
  std::string out, part;
  std::vector<std::string> names, part_names;
  bool in_part = false, part_known = true;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    const char c = sentence[i];
    if (c == '[' && !in_part) {
      in_part = part_known = true;
      part.clear();
      part_names.clear();
    } else if (c == ']' && in_part) {
      if (part_known) {
        out += part;
        names.insert(names.end(), part_names.begin(), part_names.end());
      }
      in_part = false;
    } else if (c == '{' && i + 1 < sentence.size() && is_lower(sentence[i + 1])) {
      const std::size_t end = sentence.find('}', i);
      const std::string_view key = sentence.substr(i + 1, end - i - 1);
      const Known* known = facts.find(key);
      if (known == nullptr || known->value.empty()) {
        if (!in_part) return std::nullopt;
        part_known = false;
      } else {
        (in_part ? part : out) += known->value;
        (in_part ? part_names : names).emplace_back(key);
      }
      i = end;
    } else {
      (in_part ? part : out) += c;
    }
  }
  if (read != nullptr) read->insert(read->end(), names.begin(), names.end());
  return out;
}

}  // namespace muster::why
