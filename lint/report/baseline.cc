#include "lint/report/baseline.h"

#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "lint/proposed.h"
#include "lint/report/common.h"

namespace muster::lint {
namespace {

constexpr std::string_view schema = "muster.baseline/v1";

bool in_baseline(const Result& r) {
  return r.state != State::suppressed && r.finding.verdict == Verdict::wrong && !r.finding.fault;
}

// Why an entry is none: "" where it is one. Of a rule that does not exist it would hide nothing, in silence.
std::string fault_of(const Json& entry) {
  if (!entry.is_string()) return "an entry of `findings` is not a string";
  const std::string& key = entry.get_ref<const std::string&>();
  const std::string id = key.substr(0, key.find('|'));
  if (find_rule(id) != nullptr || find_code(id) != nullptr) return {};
  const std::string nearest = nearest_rule(id);
  return "unknown rule `" + printable(id, 40) + "`" + (nearest.empty() ? "" : "; did you mean `" + nearest + "`?");
}

}  // namespace

std::optional<std::vector<std::string>> read_baseline(std::string_view text, std::string& why) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) why = "it is not a JSON object";
  else if (!json.contains("schema") || json["schema"] != schema)
    why = "its `schema` is not `" + std::string(schema) + "`";
  else if (!json.contains("findings") || !json["findings"].is_array()) why = "it does not have a list `findings`";
  if (!why.empty()) return std::nullopt;
  std::vector<std::string> keys;
  for (const Json& key : json["findings"]) {
    why = fault_of(key);
    if (!why.empty()) return std::nullopt;
    keys.push_back(key.get<std::string>());
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

void mark_known(std::vector<Result>& results, const std::vector<std::string>& baseline) {
  for (Result& r : results)
    if (r.state == State::open && in_baseline(r) && std::binary_search(baseline.begin(), baseline.end(), r.key))
      r.state = State::known;
}

void propose_baseline(const std::vector<std::string>& keys, const std::string& baseline, Outcome& outcome) {
  for (Result& r : outcome.results)
    if (in_baseline(r) && std::binary_search(keys.begin(), keys.end(), r.key))
      propose(r, "it is in `" + baseline + "`");
  for (const std::string& key : keys)
    outcome.added.push_back({AddedKind::baseline, key.substr(0, key.find('|')), baseline, 0, "", key});
  sort_added(outcome.added);
}

std::string file_of(std::string_view key) {
  std::string out;
  const std::size_t bar = std::min(key.find('|'), key.size());
  for (std::size_t i = bar + 1; i < key.size() && key[i] != '|'; ++i) {
    if (key[i] == '\\' && i + 3 < key.size() && key[i + 1] == 'x') {
      out += static_cast<char>(std::stoi("0" + std::string(key.substr(i + 2, 2)), nullptr, 16));
      i += 3;
    } else {
      if (key[i] == '\\' && i + 1 < key.size()) ++i;
      out += key[i];
    }
  }
  return out;
}

Leftover compare(const Outcome& outcome, const std::vector<std::string>& baseline,
                 const std::function<bool(const std::string&)>& exists) {
  std::set<std::string> found;
  for (const Result& r : outcome.results) found.insert(r.key);
  std::set<std::string> read(outcome.files.begin(), outcome.files.end());
  for (const std::string& file : outcome.left_out) read.erase(file);
  Leftover out;
  for (const std::string& key : baseline) {
    if (found.count(key) > 0) continue;
    const std::string file = file_of(key);
    const bool kept = read.count(file) == 0 && exists(file);
    (kept ? out.kept : out.stale).push_back(key);
  }
  return out;
}

std::string write_baseline(const Outcome& outcome, const std::vector<std::string>& kept) {
  std::vector<std::string> keys = kept;
  for (const Result& r : outcome.results)
    if (in_baseline(r)) keys.push_back(r.key);
  std::sort(keys.begin(), keys.end());
  return dump({{"schema", schema}, {"findings", keys}});
}

}  // namespace muster::lint
