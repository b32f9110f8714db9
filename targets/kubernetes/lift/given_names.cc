#include "targets/kubernetes/lift/given_names.h"

#include <algorithm>
#include <set>

#include "compiler/base/text.h"
#include "compiler/model/runner.h"
#include "targets/kubernetes/own_block.h"
#include "targets/shell.h"

namespace muster::targets::kubernetes::lifting {
namespace {

using model::RefersTo;

// ---- what a text reads

class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  std::vector<NameRead> read() {
    for (std::size_t at = 0; at < text_.size(); at = end_of_line(at) + 1) read_line(at, end_of_line(at));
    std::vector<NameRead> out;
    for (NameRead& read : reads_)
      if (!set_.contains(read.name)) out.push_back(std::move(read));
    return out;
  }

 private:
  std::size_t end_of_line(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()); }

  void read_line(std::size_t begin, std::size_t end) {
    const std::size_t first = text_.find_first_not_of(" \t", begin);
    if (first >= end || text_[first] == '#') return;
    end = end_of_code(begin, end);
    for (std::size_t at = begin; at < end;) {
      if (!is_name_start(text_[at]) || (at > 0 && is_name_char(text_[at - 1]))) {
        ++at;
        continue;
      }
      std::size_t stop = at;
      while (stop < end && is_name_char(text_[stop])) ++stop;
      take(at, stop);
      at = stop;
    }
  }

  // Where a comment begins; one that follows a quote that is open is text.
  std::size_t end_of_code(std::size_t begin, std::size_t end) const {
    char quote = 0;
    for (std::size_t at = begin; at < end; ++at) {
      const char c = text_[at];
      if (quote != 0) quote = c == quote ? 0 : quote;
      else if (c == '"' || c == '\'') quote = c;
      else if (c == '#' && at > begin && is_space(text_[at - 1])) return at;
    }
    return end;
  }

  void take(std::size_t begin, std::size_t end) {
    const std::string name(text_.substr(begin, end - begin));
    const char before = begin > 0 ? text_[begin - 1] : '\n', next = end < text_.size() ? text_[end] : '\n';
    if (next == '=' && text_.substr(end, 2) != "==" && !is_one_of(std::string_view(&before, 1), {"$", "{", "-", "'"}))
      return void(set_.insert(name));
    if (is_loop_variable(begin)) return void(set_.insert(name));
    const bool dollar = before == '$' && !is_escaped(begin - 1);
    const bool braced = before == '{' && begin > 1 && text_[begin - 2] == '$' && !is_escaped(begin - 2);
    const bool quoted = (before == '"' || before == '\'') && next == before;
    if (braced && is_one_of(std::string_view(&next, 1), {"-", ":", "+", "="})) {
      const bool cut = next == ':' && end + 1 < text_.size() && is_digit(text_[end + 1]);
      if (!cut) return;  // it has a default
    }
    if ((dollar || braced) && is_test(begin - (braced ? 2 : 1))) return;
    if (dollar || braced || quoted) reads_.push_back({name, begin});
  }

  bool is_escaped(std::size_t at) const { return at > 0 && text_[at - 1] == '\\'; }

  // `for NAME in`, `read NAME`.
  bool is_loop_variable(std::size_t at) const {
    const std::string_view before = text_.substr(0, at);
    return before.ends_with("for ") || before.ends_with("read ") || before.ends_with("read -r ");
  }

  // `[ -n "$NAME" ]`: whether it is set at all.
  bool is_test(std::size_t at) const {
    std::string_view before = text_.substr(0, at);
    if (before.ends_with('"')) before.remove_suffix(1);
    return before.ends_with("-n ") || before.ends_with("-z ");
  }

  std::string_view text_;
  std::vector<NameRead> reads_;
  std::set<std::string> set_;
};

// ---- hosts of the object's own pods

struct OwnHost {
  std::size_t begin = 0, end = 0;
  std::string_view role;  // "" of kinds that do not name it
  bool first = false;     // of all the numbers in it each is 0
};

class HostFinder {
 public:
  explicit HostFinder(const Object& object) : object_(object) {}

