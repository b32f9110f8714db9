// Conditions over facts: `require gpu.memory >= 80GB and not pool.preemptible`.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "compiler/base/diagnostic.h"
#include "compiler/model/value.h"
#include "compiler/sema/schema/schema.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

// The comparison that an operator of the language means; nullopt for one that compares nothing.
std::optional<model::Compare> comparison(ast::Op op);

// A fact that `require` and `prefer` may ask about, as a key: its type and words check constants.
std::span<const KeySchema> pool_facts();

// An expression of a require or prefer as a predicate over pool_facts(). nullopt: reported.
std::optional<model::Predicate> read_predicate(const ast::Expr& expr, const Sources& sources, Diagnostics& diagnostics);

}  // namespace muster::sema
