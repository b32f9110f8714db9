#include "targets/slurm/lift/task_values.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "compiler/base/text.h"
#include "compiler/shell/arithmetic.h"
#include "compiler/shell/programs.h"
#include "targets/slurm/lift/lifter.h"
#include "targets/slurm/lift/text.h"

namespace muster::targets::slurm::lifting {
namespace {

constexpr std::string_view task_id = "SLURM_ARRAY_TASK_ID";
constexpr std::size_t most_tasks = 1000, most_values = 16;
constexpr int most_steps = 8;                 // variables behind each other
constexpr std::size_t longest_value = 200;    // of an expression
constexpr std::size_t most_numbers = 200000;  // worked out for a script

// What a variable is set to.
struct Setting {
  const Word* value = nullptr;
  const std::vector<std::string>* elements = nullptr;  // of an array
};

// The variables that the script sets once, at its top level.
class Assigned {
 public:
  explicit Assigned(const Body& body) {
    std::set<std::uint32_t> exporting;
    for (const Export& e : body.exports) exporting.insert(e.command);
    for (std::uint32_t i = 0; i < body.commands.size(); ++i) {
      const Command& c = body.commands[i];
      const bool alone = c.words.empty() && c.inside < 0 && c.scope < 0 && body.unconditional(c);
      for (const Assignment& a : c.assignments) {
        const Setting set{&a.value, a.elements.empty() ? nullptr : &a.elements};
        if (!alone || a.append || !found_.emplace(a.name, set).second) unsure_.insert(a.name);
      }
      const bool declared = shell::has_trait(c.program(), shell::declares) && !exporting.contains(i);
      if (declared || shell::has_trait(c.program(), shell::takes_names))
        for (const Word& word : c.words) unsure_.insert(word.text.substr(0, word.text.find_first_of("=[+")));
    }
    for (const Export& e : body.exports)
      if (e.value && (!e.unconditional || !found_.emplace(e.name, Setting{&*e.value, nullptr}).second))
        unsure_.insert(e.name);
    for (const Scope& scope : body.scopes)
      if (scope.kind == ScopeKind::loop) unsure_.insert(scope.name);
  }

  // The one in front of that place of the text.
  const Setting* find(std::string_view name, Span place) const {
    const auto at = found_.find(name);
    const bool sure = at != found_.end() && unsure_.find(name) == unsure_.end();
    return sure && at->second.value->span.begin < place.begin ? &at->second : nullptr;
  }

 private:
  std::map<std::string, Setting, std::less<>> found_;
  std::set<std::string, std::less<>> unsure_;
};

// The values of one task.
class AtTask {
 public:
  // `budget`: how many numbers may still be worked out.
  AtTask(const Assigned& assigned, std::int64_t id, Span place, std::size_t& budget)
      : assigned_(assigned), id_(id), place_(place), budget_(budget) {}

  // Of `$((…))`, `$[…]` or `${NAME[…]}`, as spelt.
  std::optional<std::string> value(std::string_view part, int depth = 0) const {
    const bool old = part.starts_with("$[") && part.ends_with(']');
    if (old || (part.starts_with("$((") && part.ends_with("))"))) {
      const auto number = arithmetic(part.substr(old ? 2 : 3, part.size() - (old ? 3 : 5)), depth);
      return number ? std::optional(std::to_string(*number)) : std::nullopt;
    }
    const std::size_t open = part.find('[');
    if (part.starts_with("${") && part.ends_with("]}") && open != std::string_view::npos)
      return element(part.substr(2, open - 2), part.substr(open + 1, part.size() - open - 3), depth);
    return std::nullopt;
  }

 private:
  const std::vector<std::string>* elements_of(std::string_view name) const {
    const Setting* set = assigned_.find(name, place_);
    return set == nullptr ? nullptr : set->elements;
  }

  std::optional<std::string> element(std::string_view name, std::string_view index, int depth) const {
    const auto* array = elements_of(name);
    const auto at = array == nullptr ? std::nullopt : arithmetic(index, depth);
    if (!at || *at < 0 || static_cast<std::size_t>(*at) >= array->size()) return std::nullopt;
    const std::string& found = (*array)[static_cast<std::size_t>(*at)];
    return found.find('\0') == std::string::npos ? std::optional(found) : std::nullopt;
  }

