#include "review/wording.h"
#include "review/number.h"

#include <algorithm>
#include <array>

#include "compiler/base/in_one_unit.h"
#include "compiler/base/text.h"
#include "compiler/base/units.h"
#include "lint/proposed.h"
#include "review/cost.h"
#include "review/program.h"
#include "review/total.h"

namespace muster::review {
namespace {

std::string number(const Number& value) { return value ? std::to_string(*value) : std::string(); }

// An object of a manifest may leave to others what it costs: that is reported, where a spec's amounts are known but for
// what words of a target leave open.
std::string or_unknown(const Workload& w, const char* row, std::string text) {
  const std::string_view name = row;
  const bool of_gpus = name == "GPUs" || name == "GPU-hours";
  const bool of_others = of_gpus && w.form == Form::manifest && w.runs && w.resources.gpus != 0;
  const bool open = std::find(w.open.begin(), w.open.end(), name) != w.open.end();
  return text.empty() && (of_others || open) ? "unknown" : text;
}

// Of hours and money: the time is the longest that the queue allows.
std::string at_most(const Workload& w, std::int64_t amount) { return w.cost.at_most && amount > 0 ? "at most " : ""; }

constexpr std::int64_t gib = std::int64_t{1} << 30;

// To a tenth of a GiB: "1846.6GiB" says more to people than 1890964MiB.
std::string memory_text(std::int64_t bytes) {
  std::string exact = to_string(Size{bytes});
  if (bytes < 10 * gib || exact.size() <= 8) return exact;  // "1TB", "64GiB"
  const std::int64_t tenths = bytes / gib * 10 + (bytes % gib * 10 + gib / 2) / gib;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "GiB";
}

std::optional<Size> asked_memory(const Workload& w) {
  return w.resources.memory ? std::optional(Size{*w.resources.memory}) : std::nullopt;
}

std::optional<Duration> asked_time(const Workload& w) {
  return w.resources.time_limit_ms ? std::optional(Duration{*w.resources.time_limit_ms}) : std::nullopt;
}

// What `of` gives of both sides, in one unit; "": a side does not have it, or they are the same.
template <class Of>
InOneUnit on_both(const Item& item, Of of) {
  const auto before = item.before ? of(*item.before) : std::nullopt,
             after = item.after ? of(*item.after) : std::nullopt;
  return before && after && *before != *after ? in_one_unit(*before, *after) : InOneUnit();
}

// The text less a word; a short one occurs in too much by chance.
std::string without(std::string text, std::string_view word) {
  if (word.size() < 3) return text;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
    text.replace(at, word.size(), "\1");
  return text;
}

// A row of both sides; the side that a workload is not on says nothing.
class Rows {
 public:
  explicit Rows(const Item& item) : item_(item) {}

  template <class Of>
  void add(const char* name, Of of) {
    Row row{name, item_.before ? of(*item_.before) : std::string(), item_.after ? of(*item_.after) : std::string()};
    if (!row.before.empty() || !row.after.empty()) rows_.push_back(std::move(row));
  }
  // The same of an amount: that it is unknown is reported.
  template <class Of>
  void counted(const char* name, Of of) {
    add(name, [&](const Workload& w) { return or_unknown(w, name, of(w)); });
  }
  // The same of the decision, where there is one.
  template <class Of>
  void decided(const char* name, Of of) {
    add(name, [&](const Workload& w) { return w.decision ? of(*w.decision) : std::string(); });
  }
  std::vector<Row> take() { return std::move(rows_); }

