#include <algorithm>
#include <cctype>

#include "tests/loss/reader.h"

namespace muster::loss {
namespace {

// What follows a quote up to the next one; `at` moves behind it.
std::string quoted(std::string_view text, std::size_t& at) {
  const char quote = text[at++];
  std::string out;
  for (; at < text.size() && text[at] != quote; ++at) {
    const bool escape = quote == '"' && text[at] == '\\' && at + 1 < text.size();
    if (escape && std::string_view("\"\\$`").find(text[at + 1]) != std::string_view::npos) ++at;
    out += text[at];
  }
  ++at;
  return out;
}

}  // namespace

std::vector<std::string> shell_words(std::string_view text) {
  constexpr std::string_view ends = " \t\n;&|()<>";
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    if (ends.find(text[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    if (text[at] == '#') {  // a comment, whose apostrophes quote nothing
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    std::string word;
    while (at < text.size() && ends.find(text[at]) == std::string_view::npos) {
      if (text[at] == '\'' || text[at] == '"') {
        word += quoted(text, at);
      } else if (text[at] == '\\' && at + 1 < text.size()) {
        if (text[at + 1] != '\n') word += text[at + 1];
        at += 2;
      } else {
        word += text[at++];
      }
    }
    out.push_back(word);
  }
  return out;
}

// Whether a word is what was written, with any text where a run reference `${…}` is.
bool is_filled_in(std::string_view word, std::string_view written) {
  const std::size_t hole = written.find("${"), end = written.find('}', hole);
  if (hole == written.npos || end == written.npos) return word == written;
  if (!word.starts_with(written.substr(0, hole))) return false;
  for (std::size_t at = hole; at <= word.size(); ++at)
    if (is_filled_in(word.substr(at), written.substr(end + 1))) return true;
  return false;
}

bool in_a_row(const std::vector<std::string>& all, const std::vector<std::string>& words) {
  return !words.empty() && std::search(all.begin(), all.end(), words.begin(), words.end(), is_filled_in) != all.end();
}

std::string image_path(const Asked& asked) {
  std::string image = asked.role.image->value;
  for (const model::ImageName& named : asked.site.images)
    if (named.name == image) image = named.ref.value;
  const std::size_t slash = image.find('/');
  const bool host = slash != std::string::npos && image.substr(0, slash).find('.') != std::string::npos;
  return host ? image.substr(slash + 1) : image;
}

std::vector<std::string> values_of(const std::vector<model::Located<model::Text>>& items) {
  std::vector<std::string> out;
  for (const auto& item : items) out.push_back(model::spelling(item.value));
  return out;
}

std::vector<std::string> values_of(const std::vector<model::Located<std::string>>& items) {
  std::vector<std::string> out;
  for (const auto& item : items) out.push_back(item.value);
  return out;
}

// Kubernetes replaces $(NAME) of what it knows, and reads $$ as $.
std::string expanded(const std::string& value) {
  constexpr const char* name_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '$' && i + 1 < value.size() && value[i + 1] == '$') ++i;
    else if (value[i] == '$' && i + 1 < value.size() && value[i + 1] == '(') {
      const std::size_t end = value.find(')', i);
      const std::string name = end == value.npos ? " " : value.substr(i + 2, end - i - 2);
      if (!name.empty() && name.find_first_not_of(name_letters) == name.npos) return "<expanded>";
      if (end != value.npos) {
        out += value.substr(i, end - i);
        i = end;
      }
    }
    out += value[i];
  }
  return out;
}

// "96Gi", "1500M" or plain bytes.
std::int64_t bytes_of(const std::string& quantity) {
  std::size_t used = 0;
  const std::int64_t number = quantity.empty() ? 0 : std::stoll(quantity, &used);
  const std::string unit = quantity.substr(std::min(used, quantity.size()));
  std::int64_t factor = 1;
  for (const char letter : std::string_view("kMGTPE")) {
    factor *= unit.ends_with('i') ? 1024 : 1000;
    if (!unit.empty() && std::toupper(static_cast<unsigned char>(unit[0])) == std::toupper(letter))
      return number * factor;
  }
  return number;
}

}  // namespace muster::loss
