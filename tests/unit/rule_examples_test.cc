// The example of each rule, by the command that its page shows: it reports the rule in the wrong file and nothing else
// above an info, and not even that in the corrected file. What is linted is what the executable has embedded.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "lint/examples.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/temp_folder.h"
#include "tests/unit/site_file.h"

namespace rule_examples_test {

namespace fs = std::filesystem;
using namespace muster;
using Strings = std::vector<std::string>;

namespace {

void write(const fs::path& file, std::string_view text) { std::ofstream(file, std::ios::binary) << text; }

struct Found {
  Strings of_rule, others;  // of others, what is above an info
  bool sure = false;        // a finding of the rule does not depend on what the file does not say
};

// An example in a folder of its own, as the reader of the page has it.
class Written {
 public:
  explicit Written(const lint::Rule& rule) : rule_(rule), example_(lint::example_of(rule)) {
    fs::create_directory(folder_.path() / "base");
    for (const auto* files : {&example_.others, &example_.wrong, &example_.corrected})
      for (const lint::ExampleFile& file : *files) write(folder_.path() / file.name, file.text);
    for (const lint::ExampleFile& file : example_.others) {
      if (!file.name.starts_with("base.")) continue;
      for (const auto* files : {&example_.wrong, &example_.corrected})
        write(folder_.path() / "base" / files->front().name, file.text);
    }
  }

  Found wrong() { return lint(lint::example_command(rule_, example_)); }
  Found corrected() {
    const std::string command = lint::example_command(rule_, example_);
    return lint(std::regex_replace(command, std::regex(std::string(example_.wrong.front().name)),
                                   std::string(example_.corrected.front().name)));
  }
  // What is left after the fix; the text of the file afterwards in `text`.
  Found fixed(std::string& text) {
    const std::string command = lint::example_command(rule_, example_);
    run(command + (rule_.fix == lint::FixKind::safe ? " --fix" : " --unsafe-fixes"));
    text = file_text(folder_.path() / example_.wrong.front().name);
    return lint(command);
  }

 private:
  void run(const std::string& command) {
    const std::string folder = folder_.path().string();
    const std::string line = "cd '" + folder + "' && '" + tests::muster_binary() + "'" + command.substr(6) + " >'" +
                             folder + "/out' 2>'" + folder + "/errors'";
    CHECK(std::system(line.c_str()) != -1);
  }

  Found lint(const std::string& command) {
    run(command + " -o json");
    const auto report = nlohmann::json::parse(file_text(folder_.path() / "out"), nullptr, false);
    INFO(command << "\n" << file_text(folder_.path() / "errors"));
    REQUIRE(report.is_object());
    Found out;
    for (const auto& finding : report["findings"]) {
      if (finding["state"] != "open") continue;
      const std::string id = finding["rule"];
      const std::string line = id + ": " + finding["message"].get<std::string>();
      if (id == rule_.id) out.of_rule.push_back(line), out.sure |= finding["verdict"] == "wrong";
      else if (finding["severity"] != "info" && !belongs(id)) out.others.push_back(line);
    }
    return out;
  }

  // The rule files of the examples leave out their test cases; muster also refuses to write what two rules report.
  bool belongs(const std::string& id) const {
    return (id == "RUL005" && rule_.id.starts_with("RUL")) ||
           (id == "E0701" && (rule_.id == "DEC002" || rule_.id == "SCH007"));
  }

  tests::TempFolder folder_;
  const lint::Rule& rule_;
  lint::Example example_;
};

bool has_example(const lint::Rule& rule) {
  const lint::Example example = lint::example_of(rule);
  return !example.wrong.empty() && !example.corrected.empty();
}

}  // namespace

TEST_CASE("the command of a rule's page reports the rule alone, and nothing once it is corrected", "[lint][examples]") {
  for (const lint::Rule& rule : lint::all_rules()) {
    INFO(rule.id);
    REQUIRE(has_example(rule));
    Written example(rule);
    const Found wrong = example.wrong(), corrected = example.corrected();
    CHECK_FALSE(wrong.of_rule.empty());
    CHECK(wrong.others == Strings{});
    if (!wrong.sure) CHECK(corrected.of_rule == Strings{});
    CHECK_FALSE(corrected.sure);
    CHECK(corrected.others == Strings{});
  }
}

TEST_CASE("the fix of a rule corrects its example", "[lint][examples]") {
  for (const lint::Rule& rule : lint::all_rules()) {
    if (rule.fix == lint::FixKind::none) continue;
    INFO(rule.id);
    Written example(rule);
    std::string text;
    const Found fixed = example.fixed(text);
    CHECK(text != lint::example_of(rule).wrong.front().text);
    CHECK(fixed.of_rule == Strings{});
  }
}

TEST_CASE("the page of a rule is complete", "[lint][examples]") {
  const std::regex address("https://[^ <>\"]+|docs/[a-z/-]+\\.md");
  for (const lint::Rule& rule : lint::all_rules()) {
    INFO(rule.id);
    CHECK_FALSE((rule.summary.empty() || rule.summary.starts_with("TODO")));
    for (const std::string_view text : {rule.checks, rule.why, rule.instead}) {
      CHECK((text.ends_with('.') || text.ends_with('?')));
      CHECK_FALSE(text.starts_with("TODO"));
    }
    CHECK_FALSE(rule.sources.empty());
    for (const lint::Source& source : rule.sources) {
      INFO(source.address);
      CHECK_FALSE(source.title.starts_with("TODO"));
      CHECK(std::regex_match(std::string(source.address), address));
      if (source.address.starts_with("docs/")) CHECK(fs::exists(fs::path(tests::source_folder()) / source.address));
    }
    const lint::Example example = lint::example_of(rule);
    for (const auto* files : {&example.wrong, &example.corrected, &example.others})
      for (const lint::ExampleFile& file : *files) {
        CHECK(file.text.find("TODO") == std::string_view::npos);
        CHECK(std::count(file.text.begin(), file.text.end(), '\n') <= 40);
      }
  }
}

}  // namespace rule_examples_test
