// The reader of the pages of lint rules, on pages that are wrong: each is refused at its line. The build reads all
// pages with it, so a page that is refused here does not build.
#include <string>
#include <variant>
#include <vector>

#include "lint/tool/page.h"
#include "lint/tool/write.h"
#include "tests/catch.h"
#include "tests/unit/rule_cases.h"

namespace rule_page_test {

using namespace muster::lint::tool;

namespace {

const std::string page_text = R"(---
id: SLM999
slug: late-signal
places: script, target-block
severity: error
profile: default
stage: preview
fix: none
summary: "`srun`: it is late"
---

## What it checks

Scripts with `srun`.

## Why it matters

They end
too early.

Sources: [The manual](https://example.com/a) · [muster lint](../../../docs/reference/lint.md)

## Wrong

`site.muster`:

```muster
site lab { }
```

```bash
srun a
```

## Corrected

Write `b`.

```bash
srun b
```

## Tests

```bash fires site=slurm-24 with="-t 30"
#SBATCH --nodes=2  # SLM008 info, E0701 error
srun a # warning
srun "# error here"
```

```bash clean
srun b
```
)";

std::variant<Page, Fault> read(const std::string& text) { return read_page("lint/rules/slurm/SLM999.md", text); }

// "12: what is wrong" with the page in which `from` is `to`; "" if nothing is.
std::string fault(const std::string& from, const std::string& to) {
  std::string text = page_text;
  INFO(from);
  REQUIRE(text.find(from) != std::string::npos);
  const auto page = read(text.replace(text.find(from), from.size(), to));
  const auto* wrong = std::get_if<Fault>(&page);
  return wrong == nullptr ? "" : std::to_string(wrong->line) + ": " + wrong->message;
}

}  // namespace

TEST_CASE("a page is its row, its text, its example and its tests", "[lint][examples]") {
  const auto read_text = read(page_text);
  REQUIRE(std::holds_alternative<Page>(read_text));
  const Page& page = std::get<Page>(read_text);
  CHECK(page.id == "SLM999");
  CHECK(page.places == "script, target-block");
  CHECK(page.summary == "`srun`: it is late");
  CHECK(page.why == "They end too early.");
  REQUIRE(page.sources.size() == 2);
  CHECK(page.sources[1].address == "docs/reference/lint.md");
  REQUIRE(page.example.size() == 3);
  CHECK(page.example[0].name == "site.muster");
  CHECK(page.example[1].name == "wrong.sbatch");
  CHECK(page.example[2].text == "srun b\n");
  REQUIRE(page.cases.size() == 2);
  const Case& fires = page.cases[0];
  CHECK(fires.site == "slurm-24");
  CHECK(fires.with == "-t 30");
  CHECK(fires.text == "#SBATCH --nodes=2\nsrun a\nsrun \"# error here\"\n");
  CHECK(muster::tests::expected(fires) ==
        std::vector<std::string>{"1 E0701 error", "1 SLM008 info", "2 SLM999 warning"});
}

TEST_CASE("what is wrong with a page is refused at its line", "[lint][examples]") {
  const std::vector<std::vector<std::string>> wrong = {
      {"---\nid", "id", "1: the page does not begin with `---`"},
      {"\n---\n\n## What", "\n\n## What", "10: expected `key: value` or `key: \"value\"`"},
      {"severity: error\n", "", "1: `severity` is missing"},
      {"places: script, target-block\n", "", "1: `places` is missing"},
      {"severity: error", "severity: fatal", "5: `severity` takes error|warning|info, not `fatal`"},
      {"severity: error", "severity: error\nseverity: info", "6: `severity` is set twice"},
      {"fix: none", "fixes: none", "8: `fixes` is not a key of a rule"},
      {"fix: none", "fix: none\nneeds-site: no", "9: `needs-site` takes yes, not `no`"},
      {"\"`srun`: it is late\"", "`srun`: it is late", "9: expected `key: value` or `key: \"value\"`"},
      {"\"`srun`: it is late\"", "srun: it is late", "9: expected `key: value` or `key: \"value\"`"},
      {"\"`srun`: it is late\"", "\"late", "9: expected `key: value` or `key: \"value\"`"},
      {"SLM999", "SLM998", "1: the id is SLM998, but the file is `SLM999.md`"},
      {"SLM999", "slm999", "2: `id` takes [A-Z][A-Z0-9]{2}[0-9]{3}, not `slm999`"},
      {"late-signal", "late_signal", "3: `slug` takes [a-z][a-z0-9]*(-[a-z0-9]+)*, not `late_signal`"},
      {"## Why it matters", "## Why", "16: expected `## Why it matters`"},
      {"Scripts with `srun`.\n", "", "15: a paragraph is missing here"},
      {"Sources: ", "See ",
       "21: expected `Sources: [title](address) · [title](address)`, each at `https://` or in "
       "`../../../docs`"},
      {"https://example.com/a", "ftp://example.com/a",
       "21: expected `Sources: [title](address) · [title](address)`, each at `https://` or in `../../../docs`"},
      {"`site.muster`:\n\n", "", "29: the name of the file is missing: `` `site.muster`: `` above it"},
      {"`site.muster`", "`lab.muster`",
       "27: a file beside it is site.muster, base.muster, rules.muster or wrong.tests.muster"},
      {"```bash\nsrun b\n```\n", "", "40: the example is missing: a file to paste, in a fenced block"},
      {"```bash\nsrun b", "```python\nsrun b", "39: a block of an example is `bash`, `pbs`, `lsf`, `yaml` or `muster`"},
      {"```bash\nsrun b\n", "```bash\n\n", "39: this block is empty"},
      {"```bash fires", "```bash",
       "45: a test is ` ```LANGUAGE NAME [site=NAME] [with=\"OPTIONS\"] `, such as ` ```bash fires `"},
      {"```bash clean", "```bash fires", "51: there are two tests `fires`"},
      {"site=slurm-24", "at=slurm-24",
       "45: a test is ` ```LANGUAGE NAME [site=NAME] [with=\"OPTIONS\"] `, such as ` ```bash fires `"},
      {"srun a # warning", "srun a", "45: no line of this test is marked, such as by `# error`"},
      {"clean\nsrun b", "clean\nsrun b  # info", "51: a line of this test is marked, but it is to be clean"},
      {"```bash clean\nsrun b\n```\n", "```bash clean\nsrun b\n", "51: this block does not end"},
      {"## Tests", "## Test", "43: expected `## Tests`"},
      {"srun a\n", "srun \x01\n",
       "32: the line is over 2,000 bytes, or has control characters or bytes that are not UTF-8"},
      {"srun a\n", std::string(100'000, 'a') + "\n",
       "32: the line is over 2,000 bytes, or has control characters or bytes that are not UTF-8"},
      {"```bash clean\nsrun b\n```\n", "```bash clean\nsrun b\n```", "53: the last line does not end"},
  };
  for (const auto& row : wrong) CHECK(fault(row[0], row[1]) == row[2]);
  CHECK(std::holds_alternative<Fault>(read("")));
  // Any beginning of a page is refused or read; nothing is taken for a page that lacks its example.
  for (std::size_t size = 0; size < page_text.find("srun b\n```"); ++size)
    CHECK(std::holds_alternative<Fault>(read(page_text.substr(0, size))));
}

TEST_CASE("pages that are right one by one are held against each other", "[lint][examples]") {
  const Page page = std::get<Page>(read(page_text));
  Page other = page;
  other.id = "SLM998", other.path = "lint/rules/slurm/SLM998.md";
  std::vector<Page> pages = {page, other};
  CHECK(arrange(pages) == "lint/rules/slurm/SLM999.md:1: error: the slug late-signal is that of SLM998 already");
  pages = {page, page};
  CHECK(arrange(pages) == "lint/rules/slurm/SLM999.md:1: error: SLM999 has a page already: lint/rules/slurm/SLM999.md");
  other.id = "XYZ001", other.slug = "x";
  pages = {page, other};
  CHECK(arrange(pages) == "lint/rules/slurm/SLM998.md:1: error: the family of XYZ001 is not in lint/tool/families.def");
}

}  // namespace rule_page_test
