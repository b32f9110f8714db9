#include "targets/slurm/job.h"

#include <algorithm>

namespace muster::targets::slurm {
namespace {

bool is_or_below(std::string_view path, std::string_view field) {
  return path.starts_with(field) && (path.size() == field.size() || path[field.size()] == '.');
}

}  // namespace

bool Job::wrote(std::string_view field) const {
  return std::any_of(workload.written.begin(), workload.written.end(),
                     [&](const model::WrittenField& w) { return is_or_below(w.path, field); });
}

Span Job::span_of(std::string_view field) const {
  for (const model::WrittenField& written : workload.written)
    if (is_or_below(written.path, field)) return written.span;
  return workload.span;
}

void Job::exact(std::string_view field, std::string_view as) {
  if (wrote(field)) loss.exact(std::string(field), std::string(as));
}

void Job::approximated(std::string_view field, std::string_view as, std::string_view note) {
  if (wrote(field)) loss.approximated(std::string(field), std::string(as), std::string(note));
}

void Job::refuse(std::string_view field, std::string_view message, std::string_view help) {
  refuse_at(span_of(field), field, message, help);
}

void Job::refuse_at(Span where, std::string_view field, std::string_view message, std::string_view help) {
  Diagnostic& diagnostic = diagnostics.add(Code::target_refuses, where, std::string(message));
  if (!help.empty()) diagnostic.notes.emplace_back(help);
  loss.refused(std::string(field), std::string(message));
}

std::int64_t Job::tasks() const {
  const model::Runner r = runner();
  const bool each = r == model::Runner::processes || r == model::Runner::mpi || r == model::Runner::batch_script;
  return each ? std::max<std::int64_t>(1, shape.processes) : 1;
}

bool Job::inherits_all() const {
  return role.launch.inherits ? role.launch.inherits->value == model::Inherit::all : plane.export_all;
}

bool Job::keeps_record() const {
  if (!workload.retry || workload.retry->limit.value == 0) return false;
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
  for (const auto& [known, spec] : job.site.software)
    if (known == name) return &spec;
  return nullptr;
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
