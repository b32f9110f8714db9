// The list of files that a run is about to rename into a folder. It is there while they are renamed, so that the next
// run can finish what a killed one began.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::driver {

// A list in a folder has this name.
constexpr const char* pending_name = ".muster-pending";

struct PendingList {
  std::string staging;             // the folder beside the list that holds the new files; "": none was made yet
  std::uint64_t inode = 0;         // of that folder: a copy of it, such as a committed one, has another
  std::vector<std::string> names;  // file number i of that folder is to be names[i]
  bool complete = false;           // else nothing was renamed yet
};

// Its text, in two parts: the first is written before there is any new file, the second once all are on disk.
std::string pending_head(const std::string& staging, std::uint64_t inode);
std::string pending_names(const std::vector<std::string>& names);

// Reads a list that may have been cut off anywhere. nullopt: muster did not write it (other text, or a name that leads
// out of the folder).
std::optional<PendingList> read_pending(std::string_view text);

}  // namespace muster::driver
