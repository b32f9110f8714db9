// What people read is plain English: the tables of texts, the string literals of the program and the documentation
// contain none of the phrases below, and no reference that a reader cannot open.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.h"
#include "tests/places.h"
#include "tests/unit/site_file.h"

namespace words_test {

namespace fs = std::filesystem;

namespace {

const fs::path root = muster::tests::source_folder();

struct Phrase {
  std::string_view text;                  // in lower case
  std::vector<std::string_view> allowed;  // what may follow it
};

const std::vector<Phrase>& phrases() {
  static const std::vector<Phrase> list = {
      {"nobody", {}},          {"somebody", {}},     {"hears", {}},
      {"wishes", {}},          {"told", {}},         {"said", {}},
      {"stands", {}},          {"that is none", {}}, {"has it not", {}},
      {"has not", {" been"}},  {"comes to", {}},     {"for ever", {}},
      {"the whole of", {}},    {"a word for", {}},   {"no word", {}},
      {"without a word", {}},  {"words for", {}},    {"words of", {}},
      {"own words", {}},       {"signs", {}},        {"is no", {" longer"}},
      {"source document", {}}, {"labeller", {}},     {"decision guide", {}},
  };
  return list;
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// `there is no` is English; an inner reference is `SI-` and a digit.
std::vector<std::string> found_in(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  std::vector<std::string> out;
  const auto each = [&](std::string_view phrase, const auto& counts) {
    for (std::size_t at = text.find(phrase); at != std::string::npos; at = text.find(phrase, at + 1)) {
      const std::string_view after = std::string_view(text).substr(at + phrase.size());
      if ((at > 0 && in_word(text[at - 1])) || !counts(at, after)) continue;
      const std::size_t from = at < 30 ? 0 : at - 30;
      out.push_back("`" + std::string(phrase) + "` in: " + text.substr(from, phrase.size() + 60));
    }
  };
  for (const Phrase& phrase : phrases())
    each(phrase.text, [&](std::size_t at, std::string_view after) {
      if (!after.empty() && in_word(after.front())) return false;
      if (phrase.text == "is no" && at >= 6 && text.compare(at - 6, 6, "there ") == 0) return false;
      return std::none_of(phrase.allowed.begin(), phrase.allowed.end(),
                          [&](std::string_view next) { return after.starts_with(next); });
    });
  each("si-", [](std::size_t, std::string_view after) {
    return !after.empty() && std::isdigit(static_cast<unsigned char>(after.front())) != 0;
  });
  return out;
}

// The contents of the string literals of a source, one a line; literals with nothing but white space between them are
// one.
std::string literals(const std::string& source) {
  std::string out;
  bool adjacent = false;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source.compare(i, 2, "//") == 0) {
      i = std::min(source.find('\n', i), source.size());
    } else if (source.compare(i, 2, "/*") == 0) {
      i = std::min(source.find("*/", i + 2), source.size() - 2) + 1;
    } else if (source.compare(i, 2, "R\"") == 0 && (i == 0 || !in_word(source[i - 1]))) {
      const std::size_t open = source.find('(', i);
      const std::string close = ")" + source.substr(i + 2, open - i - 2) + "\"";
      const std::size_t end = source.find(close, open);
      out += (adjacent ? "" : "\n") + source.substr(open + 1, end - open - 1);
      i = end + close.size() - 1, adjacent = true;
    } else if (source[i] == '\'' && (i == 0 || !in_word(source[i - 1]))) {  // not 1'000
      for (++i; i < source.size() && source[i] != '\''; ++i) i += source[i] == '\\' ? 1 : 0;
      adjacent = false;
    } else if (source[i] == '"') {
      if (!adjacent) out += '\n';
      for (++i; i < source.size() && source[i] != '"'; ++i) {
        if (source[i] == '\\') ++i;
        out += source[i];
      }
      adjacent = true;
    } else if (std::isspace(static_cast<unsigned char>(source[i])) == 0) {
      adjacent = false;
    }
  }
  return out;
}

// What a person reads of a file.
std::string read_by_people(const fs::path& file) {
  const std::string text = muster::file_text(file);
  const std::string kind = file.extension().string();
  return kind == ".cc" || kind == ".h" || kind == ".def" ? literals(text) : text;
}

std::vector<fs::path> files() {
  std::vector<fs::path> out = {root / "README.md", root / "CONTRIBUTING.md"};
  const std::set<std::string> kinds = {".cc", ".h", ".def", ".md", ".muster", ".json"};
  for (const char* room :
       {"cli", "compiler", "docs", "driver", "lint", "plan", "review", "rules", "scheduler", "targets", "why"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / room))
      if (entry.is_regular_file() && kinds.contains(entry.path().extension().string())) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("no text that people read has a phrase that is not plain English", "[words]") {
  std::size_t read = 0;
  for (const fs::path& file : files()) {
    INFO(file.lexically_relative(root).generic_string());
    CHECK(found_in(read_by_people(file)) == std::vector<std::string>{});
    read += 1;
  }
  CHECK(read > 200);
}

TEST_CASE("the search for phrases reads literals and whole words only", "[words]") {
  CHECK(literals("f(\"a\" // \"b\"\n  \"c\", 'x', \"d\\\"e\");") == "\nac\nd\"e");
  CHECK(literals("R\"(it \"stands\")\"; 1'000 \"z\"") == "\nit \"stands\"\nz");
  CHECK(found_in("It stands here.").size() == 1);
  CHECK(found_in("waits for ever").size() == 1);
  CHECK(found_in("for every standard, unsaid").empty());
  CHECK(found_in("a key that is no longer there: there is no such key; it has not been set").empty());
  CHECK(found_in("the site has not; that is no key").size() == 2);
  CHECK(found_in("see SI-41, mpsi-4, SI-unit").size() == 1);
}

}  // namespace words_test