  std::vector<OwnHost> find(std::string_view text) const {
    std::vector<OwnHost> out;
    const std::string prefix = std::string(object_.name) + "-";
    for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string_view::npos; ++at) {
      if (at > 0 && is_of_host(text[at - 1])) continue;
      if (const auto host = host_at(text, at, at + prefix.size())) out.push_back(*host), at = host->end - 1;
    }
    return out;
  }

 private:
  static bool is_of_host(char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '/'; }

  // Behind the object's name a role, as kinds with several have it, and numbers; or numbers and a domain.
  std::optional<OwnHost> host_at(std::string_view text, std::size_t begin, std::size_t at) const {
    OwnHost out{begin, at, "", true};
    for (const PodTemplate& pods : object_.pods) {
      const std::string role = muster::lower(pods.role) + "-";
      if (!pods.role.empty() && text.substr(at).starts_with(role)) out.role = pods.role, at += role.size();
      if (!out.role.empty()) break;
    }
    const std::size_t numbers = at;
    while (at < text.size() && (is_digit(text[at]) || (text[at] == '-' && at > numbers))) {
      if (text[at] != '0' && text[at] != '-') out.first = false;
      ++at;
    }
    if (at == numbers || text[at - 1] == '-' || (at < text.size() && (is_alnum(text[at]) || text[at] == '_')))
      return {};
    const bool domain = at + 1 < text.size() && text[at] == '.' && is_alnum(text[at + 1]);
    if (out.role.empty() && !(domain && is_own_domain(text.substr(at + 1)))) return {};
    if (domain)
      while (at < text.size() && (is_alnum(text[at]) || text[at] == '-' || text[at] == '.')) ++at;
    out.end = at;
    return out;
  }

  // The Service that the pods are below: of the object's own name, or the `subdomain` of its pods.
  bool is_own_domain(std::string_view text) const {
    const auto begins = [&](std::string_view name) {
      return !name.empty() && text.starts_with(name) &&
             (text.size() == name.size() || !(is_alnum(text[name.size()]) || text[name.size()] == '-'));
    };
    return begins(object_.name) || std::any_of(object_.pods.begin(), object_.pods.end(), [&](const PodTemplate& pods) {
             return begins(pods.spec.get("subdomain").text());
           });
  }

  const Object& object_;
};

// ---- the texts of a role

class Settling {
 public:
  Settling(ObjectLift& lift, const Container& container, model::Role& role)
      : lift_(lift), container_(container), role_(role) {}

  void run() {
    if (auto* argv = role_.program ? std::get_if<model::Argv>(&role_.program->value) : nullptr)
      for (model::Text& word : *argv) settle(word);
    for (auto& word : role_.args) settle(word.value);
    for (model::EnvVar& variable : role_.env) settle(variable.value);
    if (role_.workdir) settle(role_.workdir->value);
    if (const auto* script = role_.program ? std::get_if<model::Script>(&role_.program->value) : nullptr)
      read_script(script->bytes);
    if (!given_.empty()) give();
  }

 private:
  bool lifted(std::string_view name) const {
    return std::any_of(role_.env.begin(), role_.env.end(), [&](const model::EnvVar& v) { return v.name == name; }) ||
           std::any_of(role_.secrets.begin(), role_.secrets.end(),
                       [&](const model::Secret& s) { return s.env && s.env->value == name; });
  }

  std::int64_t processes() const {
    return role_.launch.processes ? role_.launch.processes->value : std::max<std::int64_t>(role_.gpus(), 1);
  }

  // One process on each node, for which muster sets the names of its runner on every target.
  bool runner_gives(std::string_view name) const {
    if (role_.launch.runner.value != model::Runner::processes || processes() != 1) return false;
    const model::RunnerVariables& v = row_of(model::Runner::processes).variables;
    return is_one_of(name, {v.world, v.process_rank, v.local_rank, v.address, v.port});
  }

  // The run reference that means the same here; "": there is none.
  std::string_view reference_for(const OperatorName& row) const {
    if (row.meaning == Meaning::world) return lift_.pods_are_ranks ? "nodes" : "";
    return run_name(row.meaning);
  }

  // A number that the object says; "" where it does not.
  std::string number_for(const OperatorName& row) const {
    const bool known = row.meaning == Meaning::processes && role_.launch.runner.value != model::Runner::none;
    return known ? std::to_string(processes()) : std::string();
  }

  void settle(model::Text& text) {
    for (std::size_t i = 0; i < text.references.size();) {
      model::Reference& reference = text.references[i];
      if (reference.to != RefersTo::env || lifted(reference.name) || runner_gives(reference.name)) {
        ++i;
        continue;
      }
      const OperatorName* row = container_.sets(reference.name) ? nullptr : operator_name(lift_.givers, reference.name);
      if (const std::string_view name = row != nullptr ? reference_for(*row) : ""; !name.empty()) {
        say(reference.name, "${run." + std::string(name) + "}");
        reference.to = RefersTo::run, reference.name = name;
      } else if (const std::string number = row != nullptr ? number_for(*row) : ""; !number.empty()) {
        replace(text, i, number);
        continue;
      } else if (row != nullptr || container_.sets(reference.name) || lift_.kubelet_names.contains(reference.name)) {
        given_.insert(reference.name);  // of others, `$NAME` of a shell, an image may have a value
      }
      ++i;
    }
    settle_hosts(text);
    for (const OperatorThing& thing : operator_things())
      if (gives(lift_.givers, thing.giver) &&
          (thing.is_file ? mentions(text.bytes, thing) : base_name(text.bytes) == thing.name))
        given_.insert(std::string(thing.name));
  }

  static void replace(model::Text& text, std::size_t index, const std::string& by) {
    const std::size_t at = text.references[index].at;
    text.bytes.insert(at, by);
    text.references.erase(text.references.begin() + static_cast<std::ptrdiff_t>(index));
    for (std::size_t i = index; i < text.references.size(); ++i) text.references[i].at += by.size();
  }

