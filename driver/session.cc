#include "driver/session.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "compiler/base/text.h"
#include "compiler/model/module.h"
#include "compiler/sema/check/check.h"
#include "compiler/sema/expand/defaults.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/parse.h"
#include "compiler/twin/twin.h"
#include "driver/discover.h"
#include "driver/existing_files.h"
#include "driver/imports.h"
#include "driver/overlay_files.h"
#include "driver/parsed_files.h"
#include "driver/port_existing.h"
#include "driver/values.h"
#include "plan/decide/compilation.h"
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
    known.push_back(target.name), known.push_back(target.capabilities.plane_name());
  std::vector<Span> met;  // options of `any-of` have the blocks of the workload too
  const auto check = [&](const model::Workload& one) {
    for (const model::TargetOptions& block : one.targets) {
      if (std::find(known.begin(), known.end(), block.target) != known.end()) continue;
      if (std::find(met.begin(), met.end(), block.span) != met.end()) continue;
      met.push_back(block.span);
      Diagnostic& d =
          diagnostics.add(Code::unknown_name, block.span, "unknown target `" + printable(block.target) + "`");
      d.notes.push_back("`muster targets` lists the targets");
      if (const std::string near = closest(block.target, known); !near.empty())
        d.fixes.push_back({block.span, near, "did you mean `" + near + "`?", false});
    }
  };
  check(workload);
  for (const model::Workload& option : workload.options) check(option);
}

}  // namespace

struct Session::State {
  // Texts, and the trees of those that are imported.
  struct Texts {
    Sources sources;
    ParsedFiles imported;
  };

  // Of a workload that was made of another or of a template: its block, and the place of `from …`.
  struct Origin {
    Span block;
    Span made_at;
  };

  State(const Inputs& given, std::unique_ptr<Texts> texts)
      : inputs(given), own(std::move(texts)), sources(own->sources), imported(own->imported) {}
  State(const Inputs& given, State& run) : inputs(given), sources(run.sources), imported(run.imported) {}

  Inputs inputs;
  std::unique_ptr<Texts> own;
  Sources& sources;
  ParsedFiles& imported;
  Diagnostics diagnostics;
  const ast::Block* base_site = nullptr;
  std::optional<ast::Block> site_block;
  std::vector<ast::File> files;
  std::vector<ExistingFile> existing, to_port;  // those that are read as they are, and those that are ported
  std::vector<targets::AsRead> as_read;         // the last workloads of the module are these
  model::Module module;
  plan::Compilation compilation;
  std::map<std::uint64_t, Origin> origins;  // by file and place of the workload's name
  std::vector<std::string> templates;       // of the files that were named
  std::unique_ptr<model::Site> generic;
  std::vector<sema::Given> set_of_existing;
  bool ported = false;  // the workloads of `to_port` are in the module
  bool tests_checked = false;
  bool own_policy_aside = false;
  sema::ExpandOptions expansion;
  std::uint32_t site_file = 0;   // the one given by --site; 0: none
  std::uint32_t rules_file = 0;  // the one given by --profile; 0: none
  bool site_given = false;
};

Session::Session(const Inputs& inputs) : state_(std::make_unique<State>(inputs, std::make_unique<State::Texts>())) {}
Session::Session(const Inputs& inputs, Session& run) : state_(std::make_unique<State>(inputs, *run.state_)) {}
Session::~Session() = default;

bool Session::load() { return parse() && check(); }
void Session::lay_under(const ast::Block* site) { state_->base_site = site; }
void Session::without_own_policy() { state_->own_policy_aside = true; }
const ast::Block* Session::site_block() const { return state_->site_block ? &*state_->site_block : nullptr; }
Sources& Session::sources() { return state_->sources; }
const Sources& Session::sources() const { return state_->sources; }
Diagnostics& Session::diagnostics() { return state_->diagnostics; }
const Diagnostics& Session::diagnostics() const { return state_->diagnostics; }
const model::Module& Session::module() const { return state_->module; }
const plan::Compilation& Session::compilation() const { return state_->compilation; }
const std::vector<ast::File>& Session::files() const { return state_->files; }
const Inputs& Session::inputs() const { return state_->inputs; }
bool Session::site_given() const { return state_->site_given; }

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
  plane kubernetes {
    kind       = kubernetes
    version    = "1.36"
    gang       = none              # a gang is refused until a site says what starts it
    gpu-labels = gfd               # labels of NVIDIA's GPU feature discovery
  }
}
)";
}

