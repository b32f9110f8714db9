#include "cli/seed_json.h"

#include <nlohmann/json.hpp>

namespace muster::cli {
namespace {

// Python separates by ", " and ": ", which the library cannot; its strings are the same.
std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string seed_json(const rules::Outcome& outcome) {
  std::string out = "{";
  for (const rules::NamedValue& output : outcome.outputs) {
    if (out.size() > 1) out += ", ";
    const auto* text = std::get_if<std::string>(&output.value);
    out += json_text(output.name) + ": " + (text != nullptr ? json_text(*text) : model::to_string(output.value));
  }
  return out + "}";
}

}  // namespace muster::cli
