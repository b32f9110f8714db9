// A run of dstack 0.22: https://dstack.ai/docs/reference/dstack.yml
#include "targets/services/dstack/dstack.h"

#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/bash_names.h"
#include "targets/contract/references.h"
#include "targets/contract/resolve.h"
#include "targets/services/dstack/parts.h"
#include "targets/shell.h"

namespace muster::targets::dstack {
namespace {

using kubernetes::list;
using kubernetes::map;
using kubernetes::nothing;
using kubernetes::number;
using kubernetes::put;
using kubernetes::text;
using kubernetes::truth;
using services::Said;
using services::text_or_nothing;
using As = Said::As;

// Where files and repositories go: an image may start programs in `/`, which dstack would replace.
constexpr std::string_view code_folder = "/workflow";

constexpr Said says[] = {
    {As::reported, Field::title, "dstack shows the name of the run only"},
    {As::reported, Field::account, "dstack has projects, not accounts"},
    {As::reported, Field::logs, "dstack keeps the output: `dstack logs`"},
    {As::reported, Field::stop_grace, "dstack interrupts the shell of a run and kills it 10 seconds later"},
    {As::reported, Field::probe, "dstack probes the readiness of services over HTTP only"},
    {As::read, Field::fabric, "dstack, which sets up the network of fleets with `placement: cluster`"},
    {As::refused, Field::serve_router, "dstack's proxy or gateway is the only router of its services"},
};

// ---- what only dstack cannot take

void check_name(Task& task) {
  const std::string& name = task.workload.name;
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool sized = name.size() >= 2 && name.size() <= 41;
  if (!sized || !is_lower(name.front()) ||
      !std::all_of(name.begin(), name.end(), [&](char c) { return is_lower(c) || is_digit(c) || c == '-'; }))
    task.refuse_at(task.workload.span, Field::workload, "`" + printable(name) + "` is not a valid name of a run",
                   "names have 2 to 41 lowercase letters, digits and `-`, and begin with a letter");
}

void check(Task& task) {
  check_name(task);
  if (task.workload.dev && task.has_nodes())
    task.refuse(Field::resources_nodes, "a dev environment of dstack has one node", "use `kind = batch`");
  check_service(task);
}

// ---- the parts of the file

// "FOLDER:PATH", or a map where one of them has a colon.
data::Node mapping(std::string_view from, std::string_view key, std::string_view to) {
  if (from.find(':') == std::string_view::npos && to.find(':') == std::string_view::npos)
    return text(std::string(from) + ":" + std::string(to));
  return map({{key, text(from)}, {"path", text(to)}});
}

void put_code(Task& task, data::Node& file) {
  std::string workdir = task.workdir;
  if (task.git != nullptr) {
    const std::string& rev = task.git->rev.value;
    const bool hash = rev.size() == 40 && rev.find_first_not_of("0123456789abcdef") == std::string::npos;
    put(file, "repos",
        list({map({{"url", text(task.git->url.value)}, {hash ? "hash" : "branch", text_or_nothing(rev)}})}));
    task.exact(Field::code_git_url, "repos");
    task.exact(Field::code_git_rev, "repos");
    workdir = code_folder;
  } else if (!task.folder.empty()) {
    put(file, "files", list({mapping(task.folder, "local_path", code_folder)}));
    workdir = code_folder;
  }
  put(file, "working_dir", text_or_nothing(workdir));
}

bool is_plain_path(std::string_view path) {
  const std::string whole = std::string(path) + "/";
  return path.starts_with('/') && (path.size() == 1 || !path.ends_with('/')) &&
         whole.find("/../") == std::string::npos && path.find('\n') == std::string_view::npos;
}

// A volume of the network is mounted by its name; a folder of the nodes by its path.
void add_mount(Task& task, const model::Mount& mount, data::Node& volumes) {
  const FieldRef field{Field::mount, mount.name};
  const std::string& path = mount.path.value;
  if (mount.name == "scratch") {
    task.line("mkdir -p " + sh_word(path));
    return task.exact(field, "commands");
  }
  const model::Storage* found = task.site.storage.find(mount.name, task.plane);
  if (found == nullptr)
    return contract::refuse_storage(task, mount, task.site,
                                    "add it to the site: `storage " + mount.name + " { pvc = \"VOLUME\" }`");
  const std::string below = mount.sub_path ? "/" + mount.sub_path->value : std::string();
  const std::string folder = found->path.value + below;
  if (!is_plain_path(path) || (!found->pvc && !found->path.value.empty() && !is_plain_path(folder)))
    return task.refuse_at(mount.path.span, field,
                          "dstack mounts absolute paths without `..` and without a `/` at the end");
  if (found->pvc) {
    if (mount.sub_path)
      return task.refuse_at(mount.sub_path->span, {Field::mount_sub_path, mount.name}, "dstack mounts volumes whole",
                            "remove `sub-path`, or use a `path` of the nodes");
    const bool name = found->pvc->value.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
    if (!name)
      return task.refuse_at(mount.span, field, "`" + printable(found->pvc->value) + "` is not a name of a volume");
    volumes.items.push_back(mapping(found->pvc->value, "name", path));
  } else if (!found->path.value.empty()) {
    volumes.items.push_back(mapping(folder, "instance_path", path));
  } else {
    return task.refuse_at(mount.span, field,
                          "storage `" + mount.name + "` of site `" + task.site.name +
                              "` is neither a volume nor a folder of the nodes, which is what dstack mounts",
                          "add `pvc = \"VOLUME\"` to the storage, or `path`");
  }
  task.exact({Field::mount_path, mount.name}, "volumes");
  task.exact({Field::mount_sub_path, mount.name}, "volumes");
  if (mount.read_only)
    task.approximated({Field::mount_mode, mount.name}, "nothing", "dstack mounts volumes for reading and writing");
  else task.exact({Field::mount_mode, mount.name}, "volumes");
}

// Ports of a task are there for who is attached to it.
data::Node ports_of(Task& task) {
  data::Node out = list({});
  for (const model::Port& port : task.role.ports) {
    const FieldRef field{Field::port, port.name};
    if (!port.is_public && !task.workload.dev) {
      task.approximated_each(field, "nothing", "the nodes of a task reach all ports of each other");
      continue;
    }
    out.items.push_back(number(port.number.value));
    task.exact({Field::port_number, port.name}, "ports");
    task.approximated({Field::port_public, port.name}, "ports",
                      "dstack forwards the port to the machine that is attached to the run");
  }
  return out.items.empty() ? nothing() : out;
}

// A list where the submitter passes values, which a bare name says; it has no room for values of several lines.
data::Node env_of(const Task& task) {
  const auto bare = [](const services::Passed& secret) { return secret.kept.empty(); };
  const bool passes = std::any_of(task.passed.begin(), task.passed.end(), bare);
  const bool lines = std::any_of(task.envs.begin(), task.envs.end(),
                                 [](const auto& one) { return one.second.find('\n') != std::string::npos; });
  data::Node names = list({}), values = map({});
  const auto add = [&](const std::string& name, const std::string& value) {
    names.items.push_back(text(name + "=" + value));
    put(values, name, text(value));
  };
  for (const auto& [name, value] : task.envs) add(name, as_env(value));
  for (const services::Passed& secret : task.passed) {
    if (!bare(secret)) {
      add(secret.name, "${{ secrets." + secret.kept + " }}");
      continue;
    }
    names.items.push_back(text(secret.name));
    put(values, secret.name, map({{"key", text(secret.name)}}));
  }
  if (names.items.empty()) return nothing();
  return passes && !lines ? names : values;
}

data::Node retry_of(Task& task) {
  const auto& retry = task.workload.retry;
  if (!retry) return task.serves() ? truth(true) : nothing();
  if (retry->limit.value == 0) return report_no_retry(task), nothing();
  const auto on = [&](model::RetryOn reason) {
    return std::any_of(retry->on.begin(), retry->on.end(), [&](const auto& r) { return r.value == reason; });
  };
  using model::RetryOn;
  data::Node events = list({});
  if (on(RetryOn::node_failure) || on(RetryOn::preemption)) events.items.push_back(text("interruption"));
  if (on(RetryOn::failure) || on(RetryOn::exit_codes)) events.items.push_back(text("error"));
  const std::string_view by = events.items.empty() ? "nothing" : "on_events";
  task.approximated(Field::retry_limit, by, "dstack counts no attempts: it tries for an hour after each event");
  if (on(RetryOn::timeout))
    task.approximated(Field::retry_on, by, "dstack does not start a run again after its `max_duration`");
  else if (on(RetryOn::node_failure) != on(RetryOn::preemption))
    task.approximated(Field::retry_on, by, "lost and preempted nodes are one event of dstack");
  else task.exact(Field::retry_on, by);
  if (on(RetryOn::exit_codes))
    task.approximated(Field::retry_exit_codes, by, "dstack starts a run again after any exit code but 0");
  else task.read(Field::retry_exit_codes, "`on`, which does not name exit codes");
  return events.items.empty() ? nothing() : map({{"on_events", std::move(events)}});
}

data::Node priority_of(Task& task) {
  if (!task.workload.priority) return nothing();
  const std::string& name = task.workload.priority->value;
  const auto* known = task.site.priorities.find(name, task.plane);
  const std::string value = known != nullptr && known->priority_class ? known->priority_class->value : std::string();
  const bool digits = !value.empty() && value.size() <= 3 && std::all_of(value.begin(), value.end(), is_digit);
  if (!digits || std::stoi(value) > 100) {
    task.approximated(Field::priority, "nothing",
                      "site `" + task.site.name + "` gives the priority `" + name + "` no `class` from 0 to 100");
    return nothing();
  }
  task.exact(Field::priority, "priority");
  return number(std::stoi(value));
}

data::Node tags_of(Task& task) {
  const auto is_key = [](char c) { return is_alnum(c) || c == '_' || c == '-'; };
  const auto is_value = [](char c) {
    return is_alnum(c) || std::string_view(" .:/=_-+@").find(c) != std::string_view::npos;
  };
  data::Node out = map({});
  for (const auto& [key, value] : task.workload.labels) {
    const std::string& bytes = value.value;
    if (key.empty() || key.size() > 60 || bytes.size() > 256 || !std::all_of(key.begin(), key.end(), is_key) ||
        !std::all_of(bytes.begin(), bytes.end(), is_value)) {
      task.approximated({Field::labels, key}, "nothing",
                        "dstack's tags have letters, digits, `-` and `_` in their names");
      continue;
    }
    put(out, key, text(bytes));
    task.exact({Field::labels, key}, "tags");
  }
  return out.members.empty() ? nothing() : out;
}

// ---- the text

constexpr std::size_t longest_argument = 128 * 1024 - 1;

// dstack puts a command that ends with `&` into braces on one line, where a comment would hide the last of them.
std::string command_of(Task& task) {
  std::string out;
  if (!task.setup.empty()) {
    const bool ends = task.setup.ends_with('\n');
    out = "(\n" + task.setup + (ends ? "" : "\n") + ") || exit\n";
  }
  out += task.run;
  const std::size_t last = out.find_last_not_of('\n');
  if (last != std::string::npos && out[last] == '&') out += ":\n";
  if (std::count(out.begin(), out.end(), '\n') == 1 && out.ends_with('\n')) out.pop_back();
  const FieldRef field = task.script() != nullptr ? Field::script : Field::command;
  if (is_filled_in(out))
    task.refuse(field, "dstack replaces `${{ groups… }}` in the text, which would change it",
                "write it in parts, such as \"$\" and \"{{\", or keep it in a file of the image");
  if (out.size() > longest_argument)
    task.refuse(field, "dstack starts the text as one argument, which holds 128 KiB", "keep it in a file of the image");
  return out;
}

// `/bin/sh` starts what is one plain line as well.
bool needs_bash(std::string_view command) {
  return command.find_first_of("\n$`'\"(<>&|;*?[{~!#\\") != std::string_view::npos;
}

void put_text(Task& task, data::Node& file) {
  const std::string command = command_of(task);
  if (command.empty()) return;
  if (!task.image.empty() && needs_bash(command)) put(file, "shell", text("bash"));
  put(file, task.workload.dev ? "init" : "commands", list({text(command)}));
}

std::string_view type_of(const Task& task) {
  if (task.serves()) return "service";
  return task.workload.dev ? "dev-environment" : "task";
}

void put_dev(Task& task, data::Node& file) {
  if (!task.workload.dev) return;
  task.approximated(Field::dev_interface, "init", "people connect with `ssh " + task.workload.name + "`");
  const auto& idle = task.workload.dev->idle_timeout;
  if (idle) put(file, "inactivity_duration", text(duration(idle->value)));
  task.exact(Field::dev_idle_timeout, "inactivity_duration");
}

void put_limit(Task& task, data::Node& file) {
  const auto limit = model::limit_of(task.workload, task.plan.queue);
  if (limit) put(file, "max_duration", text(duration(limit->value)));
  if (limit) task.exact(Field::time_limit, "max_duration");
  else task.read(Field::time_limit, "dstack's default");
}

void write(Task& task) {
  data::Node volumes = list({});
  std::string run = std::exchange(task.run, {});
  for (const model::Mount& mount : task.role.mounts) add_mount(task, mount, volumes);
  task.run += run;
  data::Node file = map({{"type", text(type_of(task))}, {"name", text(task.workload.name)}});
  task.exact(Field::kind, "type");
  const bool nodes = task.has_nodes() || (task.wrote(Field::resources_nodes) && type_of(task) == "task");
  put(file, "nodes", nodes ? number(task.shape.nodes) : nothing());
  put(file, "image", text_or_nothing(task.image));
  put_code(task, file);
  put(file, "env", env_of(task));
  put_text(task, file);
  if (task.serves()) put_service(task, file);
  else put(file, "ports", ports_of(task));
  put(file, "resources", resources_of(task));
  put(file, "volumes", volumes.items.empty() ? nothing() : std::move(volumes));
  put_dev(task, file);
  put_limit(task, file);
  put(file, "retry", retry_of(task));
  put(file, "priority", priority_of(task));
  put_places(task, file);
  put(file, "tags", tags_of(task));
  task.document = std::move(file);
  services::merge_block(task);
  services::report_checkpoint(task);
}

std::string submit(const Task& task, const std::string& file) {
  std::string out = "dstack apply -f " + sh_word(file);
  for (const services::Passed& secret : task.passed)
    if (!secret.from.empty()) out += " -e " + secret.name + "=\"$" + secret.from + "\"";
  return out;
}

constexpr services::Dialect dialect = {
    .system = "dstack",
    .target = "dstack",
    .plane = model::PlaneKind::dstack,
    .suffix = "dstack.yml",
    .prefix = "DSTACK_",
    .text = "commands",
    .setup = "commands",
    .nodes = "nodes",
    .folder = "files",
    .checkout = "repos",
    .workdir = "working_dir",
    .id = "$DSTACK_RUN_ID",
    .rank = "$DSTACK_NODE_RANK",
    .hosts = "printf '%s\\n' \"$DSTACK_NODES_IPS\"",
    .head = "$DSTACK_MASTER_NODE_IP",
    .keeps_secrets = true,
    .unit = "run",
    .together = "fleet",
    .no_signal = "interrupts the shell of a run and sends the program no signal",
    .one_role = "a task of dstack has the same commands on all nodes",
    .no_ranks = "`mpirun` starts them on the other nodes by ssh, where the variables of the task are not set",
    .says = says,
    .check = check,
    .write = write,
    .submit = submit,
};

}  // namespace

std::string as_env(std::string_view value) {
  if (value.find("${{") == std::string_view::npos && value.find("$$") == std::string_view::npos)
    return std::string(value);
  std::string out;
  for (const char c : value) out.append(c == '$' ? 2 : 1, c);
  return out;
}

bool is_filled_in(std::string_view command) {
  for (std::size_t at = command.find("${{"); at != std::string_view::npos; at = command.find("${{", at + 1)) {
    const std::string_view inside = command.substr(at + 3, command.find('}', at + 3) - (at + 3));
    const std::size_t name = inside.find_first_of("abcdefghijklmnopqrstuvwxyz");
    if (name != std::string_view::npos && inside.substr(name).starts_with("groups")) return true;
  }
  return false;
}

std::string duration(Duration time) {
  const std::int64_t seconds = time.seconds_up();
  for (const auto& [unit, name] : {std::pair(86'400, "d"), std::pair(3'600, "h"), std::pair(60, "m")})
    if (seconds % unit == 0 && seconds > 0) return std::to_string(seconds / unit) + name;
  return std::to_string(seconds) + "s";
}

Lowered lower_dstack(const Target&, const plan::Plan& plan, const LowerOptions& options, Diagnostics& diagnostics) {
  return services::lower(dialect, plan, options, diagnostics);
}

}  // namespace muster::targets::dstack
