#include <algorithm>

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

bool in_a_row(const std::vector<std::string>& all, const std::vector<std::string>& words) {
  return !words.empty() && std::search(all.begin(), all.end(), words.begin(), words.end()) != all.end();
}

std::string image_path(const Asked& asked) {
  std::string image = asked.role.image->value;
  for (const model::ImageName& named : asked.site.images)
    if (named.name == image) image = named.ref.value;
  const std::size_t slash = image.find('/');
  const bool host = slash != std::string::npos && image.substr(0, slash).find('.') != std::string::npos;
  return host ? image.substr(slash + 1) : image;
}

std::vector<std::string> values_of(const std::vector<model::Located<std::string>>& items) {
  std::vector<std::string> out;
  for (const auto& item : items) out.push_back(item.value);
  return out;
}

}  // namespace muster::loss
