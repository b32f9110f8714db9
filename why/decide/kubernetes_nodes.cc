#include "why/decide/kubernetes_nodes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "compiler/base/text.h"
#include "why/causes/match.h"
#include "why/decide/taints.h"

namespace muster::why {
namespace {

struct Reason {
  std::string_view core;  // that all versions print
  std::string_view key;
};
constexpr std::array reasons = {Reason{"untolerated taint", "taint"},
                                Reason{"had taint", "taint"},
                                Reason{"node affinity/selector", "affinity"},
                                Reason{"node affinity", "affinity"},
                                Reason{"node selector", "affinity"},
                                Reason{"were unschedulable", "unschedulable"},
                                Reason{"free ports", "ports"},
                                Reason{"pod anti-affinity", "anti-affinity"},
                                Reason{"pod affinity", "pod-affinity"},
                                Reason{"topology spread", "spread"},
                                Reason{"not ready", "not-ready"}};

// Resources that nodes offer by these names where the plugin of the vendor runs.
constexpr std::array plugin_resources = {std::string_view("nvidia.com/gpu"),
                                         std::string_view("amd.com/gpu"),
                                         std::string_view("gpu.intel.com/i915"),
                                         std::string_view("gpu.intel.com/xe"),
                                         std::string_view("habana.ai/gaudi"),
                                         std::string_view("google.com/tpu"),
                                         std::string_view("aws.amazon.com/neuron"),
                                         std::string_view("rdma/ib"),
                                         std::string_view("rdma/hca")};

std::string_view kind_of(std::string_view resource) {
  if (is_one_of(resource, {"cpu", "memory", "ephemeral-storage", "pods"})) return resource;
  if (resource.find("gpu") != std::string_view::npos ||
      std::find(plugin_resources.begin(), plugin_resources.end(), resource) != plugin_resources.end())
    return "gpu";
  return "extended";
}

// The counts of "a, b and c" lists: "4 node(s) had untolerated taint(s)".
struct Count {
  std::int64_t nodes;
  std::string_view text;
};
std::vector<Count> counts_of(std::string_view list) {
  std::vector<Count> out;
  const auto add = [&](std::string_view part) {
    part = trimmed(part, " .");
    const Leading number = leading_number(part);
    if (number.any && number.length < part.size()) out.push_back({number.value, trimmed(part.substr(number.length))});
    return number.any;
  };
  for (const std::string_view part : split(list, ',')) {
    // A comma may be in a hole.
    const std::size_t hole = part.find(cut);
    if (hole == std::string_view::npos || !add(part.substr(hole + cut.size()))) add(part);
    else add(part.substr(0, hole + cut.size()));
  }
  return out;
}

bool says(std::string_view core, std::string_view text) {
  if (text.find(core) != std::string_view::npos) return true;
  const auto laid = match_cut(core, text, 6);
  return laid && laid->is_enough;
}

// What nodes fail by; nullptr: another reason, or one that cannot be told from others.
const Reason* reason_of(std::string_view text) {
  for (const Reason& reason : reasons)
    if (text.find(reason.core) != std::string_view::npos) return &reason;
  return only_one(
      std::span<const Reason>(reasons), text, 6, [](const Reason& row) { return row.core; },
      [](const Reason& a, const Reason& b) { return a.key == b.key; });
}

// What a node fails by that is no other pod's doing.
bool is_fixed(std::string_view key) { return is_one_of(key, {"taint", "affinity", "unschedulable", "not-ready"}); }

struct Preemption {
  std::int64_t never = 0, later = 0;  // nodes of which no pod, or some other pod, keeps it away
};

// Of "0/5 nodes are available: 1 …, 4 …"; nothing of an older release.
Preemption preemption_of(std::string_view text) {
  Preemption out;
  const std::size_t colon = text.find(": ");
  for (const Count& count : counts_of(colon == std::string_view::npos ? text : text.substr(colon + 2))) {
    if (says("Preemption is not helpful for scheduling", count.text)) out.never += count.nodes;
    if (says("No preemption victims found", count.text)) out.later += count.nodes;
  }
  return out;
}

}  // namespace

void add_scheduling(std::string_view message, Place place, Case& out) {
  const std::size_t head = message.find(" nodes are "),
                    colon = message.find(": ", head == std::string_view::npos ? 0 : head);
  if (head == std::string_view::npos || colon == std::string_view::npos) return;
  const std::size_t slash = message.rfind('/', head);
  if (slash == std::string_view::npos) return;
  const std::int64_t nodes = leading_number(message.substr(slash + 1)).value;
  out.set("sched.nodes", nodes, place, "nodes");
  if (!is_cut(message)) out.set("sched.message", std::string(message), place);
  std::string_view rest = message.substr(colon + 2);
  const std::size_t preemption = rest.find("preemption: ");
  const std::string_view verdicts =
      preemption == std::string_view::npos ? std::string_view() : rest.substr(preemption + 12);
  rest = rest.substr(0, std::min(preemption, rest.find(". ")));
  std::map<std::string, std::int64_t> by;
  std::string resource;
  std::int64_t most_short = 0, shorts = 0, counted = 0;
  bool tie = false;
  for (const Count& count : counts_of(rest)) {
    counted += count.nodes;
    if (constexpr std::string_view word = "Insufficient "; count.text.starts_with(word)) {
      const std::string name(trimmed(count.text.substr(word.size()), " ."));
      out.set("sched.insufficient." + name, count.nodes, place, "nodes");
      ++shorts;
      tie = count.nodes == most_short && name != resource;
      if (count.nodes > most_short) most_short = count.nodes, resource = name, tie = false;
      continue;
    }
    if (const Reason* reason = reason_of(count.text)) {
      const std::string key(reason->key);
      by[key] += count.nodes;
      out.set("sched." + key, by[key], place, "nodes");
      if (count.text.find("missing required label") != std::string_view::npos)
        out.set("sched.spread-label", "no node has the key of the constraint", place);
    } else if (is_cut(count.text)) {
      return;  // it may be the main one
    }
  }
  // A hole may have others, and each node fails by one at least.
  if (is_cut(rest) && (counted < nodes || preemption == std::string_view::npos)) return;
  const Preemption verdict = preemption_of(verdicts);
  // Where pods of others could make room, what cannot change is said of other nodes than those.
  if (verdict.later > 0) std::erase_if(by, [](const auto& one) { return is_fixed(one.first); });
  const auto fixed = std::count_if(by.begin(), by.end(), [](const auto& one) { return is_fixed(one.first); });
  // Nodes that fail by what cannot change, each kind in its way: which of them are meant for the pod the nodes tell.
  const bool mixed = fixed > 0 && by.size() + (most_short > 0 && most_short < nodes ? 1 : 0) > 1;
  std::string main;
  std::int64_t most = 0;
  bool even = false;
  for (const auto& [key, count] : by) {
    even = count == most && !main.empty();
    if (count > most) most = count, main = key, even = false;
  }
  if (most_short > most) main = "insufficient", even = false;
  else if (most_short == most && !main.empty() && nodes > 1) even = true;
  if (mixed) out.set("sched.mixed", "1", place);
  else if (!main.empty() && !even) out.set("sched.main", main, place);
  if (main == "insufficient" || (mixed && most_short > 0)) {
    // Several resources are short on as many nodes: which of them is known by the nodes' own numbers.
    if (tie) out.forget("sched.main");
    out.set("sched.resource", resource, place);
    out.set("sched.resource-kind", std::string(kind_of(resource)), place);
    std::vector<std::string_view> known(plugin_resources.begin(), plugin_resources.end());
    if (std::find(known.begin(), known.end(), resource) == known.end() && resource.find('/') != std::string::npos) {
      const std::string near = closest(resource, known, 2);
      if (!near.empty()) out.set("sched.resource-near", near, place);
    }
  }
  // Older releases say "No preemption victims" of nodes that are too small, too; never the other way round.
  const bool is_never = nodes > 0 && verdict.never == nodes && (main != "insufficient" || most_short == nodes);
  if (is_never) out.set("sched.never", "1", place);
  // Since 1.36, whose messages have this part, it is said only of nodes that are large enough.
  if (verdict.later > 0 && message.find("no new claims to deallocate") != std::string_view::npos)
    out.set("sched.busy", "1", place);
  if (verdict.later > 0 || verdict.never + verdict.later < nodes || mixed) out.set("sched.open", "1", place);
}

std::optional<std::int64_t> amount_of(std::string_view resource, std::string_view text) {
  text = trimmed(text.substr(0, text.find(' ')));
  std::size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  const auto whole = whole_number(text.substr(0, std::min(end, text.find('.'))));
  if (!whole) return std::nullopt;
  const std::string_view unit = text.substr(end);
  if (resource == "cpu" || resource.ends_with(".cpu")) return unit == "m" ? *whole / 1000 : *whole;
  if (resource.find("memory") == std::string_view::npos && resource.find("storage") == std::string_view::npos)
    return *whole;
  constexpr std::pair<std::string_view, std::int64_t> units[] = {
      {"Ki", -1024}, {"Mi", 1}, {"Gi", 1024}, {"Ti", 1024 * 1024}, {"", -1048576}};
  for (const auto& [name, factor] : units)
    if (unit == name) return factor > 0 ? *whole * factor : *whole / -factor;
  if (unit == "k") return *whole * 1000 / 1048576;
  if (unit == "M") return *whole * 1000000 / 1048576;
  if (unit == "G") return *whole * 1000 * 1000000 / 1048576;
  if (unit == "T" && *whole < 1000000) return *whole * 1000000 / 1048576 * 1000000;
  return std::nullopt;
}

namespace {

// A node as all outputs that have it show it.
struct Offer {
  std::optional<std::int64_t> all, held;
  bool cordoned = false, tainted = false, unselected = false, all_differ = false, held_differ = false;
  Place place;
};

using Nodes = std::map<std::string, Offer>;

Nodes offers_of(const Facts& facts, std::string_view resource, const Object* pod) {
  const std::vector<Toleration> tolerations = pod == nullptr ? std::vector<Toleration>() : tolerations_of(*pod);
  const std::vector<std::string> selectors = pod == nullptr ? std::vector<std::string>() : selectors_of(*pod);
  Nodes nodes;
  for (const Object& object : facts.objects) {
    if (object.kind != Kind::object || object.type != "node") continue;
    Offer& offer = nodes[object.name];
    offer.place = object.place;
    offer.tainted |= pod != nullptr && keeps_away(object, tolerations);
    offer.unselected |= pod != nullptr && !has_labels(object, selectors);
    for (const Field& field : object.fields) {
      const bool all = field.key == "allocatable." + std::string(resource) ||
                       field.key == "status.allocatable." + std::string(resource);
      const bool held = field.key == "allocated." + std::string(resource);
      if (field.key == "unschedulable" || field.key == "spec.unschedulable") offer.cordoned = field.value == "true";
      if (!all && !held) continue;
      auto& slot = all ? offer.all : offer.held;
      const auto amount = amount_of(resource, field.value);
      (all ? offer.all_differ : offer.held_differ) |= slot && amount && *slot != *amount;
      slot = amount;
      if (all) offer.place = field.place;
    }
  }
  return nodes;
}

}  // namespace

void add_not_ready(const Facts& facts, Case& out) {
  std::set<std::string> nodes;
  Place place;
  for (const Object& object : facts.objects) {
    if (object.type != "node") continue;
    bool is = object.kind == Kind::row && object.get("status").find("NotReady") != std::string_view::npos;
    if (object.kind == Kind::object)
      for (const Taint& taint : taints_of(object))
        is |= is_one_of(taint.key, {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"});
    if (is && nodes.insert(object.name).second) place = object.place;
  }
  if (!nodes.empty()) out.set("nodes.not-ready", static_cast<std::int64_t>(nodes.size()), place, "nodes");
}

namespace {

// By what alone nodes are lost that are large enough, where that is one thing.
void settle_reasons(const Nodes& nodes, const Object* pod, Case& out) {
  const auto asked = out.number("pod.asked"), all_nodes = out.number("sched.nodes");
  if (!out.knows("sched.mixed") || pod == nullptr || out.get("sched.resource").empty() || !asked || !all_nodes) return;
  if (static_cast<std::int64_t>(nodes.size()) < *all_nodes) return;
  std::set<std::string> lost;
  bool open = false;
  for (const auto& [name, offer] : nodes) {
    if (offer.all_differ) return;
    if (offer.all.value_or(0) < *asked) continue;
    const int ways = offer.tainted + offer.cordoned + offer.unselected;
    open |= ways == 0;
    if (ways == 1) lost.insert(offer.tainted ? "taint" : offer.cordoned ? "unschedulable" : "affinity");
  }
  if (open || lost.empty()) lost = {"insufficient"};  // others hold one, or there is none
  if (lost.size() == 1) out.set("sched.main", *lost.begin(), nodes.begin()->second.place);
}

}  // namespace

void add_nodes(const Facts& facts, std::string_view resource, const Object* pod, Case& out) {
  const Nodes nodes = offers_of(facts, resource, pod);
  settle_reasons(nodes, pod, out);
  // Some nodes say nothing of all.
  const auto all_nodes = out.number("sched.nodes");
  if (nodes.empty() || (all_nodes ? static_cast<std::int64_t>(nodes.size()) < *all_nodes : nodes.size() < 2)) return;
  std::int64_t most = 0, capacity = 0, free = 0, free_most = 0, held = 0, room_now = 0, room_empty = 0;
  bool known = true, any = false;
  const std::int64_t asked = out.number("pod.asked").value_or(0);
  Place place;
  for (const auto& [name, offer] : nodes) {
    if (offer.all_differ) return;
    place = any ? place : offer.place;
    if (!offer.all || *offer.all == 0) continue;
    any = true;
    if (offer.tainted || offer.unselected) continue;
    if (*offer.all > most) most = *offer.all, place = offer.place;
    capacity += *offer.all;
    known &= offer.held.has_value() && !offer.held_differ;
    held += offer.held.value_or(0);
    if (asked > 0) room_empty += *offer.all / asked;
    if (offer.cordoned) continue;
    const std::int64_t left = *offer.all - offer.held.value_or(0);
    free += left;
    free_most = std::max(free_most, left);
    if (asked > 0) room_now += left / asked;
  }
  out.set("nodes.offer", any ? "1" : "", place);
  if (!any) out.set("nodes.no-offer", "1", place);
  out.set("nodes.max", most, place);
  out.set("nodes.capacity", capacity, place);
  out.set("nodes.count", static_cast<std::int64_t>(nodes.size()), place, "nodes");
  if (asked > 0) out.set("gang.room-empty", room_empty, place, "pods");
  if (!known) return;
  out.set("nodes.described", "1", place);
  out.set("nodes.free", free, place);
  out.set("nodes.free-max", free_most, place);
  out.set("nodes.held", held, place);
  if (asked > 0) out.set("gang.room-now", room_now, place, "pods");
}

}  // namespace muster::why
