#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/standard_output.h"

namespace muster::cli {

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
  option_->check(CLI::IsMember(std::move(words)));
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
    : app_(std::make_shared<CLI::App>(about, name)) {}

Option Arguments::add_option(const std::string& names, std::string& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Arguments::add_option(const std::string& names, std::vector<std::string>& values, const std::string& help) {
  return Option(app_->add_option(names, values, help));
}

Option Arguments::add_option(const std::string& names, double& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
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
  return Arguments(app_->get_subcommand_ptr(app_->add_subcommand(name, about)));
}

bool Arguments::parsed() const { return app_->parsed(); }

bool Arguments::given(const std::string& option) const { return app_->count(option) > 0; }

std::optional<int> Arguments::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    return std::fputs(app_->help().c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
  } catch (const CLI::ParseError& error) {
    print_error(app_->get_name() + ": " + error.what() + "\n`" + app_->get_name() + " --help` lists the options.\n");
    return 2;
  }
}

}  // namespace muster::cli
