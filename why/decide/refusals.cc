#include "why/decide/refusals.h"

#include <set>
#include <utility>

namespace muster::why {
namespace {

// kubectl begins each error so; sbatch, salloc and srun end with the line that says that they failed.
bool begins(std::string_view text) {
  return text.starts_with("Error from server") || text.starts_with("error: ") || text.starts_with("The ");
}
bool ends(std::string_view text) {
  return text.find("submission failed") != std::string_view::npos ||
         text.find("Unable to allocate") != std::string_view::npos;
}

std::string text_of(const Refusal& refusal) {
  std::string out;
  for (const Object* line : refusal.lines) out += std::string(line->get("text")) + "\n";
  return out;
}

}  // namespace

std::vector<Refusal> refusals_of(const Facts& facts, bool kubectl) {
  std::vector<Refusal> out;
  std::set<std::string> seen;
  const auto finish = [&] {
    if (!out.empty() && !seen.insert(text_of(out.back())).second) out.pop_back();
  };
  const Object* last = nullptr;
  for (const Object* line : facts.of(Kind::refused)) {
    if ((line->type == "kubectl") != kubectl) continue;
    const bool goes_on = last != nullptr && last->place.file == line->place.file &&
                         last->place.line + 1 == line->place.line &&
                         (kubectl ? !begins(line->get("text")) : !ends(last->get("text")));
    if (!goes_on) finish(), out.emplace_back();
    out.back().lines.push_back(line);
    last = line;
  }
  finish();
  if (out.size() > 1)
    for (std::size_t i = 0; i < out.size(); ++i) out[i].id = "submission " + std::to_string(i + 1);
  return out;
}

}  // namespace muster::why
