#include "targets/kubernetes/operator_names.h"

#include <algorithm>

namespace muster::targets::kubernetes {
namespace {

constexpr OperatorName name_rows[] = {
#define OPERATOR_NAME(giver, name, meaning, in_front) {Giver::giver, name, Meaning::meaning, in_front},
#include "targets/kubernetes/operator_names.def"
};

constexpr OperatorThing thing_rows[] = {
#define OPERATOR_FILE(giver, path) {Giver::giver, path, true},
#define OPERATOR_PROGRAM(giver, name) {Giver::giver, name, false},
#include "targets/kubernetes/operator_names.def"
};

struct OperatorField {
  std::string_view name, path;
};
constexpr OperatorField field_rows[] = {
#define OPERATOR_FIELD(name, path) {name, path},
#include "targets/kubernetes/operator_names.def"
};

constexpr GiverOf giver_rows[] = {
#define OPERATOR_GIVER(giver, target, when) {Giver::giver, target, when},
#include "targets/kubernetes/operator_names.def"
};

// `*` of a row stands for one letter or more; at its end also for none.
bool is_named(std::string_view name, std::string_view row) {
  if (row.empty()) return name.empty();
  if (row == "*") return true;
  if (row.front() != '*')
    return !name.empty() && name.front() == row.front() && is_named(name.substr(1), row.substr(1));
  for (std::size_t at = 1; at <= name.size(); ++at)
    if (is_named(name.substr(at), row.substr(1))) return true;
  return false;
}

}  // namespace

bool gives(const Givers& givers, Giver giver) { return std::find(givers.begin(), givers.end(), giver) != givers.end(); }

const OperatorName* operator_name(const Givers& givers, std::string_view name) {
  for (const OperatorName& row : name_rows)
    if (gives(givers, row.giver) && is_named(name, row.name)) return &row;
  return nullptr;
}

std::vector<const OperatorName*> operator_names(const Givers& givers) {
  std::vector<const OperatorName*> out;
  for (const OperatorName& row : name_rows)
    if (gives(givers, row.giver)) out.push_back(&row);
  return out;
}

std::span<const GiverOf> givers_by_target() { return giver_rows; }

std::span<const OperatorThing> operator_things() { return thing_rows; }

std::string_view field_of_name(std::string_view name) {
  for (const OperatorField& row : field_rows)
    if (row.name == name) return row.path;
  return {};
}

std::string_view name_of_field(std::string_view path) {
  for (const OperatorField& row : field_rows)
    if (row.path == path) return row.name;
  return {};
}

std::string_view run_name(Meaning meaning) {
  switch (meaning) {
    case Meaning::node_rank: return "node-rank";
    case Meaning::nodes: return "nodes";
    case Meaning::head: return "head";
    case Meaning::port: return "port";
    case Meaning::point: return "point";
    case Meaning::replica: return "replica";
    case Meaning::none:
    case Meaning::world:
    case Meaning::processes:
    case Meaning::range: break;
  }
  return {};
}

std::string_view meaning_text(Meaning meaning) {
  switch (meaning) {
    case Meaning::none: return {};
    case Meaning::node_rank: return "rank of the pod";
    case Meaning::nodes: return "number of pods";
    case Meaning::head: return "address of the first pod";
    case Meaning::port: return "port of the first pod";
    case Meaning::point: return "number of the point";
    case Meaning::replica: return "number of the replica";
    case Meaning::world: return "number of processes";
    case Meaning::processes: return "processes of a pod";
    case Meaning::range: return "range of pods";
  }
  return {};
}

bool says_the_same(const Givers& givers, const model::EnvVar& variable) {
  const OperatorName* row = operator_name(givers, variable.name);
  const auto& references = variable.value.references;
  if (row == nullptr || !variable.value.bytes.empty() || references.size() != 1) return false;
  if (references.front().to != model::RefersTo::run) return false;
  const std::string_view own = row->meaning == Meaning::world ? "nodes" : run_name(row->meaning);
  return !own.empty() && references.front().name == own;
}

}  // namespace muster::targets::kubernetes
