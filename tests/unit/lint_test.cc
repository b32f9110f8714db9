// The core of lint: suppressions, keys, baseline, fixes, the limits of reports.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/base/ci_commands.h"
#include "compiler/base/diff.h"
#include "compiler/base/sha256.h"
#include "compiler/base/text.h"
#include "lint/check.h"
#include "lint/fix.h"
#include "lint/report/baseline.h"
#include "lint/report/report.h"
#include "lint/site_remarks.h"
#include "lint/suppress.h"
#include "lint/suppression_index.h"
#include "tests/catch.h"

namespace lint_test {

using namespace muster;
using namespace muster::lint;

namespace {

Finding at(RuleId rule, std::uint32_t begin, std::uint32_t end) {
  Finding f = finding(rule, {1, begin, end}, "something is wrong");
  f.subject = "job";
  return f;
}

Result with_fix(std::vector<Edit> edits, bool safe = true) {
  Result r;
  r.finding = at(RuleId::double_launch, edits.front().where.begin, edits.front().where.end);
  r.finding.fix = Fix{"mend it", safe, std::move(edits)};
  return r;
}

Edit edit(std::uint32_t begin, std::uint32_t end, std::string text) { return {{1, begin, end}, std::move(text)}; }

Fixed fixed_text(const std::string& text, const std::vector<Result>& results, bool unsafe) {
  Sources sources;
  return apply_fixes(sources, sources.add("file", text), results, unsafe);
}

// The lines (1-based) on which a finding would be suppressed.
std::vector<std::size_t> suppressed_lines(const std::string& text, Input kind) {
  Sources sources;
  sources.add("file", text);
  Suppressions read = read_comments(sources, 1, kind);
  std::vector<std::size_t> out;
  std::size_t line = 1;
  for (std::uint32_t i = 0; i < text.size(); ++i) {
    const bool first = i == 0 || text[i - 1] == '\n';
    if (first && SuppressionIndex(read, "").find(at(RuleId::double_launch, i, i + 1)) != nullptr) out.push_back(line);
    line += text[i] == '\n';
  }
  return out;
}

}  // namespace

TEST_CASE("a suppression is for its line, the line below, or the whole file") {
  using Lines = std::vector<std::size_t>;
  const std::string allow = "# muster: allow SLM001 -- reason\n";
  CHECK(suppressed_lines("#!/bin/bash\n#SBATCH -n 1\na\n" + allow + "b\nc\n", Input::script) == Lines{5});
  CHECK(suppressed_lines("#!/bin/bash\n#SBATCH -n 1\na\n" + allow + allow + "b\nc\n", Input::script) == Lines{6});
  CHECK(suppressed_lines("#!/bin/bash\n#SBATCH -n 1\na  " + allow + "b\n", Input::script) == Lines{3});
  CHECK(suppressed_lines("#!/bin/bash\n" + allow + "#SBATCH -n 1\na\n", Input::script) == Lines{1, 2, 3, 4});
  CHECK(suppressed_lines("# c\n---\n" + allow + "kind: Pod\na: b\n", Input::manifest) == Lines{1, 2, 3, 4, 5});
  CHECK(suppressed_lines("kind: Pod\n" + allow + "a: b\nc: d\n", Input::manifest) == Lines{3});
  CHECK(suppressed_lines("#SBATCH -n 1\n" + allow, Input::script).empty());  // nothing is below it
  CHECK(suppressed_lines("#SBATCH -n 1\necho 'x#muster: allow SLM001 -- reason'\n", Input::script).empty());
  CHECK(suppressed_lines("#SBATCH -n 1\r\n# muster: allow double-launch -- reason\r\na\r\n", Input::script) ==
        Lines{3});
}

TEST_CASE("a suppression expires only against a date") {
  Sources sources;
  sources.add("file", "#SBATCH -n 1 # muster: allow SLM001 until=2026-06-30 -- reason\n");
  Suppressions read = read_comments(sources, 1, Input::script);
  CHECK(SuppressionIndex(read, "").find(at(RuleId::double_launch, 0, 1)) != nullptr);
  CHECK(SuppressionIndex(read, "2026-06-30").find(at(RuleId::double_launch, 0, 1)) != nullptr);
  CHECK(SuppressionIndex(read, "2026-07-01").find(at(RuleId::double_launch, 0, 1)) == nullptr);
  std::string unknown;
  const Selection all = select_rules({}, {}, true, unknown);
  const auto left = leftovers(read, all, "2026-07-01", true);
  REQUIRE(left.size() == 1);
  CHECK(left[0].rule == RuleId::expired_suppression);
  CHECK(leftovers(read, all, "", true).empty());  // it was used
  CHECK(is_date("2028-02-29"));
  CHECK_FALSE(is_date("2026-02-29"));
  CHECK_FALSE(is_date("1900-02-29"));
  CHECK(is_date("2000-02-29"));
  CHECK_FALSE(is_date("2026-04-31"));
  CHECK_FALSE(is_date("2026-13-01"));
  CHECK_FALSE(is_date("2026-1-01"));
}

TEST_CASE("an annotation is for its object") {
  Sources sources;
  sources.add("file", std::string(200, 'x'));
  Suppressions read;
  read_annotation("SLM001 -- a test image", {1, 110, 140}, {1, 100, 180}, "Pod/a", sources, read);
  REQUIRE(read.items.size() == 1);
  CHECK(read.items[0].reason == "a test image");
  CHECK(SuppressionIndex(read, "").find(at(RuleId::double_launch, 150, 151)) != nullptr);
  CHECK(SuppressionIndex(read, "").find(at(RuleId::double_launch, 99, 151)) == nullptr);
  CHECK(SuppressionIndex(read, "").find(at(RuleId::double_launch, 180, 181)) == nullptr);
}

TEST_CASE("many suppressions of one file are cut off, not compared for ever") {
  Sources sources;
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "a # muster: allow SLM001 -- reason\n";
  sources.add("file", text);
  const Suppressions read = read_comments(sources, 1, Input::script);
  CHECK(read.items.size() == 1000);
  CHECK(read.findings.size() == 1);
}

TEST_CASE("all edits of a fix are made or none") {
  const std::string text = "0123456789";
  const std::vector<Result> overlapping = {with_fix({edit(2, 4, "AB")}), with_fix({edit(3, 5, "X"), edit(8, 9, "Y")}),
                                           with_fix({edit(6, 6, "-"), edit(9, 10, "")})};
  const Fixed fixed = fixed_text(text, overlapping, false);
  CHECK(fixed.text == "01AB45-678");
  CHECK(fixed.applied == 2);
  const std::vector<Result> same_place = {with_fix({edit(5, 5, "a")}), with_fix({edit(5, 5, "b")}),
                                          with_fix({edit(5, 7, "c")})};
  CHECK(fixed_text(text, same_place, false).text == "01234a56789");
  const std::vector<Result> touching = {with_fix({edit(0, 2, "a")}), with_fix({edit(2, 4, "b")})};
  CHECK(fixed_text(text, touching, false).text == "ab456789");
  const std::vector<Result> own = {with_fix({edit(1, 3, "a"), edit(2, 4, "b")}), with_fix({edit(9, 30, "b")}),
                                   with_fix({{{2, 0, 1}, "of another file"}})};
  CHECK(fixed_text(text, own, false).text == text);
}

TEST_CASE("only open results are fixed, and unsafe fixes only where they are asked for") {
  std::vector<Result> results = {with_fix({edit(0, 1, "a")}, false), with_fix({edit(2, 3, "b")}),
                                 with_fix({edit(4, 5, "c")})};
  results[1].state = State::suppressed;
  CHECK(fixed_text("012345", results, false).text == "0123c5");
  CHECK(fixed_text("012345", results, true).text == "a123c5");
}

TEST_CASE("a key holds no line number") {
  Sources sources;
  sources.add("dir/a|b\xff.sh", std::string(100, '\n'));
  std::vector<Result> results(3);
  results[0].finding = at(RuleId::double_launch, 10, 11);
  results[1].finding = at(RuleId::double_launch, 20, 21);
  results[2].finding = at(RuleId::unused_suppression, 30, 31);
  set_keys(results, sources);
  CHECK(results[0].key == "SLM001|dir/a\\|b\\xff.sh|job||0");
  CHECK(results[1].key == "SLM001|dir/a\\|b\\xff.sh|job||1");
  CHECK(results[2].key == "SUP002|dir/a\\|b\\xff.sh|job||0");
  CHECK(file_of(results[0].key) == "dir/a|b\xff.sh");
  CHECK(fingerprint(results[0].key) != fingerprint(results[1].key));
  CHECK(fingerprint("") == "cbf29ce484222325");
}

TEST_CASE("a baseline keeps what was not read, and names what is gone") {
  Outcome outcome;
  outcome.files = {"a"};
  outcome.results.resize(1);
  outcome.results[0].finding = at(RuleId::double_launch, 0, 1);
  outcome.results[0].key = "SLM001|a|job||0";
  const Baseline baseline{"", {"SLM001|a|job||0", "SLM001|a|job||1", "SLM001|b|job||0", "SLM001|c|job||0"}};
  const auto leftover = compare(outcome, baseline, [](const std::string& file) { return file == "b"; });
  CHECK(leftover.stale == std::vector<std::string>{"SLM001|a|job||1", "SLM001|c|job||0"});
  CHECK(leftover.kept == std::vector<std::string>{"SLM001|b|job||0"});
  std::string why;
  const auto again = read_baseline(write_baseline(outcome, leftover.kept, ""), why);
  REQUIRE(again);
  CHECK(again->keys == std::vector<std::string>{"SLM001|a|job||0", "SLM001|b|job||0"});
  for (const char* bad : {"", "[]", "{\"schema\": \"x\"}", "{\"schema\": \"muster.baseline/v1\"}",
                          "{\"schema\": \"muster.baseline/v1\", \"findings\": [1]}",
                          "{\"schema\": \"muster.baseline/v1\", \"findings\": [\"SLM999|a|job||0\"]}"}) {
    why.clear();
    CHECK_FALSE(read_baseline(bad, why));
    CHECK_FALSE(why.empty());
  }
}

TEST_CASE("a baseline knows a secret by its digest, not by its place") {
  const auto found = [](const std::string& secret, int number) {
    Result r;
    r.finding = at(RuleId::secret_in_env, 0, 1);
    r.finding.secret = secret;
    r.key = "SEC001|a|job|`TOKEN`|" + std::to_string(number);
    return r;
  };
  std::size_t known = 0, open = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string mine = "token-" + std::to_string(i), salt = "salt" + std::to_string(i);
    Outcome outcome;
    outcome.results = {found(mine, 0)};
    CHECK(has_secrets(outcome));
    std::string why;
    const std::string text = write_baseline(outcome, {}, salt);
    CHECK(text.find(mine) == std::string::npos);
    const auto baseline = read_baseline(text, why);
    REQUIRE(baseline);
    CHECK(baseline->salt == salt);
    CHECK(baseline->keys.at(0) == "SEC001|a|job|`TOKEN`|secret " + sha256(salt + mine).substr(0, 8));
    // The same one, also behind a new one; another one in its place; the same one under another salt.
    std::vector<Result> later{found("other-" + mine, 0), found(mine, 1)};
    mark_known(later, *baseline);
    known += later[1].state == State::known ? 1 : 0;
    open += later[0].state == State::open ? 1 : 0;
    mark_known(later, {"x" + salt, baseline->keys});
    CHECK(later[0].state == State::open);
  }
  CHECK(known == 40);
  CHECK(open == 40);
  std::vector<Result> old{found("mine", 0)};
  mark_known(old, {"", {"SEC001|a|job|`TOKEN`|0"}});
  mark_known(old, {"", {"SEC001|a|job|`TOKEN`|0"}});
  CHECK(old[0].state == State::open);
  CHECK(old[0].finding.notes.size() == 1);
}

