#include "driver/session.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/sema/check/check.h"
#include "compiler/sema/expand/defaults.h"
#include "compiler/syntax/parse.h"
#include "compiler/twin/twin.h"
#include "driver/imports.h"
#include "driver/read_file.h"
#include "driver/values.h"
#include "rules/profiles.h"
#include "targets/target.h"

namespace muster::driver {
namespace {

namespace fs = std::filesystem;

// The folder of a file below the root, in the form of an id; "" for the root itself. nullopt: the
// file lies outside.
std::optional<std::string> folder_below(const fs::path& file, const fs::path& root) {
  const fs::path relative = file.parent_path().lexically_relative(root);
  if (relative.empty() || relative == ".") return std::string();
  if (*relative.begin() == "..") return std::nullopt;
  return relative.generic_string();
}

// The alias under which a site's own rules are imported; no user can write it.
std::string rules_alias(std::string_view site) { return "rules of " + std::string(site); }

std::uint64_t place_of(Span span) { return (std::uint64_t{span.file} << 32) | span.begin; }

// The site's block: the one of that name, else the only one that may be it.
const ast::Block* site_of(const std::vector<ast::File>& files, const std::string& name, const auto& may_be) {
  const ast::Block* found = nullptr;
  for (const ast::File& file : files)
    for (const ast::Block& block : file.blocks) {
      if (block.kind.text != "site" || !block.label) continue;
      if (name.empty() ? !may_be(file.file) : block.label->text != name) continue;
      if (found != nullptr) return nullptr;  // site() reports it
      found = &block;
    }
  return found;
}

void drop_policy(ast::File& file) {
  constexpr std::string_view kinds[] = {"site", "fleet", "rules", "test", "case"};
  std::erase_if(file.blocks, [&](const ast::Block& block) {
    return std::find(std::begin(kinds), std::end(kinds), block.kind.text) != std::end(kinds);
  });
}

// What rule files may extend: the built-in profiles, where a file declares rules at all.
std::vector<model::Policy> profiles_for(const std::vector<ast::File>& files) {
  const auto is_policy = [](const ast::Block& block) { return block.kind.text == "rules"; };
  const auto has_policy = [&](const ast::File& file) {
    return std::any_of(file.blocks.begin(), file.blocks.end(), is_policy);
  };
  std::vector<model::Policy> out;
  if (std::none_of(files.begin(), files.end(), has_policy)) return out;
  out.push_back(rules::addons());
  for (const std::string_view name : rules::profile_names()) out.push_back(rules::profile(name));
  return out;
}

// A block for a target that does not exist would have no effect.
void check_targets(const model::Workload& workload, Diagnostics& diagnostics) {
  std::vector<std::string_view> known;
  for (const targets::Target& target : targets::all_targets())
    known.push_back(target.name), known.push_back(target.capabilities.plane);
  std::vector<Span> met;  // options of `any-of` have the blocks of the workload too
  const auto check = [&](const model::Workload& one) {
    for (const model::TargetOptions& block : one.targets) {
      if (std::find(known.begin(), known.end(), block.target) != known.end()) continue;
      if (std::find(met.begin(), met.end(), block.span) != met.end()) continue;
      met.push_back(block.span);
      Diagnostic& d =
          diagnostics.add(Code::unknown_name, block.span, "there is no target `" + printable(block.target) + "`");
      d.notes.push_back("`muster targets` lists them");
      if (const std::string near = closest(block.target, known); !near.empty())
        d.fixes.push_back({block.span, near, "did you mean `" + near + "`?", false});
    }
  };
  check(workload);
  for (const model::Workload& option : workload.options) check(option);
}

}  // namespace

std::string_view generic_site_text() {
  return R"(# What is assumed of a cluster when no --site is given.
site generic {
  plane slurm {
    kind        = slurm
    version     = "22.05"          # the oldest rules in use; every later Slurm takes what they allow
    gpu-request = gpus-per-node    # typed by the GPU model's symbol: --gpus-per-node=h100:8
    containers  = none
    export      = all
  }
}
)";
}

std::optional<ast::File> Session::read(const std::string& name, const std::string& file, Span where) {
  std::string why;
  const bool first = !inputs_.files.empty() && file == inputs_.files.front();
  auto text = first && inputs_.input ? inputs_.input : read_file(file, twin::max_bytes, why);
  if (!text) {
    diagnostics_.add(Code::cannot_read, where, "cannot read `" + name + "`: " + why);
    return std::nullopt;
  }
  const twin::Form form = twin::form_of(name, *text);
  const std::uint32_t number = sources_.add(name == "-" ? "<stdin>" : name, std::move(*text));
  return twin::read(sources_, number, form, diagnostics_);
}

std::optional<ast::File> Session::read_import(const std::string& name, const std::string& real, Span where) {
  auto tree = imported_.find(real, name, sources_);
  if (!tree) {
    tree = read(name, real, where);
    if (tree) imported_.keep(real, name, sources_, *tree);
  }
  if (tree) import_rules(*tree);
  return tree;
}

