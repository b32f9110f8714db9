// Parts of dstack's file. Inside targets/services/dstack only.
#pragma once

#include <string>
#include <string_view>

#include "targets/services/task.h"

namespace muster::targets::dstack {

using services::Task;

// dstack fills in `${{ NAME }}`: in the values of `env` names of secrets, in commands addresses of `groups` alone.
// A value as `env` takes it, read back as it was; and whether dstack would fill in a part of a command.
std::string as_env(std::string_view value);
bool is_filled_in(std::string_view command);

// "8h": the largest unit that is exact.
std::string duration(Duration time);

// resources.cc: `resources`, and where the run may be, which is put into the file.
data::Node resources_of(Task& task);
void put_places(Task& task, data::Node& file);

// service.cc: the keys of a service.
void check_service(Task& task);
void put_service(Task& task, data::Node& file);

}  // namespace muster::targets::dstack
