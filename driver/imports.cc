#include "driver/imports.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>

#include "compiler/base/text.h"
#include "compiler/twin/twin.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// `.git/config`, `.netrc`, `.env`: what holds a login is hidden by custom.
bool has_hidden(const fs::path& relative) {
  return std::any_of(relative.begin(), relative.end(), [](const fs::path& part) {
    return part.native().starts_with('.') && part != "." && part != "..";
  });
}

bool is_muster_file(std::string_view name) {
  return name.ends_with(".muster") || twin::form_of(name, "") != twin::Form::muster;
}

// The whole disk and a home folder hold what is not this project's.
bool is_too_wide(const fs::path& folder) {
  const char* home = std::getenv("HOME");
  return folder == folder.root_path() || (home != nullptr && *home != '\0' && folder == Files().real(home));
}

class Follower {
 public:
  Follower(std::vector<ast::File>& files, const Sources& sources, const std::string& root, const Files& from,
           const ReadImport& read, sema::ExpandOptions& out, Diagnostics& diagnostics)
      : files_(files),
        sources_(sources),
        from_(from),
        read_(read),
        imports_(out.imports),
        texts_(out.texts),
        diagnostics_(diagnostics) {
    for (const ast::File& file : files_) {
      const fs::path path = path_of(file.file);
      numbers_.try_emplace(from_.real(path).string(), file.file);
      roots_[file.file] = import_root(path, root, from_);
    }
  }

