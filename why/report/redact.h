// An answer that can be posted: names of users, accounts and hosts become stable words.
#pragma once

#include <string>
#include <vector>

#include "why/decide/decide.h"
#include "why/facts.h"

namespace muster::why {

// Replaces them in all texts of the findings, in the order in which the input has them: user1, account1, node1.
void redact(const Facts& facts, std::vector<Finding>& findings);

}  // namespace muster::why