bool Session::parse() {
  bool good = true;
  const auto add = [&](const std::string& file) {
    auto tree = read(file, file);
    if (tree && own_policy_aside_) drop_policy(*tree);
    if (tree) files_.push_back(std::move(*tree));
    good = tree.has_value() && good;
  };
  for (const std::string& file : inputs_.files) add(file);
  for (const ast::File& file : files_) {
    expansion_.roots.push_back(file.file);
    for (const ast::Template& t : file.templates) templates_.push_back(t.name.text);
  }
  if (!inputs_.site_file.empty()) {
    site_file_ = static_cast<std::uint32_t>(sources_.count()) + 1;
    add(inputs_.site_file);
  }
  if (!inputs_.rules_file.empty()) {
    rules_file_ = static_cast<std::uint32_t>(sources_.count()) + 1;
    add(inputs_.rules_file);
  }
  for (ast::File& file : files_) import_rules(file);
  const auto reader = [this](const std::string& name, const std::string& real, Span where) {
    return read_import(name, real, where);
  };
  good = good && follow_imports(files_, sources_, inputs_.root, reader, expansion_, diagnostics_);
  return good && read_values() && !diagnostics_.has_errors();
}

// `rules = "FILE"` of a site is an import: the same paths, the same limits.
void Session::import_rules(ast::File& file) {
  for (const ast::Block& block : file.blocks) {
    if (block.kind.text != "site" || !block.label) continue;
    for (const ast::Item& item : block.items)
      if (const auto* s = std::get_if<ast::Setting>(&item.value); s != nullptr && s->key.text == "rules")
        file.imports.push_back(
            {{s->value.text, s->value.span}, {rules_alias(block.label->text), s->key.span}, s->value.span});
  }
}

bool Session::read_values() {
  expansion_.set = read_settings(inputs_.set, sources_, diagnostics_);
  expansion_.blueprint = inputs_.blueprint;
  if (inputs_.blueprint.empty()) return true;
  expansion_.requests = {{}};
  if (inputs_.matrix.empty()) return true;
  std::vector<std::string> parameters;
  for (const ast::File& file : files_)
    for (const ast::Template& t : file.templates)
      if (t.name.text == inputs_.blueprint)
        for (const ast::Signature& p : t.parameters) parameters.push_back(p.name.text);
  expansion_.requests = read_matrix(inputs_.matrix, inputs_.blueprint, parameters, sources_, diagnostics_);
  return !diagnostics_.has_errors();
}

bool Session::check() {
  check(std::move(files_), expansion_, {});
  return !diagnostics_.has_errors();
}

bool Session::check_with(const std::vector<sema::Given>& set, const std::string& site) {
  sema::ExpandOptions expansion = expansion_;
  expansion.set = set;
  std::vector<ast::File> copies = files_;
  if (std::exchange(tests_checked_, true))  // they are the same each time, and there may be many
    for (ast::File& file : copies)
      std::erase_if(file.blocks, [](const ast::Block& block) { return block.kind.text == "test"; });
  check(std::move(copies), expansion, site);
  return !diagnostics_.has_errors();
}

bool Session::check_template(const std::string& name) {
  sema::ExpandOptions expansion = expansion_;
  expansion.blueprint = name;
  expansion.requests = {{}};
  check(files_, expansion, {});
  return !diagnostics_.has_errors();
}

bool Session::is_input(const ast::File& file) const {
  return std::find(expansion_.roots.begin(), expansion_.roots.end(), file.file) != expansion_.roots.end();
}

void Session::check(std::vector<ast::File> files, const sema::ExpandOptions& expansion, const std::string& site) {
  const std::size_t before = diagnostics_.size();
  std::vector<ast::File> expanded = sema::expand(std::move(files), expansion, diagnostics_);
  if (!inputs_.matrix.empty()) name_cells(expansion.requests, diagnostics_.since(before));
  const auto may_be = [this](std::uint32_t file) { return may_be_the_site(file); };
  const ast::Block* own = site_of(expanded, site, may_be);
  site_block_ = own == nullptr ? std::nullopt : std::optional(*own);
  if (const ast::Block* block = site_block() != nullptr ? site_block() : base_site_)
    sema::lay_defaults(*block, expanded, diagnostics_);
  const std::vector<model::Policy> profiles = profiles_for(expanded);
  module_ = sema::check(expanded, sources_, {folders_of(expanded), profiles}, diagnostics_);
  for (const model::Workload& workload : module_.workloads) check_targets(workload, diagnostics_);
  for (const ast::File& file : expanded)
    for (const ast::Block& block : file.blocks)
      if (block.made_at.known() && block.label) origins_[place_of(block.label->span)] = {block.span, block.made_at};
}

