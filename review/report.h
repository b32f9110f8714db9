// The reports: one review, many readers. Each is a pure function to text; no clock, no environment.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "review/compare.h"

namespace muster::review {

struct ReportOptions {
  std::string key;              // markdown, json: tells this review from others of the pull request
  std::string host = "github";  // markdown: whose comments
  std::string version;          // of muster
  bool colour = false;          // text
  bool chart = false;           // markdown: where workloads run as a Mermaid chart, for hosts that draw it
};

std::string write_text(const Review& review, const ReportOptions& options);
// docs/schemas/review.json.
std::string write_json(const Review& review, const ReportOptions& options);
// The body of a comment on a pull request, within what its host takes. Its first line is the marker that finds it
// again: `<!-- muster:review v1 key=KEY -->`, or `… key=KEY unchanged -->` where there is nothing to say but that.
std::string write_markdown(const Review& review, const ReportOptions& options);
// A page that loads nothing and runs nothing.
std::string write_html(const Review& review, const ReportOptions& options);

struct Format {
  std::string_view name;
  std::string (*write)(const Review&, const ReportOptions&);
};
std::span<const Format> all_formats();

// What a comment may have: UTF-16 units and bytes.
struct Budget {
  std::string_view host;
  std::size_t characters, bytes;
};
std::span<const Budget> budgets();

}  // namespace muster::review
