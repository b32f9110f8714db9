// Target `dstack`: what dstack fills in by itself leaves a workload's text and values as they were written.
#include <map>
#include <regex>

#include "tests/property/random.h"
#include "tests/unit/pods_scene.h"

namespace {

using namespace muster;
using muster::test::Manifests;
using muster::test::Pods;

Pods scene(const std::string& workload) {
  Pods out;
  out.kind = "dstack";
  out.plane = "backends = [\"aws\"]";
  out.site = "image own { ref = \"own:1\" }\nsecret TOKEN { env = \"TOKEN\" }\nsecret KEPT { name = \"kept\" }\n";
  out.name = "work";
  out.workload = "kind = train\ngpu = H100:1\nimage = own\n" + workload;
  return out;
}

data::Node file_of(const Manifests& lowered) {
  Sources sources;
  const auto read = data::read_yaml(sources, sources.add("w.yml", lowered.text()));
  REQUIRE(read.documents.size() == 1);
  return read.documents[0].root;
}

// A map, or a list of `NAME=VALUE` and bare names.
std::map<std::string, std::string> env_of(const data::Node& file) {
  std::map<std::string, std::string> out;
  const data::Node* env = file.get("env");
  if (env == nullptr) return out;
  for (const data::Member& member : env->members) out[member.key] = member.value.text;
  for (const data::Node& item : env->items) {
    const std::size_t at = item.text.find('=');
    out[item.text.substr(0, at)] = at == std::string::npos ? "" : item.text.substr(at + 1);
  }
  return out;
}

// dstack's VariablesInterpolator, without names that it knows: nullopt where it reports an error.
std::optional<std::string> filled_in(const std::string& value) {
  std::string out;
  std::size_t start = 0;
  while (start < value.size()) {
    const std::size_t dollar = value.find('$', start);
    if (dollar == std::string::npos || dollar == value.size() - 1) return out + value.substr(start);
    if (value[dollar + 1] == '$') {
      out += value.substr(start, dollar + 1 - start);
      start = dollar + 2;
      continue;
    }
    if (value.find("${{", start) == std::string::npos) return out + value.substr(start);
    return std::nullopt;
  }
  return out;
}

constexpr const char* pieces[] = {"$", "$", "${{", "}}", "{", " ", "secrets.", "groups", "[0]", "a", "\n", "env.x"};

std::string some_text(property::Random& random) {
  std::string out;
  for (std::int64_t n = random.upto(8); n >= 0; --n) out += random.any_of(pieces);
  return out;
}

// As a muster file spells it.
std::string literal(const std::string& value) {
  std::string out;
  for (const char c : value) out += c == '\n' ? "\\n" : c == '$' ? "\\$" : std::string(1, c);
  return "\"" + out + "\"";
}

}  // namespace

TEST_CASE("dstack reads each value of a variable as it was written", "[dstack]") {
  property::Random random(20261130);
  int doubled = 0;
  for (int round = 0; round < 400; ++round) {
    const std::string value = some_text(random), secret = round % 2 == 0 ? "secret TOKEN { env = \"TOKEN\" }\n" : "";
    const Manifests lowered =
        lower(scene(secret + "env { VALUE = " + literal(value) + " }\ncommand = [\"probe\"]\n"), "dstack");
    INFO(value << "\n" << lowered.stated() << lowered.text());
    REQUIRE(lowered.ok());
    const auto env = env_of(file_of(lowered));
    REQUIRE(env.contains("VALUE"));
    CHECK(filled_in(env.at("VALUE")) == std::optional(value));
    if (env.at("VALUE") != value) ++doubled;
    CHECK(env.contains("TOKEN") == (round % 2 == 0));
  }
  CHECK(doubled > 40);
}

TEST_CASE("a text that dstack would fill in is refused, and no other", "[dstack]") {
  const std::regex reference(R"((^|[^$])\$\{\{\s*groups[^}]*\}\})");
  property::Random random(7);
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    const std::string value = random.one_in(4) ? "${{ groups[0].nodes[0].IP_ADDRESS }}" : some_text(random);
    const Manifests lowered = lower(scene("command = [\"probe\", " + literal(value) + "]\n"), "dstack");
    INFO(value << "\n" << lowered.stated());
    if (std::regex_search(value, reference)) CHECK_FALSE(lowered.ok());
    if (value.find("groups") == std::string::npos) CHECK(lowered.ok());
    refused += lowered.ok() ? 0 : 1;
  }
  CHECK(refused > 60);
}

TEST_CASE("times of dstack's file are those of the workload", "[dstack]") {
  const std::map<char, std::int64_t> units = {{'s', 1}, {'m', 60}, {'h', 3'600}, {'d', 86'400}};
  for (const std::int64_t seconds : {60, 61, 90, 3'600, 5'400, 86'400, 90'000, 604'800}) {
    const std::string limit = std::to_string(seconds) + "s";
    const Manifests lowered = lower(scene("time-limit = " + limit + "\ncommand = [\"probe\"]\n"), "dstack");
    INFO(limit << lowered.stated());
    REQUIRE(lowered.ok());
    const std::string text = file_of(lowered).get("max_duration")->text;
    CHECK(std::stoll(text) * units.at(text.back()) == seconds);
  }
}

TEST_CASE("secrets of dstack are named, or passed where the site has a variable", "[dstack]") {
  const Manifests lowered = lower(
      scene("secret TOKEN { env = \"HF_TOKEN\" }\nsecret KEPT { env = \"KEY\" }\ncommand = [\"probe\"]\n"), "dstack");
  INFO(lowered.stated());
  REQUIRE(lowered.ok());
  const auto env = env_of(file_of(lowered));
  CHECK(env.at("HF_TOKEN").empty());
  CHECK(env.at("KEY") == "${{ secrets.kept }}");
  CHECK(lowered.has("-e HF_TOKEN=\"$TOKEN\""));
}
