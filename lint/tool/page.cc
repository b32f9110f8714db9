#include "lint/tool/page.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <utility>

#include "compiler/base/text.h"

namespace muster::lint::tool {
namespace {

// A key of the row between the two `---`, with what it takes: an expression that a person can read, too.
struct Key {
  std::string_view name;
  std::string Page::*member;
  const char* takes;
  bool needed = true;
};
constexpr Key keys[] = {
    {"id", &Page::id, "[A-Z][A-Z0-9]{2}[0-9]{3}"},
    {"slug", &Page::slug, "[a-z][a-z0-9]*(-[a-z0-9]+)*"},
    {"places", &Page::places,
     "(spec|target-block|script|manifest|site|rules)(, (spec|target-block|script|manifest|site|rules))*"},
    {"severity", &Page::severity, "error|warning|info"},
    {"profile", &Page::profile, "min|default|strict"},
    {"stage", &Page::stage, "stable|preview"},
    {"fix", &Page::fix, "none|unsafe|safe"},
    {"needs-site", &Page::needs_site, "yes", false},
    {"thresholds", &Page::thresholds, ".+", false},
    {"summary", &Page::summary, ".+"},
};

constexpr std::size_t longest_line = 2000;  // expressions are matched by recursion

// Whether all of a text is of that form; `parts` points into it.
bool matches(std::string_view text, const std::regex& expression, std::cmatch& parts) {
  return std::regex_match(text.data(), text.data() + text.size(), parts, expression);
}

// The form of a file by the language of its block.
std::string form_of(const std::string& language) { return language == "bash" ? "sbatch" : language; }

class Reader {
 public:
  Reader(const std::string& path, std::string_view text) : lines_(split(text, '\n')) {
    page_.path = path;
    if (!text.ends_with('\n')) fail(lines_.size(), "the last line does not end");
    else lines_.pop_back();
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i].size() > longest_line || first_invalid_utf8(lines_[i]) ||
          std::any_of(lines_[i].begin(), lines_[i].end(), [](char c) { return is_control(c) && c != '\t'; }))
        fail(i + 1, "the line is over 2,000 bytes, or has control characters or bytes that are not UTF-8");
  }

  std::variant<Page, Fault> read() {
    if (!fault_) row();
    heading("What it checks");
    page_.checks = paragraph();
    heading("Why it matters");
    page_.why = paragraph();
    sources(paragraph());
    heading("Wrong");
    example("wrong");
    heading("Corrected");
    page_.instead = paragraph();
    example("corrected");
    if (!at_end()) heading("Tests");
    while (!at_end()) test();
    if (fault_) return *fault_;
    return std::move(page_);
  }

 private:
  // The first fault counts; nothing is read behind it.
  void fail(std::size_t line, std::string message) {
    if (!fault_) fault_ = Fault{line, std::move(message)};
    at_ = lines_.size();
  }

  bool at_end() {
    while (at_ < lines_.size() && lines_[at_].empty()) ++at_;
    return at_ >= lines_.size();
  }

  // `key: value` between two `---`, as YAML reads them: plain, or in double quotes with `\"` and `\\`.
  void row() {
    static const std::regex line(R"re(([a-z-]+): (?:"((?:[^"\\]|\\["\\])*)"|((?:[A-Za-z0-9])(?:(?!: | #).)*)))re");
    static const std::regex escape(R"re(\\(.))re");
    if (lines_.empty() || lines_[0] != "---") return fail(1, "the page does not begin with `---`");
    for (at_ = 1; at_ < lines_.size() && lines_[at_] != "---"; ++at_) {
      std::cmatch parts;
      if (!matches(lines_[at_], line, parts)) return fail(at_ + 1, "expected `key: value` or `key: \"value\"`");
      key(parts[1].str(), parts[2].matched ? std::regex_replace(parts[2].str(), escape, "$1") : parts[3].str());
    }
    if (at_ >= lines_.size()) return fail(1, "no second `---`");
    for (const Key& key : keys)
      if (key.needed && (page_.*key.member).empty()) return fail(1, quoted(key.name) + " is missing");
    const std::string name(base_name(page_.path));
    if (page_.id + ".md" != name) return fail(1, "the id is " + page_.id + ", but the file is " + quoted(name));
    ++at_;
  }

  void key(const std::string& name, const std::string& value) {
    const Key* const key = std::find_if(std::begin(keys), std::end(keys), [&](const Key& k) { return k.name == name; });
    if (key == std::end(keys)) return fail(at_ + 1, quoted(name) + " is not a key of a rule");
    if (!(page_.*key->member).empty()) return fail(at_ + 1, quoted(name) + " is set twice");
    if (!std::regex_match(value, std::regex(key->takes)))
      return fail(at_ + 1, quoted(name) + " takes " + key->takes + ", not " + quoted(value));
    page_.*key->member = value;
  }

  void heading(std::string_view title) {
    const std::string line = "## " + std::string(title);
    if (at_end()) return fail(lines_.size(), "the section " + quoted(line) + " is missing");
    if (lines_[at_] != line) return fail(at_ + 1, "expected " + quoted(line));
    ++at_;
  }

  // Its lines as one.
  std::string paragraph() {
    std::string out;
    for (at_end(); at_ < lines_.size() && !lines_[at_].empty(); ++at_) {
      if (lines_[at_].starts_with("## ") || lines_[at_].starts_with("```")) break;
      out += (out.empty() ? "" : " ") + std::string(lines_[at_]);
    }
    if (out.empty()) fail(std::min(at_ + 1, lines_.size()), "a paragraph is missing here");
    return out;
  }

