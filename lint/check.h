// One file: its findings, what it says may stay, and their keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "lint/context.h"
#include "lint/outcome.h"
#include "lint/select.h"
#include "lint/suppress.h"
#include "targets/kubernetes/read/manifest.h"

namespace muster::lint {

// What kind of file a text is: a script has an `#SBATCH` line in column 1, a manifest a document with `apiVersion` and
// `kind`. Of a text with both the documents decide, and in a file that is `for_manifests` one of them is enough.
// nullopt: neither.
std::optional<Input> kind_of(std::string_view text, bool for_manifests = false);

struct CheckSettings {
  Context context;
  Selection selection;
  std::string as_of = {};                  // "2026-11-21"; "": suppressions do not expire
  std::uint32_t command_line = 0;          // file of the sources with sbatch options of the command line; 0: none
  std::vector<Suppression> accepted = {};  // what the site and its fleet allow
  // What the file suppresses in the state whose suppressions count; nullptr: all that it has count.
  const std::vector<Suppression>* before = nullptr;
};

// Holds what was found in one file against its suppressions, which are marked as used: the findings of the selected
// rules and the faults, sorted, with their keys; what is suppressed is marked, and what the suppressions lack is found.
std::vector<Result> judge(std::vector<Finding> findings, Suppressions& suppressions, const CheckSettings& settings);

// The findings of the selected rules, sorted, with their keys; suppressed ones are marked. What makes a
// manifest unreadable goes to `diagnostics`, suppressions that do not count yet to `added`, and what became of the file
// to `account`.
std::vector<Result> check_file(std::uint32_t file, Input kind, const CheckSettings& settings, Diagnostics& diagnostics,
                               std::vector<Added>* added = nullptr, Account* account = nullptr);

// What a kustomization makes of objects that it takes, in which values of several files are together. `files`: these.
struct MergedObjects {
  const targets::kubernetes::Manifest& manifest;
  const std::vector<bool>& changed;  // of each document: whether patches of the kustomization change it
  std::string folder;                // the kustomization's
  std::vector<std::uint32_t> files;
};

// The findings of the objects that patches change, without fixes. `used`: where suppressions are that were needed.
std::vector<Result> check_merged(const MergedObjects& objects, const CheckSettings& settings, std::vector<Span>& used);

// What a script or a manifest suppresses, by comments and annotations, with their anchors.
Suppressions suppressions_of(const Sources& sources, std::uint32_t file, Input kind);

}  // namespace muster::lint
