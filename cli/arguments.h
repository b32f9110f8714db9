// The command line of a verb. CLI11 stays behind this header: reading its own costs each file seconds.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace muster::cli {

// An option that was added, to say more of it. Valid as long as its Arguments.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& type_name(const std::string& name);  // of its value, in --help
  Option& required();
  Option& needs(const Option& other);  // given only together with it
  Option& one_of(std::vector<std::string> words);
  Option& between(double low, double high);
  // `why_not` of a value: "" where it may be used, else a sentence.
  Option& check(std::function<std::string(const std::string& value)> why_not);
  Option& one_at_a_time();  // of a list: `--x A --x B`, never `--x A B`
  Option& commas();         // of a list: `--x A,B` too

 private:
  CLI::Option* option_;
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

  // On --help or an error prints it and returns the exit code.
  std::optional<int> parse(int argc, char** argv);

 private:
  explicit Arguments(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}

  std::shared_ptr<CLI::App> app_;
};

}  // namespace muster::cli
