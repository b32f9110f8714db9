// The inference servers that `serve { engine }` starts, one row each: their command, and the options by which they are
// told over how many GPUs they spread a model.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/model/workload.h"

namespace muster::model {

// Spellings are a list between blanks, `_` as `-`; the option that is written is spelt as the server's own table has
// it.
struct EngineRow {
  Engine engine;
  std::string_view starts;                  // its command, in front of the model
  std::string_view tensor, pipeline, data;  // what is written; "": it has no such option
  std::string_view says_degree;             // every spelling of the three
  std::string_view joins_nodes;             // options that join the servers of several nodes to one
  bool joins_by_ray = false;                // a server in a Ray cluster uses its other nodes by itself
};

const EngineRow& row_of(Engine engine);

// Over how many GPUs the server of a role spreads one copy of the model, and how many copies it runs.
struct ServerDegrees {
  std::int64_t tensor = 1, pipeline = 1, data = 1;
  bool stated_by_args = false;  // `serve { args }` says at least one of them: the others are the user's too
  std::int64_t gpus() const { return tensor * pipeline * data; }
};

// What is not stated is such that all GPUs of a replica are used: tensor on a node, pipeline over nodes, then data.
ServerDegrees server_degrees(const Serve& serve, const Role& role);

// Whether `serve { args }` has one of these options.
bool says(const Serve& serve, std::string_view options);

}  // namespace muster::model