  // `$((ID / 3))` and `${#LRS[@]}` inside of it are parentheses and a number.
  std::optional<std::int64_t> arithmetic(std::string_view text, int depth) const {
    if (depth > most_steps || text.size() > longest_value) return std::nullopt;
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::string_view rest = text.substr(i);
      if (rest.starts_with("$((")) continue;
      if (!rest.starts_with("${#")) {
        plain += text[i];
        continue;
      }
      const std::size_t end = rest.find('}');
      const std::string_view name = rest.substr(3, std::min(rest.find('['), rest.size()) - 3);
      const auto* array = elements_of(name);
      const bool counts = end != std::string_view::npos &&
                          is_one_of(rest.substr(3 + name.size(), end - 3 - name.size()), {"[@]", "[*]"});
      if (array == nullptr || !counts) return std::nullopt;
      plain += std::to_string(array->size());
      i += end;
    }
    return shell::evaluate_arithmetic(plain, [&](std::string_view name) { return number(name, depth + 1); });
  }

  std::optional<std::int64_t> number(std::string_view name, int depth) const {
    if (name == task_id) return id_;
    if (budget_ == 0) return std::nullopt;
    --budget_;
    const Setting* set = assigned_.find(name, place_);
    if (set == nullptr || set->elements != nullptr) return std::nullopt;
    std::string text = set->value->text;
    if (!set->value->literal) {
      const std::vector<WordPart> parts = parts_of(*set->value);
      if (parts.size() != 1) return std::nullopt;
      if (is_one_of(parts[0].text, {"$SLURM_ARRAY_TASK_ID", "${SLURM_ARRAY_TASK_ID}"})) return id_;
      text = value(parts[0].text, depth).value_or("");
    }
    const bool digits = !text.empty() && text.size() < 18 && all_digits(text) && (text.size() == 1 || text[0] != '0');
    return digits ? std::optional<std::int64_t>(std::stoll(text)) : std::nullopt;
  }

  const Assigned& assigned_;
  std::int64_t id_;
  Span place_;  // of the word that has the value
  std::size_t& budget_;
};

// A name for what is spelt so: the variable that gets it, the option in front of it, or the array that it comes from.
std::string axis_name(std::string_view spelling, const std::string& hint, std::size_t place) {
  std::string name = name_for_value(hint);
  if (name.empty() && spelling.starts_with("${")) name = name_for_value(spelling.substr(2, spelling.find('[') - 2));
  return name.empty() ? "value" + std::to_string(place) : name;
}

class Table {
 public:
  Table(const Body& body, const model::Sweep& tasks, const std::vector<Parameter>& parameters)
      : assigned_(body), body_(body), tasks_(tasks) {
    for (const Parameter& p : parameters) names_.insert(p.name);
  }

  std::vector<TaskValue> run() {
    for (const Export& e : body_.exports)
      if (e.value) read(*e.value, e.name);
    for (const Command& c : body_.commands) {
      if (c.scope >= 0 || c.inside >= 0) continue;
      for (const Assignment& a : c.assignments) read(a.value, a.name);
      for (std::size_t i = 0; i < c.words.size(); ++i) {
        const bool option = i > 0 && c.words[i - 1].literal && c.words[i - 1].text.starts_with("--");
        read(c.words[i], option ? c.words[i - 1].text.substr(2) : std::string());
      }
    }
    return std::move(out_);
  }

 private:
  void read(const Word& word, const std::string& hint) {
    if (word.literal || word.parts.empty()) return;
    const std::vector<WordPart> parts = parts_of(word);
    for (const WordPart& part : parts)
      if (!part.known && task_value_in(part.text, out_) == nullptr && out_.size() < most_values &&
          refused_.find(part.text) == refused_.end())
        add(part.text, parts.size() == 1 ? hint : std::string(), word.span);
  }

