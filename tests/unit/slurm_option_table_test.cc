#include <nlohmann/json.hpp>

#include <getopt.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <vector>

#include "targets/slurm/option_table.h"
#include "tests/catch.h"

namespace slurm_option_table_test {

using namespace muster;
using namespace muster::targets::slurm;

namespace {

std::string letter(Arity arity) {
  switch (arity) {
    case Arity::none: return "no";
    case Arity::required: return "required";
    case Arity::optional: return "optional";
    case Arity::absent: return "";
  }
  return "";
}

// The arity of an option of the shared table in one version; "" if it is not there.
std::string shared_arity(const nlohmann::json& option, const std::string& version) {
  if (option.contains("in")) {
    bool has = false;
    for (const auto& v : option["in"]) has |= v == version;
    if (!has) return "";
  }
  if (option.contains("arg_by_version") && option["arg_by_version"].contains(version))
    return option["arg_by_version"][version];
  return option["arg"];
}

void compare(Tool tool, const nlohmann::json& shared) {
  std::set<std::string> names;
  for (const auto& [name, option] : shared.items()) {
    INFO(name);
    names.insert(name);
    const OptionRow* row = find_option(tool, name);
    REQUIRE(row != nullptr);
    CHECK(std::string(row->letter == 0 ? "" : std::string(1, row->letter)) == option.value("short", ""));
    CHECK(row->per_component == option.value("per_component", false));
    CHECK(std::string(row->type) == option.value("type", ""));
    for (const model::Version v : slurm_versions())
      CHECK(letter(row->arity_in(v)) == shared_arity(option, to_string(v)));
  }
  CHECK(option_rows(tool).size() == names.size());
}

// The canonical name of the option that getopt_long itself takes for a name; "" for none.
std::string by_getopt(Tool tool, std::string written, model::Version version) {
  std::vector<std::string> names;
  std::vector<option> options;
  for (const OptionRow& row : option_rows(tool))
    if (row.arity_in(version) != Arity::absent) names.emplace_back(row.name);
  for (const std::string& name : names) {  // spellings of one option have one value
    const auto same = std::find_if(names.begin(), names.end(),
                                   [&](const std::string& n) { return canonical_option(n) == canonical_option(name); });
    options.push_back({name.c_str(), no_argument, nullptr, 1000 + static_cast<int>(same - names.begin())});
  }
  options.push_back({nullptr, 0, nullptr, 0});
  std::string program = "sbatch", word = "--" + written;
  char* arguments[] = {program.data(), word.data(), nullptr};
  optind = 0, opterr = 0;
  const int found = getopt_long(2, arguments, "", options.data(), nullptr);
  return found < 1000 ? std::string() : std::string(canonical_option(names[static_cast<std::size_t>(found - 1000)]));
}

std::string by_table(Tool tool, std::string_view written, std::optional<model::Version> version) {
  const OptionMatch match = match_option(tool, written, version);
  return match.row == nullptr ? std::string() : std::string(canonical_option(match.row->name));
}

}  // namespace

TEST_CASE("each beginning of an option's name is what getopt_long takes it for, in each version", "[slurm-read]") {
  for (const Tool tool : {Tool::sbatch, Tool::srun}) {
    std::set<std::string> beginnings;
    for (const OptionRow& row : option_rows(tool))
      for (std::size_t n = 1; n <= row.name.size(); ++n) beginnings.insert(std::string(row.name.substr(0, n)));
    for (const std::string& written : beginnings) {
      INFO(written);
      std::set<std::string> taken;
      for (const model::Version v : slurm_versions()) {
        const std::string name = by_getopt(tool, written, v);
        CHECK(by_table(tool, written, v) == name);
        if (!name.empty()) taken.insert(name);
      }
      const std::string name = by_table(tool, written, std::nullopt);  // of no version: what is wrong in all is wrong
      CHECK((taken.empty() ? name.empty() : taken.contains(name)));
      CHECK(match_option(tool, written, std::nullopt).candidates.empty() == !name.empty());
    }
  }
}

TEST_CASE("the option table says what the shared one says", "[slurm-read]") {
  const char* shared = std::getenv("MUSTER_SHARED");
  if (shared == nullptr || *shared == '\0') {
    WARN("skipped: MUSTER_SHARED is not set");
    return;
  }
  std::ifstream in(std::string(shared) + "/schemas/batch/slurm-options.json");
  REQUIRE(in.good());
  const nlohmann::json table = nlohmann::json::parse(in);
  compare(Tool::sbatch, table["tools"]["sbatch"]);
  compare(Tool::srun, table["tools"]["srun"]);
  for (const auto& [name, arg] : table["spank_pyxis"]["options"].items()) {
    INFO(name);
    const OptionRow* row = find_option(Tool::pyxis, name);
    REQUIRE(row != nullptr);
    CHECK(letter(row->arity_in(std::nullopt)) == arg.get<std::string>());
  }
}

TEST_CASE("names of each tool stand in order, for they are searched by halves", "[slurm-read]") {
  for (const Tool tool : {Tool::sbatch, Tool::srun, Tool::pyxis}) {
    const auto rows = option_rows(tool);
    REQUIRE(!rows.empty());
    for (std::size_t i = 1; i < rows.size(); ++i) CHECK(rows[i - 1].name < rows[i].name);
  }
}

TEST_CASE("getopt's prefixes", "[slurm-read]") {
  const auto full = [](std::string_view written, std::optional<model::Version> v = model::Version{22, 5}) {
    const OptionMatch match = match_option(Tool::sbatch, written, v);
    return match.row == nullptr ? std::string() : std::string(match.row->name);
  };
  CHECK(full("gpus-per-n") == "gpus-per-node");
  CHECK(full("requeu") == "requeue");
  CHECK(full("mem") == "mem");  // whole, though three others begin with it
  CHECK(full("no") == "");      // nodes, no-kill, nodelist …
  CHECK(match_option(Tool::sbatch, "mem-per", model::Version{22, 5}).candidates.size() == 2);
  CHECK(full("clusters") == "clusters");
  CHECK(full("seg") == "");
  CHECK(full("seg", model::Version{24, 5}) == "segment");
  CHECK(full("seg", std::nullopt) == "segment");
}

TEST_CASE("what a Slurm between two of the table has is what the older one has", "[slurm-read]") {
  const OptionRow* segment = find_option(Tool::sbatch, "segment");
  REQUIRE(segment != nullptr);
  CHECK(segment->arity_in(model::Version{24, 4}) == Arity::absent);
  CHECK(segment->arity_in(model::Version{24, 8}) == Arity::required);
  CHECK(segment->arity_in(model::Version{21, 8}) == Arity::absent);
  CHECK(segment->arity_in(model::Version{27, 5}) == Arity::required);
  CHECK(age_of(*segment).since == model::Version{24, 5});
  CHECK(age_of(*find_option(Tool::sbatch, "power")).gone == model::Version{24, 5});
}

}  // namespace slurm_option_table_test
