#include "targets/slurm/job.h"

#include <algorithm>

#include "compiler/base/text.h"

namespace muster::targets::slurm {
namespace {

bool is_or_below(std::string_view path, std::string_view field) {
  return path.starts_with(field) && (path.size() == field.size() || path[field.size()] == '.');
}

}  // namespace

bool Job::wrote(std::string_view field) const {
  return wrote_as(field) || (!prefix.empty() && wrote_as(prefix + std::string(field)));
}

bool Job::wrote_as(std::string_view path) const {
  return std::any_of(workload.written.begin(), workload.written.end(),
                     [&](const model::WrittenField& w) { return is_or_below(w.path, path); });
}

Span Job::span_of(std::string_view field) const {
  const std::string own = prefix + std::string(field);
  for (const std::string_view path : {std::string_view(own), field})
    for (const model::WrittenField& written : workload.written)
      if (is_or_below(written.path, path)) return written.span;
  return workload.span;
}

void Job::exact(std::string_view field, std::string_view as) {
  for (const std::string& path : paths_of(field)) loss.exact(path, std::string(as));
}

void Job::approximated(std::string_view field, std::string_view as, std::string_view note) {
  for (const std::string& path : paths_of(field)) loss.approximated(path, std::string(as), std::string(note));
}

void Job::refuse(std::string_view field, std::string_view message, std::string_view help) {
  refuse_at(span_of(field), field, message, help);
}

void Job::refuse_at(Span where, std::string_view field, std::string_view message, std::string_view help) {
  Diagnostic& diagnostic = diagnostics.add(Code::target_refuses, where, std::string(message));
  if (!help.empty()) diagnostic.notes.emplace_back(help);
  loss.refused(
      prefix.empty() || !wrote_as(prefix + std::string(field)) ? std::string(field) : prefix + std::string(field),
      std::string(message));
}

std::vector<std::string> Job::keys_below(std::string_view block) const {
  const std::string own = prefix + std::string(block);
  std::vector<std::string> out;
  for (const model::WrittenField& w : workload.written)
    if (is_or_below(w.path, block) || is_or_below(w.path, own)) out.push_back(w.path);
  return out;
}

void Job::exact_each(std::string_view block, std::string_view as) {
  for (const std::string& path : keys_below(block)) loss.exact(path, std::string(as));
}

void Job::approximated_each(std::string_view block, std::string_view as, std::string_view note) {
  for (const std::string& path : keys_below(block)) loss.approximated(path, std::string(as), std::string(note));
}

std::vector<std::string> Job::paths_of(std::string_view field) const {
  std::vector<std::string> out;
  if (wrote_as(field)) out.emplace_back(field);
  if (!prefix.empty() && wrote_as(prefix + std::string(field))) out.push_back(prefix + std::string(field));
  return out;
}

std::int64_t Job::tasks() const {
  const model::Runner r = runner();
  const bool each = r == model::Runner::processes || r == model::Runner::mpi || r == model::Runner::batch_script;
  return each ? std::max<std::int64_t>(1, shape.processes) : 1;
}

bool Job::inherits_all() const {
  return role.launch.inherits ? role.launch.inherits->value == model::Inherit::all : plane.export_all;
}

void Job::take_losses(const Loss& of_part) {
  for (const LossEntry& entry : of_part.entries()) {
    const auto& have = loss.entries();
    const bool doubled = std::any_of(have.begin(), have.end(), [&](const LossEntry& e) {
      return e.field == entry.field && e.status == entry.status && e.note == entry.note;
    });
    if (!doubled) loss.add(entry);
  }
}

bool Job::keeps_record() const {
  if (part.is_part()) return false;
  if (!workload.retry || workload.retry->limit.value <= 0) return false;
  return std::any_of(workload.retry->on.begin(), workload.retry->on.end(),
                     [](const auto& on) { return on.value == model::RetryOn::exit_codes; });
}

std::string gpu_model(const Job& job) {
  if (job.shape.pool != nullptr && job.shape.pool->gpu) return job.shape.pool->gpu->model;
  const auto& asked = job.role.resources.gpu;
  return asked && !asked->value.empty() ? asked->value.front() : std::string();
}

const model::SoftwareSpec* software_of(const Job& job) {
  if (!job.role.software) return nullptr;
  if (const auto* spec = std::get_if<model::SoftwareSpec>(&job.role.software->value)) return spec;
  const std::string& name = std::get<std::string>(job.role.software->value);
  const model::SoftwareSpec* found = nullptr;
  for (const auto& [known, spec] : job.site.software) {
    if (known != name) continue;
    if (spec.plane == job.plane.name) return &spec;
    if (spec.plane.empty()) found = &spec;
  }
  return found;
}

const model::FabricAttachment* fabric_of(const Job& job) {
  const model::FabricWish wish = job.role.fabric.value;
  if (wish == model::FabricWish::none || job.shape.pool == nullptr) return nullptr;
  const plan::Fact* coupled = job.plan.facts.find("tightly-coupled");
  const bool wanted = wish == model::FabricWish::required ||
                      (job.shape.nodes > 1 && coupled != nullptr && coupled->value == model::FactValue(true));
  const auto* found = wanted ? model::find_named(job.site.fabrics, job.shape.pool->fabric, job.plane) : nullptr;
  return found != nullptr && found->serves(job.shape.pool->name) ? found : nullptr;
}

std::vector<std::string> variables_of(const Job& job) {
  std::vector<std::string> out;
  if (const model::FabricAttachment* fabric = fabric_of(job))
    for (const model::EnvVar& variable : fabric->env) out.push_back(variable.name);
  for (const model::EnvVar& variable : job.role.env) out.push_back(variable.name);
  for (const model::Secret& secret : job.role.secrets)
    if (secret.env) out.push_back(secret.env->value);
  return out;
}

std::string contract_name(std::string_view prefix, std::string_view name) {
  std::string out(prefix);
  for (const char c : name)
    out += c == '-' || c == '.' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return out;
}

std::string near_or(std::string_view name, const std::vector<std::string_view>& known, std::string otherwise) {
  const std::string near = closest(name, known);
  return near.empty() ? otherwise : "did you mean `" + near + "`?";
}

void Exports::add(std::string_view name, std::string_view word) {
  constexpr std::size_t width = 118;
  const std::string item = " " + std::string(name) + "=" + std::string(word);
  if (!line_.empty() && line_.size() + item.size() > width) end();
  line_ += (line_.empty() ? "export" : "") + item;
}

void Exports::end() {
  if (!line_.empty()) job_.line(line_);
  line_.clear();
}

}  // namespace muster::targets::slurm
