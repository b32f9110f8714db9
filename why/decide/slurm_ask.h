// What a job of Slurm asks for, and what its partition and the accounting allow.
#pragma once

#include "why/decide/scene.h"

namespace muster::why {

// Sets `ask.*` and `script.*`. `job`: what Slurm says of it, in `detailed` form all of it; nullptr: it was refused.
void add_ask(const Facts& facts, const Object* job, bool detailed, const Object* script, const Changes& changes,
             Case& out);
// Sets `part.*`, `res.*`, `license.*`, `config.*`.
void add_partition(const Facts& facts, Case& out);
// Sets `assoc.*`, `qos.*`, `limit.*`, `user`.
void add_accounting(const Facts& facts, Case& out);

}  // namespace muster::why
