// Output is written whole or not at all; the one place where muster writes files (`output_folder.h` says how). A signal
// that ends the process is held until the temporary files are removed or all are renamed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/diagnostic.h"

namespace muster::driver {

struct OutputFile {
  std::string name;  // of a file in the folder
  std::string content;
};

// Takes a text piece by piece; gives one so.
using Write = std::function<void(std::string_view)>;
using Content = std::function<void(const Write&)>;

// Writes all files into `folder` (made if it is not there) as a set. If anything fails, what was there is untouched and
// the reason is reported. A link of such a name is replaced, not followed; a pipe or a device is refused. Where a run
// was killed while it wrote into the folder, that is finished first and reported.
bool write_files(const std::string& folder, const std::vector<OutputFile>& files, Diagnostics& diagnostics);

// The same of one file, whose text is never held as a whole. Written into, not replaced: terminals, /dev/null,
// /dev/stdout and the like, and the pipes that a shell opens below /dev/fd.
bool write_file(const std::string& folder, const std::string& name, const Content& content, Diagnostics& diagnostics);

// Writes files that are there anew, in the same way, those of one folder as a set; `name` is the whole path. Mode bits
// and symbolic links stay. Only regular files that may be written are.
bool replace_files(const std::vector<OutputFile>& files, Diagnostics& diagnostics);

}  // namespace muster::driver
