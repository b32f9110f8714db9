#include "why/report/edit.h"

#include <array>

#include "compiler/base/text.h"

namespace muster::why {
namespace {

// The options of sbatch in which a key of a case may be written, the likeliest first.
struct Spelling {
  std::string_view key, option;
};
constexpr std::array spellings = {Spelling{"gpus-node", "gpus-per-node"}, Spelling{"gpus-node", "gres"},
                                  Spelling{"gpu-type", "gpus-per-node"}, Spelling{"gpu-type", "gres"},
                                  Spelling{"cpus-node", "cpus-per-task"}};

const Field* written(const Object& script, std::string_view key) {
  for (const Spelling& one : spellings)
    if (one.key == key)
      if (const Field* field = script.find(one.option)) return field;
  return script.find(key);
}

// "gpu:h100:8" with another number, or another type.
std::string gpus_with(std::string value, std::string_view key, const std::string& to) {
  const std::size_t colon = value.rfind(':');
  if (key == "gpus-node") return colon == std::string::npos ? to : value.substr(0, colon + 1) + to;
  if (colon == std::string::npos) return {};
  const std::size_t before = value.rfind(':', colon - 1);
  return (before == std::string::npos ? std::string() : value.substr(0, before + 1)) + to + value.substr(colon);
}

std::string value_for(const Field* field, const std::string& key, const std::string& value) {
  if (field != nullptr && (key == "gpus-node" || key == "gpu-type")) return gpus_with(field->value, key, value);
  if (key == "mem") return value + "M";
  return value;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out = split(text, '\n');
  if (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

}  // namespace

std::optional<std::vector<LineChange>> changes_of(std::string_view text, const Object& script, const Changes& changes) {
  const std::vector<std::string_view> lines = lines_of(text);
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < lines.size(); ++i)
    if (lines[i].starts_with("#SBATCH")) last = i + 1;
  if (last == 0) return std::nullopt;
  std::vector<LineChange> out;
  for (const auto& [key, value] : changes) {
    const Field* field = written(script, key);
    if (field == nullptr) {
      if (value.empty() || key == "cpus-node" || key == "gpus-node" || key == "gpu-type") return std::nullopt;
      out.push_back({{}, "#SBATCH --" + key + "=" + value_for(nullptr, key, value), last});
      continue;
    }
    if (field->place.line == 0 || field->place.line > lines.size()) return std::nullopt;
    const std::string_view line = lines[field->place.line - 1];
    // Another option on the same line would be lost.
    for (const Field& other : script.fields)
      if (&other != field && other.place.line == field->place.line &&
          !is_one_of(other.key, {"dos-lines", "unknown-option"}))
        return std::nullopt;
    const std::string to = value_for(field, key, value);
    if (!value.empty() && to.empty()) return std::nullopt;
    out.push_back(
        {std::string(line), value.empty() ? std::string() : "#SBATCH --" + field->key + "=" + to, field->place.line});
  }
  return out;
}

std::string with_changes(std::string_view text, const std::vector<LineChange>& changes) {
  std::string out;
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    bool replaced = false;
    for (const LineChange& change : changes)
      if (!change.from.empty() && change.line == i + 1) {
        if (!change.to.empty()) out += change.to + "\n";
        replaced = true;
      }
    if (!replaced) out += std::string(lines[i]) + "\n";
    for (const LineChange& change : changes)
      if (change.from.empty() && change.line == i + 1) out += change.to + "\n";
  }
  return out;
}

}  // namespace muster::why
