// Reads the pages of the lint rules: muster_lint_tool OUT PAGE…           writes OUT/rule_ids.inc and OUT/rule_table.cc
//                                    muster_lint_tool --cases OUT PAGE…   writes each test case as a file
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lint/tool/write.h"

namespace {

using namespace muster::lint::tool;

// Leaves a file alone that has this text already, so that nothing is compiled anew for it.
bool write(const std::string& path, const std::string& text) {
  std::ifstream before(path, std::ios::binary);
  if (before && std::string(std::istreambuf_iterator<char>(before), {}) == text) return true;
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (out.flush()) return true;
  std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
  return false;
}

bool read(const std::string& path, std::vector<Page>& pages) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::fprintf(stderr, "%s: cannot be read\n", path.c_str()), false;
  std::variant<Page, Fault> page = read_page(path, std::string(std::istreambuf_iterator<char>(in), {}));
  if (const auto* fault = std::get_if<Fault>(&page))
    return std::fprintf(stderr, "%s:%zu: error: %s\n", path.c_str(), fault->line, fault->message.c_str()), false;
  pages.push_back(std::get<Page>(std::move(page)));
  return true;
}

bool write_cases(const std::string& folder, const std::vector<Page>& pages) {
  for (const Page& page : pages)
    for (const Case& test : page.cases)
      if (!write(folder + "/" + file_name(page, test), test.text)) return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const bool cases = argc > 1 && std::string(argv[1]) == "--cases";
  const int first = cases ? 3 : 2;
  if (argc <= first) {
    std::fprintf(stderr, "usage: muster_lint_tool [--cases] OUT PAGE...\n");
    return 2;
  }
  const std::string out = argv[first - 1];
  std::vector<Page> pages;
  bool good = true;
  for (int i = first; i < argc; ++i) good = read(argv[i], pages) && good;
  if (!good) return 1;
  if (const std::string wrong = arrange(pages); !wrong.empty()) return std::fprintf(stderr, "%s\n", wrong.c_str()), 1;
  if (cases) return write_cases(out, pages) ? 0 : 2;
  return write(out + "/rule_table.cc", write_table(pages)) && write(out + "/rule_ids.inc", write_ids(pages)) ? 0 : 2;
}
