// The files of one side, evaluated: what review compares.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/lint_base.h"
#include "driver/policy_from.h"
#include "driver/review_files.h"
#include "lint/check.h"
#include "review/tree.h"
#include "rules/engine.h"

namespace muster::driver {

// What every evaluation of a run has in common.
struct ReviewSettings {
  std::string as_of;
  lint::Selection selection;
};

// Where a site and the policy of a platform team stand: each as it is called in a folder; "": there is none.
struct JudgePlace {
  std::string site;  // a file; "": the policy's, else the built-in one
  std::filesystem::path site_folder;
  std::string policy;  // a folder
  std::filesystem::path policy_folder;
};

// Whose rules, waivers and suppressions decide for a side in place of its own.
struct Gate {
  PolicyFrom from;
  JudgePlace place;  // in its tree
};

// A site that workloads are judged for, with its fleet and rules; read and proven once.
struct Judge {
  bool usable = false;  // else the session says why not, and nothing else is set
  std::string label;    // in the reports; "": it is the only one
  std::string prefix;   // of the names of files that had to be read by their whole path; the reports leave it out
  std::unique_ptr<Session> session;
  std::unique_ptr<LintBase> base;
  review::Policy policy;             // the side's own, whether or not it is in force
  std::shared_ptr<const Gate> gate;  // nullptr: the side's own is
};

// `files` has the disk and all trees.
Judge make_judge(const JudgePlace& place, const ReviewSettings& settings, const Files& files,
                 std::shared_ptr<const Gate> gate = nullptr);
// Whether two judges rest on the same texts.
bool same_texts(const Judge& a, const Judge& b);

// A workload and the facts that it was decided by.
struct Evaluated {
  review::Workload workload;
  std::vector<rules::NamedValue> facts;
};

// What a file holds. Without `workloads` it is left out, and `why` says for which reason.
struct EvaluatedFile {
  std::optional<std::vector<Evaluated>> workloads;
  std::string why{};
  bool unusable = false;                   // it is broken, not merely something else than a workload
  std::vector<Diagnostic> faults{};        // what makes it so; places are in the judge's sources
  std::vector<lint::Added> added{};        // suppressions that do not count
  std::optional<lint::Account> account{};  // of a file that could start something
};

// Evaluates files of a side for a site. Borrows all of it.
class Evaluator {
 public:
  Evaluator(const Side& side, const Judge& judge, const ReviewSettings& settings)
      : side_(side), judge_(judge), settings_(settings) {}

  EvaluatedFile evaluate(const std::string& path) const;
  // The same of a spec whose own site and rules are left aside: its workloads are for the site of `other`.
  EvaluatedFile evaluate_for(const Judge& other, const std::string& path) const;

 private:
  EvaluatedFile evaluate(const std::string& path, FileKind kind, const Judge* other) const;
  EvaluatedFile specs(const std::string& path, std::string text, const Judge* other) const;
  EvaluatedFile raw(const std::string& path, std::string text, FileKind kind) const;
  EvaluatedFile imported(const std::string& path, std::string text) const;
  // Adds what lint finds in a file that is no spec.
  void add_findings(const std::string& path, std::uint32_t file, lint::Input kind, const lint::Overlays& overlays,
                    Diagnostics& found, std::vector<review::Workload> workloads, EvaluatedFile& out) const;
  EvaluatedFile left_out(const std::string& path, std::vector<Diagnostic> faults) const;
  static std::vector<Evaluated> plan(Session& session, const Judge& judge);
  lint::CheckSettings check_settings(const Judge& judge) const;

  const Side& side_;
  const Judge& judge_;
  const ReviewSettings& settings_;
};

}  // namespace muster::driver