std::map<std::uint32_t, std::string> Session::folders_of(const std::vector<ast::File>& files) {
  std::map<std::uint32_t, std::string> out;
  const fs::path here = fs::current_path();
  const fs::path root = inputs_.root.empty() ? here : fs::absolute(inputs_.root).lexically_normal();
  for (const ast::File& file : files) {
    const std::string& name = sources_.name(file.file);
    if (name == "<stdin>") continue;
    const auto folder = folder_below(fs::absolute(name).lexically_normal(), root);
    if (!folder && !inputs_.root.empty() && is_input(file))
      diagnostics_.add(Code::cannot_read, {}, "`" + name + "` lies outside the root `" + inputs_.root + "`");
    out[file.file] = folder.value_or("");
  }
  return out;
}

void Session::label_origin(const model::Workload& workload, std::size_t before) {
  const auto found = origins_.find(place_of(workload.span));
  if (found != origins_.end())
    sema::label_origin(found->second.block, found->second.made_at, diagnostics_.since(before));
  // What a site lays under every workload, and what it lacks, is wrong for one of them.
  const auto here = [&](const Label& label) { return label.span.file == workload.span.file; };
  for (Diagnostic& d : diagnostics_.since(before))
    if (d.primary.known() && d.primary.file != workload.span.file &&
        std::none_of(d.labels.begin(), d.labels.end(), here))
      d.labels.push_back({workload.span, "for this workload"});
}

// Imported sites are there to be named, by a test; they do not stand for the site to plan for.
bool Session::may_be_the_site(std::uint32_t file) const {
  const auto& roots = expansion_.roots;
  return site_file_ != 0 ? file == site_file_ : std::find(roots.begin(), roots.end(), file) != roots.end();
}

const model::Site* Session::site_of_option() {
  const model::Site* found = nullptr;
  for (const model::Site& site : module_.sites) {
    if (!may_be_the_site(site.span.file)) continue;
    if (found != nullptr) {
      diagnostics_.add(Code::ambiguous_choice, site.span, "there are two sites; one is needed")
          .labels.push_back({found->span, "the other one"});
      return nullptr;
    }
    found = &site;
  }
  if (found == nullptr && site_file_ != 0)
    diagnostics_.add(Code::nothing_to_do, {}, "`" + inputs_.site_file + "` declares no site");
  return found;
}

bool Session::has_site() const {
  return std::any_of(module_.sites.begin(), module_.sites.end(),
                     [this](const model::Site& site) { return may_be_the_site(site.span.file); });
}

const model::Site* Session::site() {
  const model::Site* site = site_of_option();
  site_given_ = site != nullptr;
  if (site != nullptr || diagnostics_.has_errors()) return site;
  if (generic_) return generic_.get();
  const std::uint32_t number = sources_.add("<generic>", std::string(generic_site_text()));
  auto tree = syntax::parse(sources_, number, diagnostics_);
  if (!tree) return nullptr;
  model::Module generic = sema::check({std::move(*tree)}, sources_, {}, diagnostics_);
  generic_ = std::make_unique<model::Site>(std::move(generic.sites.at(0)));
  return generic_.get();
}

const model::Fleet* Session::fleet(const model::Site& site) {
  if (!site.fleet) return nullptr;
  std::vector<std::string_view> names;
  for (const model::Fleet& fleet : module_.fleets) {
    if (fleet.name == site.fleet->value) return &fleet;
    names.push_back(fleet.name);
  }
  Diagnostic& d = diagnostics_.add(Code::unknown_name, site.fleet->span,
                                   "no fleet `" + site.fleet->value + "` is declared in these files");
  const std::string near = closest(site.fleet->value, names);
  if (!near.empty()) d.fixes.push_back({site.fleet->span, near, "did you mean `" + near + "`?", false});
  return nullptr;
}

const model::Policy* Session::policy(const model::Site* site) {
  std::uint32_t file = rules_file_;
  if (file == 0 && site != nullptr && site->rules) {
    const auto imports = expansion_.imports.find(site->span.file);
    if (imports != expansion_.imports.end())
      if (const auto found = imports->second.find(rules_alias(site->name)); found != imports->second.end())
        file = found->second;
  }
  if (file == 0) return nullptr;
  const model::Policy* last = nullptr;
  for (const model::Policy& policy : module_.policies)
    if (policy.span.file == file) last = &policy;
  if (last == nullptr && !diagnostics_.has_errors())
    diagnostics_.add(Code::nothing_to_do, {}, "`" + sources_.name(file) + "` declares no rules");
  return last;
}

std::vector<const model::Workload*> Session::workloads(const std::string& name) {
  std::vector<const model::Workload*> out;
  std::vector<std::string_view> names;
  for (const model::Workload& w : module_.workloads) {
    names.push_back(w.name);
    if (name.empty() || w.name == name || w.id == name) out.push_back(&w);
  }
  if (!out.empty()) return out;
  if (names.empty()) {
    Diagnostic& d = diagnostics_.add(Code::nothing_to_do, {}, "the files declare no workload");
    if (!templates_.empty()) d.notes.push_back("make one of a template: `--template " + templates_[0] + "`");
    return out;
  }
  Diagnostic& d = diagnostics_.add(Code::unknown_name, {}, "there is no workload `" + name + "`");
  d.notes.push_back("there is " + quoted_list(names));
  return out;
}

}  // namespace muster::driver