 private:
  const Item& item_;
  std::vector<Row> rows_;
};

}  // namespace

std::vector<lint::Account> unjudged_beside_left_out(const Review& review) {
  std::vector<lint::Account> out;
  for (const lint::Account& account : review.unjudged) {
    const auto is_it = [&](const LeftOut& left) { return left.file == account.file; };
    if (std::none_of(review.left_out_head.begin(), review.left_out_head.end(), is_it)) out.push_back(account);
  }
  return out;
}

std::string counts_text(const Review& review) {
  std::string out;
  const auto add = [&](std::size_t n, const char* what) {
    if (n > 0) out += (out.empty() ? "" : ", ") + std::to_string(n) + " " + what;
  };
  // Each workload counts once: what is blocked is no more said to be changed or added.
  std::array<std::size_t, 4> free{};
  for (const Item& item : review.items) free[static_cast<std::size_t>(item.status)] += item.blocked.empty();
  add(review.blocked, "blocked");
  for (const Status status : {Status::changed, Status::added, Status::removed, Status::moved})
    add(free[static_cast<std::size_t>(status)], std::string(name(status)).c_str());
  add(review.unchanged, "unchanged");
  return out.empty() ? "no workloads" : out;
}

std::string title(const Item& item) { return item.site.empty() ? item.id : item.id + " on " + item.site; }

std::string moved_from(const Item& item) {
  if (item.status != Status::moved) return {};
  return item.before->id != item.after->id ? item.before->id : item.before->file;
}

std::string cause_text(const Item& item) {
  if (item.cause == Cause::facts && item.shown().form != Form::spec) return {};
  switch (item.cause) {
    case Cause::unknown: return {};
    case Cause::facts: return "caused by the facts, not by a change of policy";
    case Cause::policy: return "caused by a change of policy (site, fleet or rules), not by the facts";
    case Cause::either:
      return "caused by the facts and by a change of policy (site, fleet or rules); either alone has this effect";
    case Cause::both: return "caused by the facts and a change of policy (site, fleet or rules) together";
  }
  return {};
}

Change around_difference(Change change, std::size_t most) {
  if (!change.before || !change.after || std::max(change.before->size(), change.after->size()) <= most) return change;
  std::string &before = *change.before, &after = *change.after;
  const auto at = std::mismatch(before.begin(), before.end(), after.begin(), after.end()).first;
  const auto same = static_cast<std::size_t>(at - before.begin());
  if (same < most / 2) return change;  // it shows
  std::size_t begin = same - most / 4;
  if (const std::size_t blank = before.find(' ', begin); blank < same) begin = blank + 1;   // a whole word
  while (begin > 0 && (static_cast<unsigned char>(before[begin]) & 0xC0) == 0x80) --begin;  // a whole character
  for (std::string* text : {&before, &after}) *text = "… " + text->substr(begin);
  return change;
}

std::vector<Row> decision_rows(const Item& item) {
  Rows rows(item);
  rows.decided("control plane", [](const Decision& d) { return d.control_plane; });
  rows.decided("plane", [](const Decision& d) { return d.plane == d.control_plane ? std::string() : d.plane; });
  rows.decided("runtime", [](const Decision& d) { return d.runtime; });
  rows.decided("layout", [](const Decision& d) { return d.layout; });
  rows.decided("target", [](const Decision& d) { return d.target; });
  rows.decided("requires", [](const Decision& d) { return joined(d.requires_); });
  rows.decided("advice", [](const Decision& d) { return joined(d.advice); });
  rows.add("fit", [](const Workload& w) { return w.placement.verdict; });
  rows.add("pool", [](const Workload& w) { return joined(w.placement.pools); });
  rows.add("leaf switches", [](const Workload& w) {
    return w.placement.leaf_switches > 0 ? std::to_string(w.placement.leaf_switches) : std::string();
  });
  return rows.take();
}

std::vector<Row> amount_rows(const Item& item) {
  Rows rows(item);
  rows.counted("nodes", [](const Workload& w) { return number(w.resources.nodes); });
  rows.counted("pods", [](const Workload& w) { return number(w.resources.pods); });
  rows.counted("GPUs", [](const Workload& w) { return number(w.resources.gpus); });
  rows.counted("CPUs", [](const Workload& w) { return number(w.resources.cpus); });
  const InOneUnit memory = on_both(item, asked_memory), time = on_both(item, asked_time);
  const auto of_side = [&](const Workload& w, const InOneUnit& both) {
    return item.before && &w == &*item.before ? both.first : both.second;
  };
  rows.counted("memory", [&](const Workload& w) {
    if (!memory.first.empty()) return of_side(w, memory);
    return w.resources.memory ? memory_text(*w.resources.memory) : std::string();
  });
  rows.counted("time limit", [&](const Workload& w) {
    if (!time.first.empty()) return of_side(w, time);
    return w.resources.time_limit_ms ? to_string(Duration{*w.resources.time_limit_ms}) : std::string();
  });
  rows.counted("tasks", [](const Workload& w) { return number(w.resources.tasks); });
  rows.counted("GPUs at once", [](const Workload& w) {
    return w.resources.tasks.value_or(1) > 1 ? number(gpus_at_once(w)) : std::string();
  });
  rows.counted("GPU-hours", [](const Workload& w) {
    return w.cost.gpu_seconds ? at_most(w, *w.cost.gpu_seconds) + hours_text(*w.cost.gpu_seconds) : std::string();
  });
  const auto without_gpus = [](const Workload& w, const Number& seconds) {
    return seconds && w.resources.gpus == 0 ? at_most(w, *seconds) + hours_text(*seconds) : std::string();
  };
  rows.counted("CPU-hours", [&](const Workload& w) { return without_gpus(w, w.cost.cpu_seconds); });
  rows.add("node-hours", [&](const Workload& w) {
    return w.cost.cpu_seconds ? std::string() : without_gpus(w, w.cost.node_seconds);
  });
  rows.counted("cost", [](const Workload& w) {
    return w.cost.micros ? at_most(w, *w.cost.micros) + money_text(*w.cost.micros) : std::string();
  });
  return rows.take();
}

Row find_row(const Item& item, std::string_view name) {
  for (auto& rows : {decision_rows(item), amount_rows(item)})
    for (const Row& row : rows)
      if (row.name == name) return row;
  return {};
}

std::string amounts_text(const Workload& w) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  if (w.resources.nodes) add(counted(*w.resources.nodes, "node"));
  if (w.resources.pods) add(counted(*w.resources.pods, "pod"));
  if (w.resources.gpus) add(counted(*w.resources.gpus, "GPU"));
  if (w.resources.time_limit_ms) add(to_string(Duration{*w.resources.time_limit_ms}));
  if (w.resources.tasks) add(counted(*w.resources.tasks, "task"));
  if (w.cost.gpu_seconds && w.resources.gpus != 0)
    add(at_most(w, *w.cost.gpu_seconds) + hours_text(*w.cost.gpu_seconds) + " GPU-hours");
  if (w.cost.cpu_seconds && w.resources.gpus == 0)
    add(at_most(w, *w.cost.cpu_seconds) + hours_text(*w.cost.cpu_seconds) + " CPU-hours");
  if (w.cost.micros) add("cost " + at_most(w, *w.cost.micros) + money_text(*w.cost.micros));
  return out;
}

