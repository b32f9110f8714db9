// Files put into a folder, all of them or none.
#pragma once

#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "driver/descriptor.h"
#include "driver/held_signals.h"
#include "driver/pending_list.h"

namespace muster::driver {

// New files are written into a private folder within the folder, `.muster-XXXXXX`, and renamed once all are on disk.
// Nothing is removed that this object did not make, or that the list of a killed run does not prove to be muster's.
//
// Several files at once are a set. Its list, `.muster-pending`, is locked from before the first file is written until
// the last one is renamed, so processes that write one folder take turns. A process that is killed leaves the old
// files, or a list of those that are missing; `open` of a later run finishes the list and reports it. Where the file
// system has no locks, the list works, but processes are not kept apart.
class OutputFolder {
 public:
  // `path` is a folder that is there. Borrows all but the path.
  OutputFolder(std::string path, const HeldSignals& signals, Diagnostics& diagnostics)
      : path_(std::move(path)), signals_(signals), diagnostics_(diagnostics) {}
  // Removes what was not committed.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // Each of these: false: reported. `count` is the number of files to come.
  bool open(std::size_t count);
  // An empty new file, to be `name` of the folder; not open: reported.
  Descriptor create(const std::string& name);
  // After the last file: puts them and the list on disk.
  bool prepare();
  // Renames the files. If that fails, the list stays and says which are missing.
  bool commit();

 private:
  bool lock_list();
  bool lock_list_if_there();
  bool try_lock(bool& locked);
  bool finish_list();
  bool finish_files(const PendingList& list, const Descriptor& staging);
  bool make_staging();
  bool sync_files();
  void remove_list();
  bool failed(const std::string& name, int error);
  bool failed(const std::string& name, const std::string& why);

  std::string path_;
  const HeldSignals& signals_;
  Diagnostics& diagnostics_;
  Descriptor folder_, list_, staging_;
  std::string staging_name_;
  std::vector<std::string> names_;
  bool keep_list_ = false;
};

}  // namespace muster::driver