  bool run() {
    const std::size_t before = diagnostics_.size();
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const std::vector<ast::Import> wanted = files_[i].imports;  // files_ grows meanwhile
      for (const ast::Import& import : wanted)
        if (!follow(files_[i].file, import)) return false;
      for (const ast::Expr* path : sema::file_paths(files_[i]))
        if (!take(files_[i].file, *path)) return false;
    }
    for (const ast::File& file : files_) visit(file);
    return diagnostics_.size() == before;
  }

 private:
  // Standard input imports from where it is read.
  fs::path path_of(std::uint32_t file) const {
    const std::string& name = sources_.name(file);
    return name == "<stdin>" ? from_.here() / "stdin" : fs::path(name);
  }

  // False: nothing more can be read.
  bool follow(std::uint32_t from, const ast::Import& import) {
    const auto target = resolve(from, import.path.text, import.path.span);
    if (!target) return true;
    if (!is_muster_file(target->native())) {
      diagnostics_.add(Code::bad_import, import.path.span,
                       "`" + import.path.text + "` is not a muster file (*.muster, *.muster.json, *.muster.yaml)");
      return true;
    }
    auto known = numbers_.find(target->string());
    if (known == numbers_.end()) {
      if (!within_budget(import.span)) return false;
      const fs::path name = (path_of(from).parent_path() / import.path.text).lexically_normal();
      auto file = read_(name.string(), target->string(), import.path.span);
      if (!file) return true;
      known = numbers_.emplace(target->string(), file->file).first;
      roots_[file->file] = roots_[from];
      files_.push_back(std::move(*file));
    }
    if (!imports_[from].emplace(import.alias.text, known->second).second)
      diagnostics_.add(Code::bad_import, import.alias.span, "`" + import.alias.text + "` names two imports");
    return true;
  }

  bool within_budget(Span where) {
    if (++followed_ <= max_imports) return true;
    diagnostics_.add(Code::budget, where, "the file imports more than " + std::to_string(max_imports) + " files");
    return false;
  }

  // The bytes of `file("path")`. False: nothing more can be read.
  bool take(std::uint32_t from, const ast::Expr& path) {
    const auto target = resolve(from, path.text, path.span);
    if (!target || texts_[from].contains(path.text)) return true;
    if (!within_budget(path.span)) return false;
    std::string why;
    auto text = from_.read(target->string(), max_taken, why);
    if (text && text->size() > max_taken) why = "is larger than 1 MiB";
    else if (text && (first_invalid_utf8(*text) || text->find('\0') != text->npos))
      why = "is not valid UTF-8 or contains a NUL byte";
    else if (!text) why = "cannot be read: " + why;
    if (why.empty()) texts_[from].emplace(path.text, std::move(*text));
    else diagnostics_.add(Code::bad_import, path.span, "`" + path.text + "` " + why);
    return true;
  }

  // The file behind a path, without links. nullopt: reported.
  std::optional<fs::path> resolve(std::uint32_t from, const std::string& text, Span span) {
    const fs::path written = text;
    const auto refuse = [&](const std::string& why) {
      diagnostics_.add(Code::bad_import, span, "`" + written.string() + "` " + why);
      return std::nullopt;
    };
    if (written.empty() || written.is_absolute()) return refuse("is not a relative path");
    const fs::path& root = roots_[from];
    if (root.empty())
      return refuse("cannot be read, because the root would be `/` or your home folder; pass `--root DIR`");
    const fs::path lexical = (from_.real(path_of(from)).parent_path() / written).lexically_normal();
    if (!is_below(lexical, root)) return refuse("leaves the root `" + shown(root) + "`");
    std::error_code error;
    const fs::path target = from_.canonical(lexical, error);
    if (error) {
      diagnostics_.add(Code::bad_import, span, "`" + written.string() + "` cannot be read: " + error.message())
          .notes.push_back("tried `" + shown(lexical) + "`; a path is relative to the file that contains it");
      return std::nullopt;
    }
    if (!is_below(target, root)) return refuse("leaves the root `" + shown(root) + "` through a link");
    if (has_hidden(target.lexically_relative(root)) || has_hidden(lexical.lexically_relative(root)))
      return refuse("is hidden; files and folders whose names begin with `.` are not read");
    if (!from_.is_file(target)) return refuse("is not a regular file");
    return target;
  }

  // As a user types it: nothing of the machine's folders where it can be said without them.
  std::string shown(const fs::path& root) const {
    const fs::path relative = root.lexically_relative(from_.real(from_.here()));
    return relative.empty() ? root.string() : relative.generic_string();
  }

  // Depth first; the number of files bounds the recursion.
  void visit(const ast::File& file) {
    if (!done_.insert(file.file).second) return;
    path_.push_back(file.file);
    for (const ast::Import& import : file.imports) {
      const auto found = imports_[file.file].find(import.alias.text);
      if (found == imports_[file.file].end()) continue;
      if (std::find(path_.begin(), path_.end(), found->second) != path_.end())
        diagnostics_.add(Code::cycle, import.span,
                         "`" + import.path.text + "` imports this file, directly or indirectly");
      for (const ast::File& next : files_)
        if (next.file == found->second) visit(next);
    }
    path_.pop_back();
  }

  std::vector<ast::File>& files_;
  const Sources& sources_;
  const Files& from_;
  const ReadImport& read_;
  std::map<std::uint32_t, std::map<std::string, std::uint32_t>>& imports_;
  sema::FileTexts& texts_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::uint32_t> numbers_;  // by real path
  std::map<std::uint32_t, fs::path> roots_;
  std::set<std::uint32_t> done_;
  std::vector<std::uint32_t> path_;  // from a root to the file that is visited
  std::size_t followed_ = 0;
};

}  // namespace

fs::path import_root(const fs::path& file, const std::string& root, const Files& files) {
  const fs::path folder = files.real(file).parent_path(), here = files.real(files.here());
  const auto holds = [&](const fs::path& wanted) { return folder == wanted || is_below(folder, wanted); };
  if (!root.empty() && holds(files.real(root))) return files.real(root);
  if (holds(here) && !is_too_wide(here)) return here;
  return is_too_wide(folder) ? fs::path() : folder;
}

bool follow_imports(std::vector<ast::File>& files, const Sources& sources, const std::string& root, const Files& from,
                    const ReadImport& read, sema::ExpandOptions& out, Diagnostics& diagnostics) {
  const auto none = [&](const ast::File& file) {
    return file.imports.empty() && sources.text(file.file).find("file") == std::string_view::npos;
  };
  if (std::all_of(files.begin(), files.end(), none)) return true;
  return Follower(files, sources, root, from, read, out, diagnostics).run();
}

}  // namespace muster::driver
