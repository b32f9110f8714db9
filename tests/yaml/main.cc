// What muster's reader makes of YAML, for the judge `yaml`: from standard input files, each behind a line with its
// length in bytes; to standard output a line for each document, `= JSON` or `! CODE MESSAGE`, and `.` behind each file.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <string>

#include "compiler/data/read.h"
#include "compiler/data/write.h"

namespace {

using namespace muster;

std::string line_of(const Diagnostics& diagnostics) {
  const Diagnostic first = diagnostics.sorted()[0];
  std::string message = first.message;
  std::replace(message.begin(), message.end(), '\n', ' ');
  return "! " + std::string(info(first.code).id) + " " + message + "\n";
}

std::string line_of(const data::Document& document) {
  if (document.diagnostics.has_errors()) return line_of(document.diagnostics);
  std::string json = data::to_json(document.root);  // a line end within a text is escaped
  json.erase(std::remove(json.begin(), json.end(), '\n'), json.end());
  return "= " + json + "\n";
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string length; std::getline(std::cin, length);) {
    std::string text(std::stoul(length), '\0');
    std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
    Sources sources;
    const std::uint32_t file = sources.add("file", std::move(text));
    const data::Documents read = data::read_yaml(sources, file);
    if (read.diagnostics.has_errors()) std::cout << line_of(read.diagnostics);
    for (const data::Document& document : read.documents) std::cout << line_of(document);
    std::cout << ".\n";
  }
  return 0;
}