  void add(std::string_view spelling, const std::string& hint, Span place) {
    if (!spelling.starts_with("${") && !spelling.starts_with("$((") && !spelling.starts_with("$[")) return;
    TaskValue out{std::string(spelling), {}, {}, true};
    for (const std::string& id : tasks_.axes.front().values) {
      auto value = AtTask(assigned_, std::stoll(id), place, budget_).value(spelling);
      if (!value) return void(refused_.emplace(spelling));
      out.one_word &= !value->empty() && value->find_first_of(" \t\n*?[") == std::string::npos;
      out.values.push_back(std::move(*value));
    }
    const auto same =
        std::find_if(out_.begin(), out_.end(), [&](const TaskValue& v) { return v.values == out.values; });
    out.axis = same != out_.end() ? same->axis : axis_name(spelling, hint, out_.size() + 1);
    while (same == out_.end() && !names_.insert(out.axis).second) out.axis += "-" + std::to_string(out_.size() + 1);
    out_.push_back(std::move(out));
  }

  Assigned assigned_;
  const Body& body_;
  const model::Sweep& tasks_;
  std::vector<TaskValue> out_;
  std::set<std::string> names_;
  std::size_t budget_ = most_numbers;
  std::set<std::string, std::less<>> refused_;  // spellings that a run alone tells
};

// How many tasks in a row have the first value.
std::size_t run_length(const std::vector<std::string>& values) {
  const auto other = std::find_if(values.begin(), values.end(), [&](const std::string& v) { return v != values[0]; });
  return static_cast<std::size_t>(other - values.begin());
}

// Every combination of the values, where the tasks are just that.
std::optional<std::vector<model::Axis>> grid_of(std::vector<model::Axis> axes) {
  const std::size_t tasks = axes.front().values.size();
  std::stable_sort(axes.begin(), axes.end(), [](const model::Axis& a, const model::Axis& b) {
    return run_length(a.values) > run_length(b.values);
  });
  model::Sweep grid;
  for (const model::Axis& axis : axes) {
    model::Axis& own = grid.axes.emplace_back(model::Axis{axis.name, {}, axis.span});
    for (std::size_t at = 0; at < tasks; at += run_length(axis.values)) {
      if (std::find(own.values.begin(), own.values.end(), axis.values[at]) != own.values.end()) break;
      own.values.push_back(axis.values[at]);
    }
  }
  if (grid.points() != tasks) return std::nullopt;
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (std::size_t point = 0; point < tasks; ++point)
      if (grid.value(i, point) != axes[i].values[point]) return std::nullopt;
  return std::move(grid.axes);
}

}  // namespace

std::vector<TaskValue> task_values_of(const Body& body, const model::Sweep& tasks,
                                      const std::vector<Parameter>& parameters) {
  if (tasks.axes.size() != 1 || tasks.axes.front().values.size() > most_tasks) return {};
  return Table(body, tasks, parameters).run();
}

const TaskValue* task_value_in(std::string_view spelling, const std::vector<TaskValue>& values) {
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const TaskValue& v) { return v.spelling == spelling; });
  return found == values.end() ? nullptr : &*found;
}

void take_axes(Lifter& lifter) {
  if (lifter.task_values.empty()) return;
  model::Sweep& sweep = *lifter.out.workload.sweep;
  const model::Axis task = sweep.axes.front();
  std::vector<model::Axis> axes;
  for (const TaskValue& value : lifter.task_values) {
    const bool known =
        std::any_of(axes.begin(), axes.end(), [&](const model::Axis& a) { return a.name == value.axis; });
    if (!known && model::refers_to(lifter.role(), model::RefersTo::axis, value.axis))
      axes.push_back({value.axis, value.values, task.span});
  }
  if (axes.empty()) return;
  const auto before = sweep.ids();
  const bool names_task = model::refers_to(lifter.role(), model::RefersTo::axis, task.name);
  if (names_task) axes.insert(axes.begin(), task);
  auto grid = axes.size() > 1 && !names_task ? grid_of(axes) : std::nullopt;
  sweep.zip = axes.size() > 1 && !grid;
  sweep.axes = grid ? std::move(*grid) : std::move(axes);
  std::vector<std::int64_t> now = sweep.ids().value_or(std::vector<std::int64_t>());
  for (std::size_t i = 0; now.size() < sweep.points(); ++i) now.push_back(static_cast<std::int64_t>(i));
  const bool same = before && *before == now;
  lifter.line(task.span, "array", same ? Fate::lifted : Fate::mended, "sweep.axes",
              same ? "" : "the tasks have other numbers, of which the names of their logs are made",
              same ? std::vector<std::string>{} : std::vector<std::string>{"array", std::string(task_id)});
}

}  // namespace muster::targets::slurm::lifting
