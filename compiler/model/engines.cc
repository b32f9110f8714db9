#include "compiler/model/engines.h"

#include <algorithm>
#include <array>
#include <string>

#include "compiler/base/text.h"
#include "compiler/model/runner.h"

namespace muster::model {
namespace {

// docs.vllm.ai/en/stable/cli/serve, docs.sglang.ai/advanced_features/server_arguments,
// nvidia.github.io/TensorRT-LLM/commands/trtllm-serve
constexpr std::array<EngineRow, 3> engine_rows = {{
    {.engine = Engine::vllm,
     .starts = "vllm serve",
     .tensor = "--tensor-parallel-size",
     .pipeline = "--pipeline-parallel-size",
     .data = "--data-parallel-size",
     .says_degree = " --tensor-parallel-size -tp --pipeline-parallel-size -pp --data-parallel-size -dp --config ",
     .joins_nodes = " --nnodes --data-parallel-address --headless ",
     .joins_by_ray = true},
    {.engine = Engine::sglang,
     .starts = "python3 -m sglang.launch_server --model-path",
     .tensor = "--tp-size",
     .pipeline = "--pp-size",
     .data = "--dp-size",
     .says_degree = " --tensor-parallel-size --tp-size --tp --pipeline-parallel-size --pp-size --pp "
                    "--data-parallel-size --dp-size --dp --config ",
     .joins_nodes = " --nnodes --dist-init-addr "},
    {.engine = Engine::trtllm,
     .starts = "trtllm-serve",
     .tensor = "--tp_size",
     .pipeline = "--pp_size",
     .data = "",
     .says_degree = " --tp-size --pp-size --extra-llm-api-options --config ",
     .joins_nodes = ""},
}};

}  // namespace

const EngineRow& row_of(Engine engine) {
  return *std::find_if(engine_rows.begin(), engine_rows.end(),
                       [&](const EngineRow& row) { return row.engine == engine; });
}

bool says(const Serve& serve, std::string_view options) {
  return std::any_of(serve.args.begin(), serve.args.end(), [&](const Located<std::string>& arg) {
    std::string option = arg.value.substr(0, arg.value.find('='));
    std::replace(option.begin(), option.end(), '_', '-');
    return lists_name(options, option);
  });
}

ServerDegrees server_degrees(const Serve& serve, const Role& role) {
  ServerDegrees out;
  out.stated_by_args = serve.engine && says(serve, row_of(serve.engine->value).says_degree);
  const Parallelism stated = role.parallelism.value_or(Parallelism{});
  const auto degree = [](const Optional<std::int64_t>& one) { return one ? one->value : 1; };
  out.tensor = degree(stated.tensor), out.pipeline = degree(stated.pipeline), out.data = degree(stated.data);
  if (out.stated_by_args) return out;
  const std::int64_t all = std::max<std::int64_t>(role.gpus(), 1) * role.nodes();
  const auto fill = [&](std::int64_t& one, std::int64_t most) {
    const std::int64_t others = out.gpus() / one;
    if (others <= all && all % others == 0) one = std::min(all / others, most);
  };
  if (!stated.tensor) fill(out.tensor, std::max<std::int64_t>(role.gpus(), 1));
  if (!stated.pipeline && all % out.gpus() == 0) fill(out.pipeline, role.nodes());
  if (!stated.data && all % out.gpus() == 0) fill(out.data, all);
  return out;
}

}  // namespace muster::model
