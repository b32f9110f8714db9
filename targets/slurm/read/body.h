// The shell text of a batch script, with what Slurm gives to it.
#pragma once

#include "compiler/shell/body.h"
#include "targets/slurm/read/script.h"

namespace muster::targets::slurm {

using shell::Assignment, shell::Body, shell::ChangeDirectory, shell::Command, shell::Count, shell::EnvironmentRead,
    shell::Export, shell::Launch, shell::Launcher, shell::LaunchOption, shell::Redirect, shell::Scope, shell::ScopeKind,
    shell::Setup, shell::SetupKind, shell::ShellProblem, shell::Starts, shell::Word, shell::known, shell::unknown;

// Reads the text of `script` after its directives. Variables of Slurm ($SLURM_NTASKS_PER_NODE …) have the
// values that the script's directives give them in component 0, where they say so plainly.
Body read_body(const Sources& sources, const Script& script);

// The variables of Slurm that muster knows.
std::span<const std::string_view> slurm_variable_names();

}  // namespace muster::targets::slurm
