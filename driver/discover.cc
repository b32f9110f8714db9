#include "driver/discover.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "compiler/base/text.h"
#include "driver/endings.h"
#include "driver/walk.h"
#include "lint/check.h"
#include "targets/kubernetes/read/kustomization.h"
#include "targets/kubernetes/read/recognize.h"
#include "targets/slurm/read/script.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;
namespace k8s = targets::kubernetes;

// `#SBATCH` where sbatch looks for it: above the first line that is neither blank nor a comment.
bool directs_above_commands(std::string_view text, std::string_view mark = "#SBATCH") {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with(mark)) return true;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return false;
  }
  return false;
}

// Folder by folder: `/` is before every other character.
int compare_paths(std::string_view a, std::string_view b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (in_a == a.end() || in_b == b.end()) return (in_a != a.end()) - (in_b != b.end());
  if (*in_a == '/' || *in_b == '/') return *in_a == '/' ? -1 : 1;
  return static_cast<unsigned char>(*in_a) < static_cast<unsigned char>(*in_b) ? -1 : 1;
}

bool is_of_a_shell(const std::string& path, std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  if (first.starts_with("#!"))
    return first.find("sh ") != first.npos || first.ends_with("sh") || first.ends_with("sh\r");
  const Starts starts = starts_by_ending(path);
  return starts == Starts::slurm || starts == Starts::job || starts == Starts::shell;
}

bool is_for_manifests(const FoundFile& file) { return file.resource || starts_by_ending(file.path) == Starts::objects; }

bool is_kustomization(const std::string& path) {
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  const auto& names = k8s::kustomization_names;
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

constexpr std::string_view lfs_pointer = "version https://git-lfs.github.com/spec/";

// A script for sbatch without a directive that sbatch obeys, though it is meant to have one or is called like one.
bool is_script_without_directives(const FoundFile& file, std::string_view text) {
  if (!text.starts_with("#!")) return false;  // sbatch refuses it
  return starts_by_ending(file.path) == Starts::slurm ||
         (is_of_a_shell(file.path, text) && targets::slurm::is_nearly_batch_script(text));
}

lint::Account account_of_documents(const FoundFile& file, std::string_view text) {
  const k8s::Held held = k8s::what_is_in(text);
  switch (held.holds) {
    case k8s::Holds::templates: return {file.path, lint::Fate::templated, "it must be rendered before it is YAML"};
    case k8s::Holds::faults: return {file.path, lint::Fate::not_read, "it cannot be parsed: " + held.why};
    default: return {file.path, is_kustomization(file.path) ? lint::Fate::list : lint::Fate::data};
  }
}

}  // namespace

std::vector<FoundFile> discover(const std::vector<std::string>& arguments, const Files& files, Diagnostics& diagnostics,
                                Beside* beside) {
  std::vector<FoundFile> out;
  Walk walk(arguments, files, out, diagnostics, beside);
  for (const std::string& argument : arguments) {
    if (argument != "-" && files.is_folder(argument)) walk.run(argument);
    else out.push_back({argument == "-" ? argument : walk.shown(argument), true});
  }
  if (arguments.size() < 2 && beside == nullptr) return out;  // it is sorted
  // A file given twice is read once, as a named one if it is named.
  const auto before = [](const FoundFile& a, const FoundFile& b) {
    const int by_path = compare_paths(a.path, b.path);
    return by_path < 0 || (by_path == 0 && a.named && !b.named);
  };
  if (!std::is_sorted(out.begin(), out.end(), before)) std::stable_sort(out.begin(), out.end(), before);
  const auto same = [](const FoundFile& a, const FoundFile& b) { return a.path == b.path; };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

std::vector<std::string> roots_of(const std::vector<std::string>& arguments, const Files& files) {
  const std::string here = files.real(files.here()).string();
  std::set<std::string> out;
  for (const std::string& path : arguments) {
    if (path == "-") continue;
    const fs::path real = files.real(path);
    out.insert(is_below(real.string(), here) ? here
               : files.is_folder(path)       ? real.string()
                                             : real.parent_path().string());
  }
  return {out.begin(), out.end()};
}

std::optional<lint::Input> kind_of(const FoundFile& file, std::string_view text) {
  const auto kind = lint::kind_of(text, is_for_manifests(file));
  if (!kind || file.named) return kind;
  const bool looks = kind == lint::Input::manifest ? is_for_manifests(file)
                                                   : directs_above_commands(text) || is_of_a_shell(file.path, text);
  return looks ? kind : std::nullopt;
}

std::optional<targets::batch::System> other_system(const FoundFile& file, std::string_view text) {
  using targets::batch::System;
  const auto system = targets::batch::system_of(text);
  if (!system || *system == System::slurm || file.named) return system == System::slurm ? std::nullopt : system;
  if (!targets::batch::is_read(*system)) return std::nullopt;
  const bool looks = directs_above_commands(text, *system == System::pbs ? "#PBS" : "#BSUB") ||
                     is_of_a_shell(file.path, text) || starts_by_ending(file.path) == Starts::other;
  return looks ? system : std::nullopt;
}

namespace {
lint::Account account_of_unread(const FoundFile& file, targets::batch::System system) {
  return {file.path, lint::Fate::not_read,
          "scripts for " + std::string(targets::batch::title(system)) + " are not read"};
}
}  // namespace

Recognized recognize(const FoundFile& file, std::string_view text) {
  if (const auto kind = kind_of(file, text)) return {kind};
  const auto other = other_system(file, text);
  if (other && targets::batch::is_read(*other)) return {lint::Input::script};
  if (other && text.starts_with("#!"))  // its text is judged, its directives are not
    return {lint::Input::script, account_of_unread(file, *other)};
  if (is_script_without_directives(file, text) || (file.named && text.starts_with("#!"))) return {lint::Input::script};
  if (!is_for_a_cluster(file.path) && !file.resource && !is_kustomization(file.path)) return {};
  if (text.starts_with(lfs_pointer))
    return {{}, lint::Account{file.path, lint::Fate::not_read, "it is a Git LFS pointer; run `git lfs pull`"}};
  if (is_for_manifests(file) || is_kustomization(file.path)) return {{}, account_of_documents(file, text)};
  const auto system = targets::batch::system_of(text);
  if (system && !targets::batch::is_read(*system)) return {{}, account_of_unread(file, *system)};
  return {{}, lint::Account{file.path, lint::Fate::data}};
}

lint::Account account_of_large(const FoundFile& file, const Files& files) {
  constexpr std::size_t most = std::size_t{64} << 20;
  std::string why;
  const auto text = is_for_manifests(file) ? files.read(file.path, most, why) : std::nullopt;
  if (text && text->size() <= most && !k8s::may_have_objects(*text)) return {file.path, lint::Fate::data};
  return {file.path, lint::Fate::not_read, "it is larger than 4 MiB"};
}

}  // namespace muster::driver
