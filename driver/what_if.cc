#include "driver/what_if.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "compiler/base/text.h"

namespace muster::driver {
namespace {

constexpr std::int64_t most_nodes = 1'000'000;  // of a pool after `add`

bool unusable(Diagnostics& diagnostics, const std::string& message, const std::string& note) {
  diagnostics.add(Code::unknown_name, Span{}, message).notes.push_back(note);
  return false;
}

bool no_such(Diagnostics& diagnostics, const model::Fleet& fleet, std::string_view kind, std::string_view name,
             const std::vector<std::string_view>& known) {
  const std::string near = closest(name, known);
  return unusable(
      diagnostics, "fleet " + fleet.name + " has no " + std::string(kind) + " `" + std::string(name) + "`",
      near.empty() ? "--what-if takes `add=POOL:COUNT`, `drain=LEAF` or `free=JOB`" : "did you mean `" + near + "`?");
}

// Names of the new nodes start with the pool's, which no other pool bears.
void add_nodes(model::Pool& pool, std::int64_t count) {
  model::Leaf leaf{"added", {}};
  for (std::int64_t n = 0; n < count; ++n) leaf.nodes.push_back(static_cast<std::uint32_t>(pool.node_count + n));
  if (!pool.node_names.empty())
    pool.node_names.add({pool.name + "/added-", "", 1, static_cast<std::uint32_t>(count), 1});
  pool.node_count += count;
  if (!pool.leaves.empty()) pool.leaves.push_back(std::move(leaf));
}

bool add(std::string_view what, model::Fleet& fleet, Diagnostics& diagnostics) {
  const std::size_t colon = what.rfind(':');
  const std::string_view name = what.substr(0, colon);
  std::int64_t count = 0;
  const std::string_view digits = colon == std::string_view::npos ? "" : what.substr(colon + 1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (digits.empty() || read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || count <= 0)
    return unusable(diagnostics, "`add=" + std::string(what) + "` does not give a number of nodes",
                    "write `add=POOL:COUNT`");
  std::vector<std::string_view> known;
  for (model::Pool& pool : fleet.pools) {
    known.push_back(pool.name);
    if (pool.name != name) continue;
    if (count > most_nodes - pool.node_count)
      return unusable(diagnostics, "pool `" + pool.name + "` cannot get `" + std::string(digits) + "` more nodes",
                      "a pool has at most " + std::to_string(most_nodes) + " nodes");
    add_nodes(pool, count);
    return true;
  }
  return no_such(diagnostics, fleet, "pool", name, known);
}

bool drain(std::string_view what, model::Fleet& fleet, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  bool found = false;
  for (model::Pool& pool : fleet.pools)
    for (const model::Leaf& leaf : pool.leaves) {
      names.push_back(leaf.name);
      if (what != leaf.name && what != pool.name + "/" + leaf.name) continue;
      pool.drained.insert(pool.drained.end(), leaf.nodes.begin(), leaf.nodes.end());
      found = true;
    }
  return found || no_such(diagnostics, fleet, "leaf", what, {names.begin(), names.end()});
}

bool free_job(std::string_view what, model::Fleet& fleet, Diagnostics& diagnostics) {
  std::vector<std::string> names;
  std::size_t freed = 0;
  for (model::Pool& pool : fleet.pools) {
    for (const model::InUse& use : pool.in_use) names.push_back(use.name);
    freed += std::erase_if(pool.in_use, [&](const model::InUse& use) { return use.name == what; });
  }
  return freed > 0 || no_such(diagnostics, fleet, "in-use", what, {names.begin(), names.end()});
}

}  // namespace

bool apply_what_if(const std::vector<std::string>& changes, model::Fleet& fleet, Diagnostics& diagnostics) {
  for (const std::string& change : changes) {
    const std::size_t equals = std::min(change.find('='), change.size());
    const std::string_view verb = std::string_view(change).substr(0, equals);
    const std::string_view what = equals < change.size() ? std::string_view(change).substr(equals + 1) : "";
    const bool done = verb == "add"     ? add(what, fleet, diagnostics)
                      : verb == "drain" ? drain(what, fleet, diagnostics)
                      : verb == "free"  ? free_job(what, fleet, diagnostics)
                                        : unusable(diagnostics, "`" + change + "` is not a valid change of a fleet",
                                                   "--what-if takes `add=POOL:COUNT`, `drain=LEAF` or `free=JOB`");
    if (!done) return false;
  }
  return true;
}

}  // namespace muster::driver
