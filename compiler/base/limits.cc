#include "compiler/base/limits.h"

#include "compiler/base/text.h"

namespace muster {
namespace {

constexpr LimitInfo limits[] = {
#define LIMIT(id, name, value, unit, help) {name, static_cast<std::size_t>(value), LimitUnit::unit, help},
#include "compiler/base/limits.def"
#undef LIMIT
};

}  // namespace

std::span<const LimitInfo> all_limits() { return limits; }

const LimitInfo& info(Limit limit) { return limits[static_cast<std::size_t>(limit)]; }

std::string value_text(const LimitInfo& limit) {
  if (limit.unit == LimitUnit::bytes) return std::to_string(limit.value >> 20) + " MiB";
  return with_thousands(static_cast<std::int64_t>(limit.value));
}

Diagnostic& add_over_limit(Diagnostics& diagnostics, Limit limit, Span where, const std::string& what) {
  const LimitInfo& of = info(limit);
  Diagnostic& d = diagnostics.add(Code::over_limit, where, what + "; the limit is " + value_text(of));
  d.notes.push_back("limit `" + std::string(of.name) + "`: " + std::string(of.help));
  return d;
}

}  // namespace muster