std::string wording_of(const Item& item) {
  const std::string_view name = std::string_view(item.id).substr(item.id.rfind('/') + 1);
  std::string out = std::string(review::name(item.status)) + "\n" + cause_text(item);
  const auto add = [&](const Change& c) {
    const bool stays =
        c.before && c.after && c.before->find(name) != std::string::npos && c.after->find(name) != std::string::npos;
    const auto shown = [&](const std::optional<std::string>& value) {
      return !value ? std::string("\2") : stays ? without(*value, name) : *value;
    };
    out += "\n" + without(c.name, name) + "\n" + shown(c.before) + "\n" + shown(c.after);
  };
  for (const Change& fact : item.facts) {
    add(fact);
    out += "\n" + without(place_text(fact.place), name);
  }
  for (const Flip& flip : item.flips) out += "\n" + flip_text(flip);
  for (const auto& rows : {decision_rows(item), amount_rows(item)})
    for (const Row& row : rows) out += "\n" + row.name + "\n" + row.before + "\n" + row.after;
  for (const ObjectChange& object : item.objects) {
    out += "\n" + without(object_text(object), name) + "\n" + std::string(review::name(object.status));
    for (const Change& field : object.fields)
      if (!is_generated_line(item, field)) add(field);
    out += generated_lines(item, object);
  }
  return out;
}

std::string flip_text(const Flip& flip) {
  std::string out;
  for (const Change& c : flip.facts) out += (out.empty() ? "" : ", ") + c.name + ": " + c.after.value_or("");
  return out;
}

std::string place_text(const Place& place) {
  return place.file.empty() ? std::string() : place.file + ":" + std::to_string(place.line);
}

std::string object_text(const ObjectChange& object) {
  return object.kind + " " + (object.name_space.empty() ? "" : object.name_space + "/") + object.name;
}

bool is_generated_line(const Item& item, const Change& field) {
  return item.shown().form == Form::spec && is_line(field) && field.name != "script line";
}

