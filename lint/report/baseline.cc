#include "lint/report/baseline.h"

#include <algorithm>
#include <set>

#include "compiler/base/sha256.h"
#include "compiler/base/text.h"
#include "lint/proposed.h"
#include "lint/report/common.h"

namespace muster::lint {
namespace {

constexpr std::string_view schema = "muster.baseline/v1";

bool in_baseline(const Result& r) {
  return r.state != State::suppressed && r.finding.verdict == Verdict::wrong && !r.finding.fault;
}

// Why a key is not one of a finding; "" where it is. Of a rule that does not exist it would hide nothing, in silence.
std::string fault_of(std::string_view key) {
  const std::string_view id = key.substr(0, key.find('|'));
  if (find_rule(id) != nullptr || find_code(id) != nullptr) return {};
  const std::string nearest = nearest_rule(id);
  return "unknown rule `" + printable(id, 40) + "`" + (nearest.empty() ? "" : "; did you mean `" + nearest + "`?");
}

// Takes what a baseline has from the parser's events, so that a text costs no more than its keys.
class BaselineEvents : public nlohmann::json_sax<Json> {
 public:
  Baseline baseline{};
  std::string why{};

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool string(string_t& text) override {
    if (in_findings()) {
      why = fault_of(text);
      baseline.keys.push_back(std::move(text));
    } else if (depth_ == 1 && key_ == "schema") {
      has_schema_ = text == schema;
    } else if (depth_ == 1 && key_ == "salt") {
      baseline.salt = std::move(text);
    }
    return value(true);
  }
  bool start_object(std::size_t) override { return (depth_ == 0 || value()) && begin(); }
  bool end_object() override { return --depth_, true; }
  bool start_array(std::size_t) override {
    if (depth_ == 1 && key_ == "findings") has_findings_ = true;
    else if (!value()) return false;
    return begin();
  }
  bool end_array() override { return --depth_, true; }
  bool key(string_t& name) override {
    if (depth_ == 1) key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

  void conclude(bool whole) {
    if (!why.empty()) return;
    if (!whole) why = "it is not a JSON object";
    else if (!has_schema_) why = "its `schema` is not `" + std::string(schema) + "`";
    else if (!has_findings_) why = "it does not have a list `findings`";
  }

 private:
  static constexpr int deepest = 20;

  bool in_findings() const { return depth_ == 2 && key_ == "findings" && has_findings_; }
  bool begin() { return ++depth_ <= deepest; }
  bool value(bool text = false) {
    if (in_findings() && !text) why = "an entry of `findings` is not a string";
    return depth_ > 0 && why.empty();
  }

  int depth_ = 0;
  std::string key_{};  // of the object as a whole
  bool has_schema_ = false, has_findings_ = false;
};

bool holds(const Baseline& baseline, const std::string& key) {
  return std::binary_search(baseline.keys.begin(), baseline.keys.end(), key);
}

}  // namespace

std::optional<Baseline> read_baseline(std::string_view text, std::string& why) {
  BaselineEvents events;
  events.conclude(Json::sax_parse(text, &events));
  why = std::move(events.why);
  if (!why.empty()) return std::nullopt;
  std::sort(events.baseline.keys.begin(), events.baseline.keys.end());
  return std::move(events.baseline);
}

std::string key_in_baseline(const Result& result, std::string_view salt) {
  if (result.finding.secret.empty() || salt.empty()) return result.key;
  constexpr std::size_t digits = 8;
  const std::string digest = sha256(std::string(salt) + result.finding.secret).substr(0, digits);
  return result.key.substr(0, result.key.rfind('|') + 1) + "secret " + digest;
}

void mark_known(std::vector<Result>& results, const Baseline& baseline) {
  static const std::string old = "the baseline has this place but not which secret: write it with --update-baseline";
  for (Result& r : results) {
    if (r.state != State::open || !in_baseline(r)) continue;
    const bool by_place = holds(baseline, r.key), secret = !r.finding.secret.empty();
    if (secret ? !baseline.salt.empty() && holds(baseline, key_in_baseline(r, baseline.salt)) : by_place)
      r.state = State::known;
    else if (by_place && std::find(r.finding.notes.begin(), r.finding.notes.end(), old) == r.finding.notes.end())
      r.finding.notes.push_back(old);
  }
}

void propose_baseline(const Baseline& proposed, const std::string& name, Outcome& outcome) {
  for (Result& r : outcome.results)
    if (in_baseline(r) && holds(proposed, key_in_baseline(r, proposed.salt))) propose(r, "it is in `" + name + "`");
  for (const std::string& key : proposed.keys)
    outcome.added.push_back({AddedKind::baseline, key.substr(0, key.find('|')), name, 0, "", key});
  sort_added(outcome.added);
}

bool has_secrets(const Outcome& outcome) {
  return std::any_of(outcome.results.begin(), outcome.results.end(),
                     [](const Result& r) { return in_baseline(r) && !r.finding.secret.empty(); });
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

Leftover compare(const Outcome& outcome, const Baseline& baseline,
                 const std::function<bool(const std::string&)>& exists) {
  std::set<std::string> found;
  for (const Result& r : outcome.results) found.insert(key_in_baseline(r, baseline.salt));
  std::set<std::string> read(outcome.files.begin(), outcome.files.end());
  for (const std::string& file : outcome.left_out) read.erase(file);
  Leftover out;
  for (const std::string& key : baseline.keys) {
    if (found.count(key) > 0) continue;
    const std::string file = file_of(key);
    const bool kept = read.count(file) == 0 && exists(file);
    (kept ? out.kept : out.stale).push_back(key);
  }
  return out;
}

std::string write_baseline(const Outcome& outcome, const std::vector<std::string>& kept, const std::string& salt) {
  std::vector<std::string> keys = kept;
  for (const Result& r : outcome.results)
    if (in_baseline(r)) keys.push_back(key_in_baseline(r, salt));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());  // one secret at several places of one field
  Json out = {{"schema", schema}};
  if (!salt.empty()) out["salt"] = salt;
  out["findings"] = keys;
  return dump(out);
}

}  // namespace muster::lint
