// Roles and options: what they have from their workload, what they say themselves, how many there may be.
#include "tests/unit/checked.h"

namespace roles_test {

using namespace muster;
using test::Checked;

namespace {

std::string words(const model::Role& role) {
  std::string out;
  for (const model::Text& word : std::get<model::Argv>(role.program->value)) out += word.bytes + " ";
  return out;
}

std::string repeated(int times, const std::string& before, const std::string& after) {
  std::string out;
  for (int i = 0; i < times; ++i) out += before + std::to_string(i) + after;
  return out;
}

}  // namespace

TEST_CASE("a role has what the workload says and wins where it says it too", "[roles]") {
  const Checked checked(R"(workload w {
    kind = rl
    nodes = 2
    gpus = 8
    software = torch
    env { A = "all"  B = "all" }
    script = <<<bash
      all
    >>>
    role one { command = ["one"]  resources { gpus = 4 }  env { B = "one" } }
    role two { nodes = 3  software { venv = "/v" } }
  })");
  REQUIRE(checked.diagnostics.empty());
  const auto& roles = checked.workload().roles;
  REQUIRE(roles.size() == 2);
  CHECK(words(roles[0]) == "one ");
  CHECK(roles[0].nodes() == 2);
  CHECK(roles[0].gpus() == 4);
  REQUIRE(roles[0].env.size() == 2);
  CHECK(roles[0].env[0].value.bytes + roles[0].env[1].value.bytes == "allone");
  CHECK(std::get<model::Script>(roles[1].program->value).bytes.find("all") != std::string::npos);
  CHECK(roles[1].nodes() == 3);
  CHECK(roles[1].gpus() == 8);
  CHECK(std::get<model::SoftwareSpec>(roles[1].software->value).venv->value == "/v");
}

TEST_CASE("a mistake of the workload is told once, however many roles have it", "[roles]") {
  const Checked checked("workload w { kind = rl  command = [\"a\"]  gpus = \"8\"\n" + repeated(5, "role r", " {}\n") +
                        "}");
  CHECK(checked.diagnostics.sorted().size() == 1);
}

TEST_CASE("depends-on of a workload names workloads, that of a role names roles", "[roles]") {
  const Checked checked(R"(workload w {
    kind = rl
    command = ["a"]
    depends-on other { on = finish }
    role one {}
    role two { depends-on one { on = complete } }
  }
  workload other { kind = batch  command = ["b"] })");
  REQUIRE(checked.diagnostics.empty());
  CHECK(checked.workload().depends_on.at(0).workload == "other");
  CHECK(checked.workload().roles[0].depends_on.empty());
  CHECK(checked.workload().roles[1].depends_on.at(0).role == "one");
}

TEST_CASE("an option is the workload with its own shape", "[roles]") {
  const Checked checked(R"(workload w {
    kind = train
    gpu = H100:8
    nodes = 4
    command = ["a"]
    any-of {
      option big   { nodes = 8 }
      option other { resources { gpu = A100  gpus = 4 }  launch { runner = torchrun } }
    }
  })");
  REQUIRE(checked.diagnostics.empty());
  const auto& options = checked.workload().options;
  REQUIRE(options.size() == 2);
  CHECK(options[0].option == "big");
  CHECK(options[0].main().nodes() == 8);
  CHECK(options[0].main().gpus() == 8);
  CHECK(options[1].main().nodes() == 4);
  CHECK(options[1].main().gpus() == 4);
  CHECK(options[1].main().resources.gpu->value == std::vector<std::string>{"a100"});
  CHECK(options[1].main().launch.runner.value == model::Runner::torchrun);
}

TEST_CASE("there are at most 64 roles and options, and 256 ports", "[roles]") {
  const auto roles = [](int n) {
    return "workload w { kind = rl  command = [\"a\"]\n" + repeated(n, "role r", " {}\n") + "}";
  };
  CHECK(Checked(roles(64)).diagnostics.empty());
  CHECK(Checked(roles(65)).says("at most 64 `role`"));
  const auto options = [](int n) {
    return "workload w { kind = rl  command = [\"a\"]\nany-of {\n" + repeated(n, "option o", " { nodes = 2 }\n") +
           "} }";
  };
  CHECK(Checked(options(64)).diagnostics.empty());
  CHECK(Checked(options(65)).says("at most 64 `option`"));
  const auto ports = [](int n) {
    std::string out = "workload w { kind = rl  command = [\"a\"]\n";
    for (int i = 1; i <= n; ++i) out += "port p" + std::to_string(i) + " { number = " + std::to_string(i) + " }\n";
    return out + "}";
  };
  CHECK(Checked(ports(256)).diagnostics.empty());
  CHECK(Checked(ports(257)).says("at most 256 `port`"));
}

TEST_CASE("what roles inherit is bounded over all of them", "[roles]") {
  // kind, command and env stand beside the entries of env: 50 × (3,997 + 3) items are the limit.
  const auto two = [](int entries) {
    return "workload w { kind = rl  command = [\"a\"]  env {\n" + repeated(entries, "A", " = 1\n") +
           "}\n role a {}\n role b {} }";
  };
  CHECK(Checked(two(40'000)).diagnostics.empty());
  const auto many = [](int entries) {
    return "workload w { kind = rl  command = [\"a\"]  env {\n" + repeated(entries, "A", " = 1\n") + "}\n" +
           repeated(50, "role r", " {}\n") + "}";
  };
  CHECK(Checked(many(3'997)).diagnostics.empty());
  CHECK(Checked(many(3'998)).says("the limit is 200000 items in total"));
}

}  // namespace roles_test
