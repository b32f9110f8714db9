// The pages of docs/ belong together: every link leads somewhere, the index lists every page, and each page begins
// with who needs it and what they have at its end. What their commands print is tested by tests/docs/run_commands.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.h"
#include "tests/places.h"
#include "tests/unit/site_file.h"

namespace docs_pages_test {

namespace fs = std::filesystem;
using muster::file_text;

namespace {

const fs::path root = muster::tests::source_folder();

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// The lines outside of fenced blocks, without `code`, in which nothing is a link.
std::vector<std::string> prose(const std::string& text) {
  std::vector<std::string> out;
  bool fenced = false;
  for (const std::string& line : lines_of(text)) {
    const std::size_t first = line.find_first_not_of(" >");
    if (first != std::string::npos && line.compare(first, 3, "```") == 0) {
      fenced = !fenced;
      continue;
    }
    if (fenced) continue;
    std::string plain;
    bool code = false;
    for (const char c : line) {
      if (c == '`') code = !code;
      plain += code && c != '`' ? '\x01' : c;
    }
    out.push_back(plain);
  }
  return out;
}

struct Link {
  std::string target;
  std::string line;
};

// `[text](target)` in the prose of a page.
std::vector<Link> links_of(const std::string& text) {
  std::vector<Link> out;
  for (const std::string& line : prose(text))
    for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 1)) {
      const std::size_t end = line.find(')', at);
      if (end != std::string::npos) out.push_back({line.substr(at + 2, end - at - 2), line});
    }
  return out;
}

// As GitHub and GitLab name a heading: lower case, hyphens for spaces, without punctuation.
std::string slug(std::string_view heading) {
  std::string out;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '_' || byte >= 0x80) out += static_cast<char>(std::tolower(byte));
    else if (c == ' ') out += '-';
  }
  return out;
}

std::set<std::string> anchors_of(const std::string& text) {
  std::set<std::string> out;
  std::map<std::string, int> seen;
  bool fenced = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("```")) fenced = !fenced;
    const std::size_t level = line.find_first_not_of('#');
    if (fenced || level == 0 || level == std::string::npos || line[level] != ' ') continue;
    const std::string name = slug(std::string_view(line).substr(level + 1));
    const int count = seen[name]++;
    out.insert(count == 0 ? name : name + "-" + std::to_string(count));
  }
  return out;
}

// What is wrong with a link of the page at `page`; "" if nothing is.
std::string fault(const fs::path& page, const std::string& target) {
  if (target.find("://") != std::string::npos) {
    const std::string_view host = std::string_view(target).substr(std::min<std::size_t>(target.size(), 8));
    const bool good = target.starts_with("https://") && target.find_first_of(" <>\"\x01") == std::string::npos &&
                      host.substr(0, host.find('/')).find('.') != std::string_view::npos;
    return good ? "" : "an outside link must be a complete https address";
  }
  const std::size_t hash = target.find('#');
  const fs::path file = hash == 0 ? page : page.parent_path() / target.substr(0, hash);
  if (!fs::exists(file)) return "there is no such file";
  if (hash == std::string::npos) return "";
  return anchors_of(file_text(file)).contains(target.substr(hash + 1)) ? "" : "the page has no such heading";
}

// The pages that people read: those of the root, of docs/, of lint's rules and of the tests, but for files that tests
// feed to muster.
std::vector<fs::path> pages() {
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(root))
    if (entry.path().extension() == ".md") out.push_back(entry.path());
  for (const char* folder : {"docs", "lint/rules", "tests"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".md" && entry.path().string().find("/cases/") == std::string::npos)
        out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

bool in_docs(const fs::path& page) {
  const fs::path inside = page.lexically_relative(root / "docs");
  return !inside.empty() && *inside.begin() != "..";
}

}  // namespace

TEST_CASE("every link of the documents leads to a file and a heading", "[docs]") {
  std::size_t links = 0;
  for (const fs::path& page : pages())
    for (const Link& link : links_of(file_text(page))) {
      links += 1;
      INFO(page.lexically_relative(root).string() << ": " << link.line);
      INFO(link.target);
      CHECK(fault(page, link.target) == "");
    }
  CHECK(links > 50);
}

TEST_CASE("the index of the documents lists every page", "[docs]") {
  const fs::path index = root / "docs/README.md";
  std::set<fs::path> listed;
  for (const Link& link : links_of(file_text(index)))
    listed.insert((index.parent_path() / link.target.substr(0, link.target.find('#'))).lexically_normal());
  for (const fs::path& page : pages())
    if (in_docs(page) && page != index) {
      INFO(page.lexically_relative(root).string());
      CHECK(listed.contains(page));
    }
}

TEST_CASE("a page begins with who needs it and what they have at its end", "[docs]") {
  for (const fs::path& page : pages()) {
    if (!in_docs(page)) continue;
    INFO(page.lexically_relative(root).string());
    const std::vector<std::string> lines = lines_of(file_text(page));
    REQUIRE(lines.size() > 3);
    CHECK(lines[0].starts_with("# "));
    CHECK(lines[1].empty());
    CHECK(lines[2].starts_with("For "));
    CHECK(lines[2].find(". At the end you ") != std::string::npos);
  }
}

// A page that a text of the program or a script names: `docs/reference/keys.md`.
TEST_CASE("every page that the program names exists", "[docs]") {
  const std::set<std::string> kinds = {".cc", ".h", ".def", ".muster", ".py", ".yml", ".yaml", ".md", ""};
  const std::regex name(
      R"((^|[^A-Za-z0-9_/.-])(docs/([a-z-]+|(tutorials|how-to|reference|explanation|schemas)/[a-z-]+)\.(md|json|svg)))");
  std::size_t names = 0;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(root))
    if (entry.is_regular_file()) files.push_back(entry.path());
  for (const char* folder : {".ci", "ci", "cli", "compiler", "driver", "lint", "packaging", "plan", "review", "rules",
                             "targets", "tests/unit", "tests/docs", "tests/bench", "tests/judges"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file()) files.push_back(entry.path());
  for (const fs::path& file : files) {
    if (!kinds.contains(file.extension().string())) continue;
    const std::string text = file_text(file);
    for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) {
      names += 1;
      INFO(file.lexically_relative(root).string() << " names " << (*at)[2]);
      CHECK(fs::exists(root / (*at)[2].str()));
    }
  }
  CHECK(names > 20);
}

TEST_CASE("the check of links finds what is wrong", "[docs]") {
  const fs::path page = root / "docs/README.md";
  CHECK(fault(page, "reference/language.md") == "");
  CHECK(fault(page, "reference/language.md#imports") == "");
  CHECK(fault(page, "reference/language.md#no-such-heading") == "the page has no such heading");
  CHECK(fault(page, "reference/none.md") == "there is no such file");
  CHECK(fault(page, "https://slurm.schedmd.com/sbatch.html#OPT_array") == "");
  for (const char* bad : {"http://slurm.schedmd.com", "https://", "https://nowhere", "https://a b.c"}) {
    INFO(bad);
    CHECK(fault(page, bad) == "an outside link must be a complete https address");
  }
  CHECK(slug("`muster lint`: how-to, part 2") == "muster-lint-how-to-part-2");
  CHECK(links_of("`[a](b)` [c](d)\n```\n[e](f)\n```\n> [g](h)").size() == 2);
  CHECK(anchors_of("# A b\n## A b\n```\n# c\n```\n") == std::set<std::string>{"a-b", "a-b-1"});
}

}  // namespace docs_pages_test
