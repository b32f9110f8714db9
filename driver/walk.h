// Finds what lies below folders. What discover() does for one of them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "driver/discover.h"
#include "driver/files.h"

namespace muster::driver {

// Whether a whole path is a folder or lies in it.
bool is_below(const std::string& path, const std::string& folder);

class Walk {
 public:
  Walk(const std::vector<std::string>& arguments, const Files& files, std::vector<FoundFile>& out,
       Diagnostics& diagnostics, Beside* beside);

  // A folder that was given, and all below it.
  void run(const std::filesystem::path& folder);
  // As reports and baselines spell it: below the present folder wherever it is.
  std::string shown(const std::filesystem::path& path) const;

 private:
  struct Folder {
    std::filesystem::path path;
    std::string shown;  // with a slash at its end
    std::size_t depth = 0;
    bool hidden = false;
  };

  void enter(const Folder& folder);
  void take(const Folder& folder, const Entry& entry);
  void enter_or_say(Folder folder);
  void follow(const Folder& folder, const Entry& entry, std::string name);
  void leave_out(std::string path, std::string why);
  std::set<std::string> missing_submodules(const std::filesystem::path& folder) const;

  const Files& files_;
  std::filesystem::path here_;
  std::vector<std::string> given_, roots_;  // whole paths without links
  std::vector<FoundFile>& out_;
  Diagnostics& diagnostics_;
  Beside* beside_;
  std::size_t given_size_ = 0;
  std::set<std::string> followed_;    // folders that links led to
  std::set<std::string> submodules_;  // as shown, that are not checked out
};

}  // namespace muster::driver
