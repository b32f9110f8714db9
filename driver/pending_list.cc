#include "driver/pending_list.h"

#include <charconv>

namespace muster::driver {
namespace {

// Each record ends so: names may hold line ends, but no NUL byte.
constexpr std::string_view record_end{"\0\n", 2};
constexpr std::string_view list_title = "muster pending 1", folder_word = "folder ", file_word = "file ",
                           end_word = "end ";
constexpr std::string_view staging_prefix = ".muster-";

std::string record(std::string_view word, std::string_view text) {
  return std::string(word).append(text).append(record_end);
}

// A file of the folder itself that is not one of ours.
bool is_target_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos && name != pending_name;
}

bool is_staging_name(std::string_view name) {
  return name.starts_with(staging_prefix) && name != pending_name && name.find('/') == name.npos;
}

bool read_number(std::string_view text, std::uint64_t& out) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

// "folder INODE NAME". False: it is not one.
bool read_folder(std::string_view text, PendingList& out) {
  if (!text.starts_with(folder_word)) return false;
  text.remove_prefix(folder_word.size());
  const std::size_t space = text.find(' ');
  if (space == text.npos || !is_staging_name(text.substr(space + 1))) return false;
  out.staging = text.substr(space + 1);
  return read_number(text.substr(0, space), out.inode);
}

// A name or the end. False: it is neither.
bool read_item(std::string_view text, PendingList& out) {
  std::uint64_t count = 0;
  if (text.starts_with(file_word) && is_target_name(text.substr(file_word.size()))) {
    out.names.emplace_back(text.substr(file_word.size()));
    return !out.complete;
  }
  out.complete = text.starts_with(end_word) && read_number(text.substr(end_word.size()), count);
  return out.complete && count == out.names.size();
}

}  // namespace

std::string pending_head(const std::string& staging, std::uint64_t inode) {
  return record(list_title, "") + record(folder_word, std::to_string(inode) + " " + staging);
}

std::string pending_names(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += record(file_word, name);
  return out + record(end_word, std::to_string(names.size()));
}

std::optional<PendingList> read_pending(std::string_view text) {
  PendingList out;
  for (std::size_t number = 0; !text.empty(); ++number) {
    const std::size_t end = text.find(record_end);
    const std::string_view item = text.substr(0, end);
    if (end == text.npos && number == 0 && !list_title.starts_with(item.substr(0, item.find('\0'))))
      return std::nullopt;
    if (end == text.npos) break;  // cut off
    const bool good = number == 0 ? item == list_title : number == 1 ? read_folder(item, out) : read_item(item, out);
    if (!good) return std::nullopt;
    text.remove_prefix(end + record_end.size());
  }
  return out;
}

}  // namespace muster::driver
