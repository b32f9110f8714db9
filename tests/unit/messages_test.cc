// A message of a diagnostic or a finding is one short sentence: without the names and numbers of the user it has fewer
// than 100 characters. What is longer belongs into a note or a help.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.h"
#include "tests/places.h"
#include "tests/unit/site_file.h"

namespace messages_test {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most = 99;
// Calls whose first argument with a text is a message: names, or beginnings of names.
constexpr std::string_view calls[] = {"add", "finding", "unclear", "wrong", "cannot_tell", "refuse", "bad"};

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Behind the string or character that begins at `at`.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at) at += text[at] == '\\' ? 1 : 0;
  return std::min(at + 1, text.size());
}

// Behind what begins at `at`: a literal, a comment, or one character.
std::size_t end_of_token(std::string_view text, std::size_t at) {
  if (text[at] == '"' || (text[at] == '\'' && (at == 0 || !in_word(text[at - 1])))) return end_of_literal(text, at);
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  return at + 1;
}

// The parts between the signs at the outermost level; behind the closing bracket of a call the text ends.
std::vector<std::string_view> split(std::string_view text, char sign) {
  std::vector<std::string_view> out;
  std::size_t begin = 0, at = 0;
  for (int depth = 0; at < text.size() && depth >= 0;) {
    const char c = text[at];
    const std::size_t end = end_of_token(text, at);
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    const bool scope = c == ':' && ((at > 0 && text[at - 1] == ':') || text.substr(end, 1) == ":");
    if (depth == 0 && c == sign && !scope) out.push_back(text.substr(begin, at - begin)), begin = end;
    if (depth >= 0) at = end;
  }
  out.push_back(text.substr(begin, at - begin));
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

// Of `a ? b : c` and of literals that are added: the characters of the longest way.
std::size_t longest(std::string_view text) {
  text = trim(text);
  if (const auto question = split(text, '?'); question.size() > 1) {
    std::size_t out = 0;
    for (std::size_t i = 1; i < question.size(); ++i)
      for (const std::string_view branch : split(question[i], ':')) out = std::max(out, longest(branch));
    return out;
  }
  if (const auto parts = split(text, '+'); parts.size() > 1) {
    std::size_t out = 0;
    for (const std::string_view part : parts) out += longest(part);
    return out;
  }
  if (text.starts_with('(') && text.ends_with(')')) return longest(text.substr(1, text.size() - 2));
  if (text.starts_with("std::string(") && text.ends_with(')')) return longest(text.substr(12, text.size() - 13));
  std::size_t out = 0;
  while (text.starts_with('"')) {
    const std::size_t end = end_of_literal(text, 0);
    for (std::size_t i = 1; i + 1 < end; ++i, ++out) i += text[i] == '\\' ? 1 : 0;
    text = trim(text.substr(end));
    if (text.starts_with("//")) text = trim(text.substr(end_of_token(text, 0)));
  }
  return text.empty() ? out : 0;  // a call of another function has a text of its own
}

struct Message {
  std::size_t at = 0;
  std::size_t length = 0;
};

std::vector<Message> messages(const std::string& source) {
  std::vector<Message> out;
  for (std::size_t at = 0; at < source.size(); at = end_of_token(source, at)) {
    if (source[at] != '(' || at == 0 || !in_word(source[at - 1])) continue;
    std::size_t begin = at;
    while (begin > 0 && in_word(source[begin - 1])) --begin;
    const std::string_view name = std::string_view(source).substr(begin, at - begin);
    const auto called = [&](std::string_view call) { return call == "add" ? name == call : name.starts_with(call); };
    if (std::none_of(std::begin(calls), std::end(calls), called)) continue;
    for (const std::string_view argument : split(std::string_view(source).substr(at + 1), ',')) {
      const std::size_t length = longest(argument);
      if (length > 0) {
        out.push_back({at, length});
        break;
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("no message has 100 characters without what the user wrote", "[words]") {
  const fs::path root = muster::tests::source_folder();
  std::vector<std::string> found;
  std::size_t read = 0;
  for (const char* room : {"cli", "compiler", "driver", "lint", "plan", "review", "rules", "targets"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / room)) {
      if (entry.path().extension() != ".cc") continue;
      const std::string source = muster::file_text(entry.path());
      for (const Message& message : messages(source)) {
        ++read;
        const auto line =
            std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(message.at), '\n') + 1;
        if (message.length > most)
          found.push_back(entry.path().lexically_relative(root).generic_string() + ":" + std::to_string(line) +
                          " has " + std::to_string(message.length));
      }
    }
  CHECK(found == std::vector<std::string>{});
  CHECK(read > 500);
}

TEST_CASE("the length of a message is that of its longest way", "[words]") {
  const auto length = [](const std::string& source) {
    const std::vector<Message> found = messages(source);
    return found.empty() ? 0 : found.front().length;
  };
  CHECK(length("add(Code::x, a.span, \"1234\" + name + \"56\");") == 6);
  CHECK(length("d.refuse_at(at, {f, n}, a ? \"12\" : b ? \"1234\" : \"1\" + n, \"a help that is long\");") == 4);
  CHECK(length("wrong(rule, where, \"12\"  // \"of a comment\"\n \"34\" + (n ? \"5\" : \"678\"));") == 7);
  CHECK(length("finding(R::a, s, std::string(\"12\\\"\") + text_of(\"123456789\"))") == 3);
  CHECK(length("address(\"12\"); x.add(c, ')', \"1'2\")") == 3);
}

}  // namespace messages_test
