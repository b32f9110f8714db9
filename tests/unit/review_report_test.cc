// What a review's reports hold back, and what they take from strangers.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <random>

#include "compiler/base/text.h"
#include "review/markdown.h"
#include "review/mermaid.h"
#include "review/page_style.h"
#include "review/wording.h"
#include "rules/digest.h"
#include "tests/catch.h"
#include "tests/unit/review_scene.h"

namespace review_report_test {

using namespace muster;
using namespace muster::review;

namespace {

const std::string hostile =
    "a|b`c` @everyone #1 !2 <script>alert(1)</script> --> <!-- </details> </code> [x](http://e.example) www.e.example "
    "**b** ~~s~~ :smile: \x1b[31mred \xc2\x9b"
    "31m \xe2\x80\xae"
    "back \xff ```\n# head\n| r |";

// Everything a stranger can name, said by `text`.
Review of_names(const std::string& text) {
  Workload before = job("a"), after = job("a", 8), fresh = job(text), gone = job(text + "2");
  for (Workload* w : {&before, &after}) w->site = text;
  after.facts.push_back({text, text, {text, 1}});
  after.decision->plane = after.decision->control_plane = text;
  after.decision->requires_ = {text};
  after.placement = {"does-not-fit", {text}, 0, text};
  after.objects.push_back({text, text, text, {{text, text}}, {text}});
  after.objects[0].fields[0].value = text;
  after.findings = {{"SLM001", text, Severity::error, text, text, {text, 1}}};
  Tree base = tree({before, gone}, text), head = tree({after, fresh}, text);
  head.left_out = {{text, text}};
  Review out = compare(base, head, 1);
  out.notes = {text};
  out.policies.push_back({{text, text, text, text, 0}, {text, text, text, text, 0}, "minor", 5, 2, {text}});
  out.items[0].flips = {{{{text, text, text}}}};
  return out;
}

Review of_many(std::size_t count) {
  std::vector<Workload> before, after;
  for (std::size_t i = 0; i < count; ++i) {
    before.push_back(job("team/workload-" + std::to_string(i)));
    after.push_back(job("team/workload-" + std::to_string(i), 8 + static_cast<std::int64_t>(i)));  // no two alike
    after.back().findings = {finding("SLM001", std::to_string(i), i % 3 == 0 ? Severity::error : Severity::warning)};
  }
  return review_of(before, after);
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::size_t times(std::string_view text, std::string_view word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

std::string base64(const std::string& hex) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits, out;
  for (const char c : hex)
    for (int bit = 3; bit >= 0; --bit) bits += (std::stoi(std::string(1, c), nullptr, 16) >> bit & 1) != 0 ? '1' : '0';
  while (bits.size() % 6 != 0) bits += '0';
  for (std::size_t at = 0; at < bits.size(); at += 6) out += digits[std::stoul(bits.substr(at, 6), nullptr, 2)];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

}  // namespace

TEST_CASE("review: a comment of 5,000 changed workloads keeps within each host's budget", "[review]") {
  const Review review = of_many(5'000);
  for (const Budget& budget : budgets()) {
    const std::string text = write_markdown(review, options_for(std::string(budget.host)));
    CAPTURE(budget.host);
    CHECK(extent_of(text).characters <= budget.characters);
    CHECK(text.size() <= budget.bytes);
    CHECK(text.size() > budget.bytes / 12);  // what fits is there
    CHECK(times(text, "<details>") == times(text, "</details>"));
    const std::string heading = text.substr(text.find("### "), text.find('\n', text.find("### ")) - text.find("### "));
    CHECK(heading.find("(shortened: without ") != std::string::npos);
    CHECK(heading.find("the findings") != std::string::npos);
    if (budget.host == "github")
      CHECK(text.find(" more; `muster review --format json` lists all") != std::string::npos);
  }
}

TEST_CASE("review: signs of four bytes count twice, as hosts count", "[review]") {
  CHECK(extent_of("aé€😀").characters == 5);
  CHECK(extent_of("aé€😀").bytes == 10);
  std::vector<Workload> before, after;
  for (int i = 0; i < 900; ++i) {
    std::string id = std::to_string(i);
    for (int j = 0; j < 25; ++j) id += "😀";
    before.push_back(job(id));
    after.push_back(job(id, 8));
  }
  const std::string text = write_markdown(review_of(before, after), options_for());
  CHECK(extent_of(text).characters <= 60'000);
  CHECK(text.size() <= 240'000);
}

TEST_CASE("review: a chart has workloads that change their place, and at most 30 nodes", "[review]") {
  std::vector<Workload> before, after;
  for (int i = 0; i < 40; ++i) {
    before.push_back(job("w" + std::to_string(i)));
    after.push_back(before.back());
    after.back().resources.nodes = 9;
    if (i != 3) after.back().decision->target = i == 1 ? "jobset" : "pbs";
  }
  std::size_t left = 0;
  const std::string chart = mermaid_chart(review_of(before, after), left);
  CHECK(times(chart, "[\"") == 30);
  CHECK(left == 12);  // 27 workloads, 3 places
  CHECK(times(chart, "before .->") == 27);
  CHECK(chart.find("w3\"]") == std::string::npos);
  ReportOptions options = options_for();
  CHECK(write_markdown(review_of(before, after), options).find("mermaid") == std::string::npos);
  options.chart = true;
  const std::string text = write_markdown(review_of(before, after), options);
  CHECK(text.find("```mermaid\nflowchart LR\n") != std::string::npos);
  CHECK(text.find("… and 12 workloads more") != std::string::npos);
  CHECK(times(text, "<details>") == times(text, "</details>"));
}

TEST_CASE("review: a chart draws where a workload was and is, once a place", "[review]") {
  const auto chart = [](std::vector<Workload> before, std::vector<Workload> after) {
    std::size_t left = 0;
    return mermaid_chart(review_of(std::move(before), std::move(after)), left);
  };
  CHECK(chart({}, {job("a")}) == "flowchart LR\n  w0[\"a\"]\n  w0 -- now --> p0([\"batch (slurm)\"])\n");
  CHECK(chart({job("a")}, {}) == "flowchart LR\n  w0[\"a\"]\n  w0 -. before .-> p0([\"batch (slurm)\"])\n");
  Workload misfit = job("a"), undecided = job("b"), bare = job("c");
  misfit.placement.verdict = "does-not-fit";
  CHECK(chart({job("a")}, {misfit}).find("now --> p1([\"batch (slurm), does not fit\"])") != std::string::npos);
  undecided.decision.reset();
  CHECK(chart({}, {undecided}).empty());
  bare.decision->plane.clear();  // no site: the control plane is all there is to say
  CHECK(chart({}, {bare}).find("([\"slurm\"])") != std::string::npos);
  CHECK(mermaid_text("größe") == "größe");
  CHECK(draws_charts("github"));
  CHECK(draws_charts("gitlab"));
  CHECK_FALSE(draws_charts("azure"));
}

TEST_CASE("review: nothing of a stranger's name ends a chart's text, node or fence", "[review]") {
  CHECK(mermaid_text("a\"b#c`d;e<f>&\ng") == "a#34;b#35;c#96;d#59;e#60;f#62;#38;#63;g");
  std::size_t left = 0;
  const std::string chart = mermaid_chart(of_names(hostile), left);
  CHECK(chart.find_first_of("`<&\x1b@%|{}$\\") == std::string::npos);
  for (std::size_t at = 0, end = 0; (end = chart.find('\n', at)) != chart.npos; at = end + 1) {
    const std::string line = chart.substr(at, end - at);
    CHECK((times(line, "\"") == 0 || times(line, "\"") == 2));
  }
}

TEST_CASE("review: what is dropped is dropped from the end and said", "[review]") {
  const std::string whole = write_markdown(of_many(20), options_for());
  CHECK(whole.find("shortened") == std::string::npos);
  CHECK(whole.find("Findings: 20 new") != std::string::npos);
  const std::string cut = write_markdown(of_many(160), options_for());
  CHECK(cut.find("shortened: without the details of ") != std::string::npos);
  CHECK(cut.find("the findings") != std::string::npos);
  CHECK(cut.find("Findings: ") == std::string::npos);
  CHECK(cut.find("team/workload-159") != std::string::npos);  // its row still is there
}

TEST_CASE("review: one changed workload takes at most 25 lines", "[review]") {
  Workload before = job("a"), after = job("a", 64);
  for (int i = 0; i < 30; ++i) {
    const std::string n = std::to_string(i);
    after.facts.push_back({"fact-" + n, "v", {"a.muster", 3}});
    after.objects[0].fields.push_back({"--option-" + n, n});
    after.findings.push_back(finding("SLM0" + n, n, Severity::error));
  }
  after.placement = {"does-not-fit", {"h100"}, 0, "needs 64 nodes"};
  Review review = review_of({before}, {after});
  review.policies.push_back(
      {{"lab", "default", "1.0.0", "a", 0}, {"lab", "default", "1.1.0", "b", 0}, "minor", 9, 4, {"x", "y", "z"}});
  review.items[0].cause = Cause::both;
  review.items[0].flips = {{{{"nodes", "64", "4"}}}};
  for (const Budget& budget : budgets()) {
    const std::string text = write_markdown(review, options_for(std::string(budget.host)));
    INFO(text);
    CHECK(lines_of(text) <= 25);
  }
}

TEST_CASE("review: what is the same of many workloads stands once", "[review]") {
  std::vector<Workload> before, after;
  for (int i = 0; i < 30; ++i) {
    before.push_back(job("team/exp-" + std::to_string(100 + i)));
    after.push_back(job("team/exp-" + std::to_string(100 + i), i == 29 ? 16 : 8));
    after.back().placement = {"does-not-fit", {"h100"}, 0, "needs " + std::to_string(i == 29 ? 16 : 8) + " nodes"};
    after.back().findings = {finding("SLM001", std::to_string(i))};
  }
  const std::string text = write_markdown(review_of(before, after), options_for());
  INFO(text);
  CHECK(text.find("### muster: 30 blocked: +") != text.npos);  // and not changed besides
  CHECK(times(text, "**Blocked:**") == 2);
  CHECK(text.find("- **Blocked:** <code>team/exp-100</code> and 28 more: does not fit: needs 8 nodes\n") != text.npos);
  CHECK(text.find("- **Blocked:** <code>team/exp-129</code>: does not fit: needs 16 nodes\n") != text.npos);
  CHECK(text.find("<summary><code>team/exp-100</code> and 28 more: differences and their causes</summary>") !=
        text.npos);
  CHECK(text.find("- The same for <code>team/exp-101</code>, <code>team/exp-102</code>") != text.npos);
  CHECK(text.find("<code>team/exp-120</code> and 8 more\n") != text.npos);
  CHECK(text.find("<summary><code>team/exp-129</code>: differences and their causes</summary>") != text.npos);
  CHECK(times(text, "| **blocked** |") == 30);  // each has its row
  CHECK(text.find("is wrong (<code>a.muster:2</code>), 30 times\n") != text.npos);
}

TEST_CASE("review: workloads that differ in more than their names have places of their own", "[review]") {
  std::vector<Workload> before = {job("a/h100"), job("a/l40s")}, after = before;
  for (Workload& w : before) w.objects[0].fields = {{"--constraint", w.name}};
  for (Workload& w : after) w.objects[0].fields = {{"--constraint", "b200"}};
  CHECK(times(write_markdown(review_of(before, after), options_for()), "<details>") == 2);
  for (Workload& w : before) w.objects[0].fields = {{"--job-name", w.name + "-old"}};
  for (Workload& w : after) w.objects[0].fields = {{"--job-name", w.name + "-new"}};
  CHECK(times(write_markdown(review_of(before, after), options_for()), "<details>") == 1);
}

TEST_CASE("review: a new workload is described, and several findings are listed by rule", "[review]") {
  Workload fresh = job("a", 16);
  fresh.findings = {finding("SLM001", "x", Severity::error), finding("CKP001", "y"), finding("CKP002", "z")};
  const std::string text = write_markdown(review_of({}, {fresh}), options_for());
  INFO(text);
  CHECK(text.find("<code>a</code>: details") != text.npos);
  CHECK(text.find("target slurm, requires slurm-topology, fit fits, pool h100") != text.npos);
  CHECK(text.find("nodes 16, time limit 1h\n") != text.npos);
  CHECK(text.find("; also CKP001 a-rule, CKP002 a-rule\n") != text.npos);
  CHECK(write_markdown(review_of({fresh}, {}), options_for()).find("what it is") == text.npos);
}

TEST_CASE("review: a file that neither side can use is named once, one of the new tree first", "[review]") {
  Tree base = tree({}), head = tree({}, "new");
  base.left_out = {{"a.muster", "x"}, {"c.muster", "x"}, {"d.muster", "x"}};
  head.left_out = {{"a.muster", "x"}, {"b.muster", "x"}, {"d.muster", "y"}};
  const std::string text = write_markdown(compare(base, head, 1), options_for());
  INFO(text);
  CHECK(times(text, "<code>a.muster</code>") == 1);
  CHECK(text.find("of both trees: <code>a.muster</code>") < text.find("of the new tree: <code>b.muster</code>"));
  CHECK(text.find("of the new tree: <code>d.muster</code>: y") < text.find("of the old tree: <code>c.muster</code>"));
  CHECK(text.find("of the old tree: <code>d.muster</code>: x") != text.npos);
}

TEST_CASE("review: amounts and paths are short, and still tell two apart", "[review]") {
  constexpr std::int64_t mib = std::int64_t{1} << 20;
  const auto row_of = [](std::int64_t a, std::int64_t b) {
    Item item;
    item.before = item.after = job("a");
    item.before->resources.memory = a, item.after->resources.memory = b;
    return find_row(item, "memory");
  };
  CHECK(row_of(1'890'964 * mib, 15'127'712 * mib).before == "1983GB");
  CHECK(row_of(1'890'964 * mib, 15'127'712 * mib).after == "15863GB");
  CHECK(row_of(1'890'964 * mib, 1'890'965 * mib).before == "1846.64GiB");
  CHECK(row_of(1'890'964 * mib, 1'890'965 * mib).after == "1846.65GiB");
  CHECK(row_of(64 * 1024 * mib, 1500 * mib).before == "64GiB");
  CHECK(row_of(1'000'000'000'000, 1).before == "1000GB");
  CHECK(row_of(64 * 1024 * mib, 1500 * mib).after == "1.46GiB");
  CHECK(path_end("spec.template.spec.affinity.terms[0].key", 20) == "….terms[0].key");
  CHECK(path_end("spec.replicas", 20) == "spec.replicas");
  PolicyChange change{{"lab", "lab", "1.0.0", "a", 0}, {"lab", "lab", "1.0.0", "b", 0}, "patch", 9, 0, {"x"}};
  CHECK(policy_text(change) == "site lab, rules lab 1.0.0 (patch), no cell differs");
  Review one = review_of({job("a")}, {job("a", 8)});
  one.policies.push_back(change);
  CHECK(write_markdown(one, options_for()).find("(patch), no cell differs: x\n") != std::string::npos);
}

TEST_CASE("review: names of strangers are text in a comment, and nothing else", "[review]") {
  const std::string text = write_markdown(of_names(hostile), options_for());
  INFO(text);
  CHECK(text.find('@') == std::string::npos);
  CHECK(text.find("<script") == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\xc2\x9b") == std::string::npos);
  CHECK(text.find("\xe2\x80\xae") == std::string::npos);
  CHECK_FALSE(first_invalid_utf8(text));
  CHECK(times(text, "-->") == 1);
  CHECK(times(text, "<!--") == 1);
  CHECK(times(text, "<details>") == times(text, "</details>"));
  CHECK(times(text, "<code>") == times(text, "</code>"));
  CHECK(text.find("www.") == std::string::npos);
  CHECK(text.find("://") == std::string::npos);
  CHECK(text.find("](") == std::string::npos);
  CHECK(text.find("\n# head") == std::string::npos);
  CHECK(times(text, "`") == 0);
  // Each row of the table has the columns of its head.
  const std::size_t head = text.find("| | workload");
  const std::size_t columns = times(text.substr(head, text.find('\n', head) - head), "|");
  for (std::size_t at = head; text[at] == '|'; at = text.find('\n', at) + 1)
    CHECK(times(text.substr(at, text.find('\n', at) - at), "|") == columns);
}

TEST_CASE("review: the key cannot end its marker", "[review]") {
  ReportOptions options = options_for();
  options.key = "a --> <b> -- \n|`@x";
  const std::string text = write_markdown(of_many(1), options);
  CHECK(text.starts_with("<!-- muster:review v1 key=a%20-%2D%3E%20%3Cb%3E%20-%2D%20%0A%7C%60%40x -->\n"));
}

TEST_CASE("review: Bitbucket gets no HTML, and names stay in their backticks", "[review]") {
  const std::string text = write_markdown(of_names(hostile), options_for("bitbucket"));
  INFO(text);
  CHECK(text.starts_with("[//]: # (muster:review v1 key=jobs)\n"));
  CHECK(text.find("<details>") == std::string::npos);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    CHECK(times(text.substr(at, text.find('\n', at) - at), "`") % 2 == 0);
  // Each row of the table has the columns of its head: a bar of a name is no border.
  const auto borders = [](const std::string& line) { return times(line, "|") - times(line, "\\|"); };
  const std::size_t head = text.find("| | workload");
  REQUIRE(head != std::string::npos);
  const auto columns = borders(text.substr(head, text.find('\n', head) - head));
  for (std::size_t at = head; text[at] == '|'; at = text.find('\n', at) + 1)
    CHECK(borders(text.substr(at, text.find('\n', at) - at)) == columns);
}

TEST_CASE("review: names of strangers are text in a page and on a terminal", "[review]") {
  const std::string page = write_html(of_names(hostile), options_for());
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("<!--") == std::string::npos);
  CHECK(page.find("src=") == std::string::npos);
  CHECK(times(page, "href=\"#w") == times(page, "href="));
  CHECK(times(page, "<details>") == times(page, "</details>"));
  CHECK_FALSE(first_invalid_utf8(page));
  const std::string text = write_text(of_names(hostile), options_for());
  for (const char* bad : {"\x1b", "\xc2\x9b", "\xe2\x80\xae", "\r"}) CHECK(text.find(bad) == std::string::npos);
  CHECK(text.find("\n# head") == std::string::npos);
  CHECK_NOTHROW(nlohmann::json::parse(write_json(of_names(hostile), options_for())));
}

TEST_CASE("review: the page allows its style and nothing else", "[review]") {
  CHECK(page_style_digest == "sha256-" + base64(rules::sha256(page_style)));
  const std::string page = write_html(of_many(1), options_for());
  CHECK(page.find("default-src 'none'; style-src '" + std::string(page_style_digest) + "'") != std::string::npos);
  CHECK(page.find("<style>" + std::string(page_style) + "</style>") != std::string::npos);
}

TEST_CASE("review: where nothing differs a comment is one line behind its marker", "[review]") {
  const Review review = review_of({job("a")}, {job("a")});
  CHECK(write_markdown(review, options_for()) ==
        "<!-- muster:review v1 key=jobs unchanged -->\nmuster: nothing is decided, placed, costed or emitted "
        "differently.\n");
  Review left_out = review;
  left_out.left_out_head = {{"b.muster", "E0101 unexpected"}};
  CHECK(write_markdown(left_out, options_for()).find("Left out") != std::string::npos);
  for (const auto write : {write_text, write_html, write_json, write_markdown})
    CHECK(write(left_out, options_for()).find("b.muster") != std::string::npos);
}

TEST_CASE("review: the order in which things were read leaves no trace", "[review]") {
  std::vector<Workload> before, after;
  for (int i = 0; i < 40; ++i) {
    Workload w = job("w" + std::to_string(i));
    w.objects.push_back({"ConfigMap", "n", "c" + std::to_string(i), {{"data.x", "1"}}, {}});
    w.findings = {finding("SLM001", "x"), finding("SLM002", "y")};
    if (i % 4 != 0) before.push_back(w);
    w.objects[1].fields[0].value = std::to_string(i % 3);
    w.findings.pop_back();
    if (i % 5 != 0) after.push_back(w);
  }
  std::mt19937 random(7);
  std::array<std::string, 4> first;
  for (int round = 0; round < 5; ++round) {
    const Review review = review_of(before, after);
    const std::array<std::string, 4> texts = {write_text(review, options_for()), write_json(review, options_for()),
                                              write_markdown(review, options_for()), write_html(review, options_for())};
    if (round == 0) first = texts;
    CHECK(texts == first);
    for (std::vector<Workload>* list : {&before, &after}) {
      std::shuffle(list->begin(), list->end(), random);
      for (Workload& w : *list) {
        std::shuffle(w.objects.begin(), w.objects.end(), random);
        std::shuffle(w.findings.begin(), w.findings.end(), random);
      }
    }
  }
}

TEST_CASE("review: of two long values that begin alike the part that differs is shown", "[review]") {
  const std::string start(300, 'x');
  const auto around = [](const std::string& before, const std::string& after) {
    return around_difference({"command", before, after, {}}, 80);
  };
  CHECK(around("python " + start + " --steps 1", "python " + start + " --steps 2").after == "… --steps 2");
  CHECK(around(start + "1", start + "2").before == "… " + std::string(20, 'x') + "1");
  CHECK(around(start, start + "2").after == "… " + std::string(20, 'x') + "2");
  CHECK(around("1" + start, "2" + start).after == "2" + start);
  CHECK(around("short 1", "short 2").before == "short 1");
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "漢";
  CHECK(around(wide + "1", wide + "2").before->starts_with("… 漢"));
  CHECK_FALSE(around_difference({"command", start, {}, {}}, 80).after);
}

}  // namespace review_report_test
