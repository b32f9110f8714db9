#include "targets/site_import/gpu_names.h"

#include <algorithm>
#include <vector>

#include "compiler/base/text.h"

namespace muster::targets {
namespace {

// Models by the word that names them. Memory in GB where every card of that name has the same, as the
// vendors' data sheets give it.
struct KnownGpu {
  std::string_view word;
  std::int64_t gigabytes;
  std::string_view vendor = "nvidia";
};
constexpr KnownGpu known_gpus[] = {
    {"gb300", 0},
    {"gb200", 0},
    {"b300", 0},
    {"b200", 0},
    {"gh200", 0},
    {"h200", 141},
    {"h100", 0},
    {"h800", 80},
    {"h20", 0},
    {"a100", 0},
    {"a800", 0},
    {"a40", 48},
    {"a30", 24},
    {"a16", 0},
    {"a10", 24},
    {"a10g", 24},
    {"a2", 16},
    {"l40", 48},
    {"l40s", 48},
    {"l20", 48},
    {"l4", 24},
    {"t4", 16},
    {"v100", 0},
    {"p100", 0},
    {"p40", 24},
    {"p4", 8},
    {"k80", 0},
    {"a4000", 16},
    {"a5000", 24},
    {"a6000", 48},
    {"rtx3090", 24},
    {"rtx4090", 24},
    {"rtx5090", 32},
    {"rtx2080ti", 11},
    {"gtx1080ti", 11},
    {"rtx6000", 0},
    {"rtx8000", 48},
    {"rtx6000ada", 48},
    {"mi50", 0, "amd"},
    {"mi100", 32, "amd"},
    {"mi210", 64, "amd"},
    {"mi250", 128, "amd"},
    {"mi250x", 128, "amd"},
    {"mi300a", 128, "amd"},
    {"mi300x", 192, "amd"},
    {"mi325x", 256, "amd"},
    {"mi355x", 288, "amd"},
    {"max1100", 48, "intel"},
    {"max1550", 128, "intel"},
};

const KnownGpu* find_known(std::string_view word) {
  for (const KnownGpu& gpu : known_gpus)
    if (gpu.word == word) return &gpu;
  return nullptr;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == '-' || c == '_' || c == ' ' || c == '/') out.emplace_back();
    else out.back() += c;
  }
  out.erase(std::remove(out.begin(), out.end(), std::string()), out.end());
  return out;
}

// 80 of "80gb"; 0 of other words.
std::int64_t gigabytes_of(const std::string& word) {
  if (word.size() < 3 || word.size() > 5 || !word.ends_with("gb")) return 0;
  std::int64_t n = 0;
  for (const char c : word.substr(0, word.size() - 2)) {
    if (c < '0' || c > '9') return 0;
    n = n * 10 + (c - '0');
  }
  return n;
}

// A slice is named by its profile: "1g.10gb", "3g.20gb+me".
bool is_slice(const std::string& word) { return word.find("g.") != std::string::npos; }

// "rtx 4090", "rtx 2080 ti" and "rtx 6000 ada" as one word.
const KnownGpu* find_in_parts(const std::vector<std::string>& words) {
  const KnownGpu* found = nullptr;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (const KnownGpu* two = find_known(words[i] + words[i + 1])) found = two;
    if (i + 2 < words.size())
      if (const KnownGpu* three = find_known(words[i] + words[i + 1] + words[i + 2])) return three;
  }
  return found;
}

}  // namespace

GpuName gpu_name(std::string_view text) {
  GpuName out;
  out.model = muster::lower(text);
  const std::vector<std::string> words = words_of(out.model);
  if (std::any_of(words.begin(), words.end(), is_slice)) return out;
  const KnownGpu* gpu = find_in_parts(words);
  for (auto word = words.begin(); word != words.end() && gpu == nullptr; ++word) gpu = find_known(*word);
  if (gpu == nullptr) return out;
  out.model = gpu->word;
  out.vendor = gpu->vendor;
  out.known = true;
  out.memory = {gpu->gigabytes * 1'000'000'000};
  const bool superchip = gpu->word == "gh200" || gpu->word == "gb200";  // their size is the processor's
  for (const std::string& word : words) {
    if (word == "pcie") out.link = "pcie";
    if (const std::int64_t n = gigabytes_of(word); n > 0 && !superchip) out.memory = {n * 1'000'000'000};
  }
  return out;
}

std::optional<SliceName> slice_name(std::string_view type) {
  const std::size_t dot = type.find("g.");
  if (dot == std::string_view::npos || dot == 0 || type[dot - 1] < '1' || type[dot - 1] > '7') return std::nullopt;
  const std::size_t memory = dot + 2, end = type.find("gb", memory);
  if (end == std::string_view::npos || end == memory) return std::nullopt;
  const std::string_view digits = type.substr(memory, end - memory), behind = type.substr(end + 2);
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  if (!behind.empty() && behind.front() != '+' && behind.front() != '.') return std::nullopt;
  if (dot > 1 && type[dot - 2] != '_' && type[dot - 2] != '-') return std::nullopt;
  return SliceName{std::string(type.substr(dot - 1)), std::string(type.substr(0, dot - 1)), type[dot - 1] - '0'};
}

}  // namespace muster::targets
