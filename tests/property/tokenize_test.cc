// The lexer beside the one that ANTLR makes of grammar/MusterLexer.g4: the same words, byte for byte.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "MusterLexer.h"
#include "antlr4-runtime.h"
#include "compiler/base/text.h"
#include "compiler/syntax/token.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/property/random_tree.h"

namespace tokenize_test {

using namespace muster;
using grammar::MusterLexer;
using property::Random;
using syntax::TokenKind;

namespace {

// A word as "TYPE begin end"; comments are words, too.
using Listed = std::vector<std::string>;

std::string listed(std::string_view type, std::size_t begin, std::size_t end) {
  return std::string(type) + " " + std::to_string(begin) + " " + std::to_string(end);
}

Listed generated(const std::string& text) {
  antlr4::ANTLRInputStream input(text);
  MusterLexer lexer(&input);
  lexer.removeErrorListeners();
  Listed out;
  std::size_t at = 0;
  for (const auto& token : lexer.getAllTokens()) {
    const std::string spelling = token->getText();
    at = text.find(spelling, at);  // ANTLR counts code points; between words there is only white space
    out.push_back(listed(lexer.getVocabulary().getSymbolicName(token->getType()), at, at + spelling.size()));
    at += spelling.size();
  }
  return out;
}

std::string_view rule(const syntax::Token& token, const antlr4::dfa::Vocabulary& vocabulary, std::string& out) {
  switch (token.kind) {
    case TokenKind::identifier: return "IDENT";
    case TokenKind::quantity: return "QUANTITY";
    case TokenKind::number: return "NUMBER";
    case TokenKind::variable: return "VARIABLE";
    case TokenKind::text: return "STRING";
    case TokenKind::raw: return "RAW";
    case TokenKind::heredoc_open: return "HEREDOC_OPEN";
    case TokenKind::heredoc_line: return "HEREDOC_LINE";
    case TokenKind::heredoc_close: return "HEREDOC_CLOSE";
    case TokenKind::bad_text: return "BAD_STRING";
    case TokenKind::bad_raw: return "BAD_RAW";
    case TokenKind::bad_character: return "BAD_CHAR";
    case TokenKind::comment: return "COMMENT";
    default: return out = vocabulary.getSymbolicName(token.fixed);
  }
}

Listed by_hand(const std::string& text) {
  static const MusterLexer names(nullptr);
  const syntax::TokenList lexed = syntax::tokenize(text);
  Listed out;
  std::string name;
  std::size_t comment = 0;
  const auto comments_before = [&](std::size_t end) {
    for (; comment < lexed.comments.size() && lexed.comments[comment].begin < end; ++comment)
      out.push_back(listed("COMMENT", lexed.comments[comment].begin, lexed.comments[comment].end));
  };
  for (const syntax::Token& token : lexed.tokens) {
    comments_before(token.begin);
    out.push_back(listed(rule(token, names.getVocabulary(), name), token.begin, token.end));
  }
  comments_before(text.size());
  return out;
}

void compare(const std::string& text) {
  INFO(text);
  REQUIRE(by_hand(text) == generated(text));
}

// A muster file as it is; of a page the files in its ```muster blocks.
std::vector<std::string> files_in(const std::filesystem::path& path, const std::string& text) {
  static const std::string opening = "\n```muster\n";
  if (path.extension() == ".muster") return {text};
  std::vector<std::string> out;
  for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at + 1)) {
    const std::size_t begin = at + opening.size();
    out.push_back(text.substr(begin, text.find("\n```\n", begin) + 1 - begin));
  }
  return out;
}

}  // namespace

TEST_CASE("words by hand are the words of the grammar: any pieces in any order", "[property][words]") {
  static constexpr std::string_view pieces[] = {
      "a",    "Z9",     "_",          "-",      "--", "0", "12",        "1_0",     ".",   "..",
      "...",  "e",      "E5",         "e+",     "%",  "h", "GB",        "\"",      "'",   "\\",
      "\n",   "\r",     "\r\n",       " ",      "\t", "#", "$",         "${",      "<<<", "<<<bash",
      ">>>",  "<",      ">",          "=",      "!",  "+", "*",         "/",       ":",   ",",
      "{",    "}",      "[",          "]",      "(",  ")", "in",        "import",  "if",  "preferx",
      "\x01", "\u00E9", "\U0001F600", "\u201C", ";",  "&", "  >>>  \n", "<<<sh \n"};
  Random random(20240703);
  for (int i = 0; i < 40'000; ++i) {
    std::string text;
    for (std::int64_t n = random.upto(14); n > 0; --n) text += random.any_of(pieces);
    compare(text);
  }
}

TEST_CASE("words by hand are the words of the grammar: whole files", "[property][words]") {
  Random random(20240704);
  for (int i = 0, comments = 0; i < 200; ++i)
    compare(property::scribble(property::random_file(random), random, comments));
  int files = 0;
  for (const char* folder : {"examples", "rules/profiles", "tests/kitchen", "tests/golden"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(muster::tests::source_folder() + "/" + std::string(folder))) {
      std::stringstream text;
      if (entry.path().extension() != ".muster" && entry.path().extension() != ".md") continue;
      text << std::ifstream(entry.path()).rdbuf();
      if (first_invalid_utf8(text.str())) continue;  // the runtime takes only UTF-8
      for (const std::string& file : files_in(entry.path(), text.str())) ++files, compare(file);
    }
  CHECK(files > 160);
}

}  // namespace tokenize_test