TEST_CASE("rules are chosen by id, name and family") {
  std::string unknown;
  const auto runs = [](const Selection& s, RuleId rule) { return s.contains(rule); };
  CHECK(runs(select_rules({"slm001"}, {}, false, unknown), RuleId::double_launch));
  CHECK_FALSE(runs(select_rules({"SLM001"}, {}, false, unknown), RuleId::unused_suppression));
  CHECK(runs(select_rules({"sup"}, {}, false, unknown), RuleId::unused_suppression));
  CHECK_FALSE(runs(select_rules({}, {"double-launch"}, false, unknown), RuleId::double_launch));
  CHECK(unknown.empty());
  select_rules({"SLM001", "nothing"}, {}, false, unknown);
  CHECK(unknown == "nothing");
}

namespace {

// An outcome of `errors` errors and `warnings` warnings in one file.
struct Many {
  Sources sources;
  Outcome outcome;

  Many(std::size_t errors, std::size_t warnings, const std::string& message) {
    const std::uint32_t file = sources.add("file.sh", "#SBATCH\n");
    outcome.files = {"file.sh"};
    for (std::size_t i = 0; i < errors + warnings; ++i) {
      Result r;
      r.finding = at(i < warnings ? RuleId::unused_suppression : RuleId::double_launch, 0, 1);
      r.finding.primary.file = file;
      r.finding.message = message;
      r.key = std::to_string(i);
      outcome.results.push_back(r);
    }
  }
  View view() const { return {outcome, sources, "0"}; }
};

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("each finding says what to write: by its fix, by a note, or else by its rule's page, once") {
  for (const Rule& rule : all_rules()) {
    Many two(2, 0, "wrong");
    for (Result& r : two.outcome.results) r.finding.rule = static_cast<RuleId>(&rule - all_rules().data());
    const std::string text = write_text(two.view());
    INFO(rule.id << "\n" << text);
    CHECK(rule.instead.size() >= 8);
    CHECK(occurrences(text, "= help: ") == 1);
    CHECK(text.find(rule.instead.substr(1, rule.instead.size() - 2)) != std::string::npos);
    two.outcome.results[0].finding.notes = {"write `this`"};
    two.outcome.results[1].finding.fix = Fix{"write that", true, {}};
    CHECK(occurrences(write_text(two.view()), "= help: ") == 1);
    CHECK(occurrences(write_text(two.view()), "= help: write that (--fix)") == 1);
  }
}

TEST_CASE("reports stay within the limits of those who read them") {
  const Many many(20, 26'000, "much");
  const std::string sarif = whole(write_sarif, many.view());
  CHECK(occurrences(sarif, "\"ruleId\"") == 25'000);
  CHECK(occurrences(sarif, "\"ruleId\": \"SLM001\"") == 20);  // the worst are kept
  const std::string github = write_github(many.view());
  CHECK(occurrences(github, "::error ") == 10);
  CHECK(occurrences(github, "::warning ") == 10);
  CHECK(occurrences(github, "26000 not shown here") == 1);
  const std::string markdown = write_markdown(many.view());
  CHECK(markdown.size() < 65'536);
  CHECK(occurrences(markdown, " more.\n") == 1);
  CHECK(occurrences(markdown, "SLM001") == 20);
}

TEST_CASE("a JUnit file has what was found in files that are read twice, or were not asked for") {
  Many lib(1, 1, "m");  // of file.sh, which another one imports
  lib.outcome.results[1].finding.primary.file = lib.sources.add("file.sh", "#SBATCH\n");
  lib.outcome.results.push_back(lib.outcome.results[1]);
  lib.outcome.results[2].finding.primary.file = lib.sources.add("site.muster", "site\n");
  const std::string junit = write_junit(lib.view());
  CHECK(occurrences(junit, "<testcase ") == 3);
  CHECK(occurrences(junit, "<failure ") == 2);
  CHECK(occurrences(junit, "<testsuite ") == 2);
  CHECK(occurrences(junit, "name=\"site.muster\" tests=\"1\" failures=\"1\"") == 1);
}

TEST_CASE("text of users is no markup in any report") {
  const Many hostile(
      1, 0,
      "[x](https://x.example) `x` %0A::error::\r\n::error::no @all #1 | <b> </failure> \x01\xff\xef\xbf\xbe" +
          std::string(6'000, 'y'));
  const std::string github = write_github(hostile.view());
  CHECK(std::count(github.begin(), github.end(), '\n') == 2);
  CHECK(github.find("%250A") != std::string::npos);
  const std::string markdown = write_markdown(hostile.view());
  CHECK(markdown.find("@all") == std::string::npos);
  CHECK(markdown.find(" #1 ") == std::string::npos);
  CHECK(markdown.find("<b>") == std::string::npos);
  CHECK(markdown.find("[x](") == std::string::npos);
  CHECK(markdown.find(" &#124; &#60;b&#62; ") != std::string::npos);
  CHECK(markdown.find("&#64;&#8203;all &#35;&#8203;1") != std::string::npos);  // hosts decode numbers before they look
  const std::string junit = write_junit(hostile.view());
  CHECK(occurrences(junit, "</failure>") == 1);
  CHECK(junit.find('\x01') == std::string::npos);
  CHECK(junit.find('\xff') == std::string::npos);
  CHECK(junit.find("\xef\xbf\xbe") == std::string::npos);  // U+FFFE: no sign of XML
  const std::string sarif = whole(write_sarif, hostile.view());
  CHECK(sarif.find(std::string(5'001, 'y')) == std::string::npos);
  CHECK(sarif.find("\\\\[x\\\\](https") != std::string::npos);  // a backslash, as JSON spells it
  CHECK(whole(write_json, hostile.view()).find('\xff') == std::string::npos);
}

TEST_CASE("JSON that is written as a stream is what the library prints of it") {
  Many hostile(1, 1, "\x01\t\"\\ \xff \u00e4 \xe2\x82 \x7f");
  Result& first = hostile.outcome.results[0];
  first.finding.labels = {{{1, 0, 1}, "here"}, {{}, "nowhere"}};
  first.finding.notes = {"a note", "", "\xff", "\xc3\xa4"};
  first.finding.fix = Fix{"mend it", true, {{{1, 0, 1}, "x"}, {{1, 1, 1}, "\n"}}};
  hostile.outcome.results[1].finding.primary = {};
  hostile.outcome.left_out = {"a", "b"};
  for (const auto write : {write_json, write_sarif}) {
    const std::string text = whole(write, hostile.view());
    CHECK(without_hidden(nlohmann::ordered_json::parse(text).dump(1)) + "\n" == text);
  }
}

TEST_CASE("a remark that needs a site is reported once per run") {
  const auto remark = [](std::string message, State state = State::open) {
    Result r{at(RuleId::unknown_partition, 0, 1), "", state, ""};
    r.finding.message = std::move(message);
    r.finding.needs_site = true;
    return r;
  };
  std::vector<Result> first{remark("a"), remark("b"), remark("a", State::suppressed)};
  std::vector<Result> second{remark("a"), {at(RuleId::double_launch, 0, 1), "", State::open, ""}, remark("a")};
  SiteRemarks remarks;
  remarks.merge(first);
  remarks.merge(second);
  REQUIRE(first.size() == 3);
  REQUIRE(second.size() == 1);
  CHECK_FALSE(second[0].finding.needs_site);
  remarks.note_repeats(first);
  CHECK(first[0].finding.notes == std::vector<std::string>{"the same applies to 2 other places"});
  CHECK(first[1].finding.notes.empty());
  CHECK(first[2].finding.notes.empty());
}

TEST_CASE("a difference is what patch reads") {
  CHECK(unified_diff("f", "a\nb\n", "a\nb\n").empty());
  CHECK(unified_diff("f", "a\nb\nc\n", "a\nx\nc\n") == "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
  CHECK(unified_diff("f", "", "a") == "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n");
  CHECK(unified_diff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n6\n7\n8\n9\nx\n") ==
        "--- a/f\n+++ b/f\n@@ -2,8 +2,8 @@\n 2\n 3\n 4\n-5\n 6\n 7\n 8\n 9\n+x\n");
  std::string long_text, other;
  for (int i = 0; i < 5'000; ++i) long_text += std::to_string(i) + "\n", other += std::to_string(-i) + "\n";
  CHECK(occurrences(unified_diff("f", long_text, other), "@@") == 2);  // given up: one hunk
}

TEST_CASE("what lint reads is told by the text") {
  CHECK(kind_of("#!/bin/bash\n#SBATCH -n 1\n") == Input::script);
  CHECK(kind_of("#SBATCH -n 1") == Input::script);
  CHECK_FALSE(kind_of("#!/bin/bash\n #SBATCH -n 1\necho '#SBATCH'\n"));
  CHECK(kind_of("# a\n---\napiVersion: v1\nkind: Pod\n") == Input::manifest);
  CHECK(kind_of(" {\"apiVersion\": \"v1\", \"kind\": \"Pod\"}") == Input::manifest);
  CHECK_FALSE(kind_of("name: x\nspec:\n  apiVersion: v1\n  kind: Pod\n"));
  CHECK_FALSE(kind_of(""));
}

TEST_CASE("what several files find in one that they import has keys of its own") {
  const auto keyed = [](const std::string& key, State state = State::open) {
    Result r;
    r.key = key;
    r.state = state;
    return r;
  };
  std::vector<Result> results = {keyed("A|lib|x||0"), keyed("A|lib|x||1"), keyed("A|lib|x||0", State::known),
                                 keyed("A|lib|y||0", State::known), keyed("A|lib|x||0", State::suppressed)};
  distinguish(results);
  std::vector<std::string> keys;
  for (const Result& r : results) keys.push_back(r.key);
  CHECK(keys == std::vector<std::string>{"A|lib|x||0", "A|lib|x||1", "A|lib|x||2", "A|lib|y||0", "A|lib|x||3"});
  CHECK(results[2].state == State::open);
  CHECK(results[3].state == State::known);
  CHECK(results[4].state == State::suppressed);
}

}  // namespace lint_test
