#include "targets/account.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "compiler/base/text.h"

namespace muster::targets {

namespace {

// By role, key and detail. The fields of one key of a role are neighbours, and so are those below one detail.
auto order(const FieldRef& field) { return std::tie(field.role, field.field, field.detail); }

}  // namespace

Written::Written(const model::Workload& workload) {
  Sorted sorted;
  sorted.reserve(workload.written.size());
  for (const model::WrittenField& field : workload.written) sorted.push_back(&field);
  std::sort(sorted.begin(), sorted.end(), [](const model::WrittenField* a, const model::WrittenField* b) {
    return std::tuple_cat(order(a->field), std::tuple(a)) < std::tuple_cat(order(b->field), std::tuple(b));
  });
  sorted_ = std::make_shared<const Sorted>(std::move(sorted));
}

template <class Take>
void Written::each_below(const FieldRef& block, Take take) const {
  const auto take_all = [&](auto from, auto end) {
    for (; from != end; ++from)
      if ((*from)->field.is_or_below(block)) take(*from);
  };
  // Fields below a block of a role are in several roles.
  if (block.field == Field::role) return take_all(sorted_->begin(), sorted_->end());
  const auto begin_of = [&](const FieldRef& field) {
    return std::partition_point(sorted_->begin(), sorted_->end(),
                                [&](const auto* w) { return order(w->field) < order(field); });
  };
  for (auto key = begin_of({Field{}, {}, block.role}); key != sorted_->end() && (*key)->field.role == block.role;) {
    const Field of = (*key)->field.field;
    const auto end = std::partition_point(
        key, sorted_->end(), [&](const auto* w) { return w->field.role == block.role && w->field.field == of; });
    if (model::is_or_below(of, block.field)) {
      // Between a detail and those below it there may be others: `a`, `a-b`, `a.b`.
      const auto last = [&](std::string_view detail) { return begin_of({of, std::string(detail), block.role}); };
      if (block.detail.empty()) {
        take_all(key, end);
      } else {
        take_all(last(block.detail), last(block.detail + '\0'));
        take_all(last(block.detail + "."), last(block.detail + "/"));
      }
    }
    key = end;
  }
}

const model::WrittenField* Written::first_below(const FieldRef& block) const {
  const model::WrittenField* first = nullptr;
  each_below(block, [&](const model::WrittenField* field) {
    if (first == nullptr || field < first) first = field;
  });
  return first;
}

std::vector<const model::WrittenField*> Written::below(const FieldRef& block, const FieldRef& other) const {
  Sorted out;
  each_below(block, [&](const model::WrittenField* field) { out.push_back(field); });
  if (other != block) each_below(other, [&](const model::WrittenField* field) { out.push_back(field); });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool Account::wrote(const FieldRef& field) const { return wrote_as(field) || wrote_as(in_role(field)); }

bool Account::wrote_as(const FieldRef& field) const { return written.first_below(field) != nullptr; }

Span Account::span_of(const FieldRef& field) const {
  for (const FieldRef& as : {in_role(field), field})
    if (const model::WrittenField* first = written.first_below(as)) return first->span;
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
  std::vector<FieldRef> out;
  for (const model::WrittenField* w : written.below(block, in_role(block))) out.push_back(w->field);
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
    const std::span<const std::size_t> have = loss.entries_of(entry.field);
    const bool doubled = std::any_of(have.begin(), have.end(), [&](std::size_t at) {
      const LossEntry& e = loss.entries()[at];
      const bool worse = entry.status == LossEntry::Status::exact && e.status != LossEntry::Status::exact;
      return worse || (e.status == entry.status && e.note == entry.note);
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
