// The bytes of one file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace muster::driver {

// "it is a named pipe (FIFO)": why what is neither a file nor a folder is not read.
std::string not_a_file(std::filesystem::file_type type);

// At most `limit` + 1 bytes, with in_utf8; "-" is standard input. nullopt: `why` has the system's reason. Nothing
// is waited for but standard input and what the shell gives for `<(command)`.
std::optional<std::string> read_file(const std::string& file, std::size_t limit, std::string& why);

}  // namespace muster::driver
