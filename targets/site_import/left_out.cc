#include "targets/site_import/left_out.h"

#include <algorithm>
#include <iterator>

#include "compiler/base/text.h"

namespace muster::targets {
namespace {

constexpr std::size_t most_shown = 3;
// Sentences about one kind of record: real clusters have fewer.
constexpr std::size_t most_sentences = 40;

std::string plural_of(const std::string& noun) { return noun.ends_with("S") ? noun : plural(noun, 2); }

}  // namespace

void LeftOut::add(std::string_view noun, const std::string& name, std::vector<std::string> keys) {
  if (keys.empty()) return;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const bool one = keys.size() == 1;
  say(noun, name, printable(listed(keys, "and"), 600) + (one ? " was" : " were") + " not imported");
}

void LeftOut::say(std::string_view noun, const std::string& name, const std::string& sentence) {
  std::pair<std::string, std::string> key{noun, sentence};
  if (!records_.contains(key) && ++sentences_[key.first] > most_sentences)
    key.second = "other settings of them were not imported";
  Records& records = records_[std::move(key)];
  ++records.count;
  records.shown.insert(printable(name, 60));
  if (records.shown.size() > most_shown) records.shown.erase(std::prev(records.shown.end()));
}

std::vector<std::string> LeftOut::remarks() const {
  std::vector<std::string> out;
  for (const auto& [key, records] : records_) {
    const std::vector<std::string> shown(records.shown.begin(), records.shown.end());
    const std::size_t more = records.count - shown.size();
    const std::string names =
        more > 0 ? joined(shown) + " and " + std::to_string(more) + " more" : listed(shown, "and");
    out.push_back((records.count == 1 ? key.first : plural_of(key.first)) + " " + names + ": " + key.second);
  }
  return out;
}

}  // namespace muster::targets