std::string generated_lines(const Item& item, const ObjectChange& object) {
  // A change of the program is shown in its own words.
  const auto is_program = [](const ObjectChange& o) { return o.kind == program_kind && !o.fields.empty(); };
  if (std::any_of(item.objects.begin(), item.objects.end(), is_program)) return {};
  long long lines = 0;
  for (const Change& field : object.fields) lines += is_generated_line(item, field);
  return lines == 0 ? std::string() : counted(lines, "line") + " of its body " + (lines == 1 ? "differs" : "differ");
}

std::string added_text(const Review& review) {
  if (review.suppressions.empty()) return {};
  return lint::count_added(review.suppressions) + " that `" + review.policy_from +
         "` does not have and that do not count";
}

std::string effect_text(const RuleEffect& effect) {
  std::string out = effect.id + (effect.site.empty() ? "" : " on " + effect.site) + ": ";
  for (std::size_t i = 0; i < effect.changes.size(); ++i) {
    const Change& c = effect.changes[i];
    const auto shown = [](const std::optional<std::string>& text) { return text && !text->empty() ? *text : "none"; };
    out += (i == 0 ? "" : ", ") + c.name + ": " + shown(c.before) + " -> " + shown(c.after);
  }
  for (const std::string& why : effect.blocked) out += (out.ends_with(": ") ? "blocked: " : "; blocked: ") + why;
  return out;
}

std::string finding_text(const Finding& finding) { return finding.code + " " + finding.name + ": " + finding.message; }

std::string path_end(std::string_view path, std::size_t most) {
  if (path.size() <= most) return std::string(path);
  std::size_t from = path.find('.', path.size() - most);
  if (from == path.npos) from = path.size() - most;
  while (from < path.size() && (static_cast<unsigned char>(path[from]) & 0xC0) == 0x80) ++from;  // a whole character
  return "…" + std::string(path.substr(from));
}

std::string policy_text(const PolicyChange& change) {
  const auto of = [](const Policy& p) { return "site " + p.site + ", rules " + p.profile + " " + p.version; };
  const std::string before = of(change.before), after = of(change.after);
  std::string out = before == after ? after : before + " -> " + after;
  if (!change.step.empty()) out += " (" + change.step + ")";
  if (change.cells > 0 && change.changed_cells == 0) out += ", no cell differs";
  else if (change.cells > 0)
    out += ", up to " + std::to_string(change.changed_cells) + " of " + std::to_string(change.cells) + " cells differ";
  return out;
}

namespace {

std::optional<Quantity> quantity_of(const std::optional<std::string>& text) {
  if (!text || text->empty()) return std::nullopt;
  const auto read = parse_quantity(*text);
  const Quantity* quantity = std::get_if<Quantity>(&read);
  return quantity == nullptr ? std::nullopt : std::optional(*quantity);
}

// Two sizes or two times in one unit.
std::optional<InOneUnit> in_one_unit_if_amounts(const Change& change) {
  const auto before = quantity_of(change.before), after = quantity_of(change.after);
  if (!before || !after || before == after) return std::nullopt;
  if (std::holds_alternative<Size>(*before) && std::holds_alternative<Size>(*after))
    return in_one_unit(std::get<Size>(*before), std::get<Size>(*after));
  if (std::holds_alternative<Duration>(*before) && std::holds_alternative<Duration>(*after))
    return in_one_unit(std::get<Duration>(*before), std::get<Duration>(*after));
  return std::nullopt;
}

}  // namespace

std::string values_text(const SiteChange& change) {
  if (const auto both = in_one_unit_if_amounts(change.key)) return both->first + " -> " + both->second;
  const auto shown = [](const std::optional<std::string>& value) { return value.value_or("absent"); };
  return shown(change.key.before) + " -> " + shown(change.key.after);
}

std::string touches_text(const SiteChange& change) {
  constexpr std::size_t most = 5;
  std::string out;
  for (std::size_t i = 0; i < change.touches.size() && i < most; ++i) out += (i == 0 ? "" : ", ") + change.touches[i];
  if (change.touches.size() > most)
    out += " and " + counted(static_cast<long long>(change.touches.size() - most), "other");
  return out;
}

std::vector<Part> parts_of(std::string_view message, std::size_t most) {
  const std::string shown = printable(message, most);
  std::vector<Part> out;
  bool code = false;
  for (std::size_t at = 0; at <= shown.size(); code = !code) {
    const std::size_t end = std::min(shown.find('`', at), shown.size());
    if (end > at) out.push_back({shown.substr(at, end - at), code});
    at = end + 1;
  }
  return out;
}

}  // namespace muster::review
