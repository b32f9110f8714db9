// The checked model back to syntax, for whatever makes models without a muster file: import, the data
// twin. Only what differs from the defaults is written, in the order of the schema, except that the
// program of a workload is last. check(to_syntax(m)) is m, spans apart.
//
//   syntax::format({sema::to_syntax(site, diagnostics)}, {{"site lab.queue gpu", "from scontrol"}})
#pragma once

#include "compiler/base/diagnostic.h"
#include "compiler/model/module.h"
#include "compiler/syntax/ast.h"

namespace muster::sema {

// Bytes that no muster file can hold (NUL, or what is not UTF-8, in a text or script) are reported as
// E0307 at the value's place; the block is then not to be used. Scripts become heredocs, or where a
// heredoc cannot hold them (CR, no final line feed, a line `>>>`) calls: bash("…\n", "…").
ast::Block to_syntax(const model::Workload& workload, Diagnostics& diagnostics);
ast::Block to_syntax(const model::Site& site, Diagnostics& diagnostics);
ast::Block to_syntax(const model::Fleet& fleet, Diagnostics& diagnostics);

}  // namespace muster::sema