std::optional<ast::File> Session::read(const std::string& name, const std::string& file, Span where) {
  std::string why;
  const bool first = !state_->inputs.files.empty() && file == state_->inputs.files.front();
  auto text =
      first && state_->inputs.input ? state_->inputs.input : state_->inputs.from.read(file, twin::max_bytes, why);
  if (!text) {
    state_->diagnostics.add(Code::cannot_read, where, "cannot read `" + name + "`: " + why);
    return std::nullopt;
  }
  const bool is_input =
      std::find(state_->inputs.files.begin(), state_->inputs.files.end(), file) != state_->inputs.files.end();
  const bool may_exist = is_input && !where.known() && state_->inputs.existing != Existing::none;
  auto existing = may_exist ? existing_file(name, *text) : std::nullopt;
  const twin::Form form = twin::form_of(name, *text);
  const std::uint32_t number = state_->sources.add(name == "-" ? "<stdin>" : name, std::move(*text));
  if (!existing) return twin::read(state_->sources, number, form, state_->diagnostics);
  existing->file = number;
  const bool port = state_->inputs.existing == Existing::ported || existing->by_import;
  (port ? state_->to_port : state_->existing).push_back(*existing);
  ast::File none;
  none.file = number;
  return none;
}

std::optional<ast::File> Session::read_import(const std::string& name, const std::string& real, Span where) {
  auto tree = state_->imported.find(real, name, state_->sources);
  if (!tree) {
    tree = read(name, real, where);
    if (tree) state_->imported.keep(real, name, state_->sources, *tree);
  }
  if (tree) import_rules(*tree);
  return tree;
}

bool Session::parse() {
  bool good = true;
  const auto add = [&](const std::string& file) {
    auto tree = read(file, file);
    if (tree && state_->own_policy_aside) drop_policy(*tree);
    if (tree) state_->files.push_back(std::move(*tree));
    good = tree.has_value() && good;
  };
  for (const std::string& file : state_->inputs.files) add(file);
  for (const ast::File& file : state_->files) {
    state_->expansion.roots.push_back(file.file);
    for (const ast::Template& t : file.templates) state_->templates.push_back(t.name.text);
  }
  if (!state_->inputs.site_file.empty()) {
    state_->site_file = static_cast<std::uint32_t>(state_->sources.count()) + 1;
    add(state_->inputs.site_file);
  }
  if (!state_->inputs.rules_file.empty()) {
    state_->rules_file = static_cast<std::uint32_t>(state_->sources.count()) + 1;
    add(state_->inputs.rules_file);
  }
  for (ast::File& file : state_->files) import_rules(file);
  const auto reader = [this](const std::string& name, const std::string& real, Span where) {
    return read_import(name, real, where);
  };
  good = good && follow_imports(state_->files, state_->sources, state_->inputs.root, state_->inputs.from, reader,
                                state_->expansion, state_->diagnostics);
  return good && read_values() && !state_->diagnostics.has_errors();
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
  state_->expansion.set = read_settings(state_->inputs.set, state_->sources, state_->diagnostics);
  if (!state_->to_port.empty()) state_->set_of_existing = split_off(state_->expansion.set, state_->files);
  state_->expansion.blueprint = state_->inputs.blueprint;
  if (state_->inputs.blueprint.empty()) return true;
  state_->expansion.requests = {{}};
  if (state_->inputs.matrix.empty()) return true;
  std::vector<std::string> parameters;
  for (const ast::File& file : state_->files)
    for (const ast::Template& t : file.templates)
      if (t.name.text == state_->inputs.blueprint)
        for (const ast::Signature& p : t.parameters) parameters.push_back(p.name.text);
  state_->expansion.requests = read_matrix(state_->inputs.matrix, state_->inputs.from, state_->inputs.blueprint,
                                           parameters, state_->sources, state_->diagnostics);
  return !state_->diagnostics.has_errors();
}

bool Session::check() {
  check(std::move(state_->files), state_->expansion, {});
  return !state_->diagnostics.has_errors();
}

bool Session::check_with(const std::vector<sema::Given>& set, const std::string& site) {
  sema::ExpandOptions expansion = state_->expansion;
  expansion.set = set;
  std::vector<ast::File> copies = state_->files;
  if (std::exchange(state_->tests_checked, true))  // they are the same each time, and there may be many
    for (ast::File& file : copies)
      std::erase_if(file.blocks, [](const ast::Block& block) { return block.kind.text == "test"; });
  check(std::move(copies), expansion, site);
  return !state_->diagnostics.has_errors();
}

bool Session::check_template(const std::string& name) {
  sema::ExpandOptions expansion = state_->expansion;
  expansion.blueprint = name;
  expansion.requests = {{}};
  check(state_->files, expansion, {});
  return !state_->diagnostics.has_errors();
}

