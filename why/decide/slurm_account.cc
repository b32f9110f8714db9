// Associations, QOS and their limits.
#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "why/decide/amounts.h"
#include "why/decide/limits.h"
#include "why/decide/slurm_ask.h"

namespace muster::why {
namespace {

bool lists(std::string_view list, std::string_view name) {
  const auto items = split(list, ',');
  return std::find(items.begin(), items.end(), name) != items.end();
}

// Whether an output of sacctmgr is about one account only: then another account that is not in it may exist.
bool is_of_user(const Facts& facts) {
  for (const std::string& command : facts.commands)
    if (command.find("sacctmgr") != std::string::npos && command.find("account=") != std::string::npos) return false;
  return true;
}

void add_associations(const Facts& facts, Case& out) {
  const auto associations = facts.of(Kind::association);
  for (const Object* none : facts.of(Kind::absent))
    if (none->type == "association" && associations.empty()) out.set("assoc.none", "1", none->place);
  if (associations.empty()) return;
  const Place place = associations.front()->place;
  out.set("assoc.none", "", place);
  const bool users =
      std::any_of(associations.begin(), associations.end(), [](const Object* one) { return !one->type.empty(); });
  if (!users || !is_of_user(facts)) return;
  out.set("assoc.any", "1", place);
  if (!out.knows("user")) {
    std::vector<std::string> names;
    for (const Object* one : associations)
      if (!one->type.empty() && std::find(names.begin(), names.end(), one->type) == names.end())
        names.push_back(one->type);
    if (names.size() == 1) out.set("user", names[0], place);
  }
  const std::string account(out.get("ask.account")), qos(out.get("ask.qos"));
  bool has_account = false, has_qos = false;
  std::vector<std::string> accounts;
  for (const Object* one : associations) {
    if (one->type.empty()) continue;
    accounts.push_back(one->name);
    has_account |= one->name == account;
    if (account.empty() || one->name == account) has_qos |= lists(one->get("QOS"), qos);
  }
  if (!account.empty()) out.set("assoc.has-account", has_account ? "1" : "", place);
  if (!qos.empty() && associations.front()->find("QOS") != nullptr) out.set("assoc.has-qos", has_qos ? "1" : "", place);
  out.set("assoc.accounts", joined(accounts), place);
  out.set("assoc.first", accounts.front(), place);
}

void add_qos(const Facts& facts, Case& out) {
  const auto list = facts.of(Kind::qos);
  if (list.empty()) return;
  out.set("qos.listed", static_cast<std::int64_t>(list.size()), list.front()->place);
  const std::string qos(out.get("ask.qos"));
  if (qos.empty()) return;
  const Object* found = nullptr;
  for (const Object* one : list)
    if (one->name == qos) found = one;
  out.set("qos.exists", found != nullptr ? "1" : "", found != nullptr ? found->place : list.front()->place);
}

// The value of a limit in a row of sacctmgr.
std::optional<Known> value_in(const Object& row, const LimitName& limit) {
  for (const std::string& column : limit.columns())
    for (const Field& field : row.fields) {
      if (!equal_ignoring_case(field.key, column) || field.value.empty()) continue;
      if (limit.resource == "wall") {
        if (const auto minutes = minutes_of(field.value))
          return Known{std::to_string(*minutes), field.place, "minutes"};
        continue;
      }
      if (limit.resource == "jobs" || limit.resource == "submit") return Known{field.value, field.place, "jobs"};
      auto value = tres_of(field.value, limit.resource);
      if (!value && limit.resource == "gres/gpu") {
        if (const auto gpus = gpus_of(field.value)) value = std::to_string(gpus->count);
      }
      if (!value) continue;
      if (limit.resource == "mem") {
        const auto size = megabytes(*value);
        return size ? std::optional(Known{std::to_string(*size), field.place, "MB"}) : std::nullopt;
      }
      return Known{*value, field.place, {}};
    }
  return std::nullopt;
}

std::optional<std::int64_t> asked_of(const LimitName& limit, const Case& out) {
  std::optional<std::int64_t> amount;
  if (limit.resource == "wall") return out.number("ask.time");
  if (limit.resource == "jobs" || limit.resource == "submit") return 1;
  if (limit.resource == "cpu") amount = out.number(limit.per == "node" ? "ask.cpus-node" : "ask.cpus");
  if (limit.resource == "gres/gpu") amount = out.number(limit.per == "node" ? "ask.gpus-node" : "ask.gpus");
  if (limit.resource == "node") amount = out.number("ask.nodes");
  if (limit.resource == "mem") {
    amount = out.number("ask.mem-node");
    if (amount && limit.per != "node") amount = *amount * out.number("ask.nodes").value_or(1);
  }
  if (amount && (limit.minutes || limit.run_minutes)) {
    const auto time = out.number("ask.time");
    if (!time || *amount > (std::int64_t{1} << 40) / std::max<std::int64_t>(1, *time)) return std::nullopt;
    amount = *amount * *time;
  }
  return amount;
}

// How many jobs count: those of the user, or all of them, that squeue shows.
std::optional<Known> used_of(const Facts& facts, const LimitName& limit, const Case& out) {
  if (limit.resource != "jobs" && limit.resource != "submit") return std::nullopt;
  std::int64_t count = 0;
  Place place;
  std::set<std::string> seen;
  for (const Object* job : facts.of(Kind::job)) {
    if (job->get("listed") != "squeue" || job->name == out.get("job.id")) continue;
    const std::string_view state = job->get("JobState");
    if (limit.resource == "jobs" && state != "RUNNING") continue;
    if (limit.scope != "group" && !out.get("user").empty() && job->get("UserId") != out.get("user")) continue;
    if (!seen.insert(job->name).second) continue;
    ++count;
    place = job->place;
  }
  if (count == 0) return std::nullopt;
  return Known{std::to_string(count), place, "jobs"};
}

// What the job would ask for at its limit, as an edit of a repair.
std::string edit_for(const LimitName& limit, const Case& out) {
  const std::int64_t value = out.number("limit.value").value_or(0) -
                             (limit.scope == "max" || limit.per == "job" ? 0 : out.number("limit.used").value_or(0));
  const std::int64_t nodes = std::max<std::int64_t>(1, out.number("ask.nodes").value_or(1));
  if (value <= 0) return {};
  if (limit.minutes || limit.run_minutes) {
    const std::int64_t amount = out.number("limit.asked").value_or(0), time = out.number("ask.time").value_or(0);
    return amount > 0 && time > 0 && value * time / amount > 0 ? "time=" + std::to_string(value * time / amount)
                                                               : std::string();
  }
  if (limit.resource == "wall") return "time=" + std::to_string(value);
  if (limit.resource == "node") return "nodes=" + std::to_string(value);
  if (limit.resource == "cpu") return value >= nodes ? "cpus-node=" + std::to_string(value / nodes) : std::string();
  if (limit.resource == "mem") return "mem=" + std::to_string(value / nodes);
  if (limit.resource != "gres/gpu") return {};
  const std::int64_t a_node = out.number("ask.gpus-node").value_or(0);
  if (limit.scope == "min") return "gpus-node=" + std::to_string((value + nodes - 1) / nodes);
  if (nodes > 1 && a_node > 0 && value >= a_node) return "nodes=" + std::to_string(value / a_node);
  return value >= nodes ? "gpus-node=" + std::to_string(value / nodes) : std::string();
}

void add_limit(const Facts& facts, Case& out) {
  const bool refused = out.knows("refused.reason");
  const Known* reason = out.find(refused ? "refused.reason" : "job.reason");
  if (reason == nullptr) return;
  const auto limit = read_limit(reason->value);
  if (!limit) return;
  const Place place = reason->place;
  out.set("limit.reason", std::string(reason->value), place);
  out.set("limit.level", limit->level, place);
  out.set("limit.item", limit->scope == "min" ? "minimum" : limit->resource, place);
  out.set("limit.code", limit->code(), place);
  out.set("limit.what", limit->what(), place);
  out.set("limit.sense", limit->scope == "min" ? "must be at least" : "may be at most", place);
  if (!refused) out.set("limit.pending", "1", place);
  const std::string owner(out.get(limit->level == "qos" ? "ask.qos" : "ask.account"));
  if (!owner.empty()) out.set("limit.owner", owner, place);
  std::optional<Known> value;
  if (limit->level == "qos") {
    for (const Object* qos : facts.of(Kind::qos))
      if (qos->name == owner && !value) value = value_in(*qos, *limit);
  } else {
    // The row of the user counts before that of the account.
    for (const bool of_user : {true, false})
      for (const Object* row : facts.of(Kind::association)) {
        const bool mine = of_user ? row->type == out.get("user") && !row->type.empty() : row->type.empty();
        if (mine && (owner.empty() || row->name == owner) && !value) value = value_in(*row, *limit);
      }
  }
  if (value) out.set("limit.value", value->value, value->place, value->unit);
  if (const auto asked = asked_of(*limit, out)) {
    const char* from = limit->resource == "wall"       ? "ask.time"
                       : limit->resource == "cpu"      ? "ask.cpus"
                       : limit->resource == "gres/gpu" ? "ask.gpus"
                       : limit->resource == "node"     ? "ask.nodes"
                                                       : "ask.mem-node";
    const Known* source = out.find(from);
    out.set("limit.asked", *asked, source != nullptr ? source->place : place);
  }
  if (const auto used = used_of(facts, *limit, out)) out.set("limit.used", used->value, used->place, used->unit);
  if (const std::string edit = edit_for(*limit, out); !edit.empty()) out.set("fix.limit", edit);
}

}  // namespace

void add_accounting(const Facts& facts, Case& out) {
  add_associations(facts, out);
  add_qos(facts, out);
  add_limit(facts, out);
}

}  // namespace muster::why
