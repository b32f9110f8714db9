// What of the pages is compiled in.
#pragma once

#include <string>
#include <vector>

#include "lint/tool/page.h"

namespace muster::lint::tool {

// In the order of the catalogue: by family, then by id. "" or what is wrong with pages that are right one by one.
std::string arrange(std::vector<Page>& pages);

// lint/rule_ids.inc: the enumerators of RuleId.
std::string write_ids(const std::vector<Page>& pages);

// rule_table.cc: the functions that lint/rule_table.h declares.
std::string write_table(const std::vector<Page>& pages);

// "slm001-fires.sbatch"
std::string file_name(const Page& page, const Case& test);

}  // namespace muster::lint::tool
