// One run over files: what they hold once they are read and checked, and what was found in them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostic.h"
#include "compiler/base/source.h"
#include "compiler/model/module.h"
#include "compiler/sema/expand/expand.h"
#include "compiler/syntax/ast.h"
#include "driver/inputs.h"
#include "driver/parsed_files.h"

namespace muster::driver {

class Session {
 public:
  explicit Session(const Inputs& inputs)
      : inputs_(inputs), own_(std::make_unique<Texts>()), sources_(own_->sources), imported_(own_->imported) {}
  // The same within a run over many files: with the texts of `run` and what was imported in it. It outlives this.
  Session(const Inputs& inputs, Session& run) : inputs_(inputs), sources_(run.sources_), imported_(run.imported_) {}

  // Reads, parses and checks the files, what they import, and the site. False: something was reported.
  bool load() { return parse() && check(); }
  // The two halves of it. files() are what was written until check() has filled in parameters and templates.
  bool parse();
  bool check();
  // The site of another session, for workloads of files that have none: its defaults are laid under them. Before
  // check().
  void lay_under(const ast::Block* site) { base_site_ = site; }
  // Leaves what the files themselves say of sites, fleets, rules and tests aside: their workloads are for the other
  // site. Before parse().
  void without_own_policy() { own_policy_aside_ = true; }
  // The block of the site whose defaults were laid; nullptr: there is none.
  const ast::Block* site_block() const { return site_block_ ? &*site_block_ : nullptr; }
  // Checks a copy, with other values for the parameters, in place of what was checked before.
  // `site` is the name of the site to check for, where it is not the one of site().
  bool check_with(const std::vector<sema::Given>& set, const std::string& site);
  // The same with the workload alone that a template makes with the defaults of its parameters.
  bool check_template(const std::string& name);

  Sources& sources() { return sources_; }
  const Sources& sources() const { return sources_; }
  Diagnostics& diagnostics() { return diagnostics_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  const model::Module& module() const { return module_; }
  const std::vector<ast::File>& files() const { return files_; }
  // Whether a file was named on the command line: not by --site, and not by an import.
  bool is_input(const ast::File& file) const;
  const Inputs& inputs() const { return inputs_; }

  // The site of --site or of the files, else the built-in one. nullptr: reported.
  const model::Site* site();
  bool site_given() const { return site_given_; }
  // Whether --site or the files themselves declare a site; not those that they import.
  bool has_site() const;
  // The fleet that the site names; nullptr if it names none, or (reported) one that is not there.
  const model::Fleet* fleet(const model::Site& site);
  // The policy of --profile FILE, else that of the site's own `rules`; nullptr: neither is there, or (reported) the
  // file declares none. Of several in a file the last is in force.
  const model::Policy* policy(const model::Site* site);
  // The workloads asked for: all, or the one named. Empty: reported.
  std::vector<const model::Workload*> workloads(const std::string& name);

  // Says on what was found since `before` in a template or another file, such as the site's, which workload it is for.
  void label_origin(const model::Workload& workload, std::size_t before);

 private:
  // Texts, and the trees of those that are imported.
  struct Texts {
    Sources sources;
    ParsedFiles imported;
  };

  std::optional<ast::File> read(const std::string& name, const std::string& file, Span where = {});
  std::optional<ast::File> read_import(const std::string& name, const std::string& real, Span where);
  bool read_values();
  void check(std::vector<ast::File> files, const sema::ExpandOptions& expansion, const std::string& site);
  std::map<std::uint32_t, std::string> folders_of(const std::vector<ast::File>& files);
  bool may_be_the_site(std::uint32_t file) const;
  const model::Site* site_of_option();
  void import_rules(ast::File& file);

  Inputs inputs_;
  std::unique_ptr<Texts> own_;
  Sources& sources_;
  ParsedFiles& imported_;
  Diagnostics diagnostics_;
  const ast::Block* base_site_ = nullptr;
  std::optional<ast::Block> site_block_;
  std::vector<ast::File> files_;
  model::Module module_;
  // Of a workload that was made of another or of a template: its block, and the place of `from …`.
  struct Origin {
    Span block;
    Span made_at;
  };
  std::map<std::uint64_t, Origin> origins_;  // by file and place of the workload's name
  std::vector<std::string> templates_;       // of the files that were named
  std::unique_ptr<model::Site> generic_;
  bool tests_checked_ = false;
  bool own_policy_aside_ = false;
  sema::ExpandOptions expansion_;
  std::uint32_t site_file_ = 0;   // the one given by --site; 0: none
  std::uint32_t rules_file_ = 0;  // the one given by --profile; 0: none
  bool site_given_ = false;
};

// Text of the built-in site `generic`.
std::string_view generic_site_text();

}  // namespace muster::driver
