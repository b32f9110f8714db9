// Questions to git. It is started by name, without a shell, in the current folder; it fetches nothing, locks
// nothing and takes no notice of replaced objects.
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::driver {

// Starts `git` with these words, with `input` on its standard input, and lets `read` have its standard output. False:
// git could not be started, `read` said no or git failed; `why` then has its first line of standard error, if any.
bool run_git(const std::vector<std::string>& words, const std::string& input,
             const std::function<bool(std::FILE*)>& read, std::string& why);

// Its standard output, at most 64 MiB of it. nullopt: as above.
std::optional<std::string> ask_git(const std::vector<std::string>& words, std::string& why);

}  // namespace muster::driver
