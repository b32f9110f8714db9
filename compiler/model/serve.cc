// The commands by which the known inference servers are started.
#include "compiler/model/workload.h"

namespace muster::model {
namespace {

// The flags of a degree that is given and above 1.
void add_degree(Argv& words, const char* flag, const Optional<std::int64_t>& degree) {
  if (degree && degree->value > 1) words.insert(words.end(), {flag, std::to_string(degree->value)});
}

}  // namespace

Argv server_command(const Workload& workload, const Role& role) {
  if (!workload.serve || !workload.serve->engine || !workload.serve->model) return {};
  const Serve& serve = *workload.serve;
  Argv words;
  switch (serve.engine->value) {
    case Engine::vllm: words = {"vllm", "serve", serve.model->value}; break;
    case Engine::sglang: words = {"python3", "-m", "sglang.launch_server", "--model-path", serve.model->value}; break;
    case Engine::trtllm: words = {"trtllm-serve", serve.model->value}; break;
  }
  for (const Port& port : role.ports)
    if (serve.port && port.name == serve.port->value)
      words.insert(words.end(), {"--port", std::to_string(port.number.value)});
  if (role.parallelism) {
    // By the servers' own option tables: vLLM and SGLang spell the degrees out, TensorRT-LLM shortens them.
    const bool trt = serve.engine->value == Engine::trtllm, sglang = serve.engine->value == Engine::sglang;
    add_degree(words, trt ? "--tp_size" : sglang ? "--tp-size" : "--tensor-parallel-size", role.parallelism->tensor);
    add_degree(words,
               trt      ? "--pp_size"
               : sglang ? "--pp-size"
                        : "--pipeline-parallel-size",
               role.parallelism->pipeline);
  }
  for (const auto& word : serve.args) words.push_back(word.value);
  return words;
}

}  // namespace muster::model
