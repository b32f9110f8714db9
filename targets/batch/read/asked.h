// What a job of PBS or LSF asks for and starts, in the terms of the checks of launches.
#pragma once

#include "targets/slurm/read/body.h"
#include "targets/slurm/read/meaning.h"

namespace muster::targets::batch {

struct Asked {
  shell::Body body;        // its text, with the values that its options give to variables
  slurm::Meaning meaning;  // slurm::Known::by is an index into JobScript::parts
};

}  // namespace muster::targets::batch
