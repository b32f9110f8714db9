#include "lint/heuristics.h"

#include <algorithm>
#include <string>

#include "compiler/base/text.h"

namespace muster::lint {

bool has_rdma(const model::Pool& pool) {
  return !pool.fabric.empty() && pool.fabric != "none" && pool.fabric != "ethernet";
}

bool forces_tcp(std::string_view variable, std::string_view value) {
  if (variable == "NCCL_IB_DISABLE") return value == "1";
  return variable == "NCCL_NET" && equal_ignoring_case(value, "socket");
}

bool selects_efa(std::string_view variable, std::string_view value) {
  return variable.starts_with("FI_EFA_") || (variable == "FI_PROVIDER" && equal_ignoring_case(value, "efa"));
}

bool is_local_interface(std::string_view variable, std::string_view value) {
  if ((variable != "NCCL_SOCKET_IFNAME" && variable != "GLOO_SOCKET_IFNAME") || value.empty()) return false;
  if (value.starts_with('=')) value.remove_prefix(1);
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view name = value.substr(0, comma);
    if (name != "lo" && name != "docker0") return false;
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return true;
}

std::string_view debugging_effect(std::string_view variable, std::string_view value) {
  if (variable == debugging_variables[0] && value == "1") return "makes the program wait for each kernel";
  if (variable == debugging_variables[1] && equal_ignoring_case(value, "DETAIL"))
    return "makes all ranks compare every collective operation";
  return {};
}

bool is_checkpoint_option(std::string_view option) {
  if (!option.starts_with("--")) return false;
  const std::string name = dashed(lower(option.substr(2)));
  static constexpr std::array<std::string_view, 10> names = {
      "save",     "save-dir",  "checkpoint", "checkpoint-dir", "checkpoint-path", "checkpoint-folder",
      "ckpt-dir", "ckpt-path", "save-path",  "checkpoints-dir"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_node_local(std::string_view path) {
  static constexpr std::array<std::string_view, 8> folders = {
      "/tmp", "/var/tmp", "/dev/shm", "/local", "$TMPDIR", "$SLURM_TMPDIR", "${SLURM_TMPDIR}", "${TMPDIR}"};
  return std::any_of(folders.begin(), folders.end(), [&](std::string_view folder) {
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
  });
}

namespace {

// The architecture that a word of an image's name is: "22.04-arm64" has the words "22.04" and "arm64".
std::string_view arch_of_word(std::string_view word) {
  if (word == "amd64" || word == "x86_64") return "amd64";
  return word == "arm64" || word == "aarch64" || word == "arm64v8" ? "arm64" : "";
}

// That of the last word; of any word with `all`. "" where there is none, or several that differ.
std::string_view arch_in(std::string_view text, bool all) {
  std::string_view found;
  while (!text.empty()) {
    const std::size_t dash = text.rfind('-');
    const std::string_view arch = arch_of_word(text.substr(dash + 1));
    if (!arch.empty() && !found.empty() && arch != found) return "";
    if (!arch.empty()) found = arch;
    if (!all || dash == std::string_view::npos) break;
    text = text.substr(0, dash);
  }
  return found;
}

}  // namespace

std::string_view arch_of_image(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const std::size_t slash = image.rfind('/');
  std::string_view folder = slash == std::string_view::npos ? std::string_view() : image.substr(0, slash);
  const std::string_view name = image.substr(slash + 1);
  const std::size_t colon = name.find(':');
  if (colon != std::string_view::npos)
    if (const auto arch = arch_in(name.substr(colon + 1), true); !arch.empty()) return arch;
  if (const auto arch = arch_in(name.substr(0, colon), false); !arch.empty()) return arch;
  return arch_of_word(folder.substr(folder.rfind('/') + 1));
}

bool has_version_in_name(std::string_view image) {
  const std::string_view last = image.substr(image.find_last_of('/') + 1);
  const std::string_view name = last.substr(0, last.find_first_of(":@"));
  for (std::size_t i = 1; i + 1 < name.size(); ++i)
    if ((name[i] == '.' || name[i] == '-') && is_digit(name[i - 1]) && is_digit(name[i + 1])) return true;
  return false;
}

Pin pin_of(std::string_view image) {
  const std::string_view last = image.substr(image.find_last_of('/') + 1);
  const bool file =
      image.starts_with('/') || image.starts_with('.') || image.ends_with(".sqsh") || image.ends_with(".sif");
  if (file || last.find('@') != std::string_view::npos) return Pin::pinned;
  const std::size_t colon = last.find(':');
  if (colon == std::string_view::npos) return Pin::no_tag;
  return last.substr(colon + 1) == "latest" ? Pin::latest : Pin::tagged;
}

}  // namespace muster::lint