  // The address of the first pod is a run reference; those of others have none.
  void settle_hosts(model::Text& text) {
    auto hosts = HostFinder(lift_.object).find(text.bytes);
    for (auto host = hosts.rbegin(); host != hosts.rend(); ++host) {
      const std::string name = text.bytes.substr(host->begin, host->end - host->begin);
      const bool own = is_own(host->role), copies = role_.copies() > 1;
      if (!host->first || copies || (!own && !is_one_of(lift_.out.target, {"jobset", "volcano"}))) {
        given_.insert(name);
        continue;
      }
      model::Reference to{
          own ? RefersTo::run : RefersTo::address, own ? "head" : name_from(host->role), host->begin, {}};
      text.bytes.erase(host->begin, host->end - host->begin);
      std::size_t place = 0;
      for (model::Reference& reference : text.references) {
        if (reference.at <= host->begin) ++place;
        else reference.at -= host->end - host->begin;
      }
      text.references.insert(text.references.begin() + static_cast<std::ptrdiff_t>(place), to);
      say(name, own ? "${run.head}" : "${address." + to.name + "}");
    }
  }

  // Whether rank 0 of this role is the pod of that role: of PyTorchJob the Master, where there is one.
  bool is_own(std::string_view role) const {
    if (role.empty() || lift_.object.pods.size() == 1) return true;
    return lift_.out.target == "pytorchjob" ? role == "Master" : role_.name == name_from(role);
  }

  void read_script(std::string_view script) {
    for (const NameRead& read : names_read(script)) {
      if (lifted(read.name) || runner_gives(read.name)) continue;
      if (container_.sets(read.name)) {
        given_.insert(read.name);  // a value that only the pod has
        continue;
      }
      const OperatorName* row = operator_name(lift_.givers, read.name);
      if (row == nullptr) continue;
      const std::string_view name = reference_for(*row);
      const std::string number = number_for(*row);
      if (name.empty() && number.empty()) given_.insert(read.name);
      else if (!is_reserved(read.name)) set(read.name, name, number);
    }
    for (const OwnHost& host : HostFinder(lift_.object).find(script))
      given_.insert(std::string(script.substr(host.begin, host.end - host.begin)));
    for (const OperatorThing& thing : operator_things())
      if (gives(lift_.givers, thing.giver) && mentions(script, thing)) given_.insert(std::string(thing.name));
  }

  // What torchrun reads is set by the runner itself.
  bool is_reserved(std::string_view name) const {
    return role_.launch.runner.value == model::Runner::torchrun && name.starts_with("PET_");
  }

  void set(const std::string& name, std::string_view reference, const std::string& number) {
    model::Text value(number);
    if (!reference.empty()) value = model::Text("", {{RefersTo::run, std::string(reference), 0, {}}});
    role_.env.push_back({name, value, {}});
    say(name, spelling(value));
  }

  static bool mentions(std::string_view script, const OperatorThing& thing) {
    for (std::size_t at = 0; (at = script.find(thing.name, at)) != std::string_view::npos; ++at) {
      const char before = at > 0 ? script[at - 1] : '\n';
      const std::size_t end = at + thing.name.size();
      const char next = end < script.size() ? script[end] : '\n';
      if (thing.is_file ? next == '/' || !is_name_char(next) : !is_name_char(before) && (is_space(next) || next == ';'))
        return true;
    }
    return false;
  }

  void say(const std::string& name, const std::string& as) {
    lift_.ledger.say(container_.field.span(), name, Fate::mapped, as, "`" + name + "` is given by the operator");
  }

  void give() {
    model::TargetOptions& block = own_block(lift_);
    const auto found = std::find_if(block.options.begin(), block.options.end(),
                                    [](const model::RawOption& o) { return o.name == gives_option; });
    std::vector<std::string> names =
        found == block.options.end() ? std::vector<std::string>() : names_given(found->value.value);
    for (const std::string& name : given_)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
    const std::string what = "target " + lift_.out.target + " { gives }";
    for (const std::string& name : given_)
      lift_.ledger.say(container_.field.span(), name, Fate::raw, what, "only the cluster of the object gives it");
    if (found != block.options.end()) found->value.value = text;
    else block.options.insert(block.options.begin(), {std::string(gives_option), model::unplaced(text), false});
  }

  ObjectLift& lift_;
  const Container& container_;
  model::Role& role_;
  std::set<std::string> given_;
};

}  // namespace

std::vector<NameRead> names_read(std::string_view text) { return TextReader(text).read(); }

void settle_names(ObjectLift& lift, const Container& container, model::Role& role) {
  Settling(lift, container, role).run();
}

model::TargetOptions& own_block(ObjectLift& lift) {
  auto& blocks = lift.workload().targets;
  if (blocks.empty()) {
    model::TargetOptions block;
    block.target = lift.out.target;
    block.span = lift.workload().span;
    blocks.push_back(std::move(block));
  }
  return blocks.front();
}

}  // namespace muster::targets::kubernetes::lifting
