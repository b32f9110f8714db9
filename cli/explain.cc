// muster explain CODE: what a diagnostic means and how to mend it.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/command.h"
#include "cli/emit.h"
#include "cli/session.h"
#include "compiler/base/text.h"

namespace muster::cli {

int run_explain(int argc, char** argv) {
  std::string code, format = "text";
  CLI::App app("Explains a diagnostic code.", "muster explain");
  app.add_option("CODE", code, "such as E0201 or unknown-key")->required();
  app.add_option("--format", format, "text or json")->check(CLI::IsMember({"text", "json"}))->type_name("FORMAT");
  if (const auto exit = parse_arguments(app, argc, argv)) return *exit;
  const CodeInfo* found = find_code(code);
  if (found == nullptr) {
    std::vector<std::string_view> names;
    for (const CodeInfo& c : all_codes()) names.push_back(c.id), names.push_back(c.name);
    const std::string near = closest(code, names);
    std::fprintf(stderr, "muster explain: there is no code `%s`%s\n", code.c_str(),
                 near.empty() ? "" : ("; did you mean `" + near + "`?").c_str());
    return 2;
  }
  const std::string severity(severity_name(found->severity));
  const std::string text = format == "json" ? print({{"code", found->id},
                                                     {"name", found->name},
                                                     {"severity", severity},
                                                     {"summary", found->summary},
                                                     {"explanation", found->explanation}})
                                            : std::string(found->id) + " " + found->name + " (" + severity +
                                                  "): " + std::string(found->summary) + "\n\n" +
                                                  std::string(found->explanation) + "\n";
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
}

}  // namespace muster::cli
