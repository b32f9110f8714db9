// Whatever a verb that can answer in JSON is given, what it prints is JSON, and says why there is no answer.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <sys/wait.h>

#include "cli/command.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/temp_folder.h"

namespace refused_json_test {
namespace {

using namespace muster;
using Json = nlohmann::json;

// Files of each kind that some verb refuses.
const std::map<std::string, std::string> files = {
    {"syntax.muster", "workload a {\n  kind = \n"},
    {"meaning.muster", "workload a {\n  kind = nonsense\n}\n"},
    {"broken.muster.json", "{\"workload\": [\n"},
    {"broken.yaml", "a: [1\n"},
    {"text.txt", "hello world\n"},
    {"nul.sbatch", std::string("#!/bin/bash\n#SBATCH -N 1\n\0\n", 27)},
    {"latin.sbatch", "#!/bin/bash\n#SBATCH -J caf\xe9\n"},
    {"plain.sh", "echo a\n"},
    {"empty", ""},
};

// How a verb is asked of FILE; those that are not here take it behind their options.
const std::map<std::string, std::string> asked = {
    {"rules verify", "--profile FILE"},
    {"rules test", "--profile FILE"},
    {"rules show", "--profile FILE"},
    {"rules table", "--profile FILE"},
    {"rules diff", "FILE default"},
    {"review", "none FILE"},
    {"targets", ""},  // reads no file
};

// Verbs with the option that asks for JSON.
void add_verbs(const std::vector<cli::VerbEntry>& verbs, const std::string& before, std::vector<std::string>& out) {
  for (const cli::VerbEntry& verb : verbs) {
    add_verbs(verb.verbs, before + verb.name + " ", out);
    for (const cli::OptionEntry& option : verb.options) {
      const bool json = std::find(option.choices.begin(), option.choices.end(), "json") != option.choices.end();
      const auto has = [&](const char* name) {
        return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
      };
      if (json && has("--format")) out.push_back(before + verb.name + " --format json");
      else if (json && has("--output")) out.push_back(before + verb.name + " -o json");
      else if (has("--emit")) out.push_back(before + verb.name + " --emit " + option.choices.back());
    }
  }
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("a refused file is refused in JSON by each verb that has JSON", "[cli]") {
  const tests::TempFolder folder;
  std::filesystem::create_directory(folder.path() / "none");
  for (const auto& [name, text] : files) std::ofstream(folder.path() / name, std::ios::binary) << text;
  std::vector<std::string> verbs;
  add_verbs(cli::describe_commands(), "", verbs);
  REQUIRE(verbs.size() >= 12);
  std::size_t refused = 0;
  for (const std::string& verb : verbs) {
    const auto how = asked.find(verb.substr(0, verb.find(" -")));
    if (how != asked.end() && how->second.empty()) continue;
    std::vector<std::string> names = {"missing.muster", "missing.sbatch"};
    for (const auto& [name, text] : files) names.push_back(name);
    for (const std::string& name : names) {
      std::string words = how == asked.end() ? "FILE" : how->second;
      words.replace(words.find("FILE"), 4, name);
      const std::string line = verb + " --diagnostics json " + words;
      const bool has_diagnostics = !verb.starts_with("explain");
      const int status = std::system(("cd '" + folder.path().string() + "' && '" + tests::muster_binary() + "' " +
                                      (has_diagnostics ? line : verb + " " + words) + " >out 2>err </dev/null")
                                         .c_str());
      const std::string out = bytes_of(folder.path() / "out"), err = bytes_of(folder.path() / "err");
      INFO(line << "\n" << out << err);
      const int code = WEXITSTATUS(status);
      if (verb.starts_with("import") && code == 0) continue;  // standard output has the files
      REQUIRE(Json::accept(out));
      if (code == 0 || !has_diagnostics) continue;
      ++refused;
      const std::string said = Json::parse(out).dump();
      const bool has_answer =
          said.find("muster.diagnostics/v1") == std::string::npos;  // review, which names one a file
      std::istringstream lines(err);
      std::size_t errors = 0, named = 0;
      for (std::string each; std::getline(lines, each);)
        if (const Json error = Json::parse(each); error["severity"] == "error") {
          const std::string message = error["message"].dump();
          ++errors, named += said.find(message.substr(1, message.size() - 2)) != std::string::npos ? 1 : 0;
        }
      CHECK((has_answer && errors > 0 ? named > 0 : named == errors));
    }
  }
  CHECK(refused > 60);
}

}  // namespace refused_json_test
