// One answer to whether something has still to be filled in: what the table says, in each place, beside anything, in
// the directives of each reader; and what people write that only looks like it.
#include "compiler/base/blank.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "compiler/base/text.h"
#include "targets/lsf/read/script.h"
#include "targets/pbs/read/script.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/unit/found_in_script.h"

namespace blank_test {

using namespace muster;
namespace fs = std::filesystem;

namespace {

enum : unsigned {
  directive = 1,
  shell = 2,
  yaml = 4,
  secret = 8,
  refused = 16,
  line = 32,
  text = 64,
  comment = 128,
  token = 256
};
constexpr unsigned all_places[] = {directive, shell, yaml, secret, refused, line, text, comment, token};

struct Between {
  std::string open, close, inside, form;
  FilledBy by;
  unsigned places;
  bool leads;  // a sign with nothing behind the name
};
struct Run {
  char sign;
  std::size_t whole, part;
  unsigned places;
};
struct Spoken {
  std::string word, match;
  unsigned places;
};

struct Table {
  std::vector<Between> between;
  std::vector<Run> runs;
  std::vector<Spoken> words;
};

Table table() {
  Table t;
  const auto engine = FilledBy::engine, person = FilledBy::person, variable = FilledBy::variable;
#define BLANK_BETWEEN(open, close, inside, form, engine_name, by, places) \
  t.between.push_back({open, close, #inside, form, by, places, false});
#define BLANK_BEHIND(sign, inside, form, by, places) t.between.push_back({sign, "", #inside, form, by, places, true});
#define BLANK_WHOLE(inside, form, places)
#define BLANK_RUN(sign, whole, part, places) t.runs.push_back({sign, whole, part, places});
#define BLANK_WORD(word, match, places) t.words.push_back({word, #match, places});
#include "compiler/base/blanks.def"
#undef BLANK_BETWEEN
#undef BLANK_BEHIND
#undef BLANK_WHOLE
#undef BLANK_RUN
#undef BLANK_WORD
  return t;
}

std::vector<std::string> insides(const std::string& kind) {
  if (kind == "any" || kind == "plain") return {"nodes", "n ", "a.b | c"};
  if (kind == "statement") return {" if x ", "- endif -"};
  if (kind == "name") return {"queue", "N", "part_2"};
  if (kind == "dotted") return {"exec_job", "a.b"};
  if (kind == "long_capitals") return {"NODES", "N_2"};
  if (kind == "capitals") return {"X", "NODES", "N_2"};
  if (kind == "named") return {"NODES", "n:-1", "X%%.*"};
  if (kind == "command") return {"date +%F", "nproc"};
  if (kind == "number") return {"0", "12"};
  if (kind == "expression") return {"nodes", "args.n", "n:02d"};
  if (kind == "prose") return {"your queue", "account", "N"};
  return {};
}

// Each form of a row, as it is written.
std::vector<std::string> forms_of(const Between& row) {
  std::vector<std::string> out;
  for (const std::string& inside : insides(row.inside))
    out.push_back(row.open + inside + row.close + (row.form == "python" ? "s" : ""));
  return out;
}

// Words of the table with their separators, in the cases in which they count.
std::vector<std::string> spellings(const Spoken& row) {
  std::vector<std::string> out;
  for (const char* between : {"", "-", "_", "."}) {
    std::string word;
    for (const char c : row.word) word += c == ' ' ? std::string(between) : std::string(1, c);
    if (std::find(out.begin(), out.end(), word) != out.end()) continue;
    out.push_back(word);
    if (row.match == "shouted") continue;
    std::string upper = word;
    std::transform(upper.begin(), upper.end(), upper.begin(), to_upper);
    if (upper != word) out.push_back(upper);
  }
  return out;
}

std::vector<std::string> around(const std::string& match, const std::string& word) {
  if (match == "word" || match == "shouted") return {word, "a_" + word + "-b", "/x/" + word, "3" + word + "/y"};
  if (match == "joined") return {"a_" + word + "-b", "/x/" + word, "--data=/" + word, "X=" + word + "/y"};
  if (match == "first") return {word, word + "x"};
  if (match == "item") return {"0-" + word, "gpu:" + word, word + ":00"};
  if (match == "part") return {word, "q7" + word + "9z"};
  if (match == "spelt") return {"Q8" + word + "7"};
  return {word};
}

}  // namespace

TEST_CASE("what is between the signs of the table is a blank beside anything, in each place of its row", "[blank]") {
  const Table all = table();
  REQUIRE(all.between.size() > 20);
  for (const Between& row : all.between)
    for (const std::string& form : forms_of(row)) {
      const bool alone = row.leads && row.by != FilledBy::variable;
      for (const std::string& before : {"", "a=", "/b/", "0-", "log:"})
        for (const std::string& behind : {"", "/c", ".log", ":4", "-1"}) {
          if (alone && ((before[0] != '\0' && before[0] != 'a') || behind[0] != '\0')) continue;
          std::set<std::size_t> ends;
          for (const unsigned place : all_places) {
            if ((row.places & place) == 0) continue;
            const std::string all_of_it = std::string(before) + form + behind;
            INFO(all_of_it << " in " << place);
            const BlankFound found = marked_blank_in(all_of_it, static_cast<In>(place));
            CHECK(found.by == row.by);
            CHECK(found.begin == std::string(before).size());
            ends.insert(found.end);
          }
          CHECK(ends.size() == 1);
        }
    }
}

TEST_CASE("words and repeated signs of the table are blanks of a person", "[blank]") {
  const Table all = table();
  for (const Spoken& row : all.words)
    for (const std::string& word : spellings(row))
      for (const std::string& one : around(row.match, word))
        for (const unsigned place : all_places) {
          if ((row.places & place) == 0) continue;
          INFO(one << " in " << place);
          CHECK(blank_in(one, static_cast<In>(place)).by == FilledBy::person);
        }
  for (const Run& row : all.runs)
    for (std::size_t more = 0; more < 8; ++more)
      for (const unsigned place : all_places) {
        if ((row.places & place) == 0) continue;
        const std::string value(row.whole + more, row.sign);
        INFO(value << " in " << place);
        CHECK(blank_in((place == shell ? "--key=" : "") + value, static_cast<In>(place)).by == FilledBy::person);
        if (row.part > 0) CHECK(blank_in("q7" + value + "9z", static_cast<In>(place)).word);
      }
}

TEST_CASE("the readers of all batch systems see the same blanks", "[blank]") {
  for (const Between& row : table().between) {
    if ((row.places & directive) == 0 || row.leads) continue;
    for (const std::string& form : forms_of(row))
      for (const char* lines : {"#SBATCH --nodes=FORM\n", "#SBATCH -p FORM -n 4\n", "#PBS -l nodes=FORM:ppn=24\n",
                                "#PBS -q FORM\n", "#BSUB -q FORM\n", "#BSUB -n 4 -q FORM\n"}) {
        std::string bytes = std::string("#!/bin/bash\n") + lines + "./a\n";
        const std::string before = bytes.substr(bytes.find("FORM") - 1, 1);
        if (form[0] == '#' && before == " ") continue;  // a comment
        bytes.replace(bytes.find("FORM"), 4, form);
        INFO(bytes);
        Sources sources;
        const std::uint32_t file = sources.add("job", bytes);
        const auto templates =
            bytes.find("#PBS") != bytes.npos    ? targets::pbs::read_script(sources, file).job.text.templates
            : bytes.find("#BSUB") != bytes.npos ? targets::lsf::read_script(sources, file).text.templates
                                                : targets::slurm::read_script(sources, file).templates;
        REQUIRE(templates.size() == 1);
        CHECK(sources.text(templates[0].span) == form);
        CHECK(templates[0].by == row.by);
      }
  }
}

TEST_CASE("what people write that is near a blank is none", "[blank]") {
  std::vector<std::string> near = {"std::vector<int>",
                                   "map<string,vector<int>>",
                                   "<a@b>",
                                   "Ada<ada@uni.edu>",
                                   "(?<year>[0-9]+)",
                                   "(?P<n>x)",
                                   "^[a-z]+$",
                                   "a{2,3}",
                                   "[^@]+@[^.]+",
                                   "(foo|bar)",
                                   "$((N+1))",
                                   "$(( 60 / 2 ))",
                                   "{print $1}",
                                   "NR==1{print $2}",
                                   "{1..8}",
                                   "{a,b}",
                                   "%x_%j.out",
                                   "%A_%a",
                                   "%Y-%m-%d",
                                   "%H:%M:%S",
                                   "__init__.py",
                                   "__pycache__",
                                   "tailor-registry.io/a",
                                   "todo-app:2",
                                   "xxl",
                                   "0xFF",
                                   "a#b",
                                   "C#",
                                   "**",
                                   "{%}",
                                   "a<b",
                                   "a > b",
                                   "s3://bucket/a",
                                   "key=value",
                                   "-DCMAKE_CXX_FLAGS=-O3",
                                   "ada@uni.edu",
                                   "@sha256:0123456789abcdef"};
  for (const char* folder : {"/scratch/ada", "./run", "~/data", "/home/ada/my__run"})
    for (const char* name : {"a.py", "log-%j.txt", "model_v2.1", "x@y", "part,1", "a+b"})
      near.push_back(std::string(folder) + "/" + name);
  for (const char* registry :
       {"nvcr.io/nvidia", "ghcr.io/ada", "123.dkr.ecr.us-east-1.amazonaws.com", "r.uni.edu:5000"})
    for (const char* image : {"pytorch:24.01-py3", "a@sha256:9f1c", "run:v1.2_3"})
      near.push_back(std::string(registry) + "/" + image);
  for (int i = 1; i < 40; ++i) {
    const std::string n = std::to_string(i);
    near.insert(near.end(), {"node[" + n + "-" + std::to_string(i + 7) + "]", "gpu-[0" + n + ",9]", "n" + n + ",m" + n,
                             "$((" + n + "*2))", "awk '{s+=$" + n + "} END{print s}'", "T<" + n + ">", n + ":00:00"});
  }
  for (const std::string& one : near)
    for (const In place : {In::directive, In::shell, In::yaml, In::secret}) {
      INFO(one << " in " << static_cast<int>(place));
      CHECK_FALSE(blank_in(one, place));
    }
}

TEST_CASE("a word of the table in another word is none, but where a secret would be", "[blank]") {
  for (const char* word : {"$path_to_x", "${path_to}/x", "--a=$TODO", "$my_path_to", "your", "--path_to_model",
                           "PATH_TO_DATA=/scratch/ada"})
    CHECK_FALSE(blank_in(word, In::shell));
  for (const char* name : {"youri", "yourong", "todos", "fixmer", "placeholders"})
    for (const In place : {In::directive, In::shell, In::yaml}) CHECK_FALSE(blank_in(name, place));
}

TEST_CASE("signs without an end cost no more than their number", "[blank]") {
  for (const char* sign : {"{{", "<", "<a", "{%", "@A", "%AAA", "__A", "##a", "${a", "$(a", "XXXa"}) {
    std::string all;
    for (int i = 0; i < 20'000; ++i) all += sign;
    for (const In place : {In::directive, In::yaml, In::refused}) (void)blank_in(all, place);
  }
}

TEST_CASE("a template of PBS or LSF is a template, and the rest of it is judged", "[blank][lint]") {
  const auto found = [](std::string_view rule, const std::string& lines) {
    return tests::found_in_script(rule, lines);
  };
  CHECK(found("SLM022", "#PBS -l nodes={{ n }}:ppn=24\n./a\n") == "unclear 2");
  CHECK(found("SLM022", "#BSUB -q <my queue>\n./a\n") == "unclear 2");
  CHECK(found("SLM022", "#PBS -q batch -A YOUR_ACCOUNT\n./a\n") == "unclear 2");
  CHECK(found("SLM022", "#PBS -q batch\n./a\n") == "");
  CHECK(found("PBS002", "#PBS -l nodes={{ n }}:ppn=24\n./a\n") == "");
  CHECK(found("LSF004", "#BSUB -q <my queue>\n./a\n") == "");
  CHECK(found("LSF001", "#BSUB -q <my queue>\n#BSUB -W 1:00:00\n./a\n").ends_with(" 3"));
  CHECK(found("PBS003", "#PBS -l walltime={{ t }}\n./a\n") == "");
  CHECK(found("PBS003", "#PBS -l nodes={{ n }} -l walltime=2:00:00:00:00\n./a\n").ends_with(" 2"));
}

// ---- relapse -------------------------------------------------------------------------------------------

namespace {

std::string bare(std::string_view word) {
  std::string out;
  for (const char c : lower(word))
    if (std::string_view("-_./ ").find(c) == std::string_view::npos) out += c;
  return out;
}

std::vector<std::string> literals_of(const std::string& source) {
  std::vector<std::string> out;
  std::istringstream lines(source);
  for (std::string one; std::getline(lines, one);) {
    if (trimmed(one).starts_with("//") || one.starts_with("#include")) continue;
    for (std::size_t at = one.find('"'); at != one.npos; at = one.find('"', at)) {
      std::size_t end = at + 1;
      while (end < one.size() && one[end] != '"') end += one[end] == '\\' ? 2 : 1;
      if (end >= one.size()) break;
      out.push_back(one.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("no other place of the product tells blanks by the words or signs of the table", "[blank]") {
  std::set<std::string> words, signs;
  for (const Spoken& row : table().words)
    if (row.match != "whole" && row.match != "item" && row.word.size() > 3 && row.places != token &&
        trimmed(row.word, "-_.@") == row.word)
      words.insert(bare(row.word));
  for (const Between& row : table().between)
    if (row.open.size() > 1 && row.by == FilledBy::engine && is_name_start(row.open[0]) == false && row.open != "%%" &&
        row.open[0] != '#')
      signs.insert(row.open.substr(0, 2));
  std::size_t files = 0;
  for (const char* room : {"compiler", "targets", "lint", "review", "driver", "cli", "plan", "rules"})
    for (const auto& entry : fs::recursive_directory_iterator(tests::source_folder() / fs::path(room))) {
      const std::string path = entry.path().generic_string();
      if (!path.ends_with(".cc") && !path.ends_with(".h")) continue;
      std::ifstream in(path);
      std::stringstream bytes;
      bytes << in.rdbuf();
      std::set<std::string> said, marked;
      for (const std::string& literal : literals_of(bytes.str())) {
        if (words.contains(bare(literal))) said.insert(bare(literal));
        if (signs.contains(literal.substr(0, 2)) && literal.size() < 5) marked.insert(literal.substr(0, 2));
      }
      std::string names;
      for (const std::string& one : said) names += one + " ";
      for (const std::string& one : marked) names += one + " ";
      INFO(path << ": " << names << "belong into compiler/base/blanks.def");
      CHECK(said.size() < 2);
      CHECK(marked.size() < 2);
      ++files;
    }
  CHECK(files > 500);
}

}  // namespace blank_test
