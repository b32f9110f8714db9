// What a fleet or a site declares, in words: for `muster explain FILE`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/model/fleet.h"
#include "compiler/model/site.h"

namespace muster::cli {

// A pool, a plane, a tenant …: its heading ("pool h100"), and what is declared of it by name. What is not
// declared has no row.
struct Section {
  std::string heading;
  std::vector<std::pair<std::string, std::string>> rows;
};

// Adds a row, unless the text is empty.
inline void add(Section& out, std::string_view name, std::string text) {
  if (!text.empty()) out.rows.emplace_back(name, std::move(text));
}

// A section for each pool; amounts are those of a node unless the row says otherwise.
std::vector<Section> describe(const model::Fleet& fleet);

// Planes, queues, tenants, and what is mapped to names for the workloads.
std::vector<Section> describe(const model::Site& site);

// The findings of lint that are meant; no row where there are none.
Section exceptions(const std::vector<model::Allow>& allows);

}  // namespace muster::cli
