#include "compiler/sema/schema/schema.h"

#include <algorithm>

namespace muster::sema {

std::string_view noun(Type type) {
  switch (type) {
    case Type::boolean: return "true or false";
    case Type::integer: return "a whole number";
    case Type::symbol: return "a symbol";
    case Type::symbols: return "a list of symbols";
    case Type::name: return "a symbol or a string";
    case Type::names: return "a symbol, a string or a list of them";
    case Type::text:
    case Type::run_text: return "a string";
    case Type::texts:
    case Type::run_texts: return "a list of strings";
    case Type::scalar:
    case Type::run_scalar: return "a string, a number, true or false";
    case Type::fact: return "a number, a symbol, true or false";
    case Type::axis: return "a list of values or a range of whole numbers";
    case Type::size: return "a size";
    case Type::duration: return "a time";
    case Type::rate: return "a rate";
    case Type::percent: return "a percentage";
    case Type::number: return "a number";
    case Type::count: return "a whole number or a range";
    case Type::cpus: return "a whole number, a range or `all`";
    case Type::size_or_all: return "a size or `all`";
    case Type::memory: return "a size, a range of sizes or `all`";
    case Type::gpu: return "a GPU model, `MODEL:COUNT` or a list of models";
    case Type::integers: return "a list of whole numbers";
    case Type::hosts: return "a host list";
    case Type::hosts_or_count: return "a host list or a whole number";
    case Type::version: return "a version in quotes";
    case Type::script: return "a heredoc";
    case Type::document: return "a heredoc or a string";
    case Type::option: return "a string, a heredoc, a number, true or false";
    case Type::code: return "a string";
    case Type::any: return "a value";
  }
  return "a value";
}

const KeySchema* BlockSchema::key(std::string_view wanted) const {
  for (const KeySchema& key : keys)
    if (key.name == wanted) return &key;
  return nullptr;
}

const BlockSchema* BlockSchema::block(std::string_view wanted) const {
  for (const BlockSchema& block : blocks)
    if (block.name == wanted) return &block;
  return nullptr;
}

const BlockSchema& workload_schema() {
  static const BlockSchema* const found = [] {
    const auto is_workload = [](const BlockSchema& top) { return top.name == "workload"; };
    return &*std::find_if(top_level().begin(), top_level().end(), is_workload);
  }();
  return *found;
}

const KeySchema* find_key(const BlockSchema& block, std::string_view path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return block.key(path);
  const BlockSchema* inner = block.block(path.substr(0, dot));
  return inner == nullptr ? nullptr : find_key(*inner, path.substr(dot + 1));
}

}  // namespace muster::sema
