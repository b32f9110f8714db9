// The parts around the program: urgency, files, ports, the network, secrets, ways in.
#include <algorithm>

#include "compiler/base/text.h"
#include "compiler/shell/bash_names.h"
#include "targets/batch/sections.h"
#include "targets/contract/resolve.h"
#include "targets/contract/variables.h"
#include "targets/shell.h"

namespace muster::targets::batch {
namespace {

// The bytes must reach a shell; false, and a refusal, where they cannot.
bool carries(Job& job, std::string_view bytes, Span where, const FieldRef& field) {
  if (!has_nul(bytes)) return true;
  const std::string message = "the value contains a NUL byte, which a shell cannot pass";
  job.diagnostics.add(Code::name_not_valid, where, message);
  job.loss.refused(job.in_role(field), message);
  return false;
}

// A path of the site: `~` and `$VARIABLE` at its front are the submitter's.
std::string home_path(const std::string& path) {
  if (path == "~" || path.starts_with("~/")) return "\"$HOME\"" + (path.size() > 1 ? sh_word(path.substr(1)) : "");
  return sh_word(path);
}

void add_preemptible(Job& job) {
  if (!job.workload.preemptible) return;
  const bool pool = job.shape.pool != nullptr && job.shape.pool->preemptible;
  const bool queue = job.plan.queue != nullptr && job.plan.queue->preemptible;
  if (!job.workload.preemptible->value) return job.read(Field::preemptible, "the choice of queue and pool");
  if (queue) return job.exact(Field::preemptible, "queue " + job.plan.queue->name);
  if (pool) return job.exact(Field::preemptible, "pool " + job.shape.pool->name);
  job.read(Field::preemptible, "a permission; the site has no preemptible queue or pool for this job");
}

std::string file_word(Job& job, const model::SmallFile& file, std::size_t index) {
  const std::string folder = "\"" + job.dir() + "\"";
  if (file.path.value.starts_with('/')) return folder + "/file." + std::to_string(index);
  return folder + sh_word("/" + file.path.value);
}

// The value of a secret as a bash word; "" after a refusal.
std::string secret_word(Job& job, const model::Secret& secret) {
  const FieldRef field{Field::secret, secret.name};
  const auto* known = contract::site_secret(job, secret, job.site, job.plane,
                                            "add it to the site: `secret " + secret.name + " { file = \"…\" }`");
  if (known == nullptr) return {};
  if (known->file && carries(job, known->file->value, known->file->span, field)) {
    return "$(cat -- " + home_path(known->file->value) + ")";
  } else if (known->env && is_env_name(known->env->value) && job.inherits_all()) {
    return "${" + known->env->value + ":?}";
  } else if (!known->file) {
    job.refuse_at(
        secret.span, field,
        "site `" + job.site.name + "` does not provide `" + secret.name + "` in a file or variable that jobs can read",
        "add `file = \"~/…\"` to the site's secret");
  }
  return {};
}

void write_secret_file(Job& job, const model::Secret& secret, const std::string& value) {
  const std::string& path = secret.file->value;
  if (path.starts_with('/') && !job.in_container())
    return job.refuse_at(secret.file->span, {Field::secret_file, secret.name},
                         "without a container a secret's file must be a relative path, below $MUSTER_DIR");
  if (!carries(job, path, secret.file->span, {Field::secret_file, secret.name})) return;
  const std::string folder = "\"" + job.dir() + "\"";
  const std::string word = folder + (path.starts_with('/') ? "/secret." + secret.name : sh_word("/" + path));
  job.line("mkdir -p \"$(dirname " + word + ")\"; (umask 077; printf '%s' \"" + value + "\" > " + word + ")");
}

}  // namespace

void add_priority(Job& job) {
  add_preemptible(job);
  if (!job.workload.priority) return;
  const std::string& name = job.workload.priority->value;
  const auto* known = job.site.priorities.find(name, job.plane);
  const bool usual = name == "low" || name == "high" || name == "urgent";
  if (known == nullptr && name == "normal") return job.read(Field::priority, "the site's default");
  if (known == nullptr && usual)
    return job.approximated(Field::priority, "nothing",
                            "site `" + job.site.name + "` does not define the priority `" + name + "`");
  if (known == nullptr) {
    std::vector<std::string_view> names = {"low", "normal", "high", "urgent"};
    for (const model::Priority& p : job.site.priorities) names.push_back(p.name);
    return job.refuse_at(job.workload.priority->span, Field::priority,
                         "site `" + job.site.name + "` has no priority `" + name + "`",
                         near_or(name, names, "priorities are " + quoted_list(names)));
  }
  if (!known->qos && !known->nice)
    return job.approximated(Field::priority, "nothing", "the site's `" + name + "` has no `qos` and no `nice`");
  if (known->qos && job.plan.queue != nullptr && job.plan.queue->qos && job.plan.queue->qos->value != known->qos->value)
    return job.refuse_at(job.workload.priority->span, Field::priority,
                         "a job has one QOS, but queue `" + job.plan.queue->name + "` requires `" +
                             job.plan.queue->qos->value + "`, priority `" + name + "` is `" + known->qos->value + "`",
                         "set `nice` in the priority instead, or use a queue without a QOS");
  if (known->qos && !job.has(Request::qos)) job.ask(Request::qos, known->qos->value, Field::priority);
  if (known->nice) job.ask(Request::priority, std::to_string(known->nice->value), Field::priority);
  job.exact(Field::priority, known->nice ? std::string_view(job.directives.back()) : job.option_of(Request::qos));
}

// In a container an absolute path is a file of the job's folder, bound there.
void bind_files(Job& job) {
  for (std::size_t i = 0; i < job.role.files.size(); ++i) {
    const model::SmallFile& file = job.role.files[i];
    const bool splits = file.path.value.find_first_of(",:") != std::string::npos;
    if (!file.path.value.starts_with('/') || splits || has_nul(file.path.value)) continue;
    if (job.container.runtime == model::Containers::enroot && !enroot_carries(file.path.value)) continue;
    job.container.binds.push_back({file_word(job, file, i), file.path.value, true});
  }
  for (const model::Secret& secret : job.role.secrets)
    if (secret.file && secret.file->value.starts_with('/') && is_env_name(secret.name))
      job.container.binds.push_back({"\"" + job.dir() + "\"/secret." + secret.name, secret.file->value, true});
}

void add_files(Job& job) {
  for (std::size_t i = 0; i < job.role.files.size(); ++i) {
    const model::SmallFile& file = job.role.files[i];
    const FieldRef field{Field::file, file.path.value};
    if (!carries(job, file.bytes, file.path.span, field) || !carries(job, file.path.value, file.path.span, field))
      continue;
    if (file.path.value.ends_with('/')) {
      job.refuse_at(file.path.span, field, "a file's path cannot end with `/`");
      continue;
    }
    const bool absolute = file.path.value.starts_with('/');
    const bool bound = std::any_of(job.container.binds.begin(), job.container.binds.end(),
                                   [&](const Bind& bind) { return bind.target == file.path.value; });
    if (absolute && !bound) {
      job.refuse_at(file.path.span, field,
                    job.in_container() ? "the container runtime cannot mount at this path"
                                       : "without a container a file must have a relative path, below $MUSTER_DIR");
      continue;
    }
    const std::string word = file_word(job, file, i);
    if (!absolute && file.path.value.find('/') != std::string::npos) job.line("mkdir -p \"$(dirname " + word + ")\"");
    job.body += sh_file(word, file.bytes, "FILE");
    if (file.mode) job.line("chmod " + file.mode->value + " " + word);
    job.exact(field, absolute ? "bound at " + file.path.value : "$MUSTER_DIR/" + file.path.value);
  }
}

void add_port_names(Job& job, Exports& exports) {
  for (const model::Port& port : job.role.ports) {
    const auto variable = contract::port(port, job);
    if (!variable) continue;
    contract::add(exports, {*variable}, job.wanted);
    const bool told = job.wanted.has(variable->name);
    const bool referred = model::refers_to(job.role, model::RefersTo::port, port.name);
    job.approximated_each({Field::port, port.name},
                          told       ? variable->name
                          : referred ? "its number"
                                     : "nothing",
                          "a " + job.system() + " job has no endpoint; the port is on the node where it runs" +
                              (told || referred ? "" : ", if the program opens it"));
  }
}

void add_fabric(Job& job) {
  const auto* fabric = contract::fabric_of(job, job.plan, job.shape, "jobs", "env { … }");
  if (fabric == nullptr) return;
  Exports exports(job.body);
  for (const model::EnvVar& variable : fabric->env) {
    if (is_env_name(variable.name) && !shell::bash_owns(variable.name) && !is_own_name(variable.name) &&
        !has_nul(variable.value.bytes))
      exports.add(variable.name, sh_word(variable.value.bytes));
    else
      job.refuse_at(variable.span, Field::fabric,
                    "`" + variable.name + "` of fabric `" + fabric->name + "` cannot be exported");
  }
  exports.end();
  if (!fabric->env.empty()) job.exports_end = job.body.size();
  if (fabric->prelude) {
    const model::Script& prelude = fabric->prelude->value;
    const bool ours = prelude.interpreter == "bash" || prelude.interpreter == "sh";
    if (ours && carries(job, prelude.bytes, fabric->prelude->span, Field::fabric))
      job.body += sh_source(prelude.bytes, "FABRIC");
    else if (!ours)
      job.refuse_at(fabric->prelude->span, Field::fabric,
                    "a fabric's prelude runs in the job's shell and must be `<<<bash`");
  }
  job.approximated(Field::fabric, "lines of site `" + job.site.name + "`",
                   job.system() + " lets every job on a node use its network");
}

void add_secrets(Job& job) {
  for (const model::Secret& secret : job.role.secrets) {
    const FieldRef field{Field::secret, secret.name};
    if (secret.env && is_own_name(secret.env->value)) {
      job.refuse_at(secret.env->span, {Field::secret_env, secret.name},
                    "`" + secret.env->value + "` is a variable of the job script itself; use another name");
      continue;
    }
    if (secret.env && (!is_env_name(secret.env->value) || shell::bash_owns(secret.env->value))) {
      job.refuse_at(secret.env->span, {Field::secret_env, secret.name},
                    "`" + secret.env->value + "` is not a valid name of a shell variable");
      continue;
    }
    const std::string value = secret_word(job, secret);
    if (value.empty()) continue;
    // An assignment of its own ends the job where the file is missing; an export would hide that.
    if (secret.env) job.line(secret.env->value + "=" + value + "; export " + secret.env->value);
    if (secret.file && !is_env_name(secret.name))
      job.refuse_at(secret.span, field, "`" + secret.name + "` cannot be used as a file name");
    else if (secret.file) write_secret_file(job, secret, value);
    job.approximated(field, "read when the job starts",
                     std::string("everyone who can read the site's file can read it") +
                         (secret.file ? "; the copy for the program stays in the job's folder" : ""));
  }
}

// What the job prints to say how people get in: lines of bash.
void print_way_in(Job& job, const model::Dev& dev) {
  using model::Interface;
  const auto& text = dev.interface.value == Interface::jupyter  ? job.site.jupyter
                     : dev.interface.value == Interface::vscode ? job.site.vscode
                                                                : model::Optional<std::string>();
  const auto& ports = job.role.ports;
  const bool web = dev.interface.value == Interface::jupyter || (text || !ports.empty());
  const std::string port = ports.empty() ? "8888" : std::to_string(ports.front().number.value);  // Jupyter's own
  if (text && carries(job, text->value, text->span, Field::dev)) {
    job.line("way=" + sh_word(text->value));
    job.line("way=${way//'{host}'/" + job.head() + "}; printf '%s\\n' \"${way//'{port}'/" + port + "}\"");
  } else if (web && dev.interface.value != Interface::shell) {
    job.line("echo \"to connect: ssh -N -J " + std::string(job.dialect.variables.submit_host) + " -L " + port +
             ":localhost:" + port + " " + job.head() + ", then http://localhost:" + port + "\"");
  } else {
    const std::string shell = model::shell_of(job.workload, job.role), word = sh_word(shell);
    job.line("echo \"to connect: " + std::string(job.dialect.enter) + " " +
             (word == shell ? word + "\"" : "\"" + word));
  }
}

void add_access(Job& job) {
  if (!job.workload.dev) return;
  print_way_in(job, *job.workload.dev);
  std::string note = "the job prints how to connect and ends at its time limit";
  if (job.in_container()) note += "; a shell that is opened so is not in the container";
  job.approximated(Field::dev_interface, "a line of the output", note);
  job.approximated(Field::dev_idle_timeout, "nothing",
                   job.system() + " cannot detect that an interactive session is idle");
}

// What the wait for a role asks is written with the job.
void check_probe(Job& job, const model::Probe& probe) {
  if (probe.kind != model::ProbeKind::readiness || !is_waited_until_ready(job)) return;
  const std::string kind(model::name(probe.kind));
  const contract::Run run{job.workload, job.role, job.shape, run_names(job)};
  if (probe.http)
    contract::known_text(job, run, probe.http->value, {Field::probe_http, kind},
                         "and the line that asks for the path is written before that");
  for (const auto& word : probe.command)
    if (is_late(job, word.value))
      job.refuse_at(word.span, {Field::probe_command, kind},
                    "this value is known only where the program runs, but the script starts the probe",
                    "read the variable in a script of your own that the probe runs");
}

// A probe orders the roles of a job and does nothing else: readiness is asked, and startup says how long.
void report_probe(Job& job, const model::Probe& probe, const FieldRef& field) {
  using Kind = model::ProbeKind;
  const std::string note = job.system() + " does not run probes; readiness only orders the roles of a job";
  const bool waited = is_waited_until_ready(job);
  for (const FieldRef& key : job.keys_below(field)) {
    const auto is = [&](Field of_probe) { return key.field == of_probe; };
    const bool asked = waited && probe.kind == Kind::readiness && !is(Field::probe_failures);
    const bool longest = waited && probe.kind == Kind::startup &&
                         (is(Field::probe_every) || is(Field::probe_failures) || is(Field::probe_after));
    if (asked)
      job.loss.approximated(key, "the wait of the roles that need it",
                            is(Field::probe_command) && job.in_container()
                                ? note + "; each time the command has a new container of the same image"
                                : note);
    else if (longest) job.loss.approximated(key, "the longest wait for the role", note + ", for at most this time");
    else job.loss.approximated(key, "nothing", note);
  }
}

void report_needs_of_role(Job& job) {
  for (const model::Probe& probe : job.role.probes) {
    const FieldRef field{Field::probe, std::string(model::name(probe.kind))};
    check_probe(job, probe);
    report_probe(job, probe, field);
  }
  job.read_each(Field::parallelism, "the check of degrees against GPUs");
  for (const model::Allow& allow : job.role.allows) job.read_each({Field::allow, allow.code}, "lint");
  const std::string as = job.copies_in_array()  ? std::string(job.option_of(Request::array))
                         : job.shape.copies > 1 ? "steps side by side"
                                                : "one copy";
  const bool range = job.role.replicas && job.role.replicas->value.high > job.role.replicas->value.low;
  if (range && job.copies_in_array())
    job.approximated(Field::replicas, as, job.system() + " does not scale; uses the upper bound of the range");
  else if (range)
    job.approximated(Field::replicas, as,
                     job.system() + " does not scale; uses the lower bound of the range, at least one");
  else job.exact(Field::replicas, as);
  if (!job.role.primary || !job.role.primary->value || job.workload.roles.size() < 2)
    job.read(Field::role_primary, "the job ends when all roles have ended");
  else if (job.shape.copies > 1)
    job.approximated(Field::role_primary, "nothing", "the end of one of several copies does not end the job");
  else job.exact(Field::role_primary, "the job ends when this role ends");
  job.exact(Field::role_with, "steps that divide the nodes");
  for (const Field order : {Field::depends_on, Field::role_depends_on}) job.exact(order, "the start order");
}

void report_order(Job& job, const model::After& after) {
  const FieldRef each{Field::depends_on_each, after.workload};
  const std::string whole = "remove `each`, so that all points wait for all of `" + after.workload + "`";
  if (after.each && job.dialect.chain.each.empty())
    return job.refuse_at(after.span, each,
                         job.system() + " has no option that orders the tasks of two arrays one by one by job id",
                         whole);
  if (after.each && after.on != model::AfterOn::success)
    return job.refuse_at(after.span, each,
                         job.system() + " orders the tasks of two arrays by `on = success` only, not by `on = " +
                             std::string(model::name(after.on)) + "`",
                         "write `on = success`, or " + whole);
  job.exact({Field::depends_on, after.workload}, std::string(job.dialect.chain_option) + " in the submit script");
}

void report_service(Job& job) {
  const model::Workload& w = job.workload;
  if (w.starts() == model::Gang::none && job.may_have_nodes())
    job.approximated(Field::gang, "one job per copy",
                     job.system() + " starts all nodes of a job together or not at all, so a copy is a gang");
  else job.exact(Field::gang, w.starts() == model::Gang::all ? "one allocation" : "one job per copy");
  for (const model::After& after : w.depends_on) report_order(job, after);
  std::string lost;
  for (const plan::LostOption& option : job.plan.lost) lost += "; " + option.name + ": " + option.why;
  job.read(Field::any_of, "the choice of option " + w.option + lost);
  if (w.scale) {
    const std::string why = job.system() + " does not scale replicas";
    job.refuse(Field::scale, why, "remove `scale` and set a fixed number of `replicas`");
    for (const FieldRef& field : job.keys_below(Field::scale)) job.loss.refused(field, why);
  }
  if (!w.serve) return;
  job.approximated(Field::serve_port, job.wanted.has_any("MUSTER_PORT_") ? "a port of the node" : "nothing",
                   "a " + job.system() + " job has no endpoint");
  report_server(job, job.workload.main().program.has_value());
  if (w.serve->router)
    job.refuse_at(w.serve->router->span, Field::serve_router, job.system() + " does not run a router for replicas");
  if (w.serve->config)
    job.refuse_at(w.serve->config->span, Field::serve_config, "Ray Serve applications are deployed by KubeRay",
                  "write `serve deploy` in the script, or remove `config`");
}

}  // namespace muster::targets::batch
