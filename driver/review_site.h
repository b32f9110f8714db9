// What differs between the sites of two sides, key by key.
#pragma once

#include <vector>

#include "driver/review_tree.h"
#include "review/compare.h"

namespace muster::driver {

// The keys of the site and its fleet that differ, sorted: "queue.main.max-time".
std::vector<review::SiteChange> site_changes(const Judge& base, const Judge& head);

}  // namespace muster::driver