bool Session::is_input(const ast::File& file) const {
  return std::find(state_->expansion.roots.begin(), state_->expansion.roots.end(), file.file) !=
         state_->expansion.roots.end();
}

void Session::check(std::vector<ast::File> files, const sema::ExpandOptions& expansion, const std::string& site) {
  const std::size_t before = state_->diagnostics.size();
  std::vector<ast::File> expanded = sema::expand(std::move(files), expansion, state_->diagnostics);
  if (!state_->inputs.matrix.empty()) name_cells(expansion.requests, state_->diagnostics.since(before));
  const auto may_be = [this](std::uint32_t file) { return may_be_the_site(file); };
  const ast::Block* own = site_of(expanded, site, may_be);
  state_->site_block = own == nullptr ? std::nullopt : std::optional(*own);
  if (const ast::Block* block = site_block() != nullptr ? site_block() : state_->base_site)
    sema::lay_defaults(*block, expanded, state_->diagnostics);
  const std::vector<model::Policy> profiles = profiles_for(expanded);
  state_->module = sema::check(expanded, state_->sources, {folders_of(expanded), profiles}, state_->diagnostics);
  state_->as_read.clear();
  state_->ported = false;
  state_->compilation = state_->module.workloads;
  for (const model::Workload& workload : state_->module.workloads) check_targets(workload, state_->diagnostics);
  for (const ast::File& file : expanded)
    for (const ast::Block& block : file.blocks)
      if (block.made_at.known() && block.label)
        state_->origins[place_of(block.label->span)] = {block.span, block.made_at};
}

std::map<std::uint32_t, std::string> Session::folders_of(const std::vector<ast::File>& files) {
  std::map<std::uint32_t, std::string> out;
  const Files& from = state_->inputs.from;
  const fs::path root = from.whole(state_->inputs.root);
  for (const ast::File& file : files) {
    const std::string& name = state_->sources.name(file.file);
    if (name == "<stdin>") continue;
    const auto folder = folder_below(from.whole(name), root);
    if (!folder && !state_->inputs.root.empty() && is_input(file))
      state_->diagnostics.add(Code::cannot_read, {},
                              "`" + name + "` is outside the root `" + state_->inputs.root + "`");
    out[file.file] = folder.value_or("");
  }
  return out;
}

void Session::label_origin(const model::Workload& workload, std::size_t before) {
  const auto found = state_->origins.find(place_of(workload.span));
  if (found != state_->origins.end())
    sema::label_origin(found->second.block, found->second.made_at, state_->diagnostics.since(before));
  // What a site lays under every workload, and what it lacks, is wrong for one of them.
  const auto here = [&](const Label& label) { return label.span.file == workload.span.file; };
  for (Diagnostic& d : state_->diagnostics.since(before))
    if (d.primary.known() && d.primary.file != workload.span.file &&
        std::none_of(d.labels.begin(), d.labels.end(), here))
      d.labels.push_back({workload.span, "for this workload"});
}

void Session::read_existing(const model::Site& site, const model::Fleet* fleet) {
  if (!state_->as_read.empty()) return;
  port_existing(site);
  const Files& from = state_->inputs.from;
  std::vector<FoundFile> manifests;
  for (const ExistingFile& file : state_->existing)
    if (file.kind == lint::Input::manifest) manifests.push_back({state_->sources.name(file.file), true});
  lint::Overlays overlays;
  read_overlays(manifests, from, state_->sources, overlays);
  for (const ExistingFile& file : state_->existing) {
    const std::string name = state_->sources.name(file.file);
    const auto folder =
        name == "<stdin>" ? std::nullopt : folder_below(from.whole(name), from.whole(state_->inputs.root));
    auto read =
        driver::read_existing(file, state_->sources, folder.value_or(""), site, fleet, overlays, state_->diagnostics);
    for (targets::AsRead& one : read) state_->as_read.push_back(std::move(one));
  }
  for (const targets::AsRead& one : state_->as_read) state_->module.workloads.push_back(one.workload);
  state_->compilation = state_->module.workloads;
}

void Session::port_existing(const model::Site& site) {
  if (state_->to_port.empty() || state_->ported) return;
  Ported ported = port(state_->to_port, site, state_->inputs.port_to, state_->set_of_existing,
                       state_->inputs.existing == Existing::as_read, state_->sources, state_->diagnostics);
  for (const ast::Block* block : std::initializer_list<const ast::Block*>{site_block(), &ported.draft})
    if (block != nullptr) sema::lay_defaults(*block, ported.files, state_->diagnostics);
  model::Module made = sema::check(ported.files, state_->sources, {folders_of(ported.files), {}}, state_->diagnostics);
  for (model::Workload& workload : made.workloads) {
    check_targets(workload, state_->diagnostics);
    state_->module.workloads.push_back(std::move(workload));
  }
  state_->ported = true;
  state_->compilation = state_->module.workloads;
}

