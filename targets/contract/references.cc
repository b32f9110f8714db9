#include "targets/contract/references.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "targets/lookup.h"
#include "targets/shell.h"

namespace muster::targets::contract {
namespace {

using model::Reference;
using model::RefersTo;

struct RunName {
  std::string_view name, variable;
};
// Those that are not always known when the file is written.
constexpr RunName run_names[] = {{"nodes", "MUSTER_NODES"},
                                 {"id", "MUSTER_ID"},
                                 {"attempt", "MUSTER_ATTEMPT"},
                                 {"replica", "MUSTER_REPLICA"},
                                 {"node-rank", "MUSTER_NODE_RANK"},
                                 {"node-address", "MUSTER_NODE_ADDR"},
                                 {"head", "MUSTER_HEAD_ADDR"},
                                 {"port", "MUSTER_PORT"},
                                 {"tmp", "MUSTER_TMP"},
                                 {"dir", "MUSTER_DIR"},
                                 {"point", "MUSTER_POINT"}};

Piece bytes(std::string text) { return {std::move(text)}; }

Piece variable(std::string name, const Reference& reference) {
  Piece out;
  out.variable = std::move(name);
  out.span = reference.span;
  return out;
}

Piece of_run(const Run& run, const Reference& reference) {
  const std::string& name = reference.name;
  if (name == "name") return bytes(run.workload.name);
  if (name == "role") return bytes(run.role.name);
  if (name == "gpus") return bytes(std::to_string(run.shape.gpus));
  if (name == "replicas") return bytes(std::to_string(plan::demand_of(run.workload, run.role).written));
  if (name == "nodes" && run.names.nodes.empty()) return bytes(std::to_string(run.shape.nodes));
  for (const RunName& row : run_names)
    if (row.name == name) return variable(std::string(row.variable), reference);
  return bytes({});  // no such name: refused with the workload
}

Piece piece_of(const Run& run, const Reference& reference) {
  const std::string& name = reference.name;
  switch (reference.to) {
    case RefersTo::env: {
      Piece out = variable(name, reference);
      out.of_environment = true;
      return out;
    }
    case RefersTo::address: return variable(contract_name("MUSTER_ADDR_", name), reference);
    case RefersTo::axis: return variable(axis_variable(run.role, name), reference);
    case RefersTo::checkpoint: return bytes(run.workload.checkpoint->path->value);
    case RefersTo::run: return of_run(run, reference);
    case RefersTo::port:
      for (const model::Port& port : run.role.ports)
        if (port.name == name) return bytes(std::to_string(port.number.value));
      break;
    case RefersTo::mount:
      for (const model::Mount& mount : run.role.mounts)
        if (mount.name == name)
          return mount.name == "scratch" ? variable(contract_name("MUSTER_MOUNT_", name), reference)
                                         : bytes(mount.path.value);
      break;
  }
  return bytes({});  // no such port or mount: refused with the workload
}

// An unset variable that is all of an element of a list `A:B` takes its `:` away.
void take_colon(Pieces& pieces, Piece& piece, std::string_view& rest) {
  if (!rest.empty() && rest.front() != ':') return;
  if (!pieces.empty() && !pieces.back().is_variable() && pieces.back().bytes.ends_with(':')) {
    pieces.back().bytes.pop_back();
    piece.colon_before = true;
  } else if (rest.starts_with(':') && (pieces.empty() || pieces.back().colon_behind)) {
    rest.remove_prefix(1);
    piece.colon_behind = true;
  }
}

}  // namespace

Pieces pieces_of(const Run& run, const model::Text& text) {
  Pieces out;
  std::string_view rest = text.bytes;
  std::size_t at = 0;
  const auto add_bytes = [&](std::string_view more) {
    if (more.empty()) return;
    if (!out.empty() && !out.back().is_variable()) out.back().bytes += more;
    else out.push_back(bytes(std::string(more)));
  };
  for (std::size_t i = 0; i < text.references.size(); ++i) {
    const Reference& reference = text.references[i];
    const bool last_here = i + 1 == text.references.size() || text.references[i + 1].at > reference.at;
    const std::size_t here = reference.at - std::min(at, reference.at);
    add_bytes(rest.substr(0, here));
    rest.remove_prefix(here);
    Piece piece = piece_of(run, reference);
    if (!piece.is_variable()) {
      add_bytes(piece.bytes);
    } else {
      const std::size_t before = rest.size();
      if (reference.to == RefersTo::env && last_here) take_colon(out, piece, rest);
      at += before - rest.size();
      if (!out.empty() && !out.back().is_variable() && out.back().bytes.empty()) out.pop_back();
      out.push_back(std::move(piece));
    }
    at += here;
  }
  add_bytes(rest);
  return out;
}

std::string bytes_of(const Pieces& pieces) {
  std::string out;
  for (const Piece& piece : pieces) out += piece.bytes;
  return out;
}

bool has_variables(const Pieces& pieces) {
  return std::any_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.is_variable(); });
}

std::optional<std::string> known_text(Account& account, const Run& run, const model::Text& text, const FieldRef& field,
                                      std::string_view why) {
  const Pieces pieces = pieces_of(run, text);
  for (const Piece& piece : pieces) {
    if (!piece.is_variable()) continue;
    account.refuse_at(piece.span, field, "this value is known only when the program runs, " + std::string(why));
    return std::nullopt;
  }
  return bytes_of(pieces);
}

std::string axis_variable(const model::Role& role, std::string_view axis) {
  for (const model::EnvVar& variable : role.env)
    if (variable.from_axis() && *variable.value.axis() == axis) return variable.name;
  std::string out(axis);
  std::replace(out.begin(), out.end(), '-', '_');
  out += "_value";
  const auto is_taken = [&](const model::EnvVar& variable) { return variable.name == out; };
  while (std::any_of(role.env.begin(), role.env.end(), is_taken)) out += '_';
  return out;
}

std::vector<std::pair<std::string, std::string>> axis_variables(const model::Role& role) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const model::EnvVar& variable : role.env)
    if (variable.from_axis()) out.emplace_back(variable.name, *variable.value.axis());
  for (const model::Text* text : model::run_texts(role))
    for (const Reference& reference : text->references) {
      const auto has_it = [&](const auto& entry) { return entry.second == reference.name; };
      if (reference.to == RefersTo::axis && std::none_of(out.begin(), out.end(), has_it))
        out.emplace_back(axis_variable(role, reference.name), reference.name);
    }
  return out;
}

std::string quoted(const Pieces& pieces) {
  std::string out = "\"";
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (!piece.is_variable()) {
      for (const char c : piece.bytes)
        out += std::string_view("\"\\$`").find(c) == std::string_view::npos ? "" : "\\", out += c;
      continue;
    }
    const std::string word = piece.word.empty() ? "$" + piece.variable : piece.word;
    const bool joined = i + 1 < pieces.size() && !pieces[i + 1].bytes.empty() && is_name_char(pieces[i + 1].bytes[0]);
    if (piece.colon_before || piece.colon_behind)
      out +=
          "${" + piece.variable + ":+" + (piece.colon_before ? ":" : "") + word + (piece.colon_behind ? ":" : "") + "}";
    else if (joined && is_env_name(std::string_view(word).substr(1))) out += "${" + word.substr(1) + "}";
    else out += word;
  }
  return out + "\"";
}

}  // namespace muster::targets::contract
