// muster targets: what this version writes.
#include <cstdio>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "driver/session.h"
#include "targets/carriage.h"

namespace muster::cli {
namespace {

// What becomes of each key at each target, a letter for each outcome.
std::string keys_text() {
  std::string out = "= carried  ~ approximated  - reported as not carried  m read by muster  x refused\n";
  const auto pad = [&](std::string_view text, std::size_t width) {
    out += std::string(text) + std::string(text.size() < width ? width - text.size() : 1, ' ');
  };
  pad("", 24);
  for (const targets::Target& t : targets::all_targets()) pad(t.name, t.name.size() + 2);
  out += "\n";
  for (const targets::Carriage& row : targets::carriage()) {
    pad(row.key, 24);
    for (std::size_t t = 0; t < row.outcomes.size(); ++t)
      pad(row.outcomes[t].empty() ? "." : row.outcomes[t], targets::all_targets()[t].name.size() + 2);
    out += "\n";
  }
  return out;
}

// {"resources.nodes": ["carried", "approximated"], …} of one target.
Json keys_json(std::size_t target) {
  Json out = Json::object();
  for (const targets::Carriage& row : targets::carriage()) {
    Json words = Json::array();
    for (const char letter : row.outcomes[target]) words.push_back(targets::outcome_word(letter));
    out[std::string(row.key)] = std::move(words);
  }
  return out;
}

}  // namespace

int run_targets(const CommandLine& line) {
  std::string format = "text";
  bool keys = false;
  Arguments app("Lists the targets.", "muster targets");
  app.add_option("--format", format, "text or json").one_of({"text", "json"}).type_name("FORMAT");
  app.add_flag("--keys", keys, "show how each target handles each key of a workload");
  if (const auto exit = app.parse(line)) return *exit;
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
                     {{"plane", c.plane_name()},
                      {"gang", c.gang},
                      {"provider", c.provider},
                      {"arrays", c.arrays},
                      {"roles", c.roles},
                      {"services", c.services},
                      {"scale", c.scale},
                      {"requeue", c.requeue},
                      {"ray", c.ray},
                      {"mpi", c.mpi}}}});
    if (keys) json.back()["keys"] = keys_json(json.size() - 1);
  }
  if (keys) text = keys_text();
  if (format == "json") text = print(json);
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
}

}  // namespace muster::cli
