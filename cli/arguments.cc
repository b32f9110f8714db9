#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/standard_output.h"

namespace muster::cli {
namespace {

// "FORMAT:{text,json}" without the check that CLI11 adds.
std::string value_name(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));
}

OptionEntry described_option(const CLI::Option& option, const Choices& choices) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  const bool takes_value = option.get_items_expected_max() > 0 && option.get_type_size_max() > 0;
  if (takes_value) entry.value = option.get_positional() ? option.get_name(true) : value_name(option);
  entry.help = option.get_description();
  if (const auto found = choices.find(&option); found != choices.end()) entry.choices = found->second;
  entry.required = option.get_required();
  entry.repeated = option.get_items_expected_max() > 1;
  return entry;
}

VerbEntry described_verb(const CLI::App& app, const Choices& choices) {
  VerbEntry entry{app.get_name(), app.get_description(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) entry.options.push_back(described_option(*option, choices));
  for (const CLI::App* verb : app.get_subcommands({})) entry.verbs.push_back(described_verb(*verb, choices));
  return entry;
}

}  // namespace

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::one_of(std::vector<std::string> words) {
  option_->check(CLI::IsMember(words));
  return suggest(std::move(words));
}

Option& Option::suggest(std::vector<std::string> words) {
  (*choices_)[option_] = std::move(words);
  return *this;
}

Option& Option::between(double low, double high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option& Option::check(std::function<std::string(const std::string&)> why_not) {
  option_->check(
      CLI::Validator([why_not = std::move(why_not)](const std::string& value) { return why_not(value); }, ""));
  return *this;
}

Option& Option::one_at_a_time() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::commas() {
  option_->delimiter(',');
  return *this;
}

Arguments::Arguments(const std::string& about, const std::string& name)
    : app_(std::make_shared<CLI::App>(about, name)), choices_(std::make_shared<Choices>()) {}

Option Arguments::add_option(const std::string& names, std::string& value, const std::string& help) {
  return Option(app_->add_option(names, value, help), choices_.get());
}

Option Arguments::add_option(const std::string& names, std::vector<std::string>& values, const std::string& help) {
  return Option(app_->add_option(names, values, help), choices_.get());
}

Option Arguments::add_option(const std::string& names, double& value, const std::string& help) {
  return Option(app_->add_option(names, value, help), choices_.get());
}

void Arguments::add_flag(const std::string& names, bool& given, const std::string& help) {
  app_->add_flag(names, given, help);
}

void Arguments::add_flag(const std::string& names, std::string& value, const std::string& help) {
  app_->add_flag(names, value, help);
}

void Arguments::remove_option(const std::string& name) { app_->remove_option(app_->get_option(name)); }

Arguments Arguments::add_verb(const std::string& name, const std::string& about) {
  app_->require_subcommand(1);
  return Arguments(app_->get_subcommand_ptr(app_->add_subcommand(name, about)), choices_);
}

bool Arguments::parsed() const { return app_->parsed(); }

bool Arguments::given(const std::string& option) const { return app_->count(option) > 0; }

std::optional<int> Arguments::parse(const CommandLine& line) {
  if (line.described != nullptr) {
    *line.described = described_verb(*app_, *choices_);
    return 0;
  }
  try {
    app_->parse(line.argc, line.argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    return std::fputs(app_->help().c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
  } catch (const CLI::ParseError& error) {
    print_error(app_->get_name() + ": " + error.what() + "\n`" + app_->get_name() + " --help` lists the options.\n");
    return 2;
  }
}

}  // namespace muster::cli
