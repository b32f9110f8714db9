// The servers of `serve { engine }` use every GPU of a replica, or it is refused with what to write.
#include "compiler/model/engines.h"

#include <algorithm>
#include <map>

#include "tests/catch.h"
#include "tests/unit/checked.h"

namespace engines_test {

using namespace muster;
using namespace muster::test;

namespace {

const std::vector<std::string> engines = {"vllm", "sglang", "trtllm"};

std::string spec(const std::string& engine, std::int64_t nodes, std::int64_t gpus, const std::string& more,
                 const std::string& args) {
  return "workload w { kind = serve  nodes = " + std::to_string(nodes) + "  gpus = " + std::to_string(gpus) +
         "  image = \"x:1\"  port http { number = 8000 }  serve { port = http  engine = " + engine +
         "  model = \"m\"  " + args + " }  " + more + " }\n";
}

// What the servers' manuals call the degrees, whichever of them it is.
const std::map<std::string, std::string> options = {{"--tensor-parallel-size", "tensor"},
                                                    {"--tp-size", "tensor"},
                                                    {"--tp_size", "tensor"},
                                                    {"--tp", "tensor"},
                                                    {"--pipeline-parallel-size", "pipeline"},
                                                    {"--pp-size", "pipeline"},
                                                    {"--pp_size", "pipeline"},
                                                    {"--data-parallel-size", "data"},
                                                    {"--dp-size", "data"}};

std::map<std::string, std::int64_t> degrees_in(const model::Argv& words) {
  std::map<std::string, std::int64_t> out;
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (const auto found = options.find(words[i].bytes); found != options.end()) {
      CHECK(out.count(found->second) == 0);  // said once
      out[found->second] = std::stoll(words[i + 1].bytes);
    }
  return out;
}

std::int64_t product_of(const std::map<std::string, std::int64_t>& degrees) {
  std::int64_t out = 1;
  for (const auto& [name, degree] : degrees) out *= degree;
  return out;
}

}  // namespace

TEST_CASE("a server that muster starts uses all GPUs of its replica, or is refused", "[serve][engines]") {
  std::size_t written = 0, refused = 0;
  for (const std::string& engine : engines)
    for (const std::int64_t nodes : {1, 2, 4})
      for (const std::int64_t gpus : {1, 2, 3, 4, 8})
        for (const char* runner : {"", "launch { runner = ray  version = \"2.40\" }"})
          for (const char* stated :
               {"", "tensor = 2", "pipeline = 2", "tensor = 2  data = 2", "tensor = 4  pipeline = 2"}) {
            const std::string block = *stated ? "parallelism { " + std::string(stated) + " }  " : "";
            const Checked checked(spec(engine, nodes, gpus, block + runner, ""));
            INFO(engine << " " << nodes << " x " << gpus << " " << stated << " " << runner << ": " << checked.fault());
            if (checked.diagnostics.has_errors()) {
              ++refused;
              const bool has_way = nodes == 1 || (engine == "vllm" && *runner);
              if (!*stated) CHECK_FALSE(has_way);
              continue;
            }
            ++written;
            const auto degrees = degrees_in(model::server_command(checked.workload(), checked.workload().main()));
            CHECK(product_of(degrees) == nodes * gpus);
            if (!*stated && gpus > 1) CHECK(degrees.at("tensor") == gpus);
            if (!*stated && nodes > 1) CHECK(degrees.at("pipeline") == nodes);
          }
  CHECK(written + refused == 3 * 3 * 5 * 2 * 5);
  CHECK(written >= 100);
}

TEST_CASE("an option of the user's own wins", "[serve][engines]") {
  std::size_t seen = 0;
  for (const std::string& engine : engines)
    for (const std::string option : {"--tensor-parallel-size", "--tp-size", "--tp_size", "--pp_size", "--pp-size",
                                     "--pipeline-parallel-size", "--data-parallel-size", "--dp-size"})
      for (const bool joined : {false, true}) {
        const model::EngineRow& row =
            row_of(static_cast<model::Engine>(std::find(engines.begin(), engines.end(), engine) - engines.begin()));
        std::string dashes = option;
        std::replace(dashes.begin(), dashes.end(), '_', '-');
        if (row.says_degree.find(dashes) == std::string_view::npos) continue;
        const std::string args = joined ? "\"" + option + "=2\"" : "\"" + option + "\", \"2\"";
        const Checked checked(spec(engine, 1, 8, "", "args = [" + args + "]"));
        INFO(engine << " " << args << " " << checked.fault());
        REQUIRE_FALSE(checked.diagnostics.has_errors());
        const model::Argv words = model::server_command(checked.workload(), checked.workload().main());
        CHECK(std::count_if(words.begin(), words.end(),
                            [](const model::Text& word) { return word.bytes.find("size") != std::string::npos; }) == 1);
        ++seen;
      }
  CHECK(seen >= 20);
}

TEST_CASE("what to write is said where a server would leave GPUs idle", "[serve][engines]") {
  const Checked nodes(spec("sglang", 2, 8, "", ""));
  CHECK(nodes.fault() == "engine `sglang` starts a server of one node, but a replica has 2 nodes");
  const Checked data(spec("trtllm", 1, 8, "parallelism { tensor = 4 }", ""));
  CHECK(data.fault() == "engine `trtllm` would use 4 of the 8 GPUs of a replica");
  CHECK(data.diagnostics.sorted().front().notes.front() == "write `parallelism { tensor = 8 }`");
  CHECK_FALSE(Checked(spec("vllm", 1, 8, "", "")).diagnostics.has_errors());
  CHECK_FALSE(Checked(spec("sglang", 2, 8, "", "args = [\"--nnodes\", \"2\"]")).diagnostics.has_errors());
}

}  // namespace engines_test
