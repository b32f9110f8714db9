#include "compiler/sema/expand/expand.h"

#include <algorithm>
#include <memory>
#include <set>

#include "compiler/base/text.h"
#include "compiler/model/text.h"
#include "compiler/sema/expand/instances.h"
#include "compiler/sema/expand/plain.h"
#include "compiler/sema/expand/scopes.h"

namespace muster::sema {
namespace {

bool is_root(const ast::File& file, const ExpandOptions& options) {
  return std::find(options.roots.begin(), options.roots.end(), file.file) != options.roots.end();
}

// Rules speak of their own names (`$k3s.max` is a threshold), tests of results.
bool has_own_names(const ast::Block& block) {
  return block.kind.text == "rules" || block.kind.text == "test" || block.kind.text == "case";
}

bool of_a_root(const ast::Block& block) {
  return block.kind.text == "workload" || block.kind.text == "test" || block.kind.text == "case";
}

bool is_plain(const ast::File& file) {
  const auto plain = [](const ast::Block& block) { return has_own_names(block) || sema::is_plain(block); };
  return file.imports.empty() && file.parameters.empty() && file.bindings.empty() && file.templates.empty() &&
         std::all_of(file.blocks.begin(), file.blocks.end(), plain);
}

class Expansion {
 public:
  Expansion(const std::vector<ast::File>& files, const ExpandOptions& options, Diagnostics& diagnostics)
      : files_(files), options_(options), diagnostics_(diagnostics), instances_(files, options, diagnostics) {}

  // What became of one file.
  std::vector<ast::Block> blocks_of(const ast::File& file) {
    std::vector<ast::Block> out;
    const bool root = is_root(file, options_);
    if (!free_names(file) || !unique_templates(file)) return out;
    if (root && !instances_.scope_of(file)) return out;
    for (const ast::Block& block : file.blocks) {
      if (instances_.spent()) break;
      if (of_a_root(block) && (!root || !options_.blueprint.empty())) continue;
      if (has_own_names(block)) out.push_back(instances_.without_aliases(block, file));
      else if (auto made = instances_.declaration(block, file)) out.push_back(std::move(*made));
    }
    const ast::Template* blueprint = root && blueprint_ == nullptr ? blueprint_of(file) : nullptr;
    if (blueprint == nullptr) return out;
    blueprint_ = blueprint;
    for (const Request& request : options_.requests) {
      if (instances_.spent()) break;
      if (auto made = instances_.requested(*blueprint, request, file)) out.push_back(std::move(*made));
    }
    return out;
  }

  bool spent() { return instances_.spent(); }

  // Every value of the command line is for something.
  void check_options() {
    std::vector<ast::Signature> all;
    bool found = options_.blueprint.empty();
    for (const ast::File& file : files_) {
      if (!is_root(file, options_)) continue;
      all.insert(all.end(), file.parameters.begin(), file.parameters.end());
      const ast::Template* blueprint = blueprint_of(file);
      if (blueprint != nullptr) all.insert(all.end(), blueprint->parameters.begin(), blueprint->parameters.end());
      found = found || blueprint != nullptr;
    }
    if (!found) return report_no_template();
    const std::string title = options_.blueprint.empty() ? "the file" : "template `" + options_.blueprint + "`";
    for (const Given& g : options_.set)
      if (actuals_for(all, {g}).empty())
        report_unknown(all, {g.name, g.name_span, {}, g.text, g.span}, title, diagnostics_);
  }

 private:
  const ast::Template* blueprint_of(const ast::File& file) const {
    const auto found = std::find_if(file.templates.begin(), file.templates.end(),
                                    [&](const ast::Template& t) { return t.name.text == options_.blueprint; });
    return found == file.templates.end() ? nullptr : &*found;
  }

  // The first words of run references name nothing else.
  bool free_names(const ast::File& file) {
    const std::size_t before = diagnostics_.size();
    const auto check = [&](const ast::Name& name, const std::string& what) {
      if (model::kind_of_reference(name.text))
        diagnostics_.add(
            Code::name_not_valid, name.span,
            "`" + name.text + "` begins run references, as in `${" + name.text + ".…}`, and cannot be " + what);
    };
    for (const ast::Import& import : file.imports) check(import.alias, "the name of an import");
    for (const ast::Signature& p : file.parameters) check(p.name, "a parameter");
    for (const ast::Binding& b : file.bindings) check(b.name, "a `let`");
    for (const ast::Template& t : file.templates)
      for (const ast::Signature& p : t.parameters) check(p.name, "a parameter");
    return diagnostics_.size() == before;
  }

  bool unique_templates(const ast::File& file) {
    std::map<std::string_view, Span> seen;
    bool good = true;
    for (const ast::Template& t : file.templates) {
      const auto [first, fresh] = seen.emplace(t.name.text, t.name.span);
      if (fresh) continue;
      good = false;
      diagnostics_.add(Code::duplicate_name, t.name.span, "there are two templates named `" + t.name.text + "`")
          .labels.push_back({first->second, "first declared here"});
    }
    return good;
  }

  void report_no_template() {
    std::vector<std::string_view> names;
    for (const ast::File& file : files_)
      for (const ast::Template& t : file.templates)
        if (is_root(file, options_)) names.push_back(t.name.text);
    Diagnostic& d = diagnostics_.add(Code::unknown_name, {}, "unknown template `" + options_.blueprint + "`");
    const std::string near = closest(options_.blueprint, names);
    if (!near.empty()) d.notes.push_back("did you mean `" + near + "`?");
    else
      d.notes.push_back(names.empty() ? "the files do not declare a template" : "templates are " + quoted_list(names));
  }

  const std::vector<ast::File>& files_;
  const ExpandOptions& options_;
  Diagnostics& diagnostics_;
  Instances instances_;
  const ast::Template* blueprint_ = nullptr;
};

// Workloads of files that are only imported are there to be made from, not to be compiled.
void keep_shared(ast::File& file) { std::erase_if(file.blocks, of_a_root); }

}  // namespace

std::vector<ast::File> expand(std::vector<ast::File> files, const ExpandOptions& options, Diagnostics& diagnostics) {
  std::vector<bool> plain;
  for (const ast::File& file : files) plain.push_back(is_plain(file));
  std::vector<std::vector<ast::Block>> made(files.size());
  const bool asked = !options.set.empty() || !options.blueprint.empty();
  if (asked || std::find(plain.begin(), plain.end(), false) != plain.end()) {
    Expansion expansion(files, options, diagnostics);
    const std::size_t before = diagnostics.size();
    expansion.check_options();
    if (diagnostics.size() != before) return {};
    for (std::size_t i = 0; i < files.size(); ++i)
      if (!plain[i]) made[i] = expansion.blocks_of(files[i]);
    if (expansion.spent()) return {};
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!plain[i]) {
      const std::uint32_t number = files[i].file;
      files[i] = {};
      files[i].file = number;
      files[i].blocks = std::move(made[i]);
    } else if (!is_root(files[i], options)) {
      keep_shared(files[i]);
    }
  }
  return files;
}

}  // namespace muster::sema
