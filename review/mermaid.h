// Where workloads run and ran, as a chart that some hosts draw in a comment.
#pragma once

#include <string>
#include <string_view>

#include "review/compare.h"

namespace muster::review {

// The source of one Mermaid flowchart: an arrow from each workload that comes, goes or changes its place to where it
// runs now, a dotted one to where it ran; at most 30 nodes, `left` says how many workloads have no room. "": none does.
std::string mermaid_chart(const Review& review, std::size_t& left);

// A stranger's text between quotes of a node: letters, digits and harmless characters as they are, every other one as
// its number.
std::string mermaid_text(std::string_view text);

// Whether a host draws charts in comments.
bool draws_charts(std::string_view host);

}  // namespace muster::review
