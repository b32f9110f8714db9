// What the output of a program says.
#include <algorithm>
#include <array>

#include "compiler/base/text.h"
#include "why/causes/causes.h"
#include "why/causes/match.h"
#include "why/decide/scene.h"

namespace muster::why {
namespace {

bool is_fault(std::string_view id) {
  const auto of_log = [&](const Message& m) { return m.where == Where::log && m.id == id && m.is_fault; };
  return std::any_of(messages().begin(), messages().end(), of_log);
}

// Whether a line may report a fault: an output with such a line is not called healthy.
bool may_be_fault(std::string_view line) {
  const std::string text = lower(line);
  const auto words = words_of_faults();
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return text.find(w) != std::string::npos; });
}

// "FileNotFoundError: [Errno 2] …": the last line of a Python traceback.
bool is_exception(std::string_view line) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos || colon < 5) return false;
  const std::string_view name = line.substr(0, colon);
  return (name.ends_with("Error") || name.ends_with("Exception")) && name.find(' ') == std::string_view::npos;
}

// torchrun's report of the child that failed first.
class FirstFailure {
 public:
  void line(std::string_view text, Place place, Case& out) {
    if (text.starts_with("Root Cause")) inside_ = true;
    if (!inside_) return;
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view key = trimmed(text.substr(0, colon)), value = trimmed(text.substr(colon + 1));
    const std::string word(value.substr(0, value.find(' ')));
    if (key == "rank") {
      out.offer("torch.rank", word, place);
      if (const std::size_t local = value.find("local_rank: "); local != std::string_view::npos)
        out.offer("torch.local-rank", std::string(value.substr(local + 12, value.find(')') - local - 12)), place);
    }
    if (key == "exitcode") out.offer("torch.exit", word, place);
  }

 private:
  bool inside_ = false;
};

// A text that was cut is shown with three dots: it is known as far as it goes.
std::string without_holes(std::string text) {
  for (std::size_t at = text.find(cut); at != std::string::npos; at = text.find(cut, at))
    text.replace(at, cut.size(), "...");
  return text;
}

}  // namespace

void add_messages(std::string_view where, std::string_view text, Place place, Case& out) {
  constexpr std::size_t longest = 300;
  const std::string said = without_holes(std::string(text.substr(0, longest)));
  const auto add = [&](const Message& message, const Captures& captures) {
    const std::string key = std::string(where) + "." + std::string(message.id);
    out.offer(key, said, place);
    for (const auto& [name, value] : captures) out.offer(key + "." + std::string(name), value, place);
  };
  bool any = false;
  for (const Message& message : messages())
    if (name(message.where) == where)
      if (const auto captures = match(message.pattern, text)) add(message, *captures), any = true;
  if (any || !is_cut(text)) return;
  const auto pattern = [&](const Message& m) { return name(m.where) == where ? m.pattern : std::string_view(); };
  const auto same = [](const Message& a, const Message& b) { return a.id == b.id; };
  Captures values;
  if (const Message* only = only_one(messages(), text, 16, pattern, same, &values)) add(*only, values);
}

void add_line(std::string_view where, const Object& line, Case& out) {
  Case here;
  const std::string text(line.get("text"));
  add_messages(where, text, line.place, here);
  if (here.all().empty() && line.find("at-edge") != nullptr)
    add_messages(where, text + std::string(cut), line.place, here);
  for (const auto& [key, known] : here.all()) out.offer(key, known.value, known.place);
}

void add_log(const std::vector<const Object*>& lines, Case& out) {
  constexpr int most_cut = 2000;  // each is laid over all patterns
  int cut_lines = 0;
  FirstFailure first;
  std::int64_t ones = 0;
  Place one_at;
  for (const Object* line : lines) {
    const std::string_view text = line->get("text");
    if (line->find("at-edge") != nullptr || is_cut(text)) {
      out.offer("log.cut", "1", line->place);
      if (++cut_lines > most_cut) continue;
    }
    // A missing file of the output itself says nothing of the program.
    if (text.starts_with("cat: ") || text.starts_with("tail: ")) {
      out.offer("log.missing", "1", line->place);
      continue;
    }
    out.offer("log.any", "1", line->place);
    Case here;
    add_line("log", *line, here);
    for (const auto& [key, known] : here.all()) {
      out.offer(key, known.value, known.place);
      const std::size_t dot = key.find('.', 4);
      if (dot == std::string::npos && is_fault(std::string_view(key).substr(4)))
        out.offer("log.fault", key.substr(4), known.place);
    }
    if (here.knows("log.rank-of-one")) ++ones, one_at = line->place;
    if (here.all().empty() && may_be_fault(text)) out.offer("log.fault", "line", line->place);
    if (is_exception(text)) out.set("log.exception", std::string(text.substr(0, 200)), line->place);
    first.line(text, line->place, out);
  }
  if (ones > 0) out.set("log.ranks-of-one", ones, one_at);
}

}  // namespace muster::why
