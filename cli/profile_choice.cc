#include "cli/profile_choice.h"

#include <cstdio>
#include <filesystem>

#include "cli/standard_output.h"
#include "compiler/base/text.h"
#include "driver/rules_input.h"
#include "rules/profiles.h"

namespace muster::cli {

bool may_be_rules(const std::string& verb, const std::string& name) {
  std::error_code error;
  const bool a_word = name.find_first_of("./") == std::string::npos;
  if (!a_word || driver::is_profile(name) || std::filesystem::exists(name, error)) return true;
  const std::string near = closest(name, rules::profile_names());
  print_error("muster " + verb + ": unknown profile `" + printable(name) + "`; " +
              (near.empty() ? "profiles are " + quoted_list(rules::profile_names()) + ", or a rule file"
                            : "did you mean `" + near + "`?") +
              "\n");
  return false;
}

bool is_of_rules_alone(const std::string& profile) { return profile == "seed" || profile == "greenfield"; }

bool split_facts(const std::vector<std::string>& values, std::vector<std::pair<std::string, std::string>>& out) {
  for (const std::string& value : values) {
    const std::size_t equals = value.find('=');
    if (equals == std::string::npos || equals == 0) {
      print_error("muster decide: --fact takes NAME=VALUE, found `" + value + "`\n");
      return false;
    }
    out.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  }
  return true;
}

}  // namespace muster::cli
