// Runs a fuzz target over mutations of the files of a folder, for compilers without libFuzzer:
//   mutate SEED COUNT CURRENT CORPUS [POOL…]
// CURRENT is a file that holds the input that is being tried: what it is after a crash made it. An input that takes
// over a minute of processor time counts as one. Words are taken from the files below POOL too.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/time.h>

#include "tests/fuzz/mutator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<std::string> texts_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.file_size() < 64 * 1024) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> out;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return out;
}

// A side as the target takes it, of an input without a second one; else as it is.
std::string with_sides(const std::string& before, const std::string& after) {
  return before.find("\n%%%\n") == std::string::npos ? before + "\n%%%\n" + after : after;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return std::fprintf(stderr, "usage: mutate SEED COUNT CURRENT CORPUS [POOL…]\n"), 2;
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
  const std::vector<std::string> corpus = texts_below(argv[4]);
  std::vector<std::string> pool = corpus;
  for (int i = 5; i < argc; ++i)
    for (std::string& text : texts_below(argv[i])) pool.push_back(std::move(text));
  if (corpus.empty()) return std::fprintf(stderr, "%s is empty\n", argv[4]), 2;
  const fs::path current = fs::absolute(argv[3]);
  const itimerval minute{{0, 0}, {60, 0}};
  muster::fuzz::Mutator mutator(seed, std::move(pool));
  for (std::uint64_t n = 0; n < count; ++n) {
    const std::string& whole = corpus[n % corpus.size()];
    const std::string input = with_sides(whole, mutator.mutated(whole));
    std::ofstream(current, std::ios::binary) << input;
    setitimer(ITIMER_VIRTUAL, &minute, nullptr);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  }
  std::error_code ignored;
  fs::remove(current, ignored);
  std::printf("%llu inputs\n", static_cast<unsigned long long>(count));
  return 0;
}
