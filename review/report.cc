#include "review/report.h"

namespace muster::review {

std::span<const Format> all_formats() {
  static constexpr Format formats[] = {
      {"text", write_text}, {"markdown", write_markdown}, {"json", write_json}, {"html", write_html}};
  return formats;
}

}  // namespace muster::review
