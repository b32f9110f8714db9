// The account of what a user wrote: entries of the loss report, by role, and refusals with their places.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/model/workload.h"
#include "targets/loss.h"

namespace muster::targets {

// What a user wrote, in the order of role, key and detail. Borrows the workload.
class Written {
 public:
  explicit Written(const model::Workload& workload);

  // The first in the order of the file that is `block` or below it; nullptr: none is.
  const model::WrittenField* first_below(const FieldRef& block) const;
  // All that are one of the blocks or below it, in the order of the file.
  std::vector<const model::WrittenField*> below(const FieldRef& block, const FieldRef& other) const;

 private:
  template <class Take>
  void each_below(const FieldRef& block, Take take) const;

  using Sorted = std::vector<const model::WrittenField*>;
  std::shared_ptr<const Sorted> sorted_;  // one for all parts of a workload
};

struct Account {
  const model::Workload& workload;
  Diagnostics& diagnostics;
  Loss loss{};
  std::string role_name{};  // in the part of a role: its fields are written in its block, or in the workload
  Written written{workload};

  // Whether the user wrote the field or anything below it, for the role or for all of the workload, and where.
  bool wrote(const FieldRef& field) const;
  Span span_of(const FieldRef& field) const;

  // Loss entries; one for a field that the user did not write is not made.
  void exact(const FieldRef& field, std::string_view as);
  void approximated(const FieldRef& field, std::string_view as, std::string_view note);
  void read(const FieldRef& field, std::string_view by);
  // An error at `field`, and the same sentence in the loss report. `help` is a note with the way out.
  void refuse(const FieldRef& field, std::string_view message, std::string_view help = {});
  void refuse_at(Span where, const FieldRef& field, std::string_view message, std::string_view help = {});
  // The same with a code of its own.
  void refuse_as(Code code, Span where, const FieldRef& field, std::string_view message, std::string_view help = {});

  // The field in the block of the account's role.
  FieldRef in_role(const FieldRef& field) const {
    return field.role.empty() ? FieldRef{field.field, field.detail, role_name} : field;
  }

  // Takes over the entries of a part; one that is there already is not doubled, and `exact` gives way to what is worse.
  void take_losses(const Loss& of_part);

  std::vector<FieldRef> keys_below(const FieldRef& block) const;
  bool wrote_as(const FieldRef& field) const;                     // in the role that it names, or below it
  std::vector<FieldRef> written_as(const FieldRef& field) const;  // in the workload, in the role, in both
  // Entries for every key that was written below a block, one each.
  void exact_each(const FieldRef& block, std::string_view as);
  void read_each(const FieldRef& block, std::string_view by);
  void approximated_each(const FieldRef& block, std::string_view as, std::string_view note);
};

// Of `retry` without another attempt (`limit = 0`, also where no limit is given): its other keys say nothing.
void report_no_retry(Account& account);

// Of `serve`, what the server's command is made of: where the role has a program of its own, none is made.
void report_server(Account& account, bool has_program);

// "did you mean `x`?", or `otherwise` where nothing known is near.
std::string near_or(std::string_view name, const std::vector<std::string_view>& known, std::string otherwise);

}  // namespace muster::targets
