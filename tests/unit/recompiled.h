// A job script that is lifted and compiled again, in memory, and what its file does: bash runs it with functions of
// this header in place of the programs, beside the original.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "compiler/sema/check/check.h"
#include "compiler/sema/expand/defaults.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/syntax/parse.h"
#include "plan/steps/make_plan.h"
#include "rules/profiles.h"
#include "targets/shell.h"
#include "targets/target.h"
#include "tests/temp_folder.h"
#include "tests/unit/lift_scene.h"

namespace muster::tests {

// How many variants of a class are right.
struct Tally {
  int right = 0, all = 0;
  void count(bool is_right) { ++all, right += is_right ? 1 : 0; }
};

// Of a script as it is lifted: the file of a target, or what refuses it.
struct Recompiled {
  std::string grade, reason, refusal, file;
  std::string text;  // the workload and the site

  bool ok() const { return refusal.empty() && !file.empty(); }
};

// The site of the import itself, or one of pods that has images for all that the workload names.
inline std::string site_for(const Lifted& lifted, bool pods) {
  if (!pods) return {};
  std::string out = "site pods {\n  plane kubernetes { kind = kubernetes  gang = kueue  version = \"1.34\" }\n";
  bool has_queue = false;
  for (const model::Queue& queue : lifted.made.site.queues) {
    out += "  queue " + queue.name + " { name = \"q\"" + (has_queue ? "" : "  default = true") + " }\n";
    has_queue = true;
  }
  if (!has_queue) out += "  queue main { name = \"q\"  default = true }\n";
  for (const auto& [name, spec] : lifted.made.site.software) out += "  software " + name + " { image = \"soft:1\" }\n";
  for (const model::SiteSecret& secret : lifted.made.site.secrets)
    out += "  secret " + secret.name + " { object = \"s\"  key = \"k\" }\n";
  return out + "  defaults { cpus = 4  memory = 16GiB  image = \"base:1\" }\n}\n";
}

inline Recompiled recompiled(const std::string& script, bool pods,
                             const std::vector<std::pair<std::string, std::string>>& set = {},
                             std::string_view target = "") {
  const Lifted lifted(script);
  Recompiled out{std::string(name(lifted.made.grade)), lifted.made.reason, {}, {}, lifted.text};
  Sources sources;
  Diagnostics diagnostics;
  std::string text = lifted.text;
  if (pods) text = text.substr(0, text.rfind("\nsite ")) + "\n" + site_for(lifted, true);
  const std::uint32_t number = sources.add("job.muster", text);
  auto file = syntax::parse(sources, number, diagnostics);
  const auto failed = [&] {
    if (!diagnostics.has_errors()) return false;
    for (const Diagnostic& d : diagnostics.sorted())
      if (d.severity() == Severity::error) out.refusal += d.message + "\n";
    return true;
  };
  if (!file || failed()) return out;
  sema::ExpandOptions expansion;
  expansion.roots = {number};
  for (const auto& [name, value] : set) expansion.set.push_back({name, {}, value, {}, {}});
  std::vector<ast::File> files = sema::expand({std::move(*file)}, expansion, diagnostics);
  if (failed()) return out;
  for (const ast::Block& block : files.front().blocks)
    if (block.kind.text == "site") {
      const ast::Block site = block;
      sema::lay_defaults(site, files, diagnostics);
      break;
    }
  const model::Module module = sema::check(files, sources, {}, diagnostics);
  if (failed() || module.workloads.empty()) return out;
  const model::Policy policy = rules::profile("default");
  plan::PlanRequest request;
  request.workload = &module.workloads.front();
  request.workloads = module.workloads;
  request.site = &module.sites.front();
  request.site_given = true;
  request.policy = &policy;
  request.plane_kind = model::find_plane_kind(pods ? "kubernetes" : "slurm")->kind;
  const plan::PlanResult planned = plan::make_plan(request, diagnostics);
  if (failed() || !planned.plan) return out;
  const bool many = module.workloads.front().roles.front().resources.nodes.has_value();
  const std::string_view kind = !target.empty() ? target : !pods ? "slurm" : many ? "jobset" : "kubernetes";
  const targets::Lowered lowered = targets::lower(*targets::find_target(kind), *planned.plan, {}, diagnostics);
  if (!failed() && !lowered.documents.empty()) out.file = lowered.documents.front().content;
  return out;
}

// One program for all that scripts of these tests start: srun starts one task, on the first node; mkdir and module do
// nothing; each other one writes down its words, and variable X where it has one.
inline constexpr const char* stub = R"(#!/bin/bash
name=${0##*/}
case $name in
  srun)
    while [ $# -gt 0 ]; do case $1 in -n | -N) shift 2 ;; -*) shift ;; *) break ;; esac; done
    exec "$@" ;;
  scontrol | hostname) echo node1 ;;
  mkdir | module) ;;
  *)
    { printf '%s' "$name"; [ $# -eq 0 ] || printf '|%s' "$@"; [ -z "${X+x}" ] || printf '|X=%s' "$X"; printf '\n'; } >> "$RECORD" ;;
esac
)";

// What bash does with a text, in a folder of its own in which only these programs are found before the system's.
inline std::string recorded(const std::string& text, const std::vector<std::string>& arguments) {
  const TempFolder folder;
  const std::filesystem::path root = folder.path();
  const auto write = [&](const std::string& name, const std::string& bytes) { std::ofstream(root / name) << bytes; };
  std::filesystem::create_directory(root / "bin");
  for (const char* file : {"text", "a.txt", "b.txt"}) write(file, file == std::string("text") ? text : "");
  write("bin/stub", stub);
  std::filesystem::permissions(root / "bin/stub", std::filesystem::perms::owner_all);
  for (const char* name :
       {"srun", "scontrol", "hostname", "mkdir", "module", "rm", "python", "mpirun", "numactl", "timeout"})
    std::filesystem::create_symlink("stub", root / "bin" / name);
  std::string command =
      "cd '" + root.string() +
      "' && env -i PATH=$PWD/bin:/usr/bin:/bin HOME=/home/u RECORD=$PWD/record SLURM_JOB_ID=1 SLURM_NODEID=0 "
      "SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_CPUS_ON_NODE=8 SLURMD_NODENAME=node1 bash text";
  for (const std::string& argument : arguments) command += " " + targets::sh_word(argument);
  if (std::system((command + " >out 2>&1 </dev/null").c_str()) == -1) return "not run";
  std::ifstream in(root / "record");
  return {std::istreambuf_iterator<char>(in), {}};
}

// The lines of a record that begin with a word.
inline std::string lines_of(const std::string& record, std::string_view word) {
  std::string out;
  for (const std::string_view line : split(record, '\n'))
    if (line.starts_with(word)) out += std::string(line) + "\n";
  return out;
}

}  // namespace muster::tests
