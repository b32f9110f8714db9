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
#include "driver/inputs.h"

namespace muster::ast {
struct Block;
struct File;
}  // namespace muster::ast
namespace muster::lint {
enum class Input : std::uint8_t;
}  // namespace muster::lint
namespace muster::model {
struct Fleet;
struct Module;
struct Policy;
struct Site;
struct Workload;
}  // namespace muster::model
namespace muster::plan {
class Compilation;
}  // namespace muster::plan
namespace muster::targets {
struct AsRead;
}  // namespace muster::targets
namespace muster::sema {
struct ExpandOptions;
struct Given;
}  // namespace muster::sema

namespace muster::driver {

class Session {
 public:
  explicit Session(const Inputs& inputs);
  // The same within a run over many files: with the texts of `run` and what was imported in it. It outlives this.
  Session(const Inputs& inputs, Session& run);
  ~Session();

  // Reads, parses and checks the files, what they import, and the site. False: something was reported.
  bool load();
  // The two halves of it. files() are what was written until check() has filled in parameters and templates.
  bool parse();
  bool check();
  // The site of another session, for workloads of files that have none: its defaults are laid under them. Before
  // check().
  void lay_under(const ast::Block* site);
  // Leaves what the files themselves say of sites, fleets, rules and tests aside: their workloads are for the other
  // site. Before parse().
  void without_own_policy();
  // The block of the site whose defaults were laid; nullptr: there is none.
  const ast::Block* site_block() const;
  // Checks a copy, with other values for the parameters, in place of what was checked before.
  // `site` is the name of the site to check for, where it is not the one of site().
  bool check_with(const std::vector<sema::Given>& set, const std::string& site);
  // The same with the workload alone that a template makes with the defaults of its parameters.
  bool check_template(const std::string& name);

  Sources& sources();
  const Sources& sources() const;
  Diagnostics& diagnostics();
  const Diagnostics& diagnostics() const;
  const model::Module& module() const;
  const plan::Compilation& compilation() const;
  const std::vector<ast::File>& files() const;
  // Whether a file was named on the command line: not by --site, and not by an import.
  bool is_input(const ast::File& file) const;
  const Inputs& inputs() const;

  // The site of --site or of the files, else the built-in one. nullptr: reported.
  const model::Site* site();
  bool site_given() const;
  // Whether --site or the files themselves declare a site; not those that they import.
  bool has_site() const;
  // The fleet that the site names; nullptr if it names none, or (reported) one that is not there.
  const model::Fleet* fleet(const model::Site& site);
  // The policy of --profile FILE, else that of the site's own `rules`; nullptr: neither is there, or (reported) the
  // file declares none. Of several in a file the last is in force.
  const model::Policy* policy(const model::Site* site);
  // The workloads asked for: all, or the one named. Empty: reported.
  std::vector<const model::Workload*> workloads(const std::string& name);

  // Adds the workloads of the job scripts and manifests among the files, as they ask this site, or ported to it; once
  // for each check().
  void read_existing(const model::Site& site, const model::Fleet* fleet);
  // What a workload was read from where that is such a file; nullptr: it is one of a muster file.
  const targets::AsRead* as_read(const model::Workload& workload) const;

  // Says on what was found since `before` in a template or another file, such as the site's, which workload it is for.
  void label_origin(const model::Workload& workload, std::size_t before);

 private:
  struct State;

  std::optional<ast::File> read(const std::string& name, const std::string& file, Span where = {});
  void port_existing(const model::Site& site);
  std::optional<ast::File> read_import(const std::string& name, const std::string& real, Span where);
  bool read_values();
  void check(std::vector<ast::File> files, const sema::ExpandOptions& expansion, const std::string& site);
  std::map<std::uint32_t, std::string> folders_of(const std::vector<ast::File>& files);
  bool may_be_the_site(std::uint32_t file) const;
  const model::Site* site_of_option();
  void import_rules(ast::File& file);

  std::unique_ptr<State> state_;  // it holds the whole model: those who only pass a session on need none of it
};

// Text of the built-in site `generic`.
std::string_view generic_site_text();

}  // namespace muster::driver
