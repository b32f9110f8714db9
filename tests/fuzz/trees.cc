// Bytes as the two trees of a review, as users have them: each is linted and mended, and the two are reviewed, all
// through the command line. A line `%%%` is between the trees, a line `# ==> NAME <==` in front of each file; a file
// `site.muster` is the site that is judged for, a folder `policy` the platform team's. Any crash or hang is a fault,
// and so is exit code 3, a report that is no text or no JSON, a fix that never ends, a finding that its own baseline
// does not know, a difference of a tree from itself, or one that is not there in the other direction.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "cli/command.h"
#include "compiler/base/text.h"
#include "tests/temp_folder.h"

using namespace muster;

namespace {

namespace fs = std::filesystem;
using TokenList = std::vector<std::string>;

constexpr std::string_view lint_formats[] = {"text",   "json",   "sarif",      "junit",
                                             "github", "gitlab", "checkstyle", "markdown"};
constexpr std::string_view review_formats[] = {"text", "json", "markdown", "html"};

void hold(bool good, const std::string& what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Standard output and errors go to files for the time of its life.
class Redirected {
 public:
  explicit Redirected(const fs::path& folder)
      : out_(redirect(stdout, folder / "out")), errors_(redirect(stderr, folder / "err")) {}
  ~Redirected() {
    restore(stdout, out_);
    restore(stderr, errors_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  static int redirect(std::FILE* stream, const fs::path& to) {
    std::fflush(stream);
    const int kept = dup(fileno(stream));
    std::FILE* file = std::fopen(to.c_str(), "wb");
    if (kept < 0 || file == nullptr || dup2(fileno(file), fileno(stream)) < 0) std::abort();
    std::fclose(file);
    return kept;
  }
  static void restore(std::FILE* stream, int kept) {
    std::fflush(stream);
    dup2(kept, fileno(stream));
    close(kept);
  }

  int out_, errors_;
};

int muster_run(TokenList words) {
  words.insert(words.begin(), "muster");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  const int code = cli::run(static_cast<int>(arguments.size()), arguments.data());
  hold(code >= 0 && code <= 2, "exit code " + std::to_string(code) + " of " + words[1]);
  return code;
}

// What reads reports: text in UTF-8 without signs that do something to a terminal, and JSON where it is to be.
void hold_report(const fs::path& file, std::string_view format) {
  const std::string text = content(file);
  hold(!first_invalid_utf8(text), file.string() + " is no UTF-8");
  for (const char c : text)
    hold(static_cast<unsigned char>(c) >= 0x20 ? c != 0x7F : c == '\n' || c == '\t',
         file.string() + " has a control sign");
  if (format == "json" || format == "sarif" || format == "gitlab")
    hold(text.empty() || nlohmann::json::accept(text), file.string() + " is no JSON");
}

bool plain_name(std::string_view name) {
  const bool words = !name.empty() && name.size() < 60 &&
                     name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_./") == name.npos;
  return words && name.front() != '/' && name.back() != '/' && name.find("..") == name.npos &&
         name.find("//") == name.npos && name.find("/.") == name.npos && name.front() != '.';
}

// A tree of files from a text; what stands in front of the first name is `main.muster`.
void write_tree(const fs::path& folder, std::string_view text) {
  fs::create_directories(folder);
  std::string name = "main.muster", body;
  const auto write = [&] {
    std::error_code error;
    const fs::path path = folder / (plain_name(name) ? name : "other.muster");
    fs::create_directories(path.parent_path(), error);
    if (!body.empty() && !fs::is_directory(path, error)) std::ofstream(path, std::ios::binary) << body;
    body.clear();
  };
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line.size());
    if (line.starts_with("# ==> ") && line.ends_with(" <==\n")) write(), name = line.substr(6, line.size() - 11);
    else body += line;
  }
  write();
}

// `-o FORMAT=FILE` of each format.
template <class Formats>
void add_reports(const Formats& formats, const fs::path& folder, TokenList& words) {
  for (const std::string_view format : formats)
    words.insert(words.end(), {"-o", std::string(format) + "=" + (folder / format).string()});
}

template <class Formats>
void hold_reports(const Formats& formats, const fs::path& folder) {
  for (const std::string_view format : formats) hold_report(folder / format, format);
  for (const std::string_view format : formats) fs::remove(folder / format);
}

std::vector<std::string> texts_of(const fs::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) out.push_back(entry.path().string() + "\n" + content(entry.path()));
  return out;
}

// In the folder of the tree, since file names mean what they mean there.
void lint_tree(const fs::path& tree, const fs::path& other, const fs::path& reports, std::size_t variant) {
  fs::current_path(tree);
  TokenList words = {"lint", ".", "--profile", "strict", "--as-of", "2026-11-21", "--fail-level", "info"};
  if (fs::exists("site.muster")) words.insert(words.end(), {"--site", "site.muster"});
  if (fs::is_directory("policy")) words.insert(words.end(), {"--policy", "policy"});
  TokenList reported = words, known = words, fixed = words;
  if (variant % 2 == 1) reported.insert(reported.end(), {"--changed-only", other.string()});
  add_reports(lint_formats, reports, reported);
  const int code = muster_run(reported);
  if (fs::exists(reports / "json")) hold_reports(lint_formats, reports);
  known.insert(known.end(), {"--baseline", (reports / "baseline").string()});
  words = known;
  words.push_back("--update-baseline");
  if (code < 2 && muster_run(words) == 0) hold(muster_run(known) == 0, "the baseline does not know its own findings");
  fixed.push_back(variant % 4 < 2 ? "--fix" : "--unsafe-fixes");
  muster_run(fixed);
  const auto once = texts_of(tree);
  muster_run(fixed);
  hold(once == texts_of(tree), "a fix is not the last one");
}

nlohmann::json review_trees(const std::string& base, const std::string& head, const fs::path& reports) {
  TokenList words = {"review", base, head, "--as-of", "2026-11-21"};
  for (const std::string& side : {base, head}) {
    if (fs::is_directory(side + "/policy") && words.size() == 5)
      words.insert(words.end(), {"--policy", side + "/policy"});
  }
  add_reports(review_formats, reports, words);
  muster_run(words);
  nlohmann::json out;
  if (!fs::exists(reports / "json")) return out;
  out = nlohmann::json::parse(content(reports / "json"), nullptr, false);
  hold_reports(review_formats, reports);
  return out;
}

void review_both_ways(const fs::path& folder, const fs::path& reports) {
  fs::current_path(folder);
  const nlohmann::json there = review_trees("base", "head", reports), back = review_trees("head", "base", reports);
  const nlohmann::json same = review_trees("head", "head", reports);
  if (!same.is_null()) hold(same.at("workloads").empty(), "a tree differs from itself");
  if (there.is_null() || back.is_null()) return;
  const auto counts = [](const nlohmann::json& review, const char* key) {
    return review.at("summary").at(key).get<std::size_t>();
  };
  hold(counts(there, "added") == counts(back, "removed") && counts(there, "removed") == counts(back, "added") &&
           counts(there, "unchanged") == counts(back, "unchanged"),
       "the review is another one in the other direction");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find("\n%%%\n");
  const std::string before = text.substr(0, cut), after = cut == std::string::npos ? before : text.substr(cut + 5);
  const tests::TempFolder folder;
  const fs::path here = fs::current_path(), reports = folder.path() / "reports";
  fs::create_directories(reports);
  write_tree(folder.path() / "base", before);
  write_tree(folder.path() / "head", after);
  {
    const Redirected quiet(folder.path());
    review_both_ways(folder.path(), reports);
    lint_tree(folder.path() / "head", folder.path() / "base", reports, size);
  }
  hold_report(folder.path() / "err", "text");
  fs::current_path(here);
  return 0;
}
