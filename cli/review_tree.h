// The files of one side, evaluated: what review compares.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/planning.h"
#include "cli/review_files.h"
#include "lint/select.h"
#include "review/tree.h"
#include "rules/engine.h"

namespace muster::cli {

// What every evaluation of a run has in common.
struct ReviewSettings {
  std::string as_of;
  std::string diagnostics = "human";
  lint::Selection selection;
};

// A site that workloads are judged for, with its fleet and rules; read and proven once.
struct Judge {
  std::string file;            // absolute; "": the built-in site, and that of the files themselves
  std::filesystem::path root;  // that its imports may reach
  std::string label;           // in the ids; "": it is the only one
  std::unique_ptr<Session> session;
  Setting setting;
  review::Policy policy;
};

// `root`: the folder that the site's imports may reach; "": that of the side. nullopt: reported on standard error.
std::optional<Judge> make_judge(const std::string& file, const Side& side, const std::filesystem::path& root,
                                const ReviewSettings& settings);

// A workload and the facts that it was decided by.
struct Evaluated {
  review::Workload workload;
  std::vector<rules::NamedValue> facts;
};

// Evaluates files of a side for a site. What is wrong with a file that cannot be used goes to standard error.
class Evaluator {
 public:
  // `silent`: what is wrong is said nowhere.
  Evaluator(const Side& side, const Judge& judge, const ReviewSettings& settings, bool silent = false)
      : side_(side), judge_(judge), settings_(settings), silent_(silent) {}

  // What the file holds. nullopt: it cannot be used, `why` says what is wrong with it.
  std::optional<std::vector<Evaluated>> evaluate(const std::string& path, std::string& why) const;

  // Of all left out: the worst exit code.
  int code() const { return code_; }

 private:
  std::optional<std::vector<Evaluated>> specs(const std::string& path, std::string& why) const;
  std::optional<std::vector<Evaluated>> raw(const std::string& path, const SideFile& file, std::string& why) const;
  std::nullopt_t left_out(Session& session, const std::string& path, std::string& why) const;
  Evaluated spec(const model::Workload& workload, const Session& session, const Setting& setting) const;

  const Side& side_;
  const Judge& judge_;
  const ReviewSettings& settings_;
  bool silent_;
  mutable int code_ = 0;
};

}  // namespace muster::cli
