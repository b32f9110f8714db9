#include "review/mermaid.h"

#include <map>

#include "compiler/base/text.h"
#include "review/wording.h"

namespace muster::review {
namespace {

constexpr std::size_t most_nodes = 30, longest_name = 60;

// "slurm", "batch (slurm), does not fit"; "": nobody decided.
std::string place_of(const std::optional<Workload>& w) {
  if (!w || !w->decision) return {};
  const Decision& d = *w->decision;
  std::string out = d.plane.empty() ? d.control_plane : d.plane;
  if (!d.target.empty() && d.target != out) out += " (" + d.target + ")";
  return out + (w->placement.verdict == "does-not-fit" ? ", does not fit" : "");
}

class Chart {
 public:
  // False: there is no room for it.
  bool add(const Item& item) {
    const std::string before = place_of(item.before), after = place_of(item.after);
    if (before == after) return true;
    std::size_t more = 1;
    for (const std::string* place : {&before, &after}) more += !place->empty() && !places_.contains(*place);
    if (nodes_ + more > most_nodes) return false;
    nodes_ += more;
    const std::string id = "w" + std::to_string(workloads_++);
    out_ += "  " + id + "[\"" + mermaid_text(title(item)) + "\"]\n";
    if (!before.empty()) out_ += "  " + id + " -. before .-> " + node(before) + "\n";
    if (!after.empty()) out_ += "  " + id + " -- now --> " + node(after) + "\n";
    return true;
  }

  std::string take() { return out_.empty() ? out_ : "flowchart LR\n" + out_; }

 private:
  // The first time with what it is called.
  std::string node(const std::string& place) {
    const auto [at, is_new] = places_.try_emplace(place, places_.size());
    const std::string id = "p" + std::to_string(at->second);
    return is_new ? id + "([\"" + mermaid_text(place) + "\"])" : id;
  }

  std::string out_;
  std::size_t nodes_ = 0, workloads_ = 0;
  std::map<std::string, std::size_t> places_;
};

}  // namespace

std::string mermaid_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text, longest_name)) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_alnum(c) || byte >= 0x80 || std::string_view(" -_./,()").find(c) != std::string_view::npos) out += c;
    else out += "#" + std::to_string(static_cast<int>(c)) + ";";
  }
  return out.empty() ? " " : out;
}

std::string mermaid_chart(const Review& review, std::size_t& left) {
  Chart chart;
  left = 0;
  for (const Item& item : review.items) left += !chart.add(item);
  return chart.take();
}

bool draws_charts(std::string_view host) { return host == "github" || host == "gitlab"; }

}  // namespace muster::review