const targets::AsRead* Session::as_read(const model::Workload& workload) const {
  const std::size_t before = state_->module.workloads.size() - state_->as_read.size();
  for (std::size_t i = 0; i < state_->as_read.size(); ++i)
    if (&state_->module.workloads[before + i] == &workload) return &state_->as_read[i];
  return nullptr;
}

// Imported sites are there to be named, by a test; they do not stand for the site to plan for.
bool Session::may_be_the_site(std::uint32_t file) const {
  const auto& roots = state_->expansion.roots;
  return state_->site_file != 0 ? file == state_->site_file
                                : std::find(roots.begin(), roots.end(), file) != roots.end();
}

const model::Site* Session::site_of_option() {
  const model::Site* found = nullptr;
  for (const model::Site& site : state_->module.sites) {
    if (!may_be_the_site(site.span.file)) continue;
    if (found != nullptr) {
      state_->diagnostics
          .add(Code::ambiguous_choice, site.span, "the files declare two sites, but exactly one is required")
          .labels.push_back({found->span, "the other site"});
      return nullptr;
    }
    found = &site;
  }
  if (found == nullptr && state_->site_file != 0)
    state_->diagnostics.add(Code::nothing_to_do, {}, "`" + state_->inputs.site_file + "` does not declare a site");
  return found;
}

bool Session::has_site() const {
  return std::any_of(state_->module.sites.begin(), state_->module.sites.end(),
                     [this](const model::Site& site) { return may_be_the_site(site.span.file); });
}

const model::Site* Session::site() {
  const model::Site* site = site_of_option();
  state_->site_given = site != nullptr;
  if (site != nullptr || state_->diagnostics.has_errors()) return site;
  if (state_->generic) return state_->generic.get();
  const std::uint32_t number = state_->sources.add("<generic>", std::string(generic_site_text()));
  auto tree = syntax::parse(state_->sources, number, state_->diagnostics);
  if (!tree) return nullptr;
  model::Module generic = sema::check({std::move(*tree)}, state_->sources, {}, state_->diagnostics);
  state_->generic = std::make_unique<model::Site>(std::move(generic.sites.at(0)));
  return state_->generic.get();
}

const model::Fleet* Session::fleet(const model::Site& site) {
  if (!site.fleet) return nullptr;
  std::vector<std::string_view> names;
  for (const model::Fleet& fleet : state_->module.fleets) {
    if (fleet.name == site.fleet->value) return &fleet;
    names.push_back(fleet.name);
  }
  Diagnostic& d = state_->diagnostics.add(Code::unknown_name, site.fleet->span,
                                          "fleet `" + site.fleet->value + "` is not declared in these files");
  const std::string near = closest(site.fleet->value, names);
  if (!near.empty()) d.fixes.push_back({site.fleet->span, near, "did you mean `" + near + "`?", false});
  return nullptr;
}

const model::Policy* Session::policy(const model::Site* site) {
  std::uint32_t file = state_->rules_file;
  if (file == 0 && site != nullptr && site->rules) {
    const auto imports = state_->expansion.imports.find(site->span.file);
    if (imports != state_->expansion.imports.end())
      if (const auto found = imports->second.find(rules_alias(site->name)); found != imports->second.end())
        file = found->second;
  }
  if (file == 0) return nullptr;
  const model::Policy* last = nullptr;
  for (const model::Policy& policy : state_->module.policies)
    if (policy.span.file == file) last = &policy;
  if (last == nullptr && !state_->diagnostics.has_errors())
    state_->diagnostics.add(Code::nothing_to_do, {}, "`" + state_->sources.name(file) + "` does not declare rules");
  return last;
}

std::vector<const model::Workload*> Session::workloads(const std::string& name) {
  std::vector<const model::Workload*> out;
  std::vector<std::string_view> names;
  for (const model::Workload& w : state_->module.workloads) {
    names.push_back(w.name);
    if (name.empty() || w.name == name || w.id == name) out.push_back(&w);
  }
  if (!out.empty()) return out;
  if (names.empty()) {
    Diagnostic& d = state_->diagnostics.add(Code::nothing_to_do, {}, "the files do not declare a workload");
    if (!state_->templates.empty())
      d.notes.push_back("make one from a template with `--template " + state_->templates[0] + "`");
    return out;
  }
  Diagnostic& d = state_->diagnostics.add(Code::unknown_name, {}, "unknown workload `" + name + "`");
  d.notes.push_back("workloads are " + quoted_list(names));
  return out;
}

}  // namespace muster::driver
