#include "targets/account.h"

#include <algorithm>

#include "compiler/base/text.h"

namespace muster::targets {

bool Account::wrote(const FieldRef& field) const { return wrote_as(field) || wrote_as(in_role(field)); }

bool Account::wrote_as(const FieldRef& field) const {
  return std::any_of(workload.written.begin(), workload.written.end(),
                     [&](const model::WrittenField& w) { return w.field.is_or_below(field); });
}

Span Account::span_of(const FieldRef& field) const {
  for (const FieldRef& as : {in_role(field), field})
    for (const model::WrittenField& written : workload.written)
      if (written.field.is_or_below(as)) return written.span;
  return workload.span;
}

void Account::exact(const FieldRef& field, std::string_view as) {
  for (const FieldRef& own : written_as(field)) loss.exact(own, std::string(as));
}

void Account::approximated(const FieldRef& field, std::string_view as, std::string_view note) {
  for (const FieldRef& own : written_as(field)) loss.approximated(own, std::string(as), std::string(note));
}

void Account::read(const FieldRef& field, std::string_view by) {
  for (const FieldRef& own : written_as(field)) loss.read(own, std::string(by));
}

void Account::refuse(const FieldRef& field, std::string_view message, std::string_view help) {
  refuse_at(span_of(field), field, message, help);
}

void Account::refuse_at(Span where, const FieldRef& field, std::string_view message, std::string_view help) {
  refuse_as(Code::target_refuses, where, field, message, help);
}

void Account::refuse_as(Code code, Span where, const FieldRef& field, std::string_view message, std::string_view help) {
  Diagnostic& diagnostic = diagnostics.add(code, where, std::string(message));
  if (!help.empty()) diagnostic.notes.emplace_back(help);
  const FieldRef own = in_role(field);
  loss.refused(wrote_as(own) ? own : field, std::string(message));
}

std::vector<FieldRef> Account::keys_below(const FieldRef& block) const {
  const FieldRef own = in_role(block);
  std::vector<FieldRef> out;
  for (const model::WrittenField& w : workload.written)
    if (w.field.is_or_below(block) || w.field.is_or_below(own)) out.push_back(w.field);
  return out;
}

void Account::exact_each(const FieldRef& block, std::string_view as) {
  for (const FieldRef& field : keys_below(block)) loss.exact(field, std::string(as));
}

void Account::read_each(const FieldRef& block, std::string_view by) {
  for (const FieldRef& field : keys_below(block)) loss.read(field, std::string(by));
}

void Account::approximated_each(const FieldRef& block, std::string_view as, std::string_view note) {
  for (const FieldRef& field : keys_below(block)) loss.approximated(field, std::string(as), std::string(note));
}

std::vector<FieldRef> Account::written_as(const FieldRef& field) const {
  std::vector<FieldRef> out;
  if (wrote_as(field)) out.push_back(field);
  if (const FieldRef own = in_role(field); own != field && wrote_as(own)) out.push_back(own);
  return out;
}

void Account::take_losses(const Loss& of_part) {
  for (const LossEntry& entry : of_part.entries()) {
    const auto& have = loss.entries();
    const bool doubled = std::any_of(have.begin(), have.end(), [&](const LossEntry& e) {
      const bool worse = entry.status == LossEntry::Status::exact && e.status != LossEntry::Status::exact;
      return e.field == entry.field && (worse || (e.status == entry.status && e.note == entry.note));
    });
    if (!doubled) loss.add(entry);
  }
}

void report_no_retry(Account& account) {
  for (const Field key : {Field::retry_on, Field::retry_exit_codes, Field::retry_backoff})
    account.approximated(key, "nothing", "`limit` is 0, so there is no retry");
}

void report_server(Account& account, bool has_program) {
  for (const Field key : {Field::serve_model, Field::serve_engine, Field::serve_args}) {
    if (has_program) account.approximated(key, "nothing", "the workload's own command sets it");
    else account.exact(key, "arguments of the server's command");
  }
}

std::string near_or(std::string_view name, const std::vector<std::string_view>& known, std::string otherwise) {
  const std::string near = closest(name, known);
  return near.empty() ? otherwise : "did you mean `" + near + "`?";
}

}  // namespace muster::targets
