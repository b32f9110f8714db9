// muster targets: what this version writes.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/command.h"
#include "cli/emit.h"
#include "cli/session.h"

namespace muster::cli {

int run_targets(int argc, char** argv) {
  std::string format = "text";
  CLI::App app("Lists the targets.", "muster targets");
  app.add_option("--format", format, "text or json")->check(CLI::IsMember({"text", "json"}))->type_name("FORMAT");
  if (const auto exit = parse_arguments(app, argc, argv)) return *exit;
  std::string text;
  Json json = Json::array();
  for (const targets::Target& t : targets::all_targets()) {
    const targets::Capabilities& c = t.capabilities;
    text += std::string(t.name) + std::string(16 - t.name.size(), ' ') + "tier " + std::to_string(t.tier) + "  " +
            std::string(t.summary) + "\n";
    json.push_back({{"name", t.name},
                    {"tier", t.tier},
                    {"example", t.example},
                    {"summary", t.summary},
                    {"extension", t.extension},
                    {"capabilities",
                     {{"plane", c.plane},
                      {"gang", c.gang},
                      {"provider", c.provider},
                      {"arrays", c.arrays},
                      {"roles", c.roles},
                      {"services", c.services},
                      {"scale", c.scale},
                      {"requeue", c.requeue},
                      {"ray", c.ray},
                      {"mpi", c.mpi}}}});
  }
  if (format == "json") text = print(json);
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
}

}  // namespace muster::cli
