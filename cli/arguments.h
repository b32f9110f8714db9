// The command line of a verb. CLI11 stays behind this header: reading its own costs each file seconds.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace muster::cli {

// One option of a verb, for completions and manual pages.
struct OptionEntry {
  std::vector<std::string> names;    // "-o", "--output"; empty: an argument without a name
  std::string value;                 // what its value is called: "FILE"; empty: it takes none
  std::string help;                  // what --help says of it
  std::vector<std::string> choices;  // values to offer
  bool required = false;
  bool repeated = false;
};

// A verb with its options, and the verbs below it.
struct VerbEntry {
  std::string name;
  std::string summary;  // in one line
  std::string about;
  std::vector<OptionEntry> options;
  std::vector<VerbEntry> verbs;
};

// The command line of a verb, whose name comes first. If `described` is set, the verb describes its options there and
// does nothing else.
struct CommandLine {
  int argc = 0;
  char** argv = nullptr;
  VerbEntry* described = nullptr;
};

// Values to offer for an option, where they are a short list.
using Choices = std::map<const CLI::Option*, std::vector<std::string>>;

// An option that was added, to say more of it. Valid as long as its Arguments.
class Option {
 public:
  Option(CLI::Option* option, Choices* choices) : option_(option), choices_(choices) {}

  Option& type_name(const std::string& name);  // of its value, in --help
  Option& required();
  Option& needs(const Option& other);  // given only together with it
  Option& one_of(std::vector<std::string> words);
  Option& suggest(std::vector<std::string> words);  // to complete with; other values are taken too
  Option& between(double low, double high);
  // `why_not` of a value: "" where it may be used, else a sentence.
  Option& check(std::function<std::string(const std::string& value)> why_not);
  Option& one_at_a_time();  // of a list: `--x A --x B`, never `--x A B`
  Option& commas();         // of a list: `--x A,B` too

 private:
  CLI::Option* option_;
  Choices* choices_;
};

// The options of a verb, or of a verb of a verb. What parse() reads is written where each option said.
class Arguments {
 public:
  // name: "muster lint".
  Arguments(const std::string& about, const std::string& name);

  // names: "--site", "-o,--output" or "FILE" for what has no name.
  Option add_option(const std::string& names, std::string& value, const std::string& help);
  Option add_option(const std::string& names, std::vector<std::string>& values, const std::string& help);
  Option add_option(const std::string& names, double& value, const std::string& help);
  void add_flag(const std::string& names, bool& given, const std::string& help);
  // `--x` writes "true", `--x=VALUE` that.
  void add_flag(const std::string& names, std::string& value, const std::string& help);
  void remove_option(const std::string& name);

  // A verb below this one; one of them must be given.
  Arguments add_verb(const std::string& name, const std::string& about);
  bool parsed() const;                          // was this verb given?
  bool given(const std::string& option) const;  // was this option of it?

  // On --help or an error prints it and returns the exit code; so it does after it has described the options.
  std::optional<int> parse(const CommandLine& line);

 private:
  Arguments(std::shared_ptr<CLI::App> app, std::shared_ptr<Choices> choices)
      : app_(std::move(app)), choices_(std::move(choices)) {}

  std::shared_ptr<CLI::App> app_;
  std::shared_ptr<Choices> choices_;
};

// The names of a table's rows, to suggest them.
template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

}  // namespace muster::cli
