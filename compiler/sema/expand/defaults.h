// What a site says for every workload.
#pragma once

#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

// Lays the `defaults` of a site under every workload of `files`: what a workload says itself, or its template, wins
// key by key, as a template's body is laid over by the workload's. A site without the block changes nothing. Over
// budget (a long block for many workloads): reported, and nothing is changed.
void lay_defaults(const ast::Block& site, std::vector<ast::File>& files, Diagnostics& diagnostics);

}  // namespace muster::sema
