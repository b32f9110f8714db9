#include "targets/account.h"

#include <algorithm>

#include "compiler/base/text.h"

namespace muster::targets {
namespace {

bool is_or_below(std::string_view path, std::string_view field) {
  return path.starts_with(field) && (path.size() == field.size() || path[field.size()] == '.');
}

}  // namespace

bool Account::wrote(std::string_view field) const {
  return wrote_as(field) || (!prefix.empty() && wrote_as(prefix + std::string(field)));
}

bool Account::wrote_as(std::string_view path) const {
  return std::any_of(workload.written.begin(), workload.written.end(),
                     [&](const model::WrittenField& w) { return is_or_below(w.path, path); });
}

Span Account::span_of(std::string_view field) const {
  const std::string own = prefix + std::string(field);
  for (const std::string_view path : {std::string_view(own), field})
    for (const model::WrittenField& written : workload.written)
      if (is_or_below(written.path, path)) return written.span;
  return workload.span;
}

void Account::exact(std::string_view field, std::string_view as) {
  for (const std::string& path : paths_of(field)) loss.exact(path, std::string(as));
}

void Account::approximated(std::string_view field, std::string_view as, std::string_view note) {
  for (const std::string& path : paths_of(field)) loss.approximated(path, std::string(as), std::string(note));
}

void Account::read(std::string_view field, std::string_view by) {
  for (const std::string& path : paths_of(field)) loss.read(path, std::string(by));
}

void Account::refuse(std::string_view field, std::string_view message, std::string_view help) {
  refuse_at(span_of(field), field, message, help);
}

void Account::refuse_at(Span where, std::string_view field, std::string_view message, std::string_view help) {
  refuse_as(Code::target_refuses, where, field, message, help);
}

void Account::refuse_as(Code code, Span where, std::string_view field, std::string_view message,
                        std::string_view help) {
  Diagnostic& diagnostic = diagnostics.add(code, where, std::string(message));
  if (!help.empty()) diagnostic.notes.emplace_back(help);
  loss.refused(
      prefix.empty() || !wrote_as(prefix + std::string(field)) ? std::string(field) : prefix + std::string(field),
      std::string(message));
}

std::vector<std::string> Account::keys_below(std::string_view block) const {
  const std::string own = prefix + std::string(block);
  std::vector<std::string> out;
  for (const model::WrittenField& w : workload.written)
    if (is_or_below(w.path, block) || is_or_below(w.path, own)) out.push_back(w.path);
  return out;
}

void Account::exact_each(std::string_view block, std::string_view as) {
  for (const std::string& path : keys_below(block)) loss.exact(path, std::string(as));
}

void Account::read_each(std::string_view block, std::string_view by) {
  for (const std::string& path : keys_below(block)) loss.read(path, std::string(by));
}

void Account::approximated_each(std::string_view block, std::string_view as, std::string_view note) {
  for (const std::string& path : keys_below(block)) loss.approximated(path, std::string(as), std::string(note));
}

std::vector<std::string> Account::paths_of(std::string_view field) const {
  std::vector<std::string> out;
  if (wrote_as(field)) out.emplace_back(field);
  if (!prefix.empty() && wrote_as(prefix + std::string(field))) out.push_back(prefix + std::string(field));
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
  for (const char* key : {"retry.on", "retry.exit-codes", "retry.backoff"})
    account.approximated(key, "nothing", "`limit` is 0: there is no other attempt");
}

void report_server(Account& account, bool has_program) {
  for (const char* key : {"serve.model", "serve.engine", "serve.args"}) {
    if (has_program)
      account.approximated(key, "nothing", "the workload has a command of its own, which says it itself");
    else account.exact(key, "words of the server's command");
  }
}

std::string near_or(std::string_view name, const std::vector<std::string_view>& known, std::string otherwise) {
  const std::string near = closest(name, known);
  return near.empty() ? otherwise : "did you mean `" + near + "`?";
}

}  // namespace muster::targets