  // `Sources: [title](address) · [title](address)`
  void sources(std::string_view text) {
    static const std::regex source(
        R"re((?:Sources?: | · )\[([^\]]+)\]\((?:\.\./\.\./\.\./)?((?:https://|docs/)[^)]+)\)(.*))re");
    const std::size_t line = at_;
    for (std::cmatch parts; !text.empty(); text.remove_prefix(static_cast<std::size_t>(parts.position(3)))) {
      if (!matches(text, source, parts))
        return fail(
            line, "expected `Sources: [title](address) · [title](address)`, each at `https://` or in `../../../docs`");
      page_.sources.push_back({parts[1].str(), parts[2].str()});
    }
  }

  // The name of `` `NAME`: `` above a block; "" where the line is another.
  std::string name_above() {
    const std::string_view line = lines_[at_];
    if (line.size() < 4 || !line.starts_with('`') || !line.ends_with("`:")) return "";
    ++at_;
    if (at_end()) fail(lines_.size(), "a fenced block is missing here");
    return std::string(line.substr(1, line.size() - 3));
  }

  // A fenced block: its first line behind the fence, and its text.
  std::pair<std::string, std::string> block() {
    if (at_end()) return {};
    const std::size_t opening = at_;
    const std::string_view line = lines_[at_];
    std::string text;
    if (!line.starts_with("```")) fail(at_ + 1, "expected a fenced block");
    for (++at_; at_ < lines_.size() && lines_[at_] != "```"; ++at_) text += std::string(lines_[at_]) + "\n";
    if (at_ >= lines_.size()) fail(opening + 1, "this block does not end");
    else ++at_;
    if (trimmed(text, " \n").empty()) fail(opening + 1, "this block is empty");
    return {std::string(line.substr(std::min<std::size_t>(line.size(), 3))), text};
  }

  // The files of one half of the example: the one that is linted, and those beside it, which have their names above.
  void example(const std::string& role) {
    bool found = false;
    while (!at_end() && !lines_[at_].starts_with("## ")) {
      const std::string name = name_above();
      const std::size_t line = at_ + 1;
      const auto [language, text] = block();
      if (!is_one_of(language, {"bash", "pbs", "lsf", "yaml", "muster"}))
        return fail(line, "a block of an example is `bash`, `pbs`, `lsf`, `yaml` or `muster`");
      if (name.empty() && found) return fail(line, "the name of the file is missing: `` `site.muster`: `` above it");
      if (!name.empty() && !is_one_of(name, {"site.muster", "base.muster", "rules.muster", role + ".tests.muster"}))
        return fail(line, "a file beside it is site.muster, base.muster, rules.muster or " + role + ".tests.muster");
      found |= name.empty();
      page_.example.push_back({name.empty() ? role + "." + form_of(language) : name, text});
    }
    if (!found) fail(std::min(at_ + 1, lines_.size()), "the example is missing: a file to paste, in a fenced block");
  }

  void test() {
    static const std::regex head(
        R"re((bash|pbs|lsf|yaml|muster) ([a-z][a-z0-9-]*)(?: site=([a-z0-9-]+))?(?: with="([^"]+)")?)re");
    const std::string beside = name_above();
    const std::size_t line = at_ + 1;
    const auto [words, text] = block();
    if (!beside.empty()) return page_.beside.push_back({beside, text});
    std::cmatch parts;
    if (!matches(words, head, parts))
      return fail(line, "a test is ` ```LANGUAGE NAME [site=NAME] [with=\"OPTIONS\"] `, such as ` ```bash fires `");
    Case test{parts[2].str(), form_of(parts[1].str()), parts[3].str(), parts[4].str(), {}, {}};
    for (const Case& other : page_.cases)
      if (other.name == test.name) return fail(line, "there are two tests " + quoted(test.name));
    take_marks(text, test);
    const bool own =
        std::any_of(test.marks.begin(), test.marks.end(), [&](const Mark& m) { return m.rule == page_.id; });
    if (test.name.ends_with("fires") && !own) return fail(line, "no line of this test is marked, such as by `# error`");
    if (test.name.ends_with("clean") && own) return fail(line, "a line of this test is marked, but it is to be clean");
    page_.cases.push_back(std::move(test));
  }

  // Takes the comments that mark lines out of a text: `# error`, `# SCH018 warning, info`.
  void take_marks(std::string_view text, Case& test) {
    static const std::string mark = "(?:[A-Z0-9]{5,6} )?(?:error|warning|info|unclear)";
    static const std::regex marked("(.*[^ ]) +# (" + mark + "(?:, " + mark + ")*)");
    text.remove_suffix(text.empty() ? 0 : 1);
    std::size_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
      std::cmatch parts;
      ++number;
      if (!matches(line, marked, parts)) {
        test.text += std::string(line) + "\n";
        continue;
      }
      test.text += parts[1].str() + "\n";
      const std::string marks = parts[2].str();
      for (const std::string_view part : split(marks, ',')) {
        const std::vector<std::string_view> words = split(trimmed(part), ' ');
        test.marks.push_back({number, words.size() > 1 ? std::string(words[0]) : page_.id, std::string(words.back())});
      }
    }
  }

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  Page page_;
  std::optional<Fault> fault_;
};

}  // namespace

std::variant<Page, Fault> read_page(const std::string& path, std::string_view text) {
  return Reader(path, text).read();
}

}  // namespace muster::lint::tool
