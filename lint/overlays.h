// Which files of a run are not manifests of their own: patches of kustomizations and templates of charts.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "targets/kubernetes/read/kustomization.h"
#include "targets/purpose.h"

namespace muster::lint {

// The folder of the Helm chart that a file is a template of, if there is `Chart.yaml` in it: "charts/a" of
// "charts/a/templates/x.yaml". nullopt: it lies in no folder of templates.
std::optional<std::string> chart_folder_of(const std::string& file);

// What is said once of a folder of test data or of archived files.
std::string said_of_folder(targets::PurposeKind kind);

// Names of files are as the run shows them, kustomizations and manifests alike.
class Overlays {
 public:
  // The kustomization of a folder ("" is the folder of the run).
  void add(const std::string& folder, const targets::kubernetes::Kustomization& kustomization);
  // A Helm chart, and the first file of its templates that the run reads: that one's finding stands for all.
  void add_chart(const std::string& folder, const std::string& first_file);
  // A file that was found below a folder, whose name has `given` bytes: a folder further down may say that what is in
  // it is test data, or archived.
  void add_found(const std::string& file, std::size_t given);
  // A script or a manifest is judged now: the first one of such a folder has the finding for all.
  void begin(const std::string& file);
  // The folders of the kustomizations that are known.
  std::set<std::string> folders() const;
  // After the last of them: which images each file of a base gets.
  void settle();

  // Which files of patches are judged as what their kustomizations make of them, and why others are not.
  void set_merged(std::set<std::string> merged, std::map<std::string, std::string> apart);
  bool is_merged(const std::string& file) const { return merged_.contains(file); }
  // Why a patch is not merged; "": nothing is known.
  std::string why_apart(const std::string& file) const;

  // A patch of a kustomization, a template of a chart, test data or an archived file; else complete, as far as names
  // and other files tell.
  targets::Purpose purpose_of(const std::string& file) const;
  // Whether a kustomization takes a file as an object.
  bool takes(const std::string& file) const { return resources_.contains(file); }
  // Whether a file lies in a folder of tests: what they start has no users.
  bool is_of_tests(const std::string& file) const { return of_tests_.contains(file); }
  // Whether a file was found below a folder; else it was named itself.
  bool was_found(const std::string& file) const { return found_.contains(file); }
  // Whether the finding about an incomplete file belongs to this one.
  bool is_first(const std::string& file) const;
  // Whether a kustomization that takes the file gives the image another tag or name.
  bool replaces_image(const std::string& file, std::string_view image) const;

 private:
  std::map<std::string, targets::kubernetes::Kustomization> by_folder_;
  std::map<std::string, std::string> patched_by_;        // file: the folder that lists it
  std::set<std::string> resources_;                      // files that some kustomization takes
  std::map<std::string, std::set<std::string>> images_;  // file: names that are replaced in it
  std::map<std::string, std::string> charts_;            // folder: first file

  struct Aside {
    targets::PurposeKind kind = targets::PurposeKind::complete;
    std::string folder;
  };
  std::map<std::string, Aside> aside_;           // file: the folder that says it
  std::map<std::string, std::string> first_of_;  // such a folder: the first of its files that is judged
  std::set<std::string> of_tests_;
  std::set<std::string> found_;
  std::set<std::string> merged_;
  std::map<std::string, std::string> apart_;  // file: why
};

}  // namespace muster::lint
