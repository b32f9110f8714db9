// What operators and the kubelet put into containers: variables with their meaning, files, programs
// (operator_names.def).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/model/workload.h"

namespace muster::targets::kubernetes {

enum class Giver : std::uint8_t {
  kubelet,
  indexed,
  indexed_points,
  indexed_copies,
  pytorchjob,
  pytorch_workers,
  elastic,
  trainjob,
  jax,
  lws,
  volcano,
  volcano_pytorch,
  mpijob,
  ray,
};
using Givers = std::vector<Giver>;

// `world`: processes in all; `processes`: those of a node; `range`: the nodes of an elastic job, `min:max`.
enum class Meaning : std::uint8_t { none, node_rank, nodes, head, port, point, replica, world, processes, range };

struct OperatorName {
  Giver giver;
  std::string_view name;  // `*`: any letters
  Meaning meaning;
  bool in_front;  // of the container's own `env`
};

struct OperatorThing {
  Giver giver;
  std::string_view name;
  bool is_file;  // else a program
};

// Whose objects have the names of a giver, and when, in plain words; "": always.
struct GiverOf {
  Giver giver;
  std::string_view target, when;
};
std::span<const GiverOf> givers_by_target();

// The variable of that name that one of `givers` sets; nullptr: none does.
const OperatorName* operator_name(const Givers& givers, std::string_view name);
// All of them, in the order of the table.
std::vector<const OperatorName*> operator_names(const Givers& givers);
std::span<const OperatorThing> operator_things();
// The field of the pod that has the value of a variable, and the variable with that of a field; "": there is none.
std::string_view field_of_name(std::string_view name);
std::string_view name_of_field(std::string_view path);
bool gives(const Givers& givers, Giver giver);

// What the language calls it: "node-rank" of `${run.node-rank}`; "" where it has no name for it.
std::string_view run_name(Meaning meaning);

// In plain words, for people: "rank of the pod"; "" of `none`.
std::string_view meaning_text(Meaning meaning);

// Whether an item of `env` says what the operator sets under that name anyway.
bool says_the_same(const Givers& givers, const model::EnvVar& variable);

}  // namespace muster::targets::kubernetes
